// Something that blades strike, from the collider that this object has anyway: a shield, a pillar, a wall. In the player's hand it is
// fed like the sword there. clashd has it for as long as the component is enabled, and again after each reconnect.
using System;
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    [AddComponentMenu("clashd/Clashd Target")]
    [HelpURL("https://clashd.invalid/protocol/clients/unity/README.md")]
    public sealed class ClashdTarget : ClashdMember
    {
        [Header("Target")]
        [Tooltip("What events call it, as Target. Empty: this object's name and number")]
        public string targetName = "";
        [Tooltip("A sphere, box, capsule, terrain or small mesh collider. Empty: the first one of this object")]
        public Collider shape;
        [Tooltip("Tick it for what moves while it may be struck: its pose is then pushed once a frame, from the start. Otherwise it is from the " +
                 "second frame on in which it, or the receiver, moves")]
        public bool moves;
        [Tooltip("How a sphere collider is scaled under skew: as Unity's editor draws it, or as was measured of Unity 2020.3")]
        public UnitySphereRule sphereRule;
        [Tooltip("Of a big terrain: what the part of 60 by 60 points that clashd is told lies about. Empty: the receiver")]
        public Transform around;

        private Place _sent, _before;
        private bool _isTeleport, _isAdded, _isDefined, _isNoted, _isShifting, _glides;
        private Collider _seenShape;
        private TerrainPart.Window _window;

        /// <summary>What carries it, while it is enabled; null: it does not move.</summary>
        public string Device
        {
            get { return IsHeld ? Held : IsPushed ? Name : null; }
        }

        private bool IsPushed
        {
            get { return moves || _glides; }
        }

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

        /// <summary>null: it does not move.</summary>
        private Transform Bearer
        {
            get { return IsHeld ? Carrier : IsPushed ? transform : null; }
        }

        protected override string WantedName
        {
            get { return targetName; }
        }

        protected override string DefaultName(ClashdHand carrier)
        {
            return name + " " + GetInstanceID();
        }

        protected override string Lack()
        {
            if (shape == null)
                shape = GetComponent<Collider>();
            return shape == null ? "\"" + name + "\" needs a collider" : null;
        }

        protected override bool IsOther()
        {
            return shape != _seenShape;
        }

        protected override void Join(ClashdReceiver to)
        {
            _seenShape = shape;
            _glides = _isShifting = false;
            to.Add(this);
        }

        protected override void Leave(ClashdReceiver from)
        {
            from.Remove(this);
        }

        public override void Teleport()
        {
            _isTeleport = true;
        }

        /// <summary>Say so when the collider's numbers have changed. Open contacts with it end.</summary>
        public void Redefine()
        {
            IsDue = true;
        }

        /// <summary>Tells clashd of it; what clashd cannot have is logged.</summary>
        private void Define(ClashdClient client, Transform origin)
        {
            IsDue = false;
            _sent = _before = Now(origin);
            try
            {
                client.DefineTarget(Shape(origin));
                _isDefined = true;
            }
            catch (ArgumentException e)
            {
                Debug.LogWarning("ClashdTarget: " + Name + " is not sent to clashd: " + e.Message, this);
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
            target.Layers = (uint)layers.value;
            target.Mask = (uint)mask.value;
            if (!_isNoted && !TerrainPart.IsAll(terrain, _window))
                Debug.Log("ClashdTarget: clashd gets the " + TerrainPart.Side + " by " + TerrainPart.Side + " points of " + Name + " about " +
                          (around != null ? around.name : origin.name), this);
            if (!_isNoted && TerrainPart.HasHoles(terrain, _window))
                Debug.LogWarning("ClashdTarget: " + Name + " has holes, which clashd does not know: they are closed", this);
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
            return new TargetShape
            {
                Name = Name, Device = Device, Collider = collider, Layers = (uint)layers.value, Mask = (uint)mask.value
            };
        }

        /// <summary>Whether the part of a terrain that is told is no longer the one that should be.</summary>
        private bool IsBeside(Transform origin)
        {
            var terrain = shape as TerrainCollider;

            return terrain != null && TerrainPart.AreFar(_window, TerrainPart.About(terrain, Middle(origin)));
        }

        /// <summary>Whether it has come to rest at another place or size than clashd has it.</summary>
        private bool IsShifted(Place now)
        {
            return !Place.AreNear(now, _sent) && (Bearer != null ? Place.AreNear(now, _before) : Place.AreSame(now, _before));
        }

        /// <summary>Whether it, or the receiver, moves for the second frame in a row: its pose is then pushed from now on, since clashd would have
        /// it where it was until it rests. A terrain cannot be pushed.</summary>
        private bool BeginsToGlide(Place now)
        {
            bool wasShifting = _isShifting;

            _isShifting = !Place.AreSame(now, _before);
            return Bearer == null && wasShifting && _isShifting && !Place.AreNear(now, _sent) && !(shape is TerrainCollider);
        }

        /// <summary>Defines what has come to rest elsewhere anew.</summary>
        internal void Push(ClashdClient client, Transform origin, HandTracking hands)
        {
            if (IsDue)
                Define(client, origin);
            if (!_isDefined)
                return;
            Place now = Now(origin);
            if (BeginsToGlide(now))
            {
                _glides = true;
                Define(client, origin);
                now = _before;
            }
            else if (IsShifted(now) || IsBeside(origin))
            {
                Define(client, origin);
            }
            _before = now;
            _isAdded = Bearer == transform && AddPose(client, origin, hands, Device, ref _isTeleport);
        }

        /// <summary>What was pushed has been sent.</summary>
        internal void Sent()
        {
            if (_isAdded)
                _isTeleport = false;
        }

        /// <summary>The receiver is elsewhere at once.</summary>
        internal void Jump()
        {
            _isTeleport = true;
            _isShifting = false;
            IsDue |= _isDefined && Bearer == null;
        }
    }
}
