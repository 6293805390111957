// The part of UnityEngine that the package's components and samples use, so that tests compile and run them under Mono. It calls scripts
// when Unity does: AddComponent and Instantiate run Awake and OnEnable before they return, and a destroyed object throws when it is used.
// Transforms and the frame have their own files (unity_transform.cs, unity_loop.cs); colliders are numbers.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace UnityEngine
{
    public sealed class AddComponentMenu : Attribute { public AddComponentMenu(string name) { } }
    public sealed class DefaultExecutionOrder : Attribute
    {
        public readonly int order;

        public DefaultExecutionOrder(int order) { this.order = order; }
    }

    public sealed class HelpURLAttribute : Attribute { public HelpURLAttribute(string url) { } }
    public sealed class HeaderAttribute : Attribute { public HeaderAttribute(string header) { } }
    public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    public sealed class RequireComponent : Attribute
    {
        public readonly Type type;

        public RequireComponent(Type type) { this.type = type; }
    }


    public struct LayerMask
    {
        public int value;

        public static implicit operator LayerMask(int bits) { return new LayerMask { value = bits }; }
        public static implicit operator int(LayerMask mask) { return mask.value; }
    }

    public struct Vector3
    {
        public float x, y, z;

        public Vector3(float x, float y, float z)
        {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return new Vector3(a.x - b.x, a.y - b.y, a.z - b.z); }
        public static Vector3 operator *(Vector3 v, float f) { return new Vector3(v.x * f, v.y * f, v.z * f); }

        public static Vector3 Cross(Vector3 a, Vector3 b)
        {
            return new Vector3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
        }
    }

    public struct Quaternion
    {
        public float x, y, z, w;

        public Quaternion(float x, float y, float z, float w)
        {
            this.x = x;
            this.y = y;
            this.z = z;
            this.w = w;
        }

        public static Quaternion operator *(Quaternion a, Quaternion b)
        {
            return new Quaternion(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                                  a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
        }

        public static Vector3 operator *(Quaternion q, Vector3 v)
        {
            var u = new Vector3(q.x, q.y, q.z);
            Vector3 t = Vector3.Cross(u, v) * 2f;

            return v + t * q.w + Vector3.Cross(u, t);
        }

        public static Quaternion Inverse(Quaternion q) { return new Quaternion(-q.x, -q.y, -q.z, q.w); }
        /// <summary>Of an x and a y alone, in degrees: first about x.</summary>
        public static Quaternion Euler(float x, float y, float z)
        {
            double halfX = x * Math.PI / 360.0, halfY = y * Math.PI / 360.0;

            return new Quaternion(0f, (float)Math.Sin(halfY), 0f, (float)Math.Cos(halfY)) *
                new Quaternion((float)Math.Sin(halfX), 0f, 0f, (float)Math.Cos(halfX));
        }

        public static Quaternion LookRotation(Vector3 forward) { return new Quaternion(0f, 0f, 0f, 1f); }
    }

    /// <summary>As Unity's: one that was destroyed equals null, though it is still an object of C#.</summary>
    public class Object
    {
        private static int _last = -100;

        /// <summary>Not Unity's: all that Instantiate has made.</summary>
        public static readonly List<GameObject> Made = new List<GameObject>();

        private readonly int _id = _last -= 2;
        private string _name = "";

        internal bool IsDestroyed;

        public virtual string name
        {
            get { return Alive()._name; }
            set { Alive()._name = value; }
        }

        internal Object Alive()
        {
            if (IsDestroyed)
                throw new MissingReferenceException("The object of type '" + GetType().Name + "' has been destroyed but you are still " +
                                                    "trying to access it.");
            return this;
        }

        public int GetInstanceID() { return _id; }
        public override bool Equals(object other) { return this == other as Object; }
        public override int GetHashCode() { return _id; }
        public static implicit operator bool(Object o) { return o != null; }
        public static bool operator !=(Object a, Object b) { return !(a == b); }

        public static bool operator ==(Object a, Object b)
        {
            bool isNoneA = ReferenceEquals(a, null) || a.IsDestroyed, isNoneB = ReferenceEquals(b, null) || b.IsDestroyed;

            return isNoneA || isNoneB ? isNoneA && isNoneB : ReferenceEquals(a, b);
        }

        public static T Instantiate<T>(T original) where T : Object
        {
            return Instantiate(original, original is GameObject ? (original as GameObject).transform.localPosition : default(Vector3),
                               new Quaternion(0f, 0f, 0f, 1f));
        }

        /// <summary>Awake and OnEnable of the copy run before this returns.</summary>
        public static T Instantiate<T>(T original, Vector3 position, Quaternion rotation) where T : Object
        {
            GameObject made = Copies.Of((original as GameObject) ?? (original as Component).gameObject);

            made.transform.localPosition = position;
            made.transform.localRotation = rotation;
            Made.Add(made);
            made.Wake();
            return original is GameObject ? made as T : made.GetComponents<Component>().First(c => c.GetType() == original.GetType()) as T;
        }

        /// <summary>Before the frame is drawn, or that much later.</summary>
        public static void Destroy(Object o, float seconds = 0f) { Loop.DestroyLater(o, seconds); }

        public static void DestroyImmediate(Object o)
        {
            if (o == null)
                return;
            if (o is GameObject)
                (o as GameObject).Bury();
            else
                (o as Component).Bury();
        }

        public static Object[] FindObjectsOfType(Type type)
        {
            var found = new List<Object>();

            foreach (GameObject o in Loop.All)
                if (o.activeInHierarchy)
                    found.AddRange(o.GetComponents<Component>().Where(type.IsInstanceOfType));
            return found.ToArray();
        }
    }

    public sealed class MissingReferenceException : Exception { public MissingReferenceException(string message) : base(message) { } }

    /// <summary>What Instantiate copies: objects with those below them, and of scripts what Unity writes into a scene; what referred to
    /// one of them refers to its copy.</summary>
    internal static class Copies
    {
        internal static GameObject Of(GameObject original)
        {
            var copies = new Dictionary<object, object>();
            GameObject top = Tree(original, null, copies);

            foreach (object copy in new List<object>(copies.Values))
                if (copy is Component && !(copy is Transform))
                    foreach (FieldInfo field in copy.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public))
                    {
                        object value = field.GetValue(copy), other;

                        if (value != null && copies.TryGetValue(value, out other))
                            field.SetValue(copy, other);
                    }
            top.name = original.name + "(Clone)";
            return top;
        }

        private static GameObject Tree(GameObject original, Transform parent, Dictionary<object, object> copies)
        {
            var copy = new GameObject(original.name, original.activeSelf, false);

            copies[original] = copy;
            copies[original.transform] = copy.transform;
            copy.transform.SetParent(parent, false);
            copy.transform.localPosition = original.transform.localPosition;
            copy.transform.localRotation = original.transform.localRotation;
            copy.transform.localScale = original.transform.localScale;
            foreach (Component component in original.GetComponents<Component>())
            {
                if (component is Transform)
                    continue;
                Component made = copy.Put((Component)Activator.CreateInstance(component.GetType()));
                copies[component] = made;
                foreach (FieldInfo field in component.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public))
                    if (field.Name != "gameObject")
                        field.SetValue(made, field.GetValue(component));
                if (component is MonoBehaviour && !(component as MonoBehaviour).enabled)
                    (made as MonoBehaviour).enabled = false;
            }
            foreach (Transform child in original.transform.Children)
                Tree(child.gameObject, copy.transform, copies);
            return copy;
        }
    }

    public sealed class GameObject : Object
    {
        private readonly List<Component> _components = new List<Component>();
        private readonly Transform _transform;
        private bool _isLoaded; // else it is still being copied

        public Transform transform { get { return (Alive() as GameObject)._transform; } }
        public bool activeSelf { get; private set; }
        public bool activeInHierarchy
        {
            get { return activeSelf && _isLoaded && (_transform.parent == null || _transform.parent.gameObject.activeInHierarchy); }
        }

        /// <summary>Of this and those below: Awake if it was never active, OnEnable and OnDisable.</summary>
        public void SetActive(bool isActive)
        {
            if (activeSelf == isActive)
                return;
            if (!isActive)
                ForAll(component => component.Sleep());
            activeSelf = isActive;
            if (isActive)
                ForAll(component => component.Wake());
        }

        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            var made = new GameObject("Cube");

            made.AddComponent<BoxCollider>();
            return made;
        }

        public GameObject() : this("New Game Object") { }
        public GameObject(string name) : this(name, true, true) { }

        internal GameObject(string name, bool isActive, bool isLoaded)
        {
            this.name = name;
            activeSelf = isActive;
            _isLoaded = isLoaded;
            _transform = (Transform)Put(new Transform());
            Loop.All.Add(this);
        }

        internal Component Put(Component component)
        {
            component.gameObject = this;
            _components.Add(component);
            return component;
        }

        internal void Wake()
        {
            foreach (Transform child in _transform.Children)
                child.gameObject._isLoaded = true;
            _isLoaded = true;
            ForAll(component => component.Wake());
        }

        /// <summary>What one throws, the others run all the same.</summary>
        private void ForAll(Action<Component> action)
        {
            foreach (Component component in _components.ToArray())
                if (!component.IsDestroyed && (component.gameObject == this))
                    action(component);
            foreach (Transform child in _transform.Children.ToArray())
                child.gameObject.ForAll(action);
        }

        /// <summary>OnDisable of all, then OnDestroy of all, and nothing of it is there any more.</summary>
        internal void Bury()
        {
            ForAll(component => component.Sleep());
            ForAll(component => component.Send("OnDestroy"));
            Forget();
        }

        private void Forget()
        {
            foreach (Transform child in _transform.Children.ToArray())
                child.gameObject.Forget();
            _transform.LeaveParent();
            Loop.All.Remove(this);
            foreach (Component component in _components)
                component.IsDestroyed = true;
            IsDestroyed = true;
        }

        internal void Remove(Component component) { _components.Remove(component); }

        /// <summary>Its Awake and OnEnable run before this returns, where the object is active.</summary>
        public T AddComponent<T>() where T : Component, new()
        {
            foreach (RequireComponent needed in typeof(T).GetCustomAttributes(typeof(RequireComponent), true))
                if (!_components.Exists(needed.type.IsInstanceOfType))
                    Put((Component)Activator.CreateInstance(needed.type)).Wake();
            var component = new T();
            Put(component).Wake();
            return component;
        }

        public T GetComponent<T>() where T : class
        {
            foreach (Component component in _components)
                if (component is T)
                    return component as T;
            return null;
        }

        public T[] GetComponents<T>() where T : class
        {
            return _components.FindAll(component => component is T).ConvertAll(component => component as T).ToArray();
        }

        public T[] GetComponentsInChildren<T>() where T : class
        {
            var found = new List<T>(GetComponents<T>());

            foreach (Transform child in _transform.Children)
                if (child.gameObject.activeInHierarchy)
                    found.AddRange(child.gameObject.GetComponentsInChildren<T>());
            return found.ToArray();
        }

        /// <summary>Calls a method of all components that have one of this name.</summary>
        public void Send(string method)
        {
            foreach (Component component in _components.ToArray())
                component.Send(method);
        }
    }

    public class Component : Object
    {
        public GameObject gameObject;

        public override string name
        {
            get { return (Alive() as Component).gameObject.name; }
            set { (Alive() as Component).gameObject.name = value; }
        }

        public Transform transform { get { return (Alive() as Component).gameObject.transform; } }
        public T GetComponent<T>() where T : class { return (Alive() as Component).gameObject.GetComponent<T>(); }
        public T[] GetComponents<T>() where T : class { return (Alive() as Component).gameObject.GetComponents<T>(); }

        public T GetComponentInParent<T>() where T : class
        {
            T found = null;

            for (Transform at = transform; at != null && found == null; at = at.parent)
                found = at.gameObject.GetComponent<T>();
            return found;
        }

        /// <summary>What the engine calls, if the component has it, in its class or those above. What it throws is logged.</summary>
        internal void Send(string method)
        {
            const BindingFlags own = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly;
            MethodInfo found = null;

            for (Type type = GetType(); type != typeof(Component) && found == null; type = type.BaseType)
                found = type.GetMethod(method, own, null, Type.EmptyTypes, null);
            if (found == null)
                return;
            try
            {
                found.Invoke(this, null);
            }
            catch (TargetInvocationException e)
            {
                Debug.LogException(e.InnerException, this);
            }
        }

        internal virtual void Wake() { }
        internal virtual void Sleep() { }

        internal void Bury()
        {
            Sleep();
            Send("OnDestroy");
            gameObject.Remove(this);
            IsDestroyed = true;
        }
    }

    public class MonoBehaviour : Component
    {
        private bool _isEnabled = true, _isAwake, _isOn, _isStarted;

        public bool isActiveAndEnabled { get { return _isOn; } }

        public bool enabled
        {
            get { return _isEnabled; }
            set
            {
                _isEnabled = value;
                if (gameObject != null && value)
                    Wake();
                else if (!value)
                    Sleep();
            }
        }

        internal override void Wake()
        {
            if (!gameObject.activeInHierarchy)
                return;
            if (!_isAwake)
                Send("Awake");
            _isAwake = true;
            if (_isOn || !_isEnabled)
                return;
            _isOn = true;
            Send("OnEnable");
        }

        internal override void Sleep()
        {
            if (!_isOn)
                return;
            _isOn = false;
            Send("OnDisable");
        }

        /// <summary>Update or LateUpdate, and before the first of them Start.</summary>
        internal void Run(string method)
        {
            if (!_isOn || IsDestroyed)
                return;
            if (!_isStarted)
                Send("Start");
            _isStarted = true;
            Send(method);
        }
    }

    public class Collider : Component { }

    public sealed class SphereCollider : Collider
    {
        public Vector3 center;
        public float radius;
    }

    public sealed class BoxCollider : Collider
    {
        public Vector3 center, size;
    }

    public sealed class CapsuleCollider : Collider
    {
        public Vector3 center;
        public float radius, height;
        public int direction = 1;
    }

    public sealed class WheelCollider : Collider { }

    public sealed class TerrainData : Object
    {
        public int heightmapResolution;
        public Vector3 size;
        /// <summary>By z, then by x; of 0 to 1.</summary>
        public float[,] heights;
        /// <summary>By z, then by x: where there is ground.</summary>
        public bool[,] holes;

        private static T[,] Part<T>(T[,] all, int x, int z, int width, int length)
        {
            var part = new T[length, width];

            for (int i = 0; i < length * width; i++)
                part[i / width, i % width] = all[z + i / width, x + i % width];
            return part;
        }

        public float[,] GetHeights(int xBase, int yBase, int width, int height) { return Part(heights, xBase, yBase, width, height); }
        public bool[,] GetHoles(int xBase, int yBase, int width, int height) { return Part(holes, xBase, yBase, width, height); }
    }

    public sealed class TerrainCollider : Collider
    {
        public TerrainData terrainData;
    }

    public sealed class Mesh : Object
    {
        public Vector3[] vertices;
        public int[] triangles;
        public bool isReadable = true;
    }

    public sealed class MeshCollider : Collider
    {
        public Mesh sharedMesh;
        public bool convex;
    }

    public static class Debug
    {
        public static void Log(object message, Object context) { Console.WriteLine("log " + message); }
        public static void LogWarning(object message, Object context) { Console.WriteLine("warning " + message); }
        public static void LogException(Exception e, Object context) { Console.WriteLine("exception " + e.Message); }
    }
}
