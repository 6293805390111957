// One line to one event. Fields may come in any order and unknown ones are passed over; what a type must have and does not
// is a FormatException. The only code here that knows field names; their meaning is in PROTOCOL.md.
using System;

namespace Clashd
{
    public sealed class MessageParser
    {
        [Flags]
        private enum Seen
        {
            None = 0, Type = 1, Seq = 2, Time = 4, Id = 8, Blades = 16, Midpoint = 32, Normal = 64, Points = 128,
            Velocities = 256, Along = 512, Closing = 1024, Duration = 2048, Reason = 4096, Device = 8192, Tracked = 16384,
            From = 32768, To = 65536, Missed = 131072, Code = 262144, Message = 524288, Session = 1048576, Poses = 2097152
        }

        private const Seen Contact = Seen.Seq | Seen.Time | Seen.Id | Seen.Blades;
        private const Seen Geometry = Seen.Midpoint | Seen.Normal | Seen.Points | Seen.Velocities | Seen.Along |
            Seen.Closing | Seen.Tracked;

        private readonly JsonReader _json = new JsonReader();
        private Seen _seen;

        /// <summary>Fills `e`; Kind is None for a type that is not known.</summary>
        public void Parse(byte[] bytes, int start, int length, ClashdEvent e)
        {
            string type = "";

            e.Clear();
            _seen = Seen.None;
            _json.Reset(bytes, start, length);
            _json.BeginObject();
            for (bool first = true; _json.NextMember(first); first = false)
            {
                if (_json.KeyIs("type"))
                    type = _json.Name();
                else if (!Common(e) && !Shape(e) && !Speeds(e) && !Places(e) && !Room(e) && !Rest(e))
                    _json.Skip();
            }
            _json.End();
            e.Kind = KindOf(type);
            Seen missing = Required(e.Kind) & ~_seen;
            if (missing != Seen.None)
                throw new FormatException("a line of type " + type + " lacks " + missing);
        }

        private static ClashdEventKind KindOf(string type)
        {
            switch (type)
            {
                case "hello": return ClashdEventKind.Connected;
                case "clash": return ClashdEventKind.Clash;
                case "hold": return ClashdEventKind.Hold;
                case "release": return ClashdEventKind.Release;
                case "tracking": return ClashdEventKind.Tracking;
                case "space_changed": return ClashdEventKind.SpaceChanged;
                case "poses": return ClashdEventKind.Poses;
                case "lagged": return ClashdEventKind.Lagged;
                case "error": return ClashdEventKind.Problem;
                case "ok": return ClashdEventKind.Ok;
                default: return ClashdEventKind.None;
            }
        }

        private static Seen Required(ClashdEventKind kind)
        {
            switch (kind)
            {
                case ClashdEventKind.Connected: return Seen.Session;
                case ClashdEventKind.Clash: return Contact | Geometry;
                case ClashdEventKind.Hold: return Contact | Geometry | Seen.Duration;
                case ClashdEventKind.Release: return Contact | Seen.Duration | Seen.Reason;
                case ClashdEventKind.Tracking: return Seen.Seq | Seen.Time | Seen.Device | Seen.Tracked | Seen.Reason;
                case ClashdEventKind.SpaceChanged: return Seen.Seq | Seen.Time;
                case ClashdEventKind.Poses: return Seen.Time | Seen.Poses;
                case ClashdEventKind.Lagged: return Seen.From | Seen.To | Seen.Missed;
                case ClashdEventKind.Problem: return Seen.Code | Seen.Message;
                default: return Seen.None;
            }
        }

        private bool Is(string key, Seen seen)
        {
            if (!_json.KeyIs(key))
                return false;
            _seen |= seen;
            return true;
        }

        private bool Common(ClashdEvent e)
        {
            if (Is("seq", Seen.Seq))
                e.Seq = _json.Integer();
            else if (Is("time_ns", Seen.Time))
                e.TimeNs = _json.Integer();
            else if (_json.KeyIs("id") && !_json.IsNext('"') && Is("id", Seen.Id)) // text: of a request
                e.ContactId = _json.Integer();
            else if (_json.KeyIs("blades"))
                Blades(e);
            else if (_json.KeyIs("target"))
                e.Target = _json.Name();
            else if (_json.KeyIs("parts"))
                Parts(e);
            else if (Is("duration_ns", Seen.Duration))
                e.DurationNs = _json.Integer();
            else if (Is("tracked", Seen.Tracked))
                e.Tracked = _json.Bool();
            else if (Is("reason", Seen.Reason))
                e.Reason = _json.Name();
            else
                return false;
            return true;
        }

