// The component: put it on any object, and its events come on the main thread, in Unity's axes, relative to this object's
// transform: let it be the tracking origin (the XR rig). Tells clashd of all ClashdBlades and ClashdTargets that belong to
// it, and once a frame where they are: after Unity has put the controllers where it will draw them, and before it draws. Thin on
// purpose; everything else is in Clashd.Core.
using System;
using UnityEngine;

namespace Clashd
{
    public enum ClashdTransport
    {
        Tcp,
        UnixSocket,
        WebSocket
    }

    [AddComponentMenu("clashd/Clashd Receiver")]
    [HelpURL("https://clashd.invalid/protocol/clients/unity/README.md")]
    [DefaultExecutionOrder(1000)] // after what else has an Update
    public sealed class ClashdReceiver : MonoBehaviour
    {
        [Header("Connection")]
        [Tooltip("TCP works everywhere; Unix sockets on Linux")]
        public ClashdTransport transport = ClashdTransport.Tcp;
        [Tooltip("TCP: clashd listens there when started with --tcp PORT")]
        public string host = "127.0.0.1";
        [Tooltip("TCP: that of clashd --tcp PORT")]
        public int port = 4717;
        [Tooltip("Empty: where clashd listens by default")]
        public string unixSocket = "";
        [Tooltip("clashd listens there when started with --websocket PORT")]
        public string webSocket = "ws://127.0.0.1:4718";
        [Tooltip("The token's file, or clashd's socket beside which it is. Empty: found where clashd puts it by default")]
        public string tokenFile = "";
        [Tooltip("Or the token itself, where its file cannot be read from here: clashd's setting socket.token_file has it last")]
        public string token = "";
        [Header("Which events")]
        [Tooltip("Only contacts that began at least this fast, m/s")]
        public float minClosingSpeed;
        [Tooltip("Only contacts that become this fast, m/s: told late where they begin more slowly. 0: all")]
        public float minPeakSpeed;
        [Tooltip("No contact that begins sooner than this after the same two parted, ms. 0: all")]
        public float minApartMs;
        [Tooltip("Clashes and holds that are older when they come, s, as after a stall or a reconnect, come as Stale and not as Clash and Hold. 0: none")]
        public float maxAge = 0.5f;
        [Tooltip("Whether the event Poses comes, with where devices are")]
        public bool poses;
        [Tooltip("Whether Clash, Hold and Poses say where to draw blades so that they do not sink into what they strike")]
        public bool resolvedPoses;
        [Tooltip("Poses a second, at most")]
        public float poseRate = 90f;

        [Header("The player's hands")]
        [Tooltip("Whether clashd takes the player's hands from the Clashd Blades in them, as they are drawn. Off: as it sees them itself")]
        public bool feed = true;
        [Tooltip("How long a frame may wait for the events of its own poses, ms. 0: never, and they come in the next frame")]
        public int waitMs = 2;
        [Header("Haptics")]
        [Tooltip("Whether a clash is felt in the hand that carries the blade, where that is fed")]
        public bool haptics = true;
        [Tooltip("Of what an intensity of 1 gives")]
        public float hapticStrength = 1f;
        [Tooltip("1: from 15 ms to 45 ms, as intense as the clash is")]
        public float hapticLength = 1f;
        [Tooltip("The same two are not felt again sooner than this, ms. 0: each time")]
        public float hapticApartMs = 50f;

        /// <summary>What shakes the controllers.</summary>
        public IClashdHaptics Haptics = new XrHaptics();

        /// <summary>The event's object is used again: read what you need during the call.</summary>
        public event Action<ClashdEvent> Clash, Hold, Release, Tracking, SpaceChanged, Poses, Lagged;

        /// <summary>A clash or hold that is older than `maxAge`: too late for a spark. Its Release comes as ever.</summary>
        public event Action<ClashdEvent> Stale;

