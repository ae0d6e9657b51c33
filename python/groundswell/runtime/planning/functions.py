"""Fingerprints of Python functions: whether a function is the one that a state was made with.

A function is its code (bytecode, constants, names, nested functions), its defaults, its attributes
and the values that it closes over or reads from its module: plain values by what they are,
functions by their own fingerprint, other objects by type and what is pickled of them, classes by
their members and bases, modules and classes that can be imported by name only. Bytecode differs
between minor versions of Python, so another version is another definition, too.
"""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from groundswell.contract.capture.expressions import UdfDescription
from groundswell.contract.capture.nodes import EvaluateNode
from groundswell.contract.capture.plan import PlanDescription
from groundswell.jvm import Capture

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_DEPTH = 20


@dataclass(frozen=True)
class _Within:
    """How deep a value lies, and what was described before, by id.

    Without it a graph of objects would be walked by all of its paths. Objects are held, for the id
    of one that is gone may be used again.
    """

    depth: int = 0
    seen: dict[int, tuple[Any, str]] = field(default_factory=dict)


def fingerprint(function: Any) -> str:
    """16 hex digits that stay the same from process to process."""
    within = _Within()
    if isinstance(function, type):  # a table function is what it holds, wherever it is from
        return _digest(_class(function, within))
    return _digest(_describe(function, within))


def codes(description: PlanDescription) -> dict[int, tuple[str, ...]]:
    """Fingerprints of the Python functions of queries, by the number of the node that calls."""
    return {
        node.id: tuple(map(_functions_in, node.udfs))
        for node in description.nodes
        if isinstance(node, EvaluateNode)
    }


def _functions_in(udf: UdfDescription) -> str:
    functions = [Capture.function(command, udf.broadcasts) for command in udf.commands]
    return " ".join(fingerprint(f) for f in functions if f is not None)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _describe(value: Any, within: _Within) -> Iterator[str]:
    if isinstance(value, _PLAIN):
        yield repr(value)
    elif within.depth > _DEPTH:
        yield type(value).__qualname__
    else:
        if id(value) not in within.seen:
            within.seen[id(value)] = value, type(value).__qualname__  # should it hold itself
            made = _digest(_parts(value, _Within(within.depth + 1, within.seen)))
            within.seen[id(value)] = value, made
        yield within.seen[id(value)][1]


def _parts(value: Any, within: _Within) -> Iterator[str]:
    if isinstance(value, types.CodeType):
        yield from _code(value, within)
    elif isinstance(value, types.FunctionType):
        yield from _function(value, within)
    elif isinstance(value, types.MethodType):
        yield from _describe(value.__func__, within)
        yield from _describe(value.__self__, within)
    elif isinstance(value, types.ModuleType | type):
        yield _name(value) if isinstance(value, type) else value.__name__
        yield str(getattr(value, "__module__", ""))
        if isinstance(value, type) and not _can_be_imported(value):
            yield from _class(value, within)
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _describe(item, within)
    elif isinstance(value, set | frozenset):
        yield "set"
        yield from sorted("\n".join(_describe(item, within)) for item in value)
    elif isinstance(value, Mapping):
        yield "mapping"
        yield from sorted(
            "\n".join([*_describe(key, within), *_describe(item, within)])
            for key, item in value.items()
        )
    elif _is_spark_s(value):
        yield from _describe(value.func, within)
    elif isinstance(getattr(value, "__wrapped__", None), types.FunctionType):
        yield f"{type(value).__module__}.{_name(type(value))}"
        yield from _describe(value.__wrapped__, within)  # lru_cache, which pickles as its name
    else:
        yield f"{type(value).__module__}.{_name(type(value))}"
        yield from _pickled(value, within)


def _class(value: type, within: _Within) -> Iterator[str]:
    for name, member in sorted(vars(value).items()):
        if isinstance(member, types.FunctionType):
            yield f"method {name}"
            yield from _function(member, within)
        elif isinstance(member, staticmethod | classmethod):
            yield f"{type(member).__name__} {name}"
            yield from _describe(member.__func__, within)
        elif isinstance(member, property):
            yield f"property {name}"
            yield from _describe((member.fget, member.fset, member.fdel), within)
        elif not name.startswith("__"):
            yield f"value {name}"
            yield from _describe(member, within)
    for base in value.__bases__:
        if base is not object:
            yield "base"
            yield from _describe(base, within)


def _function(value: types.FunctionType, within: _Within) -> Iterator[str]:
    yield f"function {value.__name__}"
    yield from _code(value.__code__, within)
    yield from _describe(value.__defaults__, within)
    yield from _describe(value.__kwdefaults__, within)
    if not _is_spark_s(value):
        for name, held in sorted(vars(value).items()):
            if not name.startswith("__"):
                yield f"attribute {name}"
                yield from _describe(held, within)
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
        yield f"closes over {name}"
        yield from _describe(_content(cell), within)
    for name in sorted(_names(value.__code__)):
        if name in value.__globals__:
            yield f"reads {name}"
            yield from _describe(value.__globals__[name], within)


def _is_spark_s(value: Any) -> bool:
    """Whether it is a user-defined function of Spark: with attributes that are Spark's, too."""
    return isinstance(getattr(value, "func", None), types.FunctionType) and hasattr(
        value, "evalType"
    )


def _pickled(value: Any, within: _Within) -> Iterator[str]:
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
        yield from _describe(list(part) if items else part, within)


def _can_be_imported(made: type) -> bool:
    if made.__module__ in ("__main__", "builtins"):
        return made.__module__ == "builtins"
    found: Any = sys.modules.get(made.__module__)
    for name in made.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is made


def _name(made: type) -> str:
    """Pickle keeps no more than the last part if the class cannot be imported."""
    return made.__qualname__ if _can_be_imported(made) else made.__name__


def _code(code: types.CodeType, within: _Within) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
    for constant in code.co_consts:
        yield from _describe(constant, within)


def _names(code: types.CodeType) -> set[str]:
    nested = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, nested))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None
