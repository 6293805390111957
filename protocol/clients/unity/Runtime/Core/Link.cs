// A way to clashd: bytes of lines in both directions, over TCP, a Unix socket or (WebSocketLink.cs) WebSocket. One thread
// receives, one sends, any may Close, which ends what the others wait in. What goes wrong is an IOException,
// SocketException or ObjectDisposedException.
using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace Clashd
{
    internal abstract class Link
    {
        protected const int ConnectMs = 5000;

        public static Link Create(ClashdOptions options)
        {
            return options.WebSocket != null ? (Link)new WebSocketLink() : new SocketLink();
        }

        /// <summary>Returns when connected; gives up when `stop` is set. `token` is null where there is none.</summary>
        public abstract void Connect(ClashdOptions options, string token, WaitHandle stop);
        /// <summary>How many bytes have come; 0 at the end.</summary>
        public abstract int Receive(byte[] buffer, int offset, int count);
        /// <summary>Whole lines. Returns when all is on its way.</summary>
        public abstract void Send(byte[] bytes, int offset, int count);
        /// <summary>Tells the other side that nothing more comes, and returns at once, whatever other threads do with it.</summary>
        public virtual void Shut() { }
        /// <summary>May wait until other threads have left it.</summary>
        public abstract void Close();
    }

    internal sealed class SocketLink : Link
    {
        private readonly object _gate = new object();
        private Socket _socket;
        private bool _isClosed;

        public override void Connect(ClashdOptions options, string token, WaitHandle stop)
        {
            bool isUnix = options.UnixSocket != null;
            var socket = isUnix ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
                                : new Socket(SocketType.Stream, ProtocolType.Tcp);

            lock (_gate)
            {
                _socket = socket;
                if (_isClosed)
                    socket.Close();
            }
            if (isUnix)
            {
                socket.Connect(new UnixDomainSocketEndPoint(options.SocketPath()));
                return;
            }
            socket.NoDelay = true;
            IAsyncResult connecting = socket.BeginConnect(options.Host, options.Port, null, null);
            if (WaitHandle.WaitAny(new[] { connecting.AsyncWaitHandle, stop }, ConnectMs) != 0)
                throw new IOException("no answer from " + options.Host + ":" + options.Port);
            socket.EndConnect(connecting);
            if (token != null)
            {
                byte[] line = Requests.Auth(token);
                Send(line, 0, line.Length);
            }
        }

        public override int Receive(byte[] buffer, int offset, int count)
        {
            return _socket.Receive(buffer, offset, count, SocketFlags.None);
        }

        public override void Send(byte[] bytes, int offset, int count)
        {
            while (count > 0)
            {
                int sent = _socket.Send(bytes, offset, count, SocketFlags.None);

                offset += sent;
                count -= sent;
            }
        }

        public override void Shut()
        {
            Socket socket;

            lock (_gate)
            {
                _isClosed = true;
                socket = _socket;
            }
            try
            {
                if (socket != null && socket.Connected)
                    socket.Shutdown(SocketShutdown.Both);
            }
            catch (Exception e) when (e is SocketException || e is ObjectDisposedException)
            {
                // it is closed already
            }
        }

        public override void Close()
        {
            Socket socket;

            lock (_gate)
            {
                _isClosed = true;
                socket = _socket;
            }
            if (socket != null)
                socket.Close();
        }
    }
}
