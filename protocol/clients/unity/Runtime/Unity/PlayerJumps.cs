// Whether the player is elsewhere at once, which is not a stroke: after a recentring, which Unity reports whatever package tracks the
// player, and after a teleport or snap turn by XR Interaction Toolkit, whose providers are found by their names, so that the package does not
// depend on it.
using System;
using System.Collections.Generic;
using System.Reflection;
using UnityEngine;
using UnityEngine.XR;

namespace Clashd
{
    internal sealed class PlayerJumps
    {
        /// <summary>XR may begin later than the scene, and a provider may be added to it.</summary>
        private const int LookAgainFrames = 100, ApartMax = 6400;
        /// <summary>The runtime may move the poses in the frame of the event or in the next one.</summary>
        private const int RecentringFrames = 2;

        /// <summary>Of XR Interaction Toolkit 2 and 3. Walking and smooth turns are strokes like others.</summary>
        private static readonly string[] Providers = { "TeleportationProvider", "SnapTurnProvider", "SnapTurnProviderBase" };
        /// <summary>Version 3 raises the first one in the frame in which it moves the rig, version 2 the second one.</summary>
        private static readonly string[] Moments = { "beforeStepLocomotion", "endLocomotion" };
        private static readonly string[] ProviderBases =
        {
            "UnityEngine.XR.Interaction.Toolkit.Locomotion.LocomotionProvider", "UnityEngine.XR.Interaction.Toolkit.LocomotionProvider"
        };

        private sealed class Hook
        {
            public EventInfo Moment;
            public Delegate Handler;
        }

        private readonly List<XRInputSubsystem> _found = new List<XRInputSubsystem>();
        private readonly List<XRInputSubsystem> _subsystems = new List<XRInputSubsystem>();
        private readonly Dictionary<UnityEngine.Object, Hook> _providers = new Dictionary<UnityEngine.Object, Hook>();
        private readonly Type _base = FindBase();
        private int _untilLook, _left, _untilProviders, _apart = LookAgainFrames;

        private void NoteRecentring(XRInputSubsystem tracking)
        {
            _left = RecentringFrames;
        }

        private void NoteStep(object provider)
        {
            _left = Math.Max(_left, 1);
        }

        /// <summary>null without XR Interaction Toolkit.</summary>
        private static Type FindBase()
        {
            foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
                foreach (string name in ProviderBases)
                {
                    Type type = assembly.GetType(name, false);

                    if (type != null)
                        return type;
                }
            return null;
        }

        private static bool Jumps(Type type)
        {
            for (; type != null; type = type.BaseType)
                if (Array.IndexOf(Providers, type.Name) >= 0)
                    return true;
            return false;
        }

        private void LookForSubsystems()
        {
            SubsystemManager.GetSubsystems(_found);
            foreach (XRInputSubsystem tracking in _found)
            {
                if (_subsystems.Contains(tracking))
                    continue;
                tracking.trackingOriginUpdated += NoteRecentring;
                _subsystems.Add(tracking);
            }
        }

        private static UnityEngine.Object[] All(Type type)
        {
#if UNITY_2023_1_OR_NEWER
            return UnityEngine.Object.FindObjectsByType(type, FindObjectsSortMode.None);
#else
            return UnityEngine.Object.FindObjectsOfType(type);
#endif
        }

        private void LookForProviders()
        {
            if (_base == null)
                return;
            foreach (UnityEngine.Object provider in All(_base))
            {
                EventInfo moment = null;

                if (!Jumps(provider.GetType()) || _providers.ContainsKey(provider))
                    continue;
                foreach (string name in Moments)
                    moment = moment ?? provider.GetType().GetEvent(name);
                if (moment == null) // a build that strips code may have left it out
                    continue;
                MethodInfo note = GetType().GetMethod("NoteStep", BindingFlags.Instance | BindingFlags.NonPublic);
                var hook = new Hook { Moment = moment, Handler = Delegate.CreateDelegate(moment.EventHandlerType, this, note) };
                moment.AddEventHandler(provider, hook.Handler);
                _providers[provider] = hook;
            }
        }

        /// <summary>Once a frame: whether the player is elsewhere at once.</summary>
        internal bool IsNow()
        {
            if (_untilLook-- <= 0)
            {
                _untilLook = LookAgainFrames;
                LookForSubsystems();
            }
            if (_untilProviders-- <= 0) // each time later, since it makes an array
            {
                _untilProviders = _apart;
                _apart = Math.Min(2 * _apart, ApartMax);
                LookForProviders();
            }
            if (_left <= 0)
                return false;
            _left--;
            return true;
        }

        internal void End()
        {
            foreach (XRInputSubsystem tracking in _subsystems)
                tracking.trackingOriginUpdated -= NoteRecentring;
            foreach (KeyValuePair<UnityEngine.Object, Hook> provider in _providers)
                provider.Value.Moment.RemoveEventHandler(provider.Key, provider.Value.Handler);
            _subsystems.Clear();
            _providers.Clear();
            _untilLook = _left = _untilProviders = 0;
            _apart = LookAgainFrames;
        }
    }
}
