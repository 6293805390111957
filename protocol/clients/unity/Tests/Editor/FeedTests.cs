// What a feed is told and when; which poses go, as of when; and the wait for what they caused.
using System;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using static Clashd.Tests.CoreTests;
using static Clashd.Tests.OutboxTests;

namespace Clashd.Tests
{
    internal static class FeedTests
    {
        private const string Left = "/user/hand/left", Right = "/user/hand/right";
        private const int ForeverMs = 60000;

        private static bool Add(Outbox outbox, string device)
        {
            return outbox.AddPose(device, Zero, Unturned, false);
        }

        public static void AFeedIsToldBeforeItsBlades()
        {
            Run((outbox, link) =>
            {
                outbox.Feed(new[] { Left });
                outbox.Define(Blade("left", Left));
                outbox.Define(Blade("npc"));
                Check(!Add(outbox, Left), "no connection");
                Begin(outbox, link);
                Check(Add(outbox, Left) && !Add(outbox, Right), "what is fed");
                outbox.Feed(new[] { Left, Right });
                Check(Add(outbox, Right) && outbox.Flush(0.0), "without a blade of its own too");
                outbox.Feed(new string[0]);
                Check(outbox.Flush(0.0), "nothing to send");
            }, "subscribe, feed, blade left 1, blade npc 1, feed, poses, feed");
        }

        public static void AnOldOneKeepsThePlayersHands()
        {
            Run((outbox, link) =>
            {
                outbox.Feed(new[] { Left });
                outbox.Define(Blade("left", Left));
                outbox.Define(Blade("npc"));
                Begin(outbox, link, false);
                outbox.Define(Blade("right", Right));
                outbox.Feed(new[] { Left, Right });
                Check(!Add(outbox, Left) && !Add(outbox, Right) && Add(outbox, "npc"), "its own alone");
                outbox.Remove("right");
                Check(outbox.Flush(0.0) && outbox.Replies.Wait(ForeverMs), "no wait for what is not answered");
            }, "subscribe, blade npc 1, poses");
        }

        public static void ARefusedFeedSendsNothing()
        {
            Run((outbox, link) =>
            {
                Begin(outbox, link);
                outbox.Feed(new[] { Left });
                outbox.Refuse("feed");
                Check(!Add(outbox, Left), "refused");
                outbox.Feed(new[] { Right });
                Check(Add(outbox, Right), "another one is not");
            }, "subscribe, feed, feed");
        }

        /// <summary>Of more devices than go into a message: all of one time, or none.</summary>
        public static void PosesOfOneTime()
        {
            const int count = 100;
            var link = new KeptLink();
            var outbox = new Outbox("unity");

            outbox.Start();
            for (int i = 0; i < count; i++)
                outbox.Define(Blade("b" + i));
            Begin(outbox, link);
            for (int i = 0; i < count; i++)
                Check(Add(outbox, "b" + i), "pose " + i);
            Check(outbox.Flush(0.0), "flush");
            var clock = Stopwatch.StartNew();
            while (!link.Sent().Contains("\"id\":2}") && clock.Elapsed.TotalSeconds < 30)
                Thread.Sleep(1);
            outbox.Stop();
            string[] lines = Array.FindAll(link.Sent().Split('\n'), line => line.Contains("\"poses\":["));
            Check(lines.Length == 2, lines.Length + " messages");
            string first = Part(lines[0], "\"time_ns\":", ","), second = Part(lines[1], "\"time_ns\":", ",");
            Check(first == second && lines[0].Contains("b63") && lines[1].Contains("b64"), first + " and " + second);
        }

        private static long Sent(KeptLink link, int id)
        {
            var clock = Stopwatch.StartNew();
            string end = "\"id\":" + id + "}";

            while (!link.Sent().Contains(end) && clock.Elapsed.TotalSeconds < 30)
                Thread.Sleep(1);
            string line = Array.Find(link.Sent().Split('\n'), one => one.EndsWith(end, StringComparison.Ordinal));
            return long.Parse(Part(line, "\"time_ns\":", ","));
        }

