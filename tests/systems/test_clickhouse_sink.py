"""The sink of ClickHouse, on Debian's old server and on today's engine."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sinks.clickhouse_http import Client
from sinks.conformance import (
    AppendConformance,
    Driven,
    InArrow,
    KeyedConformance,
    Pipelines,
    RefusedRows,
    Restarts,
    Row,
    Target,
    insert,
    row,
    take_a_million_rows,
)
from systems.servers import ClickHouse


class Table(Target):
    """A table of the sink's own making: changes."""

    format = "clickhouse"

    def __init__(self, server: ClickHouse, **options: Any) -> None:
        self.server = server
        self.options = {"url": server.url, "table": "out", "create_table": True, **options}
        if server.PASSWORD:
            self.options |= {"user": "default", "password": server.PASSWORD}
        for name in ("out", "groundswell_epochs"):
            self.run(f"DROP TABLE IF EXISTS {name}")

    def client(self) -> Client:
        return Client(self.server.url, "default", self.server.PASSWORD or None)

    def run(self, statement: str) -> None:
        client = self.client()
        client.run(statement)
        client.close()

    def select(self, query: str) -> list[list[str]]:
        client = self.client()
        try:
            return client.rows(query)
        finally:
            client.close()

    def rows(self) -> list[Row]:
        if self.select("EXISTS TABLE out") == [["0"]]:
            return []
        return self.read("out FINAL WHERE deleted = 0")

    def read(self, source: str) -> list[Row]:
        found = self.select(
            f"SELECT customer, n, total, isNull(name), toString(name) FROM {source}"
        )
        return sorted(
            (int(k), int(n), float(t), None if null == "1" else unescaped(name))
            for k, n, t, null, name in found
        )


def unescaped(text: str) -> str:
    return text.replace("\\t", "\t").replace("\\'", "'").replace("\\\\", "\\")


class Growing(Table):
    """A table that was there before, without anything of ours."""

    append_only = True

    N = "Int64"

    def __init__(self, server: ClickHouse, **options: Any) -> None:
        super().__init__(server, create_table=False, mode="append", **options)
        self.run(
            f"CREATE TABLE out (customer Int64, n {self.N}, total Float64, name Nullable(String)) "
            "ENGINE = MergeTree ORDER BY customer"
        )

    def rows(self) -> list[Row]:
        return self.read("out")


class Narrow(Growing):
    """The same, and its column ``n`` does not hold every value of the view's."""

    N = "Int32"

    @property
    def refused(self) -> list[Row]:
        return [row(7, 3_000_000_000)]


class TestChanges(KeyedConformance, Pipelines, Restarts):
    @pytest.fixture
    def target(self, clickhouse: ClickHouse) -> Table:
        return Table(clickhouse)


class TestNarrow(RefusedRows):
    @pytest.fixture
    def target(self, clickhouse: ClickHouse) -> Narrow:
        return Narrow(clickhouse, narrowing="fail")


