// A blade of this program's own: an enemy's sword, a wall. A capsule from Hilt to Tip in its device's frame, in the axes of
// ClashdOptions.Axes, metres.
namespace Clashd
{
    public struct Quat
    {
        public float X, Y, Z, W;

        public Quat(float x, float y, float z, float w)
        {
            X = x;
            Y = y;
            Z = z;
            W = w;
        }
    }

    public sealed class BladeShape
    {
        /// <summary>What events call it; nobody else's.</summary>
        public string Name;
        /// <summary>What it is fixed to, whose poses are pushed; several blades may share one. null: as Name.</summary>
        public string Device;
        public Vec3 Hilt, Tip;
        public float Radius;
        public bool HasEdge;
        /// <summary>Direction of the cutting edge, of any length.</summary>
        public Vec3 Edge;

        internal string DeviceName()
        {
            return string.IsNullOrEmpty(Device) ? Name : Device;
        }

        internal BladeShape Copy()
        {
            return (BladeShape)MemberwiseClone();
        }
    }
}
