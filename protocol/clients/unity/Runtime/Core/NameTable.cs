// Strings that come again and again (names of blades, reasons), found by their bytes: one object each, made once. Bounded:
// beyond the limit strings are made anew, so that a server that invents names cannot fill the memory.
namespace Clashd
{
    internal sealed class NameTable
    {
        private const int Limit = 1024, Buckets = 256;

        private sealed class Entry
        {
            public byte[] Bytes;
            public string Text;
            public Entry Next;
        }

        private readonly Entry[] _buckets = new Entry[Buckets];
        private int _count;

        // FNV-1a.
        private static int Bucket(byte[] bytes, int start, int length)
        {
            uint hash = 2166136261;

            for (int i = 0; i < length; i++)
                hash = unchecked((hash ^ bytes[start + i]) * 16777619);
            return (int)(hash % Buckets);
        }

        private static bool IsSame(byte[] known, byte[] bytes, int start, int length)
        {
            if (known.Length != length)
                return false;
            for (int i = 0; i < length; i++)
                if (known[i] != bytes[start + i])
                    return false;
            return true;
        }

        /// <summary>null where it is new.</summary>
        public string Find(byte[] bytes, int start, int length)
        {
            for (Entry entry = _buckets[Bucket(bytes, start, length)]; entry != null; entry = entry.Next)
                if (IsSame(entry.Bytes, bytes, start, length))
                    return entry.Text;
            return null;
        }

        /// <summary>Returns `text`.</summary>
        public string Add(byte[] bytes, int start, int length, string text)
        {
            if (_count >= Limit)
                return text;
            int bucket = Bucket(bytes, start, length);
            var copy = new byte[length];
            System.Array.Copy(bytes, start, copy, 0, length);
            _buckets[bucket] = new Entry { Bytes = copy, Text = text, Next = _buckets[bucket] };
            _count++;
            return text;
        }
    }
}
