// What is seen of a blade, drawn where it does not sink into what it strikes: put it on the child object that has the sword's
// mesh. It is put aside by as much as clashd says, and back when nothing is in the way.
using UnityEngine;

namespace Clashd
{
    [AddComponentMenu("clashd/Clashd Picture")]
    [HelpURL("https://clashd.invalid/protocol/clients/unity/README.md")]
    public sealed class ClashdPicture : MonoBehaviour
    {
        [Header("Which blade it shows")]
        [Tooltip("Empty: the nearest one among this object's parents. Its Resolved Poses has to be ticked")]
        public ClashdReceiver receiver;
        [Tooltip("What carries the blade: /user/hand/right. Empty: the Clashd Blade among this object's parents")]
        public string device = "";

        private Vector3 _rest;
        private Vec3 _aside;
        private ClashdBlade _blade;
        private ClashdReceiver _joined;
        private int _alone; // frames without a receiver

        /// <summary>Of two frames the first may come before its blade has joined.</summary>
        private const int AloneMax = 2;

        private void OnEnable()
        {
            _alone = 0;
        }

        private void OnDisable()
        {
            Leave();
        }

        /// <summary>Not in OnEnable: AddComponent and Instantiate run that before the caller can set a field.</summary>
        private void LateUpdate()
        {
            ClashdReceiver wanted = Wanted();

            if (ReferenceEquals(wanted, _joined))
                return;
            Leave();
            _joined = wanted;
            _rest = transform.localPosition;
            if (wanted != null)
                wanted.Add(this);
        }

        /// <summary>null if it cannot be drawn aside, which the console says once.</summary>
        private ClashdReceiver Wanted()
        {
            _blade = GetComponentInParent<ClashdBlade>();
            ClashdReceiver wanted = receiver != null ? receiver : _blade != null && _blade.Joined != null ? _blade.Joined :
                GetComponentInParent<ClashdReceiver>();
            string lack = wanted == null ? "it needs a receiver: set one, or put it under one" :
                !wanted.resolvedPoses ? "tick Resolved Poses of the receiver" :
                device.Length == 0 && _blade == null ? "set its device, or put it under a ClashdBlade" :
                _blade != null && _blade.gameObject == gameObject ? "put it on a child of the ClashdBlade, which has to stay where it is" : null;

            if (lack == null)
                return wanted;
            if (++_alone == AloneMax)
                Debug.LogWarning("ClashdPicture: " + lack, this);
            return null;
        }

        private void Leave()
        {
            if (!ReferenceEquals(_joined, null))
                transform.localPosition = _rest;
            if (_joined != null)
                _joined.Remove(this);
            _joined = null;
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