        /// <summary>As the game counts them, as long as that is near the clock, and never ahead of it.</summary>
        public static void TimesAreTheFrames()
        {
            var link = new KeptLink();
            var outbox = new Outbox("unity");
            Action<double> push = seconds =>
            {
                Check(Add(outbox, "b") && outbox.Flush(seconds), "push");
            };

            outbox.Start();
            outbox.Define(Blade("b"));
            Begin(outbox, link);
            push(0.0);
            push(0.001); // which cannot have passed yet
            long ahead = outbox.Clock.SessionNs();
            Thread.Sleep(5);
            push(0.002);
            push(0.0000015);
            Thread.Sleep(100);
            push(0.001); // too far behind
            long late = outbox.Clock.SessionNs();
            Check(Sent(link, 2) <= ahead, "ahead of the clock");
            long apart = Sent(link, 4) - Sent(link, 3);
            Check(apart == 1500 || apart > 10000000, "not as the frames are: " + apart); // or a machine that stood still
            Check(Sent(link, 5) > Sent(link, 4) + 50000000 && Sent(link, 5) <= late, "not as the clock is");
            outbox.Stop();
        }

        /// <summary>A server whose clock goes faster or slower, for an hour, over a network that is sometimes slow. No pose is further off than
        /// that, whereas clashd refuses one that is 50 ms ahead of it.</summary>
        private static void Follow(double rate, bool isAsked)
        {
            const long second = 1000000000;
            var random = new Random(3);
            long now = 70 * second, worst = 0;
            Func<long> server = () => (long)((now - 70 * second) * rate);
            var clock = new SessionClock(() => now);

            clock.Set(0, 0);
            for (int i = 0; i < 3600; i++)
            {
                long there = random.Next(100000, 3000000), back = random.Next(100000, 3000000) * (i % 20 == 0 ? 25L : 1L);

                now += second - there - back;
                if (isAsked)
                    clock.Ask();
                now += there;
                long answer = server();
                now += back;
                if (isAsked)
                    clock.Answer(answer);
                worst = Math.Max(worst, Math.Abs(clock.SessionNs() - server()));
            }
            Check(isAsked ? worst < 12000000 : worst > 50000000, "rate " + rate + ": " + worst + " ns off");
        }

        public static void AClockThatDrifts()
        {
            foreach (double rate in new[] { 1.0, 1.00005, 0.99995, 1.002, 0.998 })
                Follow(rate, true);
            Follow(1.002, false); // as if it was not asked
        }

        /// <summary>A question of the connection before is not answered by this one; a clashd that does not say its time changes nothing.</summary>
        public static void AnswersThatDoNotCount()
        {
            long now = 1000;
            var clock = new SessionClock(() => now);

            clock.Set(0, 5000);
            clock.Ask();
            clock.Answer(0);
            Check(clock.SessionNs() == 5000, "without a time");
            clock.Set(0, 5000);
            clock.Answer(99000);
            Check(clock.SessionNs() == 5000, "not asked");
            clock.Ask();
            now += 10;
            clock.Answer(99000);
            Check(clock.SessionNs() == 99000, "asked: " + clock.SessionNs());
            clock.Answer(5000);
            Check(clock.SessionNs() == 99000, "answered twice");
        }

        /// <summary>Something else listens there: it accepts and never greets.</summary>
        public static void AServerThatNeverGreets()
        {
            var listening = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            string words = null;

            listening.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            listening.Listen(8);
            int port = ((IPEndPoint)listening.LocalEndPoint).Port;
            using (var client = new ClashdClient(new ClashdOptions { Port = port, Token = "none", GreetMs = 1000 }))
            {
                client.Problem += e => words = e.Message;
                client.Start();
                for (int i = 0; words == null && i < 30000; i++)
                {
                    Thread.Sleep(1);
                    client.Drain();
                }
            }
            listening.Close();
            Check(words == "cannot connect to 127.0.0.1:" + port + ": something accepts the connection, but does not greet as clashd within " +
                  "1 s. Start \"clashd --tcp " + port + "\"; it is tried again until it is there", words ?? "nothing");
        }

