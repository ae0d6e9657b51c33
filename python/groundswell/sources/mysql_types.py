"""MySQL's and MariaDB's types as Spark's, and their values as Arrow's.

A value comes from a ``SELECT`` (PyMySQL) in the snapshot, and from the binlog (mysql-replication)
later. Both give Python's values, which mean the same after :func:`value_of`.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from groundswell.sources.unheld import Unheld, Values, values_of

if TYPE_CHECKING:
    import pyarrow as pa

_INTEGERS: dict[str, tuple[t.DataType, t.DataType]] = {
    "tinyint": (t.ByteType(), t.ShortType()),
    "smallint": (t.ShortType(), t.IntegerType()),
    "mediumint": (t.IntegerType(), t.IntegerType()),
    "int": (t.IntegerType(), t.LongType()),
    "bigint": (t.LongType(), t.DecimalType(20, 0)),
}
"""Types of signed and of unsigned numbers."""
_PLAIN: dict[str, t.DataType] = {
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "year": t.ShortType(),
    "date": t.DateType(),
    "datetime": t.TimestampNTZType(),
    "timestamp": t.TimestampType(),
    "time": t.DayTimeIntervalType(),
    "enum": t.StringType(),
    "set": t.StringType(),
}
_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
_BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
_MOST_DIGITS = 38
BINLOG = {
    "tinyint": (1,),
    "smallint": (2,),
    "mediumint": (9,),
    "int": (3,),
    "bigint": (8,),
    "decimal": (246,),
    "float": (4,),
    "double": (5,),
    "bit": (16,),
    "year": (13,),
    "date": (10, 14),
    "datetime": (12, 18),
    "timestamp": (7, 17),
    "time": (11, 19),
    "enum": (247,),
    "set": (248,),
    **dict.fromkeys(_TEXTS, (252, 253, 254, 15)),
    **dict.fromkeys(_BYTES, (252, 253, 254, 15)),
}
"""The numbers that types have in the binlog."""
CHARSETS = frozenset(
    "utf8mb4 utf8mb3 utf8 ascii latin1 latin2 latin5 latin7 cp850 cp852 cp1250 cp1251 "
    "cp1257 koi8r macroman tis620 euckr gb2312 gbk".split()
)
"""Character sets of which Python reads every text as the server does, or refuses it.

It takes utf16 for little-endian, and single characters of others for other ones: of big5, cp866,
cp932, cp1256, greek, hebrew, koi8u, sjis and ujis. It does not have the rest.
"""
PAGED = (*_INTEGERS, "decimal", *_TEXTS, *_BYTES, "date", "datetime", "timestamp")
"""Types of keys by which a table can be read in parts: their order is that of their values."""
ZERO = object()
"""A date that no calendar has, as 0000-00-00 or 2026-02-00."""


@dataclass(frozen=True)
class Column:
    """A column as the server defines it.

    Attributes:
        name: of it.
        kind: its type in lower case, without sizes.
        unsigned: whether a number has no sign.
        precision: of a decimal.
        scale: of a decimal; of a time its digits of seconds.
        length: of a binary its bytes, of a bit its bits.
        plain: whether rows that were there before it have null in it.
    """

    name: str
    kind: str
    unsigned: bool = False
    precision: int = 0
    scale: int = 0
    length: int = 0
    plain: bool = True

    @property
    def type(self) -> t.DataType | None:
        """Spark's; None: it cannot be read."""
        if self.kind in _INTEGERS:
            return _INTEGERS[self.kind][self.unsigned]
        if self.kind == "decimal":
            fits = self.precision <= _MOST_DIGITS
            return t.DecimalType(self.precision, self.scale) if fits else t.StringType()
        if self.kind == "bit":
            if self.length == 1:
                return t.BooleanType()
            return t.LongType() if self.length < 64 else t.DecimalType(20, 0)
        if self.kind in _TEXTS:
            return t.StringType()
        return t.BinaryType() if self.kind in _BYTES else _PLAIN.get(self.kind)

    @property
    def is_doubtful_key(self) -> bool:
        """Whether a key may have a value of it that Spark's type does not hold."""
        return self.kind in ("date", "datetime", "timestamp")

    @property
    def selected(self) -> str:
        """What a snapshot selects, so that no digit is lost on the way."""
        name = quoted(self.name)
        if self.kind == "float":
            return f"{name} + 0e0"  # a float itself is written with six digits
        return f"{name} + 0" if self.kind == "bit" else name


