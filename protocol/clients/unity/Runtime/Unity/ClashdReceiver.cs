// The component: put it on any object, and its events come on the main thread, in Unity's axes, relative to this object's
// transform: let it be the tracking origin (the XR rig). Pushes the poses of all ClashdBlades that belong to it. Thin on
// purpose; everything else is in Clashd.Core.
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

        /// <summary>The event's object is used again: read what you need during the call.</summary>
        public event Action<ClashdEvent> Clash, Hold, Release, Tracking, SpaceChanged, Lagged;

        private readonly List<ClashdBlade> _blades = new List<ClashdBlade>();
        private ClashdClient _client;

        private void OnEnable()
        {
            _client = new ClashdClient(new ClashdOptions
            {
                Host = host,
                Port = port,
                UnixSocket = transport == ClashdTransport.UnixSocket ? unixSocket : null,
                WebSocket = transport == ClashdTransport.WebSocket ? webSocket : null,
                TokenFile = tokenFile.Length > 0 ? tokenFile : null,
                MinClosingSpeed = minClosingSpeed
            });
            _client.Clash += e => { if (Clash != null) Clash(e); };
            _client.Hold += e => { if (Hold != null) Hold(e); };
            _client.Release += e => { if (Release != null) Release(e); };
            _client.Tracking += e => { if (Tracking != null) Tracking(e); };
            _client.SpaceChanged += e => { if (SpaceChanged != null) SpaceChanged(e); };
            _client.Lagged += e => { if (Lagged != null) Lagged(e); };
            _client.Connected += e => Debug.Log("clashd " + e.Version + ": connected", this);
            _client.Disconnected += e => Debug.LogWarning("clashd: " + e.Message, this);
            _client.Problem += e => Debug.LogWarning("clashd: " + e.Request + " " + e.Message, this);
            foreach (ClashdBlade blade in _blades)
                _client.DefineBlade(blade.Shape(transform));
            _client.Start();
        }

        private void OnDisable()
        {
            if (_client != null)
                _client.Dispose();
            _client = null;
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
            _client.SendPoses();
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

        /// <summary>A position of an event in the scene.</summary>
        public Vector3 ToWorld(Vec3 position)
        {
            return transform.TransformPoint(new Vector3(position.X, position.Y, position.Z));
        }

        /// <summary>A direction or a velocity of an event in the scene: turned, not moved or scaled.</summary>
        public Vector3 ToWorldDirection(Vec3 direction)
        {
            return transform.TransformDirection(new Vector3(direction.X, direction.Y, direction.Z));
        }
    }
}
