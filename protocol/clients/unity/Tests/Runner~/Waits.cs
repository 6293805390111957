// How long a frame waits for the events of its poses: two hands that are fed and ten other blades, 90 times a second.
using System;
using System.Diagnostics;
using System.Threading;

namespace Clashd.Tests
{
    internal static class Waits
    {
        private const int Others = 10, FrameMs = 11, Frames = 1800;

        private static readonly string[] Hands = { "/user/hand/left", "/user/hand/right" };

        private static void Push(ClashdClient client, int frame)
        {
            for (int i = 0; i < Hands.Length + Others; i++)
            {
                float x = i + (i % 2 == 0 ? 0.3f : -0.3f) * (float)Math.Sin(0.1 * frame); // neighbours touch in each turn

                client.AddPose(i < Hands.Length ? Hands[i] : "npc " + i, new Vec3(x, 1f, 0f), new Quat(0f, 0f, 0f, 1f));
            }
            client.SendPoses(0.001 * FrameMs);
        }

        /// <summary>Prints quantiles in µs, and how many took longer than 2 ms.</summary>
        internal static int Measure(ClashdOptions options)
        {
            var microseconds = new double[Frames];
            bool isConnected = false;
            int late = 0, clashes = 0;

            using (var client = new ClashdClient(options))
            {
                client.Connected += e => isConnected = e.CanFeed;
                client.Clash += e => clashes++;
                client.Problem += e => Program.Say("problem {0}: {1}", e.Request, e.Message);
                client.Feed(Hands);
                for (int i = 0; i < Hands.Length + Others; i++)
                    client.DefineBlade(new BladeShape
                    {
                        Name = "blade " + i, Device = i < Hands.Length ? Hands[i] : "npc " + i, Tip = new Vec3(0f, 0f, 1f), Radius = 0.3f
                    });
                client.Start();
                for (int frame = -100; frame < Frames; frame++)
                {
                    Thread.Sleep(FrameMs);
                    long begin = Stopwatch.GetTimestamp();
                    Push(client, frame);
                    bool isThere = client.WaitForEvents(2);
                    client.Drain();
                    if (frame < 0)
                        continue;
                    microseconds[frame] = (Stopwatch.GetTimestamp() - begin) * 1e6 / Stopwatch.Frequency;
                    late += isThere ? 0 : 1;
                }
            }
            Array.Sort(microseconds);
            Program.Say("{0} frames, fed {1}, {2} clashes; µs: p50 {3:0} p99 {4:0} p99.9 {5:0}; {6} without all events after 2 ms",
                        Frames, isConnected, clashes, microseconds[Frames / 2], microseconds[Frames * 99 / 100],
                        microseconds[Frames * 999 / 1000], late);
            return isConnected ? 0 : 1;
        }
    }
}
