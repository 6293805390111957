// What clashd's lines are made of, out of a JsonReader: vectors, pairs of them, poses. Makes no objects.
using System;

namespace Clashd
{
    internal static class JsonValues
    {
        private static void Next(this JsonReader json, bool first)
        {
            if (!json.NextElement(first))
                throw new FormatException("expected another element");
        }

        internal static Vec3 Vector(this JsonReader json)
        {
            Vec3 v;

            json.BeginArray();
            json.Next(true);
            v.X = json.Float();
            json.Next(false);
            v.Y = json.Float();
            json.Next(false);
            v.Z = json.Float();
            json.EndArray();
            return v;
        }

        private static Quat Quaternion(this JsonReader json)
        {
            Quat q;

            json.BeginArray();
            json.Next(true);
            q.X = json.Float();
            json.Next(false);
            q.Y = json.Float();
            json.Next(false);
            q.Z = json.Float();
            json.Next(false);
            q.W = json.Float();
            json.EndArray();
            return q;
        }

        internal static void TwoVectors(this JsonReader json, out Vec3 a, out Vec3 b)
        {
            json.BeginArray();
            json.Next(true);
            a = json.Vector();
            json.Next(false);
            b = json.Vector();
            json.EndArray();
        }

        private static float FloatOrNull(this JsonReader json)
        {
            if (!json.IsNext('n'))
                return json.Float();
            json.Null();
            return float.NaN;
        }

        internal static void TwoFloats(this JsonReader json, out float a, out float b)
        {
            json.BeginArray();
            json.Next(true);
            a = json.FloatOrNull();
            json.Next(false);
            b = json.FloatOrNull();
            json.EndArray();
        }

        private static ClashdPose? PoseOrNull(this JsonReader json)
        {
            var pose = new ClashdPose();
            bool hasPosition = false, hasOrientation = false;

            if (json.IsNext('n'))
            {
                json.Null();
                return null;
            }
            json.BeginObject();
            for (bool first = true; json.NextMember(first); first = false)
            {
                if (json.KeyIs("position"))
                {
                    pose.Position = json.Vector();
                    hasPosition = true;
                }
                else if (json.KeyIs("orientation"))
                {
                    pose.Orientation = json.Quaternion();
                    hasOrientation = true;
                }
                else
                {
                    json.Skip();
                }
            }
            if (!hasPosition || !hasOrientation)
                throw new FormatException("a pose lacks its position or orientation");
            return pose;
        }

        internal static void TwoPoses(this JsonReader json, out ClashdPose? a, out ClashdPose? b)
        {
            json.BeginArray();
            json.Next(true);
            a = json.PoseOrNull();
            json.Next(false);
            b = json.PoseOrNull();
            json.EndArray();
        }

        /// <summary>One device of a `poses` line.</summary>
        internal static DevicePose DevicePose(this JsonReader json)
        {
            var pose = new DevicePose { IsValid = true };
            int seen = 0;

            json.BeginObject();
            for (bool first = true; json.NextMember(first); first = false)
            {
                if (json.KeyIs("device"))
                {
                    pose.Device = json.Name();
                    seen |= 1;
                }
                else if (json.KeyIs("position"))
                {
                    pose.Pose.Position = json.Vector();
                    seen |= 2;
                }
                else if (json.KeyIs("orientation"))
                {
                    pose.Pose.Orientation = json.Quaternion();
                    seen |= 4;
                }
                else if (json.KeyIs("resolved_pose"))
                {
                    pose.ResolvedPose = json.PoseOrNull();
                    pose.Sinks = true;
                }
                else if (json.KeyIs("tracked"))
                {
                    pose.Tracked = json.Bool();
                }
                else if (json.KeyIs("valid"))
                {
                    pose.IsValid = json.Bool();
                }
                else
                {
                    json.Skip();
                }
            }
            if (seen != 7)
                throw new FormatException("a device's pose lacks its device, position or orientation");
            return pose;
        }
    }
}
