// Of UnityEngine what only the sample Duel uses: primitives, bodies, sounds, a camera, a little arithmetic.
using System;

namespace UnityEngine
{
    public enum PrimitiveType
    {
        Cube
    }

    public enum ForceMode
    {
        VelocityChange
    }

    public sealed class Rigidbody : Component
    {
        public void AddForce(Vector3 force, ForceMode mode)
        {
            Vector3 p = transform.position;

            Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture, "spark {0} {1:G9} {2:G9} {3:G9}",
                                            Loop.Number, p.x, p.y, p.z));
        }
    }

    /// <summary>Its particles move before LateUpdate, or where Simulate is called; one that never moved has none to draw.</summary>
    public sealed class ParticleSystem : Component
    {
        private float _time;

        public void Simulate(float t, bool withChildren, bool restart) { _time = restart ? t : _time + t; }
        public void Play(bool withChildren) { }

        private static System.Collections.Generic.IEnumerable<ParticleSystem> All()
        {
            foreach (GameObject o in Loop.All.ToArray())
                if (o.activeInHierarchy)
                    foreach (ParticleSystem system in o.GetComponents<ParticleSystem>())
                        yield return system;
        }

        internal static void UpdateAll(float seconds)
        {
            foreach (ParticleSystem system in All())
                system._time += seconds;
        }

        internal static void DrawAll()
        {
            foreach (ParticleSystem system in All())
                if (system._time > 0f)
                    Console.WriteLine("particles " + Loop.Number + " " + system.GetInstanceID());
        }
    }

    public sealed class AudioClip : Object
    {
        public static AudioClip Create(string name, int lengthSamples, int channels, int frequency, bool stream)
        {
            return new AudioClip { name = name };
        }

        public bool SetData(float[] data, int offsetSamples)
        {
            float most = 0f;

            foreach (float sample in data)
                most = Math.Max(most, Math.Abs(sample));
            Console.WriteLine("sound " + data.Length + " " + (most > 0.1f && most <= 1f));
            return true;
        }
    }

    public sealed class AudioSource : Component
    {
        public static void PlayClipAtPoint(AudioClip clip, Vector3 position, float volume)
        {
            Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture, "{0} {1} {2:G4}", clip.name, Loop.Number,
                                            volume));
        }
    }

    public sealed class Camera : Component
    {
        public static Camera main = new GameObject("Main Camera").AddComponent<Camera>();
    }

    public static class Random
    {
        private static readonly System.Random Numbers = new System.Random(1);

        public static Vector3 onUnitSphere
        {
            get
            {
                double turn = 2.0 * Math.PI * Numbers.NextDouble(), z = 2.0 * Numbers.NextDouble() - 1.0, r = Math.Sqrt(1.0 - z * z);

                return new Vector3((float)(r * Math.Cos(turn)), (float)(r * Math.Sin(turn)), (float)z);
            }
        }
    }

    public static class Mathf
    {
        public const float PI = (float)Math.PI;

        public static float Sin(float f) { return (float)Math.Sin(f); }
        public static float Exp(float f) { return (float)Math.Exp(f); }
    }
}