        private readonly PictureSet _pictures = new PictureSet();
        private readonly PlayerJumps _jumps = new PlayerJumps();
        private readonly HandTracking _hands = new HandTracking();
        private readonly HapticPulses _pulses = new HapticPulses();
        private BladeSet _blades;
        private ReceiverState _state;
        private ClashdClient _client;
        private bool _isTeleport;
        private int _unseen; // frames in a row that were not drawn
        private Place _place; // of this object, at the last push

        private const int UnseenMax = 2;

        private static readonly string[] Events = { "clash", "hold", "release", "tracking", "space_changed" };
        private static readonly string[] EventsAndPoses = { "clash", "hold", "release", "tracking", "space_changed", "poses" };

        private BladeSet Blades
        {
            get { return _blades ?? (_blades = new BladeSet(transform)); }
        }

        private ReceiverState State
        {
            get { return _state ?? (_state = new ReceiverState(this, Blades)); }
        }

        /// <summary>In words, for the inspector: the connection, what is fed, the last clash.</summary>
        public string Status
        {
            get { return State.Words(); }
        }

        /// <summary>Whether clashd can be reached as it is set here, in words; without playing too. Waits up to 3 s.</summary>
        public string TestConnection()
        {
            return ConnectionWords.Try(Options(), 3000);
        }

        private ClashdOptions Options()
        {
            return new ClashdOptions
            {
                Host = host,
                Port = port,
                UnixSocket = transport == ClashdTransport.UnixSocket ? unixSocket : null,
                WebSocket = transport == ClashdTransport.WebSocket ? webSocket : null,
                TokenFile = tokenFile.Length > 0 ? tokenFile : null,
                Token = token.Trim().Length > 0 ? token.Trim() : null,
                MinClosingSpeed = minClosingSpeed,
                MinPeakSpeed = minPeakSpeed,
                MinApartMs = minApartMs,
                Events = poses || resolvedPoses ? EventsAndPoses : Events,
                PoseRateHz = poseRate,
                ResolvedPoses = resolvedPoses,
                Feeds = feed
            };
        }

        private void OnEnable()
        {
            State.Begin();
            _hands.Begin();
            Application.onBeforeRender += BeforeRender;
        }

        /// <summary>Not in OnEnable: AddComponent runs that before the caller can set where clashd is.</summary>
        private void Begin()
        {
            _client = new ClashdClient(Options());
            Listen();
            Blades.SetClient(_client);
            _client.Start();
        }

        private void Listen()
        {
            _client.Clash += TakeClash;
            _client.Hold += TakeHold;
            _client.Release += e => { if (Release != null) Release(e); };
            _client.Tracking += TakeTracking;
            _client.SpaceChanged += e => { if (SpaceChanged != null) SpaceChanged(e); };
            _client.Poses += Take;
            _client.Lagged += e => { if (Lagged != null) Lagged(e); };
            _client.Connected += State.TakeConnected;
            _client.Disconnected += TakeEnd;
            _client.Problem += State.TakeProblem;
        }

        private void TakeClash(ClashdEvent e)
        {
            State.TakeClash(e);
            if (IsStale(e))
                return;
            if (haptics && Haptics != null && State.IsFeeding && _client != null)
                _pulses.Take(e, Blades, this, _client.SessionNs);
            if (Clash != null)
                Clash(e);
        }

        private void TakeHold(ClashdEvent e)
        {
            if (!IsStale(e) && Hold != null)
                Hold(e);
        }

        private bool IsStale(ClashdEvent e)
        {
            bool isStale = maxAge > 0f && e.AgeNs > maxAge * 1e9f;

            if (isStale && Stale != null)
                Stale(e);
            return isStale;
        }

        private void Take(ClashdEvent e)
        {
            _pictures.Take(e);
            if (Poses != null)
                Poses(e);
        }

        private void TakeTracking(ClashdEvent e)
        {
            _pictures.TakeTracking(e);
            if (Tracking != null)
                Tracking(e);
        }

