"""Every type of Spark into real servers, and out of PostgreSQL."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sinks.clickhouse_http import Client
from groundswell.sinks.plain import plain
from matrix import cells, kinds, pgoutput
from matrix.kinds import Kind
from matrix.values import pairs, shown, single
from sinks.types_conformance import Pairs, Typed, TypesConformance
from systems.servers import ClickHouse, Kafka, MariaDb, Postgres
from systems.topics import committed

NUMBER = count()
_WIDE = Context(prec=76)


def in_json(table: pa.Table, key: bool) -> Pairs:
    """Rows whose values are JSON in the target."""
    kind = table["v"].type
    values = [plain(v, kind) for v in table["v"].to_pylist()]
    rows = zip(table["id"].to_pylist(), values, strict=True)
    return sorted(((i, repr(shown(v, key))) for i, v in rows), key=repr)


def _pairs(rows: Any, kind: Kind, key: bool) -> Pairs:
    def text(value: Any) -> Any:
        if kind.type == "float" and value is not None:
            return single(value, key)
        return shown(value, key)

    return sorted(((i, repr(text(v))) for i, v in rows), key=repr)


class PostgresTable(Typed):
    format = "postgres"

    def __init__(self, server: Postgres) -> None:
        self.server = server
        self.table = f"out{next(NUMBER)}"
        self.options = {
            "host": "127.0.0.1",
            "port": server.port,
            "user": "owner",
            "database": "postgres",
            "password": server.PASSWORD,
            "table": self.table,
            "create_table": True,
        }

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        with self.server.connect() as connection:
            connection.execute("SET timezone = 'UTC'")
            rows = connection.execute(f"SELECT id, v FROM {self.table}").fetchall()
        json_ = kind.type.startswith(("map", "struct", "array<array"))
        return _pairs(rows, kind, key or json_)

    def expected(self, table: pa.Table, kind: Kind, key: bool) -> Pairs:
        if kind.type.startswith(("map", "struct", "array<array")):
            return in_json(table, True)  # jsonb has no negative zero
        if kind.name == "time":
            rows = zip(table["id"].to_pylist(), table["v"].to_pylist(), strict=True)
            return sorted(((i, repr(shown(v))) for i, v in rows), key=repr)
        return super().expected(table, kind, key)


class TestPostgres(TypesConformance):
    door = "sink postgres"

    @pytest.fixture
    def fresh(self, postgres: Postgres) -> Callable[[], Typed]:
        return lambda: PostgresTable(postgres)


class ClickHouseTable(Typed):
    format = "clickhouse"

    def __init__(self, server: ClickHouse) -> None:
        self.server = server
        self.table = f"out{next(NUMBER)}"
        self.options = {"url": server.url, "table": self.table, "create_table": True}
        if server.PASSWORD:
            self.options |= {"user": "default", "password": server.PASSWORD}

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        client = Client(self.server.url, "default", self.server.PASSWORD or None)
        try:
            # 18.16 makes wrong texts of long decimals, though not as results.
            shown = "v" if kind.type.startswith("decimal") else "toString(v)"
            rows = client.rows(
                f"SELECT id, isNull(v), {shown} FROM {self.table} FINAL WHERE deleted = 0"
            )
        finally:
            client.close()
        read = [(int(i), None if n == "1" else _parsed(_unescaped(v), kind)) for i, n, v in rows]
        return _pairs(read, kind, key)

    def expected(self, table: pa.Table, kind: Kind, key: bool) -> Pairs:
        if kind.type.startswith(("map", "struct")):
            return in_json(table, key)
        return super().expected(table, kind, key)


def _unescaped(text: str) -> str:
    plain_ = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f"}
    return re.sub(r"\\(.)", lambda m: plain_.get(m[1], m[1]), text)


def _parsed(text: str, kind: Kind) -> Any:
    """A value of Python of what ClickHouse shows; 18.16 shows the first day as no day."""
    text = text.replace("0000-00-00", "1970-01-01")
    match kind.type.partition("(")[0]:
        case "boolean":
            return text == "1" or text == "true"
        case "float" | "double":
            return float(text)
        case "tinyint" | "smallint" | "int" | "bigint":
            return int(text)
        case "decimal":
            scale = int(kind.type.rstrip(")").partition(",")[2])
            return Decimal(text).quantize(Decimal(1).scaleb(-scale), context=_WIDE)
        case "date":
            return date.fromisoformat(text)
        case "timestamp" | "timestamp_ntz":
            zone = UTC if kind.type == "timestamp" else None
            return datetime.fromisoformat(text).replace(tzinfo=zone)
        case other if other.startswith(("map", "struct")):
            return json.loads(text)
        case other if other.startswith("array<array"):
            return json.loads(text.replace("'", '"').replace("NULL", "null"))
        case other if other.startswith("array"):
            inner = text.strip("[]")
            words = inner.split(",") if inner else []
            return [None if word == "NULL" else float(word) for word in words]
        case _:
            return text


class TestClickHouse(TypesConformance):
    @pytest.fixture
    def fresh(self, clickhouse: ClickHouse) -> Callable[[], Typed]:
        self.door = f"sink clickhouse {'chdb' if not clickhouse.PASSWORD else '18.16'}"  # type: ignore[misc]
        return lambda: ClickHouseTable(clickhouse)


class Topic(Typed):
    format = "kafka"

    def __init__(self, server: Kafka) -> None:
        self.server = server
        self.topic = f"types-{next(NUMBER)}"
        self.options = {"servers": server.servers, "topic": self.topic, "create_topic": True}

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        kept: dict[str, Any] = {}
        for name, value, _ in committed(self.server, self.topic):
            kept.pop(str(name), None)
            if value is not None:
                kept[str(name)] = value
        rows = ((value["id"], repr(shown(value["v"], key))) for value in kept.values())
        return sorted(rows, key=repr)

    def expected(self, table: pa.Table, kind: Kind, key: bool) -> Pairs:
        return in_json(table, key)


class TestKafka(TypesConformance):
    door = "sink kafka"

    @pytest.fixture
    def fresh(self, kafka: Kafka) -> Callable[[], Typed]:
        return lambda: Topic(kafka)


class IcebergTable(Typed):
    format = "iceberg"

    def __init__(self, path: Path) -> None:
        path.mkdir(exist_ok=True)
        self.settings = {
            "type": "sql",
            "uri": f"sqlite:///{path}/catalog.db",
            "warehouse": f"file://{path}",
        }
        self.options = {"table": "shop.out", **self.settings, "create_table": True}

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        from pyiceberg.catalog import load_catalog

        catalog = load_catalog("default", **self.settings)
        found = catalog.load_table("shop.out").scan().to_arrow()
        return pairs(found["id"], found["v"], key)


class TestIceberg(TypesConformance):
    door = "sink iceberg"

    @pytest.fixture
    def fresh(self, tmp_path: Path) -> Callable[[], Typed]:
        pytest.importorskip("pyiceberg", reason="not installed: pip install '.[iceberg]'")
        return lambda: IcebergTable(tmp_path / str(next(NUMBER)))


@pytest.mark.parametrize("role", ["value", "key"])
def test_every_type_from_a_table_of_postgres(
    session: SparkSession, postgres: Postgres, tmp_path: Path, role: str
) -> None:
    """A snapshot, then every row once more by logical decoding."""
    taken = pgoutput.written() if role == "value" else pgoutput.comparable()
    found: cells.Verdicts = {}
    with kinds.with_times(session), postgres.connect() as server:
        server.execute("SET timezone = 'UTC'")
        frames = {}
        for n, kind in enumerate(taken):
            frame = kinds.keys(session, kind) if role == "key" else kinds.frame(session, kind)
            frames[f"types{n}"] = frame
            column = pgoutput.OIDS[kind.name][1]
            key = "v" if role == "key" else "id"
            server.execute(f"DROP TABLE IF EXISTS types{n}")
            server.execute(f"CREATE TABLE types{n} (id bigint, v {column}, PRIMARY KEY ({key}))")
            server.execute(f"ALTER TABLE types{n} REPLICA IDENTITY FULL")
            for i, value in pgoutput.pairs_of(frame.toArrow()):
                text = pgoutput.text(value, kind)
                server.execute(f"INSERT INTO types{n} VALUES (%s, %s::{column})", [i, text])
        tables = gs.postgres(
            session, f"host=127.0.0.1 port={postgres.port} user=owner dbname=postgres",
            [*frames], name=f"types_{role}", password=postgres.PASSWORD,
        )  # fmt: skip
        p = gs.pipeline(session, str(tmp_path / "p"))
        for name, table in tables.items():
            p.view(f"v_{name}", table)
        run = p.start()
        try:
            run.processAllAvailable()
            _compare(run, frames, taken)
            for name in frames:
                server.execute(f"UPDATE {name} SET id = id + 1000")
                if role == "key":  # the same key under another sign or padding is one row
                    server.execute(f"UPDATE {name} SET v = v")
                server.execute(f"UPDATE {name} SET id = id - 1000")
            run.processAllAvailable()
            _compare(run, frames, taken)
            for name in frames:
                server.execute(f"DELETE FROM {name}")
            run.processAllAvailable()
            assert all(run.view(f"v_{name}").isEmpty() for name in frames)
        finally:
            run.stop()
            for name in frames:
                server.execute(f"DROP TABLE {name} CASCADE")
        found = {kind.name: cells.EQUAL for kind in taken}
    cells.check("source postgres", role, found)


MYSQL = {
    "boolean": "bit(1)",
    "tinyint": "tinyint",
    "smallint": "smallint",
    "int": "int",
    "bigint": "bigint",
    "float": "float",
    "double": "double",
    "decimal(9,2)": "decimal(9,2)",
    "decimal(38,0)": "decimal(38,0)",
    "string": "varchar(99) COLLATE utf8mb4_nopad_bin",
    "string of 1 MB": "longtext",
    "string with a zero byte": "varchar(99) COLLATE utf8mb4_nopad_bin",
    "varchar(4)": "varchar(4) COLLATE utf8mb4_nopad_bin",
    "binary": "varbinary(99)",
    "date": "date",
    "timestamp": "timestamp(6) NULL",
    "timestamp_ntz": "datetime(6)",
}
"""By the name of a kind, the type of MariaDB with its values: no NaN, no infinity, no -0.0."""


def has_in_mysql(value: Any, kind: Kind) -> bool:
    """Whether a type of MariaDB has a value of a kind."""
    if isinstance(value, float):
        return math.isfinite(value) and str(value) != "-0.0"
    if kind.name == "timestamp" and value is not None:
        return (
            datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC) <= value < datetime(2038, 1, 19, tzinfo=UTC)
        )
    return True


@pytest.mark.parametrize("role", ["value", "key"])
def test_every_type_from_a_table_of_mysql(
    session: SparkSession, mariadb: MariaDb, tmp_path: Path, role: str
) -> None:
    """A snapshot, then every row once more by the binlog."""
    taken = [k for k in kinds.KINDS if k.name in MYSQL and (role == "value" or "MB" not in k.name)]
    wanted: dict[str, pa.Table] = {}
    with mariadb.connect() as server, server.cursor() as cursor:
        cursor.execute("USE shop")
        cursor.execute("SET time_zone = '+00:00', sql_mode = ''")
        for n, kind in enumerate(taken):
            frame = kinds.keys(session, kind) if role == "key" else kinds.frame(session, kind)
            rows = frame.toArrow().select(["id", "v"])
            held = [has_in_mysql(v, kind) for v in rows["v"].to_pylist()]
            wanted[f"types{n}"] = rows = rows.filter(pa.array(held))
            key, null = ("v", "NOT NULL") if role == "key" else ("id", "")
            type_ = MYSQL[kind.name].replace(" NULL", "") if role == "key" else MYSQL[kind.name]
            cursor.execute(f"DROP TABLE IF EXISTS types{n}")
            cursor.execute(
                f"CREATE TABLE types{n} (id bigint, v {type_} {null}, PRIMARY KEY ({key}))"
            )
            for i, value in pgoutput.pairs_of(rows):
                at = value.replace(tzinfo=None) if isinstance(value, datetime) else value
                cursor.execute(f"INSERT INTO types{n} VALUES (%s, %s)", [i, at])
        tables = gs.mysql(
            session, mariadb.url, [*wanted], name=f"types_{role}", password=mariadb.PASSWORD
        )
        p = gs.pipeline(session, str(tmp_path / "p"))
        for name, table in tables.items():
            p.view(f"v_{name}", table)
        run = p.start()

        def compare() -> None:
            run.processAllAvailable()
            for (name, rows), kind in zip(wanted.items(), taken, strict=True):
                got = run.view(f"v_{name}").toArrow()
                is_key = role == "key"
                assert pairs(got["id"], got["v"], is_key) == pairs(rows["id"], rows["v"], is_key), (
                    kind.name
                )

        try:
            compare()
            for change in ("SET id = id + 1000", "SET id = id - 1000"):
                for name in wanted:
                    cursor.execute(f"UPDATE {name} {change}")
            compare()
            for name in wanted:
                cursor.execute(f"DELETE FROM {name}")
            run.processAllAvailable()
            assert all(run.view(f"v_{name}").isEmpty() for name in wanted)
        finally:
            run.stop()
            for name in wanted:
                cursor.execute(f"DROP TABLE {name}")
    cells.check("source mysql", role, {kind.name: cells.EQUAL for kind in taken})


def _compare(run: Any, frames: dict[str, Any], taken: list[Kind]) -> None:
    for (name, frame), kind in zip(frames.items(), taken, strict=True):
        if kind.type.startswith("char"):
            frame = frame.selectExpr("id", "rpad(v, 4, ' ') AS v")
        got, want = run.view(f"v_{name}").toArrow(), frame.toArrow()
        assert pairs(got["id"], got["v"]) == pairs(want["id"], want["v"]), kind.name
