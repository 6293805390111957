// A blade's steel in the scene view, as clashd counts it: its axis from the hilt, a full ball, to the tip, as thick as it is, and an
// arrow where its edge faces.
using System;
using UnityEngine;

namespace Clashd
{
    internal static class BladeGizmo
    {
        private static readonly Color Steel = new Color(0.4f, 0.8f, 1f), Cutting = new Color(1f, 0.6f, 0.2f);

        internal static void Draw(ClashdBlade blade)
        {
            Transform t = blade.transform;

            if (blade.parts.Length == 0)
                Draw(t, new[] { blade.hilt, blade.tip }, blade.radius, blade.hasEdge, blade.edge);
            foreach (ClashdPart part in blade.parts)
                Draw(t, part.points, part.radius, part.hasEdge, part.edge);
        }

        private static void Draw(Transform t, Vector3[] points, float radius, bool hasEdge, Vector3 edge)
        {
            float scaled = radius * Math.Abs(t.lossyScale.x);

            Gizmos.color = Steel;
            for (int i = 0; i < points.Length; i++)
            {
                Vector3 at = t.TransformPoint(points[i]);

                Gizmos.DrawWireSphere(at, scaled);
                if (i == 0)
                    Gizmos.DrawSphere(at, scaled);
                else
                    Tube(t.TransformPoint(points[i - 1]), at, t, scaled);
            }
            if (!hasEdge || points.Length == 0)
                return;
            Vector3 middle = t.TransformPoint((points[0] + points[points.Length - 1]) * 0.5f);
            Gizmos.color = Cutting;
            Gizmos.DrawLine(middle, middle + t.TransformDirection(edge) * 0.1f);
        }

        /// <summary>Its axis and four lines about it.</summary>
        private static void Tube(Vector3 from, Vector3 to, Transform t, float radius)
        {
            Gizmos.DrawLine(from, to);
            foreach (Vector3 side in new[] { new Vector3(1f, 0f, 0f), new Vector3(-1f, 0f, 0f), new Vector3(0f, 1f, 0f), new Vector3(0f, -1f, 0f) })
            {
                Vector3 aside = t.TransformDirection(side) * radius;

                Gizmos.DrawLine(from + aside, to + aside);
            }
        }
    }
}
