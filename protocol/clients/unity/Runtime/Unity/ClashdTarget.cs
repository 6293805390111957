// Something that blades strike, from the collider that this object has anyway: a shield, a pillar, a wall. In the player's hand it is
// fed like the sword there. clashd has it for as long as the component is enabled, and again after each reconnect.
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
        [Tooltip("The player's hand that carries it, which is then fed. Auto: that of the tracked controller above it. None: no hand")]
        public ClashdHand hand = ClashdHand.Auto;
        [Tooltip("Instead of a hand: the device that carries it, a name of your own or /user/.. of another tracked one")]
        public string device = "";
        [Tooltip("How a sphere collider is scaled under skew: as Unity's editor draws it, or as was measured of Unity 2020.3")]
        public UnitySphereRule sphereRule;
        [Tooltip("Of a big terrain: what the part of 60 by 60 points that clashd is told lies about. Empty: the receiver")]
        public Transform around;

        private Place _sent, _before;
        private bool _isTeleport, _isAdded, _isDefined, _isNoted, _isMoved;
        private ClashdHand _seenHand;
        private string _seenDevice = "";
        private TerrainPart.Window _window;

        /// <summary>What events call it, while it is enabled.</summary>
        public string Name { get; private set; }

        /// <summary>What carries it, while it is enabled; null: it stands still.</summary>
        public string Device
        {
            get { return IsHeld ? Held : moves ? Name : null; }
        }

        /// <summary>The player's hand that carries it, while it is enabled; never Auto.</summary>
        public ClashdHand Hand { get; private set; }

        /// <summary>As `device` or `hand` say; "": nothing, or a device of its own.</summary>
        internal string Held { get; private set; }

        /// <summary>Whose place is that of Held: this object's own, or another's on it.</summary>
        internal Transform Carrier;

        internal bool IsHeld
        {
            get { return !string.IsNullOrEmpty(Held); }
        }

        internal bool IsFed
        {
            get { return IsHeld && HandFinder.IsUsers(Held); }
        }

        /// <summary>null: it stands still.</summary>
        private Transform Bearer
        {
            get { return IsHeld ? Carrier : moves ? transform : null; }
        }

        private void OnEnable()
        {
            Name = targetName.Length > 0 ? targetName : name + " " + GetInstanceID();
            if (receiver == null)
                receiver = GetComponentInParent<ClashdReceiver>();
            if (shape == null)
                shape = GetComponent<Collider>();
            Resolve();
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

        private void OnTransformParentChanged()
        {
            _isMoved = true;
        }

        /// <summary>What carries it now.</summary>
        private void Resolve()
        {
            Hand = HandFinder.HandOf(device, hand, transform);
            Held = HandFinder.DeviceOf(device, Hand);
            _seenHand = hand;
            _seenDevice = device;
            _isMoved = false;
        }

        /// <summary>Whether it has come into another hand. Before a frame's poses.</summary>
        internal bool IsElsewhere()
        {
            return hand != _seenHand || device != _seenDevice || (_isMoved && hand == ClashdHand.Auto && device.Length == 0);
        }

        /// <summary>Takes it out of one hand and into the other.</summary>
        internal void ChangeHands()
        {
            ClashdReceiver own = receiver;

            own.Remove(this);
            Resolve();
            own.Add(this);
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
            _sent = _before = Now(origin);
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

        /// <summary>Where the shape is: on what carries it, or in the receiver's space.</summary>
        private Place Now(Transform origin)
        {
            return Bearer != null ? Place.On(Bearer, origin, shape.transform) : Place.In(origin, shape.transform);
        }

        private Vector3 Middle(Transform origin)
        {
            return around != null ? around.position : origin.position;
        }

        /// <summary>What is left out of it is said once.</summary>
        private TargetShape TerrainShape(TerrainCollider terrain, Transform origin)
        {
            if (Bearer != null)
                throw new ArgumentException("a terrain stands still: untick moves, and set hand to None");
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

            if (Bearer != null)
                chain.Insert(0, Conversions.IntoDevice(origin, Bearer));
            collider.SphereRule = sphereRule;
            collider.Transforms = chain.ToArray();
            return new TargetShape { Name = Name, Device = Device, Collider = collider };
        }

        /// <summary>Whether the part of a terrain that is told is no longer the one that should be.</summary>
        private bool IsBeside(Transform origin)
        {
            var terrain = shape as TerrainCollider;

            return terrain != null && TerrainPart.AreFar(_window, TerrainPart.About(terrain, Middle(origin)));
        }

        /// <summary>Whether it has come to rest elsewhere, or at another size, than clashd was told.</summary>
        private bool IsShifted(Place now)
        {
            return !Place.AreNear(now, _sent) && (Bearer != null ? Place.AreNear(now, _before) : Place.AreSame(now, _before));
        }

        /// <summary>What has come to rest elsewhere is told anew.</summary>
        internal void Push(ClashdClient client, Transform origin)
        {
            if (!_isDefined || shape == null)
                return;
            Place now = Now(origin);
            if (IsShifted(now) || IsBeside(origin))
                Define(client, origin);
            _before = now;
            _isAdded = Bearer == transform && client.AddPose(Device, Conversions.ToVec3(Conversions.PositionIn(origin, transform)),
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
            if (_isDefined && shape != null && Bearer == null)
                Define(client, origin);
        }
    }
}
