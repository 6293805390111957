// Commands of unity_feed.cs for how games make, move and end things: by AddComponent and Instantiate with fields set afterwards, by
// Destroy, with another receiver, without a reload of the domain; and rigs that glide, teleport or snap turn.
using System;
using System.Collections.Generic;
using Clashd;
using UnityEngine;

namespace UnityEngine.XR.Interaction.Toolkit
{
    /// <summary>As that of XR Interaction Toolkit 2.</summary>
    public abstract class LocomotionProvider : MonoBehaviour
    {
        public event Action<object> endLocomotion;

        internal void Step(Action move)
        {
            move();
            if (endLocomotion != null)
                endLocomotion(this);
        }
    }

    public abstract class SnapTurnProviderBase : LocomotionProvider { }
    public sealed class ActionBasedSnapTurnProvider : SnapTurnProviderBase { }
    public sealed class TeleportationProvider : LocomotionProvider { }
    public sealed class ContinuousMoveProvider : LocomotionProvider { }
}

internal static class LifeCommands
{
    private static readonly Dictionary<string, UnityEngine.XR.Interaction.Toolkit.LocomotionProvider> Providers =
        new Dictionary<string, UnityEngine.XR.Interaction.Toolkit.LocomotionProvider>();

    /// <summary>A sword, fields set as a game's script does: once AddComponent has returned.</summary>
    private static GameObject AddBlade(string name, ClashdReceiver receiver)
    {
        var o = new GameObject(name);
        var blade = o.AddComponent<ClashdBlade>();

        blade.receiver = receiver;
        blade.bladeName = name;
        blade.tip = new Vector3(0f, 0f, 3f);
        blade.radius = 0.04f;
        return o;
    }

    private static GameObject CopyBlade(string name, ClashdReceiver receiver, Transform parent)
    {
        GameObject prefab = Scene.Prefab("prefab");
        prefab.AddComponent<ClashdBlade>().tip = new Vector3(0f, 0f, 3f);
        prefab.GetComponent<ClashdBlade>().radius = 0.04f;
        GameObject o = UnityEngine.Object.Instantiate(prefab, new Vector3(0f, 0f, 0f), new Quaternion(0f, 0f, 0f, 1f));

        o.GetComponent<ClashdBlade>().bladeName = name;
        o.GetComponent<ClashdBlade>().receiver = receiver;
        if (parent != null)
            o.transform.SetParent(parent, false);
        return o;
    }

    private static GameObject AddTarget(string name, ClashdReceiver receiver)
    {
        var o = new GameObject(name);
        var target = o.AddComponent<ClashdTarget>();

        target.receiver = receiver;
        target.targetName = name;
        o.transform.position = new Vector3(100f, 0f, 0f);
        o.AddComponent<SphereCollider>().radius = 0.5f;
        return o;
    }

    private static GameObject AddReceiver(string name, ClashdReceiver like)
    {
        var o = new GameObject(name);
        var receiver = o.AddComponent<ClashdReceiver>();

        receiver.host = like.host;
        receiver.port = like.port;
        receiver.tokenFile = like.tokenFile;
        receiver.token = like.token;
        return o;
    }

    private static void Spawn(string how, string name, Dictionary<string, GameObject> named, ClashdReceiver receiver)
    {
        GameObject o = how == "add" ? AddBlade(name, receiver) : how == "copy" ? CopyBlade(name, receiver, null) :
            how == "under" ? CopyBlade(name, null, receiver.transform) : how == "target" ? AddTarget(name, receiver) :
            AddReceiver(name, receiver);

        named[name] = o;
    }

    /// <summary>A child of it with a blade's picture, which the script moves after AddComponent.</summary>
    private static void AddPicture(GameObject o)
    {
        var child = new GameObject("picture");

        child.transform.SetParent(o.transform, false);
        child.AddComponent<ClashdPicture>();
        child.transform.localPosition = new Vector3(0f, 0f, 0.25f);
    }

