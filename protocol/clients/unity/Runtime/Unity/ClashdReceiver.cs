// The component: put it on any object, and its events come on the main thread, in Unity's axes, relative to this object's
// transform: let it be the tracking origin (the XR rig). Thin on purpose; everything else is in Clashd.Core.
using System;
using UnityEngine;

namespace Clashd
{
    [AddComponentMenu("clashd/Clashd Receiver")]
    public sealed class ClashdReceiver : MonoBehaviour
    {
        [Tooltip("clashd listens there when started with --tcp PORT")]
        public string host = "127.0.0.1";
        public int port = 4717;
        [Tooltip("Use a Unix socket instead (Linux)")]
        public bool useUnixSocket;
        [Tooltip("Empty: where clashd listens by default")]
        public string unixSocket = "";
        [Tooltip("Empty: clashd.token beside the default socket")]
        public string tokenFile = "";
        [Tooltip("Only contacts that began at least this fast, m/s")]
        public float minClosingSpeed;

        /// <summary>The event's object is used again: read what you need during the call.</summary>
        public event Action<ClashdEvent> Clash, Hold, Release, Tracking, SpaceChanged, Lagged;

        private ClashdClient _client;

        private void OnEnable()
        {
            _client = new ClashdClient(new ClashdOptions
            {
                Host = host,
                Port = port,
                UnixSocket = useUnixSocket ? unixSocket : null,
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
            _client.Problem += e => Debug.LogWarning("clashd: " + e.Message, this);
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
