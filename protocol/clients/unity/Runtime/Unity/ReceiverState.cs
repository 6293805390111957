// What a receiver is up to, in words: for the console, once each, and for its inspector.
using System.Globalization;
using UnityEngine;

namespace Clashd
{
    internal sealed class ReceiverState
    {
        private readonly ClashdReceiver _receiver;
        private readonly BladeSet _blades;
        private string _connection = "not playing", _blade0, _blade1;
        private float _speed;
        private long _clashes;
        private bool _isTold, _wasSilent, _isGivenUp, _isGivenUpTold;
        private double _answerMs;

        internal ReceiverState(ClashdReceiver receiver, BladeSet blades)
        {
            _receiver = receiver;
            _blades = blades;
        }

        /// <summary>Whether clashd takes the player's hands from here.</summary>
        internal bool IsFeeding { get; private set; }

        internal void Begin()
        {
            _connection = "not connected yet";
        }

        internal void TakeConnected(ClashdEvent e)
        {
            _connection = "connected to clashd " + e.Version;
            Debug.Log("clashd " + e.Version + ": connected", _receiver);
            if (!e.CanFeed && _receiver.feed && _blades.FedCount > 0 && !_isTold)
                Debug.LogWarning("clashd " + e.Version + " cannot be fed: it takes the player's hands from where it sees them itself, " +
                                 "with the blades of its own configuration. A newer one can", _receiver);
            _isTold |= !e.CanFeed;
            IsFeeding = e.CanFeed; // else clashd shakes the controllers itself
        }

        internal void TakeDisconnected(ClashdEvent e)
        {
            Debug.LogWarning("clashd: " + e.Message, _receiver);
            _connection = e.Message;
        }

        internal void TakeProblem(ClashdEvent e)
        {
            string request = e.Request.Length > 0 ? e.Request + ": " : "";

            Debug.LogWarning("clashd: " + request + e.Message, _receiver);
            if (e.Code == "client")
                _connection = e.Message;
        }

        internal void TakeClash(ClashdEvent e)
        {
            _clashes++;
            _blade0 = e.Blade0;
            _blade1 = e.Blade1;
            _speed = e.ClosingSpeed;
        }

        /// <summary>Once a frame: whether clashd answers, and in time. The console gets each change of the first, and the first of the second.</summary>
        internal void Look(ClashdClient client, int waitMs)
        {
            bool isSilent = client.IsSilent;

            _isGivenUp = client.HasGivenUpWaiting;
            _answerMs = client.LastAnswerMs;
            if (isSilent && !_wasSilent)
                Debug.LogWarning("clashd does not answer: it hangs or is stopped. No clash comes until it goes on", _receiver);
            else if (_wasSilent && !isSilent)
                Debug.Log("clashd answers again", _receiver);
            _wasSilent = isSilent;
            if (!_isGivenUp || _isGivenUpTold || isSilent)
                return;
            _isGivenUpTold = true;
            Debug.LogWarning(string.Format(CultureInfo.InvariantCulture, "clashd: its answers take longer than a frame may wait (waitMs is {0}, the " +
                "last took {1:0.0} ms), so no frame waits any more and clashes come a frame later, until they are quick again", waitMs, _answerMs),
                _receiver);
        }

        internal void End()
        {
            _wasSilent = _isGivenUp = _isGivenUpTold = false;
            _connection = "not playing";
            IsFeeding = false;
        }

        internal string Words()
        {
            string fed = _blades.FedWords();
            string last = _clashes == 0 ? "no clash yet" : string.Format(CultureInfo.InvariantCulture,
                "{0} clashes, the last of {1} and {2} at {3:0.0} m/s", _clashes, _blade0, _blade1, _speed);

            string wait = _wasSilent ? "\ndoes not answer" : _isGivenUp ? string.Format(CultureInfo.InvariantCulture,
                "\nanswers in {0:0.0} ms: frames do not wait for it", _answerMs) : "";

            return _connection + wait + "\n" + (IsFeeding && fed.Length > 0 ? "feeds " + fed : "feeds no device") + "\n" + last;
        }
    }
}
