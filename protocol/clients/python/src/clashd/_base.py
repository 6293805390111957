"""How a line becomes a message: a dataclass whose fields are checked by their annotations."""
from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeVar

P = TypeVar("P", bound="Piece")
Reader = Callable[[Any], Any]


class Error(Exception):
    """Of everything that this module raises by itself."""


class ProtocolError(Error, ValueError):
    """A line is no message: it says which line, and what was expected."""


@dataclass(slots=True, kw_only=True)
class Piece:
    """What a message consists of. Fields that this version does not know are left out."""

    @classmethod
    def from_json(cls: type[P], value: Any) -> P:
        """ProtocolError, with the field's name, where the value is not what the schema says."""
        if not isinstance(value, dict):
            raise ProtocolError(f"{_shown(value)}: expected an object")
        made = {}
        for name, read, needed in _readers(cls):
            if name in value:
                try:
                    made[name] = read(value[name])
                except ProtocolError as error:
                    raise ProtocolError(f"{name}: {error}") from None
            elif needed:
                raise ProtocolError(f'there is no "{name}"')
        return cls(**made)


@dataclass(slots=True, kw_only=True)
class Message(Piece):
    """What clashd says, or a recording holds. `raw`: the line as an object of JSON, with fields that this version does not know."""

    type: ClassVar[str] = ""
    raw: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


_known: dict[type, list[tuple[str, Reader, bool]]] = {}


def _readers(cls: type[Piece]) -> list[tuple[str, Reader, bool]]:
    """(name, what reads it, whether it must be there) of each field."""
    if cls not in _known:
        from . import messages  # which has this module's classes for its own
        hints = typing.get_type_hints(cls, vars(messages))
        _known[cls] = [(part.name, _reader(hints[part.name]), _is_needed(part)) for part in fields(cls) if part.name != "raw"]
    return _known[cls]


def _is_needed(part: Any) -> bool:
    return part.default is MISSING and part.default_factory is MISSING


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _scalar(kind: type, words: str, *also: type) -> Reader:
    def read(value: Any) -> Any:
        if isinstance(value, (kind, *also)) and (kind is bool or not isinstance(value, bool)):
            if kind is float and not math.isfinite(value):
                raise ProtocolError(f"{value}: expected a number that is finite")
            return kind(value)
        if kind is int and isinstance(value, float) and value.is_integer():
            return int(value)  # 2.0 is an integer to JSON Schema
        raise ProtocolError(f"{_shown(value)}: expected {words}")
    return read


def _sequence(items: list[Reader], exact: bool) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list) or (exact and len(value) != len(items)):
            raise ProtocolError(f"{_shown(value)}: expected an array" + (f" of {len(items)}" if exact else ""))
        if exact:
            return tuple(item(part) for item, part in zip(items, value))
        return [items[0](part) for part in value]
    return read


def _mapping(item: Reader) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise ProtocolError(f"{_shown(value)}: expected an object")
        return {name: item(part) for name, part in value.items()}
    return read


def _either(readers: list[Reader], may_be_none: bool) -> Reader:
    def read(value: Any) -> Any:
        if value is None and may_be_none:
            return None
        for reader in readers[:-1]:
            try:
                return reader(value)
            except ProtocolError:
                pass
        return readers[-1](value)
    return read


def _reader(hint: Any) -> Reader:
    """What reads a value of an annotation. A word that is not among those of a Literal is a later version's, and passes."""
    origin, words = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return lambda value: value
    if origin in (types.UnionType, typing.Union):
        return _either([_reader(word) for word in words if word is not type(None)], type(None) in words)
    if origin is tuple:
        return _sequence([_reader(word) for word in words], True)
    if origin is list:
        return _sequence([_reader(words[0])], False)
    if origin is dict:
        return _mapping(_reader(words[1]))
    if origin is Literal or hint is str:
        return _scalar(str, "a string")
    if isinstance(hint, type) and issubclass(hint, Piece):
        return hint.from_json
    return {int: _scalar(int, "an integer"), float: _scalar(float, "a number", int),
            bool: _scalar(bool, "true or false")}[hint]
