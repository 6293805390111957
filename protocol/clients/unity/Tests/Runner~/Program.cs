// The core outside of Unity, for clashd's own tests: `unit` runs CoreTests; `live` prints a line for each event.
//
//     mono clashd_unity.exe unit
//     mono clashd_unity.exe live tcp HOST PORT TOKEN_FILE | live unix PATH      until standard input ends
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
            if (words.Length == 5 && words[1] == "tcp")
                return Live(new ClashdOptions { Host = words[2], Port = int.Parse(words[3]), TokenFile = words[4] });
            if (words.Length == 3 && words[1] == "unix")
                return Live(new ClashdOptions { UnixSocket = words[2] });
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

        private static void Say(string format, params object[] values)
        {
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, format, values));
            Console.Out.Flush();
        }

        private static int Live(ClashdOptions options)
        {
            var stop = new ManualResetEvent(false);
            var watcher = new Thread(() => { while (Console.In.Read() >= 0) { } stop.Set(); }) { IsBackground = true };
            options.MinClosingSpeed = 0.125f;
            using (var client = new ClashdClient(options))
            {
                int main = Thread.CurrentThread.ManagedThreadId;
                client.Clash += e => Say("clash {0} {1:G9} {2:G9} {3:G9} {4:G9} {5:G9} {6} {7} {8}", e.Seq, e.Midpoint.X,
                                         e.Midpoint.Y, e.Midpoint.Z, e.Normal.Z, e.ClosingSpeed, e.Blade0, e.Blade1,
                                         Thread.CurrentThread.ManagedThreadId == main);
                client.Hold += e => Say("hold {0} {1}", e.Seq, e.DurationNs);
                client.Release += e => Say("release {0} {1}", e.Seq, e.Reason);
                client.Tracking += e => Say("tracking {0} {1} {2}", e.Seq, e.Device, e.Tracked);
                client.Lagged += e => Say("lagged {0} {1} {2}", e.FromSeq, e.ToSeq, e.Missed);
                client.Connected += e => Say("connected {0}", e.Session);
                client.Disconnected += e => Say("disconnected {0}", e.Message);
                client.Problem += e => Say("problem {0}", e.Message);
                client.Start();
                watcher.Start();
                while (!stop.WaitOne(5))
                    client.Drain();
            }
            Say("disposed");
            return 0;
        }
    }
}
