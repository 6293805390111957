// What is sent, over a way that keeps it: blades and targets of one name, refused ones, those of another connection.
using System;
using System.Diagnostics;
using System.Text;
using System.Threading;
using static Clashd.Tests.CoreTests;

namespace Clashd.Tests
{
    internal static class OutboxTests
    {
        private sealed class KeptLink : Link
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

        private static readonly Vec3 Zero = new Vec3(0f, 0f, 0f);
        private static readonly Quat Unturned = new Quat(0f, 0f, 0f, 1f);

        private static TargetShape Ball(string name, float radius, string device = null)
        {
            return new TargetShape { Name = name, Device = device, Ball = new BallForm { Radius = radius } };
        }

        private static BladeShape Blade(string name)
        {
            return new BladeShape { Name = name, Tip = new Vec3(0f, 0f, 1f), Radius = 1f };
        }

        /// <summary>What it is about of each line: `target t 1` with its radius, `remove t`.</summary>
        private static string Summary(string sent)
        {
            var words = new StringBuilder();

            foreach (string line in sent.Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries))
            {
                words.Append(words.Length > 0 ? ", " : "").Append(Part(line, "\"type\":\"", "\""));
                words.Append(Part(line, "\"name\":\"", "\"", " "));
                words.Append(Part(line, "\"radius\":", line.Contains("{\"center") ? "}" : ",", " "));
            }
            return words.ToString();
        }

        private static string Part(string line, string from, string to, string before = "")
        {
            int start = line.IndexOf(from, StringComparison.Ordinal);

            if (start < 0)
                return "";
            start += from.Length;
            return before + line.Substring(start, line.IndexOf(to, start, StringComparison.Ordinal) - start);
        }

        private static void Run(Action<Outbox, KeptLink> work, string expected)
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

        private static void Begin(Outbox outbox, Link link)
        {
            outbox.Begin(link, new ClashdOptions(), -1);
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
                outbox.Remove("t");
            }, "subscribe, target t 2, remove t");
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
                Check(outbox.AddPose("arm", Zero, Unturned, false) && outbox.Flush(), "a carried one's device is");
                outbox.Refuse("target shield");
                Check(!outbox.AddPose("arm", Zero, Unturned, false), "a refused one's is not");
            }, "subscribe, target still 1, target shield 1, poses");
        }
    }
}
