// The connection to clashd: a thread of its own connects, reads, and comes back when clashd does; what it reads waits in a
// queue until Drain hands it out on the caller's thread. Another sends (Outbox.cs). All public members belong to one thread.
using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace Clashd
{
    public sealed class ClashdClient : IDisposable
    {
        private const int LineMax = 65536;

        private readonly ClashdOptions _options;
        private readonly Func<Link> _makeLink;
        private readonly EventQueue _queue;
        private readonly MessageParser _parser = new MessageParser();
        private readonly ManualResetEvent _stop = new ManualResetEvent(false);
        private readonly object _gate = new object();
        private readonly Outbox _outbox;
        private readonly byte[] _buffer = new byte[LineMax + 16];
        private ClashdEvent _filling = new ClashdEvent(), _drained = new ClashdEvent();
        private Thread _thread;
        private Link _link;
        private volatile bool _isGreeted;
        private bool _isTooLong;
        private string _session = "", _lastProblem = "";
        private volatile string _refusal; // why this connection ends
        private long _lastSeq, _lastLate;

        /// <summary>Raised by Drain, on its thread.</summary>
        public event Action<ClashdEvent> Clash, Hold, Release, Tracking, SpaceChanged, Poses, Lagged, Connected,
            Disconnected, Problem;

        /// <summary>ArgumentException if the options ask for an event that does not exist.</summary>
        public ClashdClient(ClashdOptions options) : this(options, () => Link.Create(options)) { }

        internal ClashdClient(ClashdOptions options, Func<Link> link)
        {
            options.Check();
            _options = options;
            _makeLink = link;
            _queue = new EventQueue(options.QueueCapacity);
            _outbox = new Outbox(options.Axes);
        }

        public void Start()
        {
            if (_thread != null)
                return;
            _thread = new Thread(Run) { IsBackground = true, Name = "clashd" };
            _thread.Start();
            _outbox.Start();
        }

        /// <summary>Ends the connection. Waits for nothing: the threads end by themselves, once the system has let them go.</summary>
        public void Dispose()
        {
            Link link;

            _stop.Set();
            lock (_gate)
                link = _link;
            if (link != null)
            {
                link.Shut();
                ThreadPool.QueueUserWorkItem(open => ((Link)open).Close(), link);
            }
            _outbox.Stop();
        }

        /// <summary>A blade of this program's own, now and at every later connection, or another shape for it. If clashd refuses it, a Problem
        /// comes whose Request is "blade NAME", and poses of its device are not sent; a name that is taken is tried again each
        /// second.</summary>
        public void DefineBlade(BladeShape blade)
        {
            _outbox.Define(blade);
        }

        /// <summary>A target of this program's own, now and at every later connection, or another shape for it, whose open
        /// contacts then end. What clashd has against it comes as a Problem whose Request is "target NAME".
        /// ArgumentException where it has no form or too big a one.</summary>
        public void DefineTarget(TargetShape target)
        {
            _outbox.Define(target);
        }

        public void RemoveBlade(string name)
        {
            _outbox.Remove(name);
        }

        public void RemoveTarget(string name)
        {
            _outbox.Remove(name);
        }

        /// <summary>From now on, and at every later connection, the poses that are pushed of these devices are theirs, the player's
        /// hands ("/user/hand/left") included, in place of what clashd sees by itself; blades may be defined on them, which stand in
        /// for clashd's own. Instead of those named before; none ends it. What clashd has against it comes as a Problem whose
        /// Request is "feed". Where clashd cannot (Connected: CanFeed), or ClashdOptions.Feeds is false, blades and poses of
        /// devices under /user/ are not sent.</summary>
        public void Feed(params string[] devices)
        {
            _outbox.Feed(devices);
        }

        /// <summary>Where a device of this program's own is, or one that it feeds; SendPoses sends it with the others of the frame,
        /// so once for each device. With `isTeleport` nothing is swept from where it was. False where it will not be sent: there is
        /// no connection, or clashd knows no blade or target of that device.</summary>
        public bool AddPose(string device, Vec3 position, Quat orientation, bool isTeleport = false, bool isTracked = true)
        {
            return _outbox.AddPose(device, position, orientation, isTeleport, isTracked);
        }

        /// <summary>Instead of AddPose while the device is not tracked: what it carries touches nothing until its next pose, and is not swept
        /// there.</summary>
        public bool AddLost(string device)
        {
            return _outbox.AddLost(device);
        }

        /// <summary>Sends what was added; never waits and allocates nothing. As of now, or in a game as of `frameSeconds` after what
        /// was sent in the frame before (Time.unscaledDeltaTime): frames are more even than the clock at this place of each, and so
        /// are the speeds then. False where clashd does not take it: these poses are dropped, later ones may go.</summary>
        public bool SendPoses(double frameSeconds = 0.0)
        {
            return _outbox.Flush(frameSeconds);
        }

        /// <summary>Waits until all events that the last SendPoses caused are there to be drained, but no longer than
        /// `milliseconds`; true where they are. With a clashd that cannot tell (Connected: CanFeed), or does not answer any more,
        /// it returns at once. Allocates nothing.</summary>
        public bool WaitForEvents(int milliseconds)
        {
            return _outbox.Replies.Wait(milliseconds);
        }

        /// <summary>Whether WaitForEvents returns at once, since it waited in vain several times in a row. It waits again once clashd's answers have come
        /// in time for a while, which shows without waiting for them.</summary>
        public bool HasGivenUpWaiting
        {
            get { return _outbox.Replies.HasGivenUp; }
        }

        /// <summary>How long clashd took to answer the last push, ms.</summary>
        public double LastAnswerMs
        {
            get { return _outbox.Replies.LastMs; }
        }

        /// <summary>Whether clashd has not answered a push for 2 s, though the connection stands.</summary>
        public bool IsSilent
        {
            get { return _outbox.Replies.IsSilent; }
        }

        /// <summary>The session's time now, as ClashdEvent.TimeNs counts it. Means nothing before the first connection.</summary>
        public long SessionNs
        {
            get { return _outbox.Clock.SessionNs(); }
        }

        /// <summary>Raises what has come since the last time, in order; returns how many. At most `max`, so that a frame
        /// ends.</summary>
        public int Drain(int max = 1000)
        {
            int count = 0;

            while (count < max && _queue.Take(ref _drained))
            {
                Action<ClashdEvent> handler = HandlerOf(_drained.Kind);

                count++;
                _drained.AgeNs = _drained.Seq > 0 ? SessionNs - _drained.TimeNs : 0;
                if (handler != null)
                    handler(_drained);
            }
            return count;
        }

        private Action<ClashdEvent> HandlerOf(ClashdEventKind kind)
        {
            switch (kind)
            {
                case ClashdEventKind.Clash: return Clash;
                case ClashdEventKind.Hold: return Hold;
                case ClashdEventKind.Release: return Release;
                case ClashdEventKind.Tracking: return Tracking;
                case ClashdEventKind.SpaceChanged: return SpaceChanged;
                case ClashdEventKind.Poses: return Poses;
                case ClashdEventKind.Lagged: return Lagged;
                case ClashdEventKind.Connected: return Connected;
                case ClashdEventKind.Disconnected: return Disconnected;
                case ClashdEventKind.Problem: return Problem;
                default: return null;
            }
        }

        // ---- the reader thread ----

        private void Run()
        {
            int wait = _options.RetryMinMs;

            while (!_stop.WaitOne(0))
            {
                string why = RunConnection();

                if (_stop.WaitOne(0))
                    return;
                if (_isGreeted)
                    wait = _options.RetryMinMs;
                Tell(_isGreeted ? ClashdEventKind.Disconnected : ClashdEventKind.Problem, why);
                if (_stop.WaitOne(wait))
                    return;
                wait = Math.Min(wait * 2, _options.RetryMaxMs);
            }
        }

        /// <summary>One connection from beginning to end. Why it ended.</summary>
        private string RunConnection()
        {
            Link link = _makeLink();

            bool isThere = false;

            _isGreeted = false;
            _refusal = null;
            lock (_gate)
                _link = link;
            try
            {
                if (_stop.WaitOne(0)) // Dispose may have been here before us
                    return "";
                string token = _options.UnixSocket == null ? _options.FindToken() : null;
                link.Connect(_options, token, _stop);
                isThere = true;
                using (new Timer(state => GiveUp(link), null, _options.GreetMs, Timeout.Infinite))
                {
                    string end = ReadAll(link);
                    return _refusal ?? end;
                }
            }
            catch (Exception e) when (e is SocketException || e is IOException || e is ObjectDisposedException ||
                                      e is UnauthorizedAccessException || e is ArgumentException)
            {
                return _refusal ?? (isThere || e is UnauthorizedAccessException ? e.Message :
                                    ConnectionWords.CannotConnect(e, _options));
            }
            finally
            {
                _outbox.End();
                link.Close();
                lock (_gate)
                    _link = null;
            }
        }

        /// <summary>Ends a connection whose other side accepts it and never greets.</summary>
        private void GiveUp(Link link)
        {
            if (_isGreeted)
                return;
            _refusal = ConnectionWords.CannotConnect(new IOException("something accepts the connection, but does not greet as clashd within " +
                                                                     _options.GreetMs / 1000 + " s"), _options);
            link.Shut();
            link.Close();
        }

        private string ReadAll(Link link)
        {
            int length = 0;

            _isTooLong = false;
            for (;;)
            {
                int received = link.Receive(_buffer, length, _buffer.Length - length);

                if (received == 0)
                    return "clashd closed the connection";
                length = TakeLines(link, length, length + received);
                if (length < LineMax)
                    continue;
                _isTooLong = true; // dropped up to its newline
                length = 0;
                Tell(ClashdEventKind.Problem, "a line has more than 65536 bytes");
            }
        }

        /// <summary>Whole lines of the buffer; new bytes start at `from`. Returns how much of a line is left, now at its
        /// beginning.</summary>
        private int TakeLines(Link link, int from, int length)
        {
            int start = 0;

            for (int end = Array.IndexOf(_buffer, (byte)'\n', from, length - from); end >= 0;
                 end = Array.IndexOf(_buffer, (byte)'\n', start, length - start))
            {
                if (!_isTooLong)
                    TakeLine(link, start, end - start);
                _isTooLong = false;
                start = end + 1;
            }
            if (_isTooLong)
                return 0;
            if (start > 0)
                Buffer.BlockCopy(_buffer, start, _buffer, 0, length - start);
            return length - start;
        }

        private void TakeLine(Link link, int start, int length)
        {
            try
            {
                _parser.Parse(_buffer, start, length, _filling);
            }
            catch (FormatException e)
            {
                Tell(ClashdEventKind.Problem, "a line cannot be used: " + e.Message);
                return;
            }
            switch (_filling.Kind)
            {
                case ClashdEventKind.None:
                    return;
                case ClashdEventKind.Ok:
                    if (_filling.Request == Requests.ClockId)
                        _outbox.Clock.Answer(_filling.TimeNs);
                    _outbox.Accept(_filling.Request);
                    _outbox.Replies.Answer(_filling.ContactId);
                    return;
                case ClashdEventKind.Poses: // is no event that is numbered
                    break;
                case ClashdEventKind.Connected:
                    Greet(link);
                    break;
                case ClashdEventKind.Lagged:
                    _lastSeq = Math.Max(_lastSeq, _filling.ToSeq);
                    _lastLate = 0;
                    break;
                case ClashdEventKind.Problem:
                    if (!_isGreeted)
                        _refusal = _filling.Message;
                    if (!IsNewProblem(_filling))
                        return;
                    break;
                default:
                    _lastSeq = _filling.Seq;
                    _lastLate = _filling.Late ? _filling.ContactId : 0;
                    break;
            }
            _filling = _queue.Put(_filling);
        }

        /// <summary>hello: subscribe, and where it is the session of before from where it broke off.</summary>
        private void Greet(Link link)
        {
            bool isSame = _filling.Session == _session && _filling.HasSinceSeq;

            if (!isSame)
                _lastSeq = -1;
            _session = _filling.Session;
            if (!_filling.HasAxes && _options.Axes == "unity")
                throw new IOException("clashd " + _filling.Version + " does not know Unity's axes: a newer one does");
            _outbox.Clock.Set(_filling.EpochNs, _filling.TimeNs);
            _filling.CanFeed &= _options.Feeds;
            _outbox.Begin(link, _options, isSame ? _lastSeq : -1, _lastLate, _filling.CanFeed);
            _isGreeted = true;
            _lastProblem = "";
        }

        /// <summary>Poses that are refused are so in every frame.</summary>
        private bool IsNewProblem(ClashdEvent e)
        {
            bool isRepeated = _outbox.Refuse(e.Request, e.Code);

            _outbox.Replies.Answer(e.ContactId);
            if (isRepeated || e.Message == _lastProblem)
                return false;
            _lastProblem = e.Message;
            return true;
        }

        /// <summary>What goes wrong the same way at every attempt is told once.</summary>
        private void Tell(ClashdEventKind kind, string message)
        {
            if (kind == ClashdEventKind.Problem && message == _lastProblem)
                return;
            _lastProblem = message;
            _filling.Clear();
            _filling.Kind = kind;
            _filling.Code = "client";
            _filling.Message = message;
            _filling = _queue.Put(_filling);
        }
    }
}