        private bool Shape(ClashdEvent e)
        {
            if (Is("midpoint", Seen.Midpoint))
                e.Midpoint = _json.Vector();
            else if (Is("normal", Seen.Normal))
                e.Normal = _json.Vector();
            else if (Is("points", Seen.Points))
                _json.TwoVectors(out e.Point0, out e.Point1);
            else if (Is("velocities", Seen.Velocities))
                _json.TwoVectors(out e.Velocity0, out e.Velocity1);
            else if (Is("along", Seen.Along))
                _json.TwoFloats(out e.Along0, out e.Along1);
            else if (_json.KeyIs("surface_normal"))
                e.SurfaceNormal = _json.Vector();
            else if (_json.KeyIs("triangle"))
                e.Triangle = (int)_json.Integer();
            else if (_json.KeyIs("edge_alignment"))
                _json.TwoFloats(out e.EdgeAlignment0, out e.EdgeAlignment1);
            else if (_json.KeyIs("distance"))
                e.Distance = _json.Float();
            else if (_json.KeyIs("fraction"))
                e.Fraction = _json.Float();
            else if (_json.KeyIs("interval_ns"))
                e.IntervalNs = _json.Integer();
            else if (_json.KeyIs("since_release_ns"))
                e.SinceReleaseNs = _json.Integer();
            else if (_json.KeyIs("late"))
                e.Late = _json.Bool();
            else if (_json.KeyIs("resumed"))
                e.Resumed = _json.Bool();
            else
                return false;
            return true;
        }

        private bool Speeds(ClashdEvent e)
        {
            if (Is("closing_speed", Seen.Closing))
                e.ClosingSpeed = _json.Float();
            else if (_json.KeyIs("slide_speed"))
                e.SlideSpeed = _json.Float();
            else if (_json.KeyIs("crossing_angle"))
                e.CrossingAngle = _json.Float();
            else if (_json.KeyIs("intensity"))
                e.Intensity = _json.Float();
            else if (_json.KeyIs("min_distance"))
                e.MinDistance = _json.Float();
            else if (_json.KeyIs("peak_closing_speed"))
                e.PeakClosingSpeed = _json.Float();
            else
                return false;
            return true;
        }

        private bool Places(ClashdEvent e)
        {
            if (Is("poses", Seen.Poses))
            {
                Poses(e);
            }
            else if (_json.KeyIs("resolved_pose"))
            {
                _json.TwoPoses(out e.ResolvedPose0, out e.ResolvedPose1);
                e.HasResolvedPoses = true;
            }
            else
            {
                return false;
            }
            return true;
        }

        private bool Room(ClashdEvent e)
        {
            if (_json.KeyIs("room_id"))
                e.RoomId = _json.Integer();
            else if (_json.KeyIs("room_time_ns"))
                e.RoomTimeNs = _json.Integer();
            else if (_json.KeyIs("clock_error_ns"))
                e.ClockErrorNs = _json.Integer();
            else if (_json.KeyIs("agreed"))
                e.Agreed = _json.Bool();
            else
                return false;
            return true;
        }

        private bool Rest(ClashdEvent e)
        {
            if (Is("device", Seen.Device))
                e.Device = _json.Name();
            else if (_json.KeyIs("source") && _json.IsNext('"'))
                e.Source = _json.Name();
            else if (Is("from_seq", Seen.From))
                e.FromSeq = _json.Integer();
            else if (Is("to_seq", Seen.To))
                e.ToSeq = _json.Integer();
            else if (Is("missed", Seen.Missed))
                e.Missed = _json.Integer();
            else if (Is("code", Seen.Code))
                e.Code = _json.Name();
            else if (Is("message", Seen.Message))
                e.Message = _json.Text();
            else if (Is("session", Seen.Session))
                e.Session = _json.Text();
            else if (_json.KeyIs("id")) // text, as ours are: of a request
                e.Request = _json.IsNext('"') ? _json.Name() : "";
            else if (_json.KeyIs("epoch_monotonic_ns"))
                long.TryParse(_json.Text(), out e.EpochNs);
            else if (_json.KeyIs("version"))
                e.Version = _json.Text();
            else if (_json.KeyIs("capabilities"))
                Capabilities(e);
            else
                return false;
            return true;
        }

        /// <summary>Two names in an event; in hello objects, which nobody here needs.</summary>
        private void Blades(ClashdEvent e)
        {
            int count = 0;

            _json.BeginArray();
            for (; _json.NextElement(count == 0); count++)
            {
                if (!_json.IsNext('"'))
                    _json.Skip();
                else if (count == 0)
                    e.Blade0 = _json.Name();
                else
                    e.Blade1 = _json.Name();
            }
            if (count == 2)
                _seen |= Seen.Blades;
        }

        /// <summary>Of each blade a name or null.</summary>
        private void Parts(ClashdEvent e)
        {
            int count = 0;

            _json.BeginArray();
            for (; _json.NextElement(count == 0); count++)
            {
                if (!_json.IsNext('"'))
                    _json.Skip();
                else if (count == 0)
                    e.Part0 = _json.Name();
                else
                    e.Part1 = _json.Name();
            }
        }

        private void Poses(ClashdEvent e)
        {
            _json.BeginArray();
            for (bool first = true; _json.NextElement(first); first = false)
                e.Add(_json.DevicePose());
        }

        private void Capabilities(ClashdEvent e)
        {
            _json.BeginArray();
            for (bool first = true; _json.NextElement(first); first = false)
            {
                string word = _json.Name();

                e.HasAxes |= word == "axes";
                e.HasSinceSeq |= word == "since_seq";
                e.CanFeed |= word == "feed";
            }
        }
    }
}
