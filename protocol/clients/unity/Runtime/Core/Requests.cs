// Requests as lines. Made when a connection begins, so they may allocate.
using System.Globalization;
using System.Text;

namespace Clashd
{
    internal static class Requests
    {
        internal static string Auth(string token)
        {
            var line = new StringBuilder("{\"type\":\"auth\",\"token\":");
            Quote(line, token);
            return line.Append("}\n").ToString();
        }

        /// <summary>`sinceSeq` below 0: from now on.</summary>
        internal static string Subscribe(ClashdOptions options, long sinceSeq)
        {
            var line = new StringBuilder("{\"type\":\"subscribe\",\"id\":\"subscribe\",\"axes\":");

            Quote(line, options.Axes);
            Words(line, "events", options.Events);
            if (options.Blades != null && options.Blades.Length > 0)
                Words(line, "blades", options.Blades);
            line.Append(",\"min_closing_speed\":");
            line.Append(options.MinClosingSpeed.ToString("R", CultureInfo.InvariantCulture));
            if (sinceSeq >= 0)
                line.Append(",\"since_seq\":").Append(sinceSeq.ToString(CultureInfo.InvariantCulture));
            return line.Append("}\n").ToString();
        }

        private static void Words(StringBuilder line, string key, string[] words)
        {
            line.Append(",\"").Append(key).Append("\":[");
            for (int i = 0; i < words.Length; i++)
            {
                if (i > 0)
                    line.Append(',');
                Quote(line, words[i]);
            }
            line.Append(']');
        }

        private static void Quote(StringBuilder line, string text)
        {
            line.Append('"');
            foreach (char c in text)
            {
                if (c == '"' || c == '\\')
                    line.Append('\\').Append(c);
                else if (c < 32)
                    line.Append("\\u").Append(((int)c).ToString("x4"));
                else
                    line.Append(c);
            }
            line.Append('"');
        }
    }
}
