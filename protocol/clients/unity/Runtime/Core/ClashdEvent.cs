// What clashd tells, as one class for all kinds: objects are reused, so that an event costs no allocation. Lengths in
// metres, speeds in metres per second, angles in radians, times in nanoseconds since the session's epoch; positions and
// directions in the axes that were asked for.
namespace Clashd
{
    public enum ClashdEventKind
    {
        None,
        /// <summary>A connection stands: Version, Session.</summary>
        Connected,
        /// <summary>It is gone, and will be tried again: Message.</summary>
        Disconnected,
        Clash,
        Hold,
        Release,
        Tracking,
        SpaceChanged,
        /// <summary>Events are lost: FromSeq, ToSeq, Missed.</summary>
        Lagged,
        /// <summary>Something is wrong, in words: Code, Message.</summary>
        Problem,
        /// <summary>A request was carried out. Not handed out.</summary>
        Ok
    }

    public struct Vec3
    {
        public float X, Y, Z;

        public Vec3(float x, float y, float z)
        {
            X = x;
            Y = y;
            Z = z;
        }
    }

    /// <summary>Valid during the call that hands it over; keep a Copy, not the object.</summary>
    public sealed class ClashdEvent
    {
        public ClashdEventKind Kind;
        public long Seq, TimeNs;

        // Clash, Hold, Release. 0 and 1 are the two blades.
        public long ContactId, DurationNs;
        public string Blade0, Blade1;

        // Clash, Hold.
        /// <summary>The part that touches; null for a blade without parts.</summary>
        public string Part0, Part1;
        /// <summary>Where sparks go.</summary>
        public Vec3 Midpoint;
        public Vec3 Point0, Point1;
        /// <summary>Unit, from blade 0 to blade 1.</summary>
        public Vec3 Normal;
        public Vec3 Velocity0, Velocity1;
        public float Distance;
        /// <summary>Where on the blade, or on that part of it: 0 at the base, 1 at the tip.</summary>
        public float Along0, Along1;
        public float ClosingSpeed, SlideSpeed, CrossingAngle;
        /// <summary>1 edge first, 0 flat, -1 back first; NaN for a blade without an edge.</summary>
        public float EdgeAlignment0, EdgeAlignment1;
        /// <summary>0 to 1.</summary>
        public float Intensity;
        public float Fraction;
        /// <summary>Clash, Hold: measured, not guessed. Tracking: whether the device's poses are used.</summary>
        public bool Tracked;

        // Release.
        public float MinDistance, PeakClosingSpeed;
        /// <summary>Release, Tracking: as in PROTOCOL.md.</summary>
        public string Reason;

        public string Device;
        public long FromSeq, ToSeq, Missed;
        public string Code, Message, Session, Version;
        /// <summary>Problem: what was refused, such as "blade npc"; "" where nothing was.</summary>
        public string Request;
        internal bool HasAxes, HasSinceSeq;
        internal long EpochNs;

        public ClashdEvent Copy()
        {
            return (ClashdEvent)MemberwiseClone();
        }

        /// <summary>As new, for the next line.</summary>
        internal void Clear()
        {
            Kind = ClashdEventKind.None;
            Seq = TimeNs = EpochNs = ContactId = DurationNs = FromSeq = ToSeq = Missed = 0;
            Part0 = Part1 = null;
            Blade0 = Blade1 = Reason = Device = Code = Message = Session = Version = Request = "";
            Midpoint = Point0 = Point1 = Normal = Velocity0 = Velocity1 = default(Vec3);
            Distance = Along0 = Along1 = ClosingSpeed = SlideSpeed = CrossingAngle = Intensity = Fraction = 0f;
            EdgeAlignment0 = EdgeAlignment1 = float.NaN;
            MinDistance = PeakClosingSpeed = 0f;
            Tracked = HasAxes = HasSinceSeq = false;
        }
    }
}
