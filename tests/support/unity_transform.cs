// UnityEngine.Transform as far as the package uses it: local position, rotation and scale under a parent. Scales are positive
// here: how Unity turns what a negative one mirrors is not needed.
using System.Collections.Generic;

namespace UnityEngine
{
    public sealed class Transform : Component
    {
        private Transform _parent;

        internal readonly List<Transform> Children = new List<Transform>();

        /// <summary>What it is in the scene stays.</summary>
        public Transform parent
        {
            get { return (Alive() as Transform)._parent; }
            set { SetParent(value, true); }
        }

        public Transform root { get { return parent == null ? this : parent.root; } }

        public void SetParent(Transform above, bool worldPositionStays)
        {
            Vector3 place = position, scale = lossyScale;
            Quaternion turn = rotation;

            LeaveParent();
            _parent = above;
            if (above != null)
                above.Children.Add(this);
            if (worldPositionStays)
            {
                Vector3 outer = above == null ? new Vector3(1f, 1f, 1f) : above.lossyScale;

                position = place;
                rotation = turn;
                localScale = new Vector3(scale.x / outer.x, scale.y / outer.y, scale.z / outer.z);
            }
            TellParentChanged();
        }

        internal void LeaveParent()
        {
            if (_parent != null)
                _parent.Children.Remove(this);
        }

        /// <summary>Those below are told, too.</summary>
        private void TellParentChanged()
        {
            if (gameObject.activeInHierarchy)
                gameObject.Send("OnTransformParentChanged");
            foreach (Transform child in Children.ToArray())
                child.TellParentChanged();
        }

        public Vector3 localPosition, localScale = new Vector3(1f, 1f, 1f);
        public Quaternion localRotation = new Quaternion(0f, 0f, 0f, 1f);

        public Vector3 position
        {
            get { return parent == null ? localPosition : parent.TransformPoint(localPosition); }
            set { localPosition = parent == null ? value : parent.InverseTransformPoint(value); }
        }

        public Quaternion rotation
        {
            get { return parent == null ? localRotation : parent.rotation * localRotation; }
            set { localRotation = parent == null ? value : Quaternion.Inverse(parent.rotation) * value; }
        }

        private static float Dot(Vector3 a, Vector3 b)
        {
            return a.x * b.x + a.y * b.y + a.z * b.z;
        }

        private float LossyAlong(Vector3 axis)
        {
            return Dot(rotation * axis, TransformVector(axis));
        }

        public Vector3 lossyScale
        {
            get
            {
                return new Vector3(LossyAlong(new Vector3(1f, 0f, 0f)), LossyAlong(new Vector3(0f, 1f, 0f)),
                                   LossyAlong(new Vector3(0f, 0f, 1f)));
            }
        }

        public Vector3 TransformVector(Vector3 v)
        {
            Vector3 turned = localRotation * new Vector3(v.x * localScale.x, v.y * localScale.y, v.z * localScale.z);

            return parent == null ? turned : parent.TransformVector(turned);
        }

        public Vector3 TransformPoint(Vector3 point)
        {
            Vector3 turned = localRotation * new Vector3(point.x * localScale.x, point.y * localScale.y, point.z * localScale.z);

            return parent == null ? localPosition + turned : parent.TransformPoint(localPosition + turned);
        }

        public Vector3 InverseTransformVector(Vector3 v)
        {
            Vector3 above = parent == null ? v : parent.InverseTransformVector(v), turned = Quaternion.Inverse(localRotation) * above;

            return new Vector3(turned.x / localScale.x, turned.y / localScale.y, turned.z / localScale.z);
        }

        public Vector3 TransformDirection(Vector3 direction) { return rotation * direction; }

        public Vector3 InverseTransformPoint(Vector3 point)
        {
            Vector3 above = parent == null ? point : parent.InverseTransformPoint(point);
            Vector3 turned = Quaternion.Inverse(localRotation) * (above - localPosition);

            return new Vector3(turned.x / localScale.x, turned.y / localScale.y, turned.z / localScale.z);
        }
    }
}