        private void TakeEnd(ClashdEvent e)
        {
            State.TakeDisconnected(e);
            _pictures.Release();
        }

        private void OnDisable()
        {
            Application.onBeforeRender -= BeforeRender;
            if (_client != null)
                _client.Dispose();
            _client = null;
            Blades.SetClient(null);
            State.End();
            _jumps.End();
            _hands.End();
            _pictures.Release();
            _pictures.Draw(transform);
        }

        private void Update()
        {
            if (_client == null)
                Begin();
            Drain();
        }

        /// <summary>A handler that throws is no reason for the others to hear nothing, nor may disabling this.</summary>
        private void Drain()
        {
            for (bool isAll = false; !isAll && _client != null;)
            {
                try
                {
                    _client.Drain();
                    isAll = true;
                }
                catch (Exception e)
                {
                    Debug.LogException(e, this);
                }
            }
        }

        /// <summary>Where nothing is drawn (batch mode, a minimized window) nobody calls BeforeRender.</summary>
        private void LateUpdate()
        {
            if (_unseen++ >= UnseenMax)
                Push();
        }

        /// <summary>Unity puts tracked controllers to where they will be drawn in this very call (TrackedPoseDriver, at -30000), and
        /// what hands hold after that (XR Interaction Toolkit, at 100). In LateUpdate they are where they were half a frame
        /// before.</summary>
        [BeforeRenderOrder(10000)]
        private void BeforeRender()
        {
            if (_unseen > 0 && _unseen <= UnseenMax) // once a frame, however many cameras there are
                Push();
            _unseen = 0;
        }

        private void Push()
        {
            if (_client == null)
                return;
            if (_jumps.IsNow() || _isTeleport)
                TeleportAll();
            _hands.Look(Time.unscaledDeltaTime);
            Blades.Push(_hands);
            if (_client.SendPoses(Time.unscaledDeltaTime))
            {
                Blades.Sent();
                if (waitMs > 0)
                    _client.WaitForEvents(waitMs);
            }
            State.Look(_client, waitMs);
            _place = InScene();
            Drain();
            _pictures.Draw(transform);
        }

        /// <summary>Call it in the frame in which the game moves or turns the player at once. What hands carry then strikes nothing on the
        /// way; if this object is moved itself, neither does anything else. Not needed after a recentring, nor for the
        /// teleports and snap turns of XR Interaction Toolkit.</summary>
        public void Teleport()
        {
            _isTeleport = true;
        }

        private void TeleportAll()
        {
            Blades.Teleport(!Place.AreSame(_place, InScene()));
            _isTeleport = false;
        }

        private Place InScene()
        {
            return new Place { Position = transform.position, Rotation = transform.rotation, Scale = transform.lossyScale };
        }

        internal void Add(ClashdBlade blade)
        {
            Blades.Add(blade);
        }

        internal bool HasBlade(string blade)
        {
            return Blades.Has(blade);
        }

        internal void Remove(ClashdBlade blade)
        {
            Blades.Remove(blade);
        }

        internal void Add(ClashdTarget target)
        {
            Blades.Add(target);
        }

        internal void Remove(ClashdTarget target)
        {
            Blades.Remove(target);
        }

        internal void Add(ClashdPicture picture)
        {
            _pictures.Add(picture);
        }

        /// <summary>False where it was none of its own.</summary>
        internal bool Remove(ClashdPicture picture)
        {
            return _pictures.Remove(picture);
        }

        /// <summary>A position of an event in the scene.</summary>
        public Vector3 ToWorld(Vec3 position)
        {
            return transform.TransformPoint(Conversions.ToVector3(position));
        }

        /// <summary>A direction or a velocity of an event in the scene: turned, not moved or scaled.</summary>
        public Vector3 ToWorldDirection(Vec3 direction)
        {
            return transform.TransformDirection(Conversions.ToVector3(direction));
        }
    }
}
