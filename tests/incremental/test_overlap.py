"""Checkpoints that overlap barriers, with Spark: who sees what when, and what a restart does."""

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from groundswell.errors import StorageFailed
from groundswell.runtime.barriers.runner import JvmRunner
from incremental.harness import Table
from incremental.test_checkpoints import (
    SCHEMA,
    Sink,
    copy_of,
    durable,
    instead,
    pipeline,
    put,
    read,
    sums,
)


@pytest.fixture
def items(session: SparkSession, tmp_path: Path) -> Table:
    return Table(session, tmp_path, "items", SCHEMA)


class Gate:
    """Storage that is slow: writes of commits wait until it is opened, or fail."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.failure: Exception | None = None
        self.asked = threading.Semaphore(0)

    def pass_by(self) -> None:
        self.asked.release()
        assert self.open.wait(60)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made, write = Gate(), JvmRunner.write

    def gated(self: JvmRunner, waiting: Sequence[int]) -> None:
        made.pass_by()
        write(self, waiting)

    monkeypatch.setattr(JvmRunner, "write", gated)
    yield made
    made.open.set()


def entries(location: Path, log: str) -> list[int]:
    return sorted(int(path.name) for path in (location / log).glob("[0-9]*"))


def test_later_barriers_are_computed_while_a_checkpoint_is_written(
    session: SparkSession, items: Table, tmp_path: Path, gate: Gate
) -> None:
    location, sink = tmp_path / "c", Sink()
    run = pipeline(items, location, sink, checkpointOverlap=2).start()
    for barrier in range(3):
        put(items, barrier)
        assert gate.asked.acquire(timeout=60), "computed, and the ones before are not written"
    assert durable(location) == sink.epochs == []
    assert entries(location, "commits") == [], "nothing says that a batch is done"
    assert run.lastProgress is None
    assert set(run._progress.started) == {0, 1, 2}, "FLUSH asks when they were put together"
    put(items, 3)
    assert not gate.asked.acquire(timeout=1), "no more than two are unfinished when one begins"
    gate.open.set()
    run.processAllAvailable()
    assert durable(location) == sink.epochs == [0, 1, 2, 3]
    assert read(session, location) == sums(0, 1, 2, 3)
    for path in (location / "groundswell" / "epochs").iterdir():
        assert re.search(r'"offsets":"[0-9a-f]{32}"', path.read_text()), "what it was computed from"
    told = run.recentProgress
    assert [p["epoch"] for p in told] == [0, 1, 2, 3]
    assert told[0]["overlap"]["inFlight"] == 3
    assert sum(p["overlap"]["waitMillis"] for p in told) > 0
    assert run.status["epoch"] == 3
    run.stop()
    assert entries(location, "commits") == entries(location, "offsets") == [0, 1, 2, 3]
    again = pipeline(items, location, sink, checkpointOverlap=2).start(availableNow=True)
    again.awaitTermination()
    assert sink.epochs == [0, 1, 2, 3], "a clean end delivers nothing twice"


@pytest.mark.parametrize("overlap", first_of([2, 0]))
def test_a_crash_leaves_what_was_durable_and_the_rest_is_computed_again(
    session: SparkSession, items: Table, tmp_path: Path, gate: Gate, overlap: int
) -> None:
    location, sink = tmp_path / "c", Sink()
    gate.open.set()
    run = pipeline(items, location, sink, checkpointOverlap=3).start()
    for barrier in range(3):
        put(items, barrier)
        run.processAllAvailable()
    gate.open.clear()
    while gate.asked.acquire(blocking=False):
        pass
    for barrier in range(3, 6):
        put(items, barrier)
        assert gate.asked.acquire(timeout=60)
    copy = copy_of(location, tmp_path / "copy")
    assert entries(copy, "offsets")[-1] > 3, "offsets run ahead"
    gate.open.set()
    run.stop()
    instead(location, copy)
    seen = sink.given[:3]
    sink.given = list(seen)
    assert durable(location) == [0, 1, 2]
    run = pipeline(items, location, sink, checkpointOverlap=overlap).start(availableNow=True)
    run.awaitTermination()
    assert read(session, location) == sums(*range(6))
    assert sink.given[:3] == seen
    assert sink.epochs == durable(location)
    assert entries(location, "commits") == entries(location, "offsets")


@pytest.mark.rest
def test_a_checkpoint_that_cannot_be_written_ends_the_query_and_loses_nothing(
    session: SparkSession, items: Table, tmp_path: Path, gate: Gate
) -> None:
    location, sink = tmp_path / "c", Sink()
    gate.open.set()
    run = pipeline(items, location, sink, checkpointOverlap=2).start()
    put(items, 0)
    run.processAllAvailable()
    gate.failure = StorageFailed("no space left")
    put(items, 1)
    with pytest.raises(StorageFailed, match="no space left"):
        run.processAllAvailable()
    with pytest.raises(StorageFailed):  # though no other barrier comes
        run.awaitTermination(60)
    assert not run.isActive
    assert durable(location) == sink.epochs == [0]
    gate.failure = None
    put(items, 2)
    run = pipeline(items, location, sink, checkpointOverlap=2).start(availableNow=True)
    run.awaitTermination()
    assert read(session, location) == sums(0, 1, 2)
    assert sink.epochs == durable(location)


@pytest.mark.rest
def test_a_start_that_fails_leaves_spark_s_logs_to_the_next_one(
    session: SparkSession, items: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their entries waited in memory for a run that never was, and were never written."""
    location = tmp_path / "c"

    def fails(*_: Any) -> None:
        raise OSError("no such port")

    with monkeypatch.context() as broken:
        broken.setattr("groundswell.jvm.register_pipeline", fails)
        with pytest.raises(OSError, match="no such port"):
            pipeline(items, location, checkpointOverlap=2).start()
    put(items, 0)
    pipeline(items, location).start(availableNow=True).awaitTermination()
    assert entries(location, "commits") == entries(location, "offsets") == [0]


