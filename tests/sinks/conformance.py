"""What every sink does, whatever it writes to: subclass a class below, and say what the target is.

``Conformance`` drives a sink by its four methods; ``Pipelines`` runs views into it, in this process
and in others that are killed; ``Restarts`` kills its server meanwhile.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

import groundswell as gs
from groundswell.runtime.barriers.deliveries import Deliveries, ViewFacts
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.rows_aside import RowsAside
from groundswell.sinks.registry import SinkSpec, sink_spec
from sinks import workload
from unit.runtime.folders import MemoryFolder

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
SCHEMA = "customer bigint, n bigint, total double, name string"
TYPES = StructType(
    [
        StructField("customer", LongType()),
        StructField("n", LongType()),
        StructField("total", DoubleType()),
        StructField("name", StringType()),
    ]
)
ARROW = pa.schema(
    [
        ("customer", pa.int64()),
        ("n", pa.int64()),
        ("total", pa.float64()),
        ("name", pa.string()),
        ("_change_type", pa.string()),
    ]
)
Row = tuple[Any, ...]


class Target(ABC):
    """A place that a sink writes to, and how its users read it."""

    format: str
    options: dict[str, Any]
    append_only: ClassVar[bool] = False
    spark: SparkSession | None = None
    """Of a sink that writes with Spark; others are driven without."""

    @property
    def refused(self) -> list[Row]:
        """Rows that it cannot take: without a key, or with values that its columns do not hold."""
        return [] if self.append_only else [row(None)]

    @abstractmethod
    def rows(self) -> list[Row]:
        """What a reader sees, in the order of ``SCHEMA``'s columns, sorted."""


class InArrow(gs.Changes):
    """Changes that need no Spark."""

    def __init__(self, table: pa.Table) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self.__dict__["table"] = table  # as if it had been read

    @property
    def is_empty(self) -> bool:
        return self.table.num_rows == 0


class Driven:
    """A sink, called as a pipeline calls it."""

    def __init__(self, target: Target, token: int = 1, name: str = "out", **more: Any) -> None:
        self.spark, self.token, self.name = target.spark, token, name
        given = {k: v for k, v in {**target.options, **more}.items() if v is not None}
        self.spec: SinkSpec = sink_spec(name, "v", target.format, given)
        self.sink = self.spec.make()
        self.schema = TYPES
        self.append_only = target.append_only
        self.key = () if self.append_only else ("customer",)

    def start(self, epoch: int | None = None) -> gs.SinkProgress | None:
        self.sink.open(
            gs.SinkStart(
                name=self.name,
                id=f"id-of-{self.name}",
                view="v",
                schema=self.schema,
                key=self.key,
                append_only=self.append_only,
                token=self.token,
                epoch=epoch,
                spark=self.spark,
                location="/nowhere",
            )
        )
        return self.sink.recover()

    def write(self, epoch: int, changes: Iterable[tuple[str, Row]]) -> None:
        self.sink.write(epoch, changed(self.spark, changes))

    def epoch(self, epoch: int, *changes: tuple[str, Row]) -> None:
        self.write(epoch, changes)
        self.sink.commit(epoch)


def changed(spark: SparkSession | None, changes: Iterable[tuple[str, Row]]) -> gs.Changes:
    """What an epoch changed, as a sink gets it."""
    rows = [(*row, change) for change, row in changes]
    if spark:
        return gs.Changes(spark.createDataFrame(rows, f"{SCHEMA}, _change_type string"))
    columns = dict(zip(ARROW.names, zip(*rows, strict=True), strict=True)) if rows else {}
    arrays = [pa.array(columns.get(f.name, ()), f.type) for f in ARROW]
    return InArrow(pa.Table.from_arrays(arrays, schema=ARROW))


