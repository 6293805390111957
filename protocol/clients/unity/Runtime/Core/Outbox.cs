// What is to be sent: a thread of its own sends it, so that nobody waits for the network, least of all a frame. Knows this
// program's blades and targets, and defines them again at each connection, since clashd forgets them with it. Poses that
// clashd does not take in time are dropped, whole messages at a time.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace Clashd
{
    internal sealed class Outbox
    {
        private const int PosesMax = 64, WaitingMax = 65536;
        /// <summary>How long after its refusal the feed is asked for again, and a blade or target whose name was taken: the other client may have
        /// gone.</summary>
        private const int FeedAgainMs = 2000, NameAgainMs = 1000;
        private const string NameTaken = "name_taken";
        /// <summary>How often the session's time is asked for: at first sooner, to know it well.</summary>
        private const int ClockFirstMs = 100, ClockMs = 1000, ClockFirst = 4;

        /// <summary>A blade or a target.</summary>
        private sealed class Own
        {
            /// <summary>Of its request.</summary>
            public string Id;
            /// <summary>Its request, ready to be sent.</summary>
            public byte[] Line;
            /// <summary>null: it stands still.</summary>
            public string Device;
            public bool IsRefused;
            /// <summary>When it is defined again, as Environment.TickCount counts, while it is refused since its name is taken.</summary>
            public int? AgainAt;
            /// <summary>clashd has taken another by this name before: if it refuses this one, that one stands.</summary>
            public bool HasEarlier;
        }

        private readonly string _axes;
        private readonly object _gate = new object();
        private readonly Dictionary<string, Own> _own = new Dictionary<string, Own>();
        private readonly Dictionary<string, Own> _devices = new Dictionary<string, Own>();
        private readonly List<LineWriter> _messages = new List<LineWriter>();
        private LineWriter _waiting = new LineWriter(), _sending = new LineWriter();
        private Link _link;
        private bool _isStopped;
        private int _poseCount;
        private long _lastNs;

        private const string UserDevices = "/user/";
        /// <summary>How far a frame's time, as the game counts it, may be behind the clock.</summary>
        private const long FrameBehindMaxNs = 20000000;

        private readonly HashSet<string> _fed = new HashSet<string>();
        private string[] _feed = { };
        private bool _canFeed, _isFeedRefused;
        private int _feedAgainAt; // while it is refused, as Environment.TickCount counts
        private int _clockAgainAt, _clockQuestions;
        private long _frameNs;

        public readonly SessionClock Clock = new SessionClock();
        public readonly PushReplies Replies = new PushReplies();

        public Outbox(string axes)
        {
            _axes = axes;
        }

        public void Start()
        {
            new Thread(Run) { IsBackground = true, Name = "clashd sender" }.Start();
        }

        /// <summary>After the link has been shut, or closed. The thread ends by itself.</summary>
        public void Stop()
        {
            lock (_gate)
            {
                _isStopped = true;
                Monitor.Pulse(_gate);
            }
        }

        /// <summary>A connection stands: the subscription, the feed, then all blades and targets. Without `canFeed` clashd keeps
        /// the player's devices to itself, and is told nothing of what is on them.</summary>
        public void Begin(Link link, ClashdOptions options, long sinceSeq, long sinceLate, bool canFeed)
        {
            lock (_gate)
            {
                _link = link;
                _canFeed = canFeed;
                _isFeedRefused = false;
                _lastNs = long.MinValue;
                _clockAgainAt = Environment.TickCount + ClockFirstMs;
                _clockQuestions = 0;
                _waiting.Length = 0;
                Requests.Subscribe(_waiting, options, sinceSeq, sinceLate);
                if (canFeed && _feed.Length > 0)
                    Requests.Feed(_waiting, _feed);
                foreach (Own own in _own.Values)
                {
                    own.IsRefused = own.HasEarlier = false;
                    own.AgainAt = null;
                    if (IsTold(own))
                        _waiting.Append(own.Line, own.Line.Length);
                }
                FindDevices();
                Monitor.Pulse(_gate);
            }
        }

        public void End()
        {
            lock (_gate)
            {
                _link = null;
                _waiting.Length = 0;
                Replies.Forget();
            }
        }

        /// <summary>Instead of those before; at every later connection too. Blades that are on them are defined after it.</summary>
        public void Feed(string[] devices)
        {
            lock (_gate)
            {
                _feed = (string[])devices.Clone();
                _fed.Clear();
                _fed.UnionWith(_feed);
                _isFeedRefused = false;
                if (_link == null || !_canFeed)
                    return;
                Requests.Feed(_waiting, _feed);
                Monitor.Pulse(_gate);
            }
        }

        /// <summary>Whether this connection's clashd is told of it.</summary>
        private bool IsTold(Own own)
        {
            return _canFeed || own.Device == null || !own.Device.StartsWith(UserDevices, StringComparison.Ordinal);
        }

        public void Define(BladeShape blade)
        {
            var line = new LineWriter();

            if (string.IsNullOrEmpty(blade.Name))
                throw new ArgumentException("a blade needs a name");
            Requests.Blade(line, blade.Copy(), _axes);
            Define(blade.Name, Requests.BladeId + blade.Name, blade.DeviceName(), line);
        }

        public void Define(TargetShape target)
        {
            var line = new LineWriter();

            target.Check();
            TargetRequests.Define(line, target, _axes);
            Define(target.Name, TargetRequests.Id + target.Name, target.DeviceName(), line);
        }

        private void Define(string name, string id, string device, LineWriter line)
        {
            Array.Resize(ref line.Bytes, line.Length);
            var own = new Own { Id = id, Device = device, Line = line.Bytes };
            lock (_gate)
            {
                Own before;

                if (_link != null && _own.TryGetValue(name, out before))
                    own.HasEarlier = before.HasEarlier || !before.IsRefused;
                if (own.HasEarlier && _own[name].Id != id) // a blade does not take a target's place
                {
                    Requests.Remove(_waiting, name);
                    own.HasEarlier = false;
                }
                _own[name] = own;
                FindDevices();
                if (_link == null || !IsTold(own))
                    return;
                _waiting.Append(own.Line, own.Line.Length);
                Monitor.Pulse(_gate);
            }
        }

        public void Remove(string name)
        {
            lock (_gate)
            {
                Own own;

                if (!_own.TryGetValue(name, out own))
                    return;
                _own.Remove(name);
                FindDevices();
                if (_link == null || !IsTold(own) || (own.IsRefused && !own.HasEarlier))
                    return;
                Requests.Remove(_waiting, name);
                Monitor.Pulse(_gate);
            }
        }

        /// <summary>clashd does not want a blade, a target or the feed: poses of its device would spoil those of all others.
        /// `id`: of the request that it refused. Whether it refused the same one before, for the same reason.</summary>
        public bool Refuse(string id, string code = "")
        {
            lock (_gate)
            {
                Own own;

                if (id == Requests.FeedId)
                {
                    _isFeedRefused = true;
                    _feedAgainAt = Environment.TickCount + FeedAgainMs;
                    Monitor.Pulse(_gate);
                }
                if (!_own.TryGetValue(id.Substring(id.IndexOf(' ') + 1), out own) || own.Id != id)
                    return false;
                bool isRepeated = own.AgainAt.HasValue && code == NameTaken;
                own.IsRefused = true;
                own.AgainAt = code == NameTaken ? Environment.TickCount + NameAgainMs : (int?)null;
                FindDevices();
                Monitor.Pulse(_gate);
                return isRepeated;
            }
        }

        /// <summary>clashd has taken the request of that id: where it had refused the feed before, it takes what is on the hands
        /// from now on.</summary>
        public void Accept(string id)
        {
            lock (_gate)
            {
                Own accepted;

                if (_own.TryGetValue(id.Substring(id.IndexOf(' ') + 1), out accepted) && accepted.Id == id && accepted.AgainAt.HasValue)
                {
                    accepted.IsRefused = false;
                    accepted.AgainAt = null;
                    FindDevices();
                }
                if (!_isFeedRefused || id != Requests.FeedId || _link == null)
                    return;
                _isFeedRefused = false;
                foreach (Own own in _own.Values)
                {
                    if (own.Device == null || !_fed.Contains(own.Device))
                        continue;
                    own.IsRefused = false;
                    _waiting.Append(own.Line, own.Line.Length);
                }
                FindDevices();
                Monitor.Pulse(_gate);
            }
        }

        /// <summary>Asks for what it is time for. How long to sleep at most, in ms.</summary>
        private int AskAgain()
        {
            if (_link == null)
                return Timeout.Infinite;
            int clock = AskClock(), feed = AskFeed(), names = DefineAgain();
            return Math.Min(Math.Min(clock, names), feed < 0 ? clock : feed);
        }

        /// <summary>Those whose names were taken.</summary>
        private int DefineAgain()
        {
            int soonest = int.MaxValue;

            foreach (Own own in _own.Values)
            {
                if (!own.AgainAt.HasValue)
                    continue;
                int left = own.AgainAt.Value - Environment.TickCount; // which may go round
                if (left <= 0 && IsTold(own))
                    _waiting.Append(own.Line, own.Line.Length);
                if (left <= 0)
                    own.AgainAt = Environment.TickCount + NameAgainMs;
                soonest = Math.Min(soonest, Math.Max(left, 0));
            }
            return soonest;
        }

        private int AskClock()
        {
            int left = _clockAgainAt - Environment.TickCount; // which may go round

            if (left > 0)
                return left;
            Requests.Clock(_waiting);
            Clock.Ask();
            _clockAgainAt = Environment.TickCount + (_clockQuestions++ < ClockFirst ? ClockFirstMs : ClockMs);
            return 0;
        }

        /// <summary>Again for a feed that was refused. Below 0: there is nothing to ask for.</summary>
        private int AskFeed()
        {
            if (!_isFeedRefused)
                return Timeout.Infinite;
            int left = _feedAgainAt - Environment.TickCount; // which may go round
            if (left > 0)
                return left;
            Requests.Feed(_waiting, _feed);
            _feedAgainAt += FeedAgainMs - left;
            return 0;
        }

        private void FindDevices()
        {
            _devices.Clear();
            foreach (Own own in _own.Values)
            {
                Own other;

                if (own.Device != null && (!_devices.TryGetValue(own.Device, out other) || other.IsRefused))
                    _devices[own.Device] = own;
            }
        }

        private bool IsTaken(string device)
        {
            Own own;

            if (_link == null)
                return false;
            if (_fed.Contains(device))
                return _canFeed && !_isFeedRefused;
            return _devices.TryGetValue(device, out own) && !own.IsRefused && IsTold(own);
        }

        /// <summary>One pose of those that Flush sends. False if the device is neither fed nor that of a blade or target that clashd
        /// knows.</summary>
        public bool AddPose(string device, Vec3 position, Quat orientation, bool isTeleport, bool isTracked = true)
        {
            string end = isTeleport ? (isTracked ? ",\"teleport\":true}" : ",\"teleport\":true,\"tracked\":false}") :
                isTracked ? "}" : ",\"tracked\":false}";

            return Add(device, position, orientation, end);
        }

        /// <summary>Instead of a pose: there is none.</summary>
        public bool AddLost(string device)
        {
            return Add(device, new Vec3(0f, 0f, 0f), new Quat(0f, 0f, 0f, 1f), ",\"valid\":false}");
        }

        private bool Add(string device, Vec3 position, Quat orientation, string end)
        {
            lock (_gate)
            {
                if (!IsTaken(device))
                    return false;
            }
            if (_poseCount / PosesMax == _messages.Count)
                _messages.Add(new LineWriter());
            LineWriter message = _messages[_poseCount / PosesMax];
            message.Raw(_poseCount++ % PosesMax == 0 ? "{\"type\":\"poses\",\"poses\":[" : ",");
            message.Raw("{\"device\":").Text(device).Raw(",\"position\":").Vector(position);
            message.Raw(",\"orientation\":").Quaternion(orientation);
            message.Raw(end);
            return true;
        }

        /// <summary>Sends the poses that were added, all or none, as of now; or with `frameSeconds` as of that long after those
        /// before, as a game counts its frames, which is more even than the clock is at this place of each; where that has gone too
        /// far from the clock, as of now. False where there is no connection or it is slow.</summary>
        public bool Flush(double frameSeconds)
        {
            long now = Clock.SessionNs();

            _frameNs += (long)(frameSeconds * 1e9);
            if (frameSeconds <= 0.0 || _frameNs > now || _frameNs < now - FrameBehindMaxNs)
                _frameNs = now;
            lock (_gate)
            {
                bool goes = _link != null && _waiting.Length + Length() <= WaitingMax;

                if (goes && _poseCount > 0)
                    Send(_lastNs = Math.Max(_frameNs, _lastNs + 1));
                foreach (LineWriter message in _messages)
                    message.Length = 0;
                goes |= _poseCount == 0;
                _poseCount = 0;
                return goes;
            }
        }

        private int Length()
        {
            int length = 0;

            foreach (LineWriter message in _messages)
                length += message.Length;
            return length;
        }

        private void Send(long timeNs)
        {
            for (int i = 0; i * PosesMax < _poseCount; i++)
            {
                _messages[i].Raw("],\"time_ns\":").Integer(timeNs).Raw(",\"axes\":").Text(_axes);
                if (_canFeed) // then an answer says that all their events have come
                    _messages[i].Raw(",\"id\":").Integer(Replies.Next());
                _messages[i].Raw("}\n");
                _waiting.Append(_messages[i].Bytes, _messages[i].Length);
            }
            Monitor.Pulse(_gate);
        }

        private void Run()
        {
            for (;;)
            {
                Link link;

                lock (_gate)
                {
                    for (int ms = AskAgain(); !_isStopped && (_link == null || _waiting.Length == 0); ms = AskAgain())
                        Monitor.Wait(_gate, ms);
                    if (_isStopped)
                        return;
                    LineWriter full = _waiting;
                    _waiting = _sending;
                    _sending = full;
                    link = _link;
                }
                try
                {
                    link.Send(_sending.Bytes, 0, _sending.Length);
                }
                catch (Exception e) when (e is SocketException || e is IOException || e is ObjectDisposedException)
                {
                    link.Close(); // the reader sees it and says so
                }
                _sending.Length = 0;
            }
        }
    }
}
