"""Frozen dataclasses as JSON, and back. A class says what it holds by its type hints.

A field may be of these types, and ``| None`` of each:

- ``bool``, ``int`` (64 bits on the JVM), :data:`Int` (32 bits), ``float``, ``str``, ``Literal`` of
  strings, and :data:`Cell`, any of them;
- :data:`SparkType`: what ``DataType.jsonValue()`` gives;
- another document, ``tuple[X, ...]``, ``Mapping[str, X]``;
- a subclass of :class:`Tagged`, which stands for its own subclasses: ``kind`` says which.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from groundswell.errors import IllegalState

Int = Annotated[int, "int"]
SparkType = Annotated[Any, "DataType"]
Cell = bool | int | float | str

KIND = "kind"
T = TypeVar("T")
_Reader = Callable[[Any], Any]


class Tagged:
    """The base of several documents, told apart by ``kind``."""

    KINDS: ClassVar[dict[str, type]]
    KIND: ClassVar[str]

    def __init_subclass__(cls, kind: str | None = None) -> None:
        if Tagged in cls.__bases__:
            cls.KINDS = {}
        elif kind is not None:
            cls.KIND = kind
            cls.KINDS[kind] = cls


def encode(document: Any) -> str:
    """A document as JSON; one pass, for a barrier's documents are large."""
    return json.dumps(document, default=_members, separators=(",", ":"))


def _members(value: Any) -> dict[str, Any]:
    if is_dataclass(value):
        members: dict[str, Any] = value.__dict__  # type: ignore[assignment]
        return {KIND: value.KIND, **members} if isinstance(value, Tagged) else members
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be in a document: {value!r}")


def decode(kind: type[T], text: str) -> T:
    """The document that a text is.

    Raises:
        IllegalState: a field is missing, unknown, or of another type; names all of them.
    """
    made: T = reader(cast("Hashable", kind))(json.loads(text))
    return made


@cache
def reader(hint: Any) -> _Reader:
    """What makes parsed JSON into a value of a type."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any or args[1:] == ("DataType",):
        return lambda raw: raw
    if origin is Annotated:
        return reader(args[0])
    if origin in (Union, UnionType):
        return _union(hint, args)
    if origin is Literal:
        return _checked(lambda raw: isinstance(raw, str) and raw in args, f"one of {args}")
    if origin is tuple:
        return _list(reader(args[0]))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(reader(args[1]))
    if hint is float:
        return _checked(lambda raw: type(raw) in (int, float), "a number")
    if hint in (bool, int, str):
        return _checked(lambda raw: type(raw) is hint, hint.__name__)
    if Tagged in hint.__bases__:
        return _tagged(hint)
    return _document(hint)


def _refused(what: str) -> IllegalState:
    return IllegalState(
        f"a document between Python and the JVM {what}; the package and the jar are of two builds: "
        "pass this package's jar, --jars $(python -m groundswell jar)"
    )


def _checked(is_right: Callable[[Any], bool], wanted: str) -> _Reader:
    def read(raw: Any) -> Any:
        if not is_right(raw):
            raise _refused(f"has {raw!r} where {wanted} is expected")
        return raw

    return read


def _union(hint: Any, args: tuple[Any, ...]) -> _Reader:
    kinds = [each for each in args if each is not NoneType]
    if len(kinds) > 1:  # of scalars
        return _checked(lambda raw: isinstance(raw, tuple(args)), str(hint))
    inner = reader(kinds[0])
    return lambda raw: None if raw is None else inner(raw)


def _list(item: _Reader) -> _Reader:
    def read(raw: Any) -> Any:
        if type(raw) is not list:
            raise _refused(f"has {raw!r} where a list is expected")
        return tuple([item(each) for each in raw])

    return read


def _mapping(item: _Reader) -> _Reader:
    def read(raw: Any) -> Any:
        if type(raw) is not dict:
            raise _refused(f"has {raw!r} where an object is expected")
        return {key: item(value) for key, value in raw.items()}

    return read


def _tagged(base: Any) -> _Reader:
    def read(raw: Any) -> Any:
        kind = raw.pop(KIND, None) if type(raw) is dict else None
        if kind not in base.KINDS:
            raise _refused(f"has the kind {kind!r} where {base.__name__} is expected")
        return reader(base.KINDS[kind])(raw)

    return read


def hints(document: Any) -> dict[str, Any]:
    """The type of each field of a document's class, in order."""
    known = get_type_hints(document, include_extras=True)
    return {field.name: known[field.name] for field in fields(document)}


def _document(made: Any) -> _Reader:
    @cache
    def readers() -> dict[str, _Reader]:  # not before one is read: it may hold others of its class
        return {name: reader(hint) for name, hint in hints(made).items()}

    def read(raw: Any) -> Any:
        members = readers()
        if type(raw) is not dict or raw.keys() != members.keys():
            given = set(raw) if type(raw) is dict else set()
            raise _refused(
                f"is not a valid {made.__name__}: missing are {sorted(members.keys() - given)}, "
                f"unknown are {sorted(given - members.keys())}, it is {str(raw)[:200]}"
            )
        return made(**{name: each(raw[name]) for name, each in members.items()})

    return read
