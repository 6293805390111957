// Something that blades strike, from the collider that this object has anyway: a shield, a pillar, a wall. clashd has it for as
// long as the component is enabled, and again after each reconnect.
using System;
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    [AddComponentMenu("clashd/Clashd Target")]
    public sealed class ClashdTarget : MonoBehaviour
    {
        [Tooltip("Empty: the nearest one among this object's parents")]
        public ClashdReceiver receiver;
        [Tooltip("What events call it, as Target. Empty: this object's name and number")]
        public string targetName = "";
        [Tooltip("A sphere, box, capsule, terrain or small mesh collider. Empty: the first one of this object")]
        public Collider shape;
        [Tooltip("For what moves while it may be struck, or where the receiver does: its pose is then pushed once a frame")]
        public bool moves;
        [Tooltip("How a sphere collider is scaled under skew: as Unity's editor draws it, or as was measured of Unity 2020.3")]
        public UnitySphereRule sphereRule;
        [Tooltip("Of a big terrain: what the part of 60 by 60 points that clashd is told lies about. Empty: the receiver")]
        public Transform around;

        private Place _sent, _before;
        private bool _isTeleport, _isAdded, _isDefined, _isNoted;
        private TerrainPart.Window _window;

        /// <summary>What events call it, while it is enabled.</summary>
        public string Name { get; private set; }

        private void OnEnable()
        {
            Name = targetName.Length > 0 ? targetName : name + " " + GetInstanceID();
            if (receiver == null)
                receiver = GetComponentInParent<ClashdReceiver>();
            if (shape == null)
                shape = GetComponent<Collider>();
            if (receiver == null)
                Debug.LogWarning("Clashd Target: name a receiver, or put it under one", this);
            else if (shape == null)
                Debug.LogWarning("Clashd Target: " + Name + " has no collider", this);
            else
                receiver.Add(this);
        }

        private void OnDisable()
        {
            if (receiver != null)
                receiver.Remove(this);
        }

        /// <summary>Say so when what moves is moved at once to another place: the way there then strikes nothing.</summary>
        public void Teleport()
        {
            _isTeleport = true;
        }

        /// <summary>Say so when the collider's numbers have changed. Open contacts with it end.</summary>
        public void Redefine()
        {
            if (receiver != null && shape != null)
                receiver.Define(this);
        }

        /// <summary>Tells clashd of it; what clashd cannot have is logged.</summary>
        internal void Define(ClashdClient client, Transform origin)
        {
            _sent = _before = Place.In(origin, shape.transform);
            try
            {
                client.DefineTarget(Shape(origin));
                _isDefined = true;
            }
            catch (ArgumentException e)
            {
                Debug.LogWarning("Clashd Target: " + Name + " is not told to clashd: " + e.Message, this);
                client.RemoveTarget(Name);
                _isDefined = false;
            }
        }

        private Vector3 Middle(Transform origin)
        {
            return around != null ? around.position : origin.position;
        }

        /// <summary>What is left out of it is said once.</summary>
        private TargetShape TerrainShape(TerrainCollider terrain, Transform origin)
        {
            if (moves)
                throw new ArgumentException("a terrain stands still: untick moves");
            _window = TerrainPart.About(terrain, Middle(origin));
            TargetShape target = TerrainPart.Shape(terrain, _window, origin);
            target.Name = Name;
            if (!_isNoted && !TerrainPart.IsAll(terrain, _window))
                Debug.Log("Clashd Target: of " + Name + " clashd is told the " + TerrainPart.Side + " by " + TerrainPart.Side +
                          " points about " + (around != null ? around.name : origin.name), this);
            if (!_isNoted && TerrainPart.HasHoles(terrain, _window))
                Debug.LogWarning("Clashd Target: " + Name + " has holes, which clashd does not know: they are closed", this);
            _isNoted = true;
            return target;
        }

        private TargetShape Shape(Transform origin)
        {
            if (shape is TerrainCollider)
                return TerrainShape((TerrainCollider)shape, origin);
            List<LocalTransform> chain = Conversions.ChainIn(origin, shape.transform);
            UnityCollider collider = ColliderShape.Of(shape);

            if (moves)
                chain.Insert(0, Conversions.IntoDevice(origin, transform));
            collider.SphereRule = sphereRule;
            collider.Transforms = chain.ToArray();
            return new TargetShape { Name = Name, Device = moves ? Name : null, Collider = collider };
        }

        /// <summary>Whether the part of a terrain that is told is no longer the one that should be.</summary>
        private bool IsBeside(Transform origin)
        {
            var terrain = shape as TerrainCollider;

            return terrain != null && TerrainPart.AreFar(_window, TerrainPart.About(terrain, Middle(origin)));
        }

        /// <summary>What stands still is told anew once it has come to rest elsewhere.</summary>
        internal void Push(ClashdClient client, Transform origin)
        {
            if (!_isDefined || shape == null)
                return;
            Place now = Place.In(origin, shape.transform);
            if ((!Place.AreNear(now, _sent, moves) && Place.AreSame(now, _before)) || IsBeside(origin))
                Define(client, origin);
            _before = now;
            _isAdded = moves && client.AddPose(Name, Conversions.ToVec3(Conversions.PositionIn(origin, transform)),
                                               Conversions.ToQuat(Conversions.RotationIn(origin, transform)), _isTeleport);
        }

        /// <summary>What was pushed has been sent.</summary>
        internal void Sent()
        {
            if (_isAdded)
                _isTeleport = false;
        }

        /// <summary>The receiver is elsewhere at once.</summary>
        internal void Jump(ClashdClient client, Transform origin)
        {
            _isTeleport = true;
            if (_isDefined && shape != null && !moves)
                Define(client, origin);
        }
    }
}
