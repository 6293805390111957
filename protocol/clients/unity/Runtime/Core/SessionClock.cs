// The session's time here and now, for poses that are pushed. On one machine clashd's clock is also that of Stopwatch on Linux:
// then hello's epoch gives it exactly. Elsewhere it is counted from hello's own time, later by what hello's way took.
using System;
using System.Diagnostics;
using System.Threading;

namespace Clashd
{
    internal sealed class SessionClock
    {
        private const long SameNs = 50000000;

        private long _offset;

        private static long Now()
        {
            long ticks = Stopwatch.GetTimestamp(), frequency = Stopwatch.Frequency;

            return ticks / frequency * 1000000000 + ticks % frequency * 1000000000 / frequency;
        }

        public void Set(long epochNs, long helloNs)
        {
            long now = Now(), byHello = helloNs - now;
            bool isSame = epochNs != 0 && Math.Abs(now - epochNs - helloNs) < SameNs;

            Interlocked.Exchange(ref _offset, isSame ? -epochNs : byHello);
        }

        public long SessionNs()
        {
            return Now() + Interlocked.Read(ref _offset);
        }
    }
}
