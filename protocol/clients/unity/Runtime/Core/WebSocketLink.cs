// WebSocket: one message a text frame, without the newline, which is added on the way in and taken off on the way out.
// System.Net.WebSockets makes objects for each message: for no allocation at all use the other ways.
using System;
using System.IO;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;

namespace Clashd
{
    internal sealed class WebSocketLink : Link
    {
        private readonly ClientWebSocket _socket = new ClientWebSocket();
        private readonly CancellationTokenSource _cancel = new CancellationTokenSource();

        /// <summary>Its many exceptions as one kind, with what is at their bottom.</summary>
        private static IOException Failed(Exception e)
        {
            while (e.InnerException != null)
                e = e.InnerException;
            return new IOException(e.Message, e);
        }

        private static bool IsExpected(Exception e)
        {
            return e is WebSocketException || e is AggregateException || e is OperationCanceledException ||
                e is InvalidOperationException || e is ArgumentException || e is UriFormatException ||
                e is System.Net.WebException;
        }

        public override void Connect(ClashdOptions options, string token, WaitHandle stop)
        {
            try
            {
                _socket.Options.AddSubProtocol("clashd.v1");
                if (token != null)
                    _socket.Options.AddSubProtocol("token." + token);
                Task connecting = _socket.ConnectAsync(new Uri(options.WebSocket), _cancel.Token);
                var done = ((IAsyncResult)connecting).AsyncWaitHandle;
                if (WaitHandle.WaitAny(new[] { done, stop }, ConnectMs) != 0)
                    throw new IOException("no answer from " + options.WebSocket);
                connecting.GetAwaiter().GetResult();
            }
            catch (Exception e) when (IsExpected(e))
            {
                throw Failed(e);
            }
        }

        public override int Receive(byte[] buffer, int offset, int count)
        {
            try
            {
                // One byte is kept for the newline.
                var room = new ArraySegment<byte>(buffer, offset, count - 1);
                WebSocketReceiveResult result = _socket.ReceiveAsync(room, _cancel.Token).GetAwaiter().GetResult();

                if (result.MessageType == WebSocketMessageType.Close)
                    return 0;
                if (!result.EndOfMessage)
                    return result.Count > 0 ? result.Count : Receive(buffer, offset, count);
                buffer[offset + result.Count] = (byte)'\n';
                return result.Count + 1;
            }
            catch (Exception e) when (IsExpected(e))
            {
                throw Failed(e);
            }
        }

        public override void Send(byte[] bytes, int offset, int count)
        {
            try
            {
                for (int end = offset + count; offset < end;)
                {
                    int newline = Array.IndexOf(bytes, (byte)'\n', offset, end - offset);
                    var line = new ArraySegment<byte>(bytes, offset, newline - offset);

                    _socket.SendAsync(line, WebSocketMessageType.Text, true, _cancel.Token).GetAwaiter().GetResult();
                    offset = newline + 1;
                }
            }
            catch (Exception e) when (IsExpected(e))
            {
                throw Failed(e);
            }
        }

        public override void Close()
        {
            _cancel.Cancel();
            _socket.Abort();
        }
    }
}
