// That nothing is allocated for an event on its way in or for a pose on its way out: no garbage collection in a game's frames.
using System;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using static Clashd.Tests.CoreTests;

namespace Clashd.Tests
{
    internal static class AllocationTests
    {
        private static int Collections(Action work)
        {
            GC.Collect();
            int before = GC.CollectionCount(0);
            work();
            return GC.CollectionCount(0) - before;
        }

        private static void Waste(int count)
        {
            object kept = null;

            for (int i = 0; i < count; i++)
                kept = new byte[16];
            GC.KeepAlive(kept);
        }

        /// <summary>As many events as would, at the smallest object each, fill any nursery several times.</summary>
        public static void AnEventAllocatesNothing()
        {
            const int count = 300000;
            byte[][] lines = Array.ConvertAll(new[]
            {
                ClashLine.Replace("\"midpoint\":", "\"parts\":[\"guard\",null],\"midpoint\":"), TargetTests.StruckLine,
                TargetTests.PosesLine
            }, Encoding.UTF8.GetBytes);
            var parser = new MessageParser();
            var queue = new EventQueue(16);
            ClashdEvent filling = new ClashdEvent(), drained = new ClashdEvent();

            Action<int> pass = i =>
            {
                byte[] line = lines[i % lines.Length];

                parser.Parse(line, 0, line.Length, filling);
                filling = queue.Put(filling);
                queue.Take(ref drained);
            };
            for (int i = 0; i < 100; i++)
                pass(i); // names, and room for poses, are made now
            Check(Collections(() => Waste(count)) > 0, "the collector is not seen");
            int ours = Collections(() =>
            {
                for (int i = 0; i < count; i++)
                    pass(i);
            });
            Check(ours == 0, ours + " collections");
        }

        /// <summary>A frame's wait, answered and not: by the bytes that this thread has had, where the engine counts them.</summary>
        public static void AWaitAllocatesNothing()
        {
            var counted = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread");
            var replies = new PushReplies();
            Action frame = () =>
            {
                long id = replies.Next();

                replies.Wait(1);
                replies.Answer(id);
                replies.Wait(1);
            };

            if (counted == null)
                return;
            var bytes = (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), counted);
            frame();
            long before = bytes();
            for (int i = 0; i < 50; i++)
                frame();
            Check(bytes() == before, bytes() - before + " bytes");
            before = bytes();
            Waste(100);
            Check(bytes() > before, "what is had is not seen");
        }

        private const string Hello = "{\"type\":\"hello\",\"session\":\"5e\",\"version\":\"1\",\"time_ns\":5," +
            "\"capabilities\":[\"axes\",\"feed\"]}\n";

        /// <summary>A clashd that sends clashes, each with poses, as fast as they are taken, and takes what it is told.</summary>
        private static void Serve(Socket listening, int lines)
        {
            byte[] hello = Encoding.UTF8.GetBytes(Hello);
            byte[] line = Encoding.UTF8.GetBytes(TargetTests.StruckLine + "\n" + TargetTests.PosesLine + "\n");
            byte[] sink = new byte[65536];

            using (Socket socket = listening.Accept())
            {
                socket.Send(hello);
                for (int i = 0; i < lines; i++)
                {
                    socket.Send(line);
                    while (socket.Available > 0)
                        socket.Receive(sink);
                }
                while (socket.Receive(sink) > 0) { }
            }
        }

        /// <summary>The whole way over TCP: two events each time, as many as would be noticed, and poses of two blades, a target and a
        /// hand out.</summary>
        public static void AConnectionAllocatesNothing()
        {
            const int count = 100000, warm = 2000;
            var listening = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            int taken = 0, before = 0, poses = 0;

            Check(Collections(() => Waste(2 * (count - warm))) > 0, "the collector is not seen");
            listening.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            listening.Listen(1);
            int port = ((IPEndPoint)listening.LocalEndPoint).Port;
            var server = new Thread(() => Serve(listening, count)) { IsBackground = true };
            server.Start();
            var options = new ClashdOptions { Port = port, Token = "none" };
            using (var client = new ClashdClient(options))
            {
                client.Clash += e => taken++;
                client.Poses += e => poses += e.PoseCount;
                client.Lagged += e => taken += (int)e.Missed;
                client.DefineBlade(new BladeShape { Name = "a", Tip = new Vec3(0f, 0f, 1f) });
                var part = new BladePart { Name = "p", Points = new[] { new Vec3(0f, 0f, 0f), new Vec3(0f, 0f, 1f) } };
                client.DefineBlade(new BladeShape { Name = "b", Parts = new[] { part } });
                client.DefineTarget(new TargetShape { Name = "t", Device = "t", Ball = new BallForm { Radius = 1f } });
                client.Feed("/user/hand/left");
                client.Start();
                for (bool isWarm = false; taken < count;)
                {
                    client.Drain(10);
                    client.AddPose("a", new Vec3(0.1f, taken, 1e-9f), new Quat(0f, 0.6f, 0f, 0.8f));
                    client.AddPose("b", new Vec3(0.1f, -taken, 1e-9f), new Quat(0f, 0.6f, 0f, 0.8f));
                    client.AddPose("t", new Vec3(0.1f, -taken, 1e-9f), new Quat(0f, 0.6f, 0f, 0.8f));
                    client.AddPose("/user/hand/left", new Vec3(0.1f, -taken, 1e-9f), new Quat(0f, 0.6f, 0f, 0.8f));
                    client.SendPoses(0.011);
                    if (isWarm || taken < warm)
                        continue;
                    isWarm = true;
                    GC.Collect();
                    before = GC.CollectionCount(0);
                }
                Check(poses > 0, "no poses");
                Check(GC.CollectionCount(0) == before, GC.CollectionCount(0) - before + " collections");
            }
            listening.Close();
        }
    }
}
