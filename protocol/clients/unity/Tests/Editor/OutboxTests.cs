// What is sent, over a way that keeps it: blades and targets of one name, refused ones, those of another connection; and what is
// asked for on coming back.
using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using static Clashd.Tests.CoreTests;

namespace Clashd.Tests
{
    internal static class OutboxTests
    {
        internal sealed class KeptLink : Link
        {
            private readonly StringBuilder _sent = new StringBuilder();

            public override void Connect(ClashdOptions options, string token, WaitHandle stop) { }
            public override int Receive(byte[] buffer, int offset, int count) { return 0; }
            public override void Close() { }

            public override void Send(byte[] bytes, int offset, int count)
            {
                lock (_sent)
                    _sent.Append(Encoding.UTF8.GetString(bytes, offset, count));
            }

            public string Sent()
            {
                lock (_sent)
                    return _sent.ToString();
            }
        }

        /// <summary>What another thread does with it holds up Close, as a system's socket may.</summary>
        private sealed class StuckLink : Link
        {
            public readonly ManualResetEvent Entered = new ManualResetEvent(false), Released = new ManualResetEvent(false);

            public override void Connect(ClashdOptions options, string token, WaitHandle stop) { }
            public override void Send(byte[] bytes, int offset, int count) { }
            public override void Close() { Released.WaitOne(); }

            public override int Receive(byte[] buffer, int offset, int count)
            {
                Entered.Set();
                Released.WaitOne();
                return 0;
            }
        }

        /// <summary>A game's main thread calls it, at the end of each scene.</summary>
        public static void DisposeWaitsForNothing()
        {
            var link = new StuckLink();
            var client = new ClashdClient(new ClashdOptions(), () => link);
            var disposing = new Thread(client.Dispose) { IsBackground = true };

            client.Start();
            link.Entered.WaitOne();
            disposing.Start();
            bool isDone = disposing.Join(20000); // which it is at once, or never
            link.Released.Set();
            Check(isDone, "Dispose waits for a link that is in use");
        }

        internal static readonly Vec3 Zero = new Vec3(0f, 0f, 0f);
        internal static readonly Quat Unturned = new Quat(0f, 0f, 0f, 1f);

        private static TargetShape Ball(string name, float radius, string device = null)
        {
            return new TargetShape { Name = name, Device = device, Ball = new BallForm { Radius = radius } };
        }

        internal static BladeShape Blade(string name, string device = null)
        {
            return new BladeShape { Name = name, Device = device, Tip = new Vec3(0f, 0f, 1f), Radius = 1f };
        }

        /// <summary>What it is about of each line but pings: `target t 1` with its radius, `remove t`.</summary>
        private static string Summary(string sent)
        {
            var words = new StringBuilder();

            foreach (string line in sent.Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries))
            {
                if (line.Contains("\"type\":\"ping\""))
                    continue;
                words.Append(words.Length > 0 ? ", " : "").Append(Part(line, "\"type\":\"", "\""));
                words.Append(Part(line, "\"name\":\"", "\"", " "));
                words.Append(Part(line, "\"radius\":", line.Contains("{\"center") ? "}" : ",", " "));
            }
            return words.ToString();
        }

        internal static string Part(string line, string from, string to, string before = "")
        {
            int start = line.IndexOf(from, StringComparison.Ordinal);

            if (start < 0)
                return "";
            start += from.Length;
            return before + line.Substring(start, line.IndexOf(to, start, StringComparison.Ordinal) - start);
        }

        internal static void Run(Action<Outbox, KeptLink> work, string expected)
        {
            var outbox = new Outbox("unity");
            var link = new KeptLink();
            var clock = Stopwatch.StartNew();

            outbox.Start();
            work(outbox, link);
            while (Summary(link.Sent()) != expected && clock.Elapsed.TotalSeconds < 30)
                Thread.Sleep(1);
            outbox.Stop();
            Check(Summary(link.Sent()) == expected, Summary(link.Sent()));
        }

        internal static void Begin(Outbox outbox, Link link, bool canFeed = true)
        {
            outbox.Begin(link, new ClashdOptions(), -1, 0, canFeed);
        }

