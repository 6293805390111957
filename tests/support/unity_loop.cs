// Unity's frame, as far as the package hangs on it: Update and LateUpdate of all components in their order, Application's
// onBeforeRender in its callbacks' order, and then what is drawn. Time, and controllers that count what they are told.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class BeforeRenderOrderAttribute : Attribute
    {
        public readonly int order;

        public BeforeRenderOrderAttribute(int order) { this.order = order; }
    }

    namespace Events
    {
        public delegate void UnityAction();
    }

    public static class Application
    {
        internal static readonly List<Events.UnityAction> BeforeRender = new List<Events.UnityAction>();

        public static event Events.UnityAction onBeforeRender
        {
            add { BeforeRender.Add(value); }
            remove { BeforeRender.Remove(value); }
        }
    }

    public static class Time
    {
        public static float unscaledDeltaTime, time;
    }

    /// <summary>Not Unity's: what its player loop does.</summary>
    public static class Loop
    {
        internal static readonly List<GameObject> All = new List<GameObject>();

        /// <summary>Whether anything is drawn: else nobody calls onBeforeRender.</summary>
        public static bool Draws = true;
        public static int Number;
        /// <summary>When everything is where it is drawn.</summary>
        public static event Action Draw;

        private static int OrderOf(Type type)
        {
            var order = (DefaultExecutionOrder)Attribute.GetCustomAttribute(type, typeof(DefaultExecutionOrder));

            return order == null ? 0 : order.order;
        }

        private static int OrderOf(Events.UnityAction callback)
        {
            var order = (BeforeRenderOrderAttribute)Attribute.GetCustomAttribute(callback.Method, typeof(BeforeRenderOrderAttribute));

            return order == null ? 0 : order.order;
        }

        private static void Call(string method)
        {
            var components = new List<Component>();

            foreach (GameObject o in All.ToArray())
                components.AddRange(o.GetComponents<Component>());
            var sorted = new List<Component>(components);
            sorted.Sort((a, b) => OrderOf(a.GetType()) != OrderOf(b.GetType()) ?
                OrderOf(a.GetType()).CompareTo(OrderOf(b.GetType())) : components.IndexOf(a).CompareTo(components.IndexOf(b)));
            foreach (Component component in sorted)
                GameObject.Send(component, method);
        }

        private static readonly System.Diagnostics.Stopwatch Clock = System.Diagnostics.Stopwatch.StartNew();
        private static double _begin;

        /// <summary>One, as long after the one before as it is.</summary>
        public static void Frame()
        {
            double now = Clock.Elapsed.TotalSeconds;

            Time.unscaledDeltaTime = (float)(now - _begin);
            _begin = now;
            Time.time = (float)now;
            Number++;
            Call("Update");
            Call("LateUpdate");
            if (!Draws)
                return;
            var callbacks = new List<Events.UnityAction>(Application.BeforeRender);
            var sorted = new List<Events.UnityAction>(callbacks);
            sorted.Sort((a, b) => OrderOf(a) != OrderOf(b) ? OrderOf(a).CompareTo(OrderOf(b)) :
                callbacks.IndexOf(a).CompareTo(callbacks.IndexOf(b)));
            foreach (Events.UnityAction callback in sorted)
                callback();
            if (Draw != null)
                Draw();
        }
    }
}

namespace UnityEngine
{
    public static class SubsystemManager
    {
        /// <summary>Those that run.</summary>
        public static void GetSubsystems(List<XR.XRInputSubsystem> found)
        {
            found.Clear();
            found.Add(XR.XRInputSubsystem.Only);
        }
    }
}

namespace UnityEngine.XR
{
    public sealed class XRInputSubsystem
    {
        internal static readonly XRInputSubsystem Only = new XRInputSubsystem();

        public event Action<XRInputSubsystem> trackingOriginUpdated;

        internal void Recentre()
        {
            if (trackingOriginUpdated != null)
                trackingOriginUpdated(this);
        }
    }

    public enum XRNode
    {
        LeftEye,
        RightEye,
        CenterEye,
        Head,
        LeftHand,
        RightHand
    }

    public struct InputDevice
    {
        internal XRNode Node;

        public bool isValid { get { return Node == XRNode.RightHand || Node == XRNode.LeftHand; } }

        public bool SendHapticImpulse(uint channel, float amplitude, float duration)
        {
            Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture, "pulse {0} {1:G9} {2:G9}", Node, amplitude,
                                            duration));
            return true;
        }
    }

    public static class InputDevices
    {
        public static InputDevice GetDeviceAtXRNode(XRNode node) { return new InputDevice { Node = node }; }
    }
}
