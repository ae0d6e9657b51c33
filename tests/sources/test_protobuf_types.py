"""Every type of Protobuf in columns that may hold it: equal, refused, or named as a bad row."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.errors import SourceError
from groundswell.sources.registry import registered
from sources.protobufs import File, protobuf
from sources.registries import Registry, avro, framed, registry

pytestmark = pytest.mark.rest

AT = datetime(2023, 11, 14, 22, 13, 20, 123_456)
BASE = ".google.protobuf."


class Cell(NamedTuple):
    """A field with a value, and what a column has of it."""

    name: str
    kind: str
    how: str
    column: str
    value: Any
    want: Any


NONE = object()
"""Of a field that is not set."""
CELLS = [
    Cell("int32", "int32", "", "int", -(2**31), -(2**31)),
    Cell("sint32", "sint32", "", "bigint", -1, -1),
    Cell("sfixed32", "sfixed32", "", "int", -5, -5),
    Cell("small", "int32", "", "smallint", 32767, 32767),
    Cell("uint32", "uint32", "", "bigint", 2**32 - 1, 2**32 - 1),
    Cell("uint32_int", "uint32", "", "int", 7, 7),
    Cell("fixed32", "fixed32", "", "bigint", 2**31, 2**31),
    Cell("int64", "int64", "", "bigint", -(2**63), -(2**63)),
    Cell("sint64", "sint64", "", "bigint", 2**63 - 1, 2**63 - 1),
    Cell("sfixed64", "sfixed64", "", "bigint", -2, -2),
    Cell("uint64", "uint64", "", "decimal(20,0)", 2**64 - 1, Decimal(2**64 - 1)),
    Cell("uint64_long", "uint64", "", "bigint", 2**63 - 1, 2**63 - 1),
    Cell("fixed64", "fixed64", "", "decimal(22,2)", 2**63, Decimal(2**63)),
    Cell("float", "float", "", "float", 1.5, 1.5),
    Cell("float_double", "float", "", "double", 0.5, 0.5),
    Cell("double", "double", "", "double", float("-inf"), float("-inf")),
    Cell("bool", "bool", "", "boolean", True, True),
    Cell("string", "string", "", "string", "aß😀\0", "aß😀\0"),
    Cell("bytes", "bytes", "", "binary", b"\0\xff", b"\0\xff"),
    Cell("enum", "enum .shop.Colour", "", "string", 1, "BLUE"),
    Cell("enum_number", "enum .shop.Colour", "", "int", 9, 9),
    Cell("unset_number", "int32", "", "int", NONE, 0),
    Cell("unset_text", "string", "", "string", NONE, ""),
    Cell("unset_enum", "enum .shop.Colour", "", "string", NONE, "RED"),
    Cell("one_of", "string", "choice", "string", "x", "x"),
    Cell("other_of", "int32", "choice", "int", NONE, None),
    Cell("optional", "int32", "optional", "int", 0, 0),
    Cell("optional_unset", "int32", "optional", "int", NONE, None),
    Cell("repeated", "int64", "repeated", "array<bigint>", [1, 2], [1, 2]),
    Cell("repeated_unset", "int64", "repeated", "array<bigint>", NONE, []),
    Cell("map", "map string,uint32", "", "map<string,bigint>", {"b": 1, "a": 2}, {"a": 2, "b": 1}),
    Cell("map_unset", "map int32,string", "", "map<int,string>", NONE, {}),
    Cell("message", ".shop.Inner", "", "struct<b:string,A:int>", {"a": 3}, ("", 3)),
    Cell("message_unset", ".shop.Inner", "", "struct<a:int>", NONE, None),
    Cell("messages", ".shop.Inner", "repeated", "array<struct<a:int>>", [{"a": 1}], [(1,)]),
    Cell(
        "timestamp",
        f"{BASE}Timestamp",
        "",
        "timestamp_ntz",
        {"seconds": 1_700_000_000, "nanos": 123_456_999},
        AT,
    ),
    Cell(
        "instant",
        f"{BASE}Timestamp",
        "",
        "timestamp",
        {"seconds": 1_700_000_000, "nanos": 123_456_000},
        AT,
    ),
    Cell(
        "parts",
        f"{BASE}Timestamp",
        "",
        "struct<seconds:bigint,nanos:int>",
        {"seconds": 1, "nanos": 2},
        (1, 2),
    ),
    Cell("timestamp_unset", f"{BASE}Timestamp", "", "timestamp", NONE, None),
    Cell(
        "duration",
        f"{BASE}Duration",
        "",
        "interval day to second",
        {"seconds": -1, "nanos": -500_000_000},
        timedelta(seconds=-1.5),
    ),
    Cell("wrapped", f"{BASE}Int64Value", "", "bigint", {"value": 0}, 0),
    Cell("wrapped_text", f"{BASE}StringValue", "", "string", {"value": "a"}, "a"),
    Cell(
        "wrapped_unsigned",
        f"{BASE}UInt64Value",
        "",
        "decimal(20,0)",
        {"value": 2**64 - 1},
        Decimal(2**64 - 1),
    ),
    Cell("wrapped_unset", f"{BASE}BoolValue", "", "boolean", NONE, None),
]
REFUSED = [
    ("int64", "", "int"),
    ("uint64", "", "int"),
    ("double", "", "float"),
    ("string", "", "binary"),
    ("bytes", "", "string"),
    ("bool", "", "int"),
    ("int32", "repeated", "int"),
    ("int32", "", "array<int>"),
    ("map string,int32", "", "map<int,int>"),
    (".shop.Inner", "", "string"),
    (".shop.Inner", "", "struct<c:int>"),
    (f"{BASE}Timestamp", "", "bigint"),
    (f"{BASE}Timestamp", "", "date"),
    (f"{BASE}Int64Value", "", "int"),
    ("enum .shop.Colour", "", "bigint"),
]
BAD = [
    ("uint32", "int", 2**32 - 1, "column f: 4294967295 is no int"),
    ("int32", "tinyint", 200, "column f: 200 is no tinyint"),
    ("uint64", "bigint", 2**63, "column f: 9223372036854775808 is no bigint"),
    ("uint64", "decimal(3,0)", 1000, "column f: 1000 is no decimal(3,0)"),
    ("enum .shop.Colour", "string", 9, "column f: 9 is no value of enum shop.Colour"),
    (f"{BASE}Timestamp", "timestamp", {"seconds": 2**40}, "is no timestamp"),
    (f"{BASE}Timestamp", "timestamp", {"seconds": 2**60}, "out of range"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Registry]:
    with registry() as found:
        yield found


def file_of(*fields: tuple[Any, ...]) -> File:
    found = File("order.proto").message("T", *fields)
    found.message("Inner", (1, "a", "int32"), (2, "b", "string"))
    return found.enum("Colour", "RED", "BLUE")


def decoded(
    session: SparkSession, server: Registry, columns: str, *messages: bytes, **options: Any
) -> list[Any]:
    """What a subject ``t-value`` makes of messages: the row, and what is wrong."""
    url = {"url": server.url, "timeout": 5, **options}
    given = registered("the test", "protobuf", url, ["t"], False)
    frame = session.createDataFrame([(each,) for each in messages], "value binary").coalesce(1)
    spec = given.spec(StructType.fromDDL(columns), "row")
    made = jvm.decoded_messages(frame, "value", "v", spec)
    return [(row.v.row, row.v.wrong) for row in made.select("v").collect()]


def test_values_are_equal(session: SparkSession, server: Registry) -> None:
    fields = [(n, cell.name, cell.kind, cell.how) for n, cell in enumerate(CELLS, 1)]
    file = file_of(*fields)
    number = server.add("t-value", file.text, "PROTOBUF")
    message = file.make("T")
    for cell in CELLS:
        if cell.value is not NONE:
            part = file.make("T", **{cell.name: cell.value})
            message.MergeFromString(part.SerializeToString())
    columns = ", ".join(f"`{cell.name}` {cell.column}" for cell in CELLS)
    ((row, wrong),) = decoded(session, server, columns, protobuf(number, message))
    assert wrong is None
    found = {cell.name: row[cell.name] for cell in CELLS}
    found["instant"] = datetime.fromtimestamp(row["instant"].timestamp(), UTC).replace(tzinfo=None)
    found["bytes"] = bytes(found["bytes"])
    assert found == {cell.name: cell.want for cell in CELLS}


@pytest.mark.parametrize(("kind", "how", "column"), REFUSED)
def test_columns_that_do_not_hold_a_type_are_refused(
    session: SparkSession, server: Registry, kind: str, how: str, column: str
) -> None:
    server.add("t-value", file_of((1, "f", kind, how)).text, "PROTOBUF")
    with pytest.raises(SourceError, match=r"schema \d+ of subject t-value does not have the"):
        decoded(session, server, f"f {column}", b"")


def test_a_refusal_names_the_columns_of_the_subject(
    session: SparkSession, server: Registry
) -> None:
    file = file_of((1, "id", "uint64"), (2, "at", f"{BASE}Timestamp"), (3, "self", ".shop.T"))
    server.add("t-value", file.text, "PROTOBUF")
    with pytest.raises(SourceError) as refused:
        decoded(session, server, "id string", b"")
    said = str(refused.value)
    assert "which does not hold its field's uint64: declare it as DECIMAL(20,0)" in said
    assert said.endswith("Its columns are: id decimal(20,0), at timestamp")
    with pytest.raises(SourceError, match=r"it has no message Nope, but shop\.T, shop\.Inner"):
        decoded(session, server, "id string", b"", message="Nope")
    server.add("t-value", 'syntax = "proto3"; message T { int64 id = 1; }', "PROTOBUF")
    with pytest.raises(SourceError, match=r"as text. Use one that gives it compiled"):
        decoded(session, server, "id bigint", b"")


def test_values_that_a_column_does_not_hold_are_bad_rows(
    session: SparkSession, server: Registry
) -> None:
    for kind, column, value, why in BAD:
        file = file_of((1, "f", kind))
        number = server.add("t-value", file.text, "PROTOBUF")
        message = protobuf(number, file.make("T", f=value))
        ((row, wrong),) = decoded(session, server, f"f {column}", message)
        assert row is None, (kind, column)
        assert why in wrong, (kind, column, wrong)


def test_messages_of_other_schemas_and_of_other_kinds(
    session: SparkSession, server: Registry
) -> None:
    """Numbers make a field what it is: names may change, and fields come and go."""
    old = file_of((1, "id", "int32"), (2, "title", "string"), (4, "gone", "string"))
    new = file_of((1, "id", "int64"), (2, "name", "string"), (3, "price", "double", "optional"))
    odd = file_of((1, "id", "string"))
    first, other = (server.add("u", file.text, "PROTOBUF") for file in (old, odd))
    second = server.add("t-value", new.text, "PROTOBUF")
    schema = avro(server.add("x", "long"), "long", 1)
    bad = {
        protobuf(other, odd.make("T", id="a")): "which does not hold its field's string",
        protobuf(second, new.make("Inner"), [1]): "it is a shop.Inner, and shop.T is read",
        protobuf(second, new.make("Inner"), [7]): "its schema has no message at [7]",
        protobuf(second, new.make("Inner"), [0, 0]): "its schema has no message at [0, 0]",
        framed(second, b"\x01"): "it names its message by -1 numbers",
        framed(second, b""): "it is no message of Protobuf",
        framed(second, b"\0\x12\x7f"): "it is no message of Protobuf",
        schema: "is of type AVRO, not PROTOBUF",
        framed(9999, b"\0"): "its schema id is 9999, and the schema registry",
    }
    found = decoded(
        session, server, "id bigint, name string, price double",
        protobuf(first, old.make("T", id=1, title="a", gone="x")),
        protobuf(second, new.make("T", id=2**40, price=0.0)),
        protobuf(second, new.make("T", id=3), [0]),
        *bad,
    )  # fmt: skip
    assert [tuple(row) for row, _ in found[:3]] == [(1, "a", None), (2**40, "", 0.0), (3, "", None)]
    for (row, wrong), why in zip(found[3:], bad.values(), strict=True):
        assert row is None
        assert why in wrong, (why, wrong)


def test_another_message_of_a_file_and_files_that_it_imports(
    session: SparkSession, server: Registry
) -> None:
    money = File("money.proto").message("Money", (1, "cents", "int64"))
    order = File("order.proto", imports=["money.proto"])
    order.message("Other").message("Order", (1, "id", "int64"), (2, "price", ".shop.Money"))
    server.add("money", money.text, "PROTOBUF")
    number = server.add("t-value", order.text, "PROTOBUF", references=[("money.proto", "money", 1)])
    message = order.make("Order", money, id=1, price={"cents": 5})
    columns = "id bigint, price struct<cents:bigint>"
    found = decoded(session, server, columns, protobuf(number, message, [1]), message="shop.Order")
    assert found == [((1, (5,)), None)]


def test_damaged_messages_never_end_a_task(session: SparkSession, server: Registry) -> None:
    """Each byte of a message changed in turn: a row, or what is wrong with it."""
    file = file_of(
        (1, "a", "string", "repeated"), (2, "b", "map string,int64"), (3, "c", ".shop.Inner"),
        (4, "d", "enum .shop.Colour"),
    )  # fmt: skip
    number = server.add("t-value", file.text, "PROTOBUF")
    good = protobuf(number, file.make("T", a=["x", "yy"], b={"k": 2**40}, c={"a": 1}, d=1))
    messages = [
        good[:at] + bytes([byte]) + good[at + 1 :]
        for at in range(len(good))
        for byte in (0, 1, 0x7F, 0x80, 0xFF)
    ]
    columns = "a array<string>, b map<string,bigint>, c struct<a:int>, d string"
    found = decoded(session, server, columns, good, *messages)
    assert found[0][1] is None
    assert all((row is None) != (wrong is None) for row, wrong in found)
    assert sum(wrong is not None for _, wrong in found) > 50
