// Swords in the player's hands, in the scene's rig (unity_scene.cs), which is moved, turned and scaled: one below a tracked
// controller, one that is grabbed and follows it; and an enemy's. Says where each is drawn in the rig's space, and in which frame
// an event came. Commands, a line each, see Obey; ends with standard input.
using System;
using System.Collections.Generic;
using System.Globalization;
using Clashd;
using UnityEngine;

namespace UnityEngine.InputSystem.XR
{
    /// <summary>As Unity's: where the controller is goes into its transform in Update, and newer once more before it is
    /// drawn.</summary>
    public sealed class TrackedPoseDriver : MonoBehaviour
    {
        public Func<float, Vector3> Place;
        public Quaternion Rotation = new Quaternion(0f, 0f, 0f, 1f);

        private void OnEnable() { Application.onBeforeRender += OnBeforeRender; }
        private void OnDisable() { Application.onBeforeRender -= OnBeforeRender; }

        private void Set(float step)
        {
            transform.localPosition = Place(step);
            transform.localRotation = Rotation;
        }

        private void Update() { Set(Loop.Number - 0.25f); }

        [BeforeRenderOrder(-30000)]
        private void OnBeforeRender() { Set(Loop.Number); }
    }
}

/// <summary>As XR Interaction Toolkit's grabbed objects: follows a hand that is not its parent.</summary>
public sealed class Grabbed : MonoBehaviour
{
    public Transform Hand;

    private void OnEnable() { Application.onBeforeRender += OnBeforeRender; }
    private void OnDisable() { Application.onBeforeRender -= OnBeforeRender; }

    [BeforeRenderOrder(100)]
    private void OnBeforeRender()
    {
        transform.position = Hand.TransformPoint(new Vector3(0f, 0.05f, 0f));
        transform.rotation = Hand.rotation;
    }
}

internal static class FeedScene
{
    private static readonly Dictionary<string, GameObject> Named = new Dictionary<string, GameObject>();
    private static GameObject _rig;
    private static ClashdReceiver _receiver;
    private static float _jump, _drift;

