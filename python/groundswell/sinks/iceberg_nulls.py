"""Nulls that pyiceberg 0.12.0 turns into empty lists and maps, and the columns that may hold them.

It makes a list of structs, and a map to structs, again from its offsets whenever it writes or reads
rows, and drops the nulls. A list of lists is only cast, so nothing within it is lost. What is lost
when rows are written can be seen of each value. What is lost when a file is rewritten cannot: the
rows are read by pyiceberg, and others may have written them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from groundswell.errors import SinkError, SinkRowRefused
from groundswell.sinks.columns import shown_row

if TYPE_CHECKING:
    import pyarrow as pa


def check_rewrites(table: str, columns: Iterable[pa.Field]) -> None:
    """Refuse a table whose nulls a rewrite of its files would change.

    Args:
        table: kind and name, as errors say it.
        columns: all of the table.

    Raises:
        SinkError: names the first such column, and what to do.
    """
    for column in columns:
        for place in _emptied(column, column.name):
            name = column.name
            raise SinkError(
                f"{place} of {table} is a list or map of structs that may be null. pyiceberg turns "
                "such a null into an empty one when it rewrites a file, which mode merge does. "
                f"Select to_json({name}), or make the column required: create_table does so for "
                f"one that is never null, as coalesce({name}, array()). Mode append rewrites none"
            )


def check_nulls(table: str, rows: pa.Table, key: Sequence[str]) -> None:
    """Refuse rows with a null that would be stored as an empty list or map.

    Args:
        table: kind and name, as errors say it.
        rows: to be written.
        key: the columns that name a row; none: a row is shown as a whole.

    Raises:
        SinkRowRefused: names column, table and row.
    """
    for column in rows.schema:
        if not any(_emptied(column.with_nullable(True), column.name)):
            continue
        for at, value in enumerate(rows[column.name].to_pylist()):
            if _has_emptied(column.type, value):
                raise SinkRowRefused(
                    f"column {column.name} of {table} has a null list or map of structs in the row "
                    f"{shown_row(rows, at, key)}, and pyiceberg would store an empty one. Nothing "
                    f"of the epoch was written. Give it a value in the query, as "
                    f"coalesce({column.name}, array()), or select to_json({column.name})"
                )


def _emptied(field: pa.Field, place: str) -> Iterator[str]:
    """Where in a column a null would be lost."""
    if _is_rebuilt(field.type) and field.nullable:
        yield place if "." in place else f"column {place}"
    for child in _reached(field.type):
        yield from _emptied(child, f"{place}.{child.name}")


def _is_rebuilt(kind: pa.DataType) -> bool:
    """Whether pyiceberg makes arrays of a type from their offsets."""
    from pyarrow import types

    if types.is_map(kind):
        return bool(types.is_struct(kind.item_type))
    is_list = types.is_list(kind) or types.is_large_list(kind)
    return is_list and bool(types.is_struct(kind.value_type))


def _reached(kind: pa.DataType) -> list[pa.Field]:
    """The fields within a type that are made again with it."""
    from pyarrow import types

    if types.is_struct(kind) or _is_rebuilt(kind):
        if types.is_map(kind):
            return [kind.key_field, kind.item_field]
        return [kind.field(i) for i in range(kind.num_fields)]
    return []


def _has_emptied(kind: pa.DataType, value: Any) -> bool:
    """Whether a value has such a null."""
    within = [field.type for field in _reached(kind)]
    if value is None:
        return _is_rebuilt(kind)
    if not within:
        return False
    if isinstance(value, dict):
        rows = [list(value.values())]
    else:  # a map is a list of pairs
        rows = value if len(within) == 2 else [[each] for each in value]
    return any(_has_emptied(of, each) for row in rows for of, each in zip(within, row, strict=True))
