"""Fingerprints of Python functions: whether a function is the one that a state was made with.

A function is its code (bytecode, constants, names, nested functions), its defaults and the values
that it closes over or reads from its module: plain values by what they are, functions by their own
fingerprint, classes, modules and other objects by name or type only. Bytecode differs between minor
versions of Python, so another version is another definition, too.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_DEPTH = 8


def fingerprint(function: Any) -> str:
    """16 hex digits that stay the same from process to process."""
    text = "\n".join(_describe(function, 0))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _describe(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, _PLAIN):
        yield repr(value)
    elif depth > _DEPTH:
        yield type(value).__qualname__
    elif isinstance(value, types.CodeType):
        yield from _code(value, depth)
    elif isinstance(value, types.FunctionType):
        yield f"function {value.__name__}"
        yield from _code(value.__code__, depth)
        yield from _describe(value.__defaults__, depth + 1)
        yield from _describe(value.__kwdefaults__, depth + 1)
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield f"closes over {name}"
            yield from _describe(_content(cell), depth + 1)
        for name in sorted(_names(value.__code__)):
            if name in value.__globals__:
                yield f"reads {name}"
                yield from _describe(value.__globals__[name], depth + 1)
    elif isinstance(value, types.MethodType):
        yield from _describe(value.__func__, depth + 1)
        yield from _describe(value.__self__, depth + 1)
    elif isinstance(value, types.ModuleType | type):
        yield getattr(value, "__qualname__", value.__name__)
        yield str(getattr(value, "__module__", ""))
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _describe(item, depth + 1)
    elif isinstance(value, set | frozenset):
        yield "set"
        yield from sorted("\n".join(_describe(item, depth + 1)) for item in value)
    elif isinstance(value, Mapping):
        yield "mapping"
        yield from sorted(
            "\n".join([*_describe(key, depth + 1), *_describe(item, depth + 1)])
            for key, item in value.items()
        )
    elif callable(value) and isinstance(getattr(value, "func", None), types.FunctionType):
        yield from _describe(value.func, depth + 1)  # a user-defined function of Spark
    else:
        yield f"{type(value).__module__}.{type(value).__qualname__}"


def _code(code: types.CodeType, depth: int) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
    for constant in code.co_consts:
        yield from _describe(constant, depth + 1)


def _names(code: types.CodeType) -> set[str]:
    nested = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, nested))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None
