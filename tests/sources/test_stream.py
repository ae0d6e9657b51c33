"""Streams that Python reads: offsets in the driver's own process, rows in tasks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as t
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

import groundswell as gs
from groundswell.errors import PipelineFailed, SourceError
from groundswell.runtime.planning.sources import Size
from groundswell.sources.stream import stream

COLUMNS = t.StructType([t.StructField("n", t.LongType()), t.StructField("pid", t.LongType())])


@dataclass
class Numbers(InputPartition):
    first: int
    last: int


class Counting(DataSourceStreamReader):
    """Numbers up to 10."""

    made: ClassVar[list[Size]] = []

    def __init__(self, size: Size) -> None:
        self.size = size
        self.made.append(size)

    def initialOffset(self) -> dict[str, Any]:
        return {"n": 0, "pid": os.getpid()}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        return {"n": min(10, start["n"] + (self.size.rows or 10)), "pid": os.getpid()}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        assert start["pid"] == end["pid"] == os.getpid()
        return [Numbers(n, n) for n in range(start["n"], end["n"])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Numbers)
        yield pa.record_batch({"n": [partition.first], "pid": [os.getpid()]})

    def commit(self, end: dict[str, Any]) -> None:
        pass


class Failing(Counting):
    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        raise SourceError("the table is away: mend it")


WAITS = threading.Event()
STOPPED = threading.Event()


class Waiting(Counting):
    """Hangs until it is stopped."""

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        WAITS.set()
        STOPPED.wait(120)
        return start

    def stop(self) -> None:
        STOPPED.set()


def started(spark: SparkSession, tmp_path: Path, reader: Any, **options: Any) -> gs.ViewQuery:
    rows = stream(spark, f"groundswell_{reader.__name__.lower()}", COLUMNS, reader)
    p = gs.pipeline(spark, str(tmp_path / "p"))
    p.view("v", gs.appends(rows, name="s"))
    return p.start(**options)


def test_offsets_are_told_by_this_process_and_rows_read_by_another(
    spark: SparkSession, tmp_path: Path
) -> None:
    started(spark, tmp_path, Counting, availableNow=True).awaitTermination()
    rows = gs.read_view(spark, str(tmp_path / "p"), "v").collect()
    assert sorted(row.n for row in rows) == list(range(10))
    assert os.getpid() not in {row.pid for row in rows}


def test_a_reader_knows_what_a_barrier_takes(spark: SparkSession, tmp_path: Path) -> None:
    rows = stream(spark, "groundswell_limited", COLUMNS, Counting)
    p = gs.pipeline(spark, str(tmp_path / "p"), maxBarrierRows=4)
    p.view("v", gs.appends(rows, name="s"))
    query = p.start()
    try:
        query.processAllAvailable()
        assert Counting.made[-1] == Size(rows=4, bytes=Counting.made[-1].bytes)
    finally:
        query.stop()


def test_what_a_reader_raises_ends_the_query_in_its_words(
    spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises((SourceError, PipelineFailed), match=r"the table is away: mend it$"):
        started(spark, tmp_path, Failing, availableNow=True).awaitTermination()


def test_a_query_is_stopped_while_its_reader_waits(spark: SparkSession, tmp_path: Path) -> None:
    query = started(spark, tmp_path, Waiting)
    assert WAITS.wait(60)
    since = time.monotonic()
    query.stop()
    assert STOPPED.is_set()
    assert time.monotonic() - since < 60


def test_runs_leave_no_threads_of_python_behind(spark: SparkSession, tmp_path: Path) -> None:
    counts = []
    for _ in range(4):
        started(spark, tmp_path, Counting, availableNow=True).awaitTermination()
        counts.append(threading.active_count())
    assert counts[-1] <= counts[0] + 1, counts  # each run has threads that call Python


def test_a_location_may_be_a_path(spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / "p"
    p = gs.pipeline(spark, place)
    table = p.table("t", "k int, v int", key="k")
    p.view("v", table.df)
    table.insert([(1, 2)])
    p.start(availableNow=True).awaitTermination()
    with gs.transaction(spark, place) as transaction:
        gs.table(spark, place, "t", within=transaction).insert([(2, 3)])
    p.start(availableNow=True).awaitTermination()
    assert gs.read_views(spark, place)["v"].count() == gs.read_view(spark, place, "v").count() == 2
    assert gs.lookup(spark, place, "v", 2) == [(2, 3)]
    with gs.snapshot(spark, place) as snapshot:
        assert snapshot.view("v").count() == 2
