// As much of UnityEditor and of gizmos as the package's inspectors use: they say what would be seen.
using System;

namespace UnityEngine
{
    public struct Color
    {
        public Color(float r, float g, float b) { }
    }

    public static class Gizmos
    {
        public static Color color;

        private static void Say(string what, params Vector3[] places)
        {
            foreach (Vector3 p in places)
                what += string.Format(System.Globalization.CultureInfo.InvariantCulture, " {0:G7} {1:G7} {2:G7}", p.x, p.y, p.z);
            Console.WriteLine("gizmo " + what);
        }

        public static void DrawLine(Vector3 from, Vector3 to) { Say("line", from, to); }
        public static void DrawSphere(Vector3 center, float radius) { Say("ball " + radius, center); }
        public static void DrawWireSphere(Vector3 center, float radius) { Say("ring " + radius, center); }
    }

    public static class GUILayout
    {
        /// <summary>Every button is pressed.</summary>
        public static bool Button(string text)
        {
            Console.WriteLine("button " + text);
            return true;
        }
    }
}

namespace UnityEditor
{
    public sealed class CanEditMultipleObjects : Attribute { }
    public sealed class CustomEditor : Attribute { public CustomEditor(Type type) { } }

    public enum MessageType
    {
        None,
        Info,
        Warning,
        Error
    }

    public static class EditorApplication
    {
        public static bool isPlaying = true;
    }

    public static class Undo
    {
        public static void RecordObject(UnityEngine.Object o, string name) { Console.WriteLine("undo " + name); }
    }

    public static class EditorGUI
    {
        internal static bool IsChanged;

        public static void BeginChangeCheck() { IsChanged = false; }
        public static bool EndChangeCheck() { return IsChanged; }
    }

    public static class Handles
    {
        /// <summary>Not Unity's: the label whose handle is dragged, and how far.</summary>
        internal static string Dragged = "";
        internal static UnityEngine.Vector3 Way;

        private static string _label;

        public static void Label(UnityEngine.Vector3 position, string text)
        {
            _label = text;
            Console.WriteLine("handle " + text);
        }

        public static UnityEngine.Vector3 PositionHandle(UnityEngine.Vector3 position, UnityEngine.Quaternion rotation)
        {
            EditorGUI.IsChanged = _label == Dragged;
            return EditorGUI.IsChanged ? position + Way : position;
        }
    }

    public static class EditorGUILayout
    {
        public static void HelpBox(string text, MessageType type) { Console.WriteLine("box " + text.Replace("\n", " | ")); }
    }

    public class Editor : UnityEngine.Object
    {
        public UnityEngine.Object target;
        public UnityEngine.Object[] several;

        public UnityEngine.Object[] targets { get { return several ?? new[] { target }; } }

        public virtual bool RequiresConstantRepaint() { return false; }
        public virtual void OnInspectorGUI() { }
        public bool DrawDefaultInspector() { return true; }
    }
}
