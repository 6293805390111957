// Which pushed poses clashd has answered. Its `ok` comes after all events that they caused, so a frame that waits for it has them all. The
// sender counts what goes, the reader thread what is answered, a third one waits; where waits are in vain it gives them up, until answers are
// quick again.
using System;
using System.Diagnostics;
using System.Threading;

namespace Clashd
{
    internal sealed class PushReplies
    {
        /// <summary>With this many unanswered ones clashd hangs, and every wait would be in vain.</summary>
        internal const int UnansweredMax = 3;
        /// <summary>Waits in vain, one after the other, after which no frame waits any more; and answers in time, one after the other, after
        /// which frames wait again.</summary>
        internal const int MissesMax = 8, QuickMin = 30;
        private const int Kept = 512; // at 90 frames a second more than SilentMs
        private const long SilentMs = 2000;

        private readonly AutoResetEvent _came = new AutoResetEvent(false);
        private readonly long[] _sentAt = new long[Kept];
        private long _sent, _answered, _took, _budget; // ticks of Stopwatch that a frame may wait
        private int _misses, _quick;
        private volatile bool _hasGivenUp;

        /// <summary>Whether frames do not wait, since answers take too long.</summary>
        public bool HasGivenUp
        {
            get { return _hasGivenUp; }
        }

        /// <summary>How long the last answer took, ms.</summary>
        public double LastMs
        {
            get { return Interlocked.Read(ref _took) * 1000.0 / Stopwatch.Frequency; }
        }

        /// <summary>Whether the oldest unanswered one has waited for SilentMs: clashd hangs, or is stopped.</summary>
        public bool IsSilent
        {
            get
            {
                long answered = Interlocked.Read(ref _answered), sent = Interlocked.Read(ref _sent);

                if (sent == answered)
                    return false;
                long oldest = Interlocked.Read(ref _sentAt[Math.Max(answered + 1, sent - Kept + 1) % Kept]);
                return Stopwatch.GetTimestamp() - oldest > SilentMs * Stopwatch.Frequency / 1000;
            }
        }

        /// <summary>The id of a message that now goes. Under the lock that `Forget` is called under.</summary>
        public long Next()
        {
            long id = Interlocked.Read(ref _sent) + 1;

            Interlocked.Exchange(ref _sentAt[id % Kept], Stopwatch.GetTimestamp());
            return Interlocked.Increment(ref _sent);
        }

        /// <summary>clashd took or refused it. 0: another request's.</summary>
        public void Answer(long id)
        {
            long sent = Interlocked.Read(ref _sent);

            if (id <= Interlocked.Read(ref _answered) || id > sent)
                return;
            long took = sent - id < Kept ? Stopwatch.GetTimestamp() - Interlocked.Read(ref _sentAt[id % Kept]) : long.MaxValue;
            Interlocked.Exchange(ref _took, took);
            if (_hasGivenUp)
                Probe(took);
            Interlocked.Exchange(ref _answered, id);
            _came.Set();
        }

        /// <summary>An answer that nothing waited for, which shows what a wait would have cost.</summary>
        private void Probe(long took)
        {
            _quick = took <= Interlocked.Read(ref _budget) ? _quick + 1 : 0;
            if (_quick < QuickMin)
                return;
            _quick = 0;
            Interlocked.Exchange(ref _misses, 0);
            _hasGivenUp = false;
        }

        /// <summary>The connection is gone: nothing answers what it carried any more.</summary>
        public void Forget()
        {
            Interlocked.Exchange(ref _answered, Interlocked.Read(ref _sent));
            Interlocked.Exchange(ref _misses, 0);
            _hasGivenUp = false;
            _came.Set();
        }

        /// <summary>Until the last one is answered, `milliseconds` at most; true if it is. Returns at once if clashd has not
        /// answered those before, or if waits have been in vain. Allocates nothing.</summary>
        public bool Wait(int milliseconds)
        {
            long last = Interlocked.Read(ref _sent), begin = Stopwatch.GetTimestamp();

            Interlocked.Exchange(ref _budget, milliseconds * Stopwatch.Frequency / 1000);
            if (_hasGivenUp || last - Interlocked.Read(ref _answered) > UnansweredMax)
                return Interlocked.Read(ref _answered) >= last;
            for (int left = milliseconds; Interlocked.Read(ref _answered) < last;)
            {
                if (left <= 0)
                {
                    _hasGivenUp = Interlocked.Increment(ref _misses) >= MissesMax;
                    return false;
                }
                _came.WaitOne(left); // which may be the answer to an older one
                left = milliseconds - (int)((Stopwatch.GetTimestamp() - begin) * 1000 / Stopwatch.Frequency) - 1;
            }
            Interlocked.Exchange(ref _misses, 0);
            return true;
        }
    }
}
