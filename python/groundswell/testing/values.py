"""Values as tests write them, and when two are equal, by the types of their columns. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
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
    VarcharType,
)

from groundswell.testing.case import Place, Rows

DIGITS = 12
"""How many digits of a float or double count when two are compared."""
_BOOLEANS = {"true": True, "false": False}
_YAML_FLOATS = (".nan", ".inf")
_BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}


class UnfitError(ValueError):
    """A value is not of its type; the message says why, if that is not plain."""


def rows_of(
    what: str, rows: Rows, schema: StructType, zone: tzinfo, place: Place
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Rows with their values by the types of columns.

    Args:
        what: begins messages.
        rows: as they are written.
        schema: the columns that there are.
        zone: of timestamps that name none.
        place: of the test.

    Returns:
        The columns that the rows have, which are the same in all, and the rows.

    Raises:
        ConfigurationError: a row has other columns, or a value is not of its column's type.
    """
    fields = {f.name.lower(): f for f in schema.fields}
    names: list[str] | None = None
    found = []
    for row in rows:
        at = place.at(row)
        own = _names(what, row, schema, at)
        names = own if names is None else names
        if set(own) != set(names):
            raise at.error(
                f"{what}: this row has the columns {', '.join(own)}, the first one "
                f"{', '.join(names)}: give all of them the same"
            )
        by_name = dict(zip(own, row.values() if isinstance(row, Mapping) else row, strict=True))
        values = (_cell(what, fields[n.lower()], by_name[n], zone, at) for n in names)
        found.append(tuple(values))
    return names if names is not None else schema.names, found


def _names(what: str, row: Any, schema: StructType, place: Place) -> list[str]:
    """The columns of a row, as the schema writes them."""
    if not isinstance(row, Mapping):
        if len(row) != len(schema.names):
            raise place.error(
                f"{what}: a row has {len(schema.names)} values, of {', '.join(schema.names)}; "
                f"this one has {len(row)}"
            )
        return list(schema.names)
    known = {name.lower(): name for name in schema.names}
    for name in row:
        if str(name).lower() not in known:
            raise place.at(name).error(
                f"{what}: there is no column {name!r}; there are {', '.join(schema.names)}"
            )
    return [known[str(name).lower()] for name in row]


def _cell(what: str, field: StructField, value: Any, zone: tzinfo, place: Place) -> Any:
    try:
        return parsed(value, field.dataType, zone)
    except UnfitError as e:
        why = f": {e}" if str(e) else ""
        raise place.at(value).error(
            f"{what}: {value!r} is not a valid {field.dataType.simpleString()}, the type of column "
            f"{field.name}{why}"
        ) from e


def parsed(value: Any, of: DataType, zone: tzinfo) -> Any:
    """A value of a type; texts are read as the type writes them."""
    if value is None:
        return None
    match of:
        case ArrayType():
            return [parsed(each, of.elementType, zone) for each in _items(value)]
        case StructType():
            return _struct(value, of, zone)
        case MapType():
            return _map(value, of, zone)
    try:
        return _plain(value, of, zone)
    except (ValueError, KeyError, InvalidOperation, TypeError, AttributeError) as e:
        raise UnfitError(str(e) if isinstance(e, UnfitError) else "") from e


