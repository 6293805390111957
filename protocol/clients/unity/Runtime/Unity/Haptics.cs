// A clash is felt in the hand that carries the blade, by Unity's own call, which reaches the controller wherever the game has it
// from. As strong and as long as clashd's own.
using System;
using UnityEngine;
using UnityEngine.XR;

namespace Clashd
{
    /// <summary>What shakes a controller: the engine, or what a game puts in its place, as ClashdReceiver.Haptics.</summary>
    public interface IClashdHaptics
    {
        /// <summary>Left or Right; strength above 0, at most 1.</summary>
        void Pulse(ClashdHand hand, float strength, float seconds);
    }

    /// <summary>UnityEngine.XR.InputDevice.SendHapticImpulse. Without XR there is no controller, and nothing is felt.</summary>
    public sealed class XrHaptics : IClashdHaptics
    {
        public void Pulse(ClashdHand hand, float strength, float seconds)
        {
            InputDevice controller = InputDevices.GetDeviceAtXRNode(hand == ClashdHand.Left ? XRNode.LeftHand : XRNode.RightHand);

            if (controller.isValid)
                controller.SendHapticImpulse(0, strength, seconds);
        }
    }

    /// <summary>Which clash is felt: not every one of a pair that rattles, and none that is long over.</summary>
    internal sealed class HapticPulses
    {
        private const float StrengthMin = 0.1f; // below it most controllers do not move at all
        private const float SecondsBase = 0.015f, SecondsSpan = 0.03f;
        private const long OldNs = 250000000;
        private const int PairsMax = 32;

        private struct Pair
        {
            public string Blade0, Blade1;
            public long TimeNs;
        }

        private readonly Pair[] _pairs = new Pair[PairsMax];
        private int _count;

        /// <summary>The pair's place; where there is none, that of the one that is over for longest.</summary>
        private int Find(ClashdEvent clash)
        {
            int oldest = 0;

            for (int i = 0; i < _count; i++)
            {
                if (_pairs[i].Blade0 == clash.Blade0 && _pairs[i].Blade1 == clash.Blade1)
                    return i;
                if (_pairs[i].TimeNs < _pairs[oldest].TimeNs)
                    oldest = i;
            }
            int place = _count < PairsMax ? _count++ : oldest;
            _pairs[place] = new Pair { Blade0 = clash.Blade0, Blade1 = clash.Blade1, TimeNs = long.MinValue / 2 };
            return place;
        }

        /// <summary>Whether it is felt: not sooner than `apartNs` after the same two's last one that was.</summary>
        private bool IsFelt(ClashdEvent clash, long nowNs, long apartNs)
        {
            if (clash.Resumed || nowNs - clash.TimeNs > OldNs) // it goes on after a cut, or comes again after a reconnect
                return false;
            int place = Find(clash);
            long since = clash.TimeNs - _pairs[place].TimeNs;
            if (since >= 0 && since < apartNs)
                return false;
            _pairs[place].TimeNs = clash.TimeNs; // or of another session, whose time began anew
            return true;
        }

        internal void Take(ClashdEvent clash, BladeSet blades, ClashdReceiver receiver, long nowNs)
        {
            ClashdHand first = blades.HandOf(clash.Blade0), second = blades.HandOf(clash.Blade1);
            float intensity = Math.Max(0f, Math.Min(1f, clash.Intensity));
            float strength = Math.Min(1f, Math.Max(StrengthMin, intensity) * receiver.hapticStrength);
            float seconds = (SecondsBase + SecondsSpan * intensity) * receiver.hapticLength;

            if ((first == ClashdHand.None && second == ClashdHand.None) || !(strength > 0f) || !(seconds > 0f) ||
                !IsFelt(clash, nowNs, (long)(receiver.hapticApartMs * 1e6f)))
                return;
            if (first != ClashdHand.None)
                receiver.Haptics.Pulse(first, strength, seconds);
            if (second != ClashdHand.None && second != first)
                receiver.Haptics.Pulse(second, strength, seconds);
        }
    }
}
