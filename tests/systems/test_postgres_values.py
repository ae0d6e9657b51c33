"""What a PostgreSQL sink writes, whatever role, database and columns it meets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as t

import groundswell as gs
from sinks.conformance import Driven, InArrow, Target
from systems.servers import Postgres

TEXT = (t.StringType(), pa.string())
ODD = (
    "timezone = 'America/New_York'",
    "datestyle = 'SQL, DMY'",
    "intervalstyle = 'sql_standard'",
    "bytea_output = 'escape'",
)
"""Settings of a role that change what texts of times mean."""


class Out(Target):
    """The table ``out`` of ``id`` and ``v``, in a database, written as a role with odd settings."""

    format = "postgres"

    def __init__(self, server: Postgres, database: str, column: str, key: str = "id") -> None:
        self.options = {"host": "127.0.0.1", "port": server.port, "user": "odd", "table": "out"}
        self.options |= {"password": "pw", "database": database}
        self.dsn = f"host=127.0.0.1 port={server.port} dbname={database} user=owner"
        self.password = server.PASSWORD
        self.ask("DROP TABLE IF EXISTS out")
        self.ask(f"CREATE TABLE out (id bigint, v {column}, PRIMARY KEY ({key}))")

    def ask(self, query: str) -> list[Any]:
        named: dict[str, Any] = {"password": self.password, "client_encoding": "utf8"}
        with psycopg.connect(self.dsn, autocommit=True, **named) as connection:
            connection.execute("SET timezone = 'UTC'")
            done = connection.execute(query)
            return done.fetchall() if done.description else []

    def rows(self) -> list[Any]:
        return self.ask("SELECT id, v::text FROM out ORDER BY id")


@pytest.fixture(scope="module")
def server(postgres: Postgres) -> Iterator[Postgres]:
    with postgres.connect() as owner:
        owner.execute("CREATE ROLE odd LOGIN SUPERUSER REPLICATION PASSWORD 'pw'")
        for setting in ODD:
            owner.execute(f"ALTER ROLE odd SET {setting}")
        owner.execute("CREATE EXTENSION IF NOT EXISTS citext")
        for name, encoding in (("latin", "LATIN1"), ("plain", "SQL_ASCII")):
            owner.execute(
                f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' "
                "TEMPLATE template0"
            )
    yield postgres
    with postgres.connect() as owner:
        owner.execute("DROP TABLE IF EXISTS out")
        for name in ("latin", "plain"):
            owner.execute(f"DROP DATABASE {name} WITH (FORCE)")
        owner.execute("DROP OWNED BY odd CASCADE")
        owner.execute("DROP ROLE odd")


def write(
    target: Out, of: tuple[t.DataType, pa.DataType], *epochs: list[Any], key: str = "id"
) -> None:
    """Writes pairs of an id and a value, each epoch's as inserts or as deletes."""
    driven = Driven(target)
    driven.schema = t.StructType([t.StructField("id", t.LongType()), t.StructField("v", of[0])])
    driven.key = (key,)
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


@pytest.mark.parametrize("database", ["postgres", "latin", "plain"])
def test_texts_arrive_in_a_database_of_any_encoding(server: Postgres, database: str) -> None:
    """They were written as the database's own letters: LATIN1 had two of them for each umlaut."""
    target = Out(server, database, "text")
    write(target, TEXT, [(1, "grün", "insert")])
    assert target.rows() == [(1, "grün")]


@pytest.mark.parametrize("database", ["latin", "plain"])
def test_texts_come_out_of_a_database_of_any_encoding(
    session: SparkSession, server: Postgres, tmp_path: Path, database: str
) -> None:
    """The first change of a database of LATIN1 was a damaged message, and ended the pipeline."""
    target = Out(server, database, "text")
    target.ask("INSERT INTO out VALUES (1, 'grün')")
    dsn = f"host=127.0.0.1 port={server.port} user=odd dbname={database}"
    name = f"letters_{database}"
    tables = gs.postgres(session, dsn, ["out"], name=name, password="pw")
    p = gs.pipeline(session, str(tmp_path / "p"))
    p.view("v", tables["out"])
    run = p.start()
    try:
        run.processAllAvailable()
        target.ask("INSERT INTO out VALUES (2, 'größer')")
        run.processAllAvailable()
        assert sorted(map(tuple, run.view("v").collect())) == [(1, "grün"), (2, "größer")]
    finally:
        run.stop()
        target.ask(f"SELECT pg_drop_replication_slot('groundswell_{name}')")
        target.ask(f"DROP PUBLICATION groundswell_{name}")


def test_a_letter_that_an_encoding_lacks_is_a_refused_row(server: Postgres) -> None:
    with pytest.raises(gs.SinkRowRefused, match="has no equivalent in encoding"):
        write(Out(server, "latin", "text"), TEXT, [(1, "5 €", "insert")])


@pytest.mark.parametrize(
    ("column", "of", "value", "text"),
    [
        ("timestamptz", (t.TimestampNTZType(), pa.timestamp("us")), datetime(2021, 3, 14, 2, 30),
         "2021-03-14 02:30:00+00"),
        ("timestamptz", (t.DateType(), pa.date32()), date(1, 2, 3), "0001-02-03 00:00:00+00"),
        ("timestamptz[]", (t.ArrayType(t.TimestampNTZType()), pa.list_(pa.timestamp("us"))),
         [datetime(2021, 7, 1, 12)], '{"2021-07-01 12:00:00+00"}'),
        ("date", (t.DateType(), pa.date32()), date(1, 2, 3), "0001-02-03"),
    ],
)  # fmt: skip
def test_times_do_not_depend_on_the_settings_of_a_role(
    server: Postgres, column: str, of: Any, value: Any, text: str
) -> None:
    """A time without a zone was one of the role's zone, where clocks skip an hour each spring."""
    target = Out(server, "postgres", column)
    write(target, of, [(1, value, "insert")])
    assert target.rows() == [(1, text)]