class Delivered:
    """A sink, brought up by a pipeline's deliveries, with what they do about rows it refuses.

    Args:
        target: what it writes to.
        before: the run before it, whose epochs are kept.
        options: of the sink.
    """

    def __init__(self, target: Target, before: Delivered | None = None, **options: Any) -> None:
        self.spark = target.spark
        self.home = before.home if before else MemoryFolder()
        self.epochs: dict[int, gs.Changes] = dict(before.epochs) if before else {}
        token = before.token + 1 if before else 1
        self.token = token
        given = {k: v for k, v in {**target.options, **options}.items() if v is not None}
        spec = sink_spec("out", "v", target.format, given)
        key = () if target.append_only else ("customer",)
        facts = {"v": ViewFacts(TYPES, key, target.append_only, "state")}
        self.all = Deliveries(self.spark, "/nowhere", self.home, [spec], facts, token)  # type: ignore[arg-type]
        newest = self.find(max(self.epochs)) if self.epochs else None
        self.all.open(newest)
        self.all.catch_up(newest, self)
        (self.deliver,) = self.all.of("v")

    def epoch(self, epoch: int, *changes: tuple[str, Row]) -> None:
        self.epochs[epoch] = changed(self.spark, changes)
        self.deliver(self.epochs[epoch], epoch)

    def find(self, epoch: int) -> EpochManifest | None:
        if epoch not in self.epochs:
            return None
        return EpochManifest(epoch, {"state": []}, "", {}, {}, 0, 0, 0, {"v": "state"})

    def changes(self, view: str, manifest: EpochManifest) -> gs.Changes:
        return self.epochs[manifest.epoch]

    def rows(self, state: str, manifest: EpochManifest) -> Any:
        raise AssertionError("nothing is to be compared")

    def fail_point(self, name: str) -> None:
        pass

    @property
    def status(self) -> dict[str, Any]:
        return self.all.status["out"]

    def aside(self) -> list[Row]:
        """The rows that were set aside."""
        kept = RowsAside(self.home, self.all.names["out"], "out").rows()
        return [tuple(each["row"].values()) for each in kept]

    def close(self) -> None:
        self.all.close()


def insert(key: int, n: int = 1, name: str | None = "x") -> tuple[str, Row]:
    return "insert", (key, n, n / 2, name)


def delete(key: int, n: int = 1, name: str | None = "x") -> tuple[str, Row]:
    return "delete", (key, n, n / 2, name)


def update(key: int, before: int, after: int) -> list[tuple[str, Row]]:
    return [
        ("update_preimage", (key, before, before / 2, "x")),
        ("update_postimage", (key, after, after / 2, "x")),
    ]


def row(key: int | None, n: int = 1, name: str | None = "x") -> Row:
    return (key, n, n / 2, name)


class RefusedRows:
    """A row that the target cannot take never ends a pipeline for good: it or the sink goes."""

    @pytest.fixture
    def target(self) -> Target:
        raise NotImplementedError

    @pytest.fixture
    def refused(self, target: Target) -> list[Row]:
        if not target.refused:
            pytest.skip("it takes every row of these columns")
        return target.refused

    def test_rows_that_it_refuses_are_set_aside_and_the_rest_arrives(
        self, target: Target, refused: list[Row]
    ) -> None:
        run = Delivered(target, on_failure="set_aside")
        run.epoch(0, insert(1))
        run.epoch(1, insert(2), *(("insert", bad) for bad in refused), insert(3))
        run.epoch(2, insert(4))
        run.close()
        assert target.rows() == [row(1), row(2), row(3), row(4)]
        assert run.status == {"epoch": 2, "stopped": None, "rowsAside": len(refused)}
        assert sorted(run.aside(), key=repr) == sorted(refused, key=repr)

    def test_a_row_that_it_refuses_stops_it_alone_and_the_next_start_goes_on(
        self, target: Target, refused: list[Row]
    ) -> None:
        run: Delivered | None = None
        for number, bad in enumerate(refused):
            run = Delivered(target, run)
            first = 10 * number
            before = target.rows()
            run.epoch(first, insert(first + 1))
            run.epoch(first + 1, insert(first + 2), ("insert", bad))
            run.epoch(first + 2, insert(first + 3))  # nothing is raised
            assert target.rows() == [*before, row(first + 1)]
            assert run.status["epoch"] == first
            assert f"The row is customer = {bad[0]!r}" in run.status["stopped"]
            run.close()
            run = Delivered(target, run, on_failure="set_aside")
            assert target.rows() == [*before, *(row(first + i) for i in (1, 2, 3))]
            assert run.status == {"epoch": first + 2, "stopped": None, "rowsAside": 1}
            run.close()


