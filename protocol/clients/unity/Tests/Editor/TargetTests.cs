// Targets and poses, as they come and as they are told. See CoreTests.cs.
using System;
using System.Globalization;
using System.Text;
using static Clashd.Tests.CoreTests;

namespace Clashd.Tests
{
    internal static class TargetTests
    {
        public static readonly string StruckLine = ClashLine
            .Replace("\"midpoint\":", "\"target\":\"r\\u00e9\\\"\",\"midpoint\":")
            .Replace("\"along\":", "\"surface_normal\":[0,0.6,-0.8],\"triangle\":134217727,\"along\":")
            .Replace("\"later\":", "\"resolved_pose\":[{\"orientation\":[0.5,-0.5,0.5,0.5]," +
                     "\"position\":[1,2,-3.5]},null],\"later\":");

        public const string PosesLine =
            "{\"type\":\"poses\",\"time_ns\":1366333008,\"poses\":[" +
            "{\"device\":\"/user/hand/left\",\"position\":[1,2,3],\"orientation\":[0,0.6,0,0.8],\"tracked\":true}," +
            "{\"device\":\"npc\",\"position\":[4,5,6],\"orientation\":[0,0,0,1],\"tracked\":false,\"later\":[{}]," +
            "\"resolved_pose\":{\"position\":[4,5.5,6],\"later\":1,\"orientation\":[0,0,0,1]}}," +
            "{\"device\":\"stuck\",\"position\":[7,8,9],\"orientation\":[1,0,0,0],\"tracked\":true,\"resolved_pose\":null}," +
            "{\"device\":\"lost\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":false,\"valid\":false}]}";

        private const string ReleaseLine = "{\"type\":\"release\",\"seq\":3,\"time_ns\":2,\"id\":1,\"blades\":[\"a\",\"b\"]," +
            "\"target\":\"b\",\"duration_ns\":11,\"min_distance\":0,\"peak_closing_speed\":2,\"reason\":\"removed\"}";

        public static void TargetsAreNamed()
        {
            ClashdEvent e = Parse(StruckLine);

            Check(e.Kind == ClashdEventKind.Clash && e.HasTarget && e.Target == "r\u00e9\"" && e.Blade1 == e.Target, "its name");
            Check(e.SurfaceNormal.X == 0f && e.SurfaceNormal.Y == 0.6f && e.SurfaceNormal.Z == -0.8f, "its normal");
            Check(e.Triangle == 134217727, "its triangle");
            e = Parse(ReleaseLine);
            Check(e.Kind == ClashdEventKind.Release && e.Target == "b" && e.Reason == "removed" && e.Triangle == -1, "release");
            e = Parse(ClashLine);
            Check(!e.HasTarget && e.Target == null && e.Triangle == -1 && e.SurfaceNormal.Y == 0f, "no target");
            Check(IsRefused(ReleaseLine.Replace("\"target\":\"b\"", "\"target\":7")), "no name");
            Check(IsRefused(StruckLine.Replace("134217727", "1.5")), "no number of a triangle");
        }

        public static void WhereToDraw()
        {
            ClashdEvent e = Parse(StruckLine);

            Check(e.HasResolvedPoses && e.ResolvedPose0.HasValue && !e.ResolvedPose1.HasValue, "which there are");
            ClashdPose pose = e.ResolvedPose0.Value;
            Check(pose.Position.X == 1f && pose.Position.Z == -3.5f, "position");
            Check(pose.Orientation.X == 0.5f && pose.Orientation.Y == -0.5f && pose.Orientation.W == 0.5f, "orientation");
            e = Parse(StruckLine.Replace("[{\"orientation\"", "[null,{\"orientation\"").Replace("},null]", "}]"));
            Check(e.HasResolvedPoses && !e.ResolvedPose0.HasValue && e.ResolvedPose1.Value.Position.Y == 2f, "the second one's");
            e.Clear();
            Check(!e.HasResolvedPoses && !e.ResolvedPose1.HasValue && e.Target == null, "as new");
            Check(!Parse(ClashLine).HasResolvedPoses, "not asked for");
        }

