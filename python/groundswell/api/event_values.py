"""Values of messages in JSON: epoch numbers, base64, lengths, and what stands for no value.

What from_json would guess is read in a wider type first, :func:`raw_type`, mostly as a text. It is
then made a value by what the message's own schema says of the column, or by :class:`Reading` where
it says nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VarcharType,
)

from groundswell.columns import fitted
from groundswell.errors import SourceError

PLACEHOLDER = "__debezium_unavailable_value"
UNITS = ("micros", "millis", "nanos", "seconds")
DECIMALS = ("plain", "base64")

_TIMES = (TimestampType, TimestampNTZType)
_LENGTHS = (CharType, VarcharType)
_RAW: tuple[tuple[tuple[type[DataType], ...], DataType], ...] = (
    (
        (*_TIMES, DateType, TimeType, DayTimeIntervalType, DecimalType, *_LENGTHS),
        StringType(),
    ),
    ((ByteType,), ShortType()),  # from_json makes -56 of 200
    ((FloatType,), DoubleType()),  # and infinity of 1e300
)
"""As which types from_json reads others."""
_DECIMAL = "org.apache.kafka.connect.data.Decimal"
_NAMED = {
    "io.debezium.time.Timestamp": "millis",
    "io.debezium.time.MicroTimestamp": "micros",
    "io.debezium.time.NanoTimestamp": "nanos",
    "io.debezium.time.Date": "days",
    "io.debezium.time.ZonedTimestamp": "text",
    "io.debezium.time.IsoTimestamp": "text",
    "io.debezium.time.IsoDate": "text",
    "io.debezium.time.Time": "millis",
    "io.debezium.time.MicroTime": "micros",
    "io.debezium.time.NanoTime": "nanos",
    "io.debezium.time.MicroDuration": "micros",
    "org.apache.kafka.connect.data.Time": "millis",
    "org.apache.kafka.connect.data.Timestamp": "millis",
    "org.apache.kafka.connect.data.Date": "days",
}
_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""The seconds of the years 1 to 9999."""
_DAY = 86_400
_MOST = 10**38 - 1
_OF_MICROS = {
    "days": _DAY * 1_000_000,
    "seconds": 1_000_000,
    "millis": 1_000,
    "micros": 1,
    "nanos": 1,
}
_LEAST = {"nanos": -(2**63)} | {
    u: _FIRST * 1_000_000 // n for u, n in _OF_MICROS.items() if u != "nanos"
}
_GREATEST = {"nanos": 2**63 - 1} | {
    u: (_LAST * 1_000_000 + 999_999) // n for u, n in _OF_MICROS.items() if u != "nanos"
}
_SAYS = "name string, parameters map<string,string>"
_FIELD = f"struct<field: string, {_SAYS}, items: struct<{_SAYS}>>"
_COLUMNS = f"fields array<{_FIELD}>"
_ROWS = f"fields array<struct<field: string, fields: array<{_FIELD}>>>"


@dataclass(frozen=True)
class Reading:
    """What a message's JSON leaves open, where it comes without its schema.

    Attributes:
        timestamps: the unit of numbers in columns of type timestamp, one of :data:`UNITS`, or such
            units by the names of the columns; None: numbers there are refused.
        decimals: how texts in decimal columns are meant, one of :data:`DECIMALS`.
        unavailable_value: what an update has in the place of a value that it does not know; None:
            there is no such thing.
    """

    timestamps: str | Mapping[str, str] | None = None
    decimals: str = "plain"
    unavailable_value: str | None = PLACEHOLDER

    def check(self, what: str, row: StructType) -> None:
        """Refuses what is no unit, or names no column.

        Raises:
            SourceError: with what there is.
        """
        given = self.timestamps
        for name, unit in given.items() if isinstance(given, Mapping) else [("", given)]:
            if unit not in UNITS and (name or unit is not None):
                raise SourceError(
                    f"{what}: timestamps must be one of {', '.join(UNITS)}, got {unit!r}"
                )
            if name and not (name in row.names and _has_times(row[name].dataType)):
                timed = [f.name for f in row.fields if _has_times(f.dataType)]
                raise SourceError(
                    f"{what}: timestamps names {name!r}, which is not a column of type timestamp; "
                    f"there are {', '.join(timed) or 'none'}"
                )
        if self.decimals not in DECIMALS:
            raise SourceError(
                f"{what}: decimals must be one of {', '.join(DECIMALS)}, got {self.decimals!r}"
            )
        if self.unavailable_value == "":
            raise SourceError(
                f"{what}: unavailable_value must be a text, or None for no such value"
            )

    def unit(self, column: str) -> str | None:
        """The unit of numbers in a column of type timestamp, if one was given."""
        given = self.timestamps
        return given.get(column) if isinstance(given, Mapping) else given


