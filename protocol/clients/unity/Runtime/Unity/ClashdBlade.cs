// A blade wherever this object is. In the player's hand it is the player's sword: the receiver feeds clashd where it is drawn, in
// place of what clashd sees by itself. On an enemy's sword it is one more blade, and clashd tells when it meets the player's. Its
// pose is pushed once a frame by the receiver, after everything has moved.
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
        /// <summary>Devices of the player, which clashd sees by itself where no game feeds them.</summary>
        public const string LeftHand = "/user/hand/left", RightHand = "/user/hand/right";

        [Tooltip("Empty: the nearest one among this object's parents")]
        public ClashdReceiver receiver;
        [Tooltip("What events call it. Empty: left or right for the first one in a hand, else this object's name and number")]
        public string bladeName = "";
        [Tooltip("No blade but a player's body: it strikes targets, and no blade strikes it")]
        public bool isBody;
        [Tooltip("The player's hand that carries it, which is then fed. Auto: that of the tracked controller above it. None: an enemy's")]
        public ClashdHand hand = ClashdHand.Auto;
        [Tooltip("Instead of a hand: the device that carries it, a name of your own or /user/.. of another tracked one")]
        public string device = "";
        [Tooltip("Ends of the blade's axis, in this object's own space")]
        public Vector3 hilt = new Vector3(0f, 0f, 0f);
        public Vector3 tip = new Vector3(0f, 0f, 1f);
        public float radius = 0.02f;
        public bool hasEdge;
        [Tooltip("Where the cutting edge faces, in this object's own space")]
        public Vector3 edge = new Vector3(0f, -1f, 0f);
        [Tooltip("Instead of hilt, tip, radius and edge: at most 16 capsules in all")]
        public ClashdPart[] parts = { };

        private bool _isTeleport, _isAdded, _isMoved;
        private ClashdHand _seenHand;
        private string _seenDevice;
        private Place _sent, _before;

        /// <summary>What events call it, while it is enabled.</summary>
        public string Name { get; private set; }

        /// <summary>What carries it, while it is enabled: as `device` or `hand` say, else as Name.</summary>
        public string Device { get; private set; }

        /// <summary>The player's hand that carries it, while it is enabled; never Auto.</summary>
        public ClashdHand Hand { get; private set; }

        /// <summary>The blade whose object is where Device is: this one, or another on it.</summary>
        internal ClashdBlade Carrier;

        internal bool IsFed
        {
            get { return HandFinder.IsUsers(Device); }
        }

        private void OnEnable()
        {
            if (receiver == null)
                receiver = GetComponentInParent<ClashdReceiver>();
            Resolve();
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

        private void OnDrawGizmosSelected()
        {
            BladeGizmo.Draw(this);
        }

        private void OnTransformParentChanged()
        {
            _isMoved = true;
        }

        /// <summary>Say so when the object is moved at once to another place: the way there is then no stroke.</summary>
        public void Teleport()
        {
            _isTeleport = true;
        }

        /// <summary>Say so when hilt, tip, radius, edge or parts have changed. Its open contacts end.</summary>
        public void Redefine()
        {
            if (receiver != null)
                receiver.Define(this);
        }

        /// <summary>What carries it now, and so what it is called.</summary>
        private void Resolve()
        {
            Hand = HandFinder.HandOf(device, hand, transform);
            string held = HandFinder.DeviceOf(device, Hand);

            Name = bladeName.Length > 0 ? bladeName : Hand == ClashdHand.Left ? "left" : Hand == ClashdHand.Right ? "right" : "";
            if (Name.Length == 0 || (bladeName.Length == 0 && receiver != null && receiver.HasBlade(Name)))
                Name = name + " " + GetInstanceID();
            Device = held.Length > 0 ? held : Name;
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

        /// <summary>Whether it has come to rest at another size than clashd was told, or elsewhere on what carries it.</summary>
        internal bool IsShifted(Transform carrier, Transform origin)
        {
            Place now = Place.On(carrier, origin, transform), before = _before;

            _before = now;
            return !Place.AreNear(now, _sent) && Place.AreNear(now, before);
        }

        /// <summary>In its device's frame, which is where and as `carrier` is, in metres of the receiver's space: ends and corners as
        /// they are drawn, however this object is scaled; the radius by its x.</summary>
        internal BladeShape Shape(Transform carrier, Transform origin)
        {
            _sent = _before = Place.On(carrier, origin, transform);
            return new BladeShape
            {
                Name = Name,
                Device = Device,
                IsBody = isBody,
                Hilt = On(carrier, origin, hilt),
                Tip = On(carrier, origin, tip),
                Radius = radius * Math.Abs(_sent.Scale.x),
                HasEdge = hasEdge,
                Edge = Conversions.ToVec3(_sent.Rotation * edge),
                Parts = Array.ConvertAll(parts, part => ToPart(carrier, origin, part))
            };
        }

        private Vec3 On(Transform carrier, Transform origin, Vector3 point)
        {
            return Conversions.ToVec3(_sent.Position + Conversions.VectorOn(carrier, origin, transform.TransformVector(point)));
        }

        private BladePart ToPart(Transform carrier, Transform origin, ClashdPart part)
        {
            return new BladePart
            {
                Name = part.name,
                Points = Array.ConvertAll(part.points, point => On(carrier, origin, point)),
                Radius = part.radius * Math.Abs(_sent.Scale.x),
                HasEdge = part.hasEdge,
                Edge = Conversions.ToVec3(_sent.Rotation * part.edge)
            };
        }

        internal void Push(ClashdClient client, Transform origin)
        {
            _isAdded = client.AddPose(Device, Conversions.ToVec3(Conversions.PositionIn(origin, transform)),
                                      Conversions.ToQuat(Conversions.RotationIn(origin, transform)), _isTeleport);
        }

        /// <summary>Whether it is said to be elsewhere at once; says so once.</summary>
        internal bool TakeTeleport()
        {
            bool isTeleport = _isTeleport;

            _isTeleport = false;
            return isTeleport;
        }

        /// <summary>What was pushed has been sent.</summary>
        internal void Sent()
        {
            if (_isAdded)
                _isTeleport = false;
        }
    }
}
