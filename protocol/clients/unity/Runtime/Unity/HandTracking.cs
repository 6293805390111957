// Whether the player's hands are tracked now. Unity keeps a controller that is lost where it was, or puts it elsewhere, and drivers move the
// game's object there: without this it would strike on the way. A hand that was found again elsewhere jumps as well.
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.XR;

namespace Clashd
{
    internal enum HandState
    {
        /// <summary>There is no pose.</summary>
        Lost,
        /// <summary>A pose that was not measured.</summary>
        Guessed,
        /// <summary>Also where nothing says, such as without XR.</summary>
        Tracked
    }

    internal sealed class HandTracking
    {
        /// <summary>The speed of a hand by its tracker, m/s, above which it did not move but was found elsewhere. The fastest of 55,852 frames of
        /// a lively player of Beat Saber is 32.5 m/s, at 91 frames a second; Godot's addon has the same limit.</summary>
        internal const float SpeedMax = 50f;
        /// <summary>Poses are of the times at which frames are shown, which are more even than those at which they are made.</summary>
        private const float FrameMin = 1f / 72f;
        private const InputTrackingState Placed = InputTrackingState.Position | InputTrackingState.Rotation;

        private sealed class Side
        {
            public readonly List<InputDevice> Devices = new List<InputDevice>();
            public XRNode Node;
            public bool WasThere, HasPlace;
            public HandState State;
            public Vector3 Place;
            public bool Jumped;
        }

        private readonly Side _left = new Side { Node = XRNode.LeftHand }, _right = new Side { Node = XRNode.RightHand };
        private bool _isStale = true;

        internal void Begin()
        {
            _isStale = true;
            InputDevices.deviceConnected += Note;
            InputDevices.deviceDisconnected += Note;
        }

        internal void End()
        {
            InputDevices.deviceConnected -= Note;
            InputDevices.deviceDisconnected -= Note;
            _left.WasThere = _right.WasThere = _left.HasPlace = _right.HasPlace = false;
        }

        private void Note(InputDevice device)
        {
            _isStale = true;
        }

        private static HandState StateOf(InputDevice device)
        {
            InputTrackingState state;
            bool isTracked;

            if (device.TryGetFeatureValue(CommonUsages.trackingState, out state) && (state & Placed) != Placed)
                return HandState.Lost;
            return device.TryGetFeatureValue(CommonUsages.isTracked, out isTracked) && !isTracked ? HandState.Guessed : HandState.Tracked;
        }

        private void Look(Side side, float seconds)
        {
            HandState best = HandState.Lost;
            bool isThere = false, hadPlace = side.HasPlace;
            Vector3 before = side.Place;

            if (_isStale)
                InputDevices.GetDevicesAtXRNode(side.Node, side.Devices);
            side.HasPlace = false;
            foreach (InputDevice device in side.Devices)
            {
                if (!device.isValid)
                    continue;
                HandState state = StateOf(device);
                if (!isThere || state > best)
                {
                    best = state;
                    side.HasPlace = state != HandState.Lost && device.TryGetFeatureValue(CommonUsages.devicePosition, out side.Place);
                }
                isThere = true;
            }
            side.State = isThere || side.WasThere ? best : HandState.Tracked;
            side.WasThere |= isThere;
            Vector3 way = side.Place - before;
            float far = SpeedMax * (seconds > FrameMin ? seconds : FrameMin);
            side.Jumped = hadPlace && side.HasPlace && way.x * way.x + way.y * way.y + way.z * way.z > far * far;
        }

        /// <summary>Once a frame, `seconds` after the one before.</summary>
        internal void Look(float seconds)
        {
            Look(_left, seconds);
            Look(_right, seconds);
            _isStale = false;
        }

        private Side SideOf(ClashdHand hand)
        {
            return hand == ClashdHand.Left ? _left : hand == ClashdHand.Right ? _right : null;
        }

        internal HandState StateOf(ClashdHand hand)
        {
            Side side = SideOf(hand);

            return side == null ? HandState.Tracked : side.State;
        }

        /// <summary>Whether it has been found elsewhere in this frame, further than an arm moves.</summary>
        internal bool HasJumped(ClashdHand hand)
        {
            Side side = SideOf(hand);

            return side != null && side.Jumped;
        }
    }
}
