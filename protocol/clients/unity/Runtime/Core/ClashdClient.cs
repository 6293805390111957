// The connection to clashd: a thread of its own connects, reads, and comes back when clashd does; what it reads waits in a
// queue until Drain hands it out on the caller's thread. Start, Drain and Dispose belong to one thread.
using System;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace Clashd
{
    public sealed class ClashdClient : IDisposable
    {
        private const int LineMax = 65536, ConnectMs = 5000;

        private readonly ClashdOptions _options;
        private readonly EventQueue _queue;
        private readonly MessageParser _parser = new MessageParser();
        private readonly ManualResetEvent _stop = new ManualResetEvent(false);
        private readonly object _gate = new object();
        private readonly byte[] _buffer = new byte[LineMax];
        private ClashdEvent _filling = new ClashdEvent(), _drained = new ClashdEvent();
        private Thread _thread;
        private Socket _socket;
        private bool _isGreeted, _isTooLong;
        private string _session = "", _lastProblem = "";
        private long _lastSeq;

        /// <summary>Raised by Drain, on its thread.</summary>
        public event Action<ClashdEvent> Clash, Hold, Release, Tracking, SpaceChanged, Lagged, Connected, Disconnected,
            Problem;

        public ClashdClient(ClashdOptions options)
        {
            _options = options;
            _queue = new EventQueue(options.QueueCapacity);
        }

        public void Start()
        {
            if (_thread != null)
                return;
            _thread = new Thread(Run) { IsBackground = true, Name = "clashd" };
            _thread.Start();
        }

        public void Dispose()
        {
            _stop.Set();
            lock (_gate)
            {
                if (_socket != null)
                    _socket.Close();
            }
            if (_thread != null)
                _thread.Join();
            _thread = null;
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
            _isGreeted = false;
            try
            {
                Socket socket = Open();

                if (_options.UnixSocket == null)
                {
                    string token = _options.FindToken();

                    if (token != null)
                        Send(socket, Requests.Auth(token));
                }
                return ReadAll(socket);
            }
            catch (Exception e) when (e is SocketException || e is IOException || e is ObjectDisposedException ||
                                      e is UnauthorizedAccessException || e is ArgumentException)
            {
                return e.Message;
            }
            finally
            {
                lock (_gate)
                {
                    if (_socket != null)
                        _socket.Close();
                    _socket = null;
                }
            }
        }

        private Socket Open()
        {
            bool isUnix = _options.UnixSocket != null;
            var socket = isUnix ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
                                : new Socket(SocketType.Stream, ProtocolType.Tcp);

            lock (_gate)
            {
                _socket = socket;
                if (_stop.WaitOne(0)) // Dispose has been here before us
                    socket.Close();
            }
            if (isUnix)
            {
                socket.Connect(new UnixDomainSocketEndPoint(_options.SocketPath()));
                return socket;
            }
            socket.NoDelay = true;
            IAsyncResult connecting = socket.BeginConnect(_options.Host, _options.Port, null, null);
            if (WaitHandle.WaitAny(new[] { connecting.AsyncWaitHandle, _stop }, ConnectMs) != 0)
                throw new IOException("no answer from " + _options.Host + ":" + _options.Port);
            socket.EndConnect(connecting);
            return socket;
        }

        private static void Send(Socket socket, string line)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(line);

            for (int sent = 0; sent < bytes.Length;)
                sent += socket.Send(bytes, sent, bytes.Length - sent, SocketFlags.None);
        }

        private string ReadAll(Socket socket)
        {
            int length = 0;

            _isTooLong = false;
            for (;;)
            {
                int received = socket.Receive(_buffer, length, _buffer.Length - length, SocketFlags.None);

                if (received == 0)
                    return "clashd closed the connection";
                length = TakeLines(socket, length, length + received);
                if (length < _buffer.Length)
                    continue;
                _isTooLong = true; // dropped up to its newline
                length = 0;
                Tell(ClashdEventKind.Problem, "a line has more than 65536 bytes");
            }
        }

        /// <summary>Whole lines of the buffer; new bytes start at `from`. Returns how much of a line is left, now at its
        /// beginning.</summary>
        private int TakeLines(Socket socket, int from, int length)
        {
            int start = 0;

            for (int end = Array.IndexOf(_buffer, (byte)'\n', from, length - from); end >= 0;
                 end = Array.IndexOf(_buffer, (byte)'\n', start, length - start))
            {
                if (!_isTooLong)
                    TakeLine(socket, start, end - start);
                _isTooLong = false;
                start = end + 1;
            }
            if (_isTooLong)
                return 0;
            if (start > 0)
                Buffer.BlockCopy(_buffer, start, _buffer, 0, length - start);
            return length - start;
        }

        private void TakeLine(Socket socket, int start, int length)
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
                case ClashdEventKind.Ok:
                    return;
                case ClashdEventKind.Connected:
                    Greet(socket);
                    break;
                case ClashdEventKind.Lagged:
                    _lastSeq = Math.Max(_lastSeq, _filling.ToSeq);
                    break;
                case ClashdEventKind.Problem:
                    break;
                default:
                    _lastSeq = _filling.Seq;
                    break;
            }
            _filling = _queue.Put(_filling);
        }

        /// <summary>hello: subscribe, and where it is the session of before from where it broke off.</summary>
        private void Greet(Socket socket)
        {
            bool isSame = _filling.Session == _session && _filling.HasSinceSeq;

            if (!isSame)
                _lastSeq = -1;
            _session = _filling.Session;
            if (!_filling.HasAxes && _options.Axes == "unity")
                throw new IOException("clashd " + _filling.Version + " does not know Unity's axes: a newer one does");
            Send(socket, Requests.Subscribe(_options, isSame ? _lastSeq : -1));
            _isGreeted = true;
            _lastProblem = "";
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
