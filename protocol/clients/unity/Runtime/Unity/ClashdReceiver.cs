// The component: put it on any object, and its events come on the main thread, in Unity's axes, relative to this object's
// transform: let it be the tracking origin (the XR rig). Tells clashd of all ClashdBlades and ClashdTargets that belong to
// it, and where they are. Thin on purpose; everything else is in Clashd.Core.
using System;
using System.Collections.Generic;
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
    [DefaultExecutionOrder(1000)] // its LateUpdate pushes where everything else has come to rest
    public sealed class ClashdReceiver : MonoBehaviour
    {
        [Tooltip("TCP works everywhere; Unix sockets on Linux")]
        public ClashdTransport transport = ClashdTransport.Tcp;
        [Tooltip("TCP: clashd listens there when started with --tcp PORT")]
        public string host = "127.0.0.1";
        public int port = 4717;
        [Tooltip("Empty: where clashd listens by default")]
        public string unixSocket = "";
        [Tooltip("clashd listens there when started with --websocket PORT")]
        public string webSocket = "ws://127.0.0.1:4718";
        [Tooltip("The token's file, or clashd's socket beside which it is. Empty: found where clashd puts it by default")]
        public string tokenFile = "";
        [Tooltip("Only contacts that began at least this fast, m/s")]
        public float minClosingSpeed;
        [Tooltip("Only contacts that become this fast, m/s: told late where they begin more slowly. 0: all")]
        public float minPeakSpeed;
        [Tooltip("No contact that begins sooner than this after the same two parted, ms. 0: all")]
        public float minApartMs;
        [Tooltip("Whether to be told where devices are: Poses")]
        public bool poses;
        [Tooltip("Whether Clash, Hold and Poses say where to draw blades so that they do not sink into what they strike")]
        public bool resolvedPoses;
        [Tooltip("Poses a second, at most")]
        public float poseRate = 90f;

        /// <summary>The event's object is used again: read what you need during the call.</summary>
        public event Action<ClashdEvent> Clash, Hold, Release, Tracking, SpaceChanged, Poses, Lagged;

        private readonly List<ClashdBlade> _blades = new List<ClashdBlade>();
        private readonly List<ClashdTarget> _targets = new List<ClashdTarget>();
        private readonly List<ClashdPicture> _pictures = new List<ClashdPicture>();
        private ClashdClient _client;

        private static readonly string[] Events = { "clash", "hold", "release", "tracking", "space_changed" };
        private static readonly string[] EventsAndPoses = { "clash", "hold", "release", "tracking", "space_changed", "poses" };

        private void OnEnable()
        {
            _client = new ClashdClient(new ClashdOptions
            {
                Host = host,
                Port = port,
                UnixSocket = transport == ClashdTransport.UnixSocket ? unixSocket : null,
                WebSocket = transport == ClashdTransport.WebSocket ? webSocket : null,
                TokenFile = tokenFile.Length > 0 ? tokenFile : null,
                MinClosingSpeed = minClosingSpeed,
                MinPeakSpeed = minPeakSpeed,
                MinApartMs = minApartMs,
                Events = poses || resolvedPoses ? EventsAndPoses : Events,
                PoseRateHz = poseRate,
                ResolvedPoses = resolvedPoses
            });
            Listen();
            foreach (ClashdBlade blade in _blades)
                _client.DefineBlade(blade.Shape(transform));
            foreach (ClashdTarget target in _targets)
                target.Define(_client, transform);
            _client.Start();
        }

        private void Listen()
        {
            _client.Clash += e => { if (Clash != null) Clash(e); };
            _client.Hold += e => { if (Hold != null) Hold(e); };
            _client.Release += e => { if (Release != null) Release(e); };
            _client.Tracking += TakeTracking;
            _client.SpaceChanged += e => { if (SpaceChanged != null) SpaceChanged(e); };
            _client.Poses += Take;
            _client.Lagged += e => { if (Lagged != null) Lagged(e); };
            _client.Connected += e => Debug.Log("clashd " + e.Version + ": connected", this);
            _client.Disconnected += TakeEnd;
            _client.Problem += e => Debug.LogWarning("clashd: " + e.Request + " " + e.Message, this);
        }

        private void Take(ClashdEvent e)
        {
            foreach (ClashdPicture picture in _pictures)
                picture.Take(e);
            if (Poses != null)
                Poses(e);
        }

        private void TakeTracking(ClashdEvent e)
        {
            foreach (ClashdPicture picture in _pictures)
                picture.TakeTracking(e);
            if (Tracking != null)
                Tracking(e);
        }

        private void TakeEnd(ClashdEvent e)
        {
            Debug.LogWarning("clashd: " + e.Message, this);
            ReleasePictures();
        }

        private void ReleasePictures()
        {
            foreach (ClashdPicture picture in _pictures)
                picture.Release();
        }

        private void OnDisable()
        {
            if (_client != null)
                _client.Dispose();
            _client = null;
            ReleasePictures();
            DrawPictures();
        }

        private void Update()
        {
            if (_client != null)
                _client.Drain();
        }

        private void LateUpdate()
        {
            if (_client == null)
                return;
            foreach (ClashdBlade blade in _blades)
                blade.Push(_client, transform);
            foreach (ClashdTarget target in _targets)
                target.Push(_client, transform);
            _client.SendPoses();
            DrawPictures();
        }

        private void DrawPictures()
        {
            foreach (ClashdPicture picture in _pictures)
                picture.Draw(transform);
        }

        internal void Add(ClashdBlade blade)
        {
            _blades.Add(blade);
            if (_client != null)
                _client.DefineBlade(blade.Shape(transform));
        }

        internal void Remove(ClashdBlade blade)
        {
            _blades.Remove(blade);
            if (_client != null)
                _client.RemoveBlade(blade.Name);
        }

        internal void Add(ClashdTarget target)
        {
            _targets.Add(target);
            Define(target);
        }

        internal void Define(ClashdTarget target)
        {
            if (_client != null)
                target.Define(_client, transform);
        }

        internal void Remove(ClashdTarget target)
        {
            if (_targets.Remove(target) && _client != null)
                _client.RemoveTarget(target.Name);
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
