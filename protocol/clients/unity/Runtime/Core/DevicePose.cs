// Where devices are, and where to draw what they carry so that it does not sink into what it strikes. In the axes that were
// asked for, metres.
namespace Clashd
{
    public struct ClashdPose
    {
        public Vec3 Position;
        public Quat Orientation;
    }

    /// <summary>One of a Poses event.</summary>
    public struct DevicePose
    {
        /// <summary>/user/hand/left, /user/hand/right, or the name of a pushed one.</summary>
        public string Device;
        public ClashdPose Pose;
        /// <summary>Measured, not guessed or repeated.</summary>
        public bool Tracked;
        /// <summary>false: there is no pose, and Pose means nothing.</summary>
        public bool IsValid;
        /// <summary>A blade of the device sinks into something. Known only with ClashdOptions.ResolvedPoses.</summary>
        public bool Sinks;
        /// <summary>Where it does not, by as little as is found, turned as it is. null: it does not sink, or no such place was
        /// found.</summary>
        public ClashdPose? ResolvedPose;

        /// <summary>Where to draw what the device carries.</summary>
        public ClashdPose Drawn
        {
            get { return ResolvedPose ?? Pose; }
        }
    }
}
