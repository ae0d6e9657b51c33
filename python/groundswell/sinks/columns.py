"""What a sink says of columns that its target lacks, or whose type it cannot take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import types as t

from groundswell.errors import SinkError
from groundswell.format.python_values import python_values
from groundswell.suggestions import meant

if TYPE_CHECKING:
    import pyarrow as pa

    from groundswell.sinks.sink import SinkStart

NOT_IN_ARROW = ("VariantType", "CalendarIntervalType", "YearMonthIntervalType")
"""Types of Spark whose values cannot be had as Arrow's."""


def check_types(start: SinkStart, target: str, refused: Iterable[str] = NOT_IN_ARROW) -> None:
    """Refuses columns of types that a target cannot take, also inside of other types.

    Args:
        start: has the view's columns.
        target: what cannot take them, as errors say it.
        refused: names of the classes of Spark's types.

    Raises:
        SinkError: names the column and its type.
    """
    names = set(refused)
    for field in start.schema.fields:
        if not names.isdisjoint(types_within(field.dataType)):
            raise SinkError(
                f"column {field.name} of view {start.view} is of type "
                f"{field.dataType.simpleString()}, which {target} cannot take: cast it in the "
                "query, as to a string"
            )


def types_within(kind: t.DataType) -> set[str]:
    """Names of the classes of a type of Spark, and of those within it."""
    inner: list[t.DataType] = []
    if isinstance(kind, t.ArrayType):
        inner = [kind.elementType]
    elif isinstance(kind, t.MapType):
        inner = [kind.keyType, kind.valueType]
    elif isinstance(kind, t.StructType):
        inner = [field.dataType for field in kind.fields]
    return {type(kind).__name__}.union(*map(types_within, inner))


_SHOWN = 300
"""Letters of a row that an error shows at most."""


def shown_row(rows: pa.Table, at: int, key: Sequence[str]) -> str:
    """A row by its key, or as a whole, for messages."""
    row = rows.slice(at, 1).select([n for n in key if n in rows.column_names] or rows.column_names)
    columns = zip(row.column_names, row.columns, strict=True)
    cells = [f"{name} = {python_values(column)[0]}" for name, column in columns]
    shown = ", ".join(cells)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def missing(target: str, name: str, there: Iterable[str], choice: str = "") -> SinkError:
    """The error for a column of the view that the target does not have.

    Args:
        target: kind and name, as ``Delta table /data/orders``.
        name: the column.
        there: names of the target's columns.
        choice: what else one can do than rename the column, as ``, or choose with ...``.
    """
    names = list(there)
    return SinkError(
        f"{target} has no column {name!r}{meant(name, names)}Its columns are "
        f"{', '.join(names)}. Rename the column in the query{choice}"
    )
