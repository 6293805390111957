"""Wrong and odd versions of right JSON values and texts, from a seeded generator: food for two validators that must agree."""
import copy
import json

WORDS = ["", "x", "stage", "local", "apart", "ok", "clash", "subscribe", "\u00e4\U0001f5e1", "a" * 31, "a" * 32, "\U0001f5e1" * 63,
         "b" * 64, "c" * 107, "d" * 108, "e" * 127, "f" * 128, "g" * 129, "12345678901234567890", "\u0001\"\\"]
NUMBERS = [0, 1, -1, 2, 64, 65, 0.5, -0.0, 1.0, 1.5, 1e-300, 1e300, -1e300, 2**53 - 1, 2**53, -(2**53 - 1), -(2**53), 1.000001,
           1.0000011, 1.5707964, 1.5708, 3.5e38]
OTHERS = [None, True, False, [], {}, [0, 0, 0], [0, 0], [0, 0, 0, 1], [0, "x", 0], ["left", "right"], [None, 0.5], [[0, 0, 0]] * 2,
          {"": 0}, [{}], [0] * 70]


def bounds(schema):
    """Every limit in a schema, with its nearest neighbours on both sides."""
    found = []
    if isinstance(schema, dict):
        for key in ("minimum", "maximum", "exclusiveMinimum"):
            if isinstance(schema.get(key), (int, float)):
                limit = schema[key]
                found += [limit, limit - 1, limit + 1, limit - 1e-7, limit + 1e-7]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            found += bounds(part)
    return found


def places(value, path=()):
    """The path of every part of a value, that of the whole included."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def change(random, value, numbers):
    """The value with one part replaced, removed, added to or doubled. It may come out as it was."""
    value = copy.deepcopy(value)
    path = random.choice(list(places(value)))
    target = at(value, path)
    what = random.randrange(5)
    if what == 0 and isinstance(target, dict):
        target[random.choice(["extra", "name", "type", "id"])] = pick(random, numbers)
    elif what == 1 and isinstance(target, list):
        target.insert(random.randrange(len(target) + 1), copy.deepcopy(random.choice(target)) if target else 0)
    elif not path:
        return pick(random, numbers) if what == 2 else value
    elif what == 3:
        del at(value, path[:-1])[path[-1]]
    elif what == 4 and isinstance(target, (int, float)) and not isinstance(target, bool):
        at(value, path[:-1])[path[-1]] = random.choice([-target, target + 1, target * 1e6, str(target)])
    else:
        at(value, path[:-1])[path[-1]] = pick(random, numbers)
    return value


def pick(random, numbers):
    return copy.deepcopy(random.choice(random.choice([WORDS, numbers, numbers, OTHERS])))


def changed_values(random, right, schema, count):
    """The right value, and versions of it with one to three changes."""
    numbers = NUMBERS + bounds(schema)
    yield right
    for _ in range(count):
        value = right
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            value = change(random, value, numbers)
        yield value


# Bytes and sequences that JSON's grammar turns upon. No newline: what is tested is lines.
PIECES = [bytes([byte]) for byte in b'{}[],:"\\/0123456789.-+eEtfnux\t\r \x01\x7f\x0b'] + [
    b"\xc3\xa4", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff", b"\\u0000", b"\\ud834", b"\\udd1e", b"\\ud834\\udd1e",
    b"null", b"NaN", b"Infinity", b"1e999", b"01", b"1.", b".5", b"-", b"0" * 70, b"[" * 70, b'"a":1,']


def changed_text(random, text):
    """Bytes with one to three places cut out, doubled or replaced."""
    text = bytearray(text)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice([0, 0, 1, 1, 2, 10]))
        text[start:end] = random.choice([b"", text[start:end] * 2, random.choice(PIECES), random.choice(PIECES)])
    return bytes(text)


def text_of(value):
    """One line. Half of the time it would do no harm to escape what is not ASCII; it is not done, to have UTF-8 in it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