        public static void WrongPoses()
        {
            string[] places = { "7", "null", "[null]", "[null,null,null]", "[{},null]", "[null,{\"position\":[1,2,3]}]",
                                "[{\"position\":[1,2,3],\"orientation\":[0,0,1]},null]", "[1,null]", "[nul,null]" };

            foreach (string place in places)
            {
                string line = ClashLine.Replace("\"later\":", "\"resolved_pose\":" + place + ",\"later\":");
                Check(IsRefused(line), "accepted: " + place);
            }
            Check(IsRefused(PosesLine.Replace("\"device\":\"npc\",", "")), "no device");
            Check(IsRefused(PosesLine.Replace("\"position\":[4,5,6],", "")), "no position");
            Check(IsRefused(PosesLine.Replace("\"time_ns\":1366333008,", "")), "no time");
            Check(IsRefused("{\"type\":\"poses\",\"time_ns\":1}"), "no poses");
            Check(IsRefused("{\"type\":\"poses\",\"time_ns\":1,\"poses\":[7]}"), "no object");
        }

        public static void ThePosesOfDevices()
        {
            ClashdEvent e = Parse(PosesLine), copy = e.Copy();

            Check(e.Kind == ClashdEventKind.Poses && e.TimeNs == 1366333008 && e.PoseCount == 4, "all of them");
            DevicePose left = e.Poses[0], npc = e.Poses[1], stuck = e.Poses[2];
            Check(left.Device == "/user/hand/left" && left.Tracked && left.IsValid && !left.Sinks, "one");
            Check(left.Drawn.Position.Z == 3f && left.Pose.Orientation.Y == 0.6f && !left.ResolvedPose.HasValue, "where it is");
            Check(npc.Device == "npc" && !npc.Tracked && npc.Sinks && npc.Pose.Position.Y == 5f, "one that sinks");
            Check(npc.ResolvedPose.Value.Position.Y == 5.5f && npc.Drawn.Position.Y == 5.5f, "where it does not");
            Check(stuck.Sinks && !stuck.ResolvedPose.HasValue && stuck.Drawn.Position.Y == 8f, "no place outside");
            Check(!e.Poses[3].IsValid && npc.IsValid, "no pose");
            e.Clear();
            Check(e.PoseCount == 0 && copy.PoseCount == 4 && copy.Poses.Length == 4, "a copy is kept");
            e.Add(stuck);
            Check(copy.Poses[0].Device == "/user/hand/left", "a copy is its own");
        }

        private static ClashdEvent Put(EventQueue queue, ClashdEvent e, ClashdEventKind kind, long number)
        {
            e.Clear();
            e.Kind = kind;
            e.TimeNs = number;
            e.Seq = kind == ClashdEventKind.Poses ? 0 : number;
            return queue.Put(e);
        }

        /// <summary>And they push nothing else out.</summary>
        public static void OnlyTheNewestPosesWait()
        {
            var queue = new EventQueue(4);
            ClashdEvent e = new ClashdEvent(), taken = new ClashdEvent();

            for (int lap = 0; lap < 9; lap++)
            {
                e = Put(queue, e, ClashdEventKind.Clash, 1);
                for (int i = 2; i < 20; i++)
                    e = Put(queue, e, ClashdEventKind.Poses, i);
                e = Put(queue, e, ClashdEventKind.Hold, 20);
                e = Put(queue, e, ClashdEventKind.Poses, 21);
                Check(queue.Take(ref taken) && taken.Kind == ClashdEventKind.Clash, "the clash");
                Check(queue.Take(ref taken) && taken.Kind == ClashdEventKind.Poses && taken.TimeNs == 19, "the newest");
                Check(queue.Take(ref taken) && taken.Kind == ClashdEventKind.Hold, "in order");
                Check(queue.Take(ref taken) && taken.TimeNs == 21 && !queue.Take(ref taken), "the last");
            }
        }

        private static string Defined(TargetShape target, string axes = "unity")
        {
            var line = new LineWriter();

            target.Check();
            TargetRequests.Define(line, target, axes);
            return Encoding.UTF8.GetString(line.Bytes, 0, line.Length);
        }

