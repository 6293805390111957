// What can be tested without a clashd. Plain functions that throw: run by NUnit in Unity (NUnitTests.cs), and by
// Runner~/Program.cs elsewhere.
using System;
using System.Reflection;
using System.Text;

namespace Clashd.Tests
{
    public static class CoreTests
    {
        public const string ClashLine =
            "{\"type\":\"clash\",\"seq\":3,\"time_ns\":9007199254740991,\"id\":7,\"blades\":[\"left\",\"r\\u00e9\\\"\"]," +
            "\"midpoint\":[0.214227483,-0.417235881,1e-3],\"distance\":0.0299999993," +
            "\"points\":[[1,2,3],[4,5,6]],\"normal\":[0,-1,0],\"along\":[0.25,1]," +
            "\"velocities\":[[5.00314045,-1.37793958,0.0957820415],[-14.3184738,5.19385481,10.834218]]," +
            "\"closing_speed\":20.1725349,\"slide_speed\":11.1756916,\"crossing_angle\":0.426243961," +
            "\"edge_alignment\":[null,-0.852059305],\"intensity\":1,\"fraction\":0.0774544477,\"interval_ns\":11000000,\"since_release_ns\":0,\"tracked\":true," +
            "\"later\":{\"a\":[1,{\"b\":null}],\"c\":\"}\"}}";

        public static readonly Action[] All =
        {
            AClashComesWhole, NothingIsLeftOfTheLastEvent, WhatTwoPlayersShare, PartsAreNamed, FieldsInAnyOrder, Numbers, Strings, WrongLines, DamagedLines,
            AFullQueueTellsWhatIsLost, WhatIsWritten, BladesAsLines, TargetTests.TargetsAreNamed, TargetTests.WhereToDraw,
            TargetTests.WrongPoses, TargetTests.ThePosesOfDevices, TargetTests.OnlyTheNewestPosesWait, TargetTests.FormsAsLines,
            TargetTests.CollidersAsLines, TargetTests.WhatDoesNotFit, OutboxTests.DisposeWaitsForNothing,
            OutboxTests.AllIsToldAgain, OutboxTests.WhatIsRefusedGoes,
            OutboxTests.ATargetTakesNoBladesPlace, OutboxTests.OnlyWhatIsCarriedHasPoses,
            FeedTests.AFeedIsToldBeforeItsBlades, FeedTests.AnOldOneKeepsThePlayersHands, FeedTests.ARefusedFeedSendsNothing,
            FeedTests.PosesOfOneTime, FeedTests.TimesAreTheFrames, FeedTests.TheWait, FeedTests.WaitsInVain, FeedTests.AClockThatDrifts, FeedTests.AnswersThatDoNotCount,
            FeedTests.AServerThatNeverGreets, FeedTests.WhoFeedsADevice,
            FeedTests.AnEventThatThereIsNot, FeedTests.WhoCannotConnect,
            OutboxTests.ItGoesOnFromTheLastEvent, AllocationTests.AnEventAllocatesNothing, AllocationTests.AWaitAllocatesNothing,
            AllocationTests.AConnectionAllocatesNothing
        };

        internal static void Check(bool holds, string what)
        {
            if (!holds)
                throw new Exception(what);
        }

        internal static ClashdEvent Parse(string line)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(line);
            var e = new ClashdEvent();

            new MessageParser().Parse(bytes, 0, bytes.Length, e);
            return e;
        }

        internal static bool IsRefused(string line)
        {
            try
            {
                Parse(line);
                return false;
            }
            catch (FormatException)
            {
                return true;
            }
        }

