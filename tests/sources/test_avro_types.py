"""Every type of Avro in every column that may hold it: equal, refused, or named as a bad row."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.columns import TIMES
from groundswell.errors import SourceError
from groundswell.sources.registry import registered
from sources.registries import Registry, avro, framed, record, registry

pytestmark = pytest.mark.rest

MICROS = 1_700_000_000_123_456
AT = datetime.fromtimestamp(MICROS / 1e6, UTC).replace(tzinfo=None)
IN_DAY = 45_296_789_012  # 12:34:56.789012
ID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")


def meant(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return meant(kind, logicalType=name, **more)


def connect(kind: str, name: str) -> dict[str, Any]:
    return meant(kind, **{"connect.name": name})


def fixed(size: int, **more: Any) -> dict[str, Any]:
    return meant("fixed", name="F", size=size, **more)


class Cell(NamedTuple):
    """A value of a type in Avro, as Avro writes it, and what a column should have of it."""

    name: str
    schema: Any
    column: str
    value: Any
    want: Any


DECIMAL = logical("bytes", "decimal", precision=10, scale=2)
COLOUR = {"type": "enum", "name": "Colour", "symbols": ["RED", "BLUE"]}
SEVERAL = ["null", "long", "string", record("R", ("a", "int"))]
ZONED = connect("string", "io.debezium.time.ZonedTimestamp")
VARIABLE = record(
    "V", ("scale", "int"), ("value", "bytes"),
    **{"connect.name": "io.debezium.data.VariableScaleDecimal"},
)  # fmt: skip
CELLS = [
    Cell("boolean", "boolean", "boolean", True, True),
    Cell("int", "int", "int", -(2**31), -(2**31)),
    Cell("int_long", "int", "bigint", 7, 7),
    Cell("int_short", "int", "smallint", 32767, 32767),
    Cell("int_byte", "int", "tinyint", -128, -128),
    Cell("long", "long", "bigint", 2**63 - 1, 2**63 - 1),
    Cell("float", "float", "float", 1.5, 1.5),
    Cell("float_double", "float", "double", 0.5, 0.5),
    Cell("double", "double", "double", float("inf"), float("inf")),
    Cell("string", "string", "string", "aß😀\0", "aß😀\0"),
    Cell("java_string", meant("string", **{"avro.java.string": "String"}), "string", "é", "é"),
    Cell("bytes", "bytes", "binary", b"\0\xff", b"\0\xff"),
    Cell("fixed", fixed(2), "binary", b"ab", b"ab"),
    Cell("enum", COLOUR, "string", "BLUE", "BLUE"),
    Cell("null", "null", "string", None, None),
    Cell("decimal", DECIMAL, "decimal(10,2)", Decimal("-12345678.90"), Decimal("-12345678.90")),
    Cell("decimal_wider", DECIMAL, "decimal(20,4)", Decimal("0.01"), Decimal("0.0100")),
    Cell(
        "decimal_fixed",
        fixed(16, logicalType="decimal", precision=38, scale=0),
        "decimal(38,0)",
        Decimal(10**38 - 1),
        Decimal(10**38 - 1),
    ),
    Cell("date", logical("int", "date"), "date", date(1, 1, 1), date(1, 1, 1)),
    Cell(
        "time_millis",
        logical("int", "time-millis"),
        "time(3)",
        time(12, 34, 56, 789_000),
        time(12, 34, 56, 789_000),
    ),
    Cell(
        "time_micros",
        logical("long", "time-micros"),
        "time(6)",
        time(12, 34, 56, 789_012),
        time(12, 34, 56, 789_012),
    ),
    Cell(
        "millis",
        logical("long", "timestamp-millis"),
        "timestamp_ntz",
        MICROS // 1000,
        AT.replace(microsecond=123_000),
    ),
    Cell("micros", logical("long", "timestamp-micros"), "timestamp_ntz", MICROS, AT),
    Cell("micros_instant", logical("long", "timestamp-micros"), "timestamp", MICROS, AT),
    Cell("nanos", logical("long", "timestamp-nanos"), "timestamp_ntz", MICROS * 1000 + 999, AT),
    Cell(
        "nanos_before",
        logical("long", "timestamp-nanos"),
        "timestamp_ntz",
        -1,
        datetime(1969, 12, 31, 23, 59, 59, 999_999),
    ),
    Cell(
        "local_millis",
        logical("long", "local-timestamp-millis"),
        "timestamp_ntz",
        MICROS // 1000,
        AT.replace(microsecond=123_000),
    ),
    Cell("local_micros", logical("long", "local-timestamp-micros"), "timestamp_ntz", MICROS, AT),
    Cell(
        "local_nanos", logical("long", "local-timestamp-nanos"), "timestamp_ntz", MICROS * 1000, AT
    ),
    Cell("uuid", logical("string", "uuid"), "string", str(ID), str(ID)),
    Cell("uuid_fixed", fixed(16, logicalType="uuid"), "string", ID.bytes, str(ID)),
    Cell("duration", fixed(12, logicalType="duration"), "binary", b"\1" * 12, b"\1" * 12),
    Cell("unknown", logical("string", "something"), "string", "a", "a"),
    Cell("of_null", ["null", "long"], "bigint", None, None),
    Cell("whole", ["null", "int", "long"], "bigint", 5, 5),
    Cell("floating", ["float", "double"], "double", 0.5, 0.5),
    Cell(
        "several",
        SEVERAL,
        "struct<member0:bigint,member1:string,member2:struct<a:int>>",
        "x",
        (None, "x", None),
    ),
    Cell(
        "several_record",
        SEVERAL,
        "struct<member0:bigint,member1:string,member2:struct<a:int>>",
        {"a": 3},
        (None, None, (3,)),
    ),
    Cell("array", {"type": "array", "items": ["null", "int"]}, "array<int>", [1, None], [1, None]),
    Cell("empty", {"type": "array", "items": "null"}, "array<int>", [None] * 3, [None] * 3),
    Cell(
        "map",
        {"type": "map", "values": DECIMAL},
        "map<string,decimal(10,2)>",
        {"b": Decimal(1), "a": Decimal(2)},
        {"a": Decimal(2), "b": Decimal(1)},
    ),
    Cell(
        "record",
        record("N", ("a", "int"), ("b", ["null", "string"])),
        "struct<B:string,a:bigint>",
        {"a": 1, "b": None},
        (None, 1),
    ),
    Cell("connect_date", connect("int", "io.debezium.time.Date"), "date", 1, date(1970, 1, 2)),
    Cell(
        "connect_time",
        connect("long", "io.debezium.time.NanoTime"),
        "time(6)",
        IN_DAY * 1000 + 999,
        time(12, 34, 56, 789_012),
    ),
    Cell(
        "connect_micros",
        connect("long", "io.debezium.time.MicroTimestamp"),
        "timestamp_ntz",
        MICROS,
        AT,
    ),
    Cell("connect_zoned", ZONED, "timestamp", "2023-11-14T23:13:20.123456+01:00", AT),
    Cell(
        "connect_variable",
        VARIABLE,
        "decimal(10,3)",
        {"scale": 1, "value": b"\xff"},
        Decimal("-0.100"),
    ),
    Cell("connect_json", connect("string", "io.debezium.data.Json"), "string", "{}", "{}"),
]
REFUSED = [
    ("long", "int"),
    ("long", "string"),
    ("double", "float"),
    ("string", "binary"),
    ("bytes", "string"),
    ("boolean", "int"),
    (DECIMAL, "bigint"),
    (DECIMAL, "binary"),
    (logical("int", "date"), "int"),
    (logical("int", "date"), "timestamp"),
    (logical("long", "timestamp-micros"), "bigint"),
    (logical("long", "local-timestamp-micros"), "timestamp"),
    (logical("long", "time-micros"), "timestamp"),
    (["null", "string", "long"], "string"),
    ({"type": "map", "values": "int"}, "map<int,int>"),
    ({"type": "array", "items": "string"}, "array<int>"),
    (record("N", ("a", "int")), "string"),
    (record("N", ("a", "int")), "struct<b:int>"),
]
BAD: list[tuple[Any, str, bytes, str]] = [
    ("int", "tinyint", b"\x90\x03", "column a: 200 is no tinyint"),
    (DECIMAL, "decimal(4,2)", b"\x06\x01\x86\xa0", "column a: 1000.00 is no decimal(4,2)"),
    (DECIMAL, "decimal(10,1)", b"\x02\x01", "column a: 0.01 is no decimal(10,1)"),
    (logical("int", "date"), "date", b"\xfe\xff\xff\xff\x0f", "is no date"),
    (logical("long", "timestamp-micros"), "timestamp", b"\xfe" + b"\xff" * 8 + b"\x01", "is no"),
    (logical("int", "time-millis"), "time(3)", b"\x01", "column a: -1 is no time(3)"),
    (ZONED, "timestamp", b"\x04??", "column a: ?? is no timestamp"),
    ({"type": "array", "items": "null"}, "array<int>", b"\x80\x89\x7a\0", "ends too early"),
    (
        {"type": "array", "items": logical("int", "date")},
        "array<date>",
        b"\x02\xfe\xff\xff\xff\x0f\0",
        "column a.element: 2147483647 is no date",
    ),
    (COLOUR, "string", b"\x0e", "by schema id"),
    ("boolean", "boolean", b"", "ends too early"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Registry]:
    with registry() as found:
        yield found


@pytest.fixture(autouse=True)
def _times(session: SparkSession) -> Iterator[None]:
    session.conf.set(TIMES, "true")
    yield
    session.conf.unset(TIMES)


def decoded(session: SparkSession, server: Registry, columns: str, *messages: bytes) -> list[Any]:
    """What a subject ``t-value`` makes of messages: the row, and what is wrong."""
    given = registered("the test", "avro", {"url": server.url, "timeout": 5}, ["t"], False)
    frame = session.createDataFrame([(each,) for each in messages], "value binary").coalesce(1)
    spec = given.spec(StructType.fromDDL(columns), "row")
    made = jvm.decoded_messages(frame, "value", "v", spec)
    return [(row.v.row, row.v.wrong) for row in made.select("v").collect()]


def plain(value: Any) -> Any:
    if isinstance(value, bytearray):
        return bytes(value)
    return value.astimezone(UTC).replace(tzinfo=None) if getattr(value, "tzinfo", None) else value


def test_values_are_equal(session: SparkSession, server: Registry) -> None:
    fields = []
    for cell in CELLS:  # a name of a type may be defined once
        text = cell.schema
        if isinstance(text, dict) and "name" in text:
            text = {**text, "name": f"{text['name']}_{cell.name}"}
        if isinstance(text, list):
            text = [
                {**t, "name": f"{t['name']}_{cell.name}"} if isinstance(t, dict) else t
                for t in text
            ]
        fields.append((cell.name, text))
    whole = record("T", *fields)
    number = server.add("t-value", whole)
    message = avro(number, whole, {cell.name: cell.value for cell in CELLS})
    columns = ", ".join(f"{cell.name} {cell.column}" for cell in CELLS)
    ((row, wrong),) = decoded(session, server, columns, message)
    assert wrong is None
    zone = session.conf.get("spark.sql.session.timeZone")
    found = {cell.name: plain(row[cell.name]) for cell in CELLS}
    for cell in CELLS:
        if cell.column == "timestamp":  # Python's is of this machine's zone
            found[cell.name] = datetime.fromtimestamp(row[cell.name].timestamp(), UTC).replace(
                tzinfo=None
            )
    assert found == {cell.name: cell.want for cell in CELLS}, zone


@pytest.mark.parametrize(("schema", "column"), REFUSED)
def test_columns_that_do_not_hold_a_type_are_refused(
    session: SparkSession, server: Registry, schema: Any, column: str
) -> None:
    server.add("t-value", record("T", ("a", schema)))
    with pytest.raises(SourceError, match=r"schema \d+ of subject t-value does not have the"):
        decoded(session, server, f"a {column}", b"")


def test_a_refusal_names_the_columns_of_the_subject(
    session: SparkSession, server: Registry
) -> None:
    fields = [(cell.name, cell.schema) for cell in CELLS[:10]]
    tail = ("amount", DECIMAL), ("at", logical("long", "local-timestamp-millis"))
    server.add("t-value", record("T", *fields, *tail, ("self", ["null", "T"])))
    with pytest.raises(SourceError) as refused:
        decoded(session, server, "amount string", b"")
    said = str(refused.value)
    assert (
        "column amount is of type string, which does not hold its field's bytes (decimal)" in said
    )
    assert "declare it as DECIMAL(10,2)" in said
    assert said.endswith("string string, amount decimal(10,2), at timestamp_ntz")


def test_values_that_a_column_does_not_hold_are_bad_rows(
    session: SparkSession, server: Registry
) -> None:
    for schema, column, body, why in BAD:
        number = server.add("t-value", record("T", ("a", schema)))
        ((row, wrong),) = decoded(session, server, f"a {column}", framed(number, body))
        assert row is None, (schema, column)
        assert why in wrong, (schema, column, wrong)


def test_damaged_messages_never_end_a_task(session: SparkSession, server: Registry) -> None:
    """Each byte of a message changed in turn: a row, or what is wrong with it."""
    schema = record(
        "T", ("a", {"type": "array", "items": "string"}), ("b", ["null", "bytes"]),
        ("c", {"type": "map", "values": "long"}), ("d", COLOUR),
    )  # fmt: skip
    number = server.add("t-value", schema)
    value = {"a": ["x", "yy"], "b": b"123", "c": {"k": 2**40}, "d": "RED"}
    good = avro(number, schema, value)
    messages = [
        good[:at] + struct.pack("B", byte) + good[at + 1 :]
        for at in range(len(good))
        for byte in (0, 1, 0x7F, 0x80, 0xFF)
    ]
    columns = "a array<string>, b binary, c map<string,bigint>, d string"
    found = decoded(session, server, columns, good, *messages)
    assert found[0][1] is None
    assert all((row is None) != (wrong is None) for row, wrong in found)
    assert sum(wrong is not None for _, wrong in found) > 50
