"""Values as messages of a schema registry have them, in Avro and in Protobuf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from matrix.kinds import Kind
from sources.protobufs import File, protobuf
from sources.registries import avro, record

ENCODINGS = ("avro", "protobuf")
_EPOCH = datetime(1970, 1, 1)
_GOOGLE = ".google.protobuf."
_TEXT = "string"
_AVRO: dict[str, Any] = {
    "boolean": "boolean",
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "bigint": "long",
    "float": "float",
    "double": "double",
    "binary": "bytes",
    "date": {"type": "int", "logicalType": "date"},
    "timestamp": {"type": "long", "logicalType": "timestamp-micros"},
    "timestamp_ntz": {"type": "long", "logicalType": "local-timestamp-micros"},
    "time": {"type": "long", "logicalType": "time-micros"},
    "array": {"type": "array", "items": ["null", "double"]},
    "nested array": {
        "type": "array",
        "items": ["null", {"type": "array", "items": ["null", "string"]}],
    },
    "map": {"type": "map", "values": ["null", "int"]},
}
_PROTOBUF = {
    "boolean": "bool",
    "tinyint": "sint32",
    "smallint": "sint32",
    "int": "sint32",
    "bigint": "sint64",
    "float": "float",
    "double": "double",
    "binary": "bytes",
    "timestamp": f"{_GOOGLE}Timestamp",
    "timestamp_ntz": f"{_GOOGLE}Timestamp",
    "interval day to second": f"{_GOOGLE}Duration",
    "map": "map string,sint32",
}
"""By a kind's name; the others are texts, for there is no type of theirs."""


def avro_type(kind: Kind) -> Any:
    """The type of a field that has a kind's values, or null."""
    if kind.type.startswith("decimal"):
        precision, scale = map(int, kind.type[8:-1].split(","))
        found: Any = {"type": "bytes", "logicalType": "decimal"}
        return ["null", {**found, "precision": precision, "scale": scale}]
    if kind.name == "struct":
        dates = {"type": "array", "items": _AVRO["date"]}
        return ["null", record("S", ("a", "double"), ("b", ["null", dates]))]
    return ["null", _AVRO.get(kind.name, _TEXT)]


def schema(kinds: Sequence[Kind], encode: str) -> Any:
    """A record, or a file, of ``id`` and a field for each kind."""
    if encode == "avro":
        return record("T", ("id", ["null", "long"]), *((k.column, avro_type(k)) for k in kinds))
    fields: list[tuple[Any, ...]] = [(1, "id", "sint64", "optional")]
    for n, kind in enumerate(kinds, 2):
        if kind.name == "array":
            fields.append((n, kind.column, "double", "repeated"))
            continue
        type_ = _PROTOBUF.get(kind.name, _TEXT)
        how = "" if type_.startswith((".", "map")) else "optional"
        fields.append((n, kind.column, type_, how))
    return File("t.proto").message("T", *fields)


def message(number: int, of: Any, encode: str, row: Mapping[str, Any]) -> bytes:
    """A message of a schema that the registry has under a number; fields may be left out."""
    if encode == "avro":
        types = {field["name"]: field["type"][1] for field in of["fields"]}
        return avro(number, of, {n: _in_avro(row.get(n), kind) for n, kind in types.items()})
    known = {field.name for field in of.proto.message_type[0].field}
    given = {name: _in_protobuf(value) for name, value in row.items() if name in known}
    made = of.make("T", **{name: value for name, value in given.items() if value is not None})
    return protobuf(number, made)


def _in_avro(value: Any, kind: Any) -> Any:
    """Entries of a map, which Arrow gives as pairs, as Avro has them."""
    is_map = isinstance(kind, dict) and kind["type"] == "map"
    return dict(value) if is_map and value is not None else value


def _in_protobuf(value: Any) -> Any:
    """Times in seconds and billionths; lists and maps without what they cannot hold: nulls."""
    match value:
        case datetime():
            at = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            return _seconds(at - _EPOCH)
        case timedelta() if value < timedelta():  # both parts are negative
            return {name: -part for name, part in _seconds(-value).items()}
        case timedelta():
            return _seconds(value)
        case [(_, _), *_]:
            return {k: v for k, v in value if v is not None}
        case list():
            return [each for each in value if each is not None]
    return value


def _seconds(time: timedelta) -> dict[str, int]:
    micros = time // timedelta(microseconds=1)
    whole = micros // 1_000_000
    return {"seconds": whole, "nanos": (micros - whole * 1_000_000) * 1000}


def held(frame: DataFrame, kinds: Sequence[Kind], encode: str) -> DataFrame:
    """The rows that messages can have: Protobuf has no null in or in place of a list or map."""
    if encode == "avro":
        return frame
    changed: dict[str, Any] = {}
    for kind in kinds:
        value = F.col(kind.column)
        if kind.name == "array":
            some = F.filter(value, lambda each: each.isNotNull())
            changed[kind.column] = F.coalesce(some, F.array().cast(kind.type))
        elif kind.name == "map":
            some = F.map_filter(value, lambda _, each: each.isNotNull())
            changed[kind.column] = F.coalesce(some, F.create_map().cast(kind.type))
    return frame.withColumns(changed) if changed else frame
