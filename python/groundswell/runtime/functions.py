"""Fingerprints of Python functions: whether a function is the one that a state was made with.

A function is its code (bytecode, constants, names, nested functions), its defaults and the values
that it closes over or reads from its module: plain values by what they are, functions by their own
fingerprint, other objects by type and what is pickled of them, modules and classes that can be
imported by name only. Bytecode differs between minor versions of Python, so another version is
another definition, too.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_DEPTH = 20

_Path = tuple[int, ...]
"""Ids of the objects that a value is within."""


def fingerprint(function: Any) -> str:
    """16 hex digits that stay the same from process to process."""
    text = "\n".join(_describe(function, ()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _describe(value: Any, path: _Path) -> Iterator[str]:
    if isinstance(value, _PLAIN):
        yield repr(value)
        return
    if len(path) > _DEPTH or id(value) in path:
        yield type(value).__qualname__
        return
    path = (*path, id(value))
    if isinstance(value, types.CodeType):
        yield from _code(value, path)
    elif isinstance(value, types.FunctionType):
        yield from _function(value, path)
    elif isinstance(value, types.MethodType):
        yield from _describe(value.__func__, path)
        yield from _describe(value.__self__, path)
    elif isinstance(value, types.ModuleType | type):
        yield getattr(value, "__qualname__", value.__name__)
        yield str(getattr(value, "__module__", ""))
        if isinstance(value, type) and not _can_be_imported(value):
            for name, member in sorted(vars(value).items()):
                if isinstance(member, types.FunctionType):
                    yield f"method {name}"
                    yield from _function(member, path)
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _describe(item, path)
    elif isinstance(value, set | frozenset):
        yield "set"
        yield from sorted("\n".join(_describe(item, path)) for item in value)
    elif isinstance(value, Mapping):
        yield "mapping"
        yield from sorted(
            "\n".join([*_describe(key, path), *_describe(item, path)])
            for key, item in value.items()
        )
    elif isinstance(getattr(value, "func", None), types.FunctionType) and hasattr(
        value, "evalType"
    ):
        yield from _describe(value.func, path)  # a user-defined function of Spark
    else:
        yield f"{type(value).__module__}.{type(value).__qualname__}"
        yield from _pickled(value, path)


def _function(value: types.FunctionType, path: _Path) -> Iterator[str]:
    yield f"function {value.__name__}"
    yield from _code(value.__code__, path)
    yield from _describe(value.__defaults__, path)
    yield from _describe(value.__kwdefaults__, path)
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
        yield f"closes over {name}"
        yield from _describe(_content(cell), path)
    for name in sorted(_names(value.__code__)):
        if name in value.__globals__:
            yield f"reads {name}"
            yield from _describe(value.__globals__[name], path)


def _pickled(value: Any, path: _Path) -> Iterator[str]:
    """What pickle would write of an object; nothing of one that it cannot."""
    try:
        made = value.__reduce_ex__(2)
    except Exception:  # noqa: BLE001 - whatever its class does instead
        return
    if isinstance(made, str):
        yield made
        return
    yield getattr(made[0], "__qualname__", "")
    for part in made[1:]:
        items = part is not None and isinstance(part, Iterator)
        yield from _describe(list(part) if items else part, path)


def _can_be_imported(made: type) -> bool:
    return made.__module__ != "__main__" and "<locals>" not in made.__qualname__


def _code(code: types.CodeType, path: _Path) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
    for constant in code.co_consts:
        yield from _describe(constant, path)


def _names(code: types.CodeType) -> set[str]:
    nested = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, nested))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None
