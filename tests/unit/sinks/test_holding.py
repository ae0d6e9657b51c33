"""Which column of a target takes which column of a view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t
from pyspark.sql.pandas.types import to_arrow_type

import groundswell as gs
from groundswell.sinks.clickhouse_http import Client
from groundswell.sinks.clickhouse_table import Table
from groundswell.sinks.holding import check_holds, lacks
from groundswell.sinks.postgres_table import pg_type
from groundswell.sinks.target_types import of_arrow, of_clickhouse, of_postgres
from sinks.conformance import Driven, Target

PLAIN = {
    "boolean": t.BooleanType(),
    "tinyint": t.ByteType(),
    "smallint": t.ShortType(),
    "int": t.IntegerType(),
    "bigint": t.LongType(),
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "string": t.StringType(),
    "binary": t.BinaryType(),
    "date": t.DateType(),
    "timestamp": t.TimestampType(),
    "timestamp_ntz": t.TimestampNTZType(),
    "interval day to second": t.DayTimeIntervalType(),
}


def spark(kind: str) -> t.DataType:
    """The type, without a session to ask."""
    if kind in PLAIN:
        return PLAIN[kind]
    if kind.startswith("decimal("):
        return t.DecimalType(*map(int, kind[8:-1].split(",")))
    outer, inner = kind[:-1].split("<", 1)
    if outer == "array":
        return t.ArrayType(spark(inner))
    if outer == "map":
        return t.MapType(*map(spark, inner.split(",")))
    pairs = [field.split(":") for field in inner.split(",")]
    return t.StructType([t.StructField(name, spark(of)) for name, of in pairs])


CLICKHOUSE = [
    ("bigint", "Int64", None),
    ("bigint", "Int128", None),
    ("bigint", "Int32", "its smallest number is -2147483648"),
    ("bigint", "UInt64", "its smallest number is 0"),
    ("bigint", "Float64", "it keeps whole numbers up to 9007199254740992"),
    ("bigint", "Decimal(19, 0)", None),
    ("bigint", "Decimal(20, 2)", "its smallest number is -999999999999999999"),
    ("int", "Int32", None),
    ("int", "LowCardinality(Nullable(Int32))", None),
    ("int", "UInt8", "its smallest number is 0"),
    ("int", "Float64", None),
    ("int", "Float32", "it keeps whole numbers up to 16777216"),
    ("smallint", "Float32", None),
    ("tinyint", "Bool", "it holds no tinyint"),
    ("boolean", "UInt8", None),
    ("boolean", "Bool", None),
    ("decimal(20,4)", "Decimal(20, 4)", None),
    ("decimal(20,4)", "Decimal(38, 6)", None),
    ("decimal(20,4)", "Decimal(20, 2)", "it keeps 2 of 4 digits after the point"),
    ("decimal(20,4)", "Decimal(18, 4)", "its smallest number is"),
    ("decimal(20,4)", "Float64", "it keeps 15 of 20 digits"),
    ("decimal(15,2)", "Float64", None),
    ("decimal(9,0)", "Int32", None),
    ("decimal(9,1)", "Int32", "it keeps 0 of 1 digits after the point"),
    ("double", "Float32", "it keeps 24 of 53 bits"),
    ("double", "Int64", "it keeps 0 digits after the point"),
    ("double", "Decimal(38, 10)", "it keeps 10 digits after the point"),
    ("float", "Float64", None),
    ("string", "String", None),
    ("string", "LowCardinality(String)", None),
    ("string", "Enum8('a' = 1)", None),
    ("string", "UInt8", "it holds no string"),
    ("string", "FixedString(3)", "it fills every text up to its length"),
    ("date", "Date", None),
    ("date", "Date32", None),
    ("timestamp", "DateTime('UTC')", None),
    ("timestamp", "Date", "it drops the time of the day"),
    ("array<bigint>", "Array(Nullable(Int64))", None),
    ("array<bigint>", "Array(Int32)", "its smallest number is"),
    ("array<date>", "Array(Date32)", None),
    ("map<string,bigint>", "Map(String, Int32)", "its smallest number is"),
    ("map<string,date>", "Map(String, Date32)", "times in it are not checked"),
    ("map<string,date>", "String", None),
    ("struct<a:int,b:double>", "Tuple(a Int32, `b` Float64)", None),
    ("struct<a:int,b:double>", "Tuple(a Int32, b Decimal(10, 2))", "in field b, it keeps 2 digits"),
    ("struct<a:int,b:int>", "Tuple(a Int32)", "it has no field b"),
    ("struct<a:int,b:int>", "Map(String, Int32)", None),
    ("struct<a:int>", "JSON", None),
]
POSTGRES = [
    ("bigint", "integer", None),  # the server raises an error
    ("bigint", "numeric(10,2)", None),
    ("bigint", "numeric(10,-2)", "it keeps -2 of 0 digits after the point"),
    ("bigint", "double precision", "it keeps whole numbers up to 9007199254740992"),
    ("decimal(20,4)", "numeric", None),
    ("decimal(20,4)", "numeric(30,4)", None),
    ("decimal(20,4)", "numeric(20,2)", "it keeps 2 of 4 digits after the point"),
    ("decimal(20,4)", "numeric(5)", "it keeps 0 of 4 digits after the point"),
    ("decimal(20,4)", "money", "it keeps 2 of 4 digits after the point"),
    ("decimal(20,4)", "double precision", "it keeps 15 of 20 digits"),
    ("double", "double precision", None),
    ("double", "numeric", None),
    ("double", "real", "it keeps 24 of 53 bits"),
    ("double", "numeric(10,2)", "it keeps 2 digits after the point"),
    ("float", "real", None),
    ("timestamp", "timestamp with time zone", None),
    ("timestamp", "timestamp(3) with time zone", "it keeps 3 of 6 decimals of a second"),
    ("timestamp_ntz", "timestamp(0) without time zone", "it keeps 0 of 6 decimals of a second"),
    ("timestamp", "date", "it drops the time of the day"),
    ("timestamp", "time without time zone", "it holds no timestamp"),
    ("date", "timestamp without time zone", None),
    ("interval day to second", "interval", None),
    ("interval day to second", "interval(0)", "it holds no interval day to second"),
    ("array<double>", "real[]", "it keeps 24 of 53 bits"),
    ("array<double>", "double precision[]", None),
    ("struct<a:int>", "jsonb", None),
    ("bigint", "text", None),
]
LAKES = [
    ("bigint", pa.int32(), "its smallest number is"),
    ("int", pa.int64(), None),
    ("double", pa.int32(), "it keeps 0 digits after the point"),
    ("double", pa.float32(), "it keeps 24 of 53 bits"),
    ("bigint", pa.float64(), "it keeps whole numbers"),
    ("decimal(20,4)", pa.decimal128(10, 2), "its smallest number is"),
    ("decimal(20,4)", pa.decimal128(20, 4), None),
    ("string", pa.int32(), "it holds no string"),
    ("timestamp", pa.date32(), "it drops the time of the day"),
    ("date", pa.timestamp("us", "UTC"), None),
    ("double", pa.string(), None),
    ("array<double>", pa.list_(pa.float32()), "it keeps 24 of 53 bits"),
    ("struct<a:double>", pa.struct([("a", pa.float32())]), "in field a, it keeps 24"),
    ("map<string,bigint>", pa.map_(pa.string(), pa.int32()), "its smallest number is"),
    ("binary", pa.binary(), None),
]


def same(found: str | None, expected: str | None) -> bool:
    return found == expected or (bool(expected) and str(found).startswith(str(expected)))


@pytest.mark.parametrize(("view", "target", "lacking"), CLICKHOUSE)
def test_types_of_clickhouse(view: str, target: str, lacking: str | None) -> None:
    assert same(lacks(of_clickhouse(target), spark(view)), lacking)


@pytest.mark.parametrize(("view", "target", "lacking"), POSTGRES)
def test_types_of_postgres(view: str, target: str, lacking: str | None) -> None:
    assert same(lacks(of_postgres(target), spark(view)), lacking)


@pytest.mark.parametrize(("view", "target", "lacking"), LAKES)
def test_types_of_lakes(view: str, target: pa.DataType, lacking: str | None) -> None:
    assert same(lacks(of_arrow(target), spark(view)), lacking)


ALL = [
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "date"),
    *("timestamp", "timestamp_ntz", "decimal(38,18)", "array<array<double>>"),
    *("array<timestamp>", "struct<a:bigint,b:date>", "map<string,timestamp>"),
]


@pytest.mark.parametrize("kind", ALL)
def test_types_that_sinks_make_hold_the_view(kind: str) -> None:
    client = Client("http://nowhere:1", None, None)
    client.__dict__["version"] = (26, 9)
    made = Table(client, "d.t")._plain_type(spark(kind), "c")
    assert lacks(of_clickhouse(made), spark(kind)) is None
    assert lacks(of_postgres(pg_type(spark(kind), "c")), spark(kind)) is None
    assert lacks(of_arrow(to_arrow_type(spark(kind), timezone="UTC")), spark(kind)) is None


def test_the_error_names_column_and_types_and_says_what_to_cast() -> None:
    field = t.StructField("n", t.LongType())
    with pytest.raises(gs.SinkError) as failed:
        check_holds("table `d`.`out`", field, "Int32", of_clickhouse("Int32"))
    assert str(failed.value) == (
        "column n of table `d`.`out` is of type Int32, and the view gives bigint: its smallest "
        "number is -2147483648, so values could be changed. Cast n in the query to a type that "
        "Int32 holds, or give the target's column a type that holds every bigint"
    )


class Narrow(Target):
    format = "delta"

    def __init__(self, path: Path) -> None:
        self.options = {"path": str(path)}

    def rows(self) -> list[tuple[Any, ...]]:
        return []


@pytest.mark.parametrize(
    ("column", "kind", "lacking"),
    [
        ("n", pa.int32(), "is of type int32, and the view gives bigint"),
        ("total", pa.float32(), "is of type float, and the view gives double"),
        ("total", pa.int32(), "is of type int32, and the view gives double"),
    ],
)
@pytest.mark.parametrize("mode", ["merge", "append"])
def test_delta_refuses_a_narrower_column_at_the_start(
    tmp_path: Path, column: str, kind: pa.DataType, lacking: str, mode: str
) -> None:
    deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")
    schema = {"customer": pa.int64(), "n": pa.int64(), "total": pa.float64(), "name": pa.string()}
    deltalake.DeltaTable.create(str(tmp_path / "out"), schema=pa.schema({**schema, column: kind}))
    driven = Driven(Narrow(tmp_path / "out"), mode=mode)
    driven.append_only = True
    with pytest.raises(gs.SinkError, match=f"column {column} of Delta table .* {lacking}"):
        driven.start()