        public static void AllIsToldAgain()
        {
            Run((outbox, link) =>
            {
                outbox.Define(Ball("t", 1f));
                Begin(outbox, new KeptLink());
                outbox.Define(Ball("t", 2f));
                outbox.Define(Ball("gone", 2f));
                outbox.Remove("gone");
                outbox.Refuse("target t"); // counts for that connection only
                outbox.End();
                Begin(outbox, link);
                outbox.Refuse("target t"); // for someone else has it now
                outbox.Remove("t");
                outbox.Define(Ball("last", 3f));
            }, "subscribe, target t 2, target last 3");
        }

        /// <summary>What stood before what was refused goes; what never stood may be someone else's.</summary>
        public static void WhatIsRefusedGoes()
        {
            Run((outbox, link) =>
            {
                Begin(outbox, link);
                outbox.Define(Ball("t", 1f));
                outbox.Define(Ball("t", 2f));
                outbox.Refuse("target t");
                outbox.Define(Ball("t", 3f));
                outbox.Refuse("target t");
                outbox.Remove("t");
                outbox.Define(Ball("taken", 4f));
                outbox.Refuse("target taken");
                outbox.Remove("taken");
                outbox.Remove("never");
            }, "subscribe, target t 1, target t 2, target t 3, remove t, target taken 4");
        }

        public static void ATargetTakesNoBladesPlace()
        {
            Run((outbox, link) =>
            {
                outbox.Define(Blade("b"));
                Begin(outbox, link);
                outbox.Define(Ball("b", 2f));
                outbox.Refuse("blade b"); // of the one before
                outbox.Remove("b");
            }, "subscribe, blade b 1, remove b, target b 2, remove b");
        }

        public static void OnlyWhatIsCarriedHasPoses()
        {
            Run((outbox, link) =>
            {
                outbox.Define(Ball("still", 1f));
                outbox.Define(Ball("shield", 1f, "arm"));
                Check(!outbox.AddPose("arm", Zero, Unturned, false), "no connection");
                Begin(outbox, link);
                Check(!outbox.AddPose("still", Zero, Unturned, false), "a still one is not a device");
                Check(outbox.AddPose("arm", Zero, Unturned, false) && outbox.Flush(0.0), "a carried one's device is");
                outbox.Refuse("target shield");
                Check(!outbox.AddPose("arm", Zero, Unturned, false), "a refused one's is not");
            }, "subscribe, target still 1, target shield 1, poses");
        }

        /// <summary>A clashd that says hello, `lines`, and no more. The subscription that it got, the `count`th time.</summary>
        private static string Serve(TcpListener listener, int count, string lines)
        {
            const string hello = "{\"type\":\"hello\",\"session\":\"5e\",\"version\":\"1\",\"time_ns\":5," +
                "\"capabilities\":[\"axes\",\"since_seq\"]}\n";
            byte[] bytes = Encoding.UTF8.GetBytes(hello + lines);
            string subscription = "";

            for (int i = 0; i < count; i++)
            {
                using (TcpClient client = listener.AcceptTcpClient())
                using (var reader = new StreamReader(client.GetStream()))
                {
                    reader.ReadLine(); // auth
                    client.GetStream().Write(bytes, 0, bytes.Length);
                    subscription = reader.ReadLine();
                }
            }
            return subscription;
        }

        /// <summary>Poses have no number of their own: after some it goes on from the event before.</summary>
        public static void ItGoesOnFromTheLastEvent()
        {
            string subscription = SubscriptionAfter(ClashLine);

            Check(subscription.Contains("\"since_seq\":3}"), subscription);
            subscription = SubscriptionAfter(ClashLine.Replace("\"tracked\":true", "\"late\":true,\"tracked\":true"));
            Check(subscription.Contains("\"min_peak_speed\":25e-1,\"min_apart_ms\":5e1,\"since_seq\":3,\"since_late\":7}"),
                  subscription);
        }

        private static string SubscriptionAfter(string line)
        {
            var listener = new TcpListener(IPAddress.Loopback, 0);
            string subscription = "";

            listener.Start();
            int port = ((IPEndPoint)listener.LocalEndpoint).Port;
            string lines = line + "\n" + TargetTests.PosesLine + "\n";
            var server = new Thread(() => subscription = Serve(listener, 2, lines)) { IsBackground = true };
            server.Start();
            using (var client = new ClashdClient(new ClashdOptions { Port = port, Token = "none", RetryMinMs = 1, MinPeakSpeed = 2.5f,
                                                                     MinApartMs = 50f }))
            {
                client.Start();
                Check(server.Join(60000), "it does not come back");
            }
            listener.Stop();
            return subscription;
        }
    }
}
