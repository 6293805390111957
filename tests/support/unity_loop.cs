// Unity's frame, as far as the package depends on it: Start, Update and LateUpdate of all scripts in their order, the end of what was
// destroyed, Application.onBeforeRender in its callbacks' order, and then what is drawn. Time, and controllers that print their pulses.
using System;
using System.Collections.Generic;
using System.Linq;

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

        public abstract class UnityEvent<T>
        {
            private readonly List<Action<T>> _listeners = new List<Action<T>>();

            public void AddListener(Action<T> listener) { _listeners.Add(listener); }

            public void Invoke(T value)
            {
                foreach (Action<T> listener in _listeners.ToArray())
                    listener(value);
            }
        }
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
        public static float unscaledDeltaTime, deltaTime, time;
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

        private sealed class Doomed
        {
            public Object It;
            public double At;
        }

        private static readonly List<Doomed> DoomedOnes = new List<Doomed>();

        internal static void DestroyLater(Object o, float seconds)
        {
            if (o != null)
                DoomedOnes.Add(new Doomed { It = o, At = Time.time + seconds });
        }

        private static void DestroyDue()
        {
            foreach (Doomed one in DoomedOnes.FindAll(one => one.At <= Time.time))
            {
                DoomedOnes.Remove(one);
                Object.DestroyImmediate(one.It);
            }
        }

        /// <summary>All that is there is destroyed, one after the other. As with "Enter Play Mode Options" without a reload of the domain,
        /// static fields and subscriptions to static events stay, for a scene that is then built anew.</summary>
        public static void LeavePlayMode()
        {
            foreach (GameObject o in All.ToArray())
                Object.DestroyImmediate(o);
            DoomedOnes.Clear();
        }

        private static void Call(string method)
        {
            var scripts = new List<MonoBehaviour>();

            foreach (GameObject o in All.ToArray())
                scripts.AddRange(o.GetComponents<MonoBehaviour>());
            foreach (MonoBehaviour script in scripts.OrderBy(script => OrderOf(script.GetType()))) // which is stable
                script.Run(method);
        }

        /// <summary>As Unity's BeforeRenderHelper: what one throws keeps the others from being called in this frame.</summary>
        private static void CallBeforeRender()
        {
            try
            {
                foreach (Events.UnityAction callback in new List<Events.UnityAction>(Application.BeforeRender).OrderBy(OrderOf))
                    callback();
            }
            catch (Exception e)
            {
                Debug.LogException(e, null);
            }
        }

        private static readonly System.Diagnostics.Stopwatch Clock = System.Diagnostics.Stopwatch.StartNew();
        private static double _begin;

        /// <summary>One, as long after the one before as it is.</summary>
        public static void Frame()
        {
            double now = Clock.Elapsed.TotalSeconds;

            Time.unscaledDeltaTime = (float)(now - _begin);
            Time.deltaTime = Time.unscaledDeltaTime;
            _begin = now;
            Time.time = (float)now;
            Number++;
            Call("Update");
            ParticleSystem.UpdateAll(Time.unscaledDeltaTime);
            Call("LateUpdate");
            DestroyDue();
            if (!Draws)
                return;
            CallBeforeRender();
            ParticleSystem.DrawAll();
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

    [Flags]
    public enum InputTrackingState : uint
    {
        None = 0,
        Position = 1,
        Rotation = 2
    }

    public struct InputFeatureUsage<T> { }

    public static class CommonUsages
    {
        public static InputFeatureUsage<bool> isTracked = new InputFeatureUsage<bool>();
        public static InputFeatureUsage<InputTrackingState> trackingState = new InputFeatureUsage<InputTrackingState>();
        public static InputFeatureUsage<Vector3> devicePosition = new InputFeatureUsage<Vector3>();
    }

    public struct InputDevice
    {
        internal XRNode Node;

        private bool Hands { get { return Node == XRNode.RightHand || Node == XRNode.LeftHand; } }

        public bool isValid { get { return Hands && InputDevices.Are[(int)Node].IsThere; } }

        public bool TryGetFeatureValue(InputFeatureUsage<bool> usage, out bool value)
        {
            value = InputDevices.Are[(int)Node].IsTracked;
            return isValid;
        }

        public bool TryGetFeatureValue(InputFeatureUsage<InputTrackingState> usage, out InputTrackingState value)
        {
            value = InputDevices.Are[(int)Node].State;
            return isValid;
        }

        public bool TryGetFeatureValue(InputFeatureUsage<Vector3> usage, out Vector3 value)
        {
            value = InputDevices.Are[(int)Node].Place;
            return isValid;
        }

        public bool SendHapticImpulse(uint channel, float amplitude, float duration)
        {
            Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture, "pulse {0} {1:G9} {2:G9}", Node, amplitude,
                                            duration));
            return true;
        }
    }

    public static class InputDevices
    {
        internal struct Controller
        {
            public bool IsThere, IsTracked;
            public InputTrackingState State;
            public Vector3 Place;
        }

        /// <summary>Not Unity's: what the runtime knows of each node.</summary>
        internal static readonly Controller[] Are = new Controller[6];

        public static event Action<InputDevice> deviceConnected, deviceDisconnected;

        internal static void Set(XRNode node, Controller controller)
        {
            Action<InputDevice> changed = controller.IsThere ? deviceConnected : deviceDisconnected;
            bool isOther = controller.IsThere != Are[(int)node].IsThere;

            Are[(int)node] = controller;
            if (isOther && changed != null)
                changed(new InputDevice { Node = node });
        }

        public static void GetDevicesAtXRNode(XRNode node, List<InputDevice> devices)
        {
            devices.Clear();
            if (Are[(int)node].IsThere)
                devices.Add(new InputDevice { Node = node });
        }

        public static InputDevice GetDeviceAtXRNode(XRNode node) { return new InputDevice { Node = node }; }
    }
}
