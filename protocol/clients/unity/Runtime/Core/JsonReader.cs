// Reads JSON from bytes, in place and forward only: no object is made for a number, a key or a name seen before. Throws
// FormatException at the first byte that is not what it must be, whatever the bytes are. One thread. Numbers: JsonNumbers.cs.
using System;
using System.Text;

namespace Clashd
{
    public sealed partial class JsonReader
    {
        private const int DepthMax = 64;

        private readonly NameTable _names = new NameTable();
        private readonly StringBuilder _text = new StringBuilder();
        private byte[] _bytes = new byte[0];
        private int _at, _end, _keyStart, _keyEnd;

        public void Reset(byte[] bytes, int start, int length)
        {
            _bytes = bytes;
            _at = start;
            _end = start + length;
        }

        private static FormatException Wrong(string expected)
        {
            return new FormatException("expected " + expected);
        }

        /// <summary>The next byte that is no space; 0 at the end.</summary>
        private byte Peek()
        {
            while (_at < _end && (_bytes[_at] == ' ' || _bytes[_at] == '\t' || _bytes[_at] == '\r' || _bytes[_at] == '\n'))
                _at++;
            return _at < _end ? _bytes[_at] : (byte)0;
        }

        private void Expect(char c)
        {
            if (Peek() != c)
                throw Wrong(c.ToString());
            _at++;
        }

        private bool Take(char c)
        {
            if (Peek() != c)
                return false;
            _at++;
            return true;
        }

        public void BeginObject()
        {
            Expect('{');
        }

        /// <summary>Goes on to the next member's value; false at the object's end. `first` says whether it is the
        /// first.</summary>
        public bool NextMember(bool first)
        {
            if (Take('}'))
                return false;
            if (!first)
                Expect(',');
            SkipString(out _keyStart, out _keyEnd);
            Expect(':');
            return true;
        }

        /// <summary>Whether the member's key is this ASCII word.</summary>
        public bool KeyIs(string word)
        {
            if (_keyEnd - _keyStart != word.Length)
                return false;
            for (int i = 0; i < word.Length; i++)
                if (_bytes[_keyStart + i] != word[i])
                    return false;
            return true;
        }

        public void BeginArray()
        {
            Expect('[');
        }

        /// <summary>Goes on to the next element; false at the array's end.</summary>
        public bool NextElement(bool first)
        {
            if (Take(']'))
                return false;
            if (!first)
                Expect(',');
            return true;
        }

        public void EndArray()
        {
            Expect(']');
        }

        /// <summary>Nothing but spaces may be left.</summary>
        public void End()
        {
            Peek();
            if (_at != _end)
                throw Wrong("the end of the line");
        }

        public bool IsNext(char c)
        {
            return Peek() == c;
        }

        /// <summary>A string that will come again: the same object each time.</summary>
        public string Name()
        {
            int start, end;

            SkipString(out start, out end);
            string known = _names.Find(_bytes, start, end - start);
            return known ?? _names.Add(_bytes, start, end - start, Decode(start, end));
        }

        /// <summary>A string that will not: made anew.</summary>
        public string Text()
        {
            int start, end;

            SkipString(out start, out end);
            return Decode(start, end);
        }

        public bool Bool()
        {
            bool value = Peek() == 't';

            Word(value ? "true" : "false");
            return value;
        }

        public void Null()
        {
            Peek();
            Word("null");
        }

        private void Word(string word)
        {
            if (_end - _at < word.Length)
                throw Wrong(word);
            for (int i = 0; i < word.Length; i++)
                if (_bytes[_at + i] != word[i])
                    throw Wrong(word);
            _at += word.Length;
        }

        private void SkipString(out int start, out int end)
        {
            Expect('"');
            start = _at;
            while (_at < _end && _bytes[_at] != '"')
            {
                if (_bytes[_at] < 32)
                    throw Wrong("no control character in a string");
                _at += _bytes[_at] == '\\' ? 2 : 1;
            }
            end = _at;
            if (_at >= _end)
                throw Wrong("the end of a string");
            _at++;
        }

        /// <summary>Passes over a value of any kind.</summary>
        public void Skip()
        {
            Skip(0);
        }

        private void Skip(int depth)
        {
            int start, end;

            if (depth > DepthMax)
                throw Wrong("brackets at most 64 deep");
            switch ((char)Peek())
            {
                case '"':
                    SkipString(out start, out end);
                    break;
                case '{':
                    BeginObject();
                    for (bool first = true; NextMember(first); first = false)
                        Skip(depth + 1);
                    break;
                case '[':
                    BeginArray();
                    for (bool first = true; NextElement(first); first = false)
                        Skip(depth + 1);
                    break;
                case 't':
                case 'f':
                    Bool();
                    break;
                case 'n':
                    Null();
                    break;
                default:
                    Number();
                    break;
            }
        }

        private string Decode(int start, int end)
        {
            int plain = start;

            while (plain < end && _bytes[plain] != '\\')
                plain++;
            if (plain == end)
                return Encoding.UTF8.GetString(_bytes, start, end - start);
            _text.Length = 0;
            for (int at = start; at < end;)
            {
                int stop = at;

                while (stop < end && _bytes[stop] != '\\')
                    stop++;
                _text.Append(Encoding.UTF8.GetString(_bytes, at, stop - at));
                at = stop < end ? Escape(stop + 1, end) : stop;
            }
            return _text.ToString();
        }

        /// <summary>What follows a backslash; returns where it ends.</summary>
        private int Escape(int at, int end)
        {
            const string from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
            int which = from.IndexOf((char)_bytes[at]);

            if (which >= 0)
            {
                _text.Append(to[which]);
                return at + 1;
            }
            if (_bytes[at] != 'u' || end - at < 5)
                throw Wrong("an escape");
            int unit = 0;
            for (int i = 1; i <= 4; i++)
            {
                int digit = "0123456789abcdef".IndexOf(char.ToLowerInvariant((char)_bytes[at + i]));

                if (digit < 0)
                    throw Wrong("four hexadecimal digits");
                unit = unit * 16 + digit;
            }
            _text.Append((char)unit);
            return at + 5;
        }
    }
}
