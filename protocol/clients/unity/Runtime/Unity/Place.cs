// Where something is and how big, to see whether it has changed.
using UnityEngine;

namespace Clashd
{
    internal struct Place
    {
        // A millimetre, half a milliradian, a thousandth.
        private const float NearSquare = 1e-6f, TurnSquare = 6.25e-8f;

        public Vector3 Position, Scale;
        public Quaternion Rotation;

        /// <summary>In the space of `origin`.</summary>
        internal static Place In(Transform origin, Transform t)
        {
            return new Place
            {
                Position = Conversions.PositionIn(origin, t),
                Rotation = Conversions.RotationIn(origin, t),
                Scale = t.lossyScale * (1f / origin.lossyScale.x)
            };
        }

        /// <summary>As seen from `device`, in metres of the space of `origin`.</summary>
        internal static Place On(Transform device, Transform origin, Transform t)
        {
            return new Place
            {
                Position = Conversions.VectorOn(device, origin, t.position - device.position),
                Rotation = Quaternion.Inverse(device.rotation) * t.rotation,
                Scale = t.lossyScale * (1f / origin.lossyScale.x)
            };
        }

        private static float Square(Vector3 v)
        {
            return v.x * v.x + v.y * v.y + v.z * v.z;
        }

        internal static bool AreNear(Place a, Place b)
        {
            Quaternion turn = Quaternion.Inverse(a.Rotation) * b.Rotation;

            return Square(a.Scale - b.Scale) < NearSquare && Square(a.Position - b.Position) < NearSquare &&
                turn.x * turn.x + turn.y * turn.y + turn.z * turn.z < TurnSquare;
        }

        private static bool IsSame(Vector3 a, Vector3 b)
        {
            return a.x == b.x && a.y == b.y && a.z == b.z;
        }

        internal static bool AreSame(Place a, Place b)
        {
            return IsSame(a.Position, b.Position) && IsSame(a.Scale, b.Scale) && a.Rotation.x == b.Rotation.x &&
                a.Rotation.y == b.Rotation.y && a.Rotation.z == b.Rotation.z && a.Rotation.w == b.Rotation.w;
        }
    }
}