@dataclass(frozen=True)
class Field:
    """A column of messages: its type, and what says how its values are meant.

    Attributes:
        name: of the column.
        type: of the column.
        reading: what holds where the message says nothing.
        says: the struct that the message's schema has of it, null without one.
    """

    name: str
    type: DataType
    reading: Reading
    says: Column

    def value(self, raw: Column) -> Column:
        """The value of a text, or of texts; null where they are none."""
        return _made(raw, self.type, self._leaf(self.says))

    def lost(self, raw: Column, value: Column, what: str) -> Column:
        """What is wrong with a text of ``what`` that became ``value``; null if nothing is."""
        if raw_type(self.type) == self.type:
            return F.lit(None).cast("string")
        plain = not isinstance(self.type, ArrayType | MapType | StructType)
        if plain:
            lost: Column | None = raw.isNotNull() & value.isNull()
        else:
            lost = _lost(raw, self.type, self._leaf(self.says))
        hint = ""
        if _has_times(self.type):
            hint = "; a number needs timestamps='micros', 'millis', 'nanos' or 'seconds'"
        elif "decimal" in self.type.simpleString():
            hint = "; base64 needs decimals='base64'"
        shown = raw.cast("string") if plain else F.to_json(F.struct(raw.alias(self.name)))
        told = F.concat(
            F.lit(f"{what} (column {self.name}: "), shown,
            F.lit(f" is not a valid {self.type.simpleString()}{hint})"),
        )  # fmt: skip
        return F.when(_sure(lost), told)

    def _leaf(self, says: Column) -> Callable[[Column, DataType, bool], Column]:
        def leaf(raw: Column, data_type: DataType, in_array: bool) -> Column:
            of = says.getField("items") if in_array else says
            name, scale = of.getField("name"), of.getField("parameters").getItem("scale")
            if isinstance(data_type, DecimalType):
                option = F.lit(self.reading.decimals == "base64")
                known = F.when(says.isNotNull(), name.eqNullSafe(_DECIMAL)).otherwise(option)
                return _decimal(raw, data_type, known, scale.cast("int"))
            if isinstance(data_type, CharType | VarcharType):
                return fitted(raw, data_type)
            if isinstance(data_type, ByteType | FloatType):
                return _narrowed(raw, data_type)
            usual = "days" if isinstance(data_type, DateType) else self.reading.unit(self.name)
            named = F.create_map(*(F.lit(x) for pair in _NAMED.items() for x in pair))
            told = F.try_element_at(named, name)
            if isinstance(data_type, TimeType):
                return _time_of_day(raw, data_type, told)
            if isinstance(data_type, DayTimeIntervalType):
                return _interval(raw, data_type, told)
            return _time(raw, data_type, F.coalesce(told, F.lit(usual).cast("string")))

        return leaf