        private static void CheckForm(TargetShape target, string form)
        {
            target.Name = "\"t\"";
            target.Device = "arm";
            target.Position = new Vec3(1f, 0f, -2f);
            Check(Defined(target, "godot") == "{\"type\":\"target\",\"id\":\"target \\\"t\\\"\",\"name\":\"\\\"t\\\"\"," +
                  "\"device\":\"arm\",\"position\":[1,0,-2],\"orientation\":[0,0,0,1]," + form + ",\"axes\":\"godot\"}\n",
                  Defined(target, "godot"));
            target.Device = null;
            Check(!Defined(target).Contains("device"), "carried by nothing");
        }

        private static readonly Vec3 Edge = new Vec3(0f, 3f, 0f);

        private static MeshForm Mesh(int vertices, int triangles)
        {
            var mesh = new MeshForm { Vertices = new Vec3[vertices], Triangles = new int[triangles * 3] };

            for (int i = 0; i < vertices; i++)
                mesh.Vertices[i] = new Vec3(-1.23456789e-9f - i * 1e-15f, i, 3.40282347e+38f);
            for (int i = 0; i < mesh.Triangles.Length; i++)
                mesh.Triangles[i] = i % vertices;
            return mesh;
        }

        public static void FormsAsLines()
        {
            CheckForm(new TargetShape { Ball = new BallForm { Center = Edge, Radius = 2f } },
                      "\"sphere\":{\"center\":[0,3,0],\"radius\":2}");
            CheckForm(new TargetShape { Capsule = new CapsuleForm { Tip = Edge, Radius = 2f } },
                      "\"capsule\":{\"base\":[0,0,0],\"tip\":[0,3,0],\"radius\":2}");
            CheckForm(new TargetShape { Box = new BoxForm { Size = Edge } },
                      "\"box\":{\"center\":[0,0,0],\"orientation\":[0,0,0,1],\"size\":[0,3,0]}");
            var corners = new[] { Edge, new Vec3(1f, 0f, 0f), new Vec3(0f, 0f, 1f), new Vec3(0f, 0f, 0f) };
            CheckForm(new TargetShape { Mesh = new MeshForm { Vertices = corners, Triangles = new[] { 0, 1, 2, 1, 2, 3 } } },
                      "\"mesh\":{\"vertices\":[[0,3,0],[1,0,0],[0,0,1],[0,0,0]],\"triangles\":[[0,1,2],[1,2,3]]}");
            CheckForm(new TargetShape { Mesh = new MeshForm { Vertices = corners, Convex = true } },
                      "\"mesh\":{\"vertices\":[[0,3,0],[1,0,0],[0,0,1],[0,0,0]],\"convex\":true}");
            var terrain = new TerrainForm { Columns = 2, Rows = 3, SpacingX = 1f, SpacingZ = 2f };
            terrain.Heights = new float[] { 0, 1, 2, 3, 4, 5 };
            CheckForm(new TargetShape { Terrain = terrain },
                      "\"terrain\":{\"columns\":2,\"rows\":3,\"spacing\":[1,2],\"heights\":[0,1,2,3,4,5]}");
        }

        private static void CheckCollider(UnityCollider collider, string written)
        {
            string line = Defined(new TargetShape { Name = "t", Position = Edge, Collider = collider });

            Check(line == "{\"type\":\"target\",\"id\":\"target t\",\"name\":\"t\",\"unity_collider\":{" + written +
                  "},\"axes\":\"unity\"}\n", line);
        }

