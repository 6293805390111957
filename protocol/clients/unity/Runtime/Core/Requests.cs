// Requests as lines: the only code here that knows their field names. Their meaning is in PROTOCOL.md.
using System;

namespace Clashd
{
    internal static class Requests
    {
        /// <summary>Of a blade's definition the request's id is this and the blade's name.</summary>
        internal const string BladeId = "blade ";

        internal static byte[] Auth(string token)
        {
            var line = new LineWriter();

            line.Raw("{\"type\":\"auth\",\"token\":").Text(token).Raw("}\n");
            var bytes = new byte[line.Length];
            Buffer.BlockCopy(line.Bytes, 0, bytes, 0, line.Length);
            return bytes;
        }

        /// <summary>`sinceSeq` below 0: from now on.</summary>
        internal static void Subscribe(LineWriter line, ClashdOptions options, long sinceSeq)
        {
            line.Raw("{\"type\":\"subscribe\",\"id\":\"subscribe\",\"axes\":").Text(options.Axes);
            Words(line, "events", options.Events);
            if (options.Blades != null && options.Blades.Length > 0)
                Words(line, "blades", options.Blades);
            line.Raw(",\"min_closing_speed\":").Number(options.MinClosingSpeed);
            if (sinceSeq >= 0)
                line.Raw(",\"since_seq\":").Integer(sinceSeq);
            line.Raw("}\n");
        }

        internal static void Blade(LineWriter line, BladeShape blade, string axes)
        {
            line.Raw("{\"type\":\"blade\",\"id\":").Text(BladeId + blade.Name).Raw(",\"name\":").Text(blade.Name);
            line.Raw(",\"device\":").Text(blade.DeviceName()).Raw(",\"base\":").Vector(blade.Hilt);
            line.Raw(",\"tip\":").Vector(blade.Tip).Raw(",\"radius\":").Number(blade.Radius);
            if (blade.HasEdge)
                line.Raw(",\"edge\":").Vector(blade.Edge);
            line.Raw(",\"axes\":").Text(axes).Raw("}\n");
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
