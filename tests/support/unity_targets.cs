// Targets in the scene's rig (unity_scene.cs): colliders of each kind, below the rig and outside of it, still and moving, and
// such as clashd cannot have; one in a hand; a sword that strikes one of them, and its picture. Commands, a line each: `still`, `off NAME`,
// `on NAME`, `move NAME`, `around NAME`, `left NAME` and `right NAME`, the hand that holds it; ends with standard input.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using Clashd;
using UnityEngine;

internal static class TargetScene
{
    private static readonly Dictionary<string, GameObject> Targets = new Dictionary<string, GameObject>();
    private static readonly ConcurrentQueue<string> Commands = new ConcurrentQueue<string>();
    private static readonly Vector3 Rest = new Vector3(0f, 0f, 0.5f);

    private static GameObject _rig, _sword, _picture;
    private static bool _isStill;

    private static void Say(string format, params object[] values)
    {
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, format, values));
        Console.Out.Flush();
    }

    private static GameObject Make(string name, Transform parent, Vector3 position, float scale)
    {
        GameObject o = Scene.Inactive(name);

        o.transform.SetParent(parent, false);
        o.transform.localPosition = position;
        o.transform.localScale = new Vector3(scale, scale, scale);
        Targets[name] = o;
        return o;
    }

    private static ClashdTarget Target(GameObject o)
    {
        var target = o.AddComponent<ClashdTarget>();

        target.targetName = o.name;
        if (o.transform.parent != _rig.transform)
            target.receiver = _rig.GetComponent<ClashdReceiver>();
        return target;
    }

    /// <summary>In a room that is none of the rig's, which is turned and half the size: 0.06 m thick and 1.92 m high in the rig,
    /// 0.6 m in front.</summary>
    private static void MakePillar()
    {
        var room = new GameObject { name = "room" };

        room.transform.position = new Vector3(12f, 18f, 25f);
        room.transform.rotation = new Quaternion(0f, (float)Math.Sin(0.3), 0f, (float)Math.Cos(0.3));
        room.transform.localScale = new Vector3(0.5f, 0.5f, 0.5f);
        GameObject pillar = Make("pillar", room.transform, new Vector3(0f, 0f, 0f), 8f);
        pillar.transform.position = _rig.transform.TransformPoint(new Vector3(0f, 0f, 0.6f));
        var collider = pillar.AddComponent<CapsuleCollider>();
        collider.center = new Vector3(0f, 0.45f, 0f);
        collider.radius = 0.03f;
        collider.height = 0.96f;
        Target(pillar);
    }

    private static void MakeCrate()
    {
        GameObject crate = Make("crate", _rig.transform, new Vector3(3f, 0.5f, 1f), 1f);
        var collider = crate.AddComponent<BoxCollider>();

        crate.transform.localRotation = Scene.Turn;
        crate.transform.localScale = new Vector3(1.5f, 1f, 2f);
        collider.center = new Vector3(0f, 0.25f, 0f);
        collider.size = new Vector3(1f, 1f, 1f);
        Target(crate);
    }

    /// <summary>It moves, and its collider is a child's.</summary>
    private static void MakeShield()
    {
        GameObject shield = Make("shield", _rig.transform, new Vector3(-3f, 1.5f, 2f), 1f);
        GameObject boss = Make("boss", shield.transform, new Vector3(0f, 0f, 0.1f), 0.5f);
        var collider = boss.AddComponent<SphereCollider>();
        ClashdTarget target = Target(shield);

        shield.transform.localRotation = Scene.Turn;
        collider.radius = 0.5f;
        boss.SetActive(true);
        target.shape = collider;
        target.moves = true;
    }

    /// <summary>Triangles that share no corner, as a picture's do not; over a few places only.</summary>
    private static Mesh MakeMesh(int triangles, int places)
    {
        var mesh = new Mesh { name = "strip", vertices = new Vector3[triangles * 3], triangles = new int[triangles * 3] };

        for (int i = 0; i < triangles * 3; i++)
        {
            int place = (i / 3 + i % 3) % places;

            mesh.vertices[i] = new Vector3(5f + place, place % 2, 9f);
            mesh.triangles[i] = i;
        }
        return mesh;
    }

    private static void MakeOthers()
    {
        GameObject roof = Make("roof", _rig.transform, new Vector3(0f, 0f, 0f), 1f);
        GameObject big = Make("big", _rig.transform, new Vector3(0f, 0f, 0f), 1f);
        GameObject locked = Make("locked", _rig.transform, new Vector3(0f, 0f, 0f), 1f);

        roof.AddComponent<MeshCollider>().sharedMesh = MakeMesh(300, 400); // of 900 corners, at 302 places
        big.AddComponent<MeshCollider>().sharedMesh = MakeMesh(1000, 2000);
        locked.AddComponent<MeshCollider>().sharedMesh = MakeMesh(1, 3);
        locked.GetComponent<MeshCollider>().sharedMesh.isReadable = false;
        GameObject rock = Make("rock", _rig.transform, new Vector3(0f, 0f, 0f), 1f);
        rock.AddComponent<MeshCollider>().sharedMesh = MakeMesh(1500, 200); // whose triangles do not count
        rock.GetComponent<MeshCollider>().convex = true;
        for (int i = 0; i < 4500; i += 7)
            rock.GetComponent<MeshCollider>().sharedMesh.vertices[i].z = 11f;
        Target(rock);
        Target(roof);
        Target(big);
        Target(locked);
        GameObject wheel = Make("wheel", _rig.transform, new Vector3(0f, 0f, 0f), 1f);
        wheel.AddComponent<WheelCollider>();
        Target(wheel);
        Target(Make("nothing", _rig.transform, new Vector3(0f, 0f, 0f), 1f));
    }

    /// <summary>129 by 129 points, 2 m apart along x and 1 m along z, as high as (37 x + 61 z) mod 97 says, up to 2 m. What its
    /// transform has besides a position means nothing.</summary>
    private static void MakeGround()
    {
        const int points = 129;
        GameObject ground = Scene.Inactive("ground");
        var data = new TerrainData
        {
            heightmapResolution = points, size = new Vector3(256f, 2f, 128f), heights = new float[points, points],
            holes = new bool[points - 1, points - 1]
        };

        for (int z = 0; z < points; z++)
            for (int x = 0; x < points; x++)
            {
                data.heights[z, x] = (37 * x + 61 * z) % 97 / 97f;
                if (x < points - 1 && z < points - 1)
                    data.holes[z, x] = x != 30 || z != 60;
            }
        ground.transform.position = new Vector3(-90f, 10f, -40f);
        ground.transform.rotation = Scene.Turn;
        ground.transform.localScale = new Vector3(3f, 4f, 5f);
        ground.AddComponent<TerrainCollider>().terrainData = data;
        Targets["ground"] = ground;
        Target(ground);
    }

    /// <summary>Twice as big in a hand as in itself; and what may be in the same hand.</summary>
    private static void MakeBuckler()
    {
        GameObject buckler = Make("buckler", _rig.transform, new Vector3(2f, 1f, 3f), 2f);
        var collider = buckler.AddComponent<BoxCollider>();

        buckler.transform.localRotation = Scene.Turn;
        collider.center = new Vector3(0f, 0f, 0.05f);
        collider.size = new Vector3(0.3f, 0.4f, 0.02f);
        Target(buckler).hand = ClashdHand.Left;
        GameObject dagger = Make("dagger", _rig.transform, new Vector3(2f, 1.5f, 3f), 1f);
        var blade = dagger.AddComponent<ClashdBlade>();
        blade.bladeName = "dagger";
        blade.hand = ClashdHand.Left;
        blade.tip = new Vector3(0f, 0.2f, 0f);
    }

    private static void MakeSword()
    {
        _sword = Scene.MakeBlade("sword", new Vector3(0f, 0f, 4f), 0.06f, Scene.Scale / 4f);
        _picture = new GameObject { name = "picture" };
        _picture.transform.SetParent(_sword.transform, false);
        _picture.transform.localPosition = Rest;
        _picture.AddComponent<ClashdPicture>();
    }

    private static void Obey(string command)
    {
        string[] words = command.Split(' ');

        if (words[0] == "still")
            _isStill = true;
        else if (words[0] == "around")
            Targets["ground"].GetComponent<ClashdTarget>().around = Targets[words[1]].transform;
        else if (words[0] == "left" || words[0] == "right")
            Targets[words[1]].GetComponent<ClashdTarget>().hand = words[0] == "left" ? ClashdHand.Left : ClashdHand.Right;
        else if (words[0] == "move")
            Targets[words[1]].transform.position += _rig.transform.TransformVector(new Vector3(2f, 0f, 0f));
        else
            Targets[words[1]].SetActive(words[0] == "on");
    }

    private static void Frame(double seconds)
    {
        double half = _isStill ? 0.0 : 0.4 * Math.Sin(Math.PI * seconds);
        string command;

        while (Commands.TryDequeue(out command))
            Obey(command);
        Scene.Place(_sword, new Vector3(0f, 1.2f, 0f), new Quaternion(0f, (float)Math.Sin(half), 0f, (float)Math.Cos(half)));
        Loop.Frame();
        Vector3 aside = _picture.transform.position - _sword.transform.TransformPoint(Rest);
        if (_isStill)
            Say("picture {0:G9} {1:G9} {2:G9}", aside.x, aside.y, aside.z);
    }

    private static void Read(ManualResetEvent stop)
    {
        for (string line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
            Commands.Enqueue(line);
        stop.Set();
    }

    internal static int Run(string host, int port, string tokenFile)
    {
        var stop = new ManualResetEvent(false);

        _rig = Scene.MakeRig(host, port, tokenFile);
        var receiver = _rig.GetComponent<ClashdReceiver>();
        receiver.resolvedPoses = true;
        receiver.Clash += e =>
        {
            Vector3 normal = receiver.ToWorldDirection(e.SurfaceNormal);

            Say("struck {0} {1} {2:G9} {3:G9} {4:G9}", e.Seq, e.Target, normal.x, normal.y, normal.z);
        };
        receiver.Release += e => Say("parted {0} {1}", e.Target, e.Reason);
        MakePillar();
        Targets["pillar"].SetActive(true); // the others once it runs already
        _rig.SetActive(true);
        MakeCrate();
        MakeShield();
        MakeOthers();
        MakeGround(); // these are not there until they are asked for
        MakeBuckler();
        foreach (GameObject o in Targets.Values)
            if (o.name != "pillar" && o.name != "ground" && o.name != "buckler" && o.name != "dagger")
                o.SetActive(true);
        MakeSword();
        new Thread(() => Read(stop)) { IsBackground = true }.Start();
        for (var clock = System.Diagnostics.Stopwatch.StartNew(); !stop.WaitOne(14);)
            Frame(clock.Elapsed.TotalSeconds);
        Loop.LeavePlayMode();
        Say("disposed");
        return 0;
    }
}
