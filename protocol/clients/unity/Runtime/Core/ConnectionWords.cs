// What to tell whoever cannot connect: to which address, why, and what to start.
using System;
using System.IO;
using System.Net.Sockets;

namespace Clashd
{
    internal static class ConnectionWords
    {
        internal static string Where(ClashdOptions options)
        {
            if (options.WebSocket != null)
                return options.WebSocket;
            if (options.UnixSocket == null)
                return options.Host + ":" + options.Port;
            return options.UnixSocket.Length > 0 ? options.UnixSocket : "clashd's socket, clashd/clashd.sock in XDG_RUNTIME_DIR";
        }

        /// <summary>Up to its port; Uri would refuse what is no address at all.</summary>
        private static string PortOf(string url)
        {
            int colon = url.LastIndexOf(':');
            string rest = colon < 0 ? "" : url.Substring(colon + 1).Split('/')[0];
            int port;

            return int.TryParse(rest, out port) ? rest : "4718";
        }

        private static string Start(ClashdOptions options)
        {
            return options.WebSocket != null ? "clashd --websocket " + PortOf(options.WebSocket) :
                options.UnixSocket != null ? "clashd" : "clashd --tcp " + options.Port;
        }

        private static string Why(Exception e, ClashdOptions options)
        {
            var failed = (e as SocketException) ?? (e.InnerException as SocketException);

            if (e is FileNotFoundException || e is DirectoryNotFoundException) // which goes when clashd ends
                return "there is no token at " + options.TokenFile;
            if (failed != null && options.UnixSocket != null && options.UnixSocket.Length > 0 && !File.Exists(options.UnixSocket))
                return "there is no such socket";
            if (failed != null && failed.SocketErrorCode == SocketError.ConnectionRefused)
                return "nobody listens there";
            if (failed != null && failed.SocketErrorCode == SocketError.HostNotFound)
                return "there is no such host";
            return e.Message;
        }

        internal static string CannotConnect(Exception e, ClashdOptions options)
        {
            return "cannot connect to " + Where(options) + ": " + Why(e, options) + ". Start \"" + Start(options) +
                "\"; it is tried again until it is there";
        }

        /// <summary>Tries it, and says in words what came of it. Waits so long at most.</summary>
        internal static string Try(ClashdOptions options, int milliseconds)
        {
            var clock = System.Diagnostics.Stopwatch.StartNew();
            string words = null;

            using (var client = new ClashdClient(options))
            {
                client.Connected += e => words = "clashd " + e.Version + " answers at " + Where(options) +
                    (e.CanFeed ? "" : "; it cannot be fed");
                client.Problem += e => words = words ?? e.Message;
                client.Start();
                while (words == null && clock.ElapsedMilliseconds < milliseconds)
                {
                    System.Threading.Thread.Sleep(5);
                    client.Drain();
                }
            }
            return words ?? "no answer from " + Where(options) + " yet";
        }
    }
}
