// The session's time on this machine, for poses that are pushed. On clashd's own machine Stopwatch counts by the same clock on Linux, and
// hello's epoch gives the time exactly. Elsewhere the clocks drift apart, so the time is asked for again and again: the answer's time lies
// between question and answer, and the offset moves by no more than that needs.
using System;
using System.Diagnostics;
using System.Threading;

namespace Clashd
{
    internal sealed class SessionClock
    {
        private const long SameNs = 50000000;

        private readonly Func<long> _now;
        private long _offset, _asked;
        private int _isAsked;

        public SessionClock() : this(Monotonic) { }

        /// <summary>By another clock than that of the machine.</summary>
        internal SessionClock(Func<long> now)
        {
            _now = now;
        }

        private static long Monotonic()
        {
            long ticks = Stopwatch.GetTimestamp(), frequency = Stopwatch.Frequency;

            return ticks / frequency * 1000000000 + ticks % frequency * 1000000000 / frequency;
        }

        /// <summary>As hello gives it, later by what its way took. Forgets a question of an earlier connection.</summary>
        public void Set(long epochNs, long helloNs)
        {
            long now = _now(), byHello = helloNs - now;
            bool isSame = epochNs != 0 && Math.Abs(now - epochNs - helloNs) < SameNs;

            Interlocked.Exchange(ref _offset, isSame ? -epochNs : byHello);
            Interlocked.Exchange(ref _isAsked, 0);
        }

        /// <summary>A question goes out now.</summary>
        public void Ask()
        {
            Interlocked.Exchange(ref _asked, _now());
            Interlocked.Exchange(ref _isAsked, 1);
        }

        /// <summary>The answer to the last question has come, with the session's time. 0: an older clashd does not say.</summary>
        public void Answer(long timeNs)
        {
            long offset = Interlocked.Read(ref _offset), least = timeNs - _now(), most = timeNs - Interlocked.Read(ref _asked);

            if (timeNs > 0 && Interlocked.Exchange(ref _isAsked, 0) == 1)
                Interlocked.Exchange(ref _offset, Math.Max(least, Math.Min(most, offset)));
        }

        public long SessionNs()
        {
            return _now() + Interlocked.Read(ref _offset);
        }
    }
}
