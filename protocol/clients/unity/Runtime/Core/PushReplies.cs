// Which pushed poses clashd has answered. Its `ok` comes after all events that they caused, so whoever waits for it has them all
// within the frame. The sender counts what goes, the reader thread what is answered, a third one waits.
using System.Diagnostics;
using System.Threading;

namespace Clashd
{
    internal sealed class PushReplies
    {
        /// <summary>So many unanswered ones in a row: clashd hangs, and waiting would cost every frame.</summary>
        internal const int UnansweredMax = 3;

        private readonly AutoResetEvent _came = new AutoResetEvent(false);
        private long _sent, _answered;

        /// <summary>The id of a message that now goes. Under the lock that `Forget` is called under.</summary>
        public long Next()
        {
            return Interlocked.Increment(ref _sent);
        }

        /// <summary>clashd took or refused it. 0: some other request's.</summary>
        public void Answer(long id)
        {
            if (id <= Interlocked.Read(ref _answered) || id > Interlocked.Read(ref _sent))
                return;
            Interlocked.Exchange(ref _answered, id);
            _came.Set();
        }

        /// <summary>The connection is gone: what it carried nobody answers any more.</summary>
        public void Forget()
        {
            Interlocked.Exchange(ref _answered, Interlocked.Read(ref _sent));
            _came.Set();
        }

        /// <summary>Until the last one is answered, `milliseconds` at most; true where it is. Returns at once where clashd has not
        /// answered those before. Allocates nothing.</summary>
        public bool Wait(int milliseconds)
        {
            long last = Interlocked.Read(ref _sent), begin = Stopwatch.GetTimestamp();

            if (last - Interlocked.Read(ref _answered) > UnansweredMax)
                return false;
            for (int left = milliseconds; Interlocked.Read(ref _answered) < last;)
            {
                if (left <= 0)
                    return false;
                _came.WaitOne(left); // which may be the answer to an older one
                left = milliseconds - (int)((Stopwatch.GetTimestamp() - begin) * 1000 / Stopwatch.Frequency) - 1;
            }
            return true;
        }
    }
}