    /// <summary>With that other one, at that speed at least; prints what is called.</summary>
    internal static void AddEvents(GameObject o, string with, string speed)
    {
        var events = o.AddComponent<ClashdEvents>();

        events.with = with;
        events.minClosingSpeed = float.Parse(speed, System.Globalization.CultureInfo.InvariantCulture);
        events.against = ClashdAgainst.Blades;
        events.onClash.AddListener(e => Console.WriteLine("onClash " + e.Seq));
        events.onClashAt.AddListener(at => Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture,
                                                                           "onClashAt {0:G6} {1:G6} {2:G6}", at.x, at.y, at.z)));
        events.onClashIntensity.AddListener(intensity => Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture,
                                                                                         "onClashIntensity {0:G6}", intensity)));
        events.onHold.AddListener(e => Console.WriteLine("onHold " + e.Seq));
        events.onRelease.AddListener(e => Console.WriteLine("onRelease " + e.Seq));
    }

    private static void Locomotion(string[] words, GameObject rig)
    {
        switch (words[1])
        {
            case "add":
                Providers["teleport"] = new GameObject("a").AddComponent<UnityEngine.XR.Interaction.Toolkit.TeleportationProvider>();
                Providers["snap"] = new GameObject("b").AddComponent<UnityEngine.XR.Interaction.Toolkit.ActionBasedSnapTurnProvider>();
                Providers["walk"] = new GameObject("c").AddComponent<UnityEngine.XR.Interaction.Toolkit.ContinuousMoveProvider>();
                break;
            case "snap":
                Providers["snap"].Step(() => rig.transform.rotation = Quaternion.Euler(0f, 45f, 0f) * rig.transform.rotation);
                break;
            default:
                Providers[words[1]].Step(() => rig.transform.position += new Vector3(0.02f, 0f, 0f));
                break;
        }
    }

    /// <summary>False for what is none of these.</summary>
    internal static bool Obey(string[] words, Dictionary<string, GameObject> named, GameObject rig, ref ClashdReceiver receiver)
    {
        ClashdReceiver own = receiver;

        switch (words[0])
        {
            case "spawn": Spawn(words[1], words[2], named, receiver); return true;
            case "spawnOnClash": receiver.Clash += e => Spawn("copy", words[1], named, own); return true;
            case "destroy": UnityEngine.Object.Destroy(named[words[1]]); return true;
            case "unreceive": UnityEngine.Object.Destroy(named[words[1]].GetComponent<ClashdReceiver>()); return true;
            case "to": named[words[1]].GetComponent<ClashdMember>().receiver = named[words[2]].GetComponent<ClashdReceiver>(); return true;
            case "at": receiver = named[words[1]].GetComponent<ClashdReceiver>(); return true;
            case "sheathe": named[words[1]].GetComponent<ClashdBlade>().sheathed = words[2] == "yes"; return true;
            case "layers":
                named[words[1]].GetComponent<ClashdMember>().layers = int.Parse(words[2]);
                named[words[1]].GetComponent<ClashdMember>().mask = int.Parse(words[3]);
                return true;
            case "attach":
                named[words[1]].GetComponent<ClashdMember>().Attach((ClashdHand)Enum.Parse(typeof(ClashdHand), words[2]));
                return true;
            case "detach": named[words[1]].GetComponent<ClashdMember>().Detach(); return true;
            case "name": named[words[1]].GetComponent<ClashdBlade>().bladeName = words[2]; return true;
            case "parts": named[words[1]].GetComponent<ClashdBlade>().parts = new[] { new ClashdPart { points = null } };
                named[words[1]].GetComponent<ClashdBlade>().Redefine(); return true;
            case "picture": AddPicture(named[words[1]]); return true;
            case "noCollider": UnityEngine.Object.Destroy(named[words[1]].GetComponent<Collider>()); return true;
            case "locomotion": Locomotion(words, rig); return true;
            default: return false;
        }
    }
}