        public static void CollidersAsLines()
        {
            const string none = ",\"transforms\":[]";
            var chain = new[]
            {
                new LocalTransform(Edge, new Quat(0f, 1f, 0f, 0f), new Vec3(1f, 1f, -2f)),
                new LocalTransform(new Vec3(0f, 0f, 0f), new Quat(0f, 0f, 0f, 1f), new Vec3(1f, 1f, 1f))
            };

            CheckCollider(new UnityCollider { Type = UnityColliderType.Sphere, Center = Edge, Radius = 2f, Transforms = chain },
                          "\"type\":\"sphere\",\"center\":[0,3,0],\"radius\":2,\"transforms\":[" +
                          "{\"position\":[0,3,0],\"rotation\":[0,1,0,0],\"scale\":[1,1,-2]}," +
                          "{\"position\":[0,0,0],\"rotation\":[0,0,0,1],\"scale\":[1,1,1]}]");
            CheckCollider(new UnityCollider { Type = UnityColliderType.Sphere, Radius = -2f, SphereRule = UnitySphereRule.Column },
                          "\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":-2,\"sphere_rule\":\"column\"" + none);
            CheckCollider(new UnityCollider { Type = UnityColliderType.Box, Size = Edge },
                          "\"type\":\"box\",\"center\":[0,0,0],\"size\":[0,3,0]" + none);
            CheckCollider(new UnityCollider { Type = UnityColliderType.Capsule, Radius = 1f, Height = 3f, Direction = 2 },
                          "\"type\":\"capsule\",\"center\":[0,0,0],\"radius\":1,\"height\":3,\"direction\":2" + none);
            var mesh = new MeshForm { Vertices = new[] { Edge, Edge, Edge }, Triangles = new[] { 0, 1, 2 } };
            CheckCollider(new UnityCollider { Type = UnityColliderType.Mesh, Mesh = mesh },
                          "\"type\":\"mesh\",\"vertices\":[[0,3,0],[0,3,0],[0,3,0]],\"triangles\":[[0,1,2]]" + none);
        }

        private static string Against(TargetShape target)
        {
            target.Name = target.Name ?? "t";
            try
            {
                target.Check();
                return "nothing";
            }
            catch (ArgumentException e)
            {
                return e.Message;
            }
        }

        private static void CheckAgainst(TargetShape target, string word)
        {
            Check(Against(target).Contains(word), "expected " + word + ": " + Against(target));
        }

        /// <summary>What is as big as may be fits into a line, under the longest names; what is bigger is refused here.</summary>
        public static void WhatDoesNotFit()
        {
            var transforms = new LocalTransform[UnityCollider.TransformsMax];
            Vec3 small = new Vec3(-1.23456789e-9f, -1.23456789e-9f, -1.23456789e-9f);

            for (int i = 0; i < transforms.Length; i++)
                transforms[i] = new LocalTransform(small, new Quat(small.X, small.X, small.X, small.X), small);
            var big = new UnityCollider { Type = UnityColliderType.Mesh, Mesh = Mesh(512, 1024), Transforms = transforms };
            var target = new TargetShape { Name = new string('n', 63), Device = new string('d', 127), Collider = big };
            int length = Defined(target).Length;
            Check(length < 65536, length.ToString(CultureInfo.InvariantCulture));
            Check(Against(new TargetShape { Mesh = Mesh(512, 1024) }) == "nothing", "as big as may be");
            CheckAgainst(new TargetShape { Mesh = Mesh(513, 1) }, "513 vertices");
            CheckAgainst(new TargetShape { Mesh = Mesh(3, 1025) }, "1025 triangles");
            CheckAgainst(new TargetShape { Mesh = Mesh(3, 0) }, "each triangle");
            CheckAgainst(new TargetShape { Mesh = new MeshForm { Vertices = new Vec3[513], Convex = true } }, "513 vertices");
            var wrong = new MeshForm { Vertices = new Vec3[3], Triangles = new[] { 0, 1, 3 } };
            CheckAgainst(new TargetShape { Mesh = wrong }, "vertex 3");
            CheckAgainst(new TargetShape { Collider = new UnityCollider { Type = UnityColliderType.Mesh } }, "has a mesh");
            big.Transforms = new LocalTransform[65];
            CheckAgainst(new TargetShape { Collider = big }, "64 transforms");
            var terrain = new TerrainForm { Columns = 61, Rows = 60, SpacingX = 1f, SpacingZ = 1f, Heights = new float[3660] };
            CheckAgainst(new TargetShape { Terrain = terrain }, "3660 heights");
            terrain.Rows = 59;
            CheckAgainst(new TargetShape { Terrain = terrain }, "each point");
            CheckAgainst(new TargetShape(), "one form");
            CheckAgainst(new TargetShape { Ball = new BallForm(), Box = new BoxForm() }, "one form");
            CheckAgainst(new TargetShape { Name = "", Ball = new BallForm() }, "a name");
        }
    }
}
