"""Every type of Spark into the sinks that need no server: Delta Lake and files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from matrix.kinds import Kind
from matrix.values import pairs
from sinks.conformance import Driven
from sinks.types_conformance import Pairs, Typed, TypesConformance, as_texts

pytestmark = pytest.mark.rest


class Delta(Typed):
    format = "delta"

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.options: dict[str, Any] = {"path": self.path, "create_table": True}

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        from deltalake import DeltaTable

        found = DeltaTable(self.path).to_pyarrow_table()
        return pairs(found["id"], found["v"], key)


class TestDelta(TypesConformance):
    door = "sink delta"

    @pytest.fixture
    def fresh(self, tmp_path: Path) -> Callable[[], Typed]:
        number = count()
        return lambda: Delta(tmp_path / str(next(number)))


class Files(Typed):
    append_only = True
    format = "parquet"

    def __init__(self, session: SparkSession, path: Path) -> None:
        self.spark, self.path = session, path
        self.options = {"path": str(path)}

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        assert self.spark
        read = self.spark.read.parquet(str(self.path))
        if kind.arrow:
            found = read.toArrow()
            return pairs(found["id"], found["v"], key)
        return as_texts(read)


class JsonFiles(Files):
    format = "json"

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        assert self.spark
        of = "string" if kind.type.startswith(("char", "varchar")) else kind.type
        read = self.spark.read.schema(f"id bigint, v {of}").json(str(self.path))
        if kind.arrow:
            found = read.toArrow()
            return pairs(found["id"], found["v"], key)
        return as_texts(read)


class TestJson(TypesConformance):
    door = "sink json"

    @pytest.fixture
    def fresh(self, session: SparkSession, tmp_path: Path) -> Callable[[], Typed]:
        number = count()
        return lambda: JsonFiles(session, tmp_path / str(next(number)))


def test_json_has_all_digits_of_times_in_every_zone(session: SparkSession, tmp_path: Path) -> None:
    """Microseconds were cut off, and of 1850 the seconds by which New York's clocks differed."""
    rows = session.sql(
        "SELECT 1L AS id, TIMESTAMP'1850-01-01 12:00:00.123456Z' AS at, "
        "TIMESTAMP_NTZ'2021-03-14 02:30:00.000001' AS local"
    )
    target = JsonFiles(session, tmp_path / "out")
    driven = Driven(target)
    driven.schema = rows.schema
    was = session.conf.get("spark.sql.session.timeZone")
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        driven.start()
        driven.sink.write(0, gs.Changes(rows.withColumn("_change_type", F.lit("insert"))))
        driven.sink.commit(0)
        driven.sink.close()
    finally:
        session.conf.set("spark.sql.session.timeZone", str(was))
    (file,) = target.path.glob("*.json")
    assert file.read_text() == (
        '{"id":1,"at":"1850-01-01T12:00:00.123456Z","local":"2021-03-14T02:30:00.000001"}\n'
    )


class TestParquet(TypesConformance):
    door = "sink parquet"

    @pytest.fixture
    def fresh(self, session: SparkSession, tmp_path: Path) -> Callable[[], Typed]:
        number = count()
        return lambda: Files(session, tmp_path / str(next(number)))
