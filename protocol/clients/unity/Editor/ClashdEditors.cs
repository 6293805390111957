// The components' inspectors, which say what they are up to and whether clashd can be reached; and handles in the scene view for a blade's hilt,
// tip and edge.
using System;
using UnityEditor;
using UnityEngine;

namespace Clashd
{
    [CustomEditor(typeof(ClashdReceiver))]
    [CanEditMultipleObjects]
    public sealed class ClashdReceiverEditor : Editor
    {
        private string _tested = "";

        public override bool RequiresConstantRepaint()
        {
            return EditorApplication.isPlaying;
        }

        public override void OnInspectorGUI()
        {
            if (targets.Length == 1)
                Show((ClashdReceiver)target);
            DrawDefaultInspector();
        }

        private void Show(ClashdReceiver receiver)
        {
            EditorGUILayout.HelpBox(receiver.Status, MessageType.Info);
            if (GUILayout.Button("Test the connection"))
                _tested = receiver.TestConnection();
            if (_tested.Length > 0)
                EditorGUILayout.HelpBox(_tested, MessageType.None);
        }
    }

    [CustomEditor(typeof(ClashdBlade))]
    [CanEditMultipleObjects]
    public sealed class ClashdBladeEditor : Editor
    {
        private const float EdgeLength = 0.1f;

        public override void OnInspectorGUI()
        {
            var blade = (ClashdBlade)target;

            if (targets.Length == 1 && blade.Joined != null)
                EditorGUILayout.HelpBox(blade.Name + " on " + blade.Device, MessageType.Info);
            DrawDefaultInspector();
        }

        /// <summary>Handles for the ends of the axis, or for the corners of the parts, and for the edge.</summary>
        public void OnSceneGUI()
        {
            var blade = (ClashdBlade)target;

            foreach (ClashdPart part in blade.parts)
                for (int i = 0; i < part.points.Length; i++)
                {
                    int corner = i;
                    ClashdPart moved = part;

                    Move(blade, part.name, part.points[i], to => moved.points[corner] = to);
                }
            if (blade.parts.Length > 0)
                return;
            Move(blade, "hilt", blade.hilt, to => blade.hilt = to);
            Move(blade, "tip", blade.tip, to => blade.tip = to);
            if (!blade.hasEdge)
                return;
            Vector3 middle = (blade.hilt + blade.tip) * 0.5f;
            Move(blade, "edge", middle + blade.edge * EdgeLength, to => blade.edge = (to - middle) * (1f / EdgeLength));
        }

        /// <summary>A place in the blade's own space, which the handle moves; one step of Undo.</summary>
        private static void Move(ClashdBlade blade, string label, Vector3 place, Action<Vector3> set)
        {
            Transform t = blade.transform;

            Handles.Label(t.TransformPoint(place), label);
            EditorGUI.BeginChangeCheck();
            Vector3 moved = Handles.PositionHandle(t.TransformPoint(place), t.rotation);
            if (!EditorGUI.EndChangeCheck())
                return;
            Undo.RecordObject(blade, "Move " + label);
            set(t.InverseTransformPoint(moved));
            blade.Redefine();
        }
    }

    [CustomEditor(typeof(ClashdTarget))]
    [CanEditMultipleObjects]
    public sealed class ClashdTargetEditor : Editor
    {
        public override void OnInspectorGUI()
        {
            var one = (ClashdTarget)target;

            if (targets.Length == 1 && one.Joined != null)
                EditorGUILayout.HelpBox(one.Name + (one.Device != null ? " on " + one.Device : ", which does not move"), MessageType.Info);
            DrawDefaultInspector();
        }
    }
}
