"""Every type of Spark into the sinks that need no server: Delta Lake and files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from matrix.kinds import Kind
from matrix.values import pairs
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


class TestParquet(TypesConformance):
    door = "sink parquet"

    @pytest.fixture
    def fresh(self, session: SparkSession, tmp_path: Path) -> Callable[[], Typed]:
        number = count()
        return lambda: Files(session, tmp_path / str(next(number)))