def _plain(value: Any, of: DataType, zone: tzinfo) -> Any:
    match of:
        case BooleanType():
            return value if isinstance(value, bool) else _BOOLEANS[value.lower()]
        case ByteType() | ShortType() | IntegerType() | LongType():
            return _whole(value, _BITS[type(of)])
        case FloatType() | DoubleType():
            number = _number(value)
            return float(number.lstrip(".") if str(number).lower() in _YAML_FLOATS else number)
        case DecimalType():
            return _decimal(value, of)
        case DateType():
            is_date = isinstance(value, date) and not isinstance(value, datetime)
            return value if is_date else date.fromisoformat(value)
        case TimestampType():
            time = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            return time if time.tzinfo is not None else time.replace(tzinfo=zone)
        case TimestampNTZType():
            time = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            if time.tzinfo is not None:
                raise UnfitError("it has no time zone")
            return time
        case StringType() | CharType() | VarcharType() if isinstance(value, str):
            return str(value)
        case BinaryType() if isinstance(value, bytes | bytearray):
            return bytes(value)
        case BinaryType():
            return bytes.fromhex(value[2:]) if value[:2].lower() == "0x" else value.encode()
        case DayTimeIntervalType() if isinstance(value, timedelta):
            return value
        case StringType() | CharType() | VarcharType():
            raise UnfitError("write it as text")
        case _:
            raise UnfitError("tests have no form for it: cast the column in the query")


def _items(value: Any) -> Sequence[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise UnfitError("write it as a list")
    return value


def _struct(value: Any, of: StructType, zone: tzinfo) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        if unknown := [name for name in value if name not in of.names]:
            raise UnfitError(f"it has no field {unknown[0]!r}")
        given = [value.get(name) for name in of.names]
    else:
        given = list(_items(value))
        if len(given) != len(of.names):
            raise UnfitError(f"it has {len(of.names)} fields")
    return tuple(parsed(v, f.dataType, zone) for v, f in zip(given, of.fields, strict=True))


def _map(value: Any, of: MapType, zone: tzinfo) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise UnfitError("write it as a mapping")
    pairs = [(parsed(k, of.keyType, zone), v) for k, v in value.items()]
    return {k: parsed(v, of.valueType, zone) for k, v in pairs}


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise TypeError(value)
    return value


def _whole(value: Any, bits: int) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(value)
    number = int(value)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise UnfitError(f"it has {bits} bits")
    return number


def _decimal(value: Any, of: DecimalType) -> Decimal:
    number = Decimal(str(_number(value)))
    made = number.quantize(Decimal(1).scaleb(-of.scale))
    if made != number or len(made.as_tuple().digits) > of.precision:
        raise UnfitError("it has other digits")
    return made


def comparable(value: Any, of: DataType) -> Hashable:
    """What equal values have in common: of floats the first digits, of timestamps the instant.

    Args:
        value: as Spark collects it, or as :func:`rows_of` reads it.
        of: its type.
    """
    if value is None:
        return None
    match of:
        case ArrayType():
            return tuple(comparable(each, of.elementType) for each in value)
        case StructType():
            pairs = zip(value, of.fields, strict=True)
            return tuple(comparable(each, field.dataType) for each, field in pairs)
        case MapType():
            items = value.items()
            return frozenset(
                (comparable(k, of.keyType), comparable(v, of.valueType)) for k, v in items
            )
        case FloatType() | DoubleType():
            if math.isnan(value):
                return "NaN"
            digits = 6 if isinstance(of, FloatType) else DIGITS
            return float(f"{value:.{digits}g}") + 0.0
        case TimestampType():
            return value.astimezone(UTC)  # type: ignore[no-any-return]
        case BinaryType():
            return bytes(value)
        case _:
            return value  # type: ignore[no-any-return]


def shown(value: Any, zone: tzinfo) -> str:
    """A value as a table of differences has it; ``value`` as :func:`comparable` gives it."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case bytes():
            return f"0x{value.hex()}"
        case datetime() if value.tzinfo is not None:
            return value.astimezone(zone).replace(tzinfo=None).isoformat(" ")
        case datetime():
            return value.isoformat(" ")
        case tuple():
            return f"[{', '.join(shown(each, zone) for each in value)}]"
        case frozenset():
            pairs = sorted((shown(k, zone), shown(v, zone)) for k, v in value)
            return f"{{{', '.join(f'{k}: {v}' for k, v in pairs)}}}"
        case float() if value.is_integer() and abs(value) < 1e15:
            return f"{value:.1f}"
        case _:
            return str(value)
