// The core outside of Unity, for clashd's own tests: `unit` runs CoreTests; `live` prints a line for each event; `push`
// does so too, and pushes a post and a sword that strikes it, as of the frames of a game; `parts` does that with a sword of
// several parts; `wait` measures how long a frame waits for its events (Waits.cs); `blades` only defines two (Blades.cs); `box`, `mesh` and `hull` with a target in the post's place (Targets.cs); `lines` prints what it reads in a file of
// clashd's lines.
//
//     mono clashd_unity.exe unit
//     mono clashd_unity.exe lines FILE
//     mono clashd_unity.exe live|push|parts|wait|blades|box|mesh|hull tcp HOST PORT TOKEN_FILE | unix PATH | ws URL TOKEN_FILE     until standard input ends
using System;
using System.Globalization;
using System.Threading;

namespace Clashd.Tests
{
    public static class Program
    {
        public static int Main(string[] words)
        {
            CultureInfo.DefaultThreadCurrentCulture = new CultureInfo("de-DE"); // a comma in numbers must not get out
            Thread.CurrentThread.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture;
            if (words.Length == 1 && words[0] == "unit")
                return Unit();
            if (words.Length == 2 && words[0] == "lines")
                return Targets.Read(words[1]);
            if (words.Length == 5 && words[1] == "tcp")
                return Live(words[0], new ClashdOptions { Host = words[2], Port = int.Parse(words[3]), TokenFile = words[4] });
            if (words.Length == 3 && words[1] == "unix")
                return Live(words[0], new ClashdOptions { UnixSocket = words[2] });
            if (words.Length == 4 && words[1] == "ws")
                return Live(words[0], new ClashdOptions { WebSocket = words[2], TokenFile = words[3] });
            return 2;
        }

        private static int Unit()
        {
            int failed = 0;

            foreach (Action test in CoreTests.All)
            {
                try
                {
                    test();
                    Console.WriteLine("ok " + test.Method.Name);
                }
                catch (Exception e)
                {
                    Console.WriteLine("FAILED " + test.Method.Name + ": " + e);
                    failed++;
                }
            }
            return failed == 0 ? 0 : 1;
        }

        internal static void Say(string format, params object[] values)
        {
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, format, values));
            Console.Out.Flush();
        }

        private static readonly BladeShape Post = new BladeShape
        {
            Name = "post", Tip = new Vec3(0f, 1.8f, 0f), Radius = 0.06f
        };
        private static readonly BladeShape Sword = new BladeShape
        {
            Name = "sword \"1\"", Device = "sword hand", Tip = new Vec3(0f, 0f, 1f), Radius = 0.015f, HasEdge = true,
            Edge = new Vec3(0f, -1f, 0f)
        };

        /// <summary>The same, in two parts and with a guard.</summary>
        private static readonly BladeShape PartedSword = new BladeShape
        {
            Name = Sword.Name, Device = Sword.Device, Parts = new[]
            {
                new BladePart
                {
                    Name = "blade", Points = new[] { new Vec3(0f, 0f, 0f), new Vec3(0f, 0f, 0.9f), new Vec3(0f, 0f, 1f) },
                    Radius = 0.015f, HasEdge = true, Edge = new Vec3(0f, -1f, 0f)
                },
                new BladePart
                {
                    Name = "guard", Points = new[] { new Vec3(-0.1f, 0f, 0.05f), new Vec3(0.1f, 0f, 0.05f) }, Radius = 0.02f
                }
            }
        };

        /// <summary>The post stands 0.6 m in front; the sword, at 1.2 m, swings from side to side about its hilt.</summary>
        private static void Push(ClashdClient client, double seconds)
        {
            double half = 0.4 * Math.Sin(Math.PI * seconds);
            var turn = new Quat(0f, (float)Math.Sin(half), 0f, (float)Math.Cos(half));

            client.AddPose("post", new Vec3(0f, 0f, 0.6f), new Quat(0f, 0f, 0f, 1f));
            client.AddPose("sword hand", new Vec3(0f, 1.2f, 0f), turn);
            client.AddPose("nobody", new Vec3(0f, 0f, 0f), turn); // is not sent: it would spoil the others
            client.SendPoses();
        }

        private static void Watch(Action<string> command, ManualResetEvent stop)
        {
            for (string line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
                command(line);
            stop.Set();
        }

        private static int Live(string mode, ClashdOptions options)
        {
            if (mode == "wait")
                return Waits.Measure(options);
            var stop = new ManualResetEvent(false);
            Targets targets = mode == "box" || mode == "mesh" || mode == "hull" ? new Targets(mode, options) : null;
            Action<string> command = word => { if (targets != null) targets.Take(word); };
            var watcher = new Thread(() => Watch(command, stop)) { IsBackground = true };
            options.MinClosingSpeed = 0.125f;
            using (var client = new ClashdClient(options))
            {
                int main = Thread.CurrentThread.ManagedThreadId;
                bool pushes = mode != "live" && mode != "blades";
                client.Clash += e => { if (mode == "parts") Say("parts {0} {1}|{2}", e.Seq, e.Part0, e.Part1); };
                client.Clash += e => Say("clash {0} {1:G9} {2:G9} {3:G9} {4:G9} {5:G9} {6} {7} {8}", e.Seq, e.Midpoint.X,
                                         e.Midpoint.Y, e.Midpoint.Z, e.Normal.Z, e.ClosingSpeed, e.Blade0, e.Blade1,
                                         Thread.CurrentThread.ManagedThreadId == main);
                client.Hold += e => Say("hold {0} {1}", e.Seq, e.DurationNs);
                client.Release += e => Say("release {0} {1}", e.Seq, e.Reason);
                client.Tracking += e => Say("tracking {0} {1} {2}", e.Seq, e.Device, e.Tracked);
                client.Lagged += e => Say("lagged {0} {1} {2}", e.FromSeq, e.ToSeq, e.Missed);
                client.Connected += e => Say("connected {0}", e.Session);
                client.Disconnected += e => Say("disconnected {0}", e.Message);
                client.Problem += e => Say("problem {0}: {1}", e.Request, e.Message);
                if (targets != null)
                    targets.Begin(client);
                else if (pushes)
                    client.DefineBlade(Post);
                if (mode == "blades")
                    Blades.Define(client);
                else if (pushes)
                    client.DefineBlade(mode == "parts" ? PartedSword : Sword);
                client.Start();
                watcher.Start();
                var clock = System.Diagnostics.Stopwatch.StartNew();
                while (!stop.WaitOne(pushes ? 14 : 5))
                {
                    client.Drain();
                    if (pushes)
                        Push(client, targets != null ? targets.Step(clock.Elapsed.TotalSeconds) : clock.Elapsed.TotalSeconds);
                }
            }
            Say("disposed");
            return 0;
        }
    }
}
