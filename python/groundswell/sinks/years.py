"""Dates and times that go out: those of the years 1 to 9999.

Spark has others, and no system takes all of them: libraries end, or write a table that its readers
cannot read. So this is one rule for every target whose rows pass through Arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from groundswell.errors import SinkRowRefused
from groundswell.format.python_values import UNITS, python_values
from groundswell.sinks.columns import shown_row

if TYPE_CHECKING:
    import pyarrow as pa

_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_DAY = 86_400


def check_years(rows: pa.Table, key: Sequence[str]) -> None:
    """Refuses rows with a date or time of another year.

    Args:
        rows: to be written.
        key: the columns that name a row; none: a row is shown as a whole.

    Raises:
        SinkRowRefused: names column, value and row.
    """
    import pyarrow.compute as pc

    for name, column in zip(rows.column_names, rows.columns, strict=True):
        wrong = _wrong(column)
        if wrong is None:
            continue
        at = pc.index(wrong, True).as_py()
        (value,) = python_values(column.slice(at, 1))
        raise SinkRowRefused(
            f"column {name} has {value} in the row {shown_row(rows, at, key)}, and a sink takes "
            f"dates and times of the years 1 to 9999: bound {name} in the query, or take a null"
        )


def without_other_years(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """The rows that have no such date or time in some columns: others no sink has written."""
    import pyarrow.compute as pc

    for name in names:
        wrong = _wrong(rows[name])
        if wrong is not None:
            rows = rows.filter(pc.invert(wrong))
    return rows


def _wrong(column: pa.ChunkedArray) -> Any:
    """For each value whether it has a date or time of another year; None: no value has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_nested(kind):
        return _wrong_within(column) if _has_times(kind) else None
    if pa.types.is_date32(kind):
        count, first, last = column.cast(pa.int32()), _FIRST_DAY, _LAST_DAY
    elif pa.types.is_timestamp(kind):
        day = _DAY * UNITS[kind.unit]
        count, first, last = column.cast(pa.int64()), _FIRST_DAY * day, (_LAST_DAY + 1) * day - 1
    else:
        return None
    wrong = pc.fill_null(pc.or_(pc.less(count, first), pc.greater(count, last)), False)
    return wrong if pc.any(wrong).as_py() else None


def _wrong_within(column: pa.ChunkedArray) -> Any:
    """The same of values that have times in them: Python's own years are 1 to 9999, too."""
    import pyarrow as pa

    if _is_python(column.to_pylist):
        return None
    return pa.chunked_array([[not _is_python(scalar.as_py) for scalar in column]], pa.bool_())


def _is_python(read: Callable[[], Any]) -> bool:
    try:
        read()
    except (OverflowError, ValueError):
        return False
    return True


def _has_times(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_nested(kind):
        return any(_has_times(kind.field(i).type) for i in range(kind.num_fields))
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))