        public static void AClashComesWhole()
        {
            ClashdEvent e = Parse(ClashLine);

            Check(e.Kind == ClashdEventKind.Clash && e.Seq == 3 && e.TimeNs == 9007199254740991 && e.ContactId == 7, "head");
            Check(e.Blade0 == "left" && e.Blade1 == "r\u00e9\"", "names");
            Check(e.Midpoint.X == 0.214227483f && e.Midpoint.Y == -0.417235881f && e.Midpoint.Z == 0.001f, "midpoint");
            Check(e.Point0.Z == 3f && e.Point1.X == 4f && e.Normal.Y == -1f && e.Along0 == 0.25f && e.Along1 == 1f, "shape");
            Check(e.Velocity0.Z == 0.0957820415f && e.Velocity1.X == -14.3184738f, "velocities");
            Check(e.Distance == 0.0299999993f && e.ClosingSpeed == 20.1725349f && e.SlideSpeed == 11.1756916f, "speeds");
            Check(float.IsNaN(e.EdgeAlignment0) && e.EdgeAlignment1 == -0.852059305f, "edges");
            Check(e.CrossingAngle == 0.426243961f && e.Intensity == 1f && e.Fraction == 0.0774544477f && e.Tracked, "rest");
            Check(e.IntervalNs == 11000000 && e.SinceReleaseNs == 0, "times");
        }

        private static object Other(FieldInfo field)
        {
            if (field.FieldType == typeof(string))
                return "left";
            if (field.FieldType == typeof(Vec3))
                return new Vec3(1f, 2f, 3f);
            if (field.FieldType == typeof(ClashdPose?))
                return new ClashdPose();
            if (field.FieldType == typeof(bool?))
                return true;
            return field.FieldType.IsEnum ? Enum.ToObject(field.FieldType, 3) : Convert.ChangeType(1, field.FieldType);
        }

