// The package's components and its sample in a scene, called frame by frame as Unity would: a rig that is moved, turned and
// scaled, with a post and a sword that swings at it. Prints where each spark is. Arguments: [targets|feed|world|duel|prefab] HOST PORT TOKEN_FILE, with
// targets in the post's place (unity_targets.cs), or swords in the player's hands (unity_feed.cs), the receiver on the rig or outside of it, or the sample Duel, without or with a prefab of its sparks; ends with standard input.
using System;
using System.Globalization;
using System.Threading;
using Clashd;
using UnityEngine;

public static class Scene
{
    // A quarter turn to the right, twice the size, elsewhere.
    internal static readonly Quaternion Turn = new Quaternion(0f, (float)Math.Sqrt(0.5), 0f, (float)Math.Sqrt(0.5));
    internal const float Scale = 2f;

    private static GameObject _rig;

    /// <summary>As an object of a scene's file: its scripts have all their fields before they are enabled.</summary>
    internal static GameObject Inactive(string name)
    {
        var o = new GameObject(name);

        o.SetActive(false);
        return o;
    }

    /// <summary>In no scene: nothing calls its scripts.</summary>
    internal static GameObject Prefab(string name)
    {
        return new GameObject(name, true, false);
    }

    internal static GameObject MakeBlade(string name, Vector3 tip, float radius, float scale, bool hasGuard = false)
    {
        GameObject o = Inactive(name);
        var blade = o.AddComponent<ClashdBlade>();

        blade.receiver = _rig.GetComponent<ClashdReceiver>();
        blade.bladeName = name == "sword" ? "" : name;
        blade.tip = tip;
        blade.radius = radius;
        blade.hasEdge = true;
        if (hasGuard)
            blade.parts = new[]
            {
                new ClashdPart { points = new[] { new Vector3(0f, 0f, 0f), tip }, radius = radius, hasEdge = true },
                new ClashdPart
                {
                    name = "guard", points = new[] { new Vector3(-0.4f, 0f, 0.2f), new Vector3(0.4f, 0f, 0.2f) }, radius = radius
                }
            };
        o.transform.localScale = new Vector3(scale, scale, scale);
        o.SetActive(true);
        return o;
    }

    internal static void Place(GameObject o, Vector3 position, Quaternion rotation)
    {
        o.transform.position = _rig.transform.TransformPoint(position);
        o.transform.rotation = Turn * rotation;
    }

    private static void Say(ClashdEvent clash)
    {
        Vector3 at = UnityEngine.Object.Made[UnityEngine.Object.Made.Count - 1].transform.position;

        Console.WriteLine("made " + Loop.Number + " " +
                          UnityEngine.Object.Made[UnityEngine.Object.Made.Count - 1].GetComponent<ParticleSystem>().GetInstanceID());
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "spark {0} {1:G9} {2:G9} {3:G9} {4}|{5}", clash.Seq, at.x,
                                        at.y, at.z, clash.Blade0, clash.Blade1));
        Console.Out.Flush();
    }

    internal static GameObject MakeRig(string host, int port, string tokenFile)
    {
        _rig = Inactive("rig");
        _rig.transform.position = new Vector3(10f, 20f, 30f);
        _rig.transform.rotation = Turn;
        _rig.transform.localScale = new Vector3(Scale, Scale, Scale);
        var receiver = _rig.AddComponent<ClashdReceiver>();
        receiver.host = host;
        receiver.port = port;
        receiver.maxAge = 0f; // a busy machine may take a second for a frame
        if (tokenFile.StartsWith("token:"))
            receiver.token = tokenFile.Substring("token:".Length);
        else
            receiver.tokenFile = tokenFile;
        return _rig;
    }

    /// <summary>The sample on an empty object; until standard input ends.</summary>
    private static int RunDuel(string host, int port, string tokenFile, bool hasPrefab)
    {
        GameObject o = Inactive("duel");
        var receiver = o.AddComponent<ClashdReceiver>();
        var duel = o.AddComponent<Duel>();
        var stop = new ManualResetEvent(false);

        receiver.host = host;
        receiver.port = port;
        receiver.tokenFile = tokenFile;
        receiver.waitMs = 60000;
        receiver.maxAge = 0f;
        duel.speed = 2f;
        duel.spark = hasPrefab ? Prefab("Spark") : null;
        o.SetActive(true);
        new Thread(() => { while (Console.In.Read() >= 0) { } stop.Set(); }) { IsBackground = true }.Start();
        while (!stop.WaitOne(11))
            Loop.Frame();
        Loop.LeavePlayMode();
        Console.WriteLine("disposed");
        return 0;
    }

    public static int Main(string[] words)
    {
        var stop = new ManualResetEvent(false);

        if (words[0] == "targets")
            return TargetScene.Run(words[1], int.Parse(words[2]), words[3]);
        if (words[0] == "duel" || words[0] == "prefab")
            return RunDuel(words[1], int.Parse(words[2]), words[3], words[0] == "prefab");
        if (words[0] == "feed" || words[0] == "world")
            return FeedScene.Run(words[0], words[1], int.Parse(words[2]), words[3]);
        var receiver = MakeRig(words[0], int.Parse(words[1]), words[2]).GetComponent<ClashdReceiver>();
        _rig.AddComponent<SparkSpawner>().sparks = Prefab("sparks");
        _rig.GetComponent<SparkSpawner>().sparks.AddComponent<ParticleSystem>();
        GameObject post = MakeBlade("post", new Vector3(0f, 1.8f, 0f), 0.06f, Scale);
        _rig.SetActive(true);
        receiver.Clash += Say; // after the sample's spawner
        GameObject sword = MakeBlade("sword", new Vector3(0f, 0f, 4f), 0.06f, Scale / 4f, true); // once it runs already
        new Thread(() => { while (Console.In.Read() >= 0) { } stop.Set(); }) { IsBackground = true }.Start();
        for (var clock = System.Diagnostics.Stopwatch.StartNew(); !stop.WaitOne(14);)
        {
            double half = 0.4 * Math.Sin(Math.PI * clock.Elapsed.TotalSeconds);

            Place(post, new Vector3(0f, 0f, 0.6f), new Quaternion(0f, 0f, 0f, 1f));
            Place(sword, new Vector3(0f, 1.2f, 0f), new Quaternion(0f, (float)Math.Sin(half), 0f, (float)Math.Cos(half)));
            Loop.Frame();
        }
        Loop.LeavePlayMode();
        Console.WriteLine("disposed");
        return 0;
    }
}