class Conformance(RefusedRows):
    """By the four methods."""

    @pytest.fixture
    def target(self) -> Target:
        raise NotImplementedError

    @pytest.fixture
    def driven(self, target: Target) -> Iterable[Driven]:
        made = Driven(target)
        yield made
        made.sink.close()

    def test_an_epoch_is_there_after_its_commit_with_its_number(
        self, driven: Driven, target: Target
    ) -> None:
        assert driven.start() is None
        driven.epoch(3, insert(1), insert(2, 5, None))
        assert target.rows() == [row(1), row(2, 5, None)]
        assert driven.sink.recover() == gs.SinkProgress(1, 3)
        driven.epoch(4, insert(3, name='it\'s "quoted", \\ and\tü'))
        assert target.rows()[-1] == row(3, name='it\'s "quoted", \\ and\tü')

    def test_an_epoch_that_is_repeated_after_its_commit_changes_nothing(
        self, driven: Driven, target: Target
    ) -> None:
        driven.start()
        driven.epoch(0, insert(1))
        driven.epoch(1, insert(2))
        again = Driven(target, token=2)
        assert again.start() == gs.SinkProgress(1, 1)
        again.epoch(2, insert(3))
        assert target.rows() == [row(1), row(2), row(3)]
        assert again.sink.recover() == gs.SinkProgress(2, 2)
        again.sink.close()

    def test_what_was_not_committed_is_forgotten(self, driven: Driven, target: Target) -> None:
        driven.start()
        driven.epoch(0, insert(1))
        driven.write(1, [insert(2)])
        driven.sink.close()
        again = Driven(target, token=2)
        assert again.start() == gs.SinkProgress(1, 0)
        again.epoch(1, insert(2), insert(4))
        assert target.rows() == [row(1), row(2), row(4)]
        again.sink.close()

    def test_an_empty_epoch_moves_the_number_alone(self, driven: Driven, target: Target) -> None:
        driven.start()
        driven.epoch(0)
        driven.epoch(1, insert(1))
        driven.epoch(2)
        assert target.rows() == [row(1)]
        assert driven.sink.recover() == gs.SinkProgress(1, 2)

    def test_an_owner_that_was_overtaken_is_refused(self, driven: Driven, target: Target) -> None:
        later = Driven(target, token=2)
        driven.start()
        driven.epoch(0, insert(1))
        later.start()
        later.epoch(1, insert(2))
        with pytest.raises(gs.SinkFenced, match="token 2"):
            driven.epoch(2, insert(3))
        driven.sink.close()
        assert target.rows() == [row(1), row(2)]
        later.sink.close()


class KeyedConformance(Conformance):
    """Of sinks that take changes and deletes."""

    def test_changes_and_deletes(self, driven: Driven, target: Target) -> None:
        driven.start()
        driven.epoch(0, insert(1), insert(2), insert(3))
        driven.epoch(1, *update(1, 1, 9), delete(2), insert(4))
        assert target.rows() == [row(1, 9), row(3), row(4)]
        driven.epoch(2, delete(1, 9), insert(1, 2))
        assert target.rows() == [row(1, 2), row(3), row(4)]

    def test_a_delete_of_what_was_never_sent(self, driven: Driven, target: Target) -> None:
        driven.start()
        driven.epoch(0, delete(7), insert(1))
        assert target.rows() == [row(1)]

    def test_two_rows_of_one_key_are_named(self, driven: Driven, target: Target) -> None:
        driven.start()
        with pytest.raises(gs.SinkError, match=r"2 rows of the view have the key customer = 1"):
            driven.epoch(0, insert(1), insert(1, 2))
        driven.start()
        assert target.rows() == []

    def test_a_null_key_is_named(self, driven: Driven, target: Target) -> None:
        driven.start()
        with pytest.raises(gs.SinkError, match="key column customer is null in 1 rows"):
            driven.epoch(0, ("insert", (None, 1, 0.5, "x")))

    def test_a_view_without_a_key_is_refused(self, target: Target) -> None:
        keyless = Driven(target)
        keyless.key = ()
        with pytest.raises(gs.SinkError, match="needs a key"):
            keyless.start()


