// How to reach clashd and what to ask of it.
using System;
using System.IO;

namespace Clashd
{
    public sealed class ClashdOptions
    {
        /// <summary>TCP: clashd listens there when started with --tcp PORT.</summary>
        public string Host = "127.0.0.1";
        public int Port = 4717;
        /// <summary>A Unix socket instead of TCP, where it is not null; "" for where clashd listens by default.</summary>
        public string UnixSocket;
        /// <summary>What TCP asks for. null: read from TokenFile at each connect, since it changes with each start of
        /// clashd.</summary>
        public string Token;
        /// <summary>null: clashd.token in $XDG_RUNTIME_DIR/clashd. No file, no token: clashd may not ask for one.</summary>
        public string TokenFile;

        /// <summary>"unity", "openxr" or "godot".</summary>
        public string Axes = "unity";
        public string[] Events = { "clash", "hold", "release", "tracking", "space_changed" };
        /// <summary>Only contacts in which one of these takes part; null for all.</summary>
        public string[] Blades;
        /// <summary>Only contacts that began at least this fast, m/s.</summary>
        public float MinClosingSpeed;

        /// <summary>Events that wait to be drained, at most.</summary>
        public int QueueCapacity = 1024;
        /// <summary>Between two attempts to connect: this at first, then twice as long each time.</summary>
        public int RetryMinMs = 250, RetryMaxMs = 5000;

        internal static string RuntimeDirectory()
        {
            string directory = Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR");

            if (string.IsNullOrEmpty(directory))
                throw new IOException("XDG_RUNTIME_DIR is not set, so where clashd is is not known: name its socket or its token file");
            return Path.Combine(directory, "clashd");
        }

        internal string SocketPath()
        {
            return UnixSocket.Length > 0 ? UnixSocket : Path.Combine(RuntimeDirectory(), "clashd.sock");
        }

        /// <summary>null where there is none.</summary>
        internal string FindToken()
        {
            if (Token != null)
                return Token;
            if (TokenFile != null)
                return File.ReadAllText(TokenFile).Trim();
            string path = string.IsNullOrEmpty(Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR"))
                ? null : Path.Combine(RuntimeDirectory(), "clashd.token");
            return path != null && File.Exists(path) ? File.ReadAllText(path).Trim() : null;
        }
    }
}
