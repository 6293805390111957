// Whether the player has recentred: then everything tracked is elsewhere at once, which is no stroke. Whatever package tracks it, this
// is Unity's own word for it.
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.XR;

namespace Clashd
{
    internal sealed class Recentring
    {
        /// <summary>XR may begin later than the scene.</summary>
        private const int LookAgainFrames = 100;
        /// <summary>In that frame or in the one after, by the runtime.</summary>
        private const int Frames = 2;

        private readonly List<XRInputSubsystem> _found = new List<XRInputSubsystem>();
        private readonly List<XRInputSubsystem> _heard = new List<XRInputSubsystem>();
        private int _untilLook, _left;

        private void Note(XRInputSubsystem tracking)
        {
            _left = Frames;
        }

        private void Look()
        {
            SubsystemManager.GetSubsystems(_found);
            foreach (XRInputSubsystem tracking in _found)
            {
                if (_heard.Contains(tracking))
                    continue;
                tracking.trackingOriginUpdated += Note;
                _heard.Add(tracking);
            }
        }

        /// <summary>Once a frame: whether its poses are elsewhere at once.</summary>
        internal bool IsNow()
        {
            if (_untilLook-- <= 0)
            {
                _untilLook = LookAgainFrames;
                Look();
            }
            if (_left <= 0)
                return false;
            _left--;
            return true;
        }

        internal void End()
        {
            foreach (XRInputSubsystem tracking in _heard)
                tracking.trackingOriginUpdated -= Note;
            _heard.Clear();
            _untilLook = _left = 0;
        }
    }
}