def raw_type(data_type: DataType) -> DataType:
    """The type as which from_json reads a column: texts where JSON does not say what is meant."""
    for types, wider in _RAW:
        if isinstance(data_type, types):
            return wider
    if isinstance(data_type, ArrayType):
        return ArrayType(raw_type(data_type.elementType))
    if isinstance(data_type, MapType):
        return MapType(data_type.keyType, raw_type(data_type.valueType))
    if isinstance(data_type, StructType):
        return raw_row(data_type)
    return data_type


def raw_row(row: StructType) -> StructType:
    """The columns as from_json reads them.

    Raises:
        SourceError: a map has keys that are no texts.
    """
    for field in row.fields:
        if _has_other_names(field.dataType):
            raise SourceError(
                f"column {field.name} is of type {field.dataType.simpleString()}, and JSON names "
                "the entries of a map by texts: declare its keys as string, and cast them in the "
                "query"
            )
    return StructType([StructField(f.name, raw_type(f.dataType)) for f in row.fields])


def _has_other_names(t: DataType) -> bool:
    """Whether a type has maps in it whose keys are no texts."""
    match t:
        case MapType():
            return not isinstance(t.keyType, StringType) or _has_other_names(t.valueType)
        case ArrayType():
            return _has_other_names(t.elementType)
        case StructType():
            return any(_has_other_names(f.dataType) for f in t.fields)
        case _:
            return False


def is_read_as_it_is(row: StructType) -> bool:
    """Whether from_json gives all of the columns' values, so that no schema is asked for."""
    return raw_row(row) == StructType([StructField(f.name, f.dataType) for f in row.fields])


def fields(row: StructType, reading: Reading, says: Column) -> dict[str, Field]:
    """The columns of a row by name; ``says``: what :func:`schema_of_columns` gave."""

    def of(name: str) -> Column:
        return F.get(F.filter(says, lambda f: f.getField("field") == name), F.lit(0))

    return {f.name: Field(f.name, f.dataType, reading, of(f.name)) for f in row.fields}


def schema_of_rows(schema: Column) -> Column:
    """What the schema of an envelope says of the columns of ``after``; null: nothing."""
    found = F.from_json(schema, _ROWS).getField("fields")
    rows = F.filter(found, lambda f: f.getField("field") == "after")
    return F.get(rows, F.lit(0)).getField("fields")


def schema_of_columns(schema: Column) -> Column:
    """What the schema of a row, or of a key, says of its columns; null: nothing."""
    return F.from_json(schema, _COLUMNS).getField("fields")


def stands_for_nothing(raw: Column, data_type: DataType, placeholder: str | None) -> Column | None:
    """Whether a value is Debezium's placeholder, as it writes it in this type; None: it has none.

    Bytes are the placeholder's, in base64 or hex where they are texts. Arrays have one such
    element; of numbers, one for each byte; of UUIDs, the one of the bytes. A map has one entry.
    """
    if placeholder is None:
        return None
    data = placeholder.encode()
    unique = str(uuid.UUID(bytes=hashlib.md5(data, usedforsecurity=False).digest(), version=3))
    encoded = [base64.b64encode(data), base64.urlsafe_b64encode(data), data.hex().encode()]
    entry = json.dumps({placeholder: placeholder}, separators=(",", ":"), ensure_ascii=False)
    texts = [placeholder, *(text.decode() for text in encoded), entry]
    numbers = [byte - 256 if byte > 127 else byte for byte in data]
    if isinstance(data_type, StringType):
        return raw.isin(*dict.fromkeys(texts))
    if isinstance(data_type, BinaryType):
        return raw == F.lit(data)
    if isinstance(data_type, MapType) and isinstance(data_type.keyType, StringType):
        return F.map_keys(raw) == F.array(F.lit(placeholder))
    if not isinstance(data_type, ArrayType):
        return None
    one = data_type.elementType
    arrays: Sequence[Sequence[object]] = ()
    if isinstance(one, StringType):
        arrays = [*([text] for text in (*texts, unique)), [str(n) for n in numbers]]
    elif isinstance(one, BinaryType):
        arrays = [[data]]
    elif isinstance(one, ByteType | ShortType | IntegerType | LongType):
        arrays = [numbers]
    same = [raw == F.array(*map(F.lit, items)).cast(data_type) for items in arrays]
    return reduce(or_, same) if same else None


