// A target in the way of the sword: a box, a mesh or the hull of one, as a collider under two transforms; and what is printed of targets and
// of where to draw the sword. Commands, a line each: `still` keeps the sword within the target, `remove` removes that.
using System;
using System.IO;
using System.Text;

namespace Clashd.Tests
{
    internal sealed class Targets
    {
        private readonly bool _isMesh, _isHull;
        private volatile string _command = "";
        private bool _isStill, _isRemoved;
        private ClashdClient _client;

        public Targets(string mode, ClashdOptions options)
        {
            _isHull = mode == "hull";
            _isMesh = mode == "mesh" || _isHull;
            options.ResolvedPoses = true;
            options.PoseRateHz = 90f;
            options.Events = new[] { "clash", "hold", "release", "poses" };
        }

        public void Take(string command)
        {
            _command = command;
        }

        /// <summary>A cube of 1 m, clockwise from outside.</summary>
        private static MeshForm Cube()
        {
            var mesh = new MeshForm { Vertices = new Vec3[8], Triangles = new int[36] };
            // By bits: x 1, y 2, z 4; each side's four corners clockwise from outside.
            int[] sides = { 0, 2, 3, 1, 5, 7, 6, 4, 4, 6, 2, 0, 1, 3, 7, 5, 2, 6, 7, 3, 4, 0, 1, 5 };

            for (int i = 0; i < 8; i++)
                mesh.Vertices[i] = new Vec3((i & 1) - 0.5f, (i >> 1 & 1) - 0.5f, (i >> 2) - 0.5f);
            for (int side = 0; side < 6; side++)
                for (int k = 0; k < 6; k++)
                    mesh.Triangles[side * 6 + k] = sides[side * 4 + (k < 3 ? k : (k - 1) % 4)];
            return mesh;
        }

        /// <summary>0.12 m wide and deep, 2.4 m high, where the post is else.</summary>
        public void Begin(ClashdClient client)
        {
            var unturned = new Quat(0f, 0f, 0f, 1f);
            MeshForm cube = Cube();

            cube.Convex = _isHull;
            if (_isHull)
                cube.Triangles = null;
            _client = client;
            client.Clash += e => SayContact("struck", e);
            client.Hold += e => SayContact("held", e);
            client.Release += e => Program.Say("parted {0} {1} {2}", e.Seq, e.Target, e.Reason);
            client.Poses += SayPoses;
            client.DefineTarget(new TargetShape
            {
                Name = "crate", Collider = new UnityCollider
                {
                    Type = _isMesh ? UnityColliderType.Mesh : UnityColliderType.Box, Mesh = _isMesh ? cube : null,
                    Center = new Vec3(0f, 0f, 0f), Size = new Vec3(1f, 1f, 1f), Transforms = new[]
                    {
                        new LocalTransform(new Vec3(0.2f, 0f, 0f), unturned, new Vec3(2f, 2f, 2f)),
                        new LocalTransform(new Vec3(-0.1f, 0.6f, 0.3f), unturned, new Vec3(0.06f, 1.2f, 0.06f))
                    }
                }
            });
        }

        private static string Words(Vec3 v)
        {
            return string.Format(System.Globalization.CultureInfo.InvariantCulture, "{0:G9} {1:G9} {2:G9}", v.X, v.Y, v.Z);
        }

        private static string Words(ClashdPose? pose)
        {
            if (!pose.HasValue)
                return "null";
            Quat q = pose.Value.Orientation;
            return Words(pose.Value.Position) + string.Format(System.Globalization.CultureInfo.InvariantCulture,
                                                              " {0:G9} {1:G9} {2:G9} {3:G9}", q.X, q.Y, q.Z, q.W);
        }

        private static void SayContact(string verb, ClashdEvent e)
        {
            Program.Say("{0} {1}|{2}|{3}|{4}|{5}|{6}|{7}", verb, e.Seq, e.HasTarget ? e.Target : "none", Words(e.SurfaceNormal),
                        e.Triangle, e.HasResolvedPoses, Words(e.ResolvedPose0), Words(e.ResolvedPose1));
        }

        private static void SayPoses(ClashdEvent e)
        {
            for (int i = 0; i < e.PoseCount; i++)
            {
                DevicePose pose = e.Poses[i];

                Program.Say("pose {0}|{1}|{2}|{3}|{4}|{5}|{6}", e.TimeNs, pose.Device, Words(pose.Pose), pose.Tracked, pose.Sinks,
                            Words(pose.ResolvedPose), Words(pose.Drawn));
            }
        }

        /// <summary>Where in its swing the sword is.</summary>
        public double Step(double seconds)
        {
            _isStill |= _command == "still";
            if (_command == "remove" && !_isRemoved)
                _client.RemoveTarget("crate");
            _isRemoved |= _command == "remove";
            return _isStill ? 0.0 : seconds;
        }

        /// <summary>Prints what clashd's lines in a file say of targets and poses.</summary>
        public static int Read(string path)
        {
            var parser = new MessageParser();
            var e = new ClashdEvent();

            foreach (string line in File.ReadAllLines(path))
            {
                byte[] bytes = Encoding.UTF8.GetBytes(line);

                parser.Parse(bytes, 0, bytes.Length, e);
                Program.Say("kind {0}", e.Kind);
                if (e.Kind == ClashdEventKind.Clash || e.Kind == ClashdEventKind.Hold)
                    SayContact("contact", e);
                if (e.Kind == ClashdEventKind.Release)
                    Program.Say("parted {0} {1} {2}", e.Seq, e.HasTarget ? e.Target : "none", e.Reason);
                if (e.Kind == ClashdEventKind.Poses)
                    SayPoses(e);
            }
            return 0;
        }
    }
}
