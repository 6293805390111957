// The numbers of a JsonReader: integers that a long holds exactly, and floats that come back to the bit.
using System;

namespace Clashd
{
    public sealed partial class JsonReader
    {
        // Powers of ten that a double holds exactly.
        private static readonly double[] Powers = MakePowers();

        private static double[] MakePowers()
        {
            var powers = new double[23];

            for (int i = 0; i < powers.Length; i++)
                powers[i] = i == 0 ? 1.0 : powers[i - 1] * 10.0;
            return powers;
        }

        private bool IsDigit()
        {
            return _at < _end && _bytes[_at] >= '0' && _bytes[_at] <= '9';
        }

        /// <summary>Digits into `value`, up to 18 of them; those beyond are counted.</summary>
        private int Digits(ref long value, ref int taken)
        {
            int beyond = 0;

            if (!IsDigit())
                throw Wrong("a digit");
            for (; IsDigit(); _at++)
            {
                if (value == 0 || taken < 18)
                {
                    value = value * 10 + (_bytes[_at] - '0');
                    taken += value == 0 ? 0 : 1;
                }
                else
                {
                    beyond++;
                }
            }
            return beyond;
        }

        public long Integer()
        {
            bool isNegative = Take('-');
            long value = 0;
            int taken = 0;

            if (Digits(ref value, ref taken) > 0 || (_at < _end && (_bytes[_at] == '.' || (_bytes[_at] | 32) == 'e')))
                throw Wrong("an integer below 10^18");
            return isNegative ? -value : value;
        }

        public float Float()
        {
            float value = (float)Number();

            if (float.IsInfinity(value))
                throw Wrong("a number that a float holds");
            return value;
        }

        public double Number()
        {
            bool isNegative = Take('-');
            long value = 0;
            int taken = 0, exponent = Digits(ref value, ref taken);

            if (_at < _end && _bytes[_at] == '.')
            {
                int start = ++_at;
                int beyond = Digits(ref value, ref taken);

                exponent -= _at - start - beyond;
            }
            if (_at < _end && (_bytes[_at] | 32) == 'e')
            {
                _at++;
                exponent += Exponent();
            }
            double number = Scale(value, exponent);
            return isNegative ? -number : number;
        }

        private int Exponent()
        {
            bool isNegative = _at < _end && _bytes[_at] == '-';
            long value = 0;
            int taken = 0;

            if (isNegative || (_at < _end && _bytes[_at] == '+'))
                _at++;
            int size = Digits(ref value, ref taken) > 0 || value > 9999 ? 9999 : (int)value;
            return isNegative ? -size : size;
        }

        /// <summary>Exact for what clashd prints: nine digits and a small exponent.</summary>
        private static double Scale(long value, int exponent)
        {
            if (value == 0)
                return 0.0;
            if (exponent >= 0 && exponent < Powers.Length)
                return value * Powers[exponent];
            if (exponent < 0 && -exponent < Powers.Length)
                return value / Powers[-exponent];
            if (exponent < -300)
                return value / 1e300 * Math.Pow(10.0, exponent + 300);
            return exponent < 0 ? value / Math.Pow(10.0, -exponent) : value * Math.Pow(10.0, exponent);
        }
    }
}