def _has_times(data_type: DataType) -> bool:
    return "timestamp" in data_type.simpleString()


_Leaf = Callable[[Column, DataType, bool], Column]


def _made(raw: Column, t: DataType, leaf: _Leaf, in_array: bool = False) -> Column:
    if raw_type(t) == t:
        return raw
    if isinstance(t, ArrayType):
        return F.transform(raw, lambda x: _made(x, t.elementType, leaf, True))
    if isinstance(t, MapType):
        return F.transform_values(raw, lambda _, x: _made(x, t.valueType, leaf))
    if isinstance(t, StructType):
        parts = (_made(raw.getField(f.name), f.dataType, leaf).alias(f.name) for f in t.fields)
        return F.when(raw.isNotNull(), F.struct(*parts))
    return leaf(raw, t, in_array)


def _lost(raw: Column, t: DataType, leaf: _Leaf, in_array: bool = False) -> Column | None:
    """Whether a text is there that is no value; None: there are no such texts."""
    if raw_type(t) == t:
        return None
    if isinstance(t, ArrayType):
        return F.exists(raw, lambda x: _sure(_lost(x, t.elementType, leaf, True)))
    if isinstance(t, MapType):
        return F.exists(F.map_values(raw), lambda x: _sure(_lost(x, t.valueType, leaf)))
    if isinstance(t, StructType):
        parts = (_lost(raw.getField(f.name), f.dataType, leaf) for f in t.fields)
        return reduce(or_, (_sure(part) for part in parts if part is not None))
    return raw.isNotNull() & leaf(raw, t, in_array).isNull()


def _sure(condition: Column | None) -> Column:
    return F.lit(False) if condition is None else F.coalesce(condition, F.lit(False))


def _time(raw: Column, data_type: DataType, unit: Column) -> Column:
    """A timestamp or a date of the years 1 to 9999, of a number in a unit or an ISO text."""
    n = F.when(raw.rlike("^-?[0-9]+$"), raw.try_cast("bigint"))
    parts = _by_unit(unit, _OF_MICROS)
    near = n.between(_by_unit(unit, _LEAST), _by_unit(unit, _GREATEST))
    micros = F.when(near, F.when(unit == "nanos", _floored(n, 1_000)).otherwise(n * parts))
    # Spark reads a time of day as one of today: a text must begin with a year.
    text = F.when(raw.rlike("^[0-9]{4}-[0-9]"), F.regexp_replace(raw, "^([0-9-]+)Z$", "$1"))
    if isinstance(data_type, DateType):
        made = F.date_from_unix_date(_floored(micros, _DAY * 1_000_000).cast("int"))
        first, last = "0001-01-01", "9999-12-31"
    else:
        first, last = "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"
        if isinstance(data_type, TimestampType):
            made, first, last = F.timestamp_micros(micros), f"{first}Z", f"{last}Z"
        else:
            seconds = (micros.cast("decimal(18,0)") * F.lit(Decimal("0.000001"))).cast(
                "decimal(18,6)"
            )
            none = F.lit(0)
            since = F.make_dt_interval(none, none, none, seconds)
            made = F.lit("1970-01-01 00:00:00").cast(data_type) + since
    found = F.coalesce(made, text.try_cast(data_type))
    return F.when(found.between(F.lit(first).cast(data_type), F.lit(last).cast(data_type)), found)


def _time_of_day(raw: Column, data_type: TimeType, unit: Column) -> Column:
    """A time of a number in a unit since midnight, or of an ISO text."""
    n = F.when(raw.rlike("^[0-9]{1,14}$"), raw.try_cast("bigint"))
    micros = F.when(unit == "nanos", _floored(n, 1_000)).otherwise(n * _by_unit(unit, _OF_MICROS))
    near = micros.between(0, _DAY * 1_000_000 - 1)
    made = F.when(near, F.call_function("time_from_micros", micros)).cast(data_type)
    return F.coalesce(made, F.when(raw.contains(":"), raw.try_cast(data_type)))


