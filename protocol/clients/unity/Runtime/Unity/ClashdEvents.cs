// Clashes as events of the inspector, for games that need no script: which ones, by what takes part and how fast it is, and what each of them
// calls.
using System;
using UnityEngine;
using UnityEngine.Events;

namespace Clashd
{
    /// <summary>With the event itself, which is valid during the call.</summary>
    [Serializable]
    public sealed class ClashdContactEvent : UnityEvent<ClashdEvent> { }

    /// <summary>With a position in the scene.</summary>
    [Serializable]
    public sealed class ClashdPointEvent : UnityEvent<Vector3> { }

    /// <summary>With a number from 0 to 1.</summary>
    [Serializable]
    public sealed class ClashdIntensityEvent : UnityEvent<float> { }

    public enum ClashdAgainst
    {
        Anything,
        Blades,
        Targets
    }

    [AddComponentMenu("clashd/Clashd Events")]
    [HelpURL("https://clashd.invalid/protocol/clients/unity/README.md")]
    public sealed class ClashdEvents : MonoBehaviour
    {
        [Tooltip("The receiver whose events these are. Empty: the nearest one among this object's parents, or that of the blade or target below")]
        public ClashdReceiver receiver;
        [Header("Which contacts")]
        [Tooltip("Only those of this blade or target. Empty: that of this object; without one, all")]
        public ClashdMember of;
        [Tooltip("Only those in which this name takes part, such as left, or an enemy's. Empty: all")]
        public string with = "";
        [Tooltip("Only those of two blades, or only those with a target")]
        public ClashdAgainst against = ClashdAgainst.Anything;
        [Tooltip("Only clashes and holds that are at least this fast, m/s")]
        public float minClosingSpeed;
        [Header("What they call")]
        [Tooltip("A contact begins; not one that goes on after a teleport or another cut")]
        public ClashdContactEvent onClash = new ClashdContactEvent();
        [Tooltip("A contact begins: where, in the scene")]
        public ClashdPointEvent onClashAt = new ClashdPointEvent();
        [Tooltip("A contact begins: how hard, from 0 to 1")]
        public ClashdIntensityEvent onClashIntensity = new ClashdIntensityEvent();
        [Tooltip("A contact goes on")]
        public ClashdContactEvent onHold = new ClashdContactEvent();
        [Tooltip("A contact ends")]
        public ClashdContactEvent onRelease = new ClashdContactEvent();

        private ClashdReceiver _heard;

        private void OnEnable()
        {
            if (of == null)
                of = GetComponent<ClashdMember>();
        }

        private void OnDisable()
        {
            Listen(null);
        }

        /// <summary>Not in OnEnable: AddComponent and Instantiate run that before the caller can set a field.</summary>
        private void LateUpdate()
        {
            ClashdReceiver wanted = receiver != null ? receiver : of != null ? of.Joined : null;

            if (wanted == null && _heard == null)
                wanted = GetComponentInParent<ClashdReceiver>();
            else if (wanted == null)
                wanted = _heard;
            if (!ReferenceEquals(wanted, _heard))
                Listen(wanted);
        }

        private void Listen(ClashdReceiver to)
        {
            if (_heard != null)
            {
                _heard.Clash -= Strike;
                _heard.Hold -= Hold;
                _heard.Release -= Release;
            }
            _heard = to;
            if (to == null)
                return;
            to.Clash += Strike;
            to.Hold += Hold;
            to.Release += Release;
        }

        private bool Passes(ClashdEvent e)
        {
            bool isAgainst = against == ClashdAgainst.Anything || e.HasTarget == (against == ClashdAgainst.Targets);
            bool isOf = of == null || of.Name == e.Blade0 || of.Name == e.Blade1;

            return isAgainst && isOf && (with.Length == 0 || with == e.Blade0 || with == e.Blade1);
        }

        private void Strike(ClashdEvent e)
        {
            if (!Passes(e) || e.ClosingSpeed < minClosingSpeed || e.Resumed)
                return;
            onClash.Invoke(e);
            onClashAt.Invoke(_heard.ToWorld(e.Midpoint));
            onClashIntensity.Invoke(e.Intensity);
        }

        private void Hold(ClashdEvent e)
        {
            if (Passes(e) && e.ClosingSpeed >= minClosingSpeed)
                onHold.Invoke(e);
        }

        private void Release(ClashdEvent e)
        {
            if (Passes(e))
                onRelease.Invoke(e);
        }
    }
}
