// The blades of a receiver, and the devices that carry them: several may be on one. clashd is told of devices of the player (the
// feed) before the blades on them.
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    internal sealed class BladeSet
    {
        private readonly List<ClashdBlade> _blades = new List<ClashdBlade>();
        private readonly Transform _origin;
        private ClashdClient _client;
        private string[] _fed = { };

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
            client.Feed(_fed);
            foreach (ClashdBlade blade in _blades)
                Define(blade);
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

        internal void Add(ClashdBlade blade)
        {
            _blades.Add(blade);
            Arrange();
            Define(blade);
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
                    Define(other); // on what carries it now
                    other.Teleport();
                }
        }

        internal void Define(ClashdBlade blade)
        {
            if (_client != null && _blades.Contains(blade))
                _client.DefineBlade(blade.Shape(blade.Carrier.transform, _origin));
        }

        /// <summary>Which one carries which, and what is to be fed.</summary>
        private void Arrange()
        {
            foreach (ClashdBlade blade in _blades)
                blade.Carrier = CarrierOf(blade.Device);
            List<ClashdBlade> fed = _blades.FindAll(blade => blade.IsFed && blade.Carrier == blade);
            string[] devices = fed.ConvertAll(blade => blade.Device).ToArray();

            if (string.Join("\n", devices) == string.Join("\n", _fed))
                return;
            _fed = devices;
            if (_client != null)
                _client.Feed(devices);
        }

        /// <summary>Tells of those that have come into another hand or to another size, then adds all their poses.</summary>
        internal void Push()
        {
            for (int i = _blades.Count - 1; i >= 0; i--)
                if (_blades[i].IsElsewhere())
                    _blades[i].ChangeHands();
            foreach (ClashdBlade blade in _blades)
                if (blade.Carrier != blade && blade.TakeTeleport())
                    blade.Carrier.Teleport();
            foreach (ClashdBlade blade in _blades)
            {
                if (blade.IsShifted(blade.Carrier.transform, _origin))
                    Define(blade);
                if (blade.Carrier == blade)
                    blade.Push(_client, _origin);
            }
        }

        internal void Sent()
        {
            foreach (ClashdBlade blade in _blades)
                blade.Sent();
        }

        /// <summary>`all`: not the player's alone.</summary>
        internal void Teleport(bool all)
        {
            foreach (ClashdBlade blade in _blades)
                if (all || blade.IsFed)
                    blade.Teleport();
        }

        internal bool Has(string name)
        {
            foreach (ClashdBlade blade in _blades)
                if (blade.Name == name)
                    return true;
            return false;
        }

        /// <summary>The player's hand that carries the blade of this name; None for any other.</summary>
        internal ClashdHand HandOf(string name)
        {
            foreach (ClashdBlade blade in _blades)
                if (blade.Hand != ClashdHand.None && blade.Name == name)
                    return blade.Hand;
            return ClashdHand.None;
        }
    }
}
