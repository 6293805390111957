// Between Unity's numbers and the core's, and from the scene into the receiver's space, which is the session's.
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    internal static class Conversions
    {
        internal static Vec3 ToVec3(Vector3 v)
        {
            return new Vec3(v.x, v.y, v.z);
        }

        internal static Quat ToQuat(Quaternion q)
        {
            return new Quat(q.x, q.y, q.z, q.w);
        }

        internal static Vector3 ToVector3(Vec3 v)
        {
            return new Vector3(v.X, v.Y, v.Z);
        }

        /// <summary>Where `t` is in the space of `origin`, in metres of it.</summary>
        internal static Vector3 PositionIn(Transform origin, Transform t)
        {
            return origin.InverseTransformPoint(t.position);
        }

        internal static Quaternion RotationIn(Transform origin, Transform t)
        {
            return Quaternion.Inverse(origin.rotation) * t.rotation;
        }

        /// <summary>A vector of the scene as seen from `device`, in metres of the space of `origin`.</summary>
        internal static Vector3 VectorOn(Transform device, Transform origin, Vector3 vector)
        {
            return Quaternion.Inverse(RotationIn(origin, device)) * origin.InverseTransformVector(vector);
        }

        /// <summary>All transforms from below `origin` down to `t`. Where `t` is not below it: from outside into it, which is
        /// scaled evenly if at all, and then all from the root.</summary>
        internal static List<LocalTransform> ChainIn(Transform origin, Transform t)
        {
            var chain = new List<LocalTransform>();
            Transform at = t;

            for (; at != null && at != origin; at = at.parent)
                chain.Add(new LocalTransform(ToVec3(at.localPosition), ToQuat(at.localRotation), ToVec3(at.localScale)));
            if (at == null)
            {
                float scale = 1f / origin.lossyScale.x;

                chain.Add(new LocalTransform(ToVec3(origin.InverseTransformPoint(new Vector3(0f, 0f, 0f))),
                                             ToQuat(Quaternion.Inverse(origin.rotation)), new Vec3(scale, scale, scale)));
            }
            chain.Reverse();
            return chain;
        }

        /// <summary>From the space of `origin` into the frame of a device that is where `t` is: what stands before a chain of
        /// what that device carries.</summary>
        internal static LocalTransform IntoDevice(Transform origin, Transform t)
        {
            Quaternion back = Quaternion.Inverse(RotationIn(origin, t));

            return new LocalTransform(ToVec3(back * PositionIn(origin, t) * -1f), ToQuat(back), new Vec3(1f, 1f, 1f));
        }
    }
}
