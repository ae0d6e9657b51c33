"""The sink of PostgreSQL, on a real server."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from sinks import workload
from sinks.conformance import (
    SEED,
    AppendConformance,
    Driven,
    KeyedConformance,
    Pipelines,
    Restarts,
    Row,
    Target,
    delete,
    insert,
    launch,
    row,
    take_a_million_rows,
    update,
)
from systems.servers import Postgres


class Table(Target):
    """A table that the sink makes."""

    format = "postgres"

    def __init__(self, server: Postgres, secret: Path, **options: Any) -> None:
        self.server = server
        secret.write_text(server.PASSWORD + "\n")
        self.options = {
            "dsn": f"postgresql://owner@127.0.0.1:{server.port}/postgres",
            "password_file": str(secret),
            "table": "out",
            "create_table": True,
            **options,
        }
        self.run("DROP SCHEMA public CASCADE")
        self.run("CREATE SCHEMA public")

    def run(self, query: str) -> list[Row]:
        with self.server.connect() as connection:
            done = connection.execute(query)
            return done.fetchall() if done.description else []

    @property
    def refused(self) -> list[Row]:
        return [*super().refused, row(7, name="a\0b")]

    def rows(self) -> list[Row]:
        if self.run("SELECT to_regclass('public.out')") == [(None,)]:
            return []
        return sorted(self.run("SELECT customer, n, total, name FROM out"))


class GrowingTable(Table):
    append_only = True


class TestPostgres(KeyedConformance, Pipelines, Restarts):
    @pytest.fixture
    def target(self, postgres: Postgres, tmp_path: Path) -> Table:
        return Table(postgres, tmp_path / "secret")

    def test_a_server_that_stays_away_is_named_and_the_epoch_comes_again(
        self, session: SparkSession, target: Table, tmp_path: Path
    ) -> None:
        life = workload.Life(session, tmp_path, random.Random(SEED), False)
        options = {**target.options, "retry_seconds": 1}
        query = life.pipeline().sink("out", "v", "postgres", **options).start()
        life.change()
        query.processAllAvailable()
        target.server.kill()
        life.change()
        with pytest.raises(
            gs.SinkUnavailable, match="delivered again when the pipeline is started"
        ):
            query.processAllAvailable()
        with pytest.raises(gs.SinkUnavailable, match="cannot be reached"):
            life.pipeline().sink("out", "v", "postgres", **options).start()
        target.server.start()
        query = life.pipeline().sink("out", "v", "postgres", **options).start()
        assert target.rows() == life.expected()
        query.stop()


class TestAppending(AppendConformance):
    @pytest.fixture
    def target(self, postgres: Postgres, tmp_path: Path) -> Table:
        return GrowingTable(postgres, tmp_path / "secret", mode="append")


@pytest.fixture
def table(postgres: Postgres, tmp_path: Path) -> Table:
    return Table(postgres, tmp_path / "secret", create_table=False)


@pytest.fixture
def driven(table: Table) -> Iterator[Driven]:
    made = Driven(table)
    yield made
    made.sink.close()


def test_some_columns_of_a_table_that_others_write(table: Table) -> None:
    table.run("CREATE TABLE out (customer bigint PRIMARY KEY, owner text NOT NULL, n bigint)")
    table.run("INSERT INTO out VALUES (1, 'ann', 0), (2, 'bob', 7)")
    driven = Driven(table, mode="update", columns="n")
    driven.start()
    driven.epoch(0, insert(1, 5), insert(2, 6), insert(9, 1))
    assert sorted(table.run("SELECT * FROM out")) == [(1, "ann", 5), (2, "bob", 6)]
    driven.epoch(1, *update(1, 5, 8), delete(2, 6))
    assert sorted(table.run("SELECT * FROM out")) == [(1, "ann", 8), (2, "bob", None)]
    driven.sink.close()


def test_every_type(session: SparkSession, postgres: Postgres, tmp_path: Path) -> None:
    table = Table(postgres, tmp_path / "secret")
    frame = session.sql("""
        SELECT 1L k, true b, 2Y i1, 3S i2, 4 i4, 1.5F f4, double('NaN') f8, 12.340 d,
               'a"b,\\\\c\\nd' s, '' empty, string(NULL) nothing, X'00ff' x, DATE '2024-02-29' day,
               TIMESTAMP '2024-02-29 01:02:03.456789' at,
               TIMESTAMP_NTZ '1900-01-01 00:00:00' local,
               INTERVAL '1 02:03:04.5' DAY TO SECOND for, array('x', NULL, 'q"r') a,
               array(1L, 2L) numbers, named_struct('p', 1, 'q', array('z')) o, map('m', 1.5D) m
    """)
    driven = Driven(table)
    driven.schema = frame.schema
    driven.sink.open(
        gs.SinkStart("out", "id", "v", frame.schema, ("k",), False, 1, None, session, "/nowhere")
    )
    from pyspark.sql import functions as F

    driven.sink.write(0, gs.Changes(frame.withColumn("_change_type", F.lit("insert"))))
    driven.sink.commit(0)
    driven.sink.close()
    ((k, b, i1, i2, i4, f4, f8, d, s, empty, nothing, x, day, at, local, for_, a, ns, o, m),) = (
        table.run("SELECT * FROM out")
    )
    assert (k, b, i1, i2, i4, f4, f8 != f8, str(d)) == (1, True, 2, 3, 4, 1.5, True, "12.340")
    assert (s, empty, nothing, x) == ('a"b,\\c\nd', "", None, b"\x00\xff")
    assert (str(day), at.isoformat(), str(local)) == (
        "2024-02-29",
        "2024-02-29T01:02:03.456789+00:00",
        "1900-01-01 00:00:00",
    )
    assert (for_.total_seconds(), a, ns) == (93784.5, ["x", None, 'q"r'], [1, 2])
    assert (o, m) == ({"p": 1, "q": ["z"]}, {"m": 1.5})


BAD = {
    "no table": ("", {}, r'there is no table "public"."out".*create_table'),
    "a misspelt table": ("CREATE TABLE outs ()", {}, "did you mean 'outs'"),
    "no key": (
        "CREATE TABLE out (customer bigint, n bigint, total float, name text)",
        {},
        r'no primary key .*ALTER TABLE "public"."out" ADD PRIMARY KEY \("customer"\)',
    ),
    "no column": (
        "CREATE TABLE out (customer bigint PRIMARY KEY, n bigint, totals float, name text)",
        {},
        "no column 'total'; did you mean 'totals'",
    ),
    "another type": (
        "CREATE TABLE out (customer bigint PRIMARY KEY, n date, total float, name text)",
        {},
        "column n of table .* is of type date, and the view gives bigint",
    ),
    "a narrower column": (
        "CREATE TABLE out (customer bigint PRIMARY KEY, n bigint, total real, name text)",
        {},
        "column total of table .* is of type real, and the view gives double: it keeps 24 of 53",
    ),
    "a column that must be given": (
        "CREATE TABLE out (customer bigint PRIMARY KEY, n int, total float, name text, "
        "owner text NOT NULL)",
        {},
        'wants a value for owner.*mode="update"',
    ),
    "another column": ("", {"columns": "m"}, "option columns names m"),
    "a wrong password": ("", {"password": "wrong-guess"}, "password authentication failed"),
    "no such database": (
        "",
        {"dsn": None, "host": "127.0.0.1", "user": "owner", "database": "nowhere"},
        'database "nowhere" does not exist',
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_before_anything_is_written(table: Table, case: str) -> None:
    statement, options, message = BAD[case]
    if statement:
        table.run(statement)
    if "password" in options:
        del table.options["password_file"]
    if "database" in options:
        options = {**options, "port": table.server.port}
    table.options.update(options)
    driven = Driven(table)
    with pytest.raises(gs.SinkError, match=message) as failed:
        driven.start()
    assert "wrong-guess" not in str(failed.value)
    assert table.run("SELECT to_regclass('public.groundswell_epochs')") == [(None,)]


def test_a_host_that_is_none_and_a_port_where_nobody_listens(table: Table) -> None:
    for options in ({"host": "no-such-host.invalid"}, {"host": "127.0.0.1", "port": 1}):
        table.options.update(dsn=None, **options)
        with pytest.raises(gs.SinkUnavailable, match="cannot be reached"):
            Driven(table).start()


def test_missing_privileges_are_named(table: Table) -> None:
    table.run("CREATE TABLE out (customer bigint PRIMARY KEY, n int, total float, name text)")
    table.run("DROP ROLE IF EXISTS guest")
    table.run("CREATE ROLE guest LOGIN PASSWORD 'guest-pw-7'")
    table.run("GRANT USAGE ON SCHEMA public TO guest")
    table.run("GRANT SELECT, INSERT ON out TO guest")
    del table.options["password_file"]
    table.options.update(dsn=None, host="127.0.0.1", port=table.server.port)
    table.options.update(database="postgres", user="guest", password="guest-pw-7")
    with pytest.raises(gs.SinkError, match=r'GRANT UPDATE, DELETE ON "public"."out" TO "guest"'):
        Driven(table).start()
    table.run("GRANT UPDATE, DELETE ON out TO guest")
    with pytest.raises(gs.SinkError, match="may not create tables in schema public"):
        Driven(table).start()
    table.run("DROP OWNED BY guest")


def test_no_password_is_shown_anywhere(
    session: SparkSession, postgres: Postgres, tmp_path: Path, capsys: Any, caplog: Any
) -> None:
    table = Table(postgres, tmp_path / "secret")
    secret = postgres.PASSWORD
    table.options["dsn"] = f"postgresql://owner:{secret}@127.0.0.1:{postgres.port}/postgres"
    table.options["password"] = secret
    del table.options["password_file"]
    life = workload.Life(session, tmp_path, random.Random(SEED), False)
    pipeline = life.pipeline().sink("out", "v", "postgres", **table.options)
    pipeline.explain()
    query = pipeline.start()
    life.change()
    query.processAllAvailable()
    query.explain()
    postgres.kill()
    life.change()
    threading.Timer(1.5, postgres.start).start()
    query.processAllAvailable()
    shown = [repr(pipeline), pipeline._repr_html_(), repr(query), query._repr_html_()]
    query.stop()
    shown += [capsys.readouterr().out, caplog.text, str(query.recentProgress)]
    assert "trying again" in caplog.text
    assert "***" in "".join(shown)
    assert not [text for text in shown if secret in text]
    for path in (tmp_path / "checkpoint").rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    (tmp_path / "secret").unlink()


@pytest.mark.soak
def test_a_million_rows_in_one_epoch(
    session: SparkSession, postgres: Postgres, tmp_path: Path
) -> None:
    table = Table(postgres, tmp_path / "secret")
    driven = Driven(table)
    take_a_million_rows(session, driven)
    assert table.run("SELECT count(*), sum(n) FROM out") == [(1_000_000, 499_999_500_000)]
    driven.sink.close()


@pytest.mark.soak
def test_thirty_kills(postgres: Postgres, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    target = Table(postgres, tmp_path / "secret")
    points = ["before_sink_commit", "after_sink_commit", "after_publish", "before_publish"]
    for number in range(30):
        if number % 5 == 0:
            folder = tmp_path / str(number)
            folder.mkdir()
            workload.prepare(folder, SEED + number, False)
            target = Table(postgres, tmp_path / "secret")
        launch(folder, target, f"{points[number % 4]}:{1 + number % 2}")
        (folder / "killed-at").unlink(missing_ok=True)
        if number % 5 == 4:
            finished = launch(folder, target)
            assert finished.returncode == 0, finished.stderr[-4000:]
            assert target.rows() == workload.expected(folder, False)


def test_what_the_server_says_of_a_value_is_one_line_with_the_column(postgres: Postgres) -> None:
    """It had a second line, which told of a table that nobody knows."""
    import psycopg

    from groundswell.sinks.postgres import _told

    with postgres.connect() as c:
        c.execute("CREATE TABLE told (k int PRIMARY KEY, name text NOT NULL, n int CHECK (n < 10))")
        said = {}
        for row in ("1,a\0b,1", "2,a,99999999999", "3,,1", "4,a,11"):
            with (
                pytest.raises(psycopg.Error) as failure,
                c.cursor().copy("COPY told FROM STDIN (FORMAT csv)") as copy,
            ):
                copy.write(row + "\n")
            said[row[0]] = _told(failure.value)
    assert said == {
        "1": 'invalid byte sequence for encoding "UTF8": 0x00',
        "2": 'value "99999999999" is out of range for type integer; column n',
        "3": 'null value in column "name" of relation "told" violates not-null constraint; '
        "Failing row contains (3, null, 1)",
        "4": 'new row for relation "told" violates check constraint "told_n_check"; '
        "Failing row contains (4, a, 11)",
    }
