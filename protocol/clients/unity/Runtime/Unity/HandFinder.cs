// Which hand of the player carries an object: told by what tracks a controller above it, whichever package that is from. No
// package is needed for it, and none is asked by its types: by their names, and by what they say of themselves.
using System;
using System.Reflection;
using UnityEngine;

namespace Clashd
{
    /// <summary>What carries a blade or a target.</summary>
    public enum ClashdHand
    {
        /// <summary>The hand whose tracked controller it is below; none where there is none.</summary>
        Auto,
        /// <summary>No hand: an enemy's.</summary>
        None,
        Left,
        Right
    }

    internal static class HandFinder
    {
        // Unity's two TrackedPoseDrivers; XR Interaction Toolkit; Meta; SteamVR.
        private static readonly string[] Trackers =
        {
            "TrackedPoseDriver", "ActionBasedController", "DeviceBasedController", "XRController", "OVRControllerHelper", "OVRHand",
            "SteamVR_Behaviour_Pose"
        };
        private static readonly string[] Sides =
        {
            "handedness", "poseSource", "controllerNode", "inputSource", "m_controller", "HandType"
        };

        private static bool IsTracker(Component component)
        {
            for (Type type = component.GetType(); type != null && type != typeof(MonoBehaviour); type = type.BaseType)
                if (Array.IndexOf(Trackers, type.Name) >= 0)
                    return true;
            return false;
        }

        /// <summary>Whether a name begins a word at this place: "LTouch" has two, "Upright" one.</summary>
        private static bool BeginsWord(string name, int at)
        {
            if (at == 0 || !char.IsLetter(name[at - 1]))
                return char.IsLetter(name[at]);
            return char.IsUpper(name[at]) && (char.IsLower(name[at - 1]) || (at + 1 < name.Length && char.IsLower(name[at + 1])));
        }

        private static bool HasWord(string name, string word)
        {
            for (int at = 0; at < name.Length; at++)
            {
                if (!BeginsWord(name, at))
                    continue;
                int end = at + 1;
                while (end < name.Length && char.IsLetter(name[end]) && !BeginsWord(name, end))
                    end++;
                bool isLetter = end == at + 1 && char.ToLowerInvariant(name[at]) == word[0];
                if (isLetter || string.Compare(name, at, word, 0, word.Length, StringComparison.OrdinalIgnoreCase) == 0)
                    return true;
            }
            return false;
        }

        /// <summary>Where a word tells: "LeftHand Controller", "right", "hand_l", "LTouch"; "Upright" does not.</summary>
        internal static ClashdHand Side(string words)
        {
            bool isLeft = HasWord(words, "left"), isRight = HasWord(words, "right");

            return isLeft == isRight ? ClashdHand.None : isLeft ? ClashdHand.Left : ClashdHand.Right;
        }

        /// <summary>What a tracker says of itself; builds that strip code may have left that out.</summary>
        private static ClashdHand Said(Component tracker)
        {
            const BindingFlags flags = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

            foreach (string name in Sides)
            {
                PropertyInfo property = tracker.GetType().GetProperty(name, flags);
                FieldInfo field = tracker.GetType().GetField(name, flags);
                object value = property != null ? property.GetValue(tracker, null) : field != null ? field.GetValue(tracker) : null;
                ClashdHand hand = value == null ? ClashdHand.None : Side(value.ToString());

                if (hand != ClashdHand.None)
                    return hand;
            }
            return ClashdHand.None;
        }

        private static ClashdHand Named(Transform at)
        {
            ClashdHand hand = ClashdHand.None;

            for (; at != null && hand == ClashdHand.None; at = at.parent)
                hand = Side(at.name);
            return hand;
        }

        /// <summary>The player's hand that carries what is there; never Auto. `device` of a component counts before its `hand`.</summary>
        internal static ClashdHand HandOf(string device, ClashdHand hand, Transform t)
        {
            if (device.Length > 0)
                return device == ClashdBlade.LeftHand ? ClashdHand.Left : device == ClashdBlade.RightHand ? ClashdHand.Right : ClashdHand.None;
            return hand == ClashdHand.Auto ? Find(t) : hand;
        }

        /// <summary>What carries it; "" where no hand does, and no device is named.</summary>
        internal static string DeviceOf(string device, ClashdHand hand)
        {
            return hand == ClashdHand.Left ? ClashdBlade.LeftHand : hand == ClashdHand.Right ? ClashdBlade.RightHand : device;
        }

        /// <summary>Whether it is one of the player's, which are fed.</summary>
        internal static bool IsUsers(string device)
        {
            return device.StartsWith("/user/", StringComparison.Ordinal);
        }

        /// <summary>None where nothing above it, nor itself, is tracked.</summary>
        internal static ClashdHand Find(Transform t)
        {
            for (Transform at = t; at != null; at = at.parent)
                foreach (Component component in at.GetComponents<Component>())
                    if (component != null && IsTracker(component)) // null: its script is missing
                    {
                        ClashdHand hand = Said(component);

                        return hand != ClashdHand.None ? hand : Named(at);
                    }
            return ClashdHand.None;
        }
    }
}