def quoted(name: str) -> str:
    """A name in SQL."""
    return "`" + name.replace("`", "``") + "`"


def value_of(column: Column, value: Any, none: str = "", words: Sequence[str] = ()) -> Any:
    """A value of a column, in the form that Arrow takes.

    Args:
        column: its column.
        value: as a library gave it.
        none: why the library gave None for something else, as it says.
        words: all words of a set, in the column's order.

    Raises:
        ValueError: it cannot be told.
    """
    if value is None:
        if none == "empty set":
            return ""
        return ZERO if none.startswith("out of") else None
    match column.kind:
        case "decimal":
            number = Decimal(value)
            return number if column.precision <= _MOST_DIGITS else f"{number:f}"
        case "bigint":
            return Decimal(value) if column.unsigned else int(value)
        case "bit":
            bits = int(value, 2) if isinstance(value, str) else int(value)
            if column.length == 1:
                return bool(bits)
            return bits if column.length < 64 else Decimal(bits)
        case "year":
            return 0 if value == 1900 else int(value)  # the binlog's 0 is 1900, which no year is
        case "date" | "datetime" | "timestamp":
            if not isinstance(value, datetime.date):  # a text that is none
                return ZERO
            zero = column.kind == "timestamp" and value == datetime.datetime(1970, 1, 1)
            return ZERO if zero else value  # the binlog has zero as second 0, which none is
        case "time":
            if not isinstance(value, datetime.timedelta):
                raise ValueError(f"{value!r} is not a time")
            return value
        case "set":
            return ",".join(w for w in words if w in value) if isinstance(value, set) else value
        case kind if kind in _BYTES:
            found = value.encode() if isinstance(value, str) else bytes(value)
            # the binlog leaves zeros at the end of a binary out
            return found.ljust(column.length, b"\0") if kind == "binary" else found
        case kind if kind in _TEXTS or kind == "enum":
            if not isinstance(value, str):
                raise ValueError("a text in a character set that Python does not have")
            return value
        case _:
            return value


def array(column: Column, values: Sequence[Any], type_: pa.DataType, key: bool) -> Values:
    """One column's values, of :func:`read_value`, as an Arrow array.

    Args:
        column: of the values.
        values: row by row.
        type_: Arrow's.
        key: whether the column is of the table's key: null would make rows one.
    """
    import pyarrow as pa

    kind = "" if column.type is None else column.type.simpleString()
    known = {at: each for at, each in enumerate(values) if isinstance(each, Unheld)}
    if key:
        known |= {at: _ZERO_IN_KEY for at, each in enumerate(values) if each is ZERO}
    found = values_of(
        [None if v is ZERO or isinstance(v, Unheld) else v for v in values],
        lambda some: pa.array(some, type_),
        lambda _, error: f"{kind} does not hold it: {error}",
    )
    return replace(found, unheld={**known, **found.unheld})


def read_value(column: Column, value: Any, none: str = "", words: Sequence[str] = ()) -> Any:
    """As :func:`value_of`; a value that cannot be told is an :class:`Unheld`."""
    try:
        return value_of(column, value, none, words)
    except (ValueError, ArithmeticError, TypeError) as e:
        return Unheld(str(value), f"it cannot be read: {e}")


_ZERO_IN_KEY = Unheld("a date that no calendar has", "null in a key would make rows one")