@pytest.mark.parametrize("column", ["citext", "char(3)", "integer", "numeric", "date", "citext[]"])
def test_a_key_of_texts_goes_into_no_column_that_takes_two_for_one(
    server: Postgres, column: str
) -> None:
    """'a' and 'A' were one row of citext; the deletion of one took the other."""
    of = (t.ArrayType(t.StringType()), pa.list_(pa.string())) if "[" in column else TEXT
    with pytest.raises(gs.SinkError, match=r"key column v of table .* Rows would be lost"):
        write(Out(server, "postgres", column, "v"), of, key="v")


def test_a_key_of_texts_goes_into_no_column_whose_collation_is_not_exact(server: Postgres) -> None:
    target = Out(server, "postgres", "text")
    target.ask(
        "CREATE COLLATION IF NOT EXISTS of_words (provider = icu, locale = 'und-u-ks-level2', "
        "deterministic = false)"
    )
    target.ask("DROP TABLE out")
    target.ask("CREATE TABLE out (id bigint, v text COLLATE of_words PRIMARY KEY)")
    with pytest.raises(gs.SinkError, match=r"key column v .* letter by letter"):
        write(target, TEXT, key="v")


def test_a_uuid_of_a_key_has_one_form(server: Postgres) -> None:
    target = Out(server, "postgres", "uuid", "v")
    small = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    write(target, TEXT, [(1, small, "insert")], key="v")
    assert target.rows() == [(1, small)]
    with pytest.raises(gs.SinkRowRefused, match="of type uuid, which does not hold A0EE"):
        write(target, TEXT, [(2, small.upper(), "insert")], key="v")


@pytest.mark.parametrize(
    ("column", "of", "value"),
    [("varchar(3)", TEXT, "abc "),
     ("varchar(3)[]", (t.ArrayType(t.StringType()), pa.list_(pa.string())), ["abc "])],
)  # fmt: skip
def test_blanks_behind_a_text_are_not_cut_off(
    server: Postgres, column: str, of: Any, value: Any
) -> None:
    """SQL has a database do so in silence, where letters that are no blanks are an error."""
    target = Out(server, "postgres", column)
    fits = [each[:-1] for each in value] if isinstance(value, list) else value[:-1]
    write(target, of, [(1, fits, "insert")])
    with pytest.raises(gs.SinkRowRefused, match=r"of type character varying\(3\)"):
        write(target, of, [(2, value, "insert")])


@pytest.mark.parametrize(
    "column", ["char(3)", "numeric(5,2)", "double precision", "date", "timestamptz", "text[]"]
)
def test_a_text_goes_into_no_column_that_changes_it(server: Postgres, column: str) -> None:
    """'1.239' was 1.24 in numeric(5,2), and a date was read as the role's settings say."""
    with pytest.raises(gs.SinkError, match=r"column v of table .*, so values could be changed"):
        write(Out(server, "postgres", column), TEXT)


@pytest.mark.parametrize("column", ["uuid", "jsonb", "xml", "integer"])
def test_a_text_goes_into_types_that_read_it_or_say_so(server: Postgres, column: str) -> None:
    right = {"jsonb": '{"a": 1}', "xml": "<a/>", "integer": "12"}
    text = right.get(column, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
    target = Out(server, "postgres", column)
    write(target, TEXT, [(1, text, "insert")])
    assert target.rows() == [(1, text)]
    with pytest.raises(gs.SinkRowRefused):
        write(target, TEXT, [(2, "<", "insert")])


@pytest.mark.parametrize("how", ["GENERATED ALWAYS AS IDENTITY", "GENERATED ALWAYS AS (2) STORED"])
def test_a_column_that_the_server_fills_is_refused_at_the_start(server: Postgres, how: str) -> None:
    of = (t.IntegerType(), pa.int32())
    with pytest.raises(gs.SinkError, match=r"column v .* values that PostgreSQL makes itself"):
        write(Out(server, "postgres", f"int {how}"), of)


def test_types_that_cannot_be_sent_are_refused_within_others_too(server: Postgres) -> None:
    """A struct of months was taken by the start, and ended the sink's first epoch."""
    months = t.StructType([t.StructField("m", t.YearMonthIntervalType())])
    for kind in (months, t.ArrayType(months), t.MapType(t.StringType(), t.VariantType())):
        with pytest.raises(gs.SinkError, match=r"column v .* which PostgreSQL has no type for"):
            write(Out(server, "postgres", "jsonb"), (kind, pa.null()))


def test_a_column_that_cannot_be_sent_may_be_left_out(
    session: SparkSession, server: Postgres, tmp_path: Path
) -> None:
    """The error advised it, and the first epoch failed all the same."""
    target = Out(server, "postgres", "text")
    p = gs.pipeline(session, str(tmp_path / "p"))
    table = p.table("t", "id bigint, v string, m interval year to month", key="id")
    p.view("v", table.df)
    run = p.sink("out", "v", "postgres", **target.options, columns="v").start()
    table.insert(session.sql("SELECT 1L id, 'a' v, INTERVAL '1-1' YEAR TO MONTH m"))
    run.processAllAvailable()
    run.stop()
    assert target.rows() == [(1, "a")]


def test_a_new_row_may_have_what_a_deleted_one_had_in_a_unique_column(server: Postgres) -> None:
    """New rows were written first, and the sink stopped."""
    target = Out(server, "postgres", "text UNIQUE")
    write(target, TEXT, [(1, "ann", "insert")], [(1, "ann", "delete"), (2, "ann", "insert")])
    assert target.rows() == [(2, "ann")]
