// A blade of this program's own: an enemy's sword, a wall. A capsule from Hilt to Tip, or several parts, in its device's frame,
// in the axes of ClashdOptions.Axes, metres.
using System;

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

    /// <summary>A guard, a curved blade: capsules of one radius in a row.</summary>
    public sealed class BladePart
    {
        /// <summary>What events call it; no other part of the blade has that name.</summary>
        public string Name;
        /// <summary>Corners of its axis, two or more: there is a capsule between every two that follow each other.</summary>
        public Vec3[] Points;
        public float Radius;
        public bool HasEdge;
        /// <summary>Direction of the cutting edge, of any length.</summary>
        public Vec3 Edge;

        internal BladePart Copy()
        {
            if (Name == null || Points == null)
                throw new ArgumentException("a blade's part has no name or no points");
            var copy = (BladePart)MemberwiseClone();
            copy.Points = (Vec3[])Points.Clone();
            return copy;
        }
    }

    public sealed class BladeShape
    {
        /// <summary>What events call it; nobody else's.</summary>
        public string Name;
        /// <summary>What it is fixed to, whose poses are pushed; several blades may share one. null: as Name.</summary>
        public string Device;
        /// <summary>No blade but a player's body: it strikes targets, and no blade strikes it.</summary>
        public bool IsBody;
        /// <summary>False: the blade keeps its name but touches nothing, like a sheathed sword.</summary>
        public bool Enabled = true;
        /// <summary>Bits of the layers that it is in, and of those that it can touch: two blades, or a blade and a target,
        /// are tested only if each is in a layer of the other's mask.</summary>
        public uint Layers = 1, Mask = uint.MaxValue;
        public Vec3 Hilt, Tip;
        public float Radius;
        public bool HasEdge;
        /// <summary>Direction of the cutting edge, of any length.</summary>
        public Vec3 Edge;
        /// <summary>Instead of Hilt, Tip, Radius and Edge, which then mean nothing; at most 16 capsules in all. null or empty:
        /// none.</summary>
        public BladePart[] Parts;

        internal string DeviceName()
        {
            return string.IsNullOrEmpty(Device) ? Name : Device;
        }

        internal BladeShape Copy()
        {
            var copy = (BladeShape)MemberwiseClone();

            if (Parts != null)
                copy.Parts = Array.ConvertAll(Parts, part => part.Copy());
            return copy;
        }
    }
}