@pytest.mark.rest
def test_stop_waits_until_all_is_durable_and_delivered(
    session: SparkSession, items: Table, tmp_path: Path, gate: Gate
) -> None:
    location, sink = tmp_path / "c", Sink()
    run = pipeline(items, location, sink, checkpointOverlap=2).start()
    put(items, 0)
    assert gate.asked.acquire(timeout=60)
    threading.Timer(1, gate.open.set).start()
    run.stop()
    assert durable(location) == sink.epochs == [0]
    assert entries(location, "commits") in ([0], [])  # Spark may have been stopped before


@pytest.mark.rest
def test_views_come_while_checkpoints_overlap(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    p = pipeline(items, location, checkpointOverlap=2)
    run = p.start()
    for barrier in range(3):
        put(items, barrier)
    run.processAllAvailable()
    run.addView("wide", p.read("sums").where("`count(id)` > 0").select("g"))
    put(items, 3)
    run.processAllAvailable()
    assert {row["g"] for row in run.view("wide").collect()} == {0, 1, 2}
    run.dropView("wide")
    put(items, 4)
    run.stop()
    assert pipeline(items, location).start(availableNow=True).awaitTermination() is None
    assert read(session, location) == sums(*range(5))


@pytest.mark.rest
def test_files_of_tables_go_once_their_barrier_is_recorded(
    session: SparkSession, tmp_path: Path, gate: Gate
) -> None:
    location = tmp_path / "c"
    rows = location / "groundswell" / "tables" / "votes" / "rows"
    p = gs.pipeline(session, str(location), checkpointOverlap=2)
    votes = p.table("votes", "id bigint, n bigint", key="id")
    p.view("total", votes.df.groupBy().sum("n"))
    run = p.start()
    for i in range(3):
        votes.upsert(session.createDataFrame([(i % 2, i)], "id bigint, n bigint"))
        assert gate.asked.acquire(timeout=60)
    assert len(list(rows.glob("*.parquet"))) == 3, "a restart would read them again"
    gate.open.set()
    run.processAllAvailable()
    run.stop()
    assert gs.read_view(session, str(location), "total").collect()[0][0] == 2 + 1
    assert list(rows.glob("*.parquet")) == []


@pytest.mark.parametrize(
    ("options", "message"),
    first_of(
        [
            ({"checkpointEvery": 2}, "checkpointEvery is 2 and option checkpointOverlap is 3"),
            ({"compaction": "elsewhere"}, "compaction is elsewhere: another process merges"),
        ]
    ),
)
def test_options_that_exclude_each_other_are_refused(
    items: Table, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    p = pipeline(items, tmp_path / "c", checkpointOverlap=3, **options)
    with pytest.raises(gs.ConfigurationError, match=message):
        p.start()
    assert not (tmp_path / "c").exists()
