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
        [Tooltip("Half its thickness, in the object's own space")]
        public float radius = 0.02f;
        [Tooltip("Whether it has a cutting edge")]
        public bool hasEdge;
        [Tooltip("Where the cutting edge faces, in the object's own space")]
        public Vector3 edge = new Vector3(0f, -1f, 0f);
    }

    [AddComponentMenu("clashd/Clashd Blade")]
    [HelpURL("https://clashd.invalid/protocol/clients/unity/README.md")]
    public sealed class ClashdBlade : ClashdMember
    {
        /// <summary>Devices of the player, which clashd sees by itself where no game feeds them.</summary>
        public const string LeftHand = "/user/hand/left", RightHand = "/user/hand/right";

        [Header("Blade")]
        [Tooltip("What events call it. Empty: left or right for the first one in a hand, else this object's name and number")]
        public string bladeName = "";
        [Tooltip("No blade but a player's body: it strikes targets, and no blade strikes it")]
        public bool isBody;
        [Tooltip("It keeps its name and its place but touches nothing")]
        public bool sheathed;
        [Header("Steel")]
        [Tooltip("One end of the blade's axis, in this object's own space")]
        public Vector3 hilt = new Vector3(0f, 0f, 0f);
        [Tooltip("The other end of the axis, in this object's own space")]
        public Vector3 tip = new Vector3(0f, 0f, 1f);
        [Tooltip("Half its thickness, in this object's own space")]
        public float radius = 0.02f;
        [Tooltip("Whether it has a cutting edge, so that events say how much of it strikes")]
        public bool hasEdge;
        [Tooltip("Where the cutting edge faces, in this object's own space")]
        public Vector3 edge = new Vector3(0f, -1f, 0f);
        [Tooltip("Instead of hilt, tip, radius and edge: at most 16 capsules in all")]
        public ClashdPart[] parts = { };

        private bool _isTeleport, _isAdded, _sentSheathed;
        private Place _sent, _before;

        /// <summary>The device that carries it, while it is enabled: as `device` or `hand` say, otherwise as Name.</summary>
        public string Device
        {
            get { return Held.Length > 0 ? Held : Name; }
        }

        /// <summary>The blade whose object is where Device is: this one, or another on it.</summary>
        internal ClashdBlade Carrier;

        internal bool IsFed
        {
            get { return HandFinder.IsUsers(Device); }
        }

        protected override string WantedName
        {
            get { return bladeName; }
        }

        protected override string DefaultName(ClashdHand carrier)
        {
            string side = carrier == ClashdHand.Left ? "left" : carrier == ClashdHand.Right ? "right" : "";
            ClashdReceiver among = receiver != null ? receiver : GetComponentInParent<ClashdReceiver>();

            return side.Length == 0 || (among != null && among.HasBlade(side)) ? name + " " + GetInstanceID() : side;
        }

        protected override void Join(ClashdReceiver to)
        {
            to.Add(this);
        }

        protected override void Leave(ClashdReceiver from)
        {
            from.Remove(this);
        }

        private void OnDrawGizmosSelected()
        {
            BladeGizmo.Draw(this);
        }

        public override void Teleport()
        {
            _isTeleport = true;
        }

        /// <summary>Say so when hilt, tip, radius, edge or parts have changed. Its open contacts end.</summary>
        public void Redefine()
        {
            IsDue = true;
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
        private BladeShape Shape(Transform carrier, Transform origin)
        {
            _sent = _before = Place.On(carrier, origin, transform);
            return new BladeShape
            {
                Name = Name,
                Device = Device,
                IsBody = isBody,
                Enabled = !sheathed,
                Layers = (uint)layers.value,
                Mask = (uint)mask.value,
                Hilt = On(carrier, origin, hilt),
                Tip = On(carrier, origin, tip),
                Radius = radius * Math.Abs(_sent.Scale.x),
                HasEdge = hasEdge,
                Edge = Conversions.ToVec3(_sent.Rotation * edge),
                Parts = Array.ConvertAll(parts, part => ToPart(carrier, origin, part))
            };
        }

        /// <summary>Whether a property that needs no Redefine changed since it was last sent, which it now is.</summary>
        internal bool TakeChanges()
        {
            bool isOther = sheathed != _sentSheathed | TakeLayers();

            _sentSheathed = sheathed;
            return isOther;
        }

        /// <summary>A shape that the core refuses is logged.</summary>
        internal void Define(ClashdClient client, Transform origin)
        {
            IsDue = false;
            try
            {
                client.DefineBlade(Shape(Carrier.transform, origin));
            }
            catch (ArgumentException e)
            {
                Debug.LogWarning("ClashdBlade: " + Name + " is not sent to clashd: " + e.Message, this);
                client.RemoveBlade(Name);
            }
        }

        private Vec3 On(Transform carrier, Transform origin, Vector3 point)
        {
            return Conversions.ToVec3(_sent.Position + Conversions.VectorOn(carrier, origin, transform.TransformVector(point)));
        }

        private BladePart ToPart(Transform carrier, Transform origin, ClashdPart part)
        {
            if (part == null || part.points == null)
                throw new ArgumentException("one of its parts needs points");
            return new BladePart
            {
                Name = part.name,
                Points = Array.ConvertAll(part.points, point => On(carrier, origin, point)),
                Radius = part.radius * Math.Abs(_sent.Scale.x),
                HasEdge = part.hasEdge,
                Edge = Conversions.ToVec3(_sent.Rotation * part.edge)
            };
        }

        internal void Push(ClashdClient client, Transform origin, HandTracking hands)
        {
            _isAdded = AddPose(client, origin, hands, Device, ref _isTeleport);
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
