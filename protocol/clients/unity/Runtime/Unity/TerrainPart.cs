// A TerrainCollider as the core says it: its own points, of a big one the part about a place, since a line to clashd has room
// for so many. Unity moves a terrain, and neither turns nor scales it: in the receiver's space it is turned as that space is.
using System;
using UnityEngine;

namespace Clashd
{
    internal static class TerrainPart
    {
        /// <summary>Points along each side of what is told: TerrainForm.HeightsMax in all.</summary>
        internal const int Side = 60;

        /// <summary>The first point along x and along z, and how many there are along each.</summary>
        internal struct Window
        {
            public int X, Z, Count;
        }

        private static TerrainData DataOf(TerrainCollider collider)
        {
            if (collider.terrainData == null)
                throw new ArgumentException("the terrain collider has no terrain data");
            return collider.terrainData;
        }

        private static int First(float at, float size, int points)
        {
            double middle = (double)at / size * (points - 1);

            return (int)Math.Max(0.0, Math.Min(points - Side, Math.Round(middle - 0.5 * (Side - 1))));
        }

        /// <summary>All of it where that fits, else what lies about a place of the scene. ArgumentException where there is
        /// nothing.</summary>
        internal static Window About(TerrainCollider collider, Vector3 place)
        {
            TerrainData data = DataOf(collider);
            int points = data.heightmapResolution;
            Vector3 from = place - collider.transform.position;

            if (points <= Side)
                return new Window { Count = points };
            return new Window { X = First(from.x, data.size.x, points), Z = First(from.z, data.size.z, points), Count = Side };
        }

        /// <summary>Whether what is told lies so far from what should be that it is to be told anew.</summary>
        internal static bool AreFar(Window a, Window b)
        {
            return a.Count != b.Count || Math.Abs(a.X - b.X) > Side / 4 || Math.Abs(a.Z - b.Z) > Side / 4;
        }

        internal static bool IsAll(TerrainCollider collider, Window window)
        {
            return DataOf(collider).heightmapResolution == window.Count;
        }

        internal static bool HasHoles(TerrainCollider collider, Window window)
        {
            foreach (bool isGround in DataOf(collider).GetHoles(window.X, window.Z, window.Count - 1, window.Count - 1))
                if (!isGround)
                    return true;
            return false;
        }

        /// <summary>In the space of `origin`.</summary>
        internal static TargetShape Shape(TerrainCollider collider, Window window, Transform origin)
        {
            TerrainData data = DataOf(collider);
            float[,] heights = data.GetHeights(window.X, window.Z, window.Count, window.Count); // by z, then by x
            float spacingX = data.size.x / (data.heightmapResolution - 1), spacingZ = data.size.z / (data.heightmapResolution - 1);
            float scale = 1f / origin.lossyScale.x;
            var corner = new Vector3(window.X * spacingX, 0f, window.Z * spacingZ);
            var form = new TerrainForm
            {
                Columns = window.Count, Rows = window.Count, SpacingX = spacingX * scale, SpacingZ = spacingZ * scale,
                Heights = new float[window.Count * window.Count]
            };

            for (int i = 0; i < form.Heights.Length; i++)
                form.Heights[i] = heights[i / window.Count, i % window.Count] * data.size.y * scale;
            return new TargetShape
            {
                Position = Conversions.ToVec3(origin.InverseTransformPoint(collider.transform.position + corner)),
                Orientation = Conversions.ToQuat(Quaternion.Inverse(origin.rotation)),
                Terrain = form
            };
        }
    }
}
