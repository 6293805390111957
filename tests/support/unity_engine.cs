// As much of UnityEngine as the package's thin layer and its sample use, so that the compiler sees them here too. Nothing
// of it is run.
using System;

namespace UnityEngine
{
    public sealed class AddComponentMenu : Attribute { public AddComponentMenu(string name) { } }
    public sealed class DefaultExecutionOrder : Attribute { public DefaultExecutionOrder(int order) { } }
    public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    public sealed class RequireComponent : Attribute { public RequireComponent(Type type) { } }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 operator *(Vector3 v, float factor) { return v; }
    }
    public struct Quaternion
    {
        public float x { get { return 0f; } }
        public float y { get { return 0f; } }
        public float z { get { return 0f; } }
        public float w { get { return 1f; } }
        public static Quaternion operator *(Quaternion a, Quaternion b) { return a; }
        public static Quaternion Inverse(Quaternion q) { return q; }
        public static Quaternion LookRotation(Vector3 forward) { return default(Quaternion); }
    }
    public class Object
    {
        public string name { get; set; }
        public int GetInstanceID() { return 0; }
        public static T Instantiate<T>(T original, Vector3 position, Quaternion rotation) { return original; }
        public static void Destroy(Object o, float seconds) { }
    }
    public sealed class GameObject : Object { public Transform transform { get { return null; } } }
    public class Component : Object
    {
        public Transform transform { get { return null; } }
        public T GetComponent<T>() { return default(T); }
        public T GetComponentInParent<T>() { return default(T); }
    }
    public class MonoBehaviour : Component { }
    public sealed class Transform : Component
    {
        public Vector3 localScale { get; set; }
        public Vector3 lossyScale { get { return default(Vector3); } }
        public Vector3 position { get; set; }
        public Quaternion rotation { get; set; }
        public Vector3 InverseTransformPoint(Vector3 point) { return point; }
        public Vector3 TransformPoint(Vector3 point) { return point; }
        public Vector3 TransformDirection(Vector3 direction) { return direction; }
    }
    public static class Debug
    {
        public static void Log(object message, Object context) { }
        public static void LogWarning(object message, Object context) { }
    }
}