        /// <summary>Events are used again: a field that is not cleared would tell of another one.</summary>
        public static void NothingIsLeftOfTheLastEvent()
        {
            ClashdEvent fresh = new ClashdEvent(), used = new ClashdEvent();

            fresh.Clear();
            foreach (FieldInfo field in typeof(ClashdEvent).GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
            {
                if (field.FieldType.IsArray) // the first PoseCount of them
                    continue;
                object other = Other(field);
                Check(!Equals(other, field.GetValue(fresh)), field.Name + " is as it was");
                field.SetValue(used, other);
                used.Clear();
                Check(Equals(field.GetValue(used), field.GetValue(fresh)), field.Name + " is left of the last event");
            }
        }

        public static void WhatTwoPlayersShare()
        {
            const string Shared = "\"tracked\":true,\"room_id\":838858332336058,\"room_time_ns\":-5,\"clock_error_ns\":410000";
            ClashdEvent e = Parse(ClashLine.Replace("\"tracked\":true", Shared));

            Check(e.RoomId == 838858332336058 && e.RoomTimeNs == -5 && e.ClockErrorNs == 410000 && e.Agreed == null, "of two players");
            Check(Parse(ClashLine.Replace("\"tracked\":true", Shared + ",\"agreed\":true")).Agreed == true, "both found it");
            Check(Parse(ClashLine.Replace("\"tracked\":true", Shared + ",\"agreed\":false")).Agreed == false, "one found it");
            e = Parse(ClashLine);
            Check(e.RoomId == 0 && e.RoomTimeNs == 0 && e.ClockErrorNs == 0 && e.Agreed == null, "of one player");
        }

        public static void PartsAreNamed()
        {
            ClashdEvent e = Parse(ClashLine.Replace("\"midpoint\":", "\"parts\":[null,\"gu\\u0061rd\"],\"midpoint\":"));

            Check(e.Part0 == null && e.Part1 == "guard" && e.Blade0 == "left", "the second one's part");
            e = Parse(ClashLine.Replace("\"midpoint\":", "\"parts\":[\"tip\",null],\"midpoint\":"));
            Check(e.Part0 == "tip" && e.Part1 == null, "the first one's part");
            e = Parse(ClashLine);
            Check(e.Part0 == null && e.Part1 == null, "no parts");
            e = Parse(ClashLine.Replace("\"since_release_ns\":0,", ""));
            Check(e.SinceReleaseNs == -1 && !e.Late, "the first one");
            Check(Parse(ClashLine.Replace("\"tracked\":true", "\"late\":true,\"tracked\":true")).Late, "late");
            Check(IsRefused(ClashLine.Replace("\"midpoint\":", "\"parts\":7,\"midpoint\":")), "no array");
        }

        public static void FieldsInAnyOrder()
        {
            ClashdEvent e = Parse(" { \"reason\":\"apart\" , \"min_distance\":0.5,\"peak_closing_speed\":2,\"duration_ns\":11," +
                                  "\"blades\":[\"a\",\"b\"],\"id\":1,\"time_ns\":2,\"seq\":3,\"type\":\"release\"}\r");

            Check(e.Kind == ClashdEventKind.Release && e.Reason == "apart" && e.MinDistance == 0.5f && e.DurationNs == 11,
                  "release");
            e = Parse("{\"type\":\"error\",\"id\":\"mine\",\"code\":\"limit\",\"message\":\"too many\"}");
            Check(e.Kind == ClashdEventKind.Problem && e.Code == "limit" && e.Message == "too many", "error");
            e = Parse("{\"type\":\"hello\",\"session\":\"5e\",\"version\":\"1\",\"blades\":[{\"name\":\"l\"}]," +
                      "\"capabilities\":[\"axes\"]}");
            Check(e.Kind == ClashdEventKind.Connected && e.Session == "5e", "hello");
            Check(Parse("{\"type\":\"dance\"}").Kind == ClashdEventKind.None, "an unknown type");
        }

        /// <summary>Nine digits bring every float back, whatever its exponent.</summary>
        public static void Numbers()
        {
            var json = new JsonReader();
            var random = new Random(7);
            var raw = new byte[4];

            for (int i = 0; i < 200000; i++)
            {
                random.NextBytes(raw);
                float value = BitConverter.ToSingle(raw, 0);
                if (float.IsNaN(value) || float.IsInfinity(value))
                    continue;
                string text = value.ToString("G9", System.Globalization.CultureInfo.InvariantCulture);
                byte[] bytes = Encoding.ASCII.GetBytes(text);
                json.Reset(bytes, 0, bytes.Length);
                Check(json.Float() == value, text);
            }
        }

        public static void Strings()
        {
            string message = "\\ / \" \b \f \n \r \t \u00e9 \ud83d\ude00";
            ClashdEvent e = Parse("{\"type\":\"error\",\"code\":\"c\",\"message\":" +
                                  "\"\\\\ \\/ \\\" \\b \\f \\n \\r \\t \\u00E9 \\ud83d\\ude00\"}");

            Check(e.Message == message, e.Message);
        }

        public static void WrongLines()
        {
            string[] lines =
            {
                "", "x", "[]", "{", "{}x", "{\"type\"}", "{\"type\":}", "{\"type\":1}", "{\"type\":\"clash\"}",
                "{\"type\":\"hello\"}", "{\"seq\":1.5}", "{\"seq\":1e3}", "{\"seq\":12345678901234567890}", "{\"seq\":-}",
                "{\"distance\":1e999}", "{\"distance\":.5}", "{\"distance\":1.}", "{\"distance\":1e}", "{\"midpoint\":[1,2]}",
                "{\"midpoint\":[1,2,3,4]}", "{\"points\":[[1,2,3]]}", "{\"tracked\":tru", "{\"a\":\"\\", "{\"a\":\"\\\"",
                "{\"message\":\"\\u12\"}", "{\"message\":\"\\x\"}", "{\"a\":\"\n\"}", "{\"a\":1,}", "{\"a\":[1,]}",
                "{\"a\":" + new string('[', 100000) + new string(']', 100000) + "}"
            };

            foreach (string line in lines)
                Check(IsRefused(line), "accepted: " + line.Substring(0, Math.Min(60, line.Length)));
        }

        /// <summary>Refused or understood, but nothing else.</summary>
        public static void DamagedLines()
        {
            byte[][] wholes = Array.ConvertAll(new[] { ClashLine, TargetTests.StruckLine, TargetTests.PosesLine },
                                               Encoding.UTF8.GetBytes);
            var random = new Random(11);
            var parser = new MessageParser();
            var e = new ClashdEvent();
            int refused = 0;

            for (int i = 0; i < 60000; i++)
            {
                var bytes = (byte[])wholes[i % 3].Clone();
                for (int n = i % 4; n >= 0; n--)
                    bytes[random.Next(bytes.Length)] = (byte)"\"[]{},:0-.e\\\u0001\u0080t"[random.Next(15)];
                try
                {
                    parser.Parse(bytes, 0, random.Next(2) == 0 ? bytes.Length : random.Next(bytes.Length), e);
                }
                catch (FormatException)
                {
                    refused++;
                }
            }
            Check(refused > 10000, "damage is not seen");
        }

        public static void AFullQueueTellsWhatIsLost()
        {
            var queue = new EventQueue(4);
            var e = new ClashdEvent();

            for (int seq = 1; seq <= 10; seq++)
            {
                e.Clear();
                e.Kind = ClashdEventKind.Clash;
                e.Seq = seq;
                e = queue.Put(e);
            }
            var taken = new ClashdEvent();
            Check(queue.Take(ref taken) && taken.Kind == ClashdEventKind.Lagged, "lagged first");
            Check(taken.FromSeq == 1 && taken.ToSeq == 6 && taken.Missed == 6, "what is lost");
            for (int seq = 7; seq <= 10; seq++)
                Check(queue.Take(ref taken) && taken.Seq == seq, "in order");
            Check(!queue.Take(ref taken), "empty");
        }

        internal static string Written(LineWriter line)
        {
            return Encoding.UTF8.GetString(line.Bytes, 0, line.Length);
        }

        /// <summary>Floats of any size come back to the bit, as doubles' parsers read them; text is escaped.</summary>
        public static void WhatIsWritten()
        {
            var random = new Random(5);
            var raw = new byte[4];
            var line = new LineWriter();

            for (int i = 0; i < 200000; i++)
            {
                random.NextBytes(raw);
                float value = i == 0 ? 0f : i == 1 ? float.Epsilon : i == 2 ? float.MaxValue : BitConverter.ToSingle(raw, 0);
                if (float.IsNaN(value) || float.IsInfinity(value))
                    continue;
                line.Length = 0;
                line.Number(value);
                double read = double.Parse(Written(line), System.Globalization.CultureInfo.InvariantCulture);
                Check((float)read == value, value.ToString("R") + " is " + Written(line));
            }
            line.Length = 0;
            line.Text("\u00e9\ud83d\ude00 \"\\\n" + new string('x', 5000)).Integer(long.MinValue).Integer(0).Integer(-70);
            Check(Written(line) == "\"\u00e9\ud83d\ude00 \\\"\\\\\\u000a" + new string('x', 5000) +
                  "\"-92233720368547758080-70", Written(line));
            line.Length = 0;
            Check(Written(line.Number(float.NaN)) == "null", "not a number");
        }

        private static string Defined(BladeShape blade)
        {
            var line = new LineWriter();

            Requests.Blade(line, blade.Copy(), "unity");
            return Written(line);
        }

        public static void BladesAsLines()
        {
            var blade = new BladeShape { Name = "b", Hilt = new Vec3(0f, 0f, 0.5f), Tip = new Vec3(0f, 0f, 1f), Radius = 0.25f };
            const string head = "{\"type\":\"blade\",\"id\":\"blade b\",\"name\":\"b\",\"device\":\"b\",";
            const string capsule = "\"base\":[0,0,5e-1],\"tip\":[0,0,1],\"radius\":25e-2,";
            const string tail = "\"axes\":\"unity\"}\n";

            Check(Defined(blade) == head + capsule + tail, Defined(blade));
            blade.Parts = new BladePart[0];
            Check(Defined(blade) == head + capsule + tail, Defined(blade));
            blade.Parts = new[]
            {
                new BladePart
                {
                    Name = "curve", Points = new[] { new Vec3(0f, 0f, 0f), new Vec3(0f, 0f, 2f), new Vec3(0f, 1f, 3f) }, Radius = 1f,
                    HasEdge = true, Edge = new Vec3(0f, -1f, 0f)
                },
                new BladePart { Name = "\"guard\"", Points = new[] { new Vec3(-1f, 0f, 0f), new Vec3(1f, 0f, 0f) }, Radius = 2f }
            };
            Check(Defined(blade) == head + "\"parts\":[{\"name\":\"curve\",\"points\":[[0,0,0],[0,0,2],[0,1,3]],\"radius\":1," +
                  "\"edge\":[0,-1,0]},{\"name\":\"\\\"guard\\\"\",\"points\":[[-1,0,0],[1,0,0]],\"radius\":2}]," + tail,
                  Defined(blade));
            BladeShape copy = blade.Copy();
            blade.Parts[0].Points[0] = new Vec3(9f, 9f, 9f); // is the caller's
            Check(copy.Parts[0].Points[0].X == 0f, "what was defined has changed");
        }
    }
}