class TestAppending(AppendConformance, Pipelines):
    @pytest.fixture
    def target(self, clickhouse: ClickHouse) -> Growing:
        return Growing(clickhouse)

    @pytest.mark.parametrize("inserted", [True, False])
    def test_a_crash_between_the_rows_and_their_number(
        self, driven: Driven, target: Growing, inserted: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        driven.start()
        driven.epoch(0, insert(1))
        real = Client.insert

        def dies(self: Client, *args: Any) -> None:
            if inserted:
                real(self, *args)
            raise ConnectionAbortedError

        with monkeypatch.context() as patched:
            patched.setattr(Client, "insert", dies)
            with pytest.raises(ConnectionAbortedError):
                driven.epoch(1, insert(2), insert(3))
        again = Driven(target, token=2)
        assert again.start() == gs.SinkProgress(1, 1 if inserted else 0)
        if not inserted:
            again.epoch(1, insert(2), insert(3))
        assert target.rows() == [row(1), row(2), row(3)]

    def test_others_that_write_meanwhile_are_noticed(
        self, driven: Driven, target: Growing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        driven.start()
        driven.epoch(0, insert(1))
        with monkeypatch.context() as patched:
            patched.setattr(Client, "insert", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                driven.epoch(1, insert(2), insert(3))
        target.run("INSERT INTO out (customer, n, total) VALUES (9, 9, 9)")
        with pytest.raises(
            gs.SinkError, match="had 1 rows before epoch 1 was inserted, which has 2"
        ):
            Driven(target, token=2).start()


@pytest.mark.parametrize("inserted", [True, False])
def test_rows_that_come_again_replace_themselves(
    clickhouse: ClickHouse, inserted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Growing(clickhouse)
    target.run("DROP TABLE out")
    target.run(
        "CREATE TABLE out (customer Int64, n Int64, total Float64, name Nullable(String)) "
        "ENGINE = ReplacingMergeTree() ORDER BY (customer, n)"
    )
    driven = Driven(target)
    driven.start()
    driven.epoch(0, insert(1))
    real = Client.insert

    def dies(self: Client, *args: Any) -> None:
        if inserted:
            real(self, *args)
        raise ConnectionAbortedError

    with monkeypatch.context() as patched:
        patched.setattr(Client, "insert", dies)
        with pytest.raises(ConnectionAbortedError):
            driven.epoch(1, insert(2), insert(3))
    target.run("OPTIMIZE TABLE out FINAL")
    again = Driven(target, token=2)
    assert again.start() == gs.SinkProgress(1, 0)
    again.epoch(1, insert(2), insert(3))
    assert target.read("out FINAL") == [row(1), row(2), row(3)]
    again.sink.close()


def test_insert_tokens_leave_a_second_insert_out(clickhouse: ClickHouse) -> None:
    if Table(clickhouse).client().version < (22, 3):
        pytest.skip("this server has no insert tokens")
    target = Growing(clickhouse)
    target.run("DROP TABLE out")
    target.options["create_table"] = True
    driven = Driven(target)
    driven.start()
    rows = [b'{"customer":1,"n":1,"total":1}\n']
    for _ in range(2):
        target.client().insert("INSERT INTO out FORMAT JSONEachRow", rows, "a-token")
    assert target.select("SELECT count() FROM out") == [["1"]]
    assert driven.sink._table.takes_tokens  # type: ignore[attr-defined]


def test_types(clickhouse: ClickHouse) -> None:
    from datetime import UTC, date, datetime
    from decimal import Decimal

    from pyspark.sql import types as t

    table = Table(clickhouse)
    driven = Driven(table)
    driven.schema = t.StructType(
        [
            t.StructField("customer", t.LongType()),
            t.StructField("b", t.BooleanType()),
            t.StructField("d", t.DecimalType(10, 3)),
            t.StructField("day", t.DateType()),
            t.StructField("at", t.TimestampType()),
            t.StructField("a", t.ArrayType(t.LongType(), False)),
            t.StructField("o", t.StructType([t.StructField("p", t.LongType())])),
        ]
    )
    driven.start()
    values = {
        "customer": [1],
        "b": [True],
        "d": [Decimal("12.340")],
        "day": [date(2024, 2, 29)],
        "at": [datetime(2024, 10, 27, 0, 30, 15, tzinfo=UTC)],
        "a": [[1, 2]],
        "o": [{"p": 7}],
        "_change_type": ["insert"],
    }
    table_of = pa.table({**values, "d": pa.array(values["d"], pa.decimal128(10, 3))})
    driven.sink.write(0, InArrow(table_of))
    driven.sink.commit(0)
    ((b, d, day, at, a, o),) = table.select("SELECT b, d, day, toUnixTimestamp(at), a, o FROM out")
    assert (b, float(d), day, at, a) == ("1", 12.34, "2024-02-29", "1729989015", "[1,2]")
    assert o.replace(" ", "").replace("\\", "") == '{"p":7}'


def test_the_first_and_the_last_time(clickhouse: ClickHouse) -> None:
    from datetime import UTC, datetime

    from pyspark.sql import types as t

    table = Table(clickhouse)
    if table.client().version < (22, 8):
        pytest.skip("this server has no DateTime64 from 1900 to 2299")
    driven = Driven(table)
    driven.schema = t.StructType(
        [t.StructField("customer", t.LongType()), t.StructField("at", t.TimestampType())]
    )
    driven.start()
    times = [
        datetime(1900, 1, 1, tzinfo=UTC),
        datetime(2286, 11, 20, 17, 46, 40, tzinfo=UTC),
        datetime(2299, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ]
    rows = {"customer": range(3), "at": times, "_change_type": ["insert"] * 3}
    driven.sink.write(0, InArrow(pa.table(rows)))
    driven.sink.commit(0)
    found = table.select("SELECT toString(at) FROM out ORDER BY customer")
    assert [text for (text,) in found] == [f"{at:%Y-%m-%d %H:%M:%S.%f}" for at in times]
    late = {"customer": [9], "at": [datetime(9999, 12, 31, tzinfo=UTC)], "_change_type": ["insert"]}
    with pytest.raises(gs.SinkError, match="row customer = 9, is out of its range"):
        driven.sink.write(1, InArrow(pa.table(late)))
    assert table.select("SELECT count() FROM out") == [["3"]]


BAD = {
    "no table": ("", {}, r"there is no table `default`\.`out`.*create_table"),
    "a misspelt table": ("CREATE TABLE outs (a UInt8) ENGINE = Memory", {}, "did you mean 'outs'"),
    "no column": (
        "CREATE TABLE out (customer Int64, n Int64, totals Float64, name String, epoch UInt64, "
        "deleted UInt8) ENGINE = ReplacingMergeTree(epoch) ORDER BY customer",
        {},
        "no column 'total'; did you mean 'totals'",
    ),
    "another type": (
        "CREATE TABLE out (customer Int64, n Date, total Float64, name String, epoch UInt64, "
        "deleted UInt8) ENGINE = ReplacingMergeTree(epoch) ORDER BY customer",
        {},
        "column n of table .* is a Date, and the view gives bigint",
    ),
    "a narrower column": (
        "CREATE TABLE out (customer Int64, n Int32, total Float64, name String, epoch UInt64, "
        "deleted UInt8) ENGINE = ReplacingMergeTree(epoch) ORDER BY customer",
        {},
        "column n of table .* is of type Int32, and the view gives bigint: its smallest number",
    ),
    "another engine": (
        "CREATE TABLE out (customer Int64, n Int64, total Float64, name String, epoch UInt64, "
        "deleted UInt8) ENGINE = MergeTree ORDER BY customer",
        {},
        r"of engine MergeTree; changes want ENGINE = ReplacingMergeTree\(epoch\) ORDER BY",
    ),
    "a column called as ours": ("", {"epoch_column": "n"}, "has a column n of its own"),
    "a user that is none": ("", {"user": "nobody-here", "password": "wrong-guess"}, "let us in"),
    "a port where nobody listens": ("", {"url": "http://127.0.0.1:1"}, "cannot be reached"),
    "a password in the url": ("", {"url": "http://me:pw-7@127.0.0.1"}, "holds a user or a passw"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_before_anything_is_written(clickhouse: ClickHouse, case: str) -> None:
    statement, options, message = BAD[case]
    table = Table(clickhouse, create_table=False)
    table.run("DROP TABLE IF EXISTS outs")
    if statement:
        table.run(statement)
    if "user" in options and not clickhouse.PASSWORD:
        pytest.skip("chdb has no users")
    table.options.update(options)
    with pytest.raises(gs.GroundswellError, match=message) as failed:
        Driven(table).start()
    assert "wrong-guess" not in str(failed.value)
    assert table.select("EXISTS TABLE groundswell_epochs") == [["0"]]


@pytest.mark.soak
def test_a_million_rows_in_one_epoch(session: SparkSession, clickhouse: ClickHouse) -> None:
    table = Table(clickhouse)
    driven = Driven(table)
    take_a_million_rows(session, driven)
    assert table.select("SELECT count(), sum(n) FROM out") == [["1000000", "499999500000"]]