    private static void Say(string format, params object[] values)
    {
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, format, values));
        Console.Out.Flush();
    }

    private static GameObject Make(string name, Transform parent)
    {
        GameObject o = Scene.Inactive(name);

        o.transform.SetParent(parent, false);
        Named[name] = o;
        return o;
    }

    /// <summary>The left hand holds still, from the tenth frame on; the right one goes past it and back, 0.05 m a frame.</summary>
    private static Vector3 Left(float step) { return new Vector3(-0.2f, 1.2f + 0.001f * Math.Min(step, 10f), 0.4f); }

    private static Vector3 Right(float step)
    {
        float x = step % 40f;

        return new Vector3(_jump - 1.2f + 0.1f * (x < 20f ? x : 40f - x), 1.5f, 0.2f);
    }

    private static GameObject MakeHand(string name, Transform parent, Func<float, Vector3> place, Quaternion rotation)
    {
        GameObject hand = Make(name, parent);
        hand.SetActive(true);
        var driver = hand.AddComponent<UnityEngine.InputSystem.XR.TrackedPoseDriver>();

        driver.Place = place;
        driver.Rotation = rotation;
        return hand;
    }

    private static ClashdBlade MakeBlade(string name, Transform parent, Vector3 tip)
    {
        var blade = Make(name, parent).AddComponent<ClashdBlade>();

        blade.receiver = _receiver;
        blade.tip = tip;
        blade.radius = 0.02f;
        return blade;
    }

    private static void Build()
    {
        var up = new Quaternion((float)-Math.Sqrt(0.5), 0f, 0f, (float)Math.Sqrt(0.5)); // forward is up
        GameObject offset = Make("Camera Offset", _rig.transform);
        offset.SetActive(true);
        offset.transform.localPosition = new Vector3(0f, 0.1f, 0f);
        GameObject left = MakeHand("Left Controller", offset.transform, Left, up);
        GameObject right = MakeHand("Right Controller", offset.transform, Right, new Quaternion(0f, 0f, 0f, 1f));
        MakeBlade("left sword", left.transform, new Vector3(0f, 0f, 1f));
        Named["left sword"].transform.localPosition = new Vector3(0f, 0f, 0.02f);
        Named["left sword"].transform.localScale = new Vector3(1f, 1f, 1.5f);
        MakeBlade("right sword", null, new Vector3(0f, 0f, 0.5f)).hand = ClashdHand.Right;
        Named["right sword"].transform.localScale = new Vector3(Scene.Scale, Scene.Scale, Scene.Scale);
        Named["right sword"].AddComponent<Grabbed>().Hand = right.transform;
        MakeBlade("enemy", null, new Vector3(0f, 2f, 0f)).bladeName = "enemy";
        Scene.Place(Named["enemy"], new Vector3(3f, 0f, 0f), new Quaternion(0f, 0f, 0f, 1f));
        foreach (string name in new[] { "left sword", "right sword", "enemy" })
            Named[name].SetActive(true);
    }

    private static void Draw()
    {
        foreach (string name in new[] { "left sword", "right sword", "enemy" })
        {
            if (!Named.ContainsKey(name) || Named[name] == null || _receiver == null)
                continue;
            Transform t = Named[name].transform;
            Transform origin = _receiver.transform;
            Vector3 p = origin.InverseTransformPoint(t.position);
            Vector3 tip = origin.InverseTransformPoint(t.TransformPoint(Named[name].GetComponent<ClashdBlade>().tip));
            Quaternion q = Quaternion.Inverse(origin.rotation) * t.rotation;

            Say("drawn {0}|{1}|{2:G9} {3:G9} {4:G9} {5:G9} {6:G9} {7:G9} {8:G9}|{9:G9} {10:G9} {11:G9}", Loop.Number, name, p.x, p.y, p.z,
                q.x, q.y, q.z, q.w, tip.x, tip.y, tip.z);
        }
    }

    private static void Edge(string name)
    {
        Named[name].GetComponent<ClashdBlade>().hasEdge = true;
    }

    private static void Listen()
    {
        Loop.Draw += Draw;
        _receiver.Clash += e =>
        {
            Say("clash {0}|{1}|{2}|{3}", Loop.Number, e.Seq, e.Blade0, e.Blade1);
        };
        _receiver.Stale += e => Say("stale {0}|{1}|{2}", Loop.Number, e.Seq, e.AgeNs);
        _receiver.Release += e => Say("release {0}|{1}|{2}", Loop.Number, e.Seq, e.Reason);
        _receiver.Tracking += e => Say("tracking {0}|{1}|{2}|{3}", Loop.Number, e.Device, e.Tracked, e.Source);
    }

    /// <summary>Of the receiver's own part of so many frames, and of what a small array costs.</summary>
    private static void SayAllocated(int frames)
    {
        var counted = (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread"));
        UnityEngine.Events.UnityAction push = Application.BeforeRender.Find(callback => callback.Target == (object)_receiver);
        long bytes = 0, before = counted();
        var kept = new byte[100];

        GC.KeepAlive(kept);
        long seen = counted() - before;
        for (int i = 0; i < frames; i++)
        {
            Loop.Frame();
            _receiver.gameObject.Send("LateUpdate");
            before = counted();
            push();
            bytes += counted() - before;
        }
        Say("allocated {0} {1}", bytes, seen);
    }

    /// <summary>controller:HAND:lost|guessed|tracked|off:X, the last by its tracker in metres.</summary>
    private static void SetController(string[] words)
    {
        UnityEngine.XR.InputTrackingState placed =
            UnityEngine.XR.InputTrackingState.Position | UnityEngine.XR.InputTrackingState.Rotation;
        var controller = new UnityEngine.XR.InputDevices.Controller
        {
            IsThere = words[2] != "off", IsTracked = words[2] == "tracked",
            State = words[2] == "lost" ? UnityEngine.XR.InputTrackingState.Rotation : placed,
            Place = new Vector3(float.Parse(words[3], CultureInfo.InvariantCulture), 0f, 0f)
        };

        UnityEngine.XR.InputDevices.Set((UnityEngine.XR.XRNode)Enum.Parse(typeof(UnityEngine.XR.XRNode), words[1] + "Hand"), controller);
    }

    private static void Obey(string command)
    {
        string[] words = command.Split(':');

        switch (words[0])
        {
            case "frames": // so many, so many ms apart
                for (int i = 0; i < int.Parse(words[1]); i++)
                {
                    System.Threading.Thread.Sleep(int.Parse(words[2]));
                    _rig.transform.position += new Vector3(0f, 0f, _drift);
                    Loop.Frame();
                }
                break;
            case "wait": _receiver.waitMs = int.Parse(words[1]); break;
            case "maxAge": _receiver.maxAge = float.Parse(words[1], CultureInfo.InvariantCulture); break;
            case "apart": _receiver.hapticApartMs = float.Parse(words[1]); break;
            case "draws": Loop.Draws = words[1] == "on"; break;
            case "on": Named[words[1]].SetActive(true); break;
            case "off": Named[words[1]].SetActive(false); break;
            case "hand": Named[words[1]].GetComponent<ClashdBlade>().hand = (ClashdHand)Enum.Parse(typeof(ClashdHand), words[2]); break;
            case "into": Named[words[1]].transform.SetParent(words[2].Length > 0 ? Named[words[2]].transform : null, false); break;
            case "scale": Named[words[1]].transform.localScale *= float.Parse(words[2], CultureInfo.InvariantCulture); break;
            case "drift": _drift = float.Parse(words[1], CultureInfo.InvariantCulture); break;
            case "jump": // of the right hand, which is no stroke where it is told
                _jump += float.Parse(words[1], CultureInfo.InvariantCulture);
                if (words[2] == "told")
                    _receiver.Teleport();
                break;
            case "controller": SetController(words); break;
            case "recentre": UnityEngine.XR.XRInputSubsystem.Only.Recentre(); break;
            case "teleport": _receiver.Teleport(); break;
            case "blink": Named[words[1]].GetComponent<ClashdBlade>().Teleport(); break;
            case "turn": // the rig, and all of the player with it
                _rig.transform.rotation = Scene.Turn * _rig.transform.rotation;
                _receiver.Teleport();
                break;
            case "allocated": SayAllocated(int.Parse(words[1])); break;
            case "side": Say("side {0}", HandFinder.Side(words[1])); break;
            case "inspect":
                new ClashdReceiverEditor { target = _receiver }.OnInspectorGUI();
                new ClashdBladeEditor { target = Named[words[1]].GetComponent<ClashdBlade>() }.OnInspectorGUI();
                break;
            case "inspectAll":
                new ClashdBladeEditor
                {
                    target = Named["left sword"].GetComponent<ClashdBlade>(),
                    several = new UnityEngine.Object[] { Named["left sword"].GetComponent<ClashdBlade>(), Named["enemy"].GetComponent<ClashdBlade>() }
                }.OnInspectorGUI();
                break;
            case "drag": // drag:SWORD:HANDLE:Y
                UnityEditor.Handles.Dragged = words[2];
                UnityEditor.Handles.Way = new Vector3(0f, float.Parse(words[3], CultureInfo.InvariantCulture), 0f);
                new ClashdBladeEditor { target = Named[words[1]].GetComponent<ClashdBlade>() }.OnSceneGUI();
                break;
            case "events": LifeCommands.AddEvents(Named[words[1]], words[2], words[3]); break;
            case "select": Named[words[1]].Send("OnDrawGizmosSelected"); break;
            case "throw": _receiver.Clash += e => { throw new Exception("a handler"); }; break;
            case "replay": // the same scene again, in the same domain
                Loop.LeavePlayMode();
                Loop.Draw -= Draw;
                Named.Clear();
                Play(words[1] == "world");
                break;
            default:
                if (!LifeCommands.Obey(words, Named, _rig, ref _receiver))
                    throw new ArgumentException(command);
                break;
        }
        Say("done {0}", command);
    }

    /// <summary>In the scene, and not on the rig.</summary>
    private static void PutReceiverOutside()
    {
        GameObject world = Scene.Inactive("world");

        _receiver = world.AddComponent<ClashdReceiver>();
        _receiver.host = _rig.GetComponent<ClashdReceiver>().host;
        _receiver.port = _rig.GetComponent<ClashdReceiver>().port;
        _receiver.tokenFile = _rig.GetComponent<ClashdReceiver>().tokenFile;
        _receiver.maxAge = 0f;
        _receiver.token = _rig.GetComponent<ClashdReceiver>().token;
        _rig.GetComponent<ClashdReceiver>().enabled = false;
    }

    private static string _host, _tokenFile;
    private static int _port;

    private static void Play(bool isOutside)
    {
        _rig = Scene.MakeRig(_host, _port, _tokenFile);
        _receiver = _rig.GetComponent<ClashdReceiver>();
        Named["rig"] = _rig;
        if (isOutside)
            PutReceiverOutside();
        Listen();
        SetController(new[] { "", "Left", "tracked", "0" });
        SetController(new[] { "", "Right", "tracked", "0" });
        _rig.SetActive(true);
        _receiver.gameObject.SetActive(true);
        Build();
        Edge("left sword");
    }

    internal static int Run(string mode, string host, int port, string tokenFile)
    {
        _host = host;
        _port = port;
        _tokenFile = tokenFile;
        Play(mode == "world");
        for (string line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
            Obey(line);
        Loop.LeavePlayMode();
        Say("disposed");
        return 0;
    }
}
