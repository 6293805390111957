"""What clashd says on its socket and in its recording, line by line: all as the schemas have it, and both the same."""
import json

import validate

EVENTS = ("clash", "hold", "release", "tracking", "space_changed")


def event_lines(lines):
    return [line for line in lines if json.loads(line)["type"] in EVENTS]


def check_lines(sent, recorded):
    """The subscriber got every event that was recorded since it came, in the same words, and nothing got lost."""
    for line in sent + recorded:
        mistakes = validate.check(line)
        assert not mistakes, f"not as the schemas have it: {mistakes}: {line}"
    assert not [line for line in sent if json.loads(line)["type"] in ("lagged", "error")], "lagged or error on the socket"
    sent_events, recorded_events = event_lines(sent), event_lines(recorded)
    assert sent_events, "no events on the socket"
    late = len(recorded_events) - len(sent_events)
    assert late >= 0 and recorded_events[late:] == sent_events, "the socket and the recording tell different events"
    numbers = [json.loads(line)["seq"] for line in recorded_events]
    assert numbers == list(range(1, len(numbers) + 1)), "events are not numbered 1, 2, 3 .."
