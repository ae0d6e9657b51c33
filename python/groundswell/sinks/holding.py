"""Which column of a target holds every value of which column of a view: the one table of it.

:mod:`target_types` says of each system's types what they hold, in the terms of this module:
:class:`Numbers`, :class:`Text`, :class:`Instant` and others. :func:`lacks` compares that with a
type of Spark. A type that nothing is said of is left to the system, which refuses what it cannot
take.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import types as t

from groundswell.errors import SinkError


@dataclass(frozen=True)
class Numbers:
    """Numbers of a target.

    Attributes:
        least: the smallest whole number.
        most: the largest one.
        scale: how many digits after the point it keeps; None: any number.
        bits: of a floating-point type, those of its significand; 0: it is none.
    """

    least: int | None = None
    most: int | None = None
    scale: int | None = 0
    bits: int = 0


@dataclass(frozen=True)
class Text:
    """Texts of a target.

    Attributes:
        fixed: all are filled up to one length.
        length: how many letters it keeps. SQL has a database cut blanks off behind them, without
            an error; None: any number, or nothing is cut.
    """

    fixed: bool = False
    length: int | None = None


@dataclass(frozen=True)
class Uuids:
    """Numbers that are written as texts: several texts are the same one."""


@dataclass(frozen=True)
class Day:
    """Dates without a time."""


@dataclass(frozen=True)
class Instant:
    """Dates with a time; ``digits``: how many decimals of a second it keeps."""

    digits: int = 6


@dataclass(frozen=True)
class Flags:
    """True and false, and nothing else."""


@dataclass(frozen=True)
class Clock:
    """A time of the day, without a date."""


@dataclass(frozen=True)
class Unchecked:
    """Dates or times that the system changes, and that no sink checks where they are."""


@dataclass(frozen=True)
class ListOf:
    """Arrays of one type."""

    element: Held


@dataclass(frozen=True)
class MapOf:
    """Keys with values."""

    key: Held
    value: Held


@dataclass(frozen=True)
class Fields:
    """A struct: its fields' names, and what they hold."""

    fields: tuple[tuple[str, Held], ...]


Held = (
    Numbers
    | Text
    | Uuids
    | Day
    | Instant
    | Flags
    | Clock
    | Unchecked
    | ListOf
    | MapOf
    | Fields
    | None
)
"""What a column of a target holds; None: the system itself refuses what it cannot take."""

ANY_NUMBER = Numbers(scale=None)
FLOAT, DOUBLE = Numbers(bits=24), Numbers(bits=53)


def whole(bits: int, signed: bool = True) -> Numbers:
    """Whole numbers of so many bits."""
    top = 1 << (bits - signed)
    return Numbers(-top if signed else 0, top - 1)


def decimal(precision: int, scale: int) -> Numbers:
    """Decimals of so many digits, of which so many come after the point."""
    most = 10 ** (precision - scale) - 1 if precision >= scale else 0
    return Numbers(-most, most, scale)


_TEXTS = t.StringType | t.CharType | t.VarcharType
_WHOLE: dict[type[t.DataType], int] = {
    t.ByteType: 8,
    t.ShortType: 16,
    t.IntegerType: 32,
    t.LongType: 64,
}


def check_holds(table: str, field: t.StructField, type_: str, held: Held) -> None:
    """Refuses a column that cannot hold every value of the view's.

    Args:
        table: kind and name of the target, as errors say it.
        field: the view's column.
        type_: the target's type of that column, in its own words.
        held: what that type holds.

    Raises:
        SinkError: it cannot; names the column, both types, and what to do.
    """
    lacking = lacks(held, field.dataType)
    if lacking is not None:
        view = field.dataType.simpleString()
        raise SinkError(
            f"column {field.name} of {table} is of type {type_}, and the view gives {view}: "
            f"{lacking}, so values could be changed. Cast {field.name} in the query to a type that "
            f"{type_} holds, or give the target's column a type that holds every {view}"
        )


