// From the reader thread to the one that drains: a ring of objects made once, which change hands by swapping. When nobody
// drains, the oldest are dropped, and what was lost is told before the next event, as clashd itself does it. Of poses in a row
// the newest waits.
namespace Clashd
{
    public sealed class EventQueue
    {
        private readonly ClashdEvent[] _ring;
        private readonly object _gate = new object();
        private int _head, _count;
        private long _lostFrom, _lostTo, _lost;

        public EventQueue(int capacity)
        {
            _ring = new ClashdEvent[capacity < 2 ? 2 : capacity];
            for (int i = 0; i < _ring.Length; i++)
                _ring[i] = new ClashdEvent();
        }

        /// <summary>Takes `e` and gives back another object to fill.</summary>
        public ClashdEvent Put(ClashdEvent e)
        {
            lock (_gate)
            {
                int last = (_head + _count + _ring.Length - 1) % _ring.Length;

                if (e.Kind == ClashdEventKind.Poses && _count > 0 && _ring[last].Kind == ClashdEventKind.Poses)
                {
                    ClashdEvent older = _ring[last];
                    _ring[last] = e;
                    return older;
                }
                if (_count == _ring.Length)
                {
                    NoteLost(_ring[_head]);
                    _head = (_head + 1) % _ring.Length;
                    _count--;
                }
                int tail = (_head + _count++) % _ring.Length;
                ClashdEvent free = _ring[tail];
                _ring[tail] = e;
                return free;
            }
        }

        /// <summary>Swaps the oldest event for `free`, which becomes the queue's. False where there is none.</summary>
        public bool Take(ref ClashdEvent free)
        {
            lock (_gate)
            {
                if (_lost > 0)
                {
                    TellLost(free);
                    return true;
                }
                if (_count == 0)
                    return false;
                ClashdEvent e = _ring[_head];
                _ring[_head] = free;
                _head = (_head + 1) % _ring.Length;
                _count--;
                free = e;
                return true;
            }
        }

        private void NoteLost(ClashdEvent e)
        {
            bool isLagged = e.Kind == ClashdEventKind.Lagged;
            long from = isLagged ? e.FromSeq : e.Seq, to = isLagged ? e.ToSeq : e.Seq;

            if (to == 0) // no event of clashd's
                return;
            if (_lost == 0)
                _lostFrom = from;
            _lostTo = to;
            _lost += isLagged ? e.Missed : 1;
        }

        private void TellLost(ClashdEvent e)
        {
            e.Clear();
            e.Kind = ClashdEventKind.Lagged;
            e.FromSeq = _lostFrom;
            e.ToSeq = _lostTo;
            e.Missed = _lost;
            _lost = 0;
        }
    }
}
