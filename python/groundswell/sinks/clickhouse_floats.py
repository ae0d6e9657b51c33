"""Floats for servers of ClickHouse that read the text of a float inexactly.

Before 26.7 all input formats of text read a float by a fast method, which is up to two units in the
last place off (`precise_float_parsing` is for casts there). So a float travels as the whole number
that has its bits, and the server makes the float of it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundswell.sinks.clickhouse_names import literal
from groundswell.sinks.target_types import field_of, named

EXACT = (26, 7)
"""From this version on, the setting ``precise_float_parsing`` is for input formats, too."""
_FLOATS = {"Float64": ("UInt64", "<d", "<Q"), "Float32": ("UInt32", "<f", "<I")}


@dataclass(frozen=True)
class Carried:
    """How the values of a type travel that has floats.

    Attributes:
        type: in which they arrive.
        value: what is sent for a value, neither of which is null.
        expression: SQL that makes the value again, of the SQL of what arrived.
    """

    type: str
    value: Callable[[Any], Any]
    expression: Callable[[str], str]


def carried(kind: str, depth: int = 0) -> Carried | None:
    """How values of a type of ClickHouse travel; None: it has no floats, and they travel as texts.

    Args:
        kind: as ``DESCRIBE TABLE`` says it.
        depth: in how many arrays and maps the type stands; names the variables of functions.
    """
    if kind in _FLOATS:
        return _float(kind)
    name, inner = named(kind)
    match name:
        case "LowCardinality":
            return carried(inner[0], depth)
        case "Nullable":
            below = carried(inner[0], depth)
            return below and Carried(f"Nullable({below.type})", below.value, below.expression)
        case "Array":
            below = carried(inner[0], depth + 1)
            return below and _array(below, f"x{depth}")
        case "Map":
            below = carried(inner[1], depth + 1)
            return below and _map(inner[0], kind, below, f"x{depth}")
        case "Tuple":
            return _tuple(inner, depth)
        case _:
            return None


def _float(kind: str) -> Carried:
    whole, as_float, as_whole = _FLOATS[kind]

    def value(given: Any) -> int:
        return int(struct.unpack(as_whole, struct.pack(as_float, float(given)))[0])

    return Carried(whole, value, lambda x: f"reinterpretAs{kind}(reinterpretAsString({x}))")


def _array(below: Carried, x: str) -> Carried:
    def value(given: Sequence[Any]) -> list[Any]:
        return [_or_null(below, each) for each in given]

    return Carried(
        f"Array({below.type})", value, lambda a: f"arrayMap({x} -> {below.expression(x)}, {a})"
    )


def _map(key: str, kind: str, below: Carried, x: str) -> Carried:
    def value(given: Mapping[Any, Any]) -> dict[Any, Any]:
        return {name: _or_null(below, each) for name, each in given.items()}

    def expression(of: str) -> str:
        values = f"arrayMap({x} -> {below.expression(x)}, mapValues({of}))"
        return f"CAST((mapKeys({of}), {values}), {literal(kind)})"

    return Carried(f"Map({key}, {below.type})", value, expression)


def _tuple(parts: Sequence[str], depth: int) -> Carried | None:
    fields = [field_of(part, i) for i, part in enumerate(parts, 1)]
    travel = {name: carried(kind, depth) for name, kind in fields}
    if not any(travel.values()):
        return None

    def value(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _or_null(travel.get(name), each) for name, each in given.items()}

    def expression(of: str) -> str:
        made = []
        for i, (name, _) in enumerate(fields, 1):
            element, how = f"tupleElement({of}, {i})", travel[name]
            made.append(how.expression(element) if how else element)
        return f"tuple({', '.join(made)})"

    types = [
        part if (how := travel[name]) is None else f"{part.removesuffix(kind)}{how.type}"
        for part, (name, kind) in zip(parts, fields, strict=True)
    ]
    return Carried(f"Tuple({', '.join(types)})", value, expression)


def _or_null(how: Carried | None, given: Any) -> Any:
    return given if given is None or how is None else how.value(given)
