// A blade wherever this object is: put it on an enemy's sword, and clashd tells when it meets the player's. Its pose is pushed
// once a frame by the receiver, after everything has moved.
using System;
using UnityEngine;

namespace Clashd
{
    /// <summary>A guard, a curved blade.</summary>
    [Serializable]
    public sealed class ClashdPart
    {
        [Tooltip("What events call it; no other part of the blade has that name")]
        public string name = "blade";
        [Tooltip("Corners of its axis in the object's own space, two or more: a capsule between every two")]
        public Vector3[] points = { new Vector3(0f, 0f, 0f), new Vector3(0f, 0f, 1f) };
        public float radius = 0.02f;
        public bool hasEdge;
        public Vector3 edge = new Vector3(0f, -1f, 0f);
    }

    [AddComponentMenu("clashd/Clashd Blade")]
    public sealed class ClashdBlade : MonoBehaviour
    {
        [Tooltip("Empty: the nearest one among this object's parents")]
        public ClashdReceiver receiver;
        [Tooltip("What events call it. Empty: this object's name and number")]
        public string bladeName = "";
        [Tooltip("No blade but a player's body: it strikes targets, and no blade strikes it")]
        public bool isBody;
        [Tooltip("Ends of the blade's axis, in this object's own space")]
        public Vector3 hilt = new Vector3(0f, 0f, 0f);
        public Vector3 tip = new Vector3(0f, 0f, 1f);
        public float radius = 0.02f;
        public bool hasEdge;
        [Tooltip("Where the cutting edge faces, in this object's own space")]
        public Vector3 edge = new Vector3(0f, -1f, 0f);
        [Tooltip("Instead of hilt, tip, radius and edge: at most 16 capsules in all")]
        public ClashdPart[] parts = { };

        private bool _isTeleport;

        /// <summary>What events call it, while it is enabled.</summary>
        public string Name { get; private set; }

        private void OnEnable()
        {
            Name = bladeName.Length > 0 ? bladeName : name + " " + GetInstanceID();
            if (receiver == null)
                receiver = GetComponentInParent<ClashdReceiver>();
            if (receiver == null)
                Debug.LogWarning("Clashd Blade: name a receiver, or put it under one", this);
            else
                receiver.Add(this);
        }

        private void OnDisable()
        {
            if (receiver != null)
                receiver.Remove(this);
        }

        /// <summary>Say so when the object is moved at once to another place: the way there is then no stroke.</summary>
        public void Teleport()
        {
            _isTeleport = true;
        }

        /// <summary>Lengths are metres of the receiver's space, which may be scaled, as may be this object.</summary>
        internal BladeShape Shape(Transform origin)
        {
            float scale = transform.lossyScale.x / origin.lossyScale.x;

            return new BladeShape
            {
                Name = Name,
                IsBody = isBody,
                Hilt = Conversions.ToVec3(hilt * scale),
                Tip = Conversions.ToVec3(tip * scale),
                Radius = radius * scale,
                HasEdge = hasEdge,
                Edge = Conversions.ToVec3(edge),
                Parts = Array.ConvertAll(parts, part => ToPart(part, scale))
            };
        }

        private static BladePart ToPart(ClashdPart part, float scale)
        {
            return new BladePart
            {
                Name = part.name,
                Points = Array.ConvertAll(part.points, point => Conversions.ToVec3(point * scale)),
                Radius = part.radius * scale,
                HasEdge = part.hasEdge,
                Edge = Conversions.ToVec3(part.edge)
            };
        }

        internal void Push(ClashdClient client, Transform origin)
        {
            if (client.AddPose(Name, Conversions.ToVec3(Conversions.PositionIn(origin, transform)),
                               Conversions.ToQuat(Conversions.RotationIn(origin, transform)), _isTeleport))
                _isTeleport = false;
        }
    }
}
