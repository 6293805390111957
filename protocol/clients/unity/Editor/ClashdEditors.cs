// The components' inspectors: what they are up to, and whether clashd can be reached.
using UnityEditor;
using UnityEngine;

namespace Clashd
{
    [CustomEditor(typeof(ClashdReceiver))]
    public sealed class ClashdReceiverEditor : Editor
    {
        private string _tested = "";

        public override bool RequiresConstantRepaint()
        {
            return EditorApplication.isPlaying;
        }

        public override void OnInspectorGUI()
        {
            var receiver = (ClashdReceiver)target;

            EditorGUILayout.HelpBox(receiver.Status, MessageType.Info);
            if (GUILayout.Button("Test the connection"))
                _tested = receiver.TestConnection();
            if (_tested.Length > 0)
                EditorGUILayout.HelpBox(_tested, MessageType.None);
            DrawDefaultInspector();
        }
    }

    [CustomEditor(typeof(ClashdBlade))]
    public sealed class ClashdBladeEditor : Editor
    {
        public override void OnInspectorGUI()
        {
            var blade = (ClashdBlade)target;

            if (blade.Device != null)
                EditorGUILayout.HelpBox(blade.Name + " on " + blade.Device, MessageType.Info);
            DrawDefaultInspector();
        }
    }
}
