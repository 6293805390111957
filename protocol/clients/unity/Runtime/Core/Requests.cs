// Requests as lines: the only code here that knows their field names. Their meaning is in PROTOCOL.md.
using System;

namespace Clashd
{
    internal static class Requests
    {
        /// <summary>Of a blade's definition the request's id is this and the blade's name.</summary>
        internal const string BladeId = "blade ";
        internal const string FeedId = "feed", ClockId = "clock";

        internal static byte[] Auth(string token)
        {
            var line = new LineWriter();

            line.Raw("{\"type\":\"auth\",\"token\":").Text(token).Raw("}\n");
            var bytes = new byte[line.Length];
            Buffer.BlockCopy(line.Bytes, 0, bytes, 0, line.Length);
            return bytes;
        }

        /// <summary>`sinceSeq` below 0: from now on. `sinceLate`: the contact of the last event, if that was a late clash; else
        /// 0.</summary>
        internal static void Subscribe(LineWriter line, ClashdOptions options, long sinceSeq, long sinceLate)
        {
            line.Raw("{\"type\":\"subscribe\",\"id\":\"subscribe\",\"axes\":").Text(options.Axes);
            Words(line, "events", options.Events);
            if (options.Blades != null && options.Blades.Length > 0)
                Words(line, "blades", options.Blades);
            line.Raw(",\"min_closing_speed\":").Number(options.MinClosingSpeed);
            if (options.PoseRateHz != 0f)
                line.Raw(",\"pose_rate_hz\":").Number(options.PoseRateHz);
            if (options.ResolvedPoses)
                line.Raw(",\"resolved_poses\":true");
            if (options.MinPeakSpeed != 0f)
                line.Raw(",\"min_peak_speed\":").Number(options.MinPeakSpeed);
            if (options.MinApartMs != 0f)
                line.Raw(",\"min_apart_ms\":").Number(options.MinApartMs);
            if (sinceSeq >= 0)
                line.Raw(",\"since_seq\":").Integer(sinceSeq);
            if (sinceSeq >= 0 && sinceLate != 0)
                line.Raw(",\"since_late\":").Integer(sinceLate);
            line.Raw("}\n");
        }

        internal static void Blade(LineWriter line, BladeShape blade, string axes)
        {
            line.Raw("{\"type\":\"blade\",\"id\":").Text(BladeId + blade.Name).Raw(",\"name\":").Text(blade.Name);
            line.Raw(",\"device\":").Text(blade.DeviceName());
            if (blade.IsBody)
                line.Raw(",\"body\":true");
            if (!blade.Enabled)
                line.Raw(",\"enabled\":false");
            if (blade.Layers != 1)
                line.Raw(",\"layers\":").Integer(blade.Layers);
            if (blade.Mask != uint.MaxValue)
                line.Raw(",\"mask\":").Integer(blade.Mask);
            if (blade.Parts != null && blade.Parts.Length > 0)
                Parts(line, blade.Parts);
            else
                Steel(line.Raw(",\"base\":").Vector(blade.Hilt).Raw(",\"tip\":").Vector(blade.Tip), blade.Radius, blade.HasEdge,
                      blade.Edge);
            line.Raw(",\"axes\":").Text(axes).Raw("}\n");
        }

        private static void Steel(LineWriter line, float radius, bool hasEdge, Vec3 edge)
        {
            line.Raw(",\"radius\":").Number(radius);
            if (hasEdge)
                line.Raw(",\"edge\":").Vector(edge);
        }

        private static void Parts(LineWriter line, BladePart[] parts)
        {
            line.Raw(",\"parts\":[");
            for (int i = 0; i < parts.Length; i++)
            {
                line.Raw(i > 0 ? ",{\"name\":" : "{\"name\":").Text(parts[i].Name).Raw(",\"points\":[");
                for (int k = 0; k < parts[i].Points.Length; k++)
                    line.Raw(k > 0 ? "," : "").Vector(parts[i].Points[k]);
                Steel(line.Raw("]"), parts[i].Radius, parts[i].HasEdge, parts[i].Edge);
                line.Raw("}");
            }
            line.Raw("]");
        }

        internal static void Feed(LineWriter line, string[] devices)
        {
            line.Raw("{\"type\":\"feed\",\"id\":").Text(FeedId);
            Words(line, "devices", devices);
            line.Raw("}\n");
        }

        /// <summary>Whose answer has the session's time.</summary>
        internal static void Clock(LineWriter line)
        {
            line.Raw("{\"type\":\"ping\",\"id\":").Text(ClockId).Raw("}\n");
        }

        internal static void Remove(LineWriter line, string name)
        {
            line.Raw("{\"type\":\"remove\",\"name\":").Text(name).Raw("}\n");
        }

        private static void Words(LineWriter line, string key, string[] words)
        {
            line.Raw(",\"").Raw(key).Raw("\":[");
            for (int i = 0; i < words.Length; i++)
                line.Raw(i > 0 ? "," : "").Text(words[i]);
            line.Raw("]");
        }
    }
}
