// As much of UnityEngine as the package's thin layer and its sample use, so that they are compiled and run here too:
// transforms (their own file), components that a scene (unity_scene.cs) calls as the engine would, colliders that are numbers.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    public sealed class AddComponentMenu : Attribute { public AddComponentMenu(string name) { } }
    public sealed class DefaultExecutionOrder : Attribute
    {
        public readonly int order;

        public DefaultExecutionOrder(int order) { this.order = order; }
    }

    public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    public sealed class RequireComponent : Attribute { public RequireComponent(Type type) { } }

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

    public class Object
    {
        public static readonly List<GameObject> Made = new List<GameObject>();

        public virtual string name { get; set; }
        public int GetInstanceID() { return 7; }

        public static T Instantiate<T>(T original, Vector3 position, Quaternion rotation) where T : Object
        {
            var made = new GameObject();

            made.transform.position = position;
            made.transform.rotation = rotation;
            Made.Add(made);
            return made as T;
        }

        public static void Destroy(Object o, float seconds = 0f)
        {
            Loop.All.Remove(o as GameObject);
        }
    }

    public sealed class GameObject : Object
    {
        private readonly List<Component> _components = new List<Component>();

        public Transform transform { get; private set; }

        private bool _isActive = true;

        /// <summary>Enables and disables its components.</summary>
        public void SetActive(bool isActive)
        {
            if (isActive != _isActive)
                Send(isActive ? "OnEnable" : "OnDisable");
            _isActive = isActive;
        }

        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            var made = new GameObject("Cube");

            made.AddComponent<BoxCollider>();
            return made;
        }

        public GameObject() : this("") { }

        public GameObject(string name)
        {
            this.name = name;
            transform = new Transform { gameObject = this };
            Loop.All.Add(this);
        }

        public T AddComponent<T>() where T : Component, new()
        {
            var component = new T { gameObject = this };

            _components.Add(component);
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

        internal static void Send(Component component, string method)
        {
            MethodInfo found = component.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.NonPublic);

            if (found != null)
                found.Invoke(component, null);
        }

        /// <summary>Calls a method of all components that have one of this name.</summary>
        public void Send(string method)
        {
            foreach (Component component in _components.ToArray())
                Send(component, method);
        }
    }

    public class Component : Object
    {
        public GameObject gameObject;

        public override string name
        {
            get { return gameObject.name; }
            set { gameObject.name = value; }
        }

        public Transform transform { get { return gameObject.transform; } }
        public T GetComponent<T>() where T : class { return gameObject.GetComponent<T>(); }
        public T[] GetComponents<T>() where T : class { return gameObject.GetComponents<T>(); }

        public T GetComponentInParent<T>() where T : class
        {
            T found = null;

            for (Transform at = transform; at != null && found == null; at = at.parent)
                found = at.gameObject.GetComponent<T>();
            return found;
        }
    }

    public class MonoBehaviour : Component { }

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
