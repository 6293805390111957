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
        /// <summary>WebSocket instead of TCP, where it is not null: ws://127.0.0.1:4718 when clashd was started with
        /// --websocket 4718.</summary>
        public string WebSocket;
        /// <summary>What TCP and WebSocket ask for. null: read from TokenFile at each connect, since it changes with each start of
        /// clashd.</summary>
        public string Token;
        /// <summary>Or the path of clashd's Unix socket, beside which the token is. null: clashd.token where clashd listens
        /// by default; no file, no token: clashd may not ask for one.</summary>
        public string TokenFile;

        /// <summary>"unity", "openxr" or "godot".</summary>
        public string Axes = "unity";
        /// <summary>"poses" too, for where devices are.</summary>
        public string[] Events = { "clash", "hold", "release", "tracking", "space_changed" };
        /// <summary>Only contacts in which one of these takes part, blades or targets; null for all.</summary>
        public string[] Blades;
        /// <summary>Only contacts that began at least this fast, m/s.</summary>
        public float MinClosingSpeed;
        /// <summary>Only contacts that become this fast, m/s: where they begin more slowly, Late. 0: all.</summary>
        public float MinPeakSpeed;
        /// <summary>No contact that begins sooner than this after the same two parted, if that was told. 0: all.</summary>
        public float MinApartMs;
        /// <summary>At most so many Poses events a second; 0: as they come.</summary>
        public float PoseRateHz;
        /// <summary>Whether Clash, Hold and Poses say where to draw blades so that they do not sink into what they strike. Costs
        /// clashd some microseconds for each that would.</summary>
        public bool ResolvedPoses;

        /// <summary>Whether ClashdClient.Feed has an effect.</summary>
        public bool Feeds = true;

        /// <summary>Events that wait to be drained, at most.</summary>
        public int QueueCapacity = 1024;
        /// <summary>Between two attempts to connect: this at first, then twice as long each time.</summary>
        public int RetryMinMs = 250, RetryMaxMs = 5000;
        /// <summary>How long a server that accepts the connection may take to greet.</summary>
        internal int GreetMs = 5000;

        private static readonly string[] Known =
        {
            "clash", "hold", "release", "tracking", "space_changed", "poses", "recorder", "replay"
        };

        /// <summary>ArgumentException for an event that there is not: a typing error would mean silence for ever.</summary>
        internal void Check()
        {
            foreach (string name in Events)
                if (Array.IndexOf(Known, name) < 0)
                    throw new ArgumentException("there is no event \"" + name + "\": expected " + string.Join(", ", Known));
        }

        /// <summary>null where it is not known.</summary>
        private static string RuntimeDirectory()
        {
            string directory = Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR");

            if (string.IsNullOrEmpty(directory) && File.Exists("/proc/self/status"))
                directory = "/run/user/" + UserId();
            return string.IsNullOrEmpty(directory) ? null : Path.Combine(directory, "clashd");
        }

        private static string UserId()
        {
            foreach (string line in File.ReadAllLines("/proc/self/status"))
                if (line.StartsWith("Uid:", StringComparison.Ordinal))
                    return line.Split('\t')[1];
            return "";
        }

        internal string SocketPath()
        {
            string directory = RuntimeDirectory();

            if (UnixSocket.Length > 0)
                return UnixSocket;
            if (directory == null)
                throw new IOException("XDG_RUNTIME_DIR is not set, so where clashd is is not known: name its socket");
            return Path.Combine(directory, "clashd.sock");
        }

        /// <summary>null where there is none.</summary>
        internal string FindToken()
        {
            const string socket = ".sock";
            string path = TokenFile, directory = RuntimeDirectory();

            if (Token != null)
                return Token;
            if (path != null && path.EndsWith(socket, StringComparison.Ordinal))
                path = path.Substring(0, path.Length - socket.Length) + ".token";
            if (path != null)
                return File.ReadAllText(path).Trim();
            path = directory == null ? null : Path.Combine(directory, "clashd.token");
            return path != null && File.Exists(path) ? File.ReadAllText(path).Trim() : null;
        }
    }
}
