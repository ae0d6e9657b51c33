"""What a ClickHouse sink writes into columns and tables that the user made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

import groundswell as gs
from groundswell.sinks.clickhouse_http import Client
from sinks.conformance import Driven, InArrow, Target
from systems.servers import ClickHouse

NUMBER = count()
TEXT = (t.StringType(), pa.string())
WHOLE = (t.LongType(), pa.int64())
PAIR = (
    t.StructType([t.StructField("a", t.IntegerType()), t.StructField("b", t.StringType())]),
    pa.struct([("a", pa.int32()), ("b", pa.string())]),
)
COUNTS = (t.MapType(t.StringType(), t.IntegerType()), pa.map_(pa.string(), pa.int32()))


class Out(Target):
    """A table of ``id`` and ``v``."""

    format = "clickhouse"

    def __init__(self, server: ClickHouse, column: str, order: str, engine: str) -> None:
        self.server, self.table = server, f"own{next(NUMBER)}"
        self.options = {"url": server.url, "table": self.table}
        if server.PASSWORD:
            self.options |= {"user": "default", "password": server.PASSWORD}
        self.ask(
            f"CREATE TABLE {self.table} (id Int64, v {column}, epoch UInt64, deleted UInt8) "
            f"ENGINE = {engine} ORDER BY {order}",
            run=True,
        )

    def ask(self, query: str, run: bool = False) -> list[list[str]]:
        client = Client(self.server.url, "default", self.server.PASSWORD or None)
        try:
            if run:
                client.run(query)
                return []
            return client.rows(query)
        finally:
            client.close()

    def rows(self) -> list[Any]:
        return self.ask(
            f"SELECT id, toString(v) FROM {self.table} FINAL WHERE deleted = 0 ORDER BY id"
        )


@pytest.fixture
def make(clickhouse: ClickHouse) -> Callable[..., Out]:
    if clickhouse.PASSWORD:
        pytest.skip("18.16 has no named tuples, and does not say how tables are ordered")

    def made(column: str, order: str = "id", engine: str = "ReplacingMergeTree(epoch)") -> Out:
        return Out(clickhouse, column, order, engine)

    return made


def write(
    target: Out, of: tuple[t.DataType, pa.DataType], *epochs: list[Any], key: str = "id"
) -> None:
    driven = Driven(target)
    driven.schema = t.StructType([t.StructField("id", t.LongType()), t.StructField("v", of[0])])
    driven.key = tuple(key.split(","))
    try:
        driven.start()
        for number, changes in enumerate(epochs):
            ids, values, kinds = zip(*changes, strict=True)
            columns = [pa.array(ids, pa.int64()), pa.array(values, of[1]), pa.array(kinds)]
            rows = pa.Table.from_arrays(columns, ["id", "v", "_change_type"])
            driven.sink.write(number, InArrow(rows))
            driven.sink.commit(number)
    finally:
        driven.sink.close()


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("Tuple(a Int32, b String)", "(1,\\'x\\')"),
        ("Tuple(b String, a Nullable(Int32))", "(\\'x\\',1)"),
    ],
)
def test_a_struct_goes_into_a_tuple_by_names(
    make: Callable[..., Out], column: str, text: str
) -> None:
    """Servers of today describe a tuple on several lines, and no field of it was found."""
    target = make(column)
    write(target, PAIR, [(1, {"a": 1, "b": "x"}, "insert")])
    assert target.rows() == [["1", text]]


@pytest.mark.parametrize(
    ("column", "of", "value", "type_"),
    [
        ("Map(String, Int32)", COUNTS, {"a": 1, "b": None}, "Int32"),
        ("Array(Map(String, Int32))", (t.ArrayType(COUNTS[0]), pa.list_(COUNTS[1])),
         [{"a": None}], "Int32"),
        ("Map(String, String)", PAIR, {"a": 1, "b": None}, "String"),
        ("Tuple(a Int32, b String)", PAIR, {"a": None, "b": "x"}, "Int32"),
        ("Array(Tuple(a Int32, b String))", (t.ArrayType(PAIR[0]), pa.list_(PAIR[1])),
         [None], "Tuple"),
    ],
)  # fmt: skip
def test_a_null_within_a_value_that_its_type_does_not_hold_is_a_refused_row(
    make: Callable[..., Out], column: str, of: Any, value: Any, type_: str
) -> None:
    """ClickHouse stored 0 for the null of a map."""
    with pytest.raises(gs.SinkRowRefused, match=rf"has a {type_}.*, which holds no null.*id = 7"):
        write(make(column), of, [(7, value, "insert")])


def test_a_null_within_a_value_arrives_where_its_type_holds_it(make: Callable[..., Out]) -> None:
    target = make("Map(String, Nullable(Int32))")
    write(target, COUNTS, [(1, {"a": 1, "b": None}, "insert")])
    assert target.rows() == [["1", "{\\'a\\':1,\\'b\\':NULL}"]]


@pytest.mark.parametrize(
    ("key", "order"),
    [("id,v", "id"), ("id", "(id, v)"), ("id", "intDiv(id, 10)"), ("id", "tuple()")],
)
def test_a_table_that_is_not_ordered_by_the_key_is_refused(
    make: Callable[..., Out], key: str, order: str
) -> None:
    """It merges rows of different keys into one, or keeps old rows of a key."""
    with pytest.raises(gs.SinkError, match=r"is ordered by .*, and the sink's key is"):
        write(make("Int64", order), WHOLE, key=key)


@pytest.mark.parametrize("order", ["(v, id)", "(id, v)", "(`id`, `v`)"])
def test_a_table_may_be_ordered_by_the_key_in_any_order(
    make: Callable[..., Out], order: str
) -> None:
    target = make("Int64", order)
    write(target, WHOLE, [(1, 1, "insert"), (1, 2, "insert")], [(1, 1, "delete")], key="id,v")
    assert target.rows() == [["1", "2"]]


def test_a_table_that_keeps_another_row_than_the_newest_is_refused(
    make: Callable[..., Out],
) -> None:
    with pytest.raises(gs.SinkError, match="keeps the row with the largest v"):
        write(make("Int64", engine="ReplacingMergeTree(v)"), WHOLE)


def test_a_key_of_texts_goes_into_no_column_that_takes_two_for_one(
    make: Callable[..., Out],
) -> None:
    with pytest.raises(gs.SinkError, match=r"key column v of table .* Rows would be lost"):
        write(make("IPv6", "v"), TEXT, key="v")


def test_a_uuid_of_a_key_has_one_form(make: Callable[..., Out]) -> None:
    """Two texts of one UUID were one row, and the deletion of one took both."""
    target, small = make("UUID", "v"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    write(target, TEXT, [(1, small, "insert")], key="v")
    assert target.rows() == [["1", small]]
    with pytest.raises(gs.SinkRowRefused, match="of type UUID, which does not hold A0EE"):
        write(target, TEXT, [(2, small.upper(), "insert")], key="v")


def test_types_that_cannot_be_sent_are_refused_within_others_too(make: Callable[..., Out]) -> None:
    """A struct of months was taken by the start, and ended the sink's first epoch."""
    months = t.StructType([t.StructField("m", t.YearMonthIntervalType())])
    for kind in (months, t.ArrayType(months)):
        with pytest.raises(gs.SinkError, match=r"column v .* cannot write to ClickHouse"):
            write(make("String"), (kind, pa.null()))


@pytest.mark.parametrize(
    ("column", "right", "wrong"),
    [
        ("Enum8('a' = 1, 'it\\'s' = 2)", "it's", "b"),
        ("UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99"),
        ("IPv4", "10.0.0.1", "10.0.0.256"),
        ("IPv6", "::1", "here"),
    ],
)
def test_a_text_that_a_type_does_not_read_is_a_refused_row(
    make: Callable[..., Out], column: str, right: str, wrong: str
) -> None:
    """The server said it of the insert, and the sink stopped without the row's name."""
    target = make(column)
    write(target, TEXT, [(1, right, "insert")])
    assert len(target.rows()) == 1
    with pytest.raises(gs.SinkRowRefused, match=r"column v .* does not take .* of the row id = 2"):
        write(target, TEXT, [(2, wrong, "insert")])


@pytest.mark.parametrize("how", ["ALIAS", "MATERIALIZED"])
def test_a_column_that_the_server_fills_is_refused_at_the_start(
    make: Callable[..., Out], how: str
) -> None:
    with pytest.raises(gs.SinkError, match=f"column v of table .* is {how}"):
        write(make(f"String {how} 'x'"), TEXT)