def _interval(raw: Column, data_type: DayTimeIntervalType, unit: Column) -> Column:
    """Of Spark's text, of ``5 microseconds``, as sinks write it, or of a number in a unit."""
    number = F.regexp_extract(raw, "^(-?[0-9]+) microseconds$", 1).try_cast("bigint")
    told = F.when(raw.rlike("^-?[0-9]+$"), raw.try_cast("bigint"))
    n = F.coalesce(number, F.when(unit == "micros", told))
    days = F.call_function("div", n, F.lit(_DAY * 1_000_000))
    rest = (n % (_DAY * 1_000_000)).cast("decimal(18,0)") * F.lit(Decimal("0.000001"))
    none = F.lit(0)
    made = F.make_dt_interval(days.cast("int"), none, none, rest.cast("decimal(18,6)"))
    return F.coalesce(made.cast(data_type), raw.try_cast(data_type))


def _narrowed(raw: Column, data_type: DataType) -> Column:
    """A number of a wider type, null where the column's own does not hold it."""
    if isinstance(data_type, ByteType):
        return F.when(raw.between(-128, 127), raw.cast(data_type))
    made, endless = raw.cast(data_type), F.lit(float("inf"))
    return F.when((F.abs(raw) == endless) | (F.abs(made) != endless), made)


def _by_unit(unit: Column, numbers: Mapping[str, int]) -> Column:
    pairs = (x for name, n in numbers.items() for x in (F.lit(name), F.lit(n).cast("bigint")))
    return F.try_element_at(F.create_map(*pairs), unit)


def _floored(n: Column, by: int) -> Column:
    rest = n % by
    return F.call_function("div", n - rest, F.lit(by)) - F.when(rest < 0, 1).otherwise(0)


def _decimal(raw: Column, data_type: DecimalType, encoded: Column, scale: Column) -> Column:
    """Of a number, its text, or the base64 of its unscaled value; or of that with its scale."""
    own = F.when(raw.startswith("{"), F.from_json(raw, "scale int, value string"))
    scales = F.coalesce(own.getField("scale"), scale, F.lit(data_type.scale))
    text = F.when(own.isNotNull(), own.getField("value")).when(encoded, raw)
    unscaled = _big_endian(F.try_to_binary(text, F.lit("base64")))
    decoded = F.concat(unscaled, F.lit("E"), (-scales).cast("string")).try_cast(data_type)
    return F.when(text.isNotNull(), decoded).otherwise(raw.try_cast(data_type))


def _big_endian(data: Column) -> Column:
    """The digits of a two's complement; null: it has no byte, or more than 38 digits."""
    digits = F.hex(data)
    below = digits.rlike("^[89A-F]")
    inverse = F.translate(digits, "0123456789ABCDEF", "FEDCBA9876543210")
    padded = F.lpad(F.when(below, inverse).otherwise(digits), 32, "0")
    most = F.when(below, F.lit(f"{_MOST - 1:032X}")).otherwise(F.lit(f"{_MOST:032X}"))
    fits = F.length(data).between(1, 16) & (padded <= most)
    high, low = (
        F.conv(F.when(fits, F.substring(padded, at, 16)), 16, 10).cast("decimal(20,0)")
        for at in (1, 17)
    )
    size = F.try_add(F.try_multiply(high, F.lit(Decimal(2**64))), low)
    # Spark rounds a decimal to 34 digits when it changes the sign; a text has all of them.
    beyond = F.try_add(F.when(below, size), F.lit(Decimal(1)))
    return F.when(below, F.concat(F.lit("-"), beyond.cast("string"))).otherwise(size.cast("string"))
