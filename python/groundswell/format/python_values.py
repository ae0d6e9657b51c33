"""Values of Arrow as Python has them, also dates and times that Python does not have.

Spark's dates reach from the year -5877641 to 5881580, and those of Python from 1 to 9999.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
"""How many of a type's units a second has."""
_DAY = 86_400
_CYCLE, _CYCLE_YEARS = 146_097, 400
"""The calendar repeats itself after so many days."""
_BEFORE_1970 = date(1970, 1, 1).toordinal() - 1


def python_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """As ``to_pylist``; a date or time of another year than 1 to 9999 is a text of ISO 8601.

    Args:
        column: of any type.
    """
    try:
        found: list[Any] = column.to_pylist()
    except (OverflowError, ValueError):
        return [_value(each) for each in column]
    return found


def _value(scalar: Any) -> Any:
    import pyarrow as pa

    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        kind = scalar.type
    if pa.types.is_struct(kind):
        return {name: _value(each) for name, each in scalar.items()}
    if pa.types.is_map(kind):
        return [(_value(pair[0]), _value(pair[1])) for pair in scalar.values]
    if pa.types.is_nested(kind):
        return [_value(each) for each in scalar.values]
    return far_text(scalar.value, kind)


def far_text(value: int, kind: pa.DataType) -> str:
    """A date or time as ISO 8601 has it, with the sign of a year that has no four digits.

    Args:
        value: days, or units of the type, since 1970.
        kind: a type of dates or of timestamps.
    """
    import pyarrow as pa

    if not pa.types.is_timestamp(kind):
        return _day(value)
    days, rest = divmod(value, _DAY * UNITS[kind.unit])
    clock = datetime.min + timedelta(microseconds=rest * 1_000_000 // UNITS[kind.unit])
    return f"{_day(days)} {clock.time().isoformat()}{'+00:00' if kind.tz else ''}"


def _day(days: int) -> str:
    cycles, day = divmod(days + _BEFORE_1970, _CYCLE)
    shown = date.fromordinal(day + 1)
    year = shown.year + cycles * _CYCLE_YEARS
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{shown:%m-%d}"
