// What is seen of a blade, drawn where it does not sink into what it strikes: put it on the child object that has the sword's
// mesh. It is put aside by as much as clashd says, and back when nothing is in the way.
using UnityEngine;

namespace Clashd
{
    [AddComponentMenu("clashd/Clashd Picture")]
    public sealed class ClashdPicture : MonoBehaviour
    {
        [Tooltip("Empty: the nearest one among this object's parents. Its Resolved Poses has to be ticked")]
        public ClashdReceiver receiver;
        [Tooltip("What carries the blade: /user/hand/right. Empty: the Clashd Blade among this object's parents")]
        public string device = "";

        private Vector3 _rest;
        private Vec3 _aside;
        private ClashdBlade _blade;

        private void OnEnable()
        {
            _rest = transform.localPosition;
            _blade = GetComponentInParent<ClashdBlade>();
            if (receiver == null)
                receiver = _blade != null && _blade.receiver != null ? _blade.receiver : GetComponentInParent<ClashdReceiver>();
            if (receiver == null)
                Debug.LogWarning("Clashd Picture: name a receiver, or put it under one", this);
            else if (!receiver.resolvedPoses)
                Debug.LogWarning("Clashd Picture: tick Resolved Poses of the receiver", this);
            else if (device.Length == 0 && _blade == null)
                Debug.LogWarning("Clashd Picture: name a device, or put it under a Clashd Blade", this);
            else if (GetComponent<ClashdBlade>() != null)
                Debug.LogWarning("Clashd Picture: put it on a child of the Clashd Blade, which has to stay where it is", this);
            else
                receiver.Add(this);
        }

        private void OnDisable()
        {
            if (receiver != null && receiver.Remove(this))
                transform.localPosition = _rest;
            Release();
        }

        /// <summary>Nothing is known any more.</summary>
        internal void Release()
        {
            _aside = new Vec3(0f, 0f, 0f);
        }

        private string Device()
        {
            return device.Length > 0 ? device : _blade.Device;
        }

        /// <summary>Where nobody knows where the device is, nothing is put aside for it.</summary>
        internal void TakeTracking(ClashdEvent tracking)
        {
            if (!tracking.Tracked && tracking.Device == Device())
                Release();
        }

        internal void Take(ClashdEvent poses)
        {
            for (int i = 0; i < poses.PoseCount; i++)
            {
                if (poses.Poses[i].Device != Device())
                    continue;
                Vec3 drawn = poses.Poses[i].Drawn.Position, held = poses.Poses[i].Pose.Position;
                _aside = new Vec3(drawn.X - held.X, drawn.Y - held.Y, drawn.Z - held.Z);
            }
        }

        /// <summary>Once a frame, when the hand is where it will be drawn.</summary>
        internal void Draw(Transform origin)
        {
            transform.localPosition = _rest;
            transform.position += origin.TransformVector(Conversions.ToVector3(_aside));
        }
    }
}