def check_text_key(table: str, name: str, type_: str, exact: bool) -> None:
    """Refuses a key of texts in a column to which different texts may be the same.

    Args:
        table: kind and name of the target, as errors say it.
        name: of the column.
        type_: the target's type of that column, in its own words.
        exact: whether two texts are the same to it only if all their letters are.

    Raises:
        SinkError: they are not; says what to do.
    """
    if not exact:
        raise SinkError(
            f"key column {name} of {table} is of type {type_}, and the view gives texts, of which "
            "different ones are the same there, as 'a' and 'A', or '1' and '01'. Rows would be "
            f"lost. Give the column a type of texts that are compared letter by letter, or cast "
            f"{name} in the query"
        )


def lacks(held: Held, kind: t.DataType) -> str | None:
    """What of a type of Spark a target does not hold; None: it holds all, or refuses it itself."""
    if held is None or isinstance(held, Text | Uuids):
        return _of_text(held, kind)
    if isinstance(kind, t.ArrayType):
        return lacks(held.element, kind.elementType) if isinstance(held, ListOf) else _other(kind)
    if isinstance(kind, t.MapType):
        if not isinstance(held, MapOf):
            return _other(kind)
        return lacks(held.key, kind.keyType) or lacks(held.value, kind.valueType)
    if isinstance(kind, t.StructType):
        return _of_struct(held, kind)
    if isinstance(kind, t.NumericType):
        return _of_numbers(held, kind) if isinstance(held, Numbers) else _other(kind)
    if isinstance(kind, t.BooleanType):
        fits = isinstance(held, Flags) or (isinstance(held, Numbers) and held.scale is not None)
        return None if fits else _other(kind)
    if isinstance(kind, t.DateType | t.TimestampType | t.TimestampNTZType):
        return _of_times(held, kind)
    return _other(kind) if isinstance(kind, _TEXTS | t.DayTimeIntervalType) else None


def _of_text(held: Text | Uuids | None, kind: t.DataType) -> str | None:
    if isinstance(held, Text) and held.fixed and isinstance(kind, _TEXTS):
        return "it fills every text up to its length"
    return None


def _of_times(held: Held, kind: t.DataType) -> str | None:
    if isinstance(held, Unchecked):
        return "times in it are not checked, and those out of its range are changed"
    if isinstance(kind, t.DateType):
        return None if isinstance(held, Day | Instant) else _other(kind)
    if isinstance(held, Day):
        return "it drops the time of the day"
    if not isinstance(held, Instant):
        return _other(kind)
    return None if held.digits >= 6 else f"it keeps {held.digits} of 6 decimals of a second"


def _of_struct(held: Held, kind: t.StructType) -> str | None:
    if isinstance(held, MapOf):
        there = dict.fromkeys(kind.names, held.value)
    elif isinstance(held, Fields):
        there = dict(held.fields)
    else:
        return _other(kind)
    for field in kind.fields:
        if field.name not in there:
            return f"it has no field {field.name}"
        lacking = lacks(there[field.name], field.dataType)
        if lacking is not None:
            return f"in field {field.name}, {lacking}"
    return None


def _of_numbers(held: Numbers, kind: t.NumericType) -> str | None:
    if isinstance(kind, t.FloatType | t.DoubleType):
        bits = 24 if isinstance(kind, t.FloatType) else 53
        if held.scale is None or held.bits >= bits:
            return None
        if held.bits:
            return f"it keeps {held.bits} of {bits} bits"
        return f"it keeps {held.scale} digits after the point"
    scale = 0
    if isinstance(kind, t.DecimalType):
        scale, most = kind.scale, 10 ** (kind.precision - kind.scale) - 1
        least = -most
    else:
        bits = _WHOLE[type(kind)]
        least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    if held.bits:
        return _of_floats(held.bits, kind, most)
    if held.least is not None and least < held.least:
        return f"its smallest number is {held.least}"
    if held.most is not None and most > held.most:
        return f"its largest number is {held.most}"
    if held.scale is not None and scale > held.scale:
        return f"it keeps {held.scale} of {scale} digits after the point"
    return None


def _of_floats(bits: int, kind: t.NumericType, most: int) -> str | None:
    """Floats keep whole numbers of their bits, and give back decimals of 6 or 15 digits."""
    if isinstance(kind, t.DecimalType):
        digits = 6 if bits == 24 else 15
        if kind.precision <= digits:
            return None
        return f"it keeps {digits} of {kind.precision} digits"
    return None if most < 1 << bits else f"it keeps whole numbers up to {1 << bits}"


def _other(kind: t.DataType) -> str:
    return f"it holds no {kind.simpleString()}"
