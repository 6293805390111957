// What clashd tells, as one class for all kinds: objects are reused, so that an event costs no allocation. Lengths in
// metres, speeds in metres per second, angles in radians, times in nanoseconds since the session's epoch; positions and
// directions in the axes that were asked for.
using System;

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
        /// <summary>Where devices are, if ClashdOptions.Events asks for it: Poses, PoseCount. Of several that wait together only
        /// the newest comes.</summary>
        Poses,
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
        /// <summary>How long ago TimeNs was when the event was handed out: some ms, and more after a stall or a reconnect. 0 for what has no
        /// time.</summary>
        public long AgeNs;

        // Clash, Hold, Release. 0 and 1 are the two blades, or the blade and the target.
        public long ContactId, DurationNs;
        public string Blade0, Blade1;
        /// <summary>What blade 0 strikes that is no blade; Blade1 is its name too. null between two blades.</summary>
        public string Target;

        // Clash, Hold.
        /// <summary>The part that touches; null for a blade without parts and for a target.</summary>
        public string Part0, Part1;
        /// <summary>Where sparks go.</summary>
        public Vec3 Midpoint;
        /// <summary>The closest points of the axes; the second one on the target's surface.</summary>
        public Vec3 Point0, Point1;
        /// <summary>Unit, from blade 0 to blade 1 or into the target.</summary>
        public Vec3 Normal;
        /// <summary>With a target: unit, out of it where it is struck; of a mesh that of the triangle, whichever side the blade
        /// comes from.</summary>
        public Vec3 SurfaceNormal;
        /// <summary>With a target that is a mesh or terrain: which of its triangles, from 0. Else -1.</summary>
        public int Triangle;
        public Vec3 Velocity0, Velocity1;
        public float Distance;
        /// <summary>Where on the blade, or on that part of it: 0 at the base, 1 at the tip; 0 for a target.</summary>
        public float Along0, Along1;
        public float ClosingSpeed, SlideSpeed, CrossingAngle;
        /// <summary>1 edge first, 0 flat, -1 back first; NaN for a blade without an edge and for a target.</summary>
        public float EdgeAlignment0, EdgeAlignment1;
        /// <summary>0 to 1.</summary>
        public float Intensity;
        public float Fraction;
        /// <summary>Length of the sampled interval that it was found in: the longer, the less certain are time and speeds. 0: a
        /// clashd that does not say.</summary>
        public long IntervalNs;
        /// <summary>Clash: since the last release of the same two. -1: they had not touched before.</summary>
        public long SinceReleaseNs = -1;
        /// <summary>Clash: the contact began before, too slowly, and is now as fast as ClashdOptions.MinPeakSpeed. All else is of
        /// now.</summary>
        public bool Late;
        /// <summary>Of a clash: nothing has struck, but a contact goes on that a cut or a new definition ended at most 1 s
        /// ago.</summary>
        public bool Resumed;
        /// <summary>Clash, Hold, Release between blades of two players, on machines of their own: the contact, the same on both
        /// machines. 0: it is none of two players.</summary>
        public long RoomId;
        /// <summary>With a RoomId: TimeNs by the clock that all players of the room share, and by how much the two players' clocks
        /// may be apart.</summary>
        public long RoomTimeNs, ClockErrorNs;
        /// <summary>With a RoomId: whether the other player's clashd has found the contact too. null: not asked for, or not known
        /// yet.</summary>
        public bool? Agreed;
        /// <summary>Clash, Hold: measured, not guessed. Tracking: whether the device's poses are used.</summary>
        public bool Tracked;

        /// <summary>Whether the two below mean something: only with ClashdOptions.ResolvedPoses, and not for what is told again
        /// after a reconnect.</summary>
        public bool HasResolvedPoses;
        /// <summary>The pose of each one's device at which its blade does not sink into what it touches. null: no such place was
        /// found, or it is a target.</summary>
        public ClashdPose? ResolvedPose0, ResolvedPose1;

        // Poses.
        /// <summary>The first PoseCount of these.</summary>
        public DevicePose[] Poses = { };
        public int PoseCount;

        // Release.
        public float MinDistance, PeakClosingSpeed;
        /// <summary>Release, Tracking: as in PROTOCOL.md.</summary>
        public string Reason;

        public string Device;
        /// <summary>Tracking, SpaceChanged: where the poses are from, or from now on: "game", "layer", "openxr", "replay" or "peer". ""
        /// for a device that a client defines, where the space of the same source moved, and from a clashd that does not
        /// say.</summary>
        public string Source;
        public long FromSeq, ToSeq, Missed;
        public string Code, Message, Session, Version;
        /// <summary>Problem: what was refused, such as "blade npc"; "" where nothing was.</summary>
        public string Request;
        /// <summary>Connected: whether clashd takes the player's hands from here, by ClashdClient.Feed.</summary>
        public bool CanFeed;
        internal bool HasAxes, HasSinceSeq;
        internal long EpochNs;

        /// <summary>Whether a target is struck, and not another blade.</summary>
        public bool HasTarget
        {
            get { return Target != null; }
        }

        public ClashdEvent Copy()
        {
            var copy = (ClashdEvent)MemberwiseClone();

            copy.Poses = new DevicePose[PoseCount];
            Array.Copy(Poses, copy.Poses, PoseCount);
            return copy;
        }

        internal void Add(DevicePose pose)
        {
            if (PoseCount == Poses.Length)
                Array.Resize(ref Poses, Math.Max(4, PoseCount * 2));
            Poses[PoseCount++] = pose;
        }

        /// <summary>As new, for the next line.</summary>
        internal void Clear()
        {
            Kind = ClashdEventKind.None;
            Seq = TimeNs = AgeNs = EpochNs = ContactId = DurationNs = IntervalNs = RoomId = RoomTimeNs = ClockErrorNs = FromSeq = ToSeq = Missed = 0;
            Part0 = Part1 = Target = null;
            Blade0 = Blade1 = Reason = Device = Source = Code = Message = Session = Version = Request = "";
            Midpoint = Point0 = Point1 = Normal = SurfaceNormal = Velocity0 = Velocity1 = default(Vec3);
            Distance = Along0 = Along1 = ClosingSpeed = SlideSpeed = CrossingAngle = Intensity = Fraction = 0f;
            EdgeAlignment0 = EdgeAlignment1 = float.NaN;
            MinDistance = PeakClosingSpeed = 0f;
            Tracked = Late = Resumed = CanFeed = HasAxes = HasSinceSeq = HasResolvedPoses = false;
            ResolvedPose0 = ResolvedPose1 = null;
            Agreed = null;
            Triangle = -1;
            SinceReleaseNs = -1;
            PoseCount = 0;
        }
    }
}
