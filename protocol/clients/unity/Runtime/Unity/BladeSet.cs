// The blades and targets of a receiver, and the devices that carry them: several may be on one. clashd is told of devices of the
// player (the feed) before what is on them.
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    internal sealed class BladeSet
    {
        private readonly List<ClashdBlade> _blades = new List<ClashdBlade>();
        private readonly List<ClashdTarget> _targets = new List<ClashdTarget>();
        private readonly List<ClashdMember> _moving = new List<ClashdMember>();
        private readonly Transform _origin;
        private ClashdClient _client;
        private string[] _fed = { }, _sentFed; // null: none yet

        internal BladeSet(Transform origin)
        {
            _origin = origin;
        }

        /// <summary>How many devices of the player they are on.</summary>
        internal int FedCount
        {
            get { return _fed.Length; }
        }

        internal string FedWords()
        {
            return string.Join(", ", _fed);
        }

        /// <summary>null: nobody is told.</summary>
        internal void SetClient(ClashdClient client)
        {
            _client = client;
            if (client == null)
                return;
            _sentFed = null;
            foreach (ClashdBlade blade in _blades)
                blade.IsDue = true;
            foreach (ClashdTarget target in _targets)
                target.IsDue = true;
        }

        /// <summary>The first one on a device: its object is where the device is, and all others on it are as they lie beside
        /// it.</summary>
        private ClashdBlade CarrierOf(string device)
        {
            foreach (ClashdBlade blade in _blades)
                if (blade.Device == device)
                    return blade;
            return null;
        }

        /// <summary>That of a blade on the device, else that of the first target on it.</summary>
        private Transform PlaceOf(string device)
        {
            ClashdBlade blade = CarrierOf(device);

            return blade != null ? blade.transform : _targets.Find(target => target.Held == device).transform;
        }

        internal void Add(ClashdTarget target)
        {
            _targets.Add(target);
            target.IsDue = true;
            Arrange();
        }

        internal void Remove(ClashdTarget target)
        {
            if (!_targets.Remove(target))
                return;
            target.Carrier = null;
            if (_client != null)
                _client.RemoveTarget(target.Name);
            Arrange();
        }

        internal void Add(ClashdBlade blade)
        {
            _blades.Add(blade);
            blade.IsDue = true;
            Arrange();
        }

        internal void Remove(ClashdBlade blade)
        {
            if (!_blades.Remove(blade))
                return;
            if (_client != null)
                _client.RemoveBlade(blade.Name);
            Arrange();
            foreach (ClashdBlade other in _blades)
                if (blade.Carrier == blade && other.Device == blade.Device)
                {
                    other.IsDue = true; // on what carries it now
                    other.Teleport();
                }
        }

        /// <summary>Which one carries which, and what is to be fed.</summary>
        private void Arrange()
        {
            foreach (ClashdBlade blade in _blades)
                blade.Carrier = CarrierOf(blade.Device);
            List<string> devices = _blades.FindAll(blade => blade.IsFed && blade.Carrier == blade).ConvertAll(blade => blade.Device);
            foreach (ClashdTarget target in _targets)
                if (target.IsFed && !devices.Contains(target.Held))
                    devices.Add(target.Held);
            _fed = devices.ToArray();
            foreach (ClashdTarget target in _targets)
                Arrange(target);
        }

        /// <summary>One that something else carries than before is defined anew.</summary>
        private void Arrange(ClashdTarget target)
        {
            Transform carrier = target.IsHeld ? PlaceOf(target.Held) : null;

            if (target.Carrier == carrier)
                return;
            target.Carrier = carrier;
            target.Teleport();
            target.IsDue = true;
        }

        /// <summary>Once all have changed hands: a hand that one blade leaves and another enters stays fed.</summary>
        private void Feed()
        {
            if (ReferenceEquals(_fed, _sentFed))
                return;
            bool isSame = string.Join("\n", _fed) == string.Join("\n", _sentFed ?? new string[0]);
            _sentFed = _fed;
            if (!isSame)
                _client.Feed(_fed);
        }

        /// <summary>All that have another name, hand or receiver leave first, and then join: two that change hands take each other's names.</summary>
        private void Follow()
        {
            foreach (ClashdBlade blade in _blades)
                if (blade.TakeChanges())
                    blade.IsDue = true;
            foreach (ClashdTarget target in _targets)
                if (target.TakeLayers())
                    target.IsDue = true;
            for (int i = _blades.Count - 1; i >= 0; i--)
                if (Leaves(_blades[i]))
                    i = System.Math.Min(i, _blades.Count);
            for (int i = _targets.Count - 1; i >= 0; i--)
                if (Leaves(_targets[i]))
                    i = System.Math.Min(i, _targets.Count);
            for (int i = _moving.Count - 1; i >= 0; i--)
                _moving[i].JoinAgain();
            _moving.Clear();
        }

        private bool Leaves(ClashdMember member)
        {
            bool leaves = member.LeaveIfOther();

            if (leaves)
                _moving.Add(member);
            return leaves;
        }

        /// <summary>Defines those anew that have another name, hand or size, then adds the poses of all.</summary>
        internal void Push(HandTracking hands)
        {
            Follow();
            Feed();
            foreach (ClashdBlade blade in _blades)
                if (blade.Carrier != blade && blade.TakeTeleport())
                    blade.Carrier.Teleport();
            foreach (ClashdBlade blade in _blades)
            {
                if (blade.IsShifted(blade.Carrier.transform, _origin) || blade.IsDue)
                    blade.Define(_client, _origin);
                if (blade.Carrier == blade)
                    blade.Push(_client, _origin, hands);
            }
            foreach (ClashdTarget target in _targets)
                target.Push(_client, _origin, hands);
        }

        internal void Sent()
        {
            foreach (ClashdBlade blade in _blades)
                blade.Sent();
            foreach (ClashdTarget target in _targets)
                target.Sent();
        }

        /// <summary>`all`: not the player's alone.</summary>
        internal void Teleport(bool all)
        {
            foreach (ClashdBlade blade in _blades)
                if (all || blade.IsFed)
                    blade.Teleport();
            foreach (ClashdTarget target in _targets)
                if (all)
                    target.Jump();
                else if (target.IsFed)
                    target.Teleport();
        }

        internal bool Has(string name)
        {
            foreach (ClashdBlade blade in _blades)
                if (blade.Name == name)
                    return true;
            return false;
        }

        /// <summary>The player's hand that carries the blade or target of this name; None for any other.</summary>
        internal ClashdHand HandOf(string name)
        {
            foreach (ClashdBlade blade in _blades)
                if (blade.Hand != ClashdHand.None && blade.Name == name)
                    return blade.Hand;
            foreach (ClashdTarget target in _targets)
                if (target.Name == name)
                    return target.Hand;
            return ClashdHand.None;
        }
    }
}
