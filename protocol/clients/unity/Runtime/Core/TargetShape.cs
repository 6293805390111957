// What blades strike that is no blade, as this program defines it: a shield, a pillar, the ground. One form, still or carried by
// a device, in the axes of ClashdOptions.Axes, metres. A UnityCollider is always in Unity's.
using System;

namespace Clashd
{
    public sealed class BallForm
    {
        public Vec3 Center;
        public float Radius;
    }

    public sealed class CapsuleForm
    {
        /// <summary>Ends of its axis.</summary>
        public Vec3 Base, Tip;
        public float Radius;
    }

    public sealed class BoxForm
    {
        public Vec3 Center;
        public Quat Orientation = new Quat(0f, 0f, 0f, 1f);
        /// <summary>From face to face.</summary>
        public Vec3 Size;
    }

    /// <summary>A surface without an inside; or the convex hull of its vertices, which is one too.</summary>
    public sealed class MeshForm
    {
        /// <summary>What clashd takes over a socket.</summary>
        public const int VerticesMax = 512, TrianglesMax = 1024;

        public Vec3[] Vertices;
        /// <summary>Three vertices each, one triangle after another; clockwise as seen from outside in Unity's axes, else
        /// counter-clockwise.</summary>
        public int[] Triangles;
        /// <summary>The hull, without Unity's limit of 255 triangles; Triangles then are not needed.</summary>
        public bool Convex;
    }

    /// <summary>Heights over x and z; it stands still.</summary>
    public sealed class TerrainForm
    {
        public const int HeightsMax = 3600;

        /// <summary>Points along x and along z.</summary>
        public int Columns, Rows;
        public float SpacingX, SpacingZ;
        /// <summary>Row by row.</summary>
        public float[] Heights;
    }

    public enum UnityColliderType
    {
        Sphere,
        Box,
        Capsule,
        Mesh
    }

    /// <summary>What a sphere's radius is scaled by where a skew makes the two differ: the largest number of lossyScale, as
    /// Unity's editor draws it, or the longest column of localToWorldMatrix, as was measured of Unity 2020.3.</summary>
    public enum UnitySphereRule
    {
        LossyScale,
        Column
    }

    /// <summary>As localPosition, localRotation and localScale of a Transform.</summary>
    public struct LocalTransform
    {
        public Vec3 Position;
        public Quat Rotation;
        public Vec3 Scale;

        public LocalTransform(Vec3 position, Quat rotation, Vec3 scale)
        {
            Position = position;
            Rotation = rotation;
            Scale = scale;
        }
    }

    /// <summary>A collider with the numbers that the inspector shows; clashd applies Unity's rules of scale and skew. Of negative
    /// sizes the absolute values count.</summary>
    public sealed class UnityCollider
    {
        public const int TransformsMax = 64;

        public UnityColliderType Type;
        public Vec3 Center;
        /// <summary>Sphere, capsule.</summary>
        public float Radius;
        /// <summary>Sphere.</summary>
        public UnitySphereRule SphereRule;
        /// <summary>Capsule: its caps included.</summary>
        public float Height;
        /// <summary>Capsule: 0 along x, 1 along y, 2 along z.</summary>
        public int Direction = 1;
        /// <summary>Box.</summary>
        public Vec3 Size;
        /// <summary>Mesh.</summary>
        public MeshForm Mesh;
        /// <summary>Those above the collider, the root first, its own last; where a device carries it those below the
        /// device.</summary>
        public LocalTransform[] Transforms = { };
    }

    public sealed class TargetShape
    {
        /// <summary>What events call it; nobody else's, and no blade's.</summary>
        public string Name;
        /// <summary>What carries it, whose poses are pushed; a blade of this program's may be on it too. null: it stands
        /// still.</summary>
        public string Device;
        /// <summary>Of its frame in the stage, or in its device's; with a Collider its Transforms say it instead.</summary>
        public Vec3 Position;
        public Quat Orientation = new Quat(0f, 0f, 0f, 1f);

        /// <summary>Bits of the layers that it is in, and of those that can touch it, as of a blade.</summary>
        public uint Layers = 1, Mask = uint.MaxValue;

        // One of these.
        public BallForm Ball;
        public CapsuleForm Capsule;
        public BoxForm Box;
        public MeshForm Mesh;
        public TerrainForm Terrain;
        public UnityCollider Collider;

        internal string DeviceName()
        {
            return string.IsNullOrEmpty(Device) ? null : Device;
        }

        private static void Expect(bool holds, string what)
        {
            if (!holds)
                throw new ArgumentException(what);
        }

        private static void Check(MeshForm mesh)
        {
            int corners = mesh.Triangles == null ? 0 : mesh.Triangles.Length;

            Expect(mesh.Vertices != null && (corners > 0 || mesh.Convex) && corners % 3 == 0,
                   "a mesh has vertices, and three of them for each triangle");
            int vertices = mesh.Vertices.Length, triangles = corners / 3;
            Expect(vertices <= MeshForm.VerticesMax && triangles <= MeshForm.TrianglesMax,
                   "a mesh of " + vertices + " vertices and " + triangles + " triangles is too big: at most " +
                   MeshForm.VerticesMax + " and " + MeshForm.TrianglesMax);
            foreach (int vertex in mesh.Triangles ?? new int[0])
                Expect(vertex >= 0 && vertex < vertices, "a mesh's triangle has vertex " + vertex + " of " + vertices);
        }

        private static void Check(TerrainForm terrain)
        {
            long points = (long)terrain.Columns * terrain.Rows;

            Expect(terrain.Heights != null && terrain.Columns > 1 && terrain.Rows > 1 && terrain.Heights.Length == points,
                   "a terrain has two columns and rows or more, and a height for each point");
            Expect(points <= TerrainForm.HeightsMax,
                   "a terrain of " + points + " heights is too big: at most " + TerrainForm.HeightsMax);
        }

        /// <summary>What would not fit into a line, or could not be written at all, is said here; the rest by clashd.</summary>
        internal void Check()
        {
            var forms = new object[] { Ball, Capsule, Box, Mesh, Terrain, Collider };
            MeshForm mesh = Collider != null && Collider.Type == UnityColliderType.Mesh ? Collider.Mesh : Mesh;

            Expect(!string.IsNullOrEmpty(Name), "a target needs a name");
            Expect(Array.FindAll(forms, form => form != null).Length == 1, "a target has one form");
            Expect(Collider == null || Collider.Type != UnityColliderType.Mesh || mesh != null, "a mesh collider has a mesh");
            if (mesh != null)
                Check(mesh);
            if (Terrain != null)
                Check(Terrain);
            Expect(Collider == null || (Collider.Transforms != null && Collider.Transforms.Length <= UnityCollider.TransformsMax),
                   "a collider has at most " + UnityCollider.TransformsMax + " transforms above it");
        }
    }
}
