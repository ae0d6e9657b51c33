"""Values as texts that are equal only if the values are: the sign of a zero counts."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa


def shown(value: Any, key: bool = False) -> Any:
    """One value of Python, or of Arrow's ``to_pylist``.

    Args:
        value: numbers, texts, times, lists, dictionaries, pairs of a map.
        key: whether it identifies a row: then 0.0 is -0.0.
    """
    match value:
        case None | bool() | str():
            return value
        case float():
            return "NaN" if math.isnan(value) else repr(value + 0.0 if key else value)
        case Decimal():
            return f"{value:f}" if value else "0"
        case datetime():
            return str(value.astimezone(UTC) if value.tzinfo else value)
        case date() | time() | int():
            return str(value)
        case timedelta():
            return f"{value // timedelta(microseconds=1)} us"
        case bytes() | bytearray() | memoryview():
            return f"X{bytes(value).hex()}"
        case dict():
            return {name: shown(each, key) for name, each in value.items()}
        case list() | tuple():
            return [shown(each, key) for each in value]
        case _:
            raise TypeError(f"{type(value)} {value!r}")


def column(of: Any, key: bool = False) -> list[Any]:
    """The values of a column of Arrow; maps are lists of pairs, intervals and times are numbers."""
    kind = of.type
    if pa.types.is_duration(kind):
        return [None if v is None else f"{v} us" for v in of.cast(pa.int64()).to_pylist()]
    if pa.types.is_time(kind):
        nanos = of.cast(pa.time64("ns")).cast(pa.int64())
        return [None if v is None else f"{v} ns" for v in nanos.to_pylist()]
    if pa.types.is_float32(kind):  # as short as a float is: its double has more digits
        return [None if v is None else single(v, key) for v in of.to_pylist()]
    return [shown(v, key) for v in of.to_pylist()]


def single(value: float, key: bool = False) -> str:
    """A float of 32 bits, by its bits."""
    return "NaN" if math.isnan(value) else struct.pack(">f", value + 0.0 if key else value).hex()


def pairs(ids: Any, values: Any, key: bool = False) -> list[tuple[Any, str]]:
    """Rows of an id and a value, in an order of their own."""
    rows = zip(ids.to_pylist(), column(values, key), strict=True)
    return sorted(((i, repr(v)) for i, v in rows), key=repr)
