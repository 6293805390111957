// What blades and targets have in common: the receiver that they belong to, and what carries them. They join it in LateUpdate, not in
// OnEnable: AddComponent and Instantiate run OnEnable before the caller can set a field. Changes of receiver, name, hand and device are
// noticed there and once more before each frame's poses are pushed.
using UnityEngine;

namespace Clashd
{
    public abstract class ClashdMember : MonoBehaviour
    {
        [Header("Receiver and carrier")]
        [Tooltip("The receiver that it belongs to. Empty: the nearest one among this object's parents")]
        public ClashdReceiver receiver;
        [Tooltip("The player's hand that carries it, which is then fed. Auto: that of the tracked controller above it. None: no hand")]
        public ClashdHand hand = ClashdHand.Auto;
        [Tooltip("Instead of a hand: the device that carries it, a name of your own or /user/.. of another tracked one")]
        public string device = "";

        [Header("What it touches")]
        [Tooltip("The layers that it is in. Two blades, or a blade and a target, touch only if each is in a layer of the other's mask")]
        public LayerMask layers = 1;
        [Tooltip("The layers that it can touch")]
        public LayerMask mask = -1;

        private LayerMask _sentLayers = 1, _sentMask = -1;
        private ClashdReceiver _above;
        private ClashdHand _hand, _seenHand;
        private string _name, _held = "", _seenDevice, _seenName; // null: not resolved yet
        private bool _isMoved, _isWarned;

        /// <summary>The receiver that has it now; null before the first LateUpdate, while it is disabled, and without a receiver. May have
        /// been destroyed.</summary>
        internal ClashdReceiver Joined { get; private set; }

        /// <summary>Whether clashd has to get its definition, with the next poses: places are right only then.</summary>
        internal bool IsDue;

        /// <summary>What events call it, while it is enabled.</summary>
        public string Name
        {
            get
            {
                Resolve(false);
                return _name;
            }
        }

        /// <summary>The player's hand that carries it, while it is enabled; never Auto.</summary>
        public ClashdHand Hand
        {
            get
            {
                Resolve(false);
                return _hand;
            }
        }

        /// <summary>As `device` or `hand` say; "": nothing, or a device of its own.</summary>
        internal string Held
        {
            get
            {
                Resolve(false);
                return _held;
            }
        }

        /// <summary>The name that its fields ask for; "": one that fits.</summary>
        protected abstract string WantedName { get; }

        /// <summary>The name of one whose fields do not ask for any, on what carries it now.</summary>
        protected abstract string DefaultName(ClashdHand carrier);

        protected abstract void Join(ClashdReceiver to);
        protected abstract void Leave(ClashdReceiver from);

        /// <summary>Why it cannot join, in words; null if it can.</summary>
        protected virtual string Lack()
        {
            return null;
        }

        /// <summary>Whether it has to be defined anew for a reason of its own.</summary>
        protected virtual bool IsOther()
        {
            return false;
        }

        protected virtual void OnEnable()
        {
            _name = null;
            _isWarned = false;
        }

        protected virtual void OnDisable()
        {
            Leave();
        }

        protected void OnTransformParentChanged()
        {
            _isMoved = true;
            _above = null;
        }

        /// <summary>Another hand or name waits for the receiver's push, so that two that change places do not meet.</summary>
        protected void LateUpdate()
        {
            string lack = Lack();
            ClashdReceiver wanted = lack == null ? Wanted() : null;

            if (!ReferenceEquals(wanted, Joined))
                Follow(wanted);
            else
                Warn(lack);
        }

        /// <summary>Leaves its receiver if that, its name, hand or device is another than before. Whether it has left.</summary>
        internal bool LeaveIfOther()
        {
            if (ReferenceEquals(Lack() == null ? Wanted() : null, Joined) && !IsElsewhere())
                return false;
            Leave();
            return true;
        }

        /// <summary>After LeaveIfOther of all that change.</summary>
        internal void JoinAgain()
        {
            Follow(Lack() == null ? Wanted() : null);
        }

        private void Follow(ClashdReceiver wanted)
        {
            Leave();
            Resolve(true);
            Joined = wanted;
            if (wanted == null)
                return;
            _isWarned = false;
            Join(wanted);
        }

        /// <summary>A hand has it from now on, such as one that takes it up; nothing is swept on the way there. Call it when the object is there.</summary>
        public void Attach(ClashdHand to)
        {
            hand = to;
            device = "";
            Teleport();
        }

        /// <summary>No hand has it any more: it is dropped, thrown or put away.</summary>
        public void Detach()
        {
            Attach(ClashdHand.None);
        }

        /// <summary>Call it when the object is moved to another place at once: nothing is swept on the way there.</summary>
        public abstract void Teleport();

        /// <summary>Whether layers or mask changed since they were last sent, which they now are.</summary>
        internal bool TakeLayers()
        {
            bool isOther = layers.value != _sentLayers.value || mask.value != _sentMask.value;

            _sentLayers = layers;
            _sentMask = mask;
            return isOther;
        }

        /// <summary>Once, until it joins.</summary>
        private void Warn(string lack)
        {
            if (_isWarned || Joined != null)
                return;
            _isWarned = true;
            Debug.LogWarning(GetType().Name + ": " + (lack ?? "\"" + name + "\" needs a receiver: set one, or put it under one"), this);
        }

        private void Leave()
        {
            if (Joined != null)
                Leave(Joined);
            Joined = null;
        }

        /// <summary>Never one that has been destroyed.</summary>
        private ClashdReceiver Wanted()
        {
            if (receiver != null)
                return receiver;
            if (_above == null)
                _above = GetComponentInParent<ClashdReceiver>();
            return _above != null ? _above : null;
        }

        /// <summary>Finds what carries it now, and so what it is called; again only if `isAnew`.</summary>
        private void Resolve(bool isAnew)
        {
            if (_name != null && !isAnew)
                return;
            _hand = HandFinder.HandOf(device, hand, transform);
            _held = HandFinder.DeviceOf(device, _hand);
            _name = WantedName.Length > 0 ? WantedName : DefaultName(_hand);
            _seenHand = hand;
            _seenDevice = device;
            _seenName = WantedName;
            _isMoved = false;
        }

        /// <summary>Adds the pose of what carries it, which is where this object is; of a hand that is lost that there is none. Whether it was a
        /// pose that takes what `isTeleport` says along.</summary>
        internal bool AddPose(ClashdClient client, Transform origin, HandTracking hands, string carrier, ref bool isTeleport)
        {
            HandState state = hands.StateOf(Hand);

            isTeleport |= state == HandState.Lost || hands.HasJumped(Hand);
            if (state != HandState.Lost)
                return client.AddPose(carrier, Conversions.ToVec3(Conversions.PositionIn(origin, transform)),
                                      Conversions.ToQuat(Conversions.RotationIn(origin, transform)), isTeleport, state == HandState.Tracked);
            client.AddLost(carrier);
            return false;
        }

        /// <summary>Whether it has another name than before, or has come into another hand.</summary>
        private bool IsElsewhere()
        {
            return hand != _seenHand || device != _seenDevice || WantedName != _seenName || IsOther() ||
                (_isMoved && hand == ClashdHand.Auto && device.Length == 0);
        }
    }
}
