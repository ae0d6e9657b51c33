"""When two keys are the same: as Spark says it, and nowhere else.

Spark takes 0.0 and -0.0 for equal, and every NaN for every other, also inside structs, arrays and
maps, whose entries have no order. Targets and libraries differ: some compare the bits, others the
values, and to some NaN equals nothing. So each key has one form, the canonical one: equal keys have
the same bits in it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from groundswell.format.python_values import python_values

if TYPE_CHECKING:
    import pyarrow as pa


def canonical(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """The table with its key columns in the form in which equal keys have equal bits."""
    for name in key:
        column = table[name]
        if _has_forms(column.type):
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.schema.field(at), _canonical(column))
    return table


def comparable(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """The key columns of a canonical table, as columns that Arrow can group and join by.

    Arrow groups by no structs and arrays: each distinct value of them gets a number instead.
    """
    import pyarrow as pa

    columns = {}
    for name in key:
        column = table[name]
        if pa.types.is_nested(column.type):
            numbers: dict[Hashable, int] = {}
            frozen = map(_frozen, python_values(column))
            columns[name] = pa.chunked_array(
                [pa.array([numbers.setdefault(v, len(numbers)) for v in frozen], pa.int64())]
            )
        else:
            columns[name] = column
    return pa.table(columns)


def hashable(value: Any) -> Hashable:
    """A value of Python in a form that equals another one's where Spark's equality says so."""
    return _frozen(_canonical_value(value))


def is_nan(value: Any) -> bool:
    """Whether a value of Python is a NaN."""
    return isinstance(value, float) and math.isnan(value)


def _has_forms(kind: pa.DataType) -> bool:
    """Whether equal values of a type may differ: floats, and maps, whose entries have no order."""
    import pyarrow as pa

    if pa.types.is_map(kind):
        return True
    if pa.types.is_nested(kind):
        return any(_has_forms(kind.field(i).type) for i in range(kind.num_fields))
    return bool(pa.types.is_floating(kind))


def _canonical(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_nested(kind):
        values = [_canonical_value(v) for v in column.to_pylist()]
        return pa.chunked_array([pa.array(values, kind)])
    positive = pc.add(column, pa.scalar(0.0, kind))  # -0.0 + 0.0 is 0.0
    return pc.if_else(pc.is_nan(column), pa.scalar(math.nan, kind), positive)


def _canonical_value(value: Any) -> Any:
    if isinstance(value, float):
        return math.nan if math.isnan(value) else value + 0.0
    if isinstance(value, list):
        values = [_canonical_value(v) for v in value]
        return _in_order(values) if value and isinstance(value[0], tuple) else values
    if isinstance(value, tuple):  # an entry of a map
        return tuple(map(_canonical_value, value))
    if isinstance(value, dict):
        return {name: _canonical_value(v) for name, v in value.items()}
    return value


def _in_order(entries: list[Any]) -> list[Any]:
    """The entries of a map by their keys, as Spark orders them where it groups by maps."""

    def key(entry: Any) -> Any:
        return (is_nan(entry[0]), entry[0])

    try:
        return sorted(entries, key=key)
    except TypeError:  # Python has no order of structs, nor of nulls
        return sorted(entries, key=lambda entry: repr(entry[0]))


def _frozen(value: Any) -> Hashable:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return tuple(map(_frozen, value.values()))
    if is_nan(value):
        return ("NaN",)  # to Python, a NaN does not equal itself
    hashed: Hashable = value
    return hashed
