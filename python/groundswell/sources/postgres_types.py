"""PostgreSQL's types as Spark's, and its texts as Arrow's columns.

A value comes as text, in the snapshot as in the stream, so that both are decoded in one way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from groundswell.sources.unheld import Values, values_of

if TYPE_CHECKING:
    import pyarrow as pa

_PLAIN: dict[str, t.DataType] = {
    "bool": t.BooleanType(),
    "int2": t.ShortType(),
    "int4": t.IntegerType(),
    "int8": t.LongType(),
    "oid": t.LongType(),
    "float4": t.FloatType(),
    "float8": t.DoubleType(),
    "date": t.DateType(),
    "timestamp": t.TimestampNTZType(),
    "timestamptz": t.TimestampType(),
    "bytea": t.BinaryType(),
}
_TIMES = t.DateType | t.TimestampType | t.TimestampNTZType
_MOST_DIGITS = 38
_ANY_NUMERIC = t.DecimalType(38, 18)
"""Of a numeric without precision, as Spark's own JDBC source has it."""


def spark_type(name: str, modifier: int, element: str | None = None) -> t.DataType:
    """The type that a column has in Spark.

    Args:
        name: PostgreSQL's internal name of the type, ``int4``; of a domain, of its base.
        modifier: ``atttypmod``.
        element: of an array, the name of its elements' type.

    Returns:
        Types that Spark does not have (json, uuid, enums, time, interval, ...) are strings, as
        PostgreSQL writes them.
    """
    if element is not None:
        return t.ArrayType(spark_type(element, modifier))
    if name == "numeric":
        if modifier < 4:
            return _ANY_NUMERIC
        precision, scale = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
        scale = scale - 2048 if scale >= 1024 else scale
        fits = 0 <= scale <= precision <= _MOST_DIGITS
        return t.DecimalType(precision, scale) if fits else t.StringType()
    return _PLAIN.get(name, t.StringType())


NULL, BOUNDS, ERROR = "null", "bounds", "error"
INFINITY = (NULL, BOUNDS, ERROR)
"""What becomes of PostgreSQL's ``infinity`` and ``-infinity`` of dates and times."""
_BOUNDS = {
    "date": ("9999-12-31", "0001-01-01"),
    "time": ("9999-12-31 23:59:59.999999", "0001-01-01 00:00:00"),
}


def is_doubtful(type_: t.DataType) -> bool:
    """Whether a column of PostgreSQL may have values that Spark's type for it does not hold."""
    return isinstance(type_, t.ArrayType | t.DecimalType | _TIMES)


def column(
    texts: Sequence[str | None], type_: t.DataType, arrow: pa.DataType, infinity: str = NULL
) -> Values:
    """One column's texts as an Arrow array, and those that the type does not hold.

    Args:
        texts: as PostgreSQL writes the values.
        type_: Spark's.
        arrow: Arrow's.
        infinity: one of :data:`INFINITY`; ``bounds``: the first and the last day of Spark's texts.
    """
    return values_of(
        texts,
        lambda some: _array(some, type_, arrow, infinity),
        lambda text, error: _why(type_, text, error),
    )


def _why(type_: t.DataType, text: str, error: Exception) -> str:
    """What a type of Spark holds."""
    name = type_.simpleString()
    if isinstance(type_, _TIMES):
        if text in ("infinity", "-infinity"):
            return "option infinity of the source does not say what becomes of it"
        return f"{name} holds the years 1 to 9999"
    if isinstance(type_, t.DecimalType):
        return f"{name} holds {type_.precision} digits, {type_.scale} of them behind the point"
    if isinstance(type_, t.ArrayType):
        return f"{name} does not hold it: {_of_array(type_, text, error)}"
    return f"{name} does not hold it: {error}"


def _of_array(type_: t.ArrayType, text: str, error: Exception) -> str:
    """What is wrong with an array: its form, or its first element that is not held."""
    from pyspark.sql.pandas.types import to_arrow_type

    of = type_.elementType
    try:
        parts = elements(text)
    except (ValueError, LookupError) as e:
        return str(e)
    found = column(parts, of, to_arrow_type(of, timezone="UTC"), ERROR).unheld
    return next((f"of its element {u.value}, {u.why}" for u in found.values()), str(error))


def _array(
    texts: Sequence[str | None], type_: t.DataType, arrow: pa.DataType, infinity: str
) -> pa.Array:
    import pyarrow as pa

    if isinstance(type_, t.ArrayType):
        lists = [None if x is None else elements(x) for x in texts]
        offsets: list[int | None] = []
        flat: list[str | None] = []
        for each in lists:
            offsets.append(None if each is None else len(flat))
            flat += each or []
        values = _array(flat, type_.elementType, arrow.value_type, infinity)
        made = pa.ListArray.from_arrays(pa.array([*offsets, len(flat)], pa.int32()), values)
        return made.cast(arrow)
    if isinstance(type_, _TIMES):
        zone = "Z" if isinstance(type_, t.TimestampType) else ""
        last, first = _BOUNDS["date" if isinstance(type_, t.DateType) else "time"]
        for text, bound in (("infinity", last + zone), ("-infinity", first + zone)):
            if text in texts and infinity == ERROR:
                raise ValueError(text)
            instead = bound if infinity == BOUNDS else None
            texts = [instead if x == text else x for x in texts]
        return pa.array(texts, pa.string()).cast(arrow)
    convert = _CONVERT.get(type(type_))
    if convert is None:
        return pa.array(texts, pa.string()).cast(arrow)
    return pa.array([None if x is None else convert(x) for x in texts], arrow)


_CONVERT: dict[type[t.DataType], Callable[[str], Any]] = {
    t.BooleanType: lambda x: x == "t",
    t.ShortType: int,
    t.IntegerType: int,
    t.LongType: int,
    t.FloatType: float,
    t.DoubleType: float,
    t.DecimalType: Decimal,
    t.BinaryType: lambda x: bytes.fromhex(x[2:]),
}


def elements(text: str) -> list[str | None]:
    """The elements of an array of one dimension: ``{a,"b c",NULL}``.

    Raises:
        ValueError: it is no such text.
    """
    if text.startswith("["):
        text = text[text.index("=") + 1 :]
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError(f"{text!r} is not an array")
    return list(_elements(text)) if len(text) > 2 else []


def _elements(text: str) -> Iterator[str | None]:
    at = 1
    while at < len(text):
        if text[at] == "{":
            raise ValueError("an array of more than one dimension")
        if text[at] == '"':
            parts: list[str] = []
            at += 1
            while text[at] != '"':
                at += text[at] == "\\"
                parts.append(text[at])
                at += 1
            yield "".join(parts)
            at += 1
        else:
            end = at
            while text[end] not in ",}":
                end += 1
            word = text[at:end]
            yield None if word == "NULL" else word
            at = end
        at += 1