        public static void WhoFeedsADevice()
        {
            const string tracking = "{\"type\":\"tracking\",\"seq\":1,\"time_ns\":2,\"device\":\"/user/hand/left\",\"tracked\":true," +
                "\"reason\":\"found\"";

            Check(Parse(tracking + ",\"source\":\"game\"}").Source == "game", "tracking");
            Check(Parse(tracking + "}").Source == "", "nobody");
            Check(Parse("{\"type\":\"space_changed\",\"seq\":1,\"time_ns\":2,\"source\":\"layer\"}").Source == "layer", "space_changed");
            ClashdEvent hello = Parse("{\"type\":\"hello\",\"session\":\"5e\",\"capabilities\":[\"axes\",\"feed\"],\"devices\":" +
                                      "[{\"device\":\"/user/hand/left\",\"tracked\":true,\"source\":\"openxr\"}]}");
            Check(hello.CanFeed && hello.Source == "" && hello.Device == "", "hello");
        }

        public static void AnEventThatThereIsNot()
        {
            try
            {
                new ClashdClient(new ClashdOptions { Events = new[] { "clash", "clahs" } });
            }
            catch (ArgumentException e)
            {
                Check(e.Message.Contains("\"clahs\"") && e.Message.Contains("space_changed"), e.Message);
                return;
            }
            Check(false, "it is taken");
        }

        /// <summary>Where, why and what to start.</summary>
        public static void WhoCannotConnect()
        {
            Action<ClashdOptions, string> check = (options, words) =>
            {
                string said = ConnectionWords.Try(options, ForeverMs);

                Check(said == "cannot connect to " + words + "\"; it is tried again until it is there", said);
            };
            string nowhere = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "clashd-nowhere");

            check(new ClashdOptions { Port = 1, Token = "none" }, "127.0.0.1:1: nobody listens there. Start \"clashd --tcp 1");
            check(new ClashdOptions { TokenFile = nowhere },
                  "127.0.0.1:4717: there is no token at " + nowhere + ". Start \"clashd --tcp 4717");
            check(new ClashdOptions { UnixSocket = nowhere }, nowhere + ": there is no such socket. Start \"clashd");
            string web = ConnectionWords.Try(new ClashdOptions { WebSocket = "ws://127.0.0.1:1/", Token = "none" }, ForeverMs);
            Check(web.StartsWith("cannot connect to ws://127.0.0.1:1/: ") && web.Contains("Start \"clashd --websocket 1\""), web);
        }

        /// <summary>A wait that would not end is seen by the test's own end.</summary>
        /// <summary>Answers that come after the wait: a few frames wait in vain, then none, until answers are quick for a while.</summary>
        public static void WaitsInVain()
        {
            var replies = new PushReplies();

            for (int i = 0; i < PushReplies.MissesMax; i++)
            {
                Check(!replies.HasGivenUp, "given up after " + i);
                long id = replies.Next();
                Check(!replies.Wait(1), "not answered");
                replies.Answer(id);
            }
            int quick = 0;
            for (; replies.HasGivenUp && quick <= PushReplies.QuickMin; quick++)
            {
                long id = replies.Next();
                Check(!replies.Wait(ForeverMs), "it waited");
                replies.Answer(id);
            }
            // The last one above may have been quick, too.
            Check(quick >= PushReplies.QuickMin - 1 && !replies.HasGivenUp, quick + " quick answers");
            long last = replies.Next();
            new Thread(() => { Thread.Sleep(20); replies.Answer(last); }).Start();
            Check(replies.Wait(ForeverMs) && !replies.IsSilent, "it waits again");
        }

        public static void TheWait()
        {
            var replies = new PushReplies();

            Check(replies.Wait(ForeverMs), "nothing was sent");
            long id = replies.Next();
            replies.Answer(0);
            replies.Answer(id + 1); // of nobody's
            Check(!replies.Wait(1) && !replies.Wait(0), "not answered");
            new Thread(() => { Thread.Sleep(20); replies.Answer(id); }).Start();
            Check(replies.Wait(ForeverMs), "answered");
            for (int i = 0; i < PushReplies.UnansweredMax; i++)
                Check(replies.Next() > 0 && !replies.Wait(1), "not answered");
            id = replies.Next();
            Check(!replies.Wait(ForeverMs), "it hangs");
            replies.Answer(id - 1); // an older one's does not end the wait for the last
            new Thread(() => { Thread.Sleep(20); replies.Answer(id); }).Start();
            Check(replies.Wait(ForeverMs), "it is back");
            replies.Next();
            new Thread(() => { Thread.Sleep(20); replies.Forget(); }).Start();
            Check(replies.Wait(ForeverMs), "it is gone");
        }
    }
}
