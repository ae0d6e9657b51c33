"""Values as messages have them: in JSON, plainly or as Debezium writes them, with their keys.

Plain values are as our own Kafka sink writes them, Debezium's as its converter does where events
come with their schema: days, micros, base64.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from groundswell.sinks.plain import plain
from matrix.kinds import KINDS, Kind
from matrix.test_views import padded, wide

FORMATS = ("json", "upsert", "debezium")
_EPOCH = datetime(1970, 1, 1)
_MICRO = timedelta(microseconds=1)
_NAMES = {
    "date": "io.debezium.time.Date",
    "timestamp": "io.debezium.time.ZonedTimestamp",
    "timestamp_ntz": "io.debezium.time.MicroTimestamp",
    "time": "io.debezium.time.MicroTime",
    "interval day to second": "io.debezium.time.MicroDuration",
    "decimal": "org.apache.kafka.connect.data.Decimal",
}

Message = tuple[bytes | None, bytes | None]
"""A key and a value."""


def written() -> list[Kind]:
    """The kinds that JSON has a form of: all but intervals of months and days at once."""
    return [kind for kind in KINDS if kind.type != "interval"]


def comparable() -> list[Kind]:
    """Those that may be a key."""
    return [
        k for k in written() if k.key and "MB" not in k.name and not k.type.startswith("map")
    ]  # fmt: skip


def expected(spark: SparkSession, taken: Sequence[Kind]) -> DataFrame:
    """The rows of :func:`wide`, as a reader of messages should have them."""
    rows = padded(spark.sql(wide([*taken])), taken)
    of_json = [k.column for k in taken if k.type == "variant"]  # JSON has one null
    nulls = {n: F.coalesce(n, F.parse_json(F.lit("null"))) for n in of_json}
    return rows.withColumns(nulls) if nulls else rows


def rows_of(spark: SparkSession, taken: Sequence[Kind]) -> list[dict[str, Any]]:
    """The same rows as Python's values, or as Spark's to_json has what Python has no type for."""
    rows = spark.sql(wide([*taken]))
    known = [k.column for k in taken if k.arrow]
    table = rows.select("id", *known).orderBy("id").toArrow()
    found: list[dict[str, Any]] = table.to_pylist()
    for kind in taken:
        if not kind.arrow:
            shown = rows.orderBy("id").select(F.to_json(F.struct(kind.column)).alias("v"))
            for row, (text,) in zip(found, shown.collect(), strict=True):
                row[kind.column] = json.loads(text).get(kind.column)
    return found


def message(
    row: dict[str, Any], taken: Sequence[Kind], form: str, key: str, types: dict[str, Any]
) -> Message:
    """One row as a message of a format, with its key.

    Args:
        row: as :func:`rows_of` gives it.
        taken: the kinds of its columns.
        form: one of :data:`FORMATS`.
        key: the column that identifies it; the value of an ``upsert`` leaves it out.
        types: of Arrow, by column.
    """
    debezium = form == "debezium"
    fields = [{"field": "id", "type": "int64"}]
    values: dict[str, Any] = {"id": row["id"]}
    for kind in taken:
        value = row[kind.column]
        values[kind.column] = (
            connect(value, kind, types.get(kind.column))
            if debezium
            else value if not kind.arrow else plain(value, types[kind.column])
        )  # fmt: skip
        fields.append(field(kind))
    named = {key: values[key]}
    if not debezium:
        body = {n: v for n, v in values.items() if form == "json" or n != key}
        return _bytes(named), _bytes(body)
    whole = [
        {"field": "before", "type": "struct", "fields": fields},
        {"field": "after", "type": "struct", "fields": fields},
    ]
    event = {
        "schema": {"type": "struct", "fields": whole},
        "payload": {"op": "c", "before": None, "after": values},
    }
    of_key = {"type": "struct", "fields": [f for f in fields if f["field"] == key]}
    return _bytes({"schema": of_key, "payload": named}), _bytes(event)


def deletion(key: bytes | None, form: str) -> Message:
    """The message that deletes a row by the key of its message alone."""
    event = {"payload": {"op": "d", "before": None, "after": None}}
    return key, _bytes(event) if form == "debezium" else None


def field(kind: Kind) -> dict[str, Any]:
    """What the schema of an event says of a column."""
    name = _NAMES.get(kind.type.partition("(")[0])
    said: dict[str, Any] = {"field": kind.column, "type": "string"}
    if name is not None:
        said["name"] = name
    if kind.type.startswith("decimal"):
        said["parameters"] = {"scale": kind.type.rstrip(")").partition(",")[2]}
    return said


def connect(value: Any, kind: Kind, type_: Any) -> Any:
    """A value as Debezium writes it, with the name that :func:`field` has."""
    match value:
        case Decimal():
            scale = int(kind.type.rstrip(")").partition(",")[2])
            sign, digits, exponent = value.as_tuple()
            unscaled = int("".join(map(str, digits))) * 10 ** (int(exponent) + scale)
            number = -unscaled if sign else unscaled
            return base64.b64encode(number.to_bytes(16, "big", signed=True)).decode()
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case datetime():
            return (value - _EPOCH) // _MICRO
        case date():
            return (value - _EPOCH.date()).days
        case time():
            since = timedelta(
                hours=value.hour, minutes=value.minute, seconds=value.second,
                microseconds=value.microsecond,
            )  # fmt: skip
            return since // _MICRO
        case timedelta():
            return value // _MICRO
    return value if type_ is None else plain(value, type_)


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