class AppendConformance(Conformance):
    """Of sinks that only append."""

    def test_a_view_that_changes_is_refused(self, target: Target) -> None:
        changing = Driven(target)
        changing.append_only = False
        with pytest.raises(gs.SinkError, match="can only append"):
            changing.start()


class Pipelines:
    """Views into the sink, kill -9 at named points included."""

    @pytest.fixture
    def target(self) -> Target:
        raise NotImplementedError

    def test_it_follows_the_view_and_restarts(
        self, session: SparkSession, target: Target, tmp_path: Path
    ) -> None:
        print(f"seed {SEED}")
        rng = random.Random(SEED)
        life = workload.Life(session, tmp_path, rng, target.append_only)
        query = life.pipeline().sink("out", "v", target.format, **target.options).start()
        for _ in range(3):
            life.change()
            query.processAllAvailable()
            assert target.rows() == life.expected()
        query.stop()
        life.change()
        query = life.pipeline().sink("out", "v", target.format, **target.options).start()
        query.processAllAvailable()
        query.stop()
        assert target.rows() == life.expected()

    @pytest.mark.rest
    def test_a_new_sink_gets_what_is_there_and_one_that_missed_epochs_the_rest(
        self, session: SparkSession, target: Target, tmp_path: Path
    ) -> None:
        print(f"seed {SEED}")
        life = workload.Life(session, tmp_path, random.Random(SEED), target.append_only)
        query = life.pipeline().start()
        life.change()
        query.processAllAvailable()
        query.addSink("out", "v", target.format, **target.options)
        assert target.rows() == life.expected()
        life.change()
        query.processAllAvailable()
        assert target.rows() == life.expected()
        query.dropSink("out")
        life.change()
        query.processAllAvailable()
        query.stop()
        life.change()
        query = life.pipeline().sink("out", "v", target.format, **target.options).start()
        query.processAllAvailable()
        query.stop()
        assert target.rows() == life.expected()

    @pytest.mark.rest
    def test_killed_and_restarted(self, target: Target, tmp_path: Path) -> None:
        print(f"seed {SEED}")
        workload.prepare(tmp_path, SEED, target.append_only)
        for point in ("before_sink_commit:2", "after_publish:1", "after_sink_commit:2"):
            died = launch(tmp_path, target, point)
            assert (tmp_path / "killed-at").exists(), f"{point}: {died.stderr[-4000:]}"
            (tmp_path / "killed-at").unlink()
        finished = launch(tmp_path, target)
        assert finished.returncode == 0, finished.stderr[-4000:]
        assert target.rows() == workload.expected(tmp_path, target.append_only)


class Restarts:
    """Views into a sink whose server, ``target.server``, dies and comes back."""

    @pytest.mark.parametrize("end", ["kill", "stop"])
    def test_the_server_restarts_while_epochs_come(
        self, session: SparkSession, target: Any, tmp_path: Path, end: str
    ) -> None:
        print(f"seed {SEED}")
        life = workload.Life(session, tmp_path, random.Random(SEED), target.append_only)
        query = life.pipeline().sink("out", "v", target.format, **target.options).start()
        life.change()
        query.processAllAvailable()
        getattr(target.server, end)()
        again = threading.Timer(2, target.server.start)
        again.start()
        life.change()
        query.processAllAvailable()
        again.join()
        assert target.rows() == life.expected()
        life.change()
        query.processAllAvailable()
        query.stop()
        assert target.rows() == life.expected()


def take_a_million_rows(session: SparkSession, driven: Driven) -> None:
    """Into the sink in one epoch; prints how fast."""
    driven.start()
    frame = session.range(1_000_000).selectExpr(
        "id customer", "id n", "id / 2 total", "concat('name-', id) name", "'insert' _change_type"
    )
    begun = time.monotonic()
    driven.sink.write(0, gs.Changes(frame))
    driven.sink.commit(0)
    print(f"{1_000_000 / (time.monotonic() - begun):,.0f} rows/s")


def launch(
    folder: Path, target: Target, point: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if point:
        environment["GROUNDSWELL_FAILPOINT"] = point
        environment["GROUNDSWELL_FAILPOINT_MARKER"] = str(folder / "killed-at")
    command = [sys.executable, str(Path(workload.__file__)), str(folder), str(target.append_only)]
    command += [target.format, workload.text_of(target.options)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
