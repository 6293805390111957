"""Judges a clashd that has ended: every line of its socket and of its recording, and with monado_check its clashes.
Prints the figures."""
import json

import monado_check
import validate

EVENTS = ("clash", "hold", "release", "tracking", "space_changed")


def event_lines(lines):
    return [line for line in lines if json.loads(line)["type"] in EVENTS]


def check_lines(sent, recorded):
    """The subscriber got every event that was recorded since it came, in the same words, and nothing got lost."""
    for line in sent + recorded:
        mistakes = validate.check(line)
        assert not mistakes, f"not as the schemas have it: {mistakes}: {line}"
    troubles = [line for line in sent if json.loads(line)["type"] in ("lagged", "error")]
    assert not troubles, f"trouble on the socket: {troubles}"
    sent_events, recorded_events = event_lines(sent), event_lines(recorded)
    assert sent_events, "no events on the socket"
    late = len(recorded_events) - len(sent_events)
    assert late >= 0 and recorded_events[late:] == sent_events, "the socket and the recording tell different events"
    numbers = [json.loads(line)["seq"] for line in recorded_events]
    assert numbers == list(range(1, len(numbers) + 1)), "events are not numbered 1, 2, 3 .."


def judge(clashd, played, *played_later):
    """The figures are of `played`; of what was played later every crossing must have given its one clash too."""
    lines = clashd.recorded_lines()
    check_lines(clashd.subscriber.lines, lines)
    recording = monado_check.Recording(lines)
    worst = monado_check.against_recording(recording)
    pairs = monado_check.against_script(recording, played)
    for later in played_later:
        crossings = len(monado_check.against_script(recording, later))
        print(f"{crossings} crossings later: one clash each, none beside them.")
    print(f"{len(pairs)} crossings: one clash each, none beside them.\n"
          f"Greatest differences of {worst.clashes} clashes to the exhaustive search over the recorded poses:\n"
          f"  start {worst.start_ns * 1e-6:.4f} ms, end {worst.end_ns * 1e-6:.4f} ms, "
          f"midpoint {worst.midpoint * 1e3:.4f} mm, distance {worst.distance * 1e3:.4f} mm")
    print(monado_check.table(pairs), flush=True)
    # At the clash and when the script touches, which is earlier where poses came late.
    steady = [pair for pair in pairs if all(recording.is_steady(pair[1]["time_ns"] - late * 1e9) for late in (0, pair[2]))]
    if len(steady) < len(pairs):
        print(f"{len(pairs) - len(steady)} of them not held against the script: the machine was too busy for new poses.")
    if len(steady) >= len(pairs) / 2:
        monado_check.judge_script(steady)
