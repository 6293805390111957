// Writes JSON into bytes that are used again, and makes no objects: poses are pushed once a frame.
using System;
using System.Text;

namespace Clashd
{
    internal sealed class LineWriter
    {
        private const int Digits = 9; // bring every float back

        private byte[] _digits = new byte[24];

        public byte[] Bytes = new byte[1024];
        public int Length;

        private void MakeRoom(int count)
        {
            if (Length + count > Bytes.Length)
                Array.Resize(ref Bytes, Math.Max(Bytes.Length * 2, Length + count));
        }

        /// <summary>ASCII, as it stands.</summary>
        public LineWriter Raw(string text)
        {
            MakeRoom(text.Length);
            foreach (char c in text)
                Bytes[Length++] = (byte)c;
            return this;
        }

        public void Append(byte[] bytes, int count)
        {
            MakeRoom(count);
            Buffer.BlockCopy(bytes, 0, Bytes, Length, count);
            Length += count;
        }

        private static bool IsPlain(char c)
        {
            return c >= 32 && c != '"' && c != '\\';
        }

        public LineWriter Text(string text)
        {
            Raw("\"");
            for (int at = 0; at < text.Length;)
            {
                int end = at;

                while (end < text.Length && IsPlain(text[end]))
                    end++;
                MakeRoom((end - at) * 3 + 6);
                Length += Encoding.UTF8.GetBytes(text, at, end - at, Bytes, Length);
                if (end < text.Length)
                    Escape(text[end++]);
                at = end;
            }
            return Raw("\"");
        }

        private void Escape(char c)
        {
            const string hexadecimal = "0123456789abcdef";

            if (c >= 32)
            {
                Raw("\\");
                Bytes[Length++] = (byte)c;
                return;
            }
            Raw("\\u00");
            Bytes[Length++] = (byte)hexadecimal[c >> 4];
            Bytes[Length++] = (byte)hexadecimal[c & 15];
        }

        public LineWriter Integer(long value)
        {
            int count = 0;
            ulong rest = value < 0 ? (ulong)-(value + 1) + 1 : (ulong)value;

            do
            {
                _digits[count++] = (byte)('0' + rest % 10);
                rest /= 10;
            } while (rest > 0);
            MakeRoom(count + 1);
            if (value < 0)
                Bytes[Length++] = (byte)'-';
            while (count > 0)
                Bytes[Length++] = _digits[--count];
            return this;
        }

        /// <summary>Nine digits and an exponent, which is as good as what is shorter: 1.5 is 15e-1. What is not finite is
        /// null, which clashd refuses.</summary>
        public LineWriter Number(float number)
        {
            if (float.IsNaN(number) || float.IsInfinity(number))
                return Raw("null");
            if (number == 0f)
                return Raw("0");
            double size = Math.Abs((double)number);
            int exponent = (int)Math.Floor(Math.Log10(size)) - (Digits - 1);
            long value = (long)Math.Round(exponent < 0 ? size * Math.Pow(10, -exponent) : size / Math.Pow(10, exponent));
            for (; value % 10 == 0; exponent++)
                value /= 10;
            Integer(number < 0f ? -value : value);
            return exponent == 0 ? this : Raw("e").Integer(exponent);
        }

        public LineWriter Vector(Vec3 v)
        {
            return Raw("[").Number(v.X).Raw(",").Number(v.Y).Raw(",").Number(v.Z).Raw("]");
        }

        public LineWriter Quaternion(Quat q)
        {
            return Raw("[").Number(q.X).Raw(",").Number(q.Y).Raw(",").Number(q.Z).Raw(",").Number(q.W).Raw("]");
        }
    }
}
