"""Spark's state data source finds in our state what it finds in RocksDB's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from provider.cases import totals, windowed
from provider.events import one
from provider.joins import joined
from provider.processors import ledger
from provider.replay import OURS, ROCKSDB, Case, Replay, replay

pytestmark = pytest.mark.rest

# RocksDB's change feed needs its changelog. Ours is step by step only with a log of all writes.
CHANGELOG = {
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.groundswell.logEveryWrite": "true",
}


def with_changelog(case: Case, **confs: str) -> Case:
    return Case(case.sources, case.build, case.mode, {**case.confs, **CHANGELOG, **confs})


def rows_of(frame: DataFrame) -> list[str]:
    return sorted(map(repr, frame.collect()))


def read(run: Replay, **options: Any) -> DataFrame:
    reader = run.spark.read.format("statestore")
    for key, value in options.items():
        reader = reader.option(key, str(value))
    return reader.load(str(run.checkpoint))


def assert_same(runs: list[Replay], ask: Callable[[Replay], DataFrame]) -> None:
    ours, theirs = (rows_of(ask(run)) for run in runs)
    assert ours == theirs
    assert ours, "nothing was compared"


FORMAT_2 = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2"}


@pytest.mark.parametrize("confs", [{}, FORMAT_2], ids=["format 1", "format 2"])
def test_batches_changes_and_snapshots_of_an_aggregation(
    stores: SparkSession, tmp_path: Path, confs: dict[str, str]
) -> None:
    case = with_changelog(Case(one(), windowed, "append"), **confs)
    runs = replay(stores, case, tmp_path, OURS, ROCKSDB)
    last = max(runs[0].rows)
    for batch in range(last + 1):
        ours, theirs = (rows_of(read(run, batchId=batch)) for run in runs)
        assert ours == theirs
    assert_same(runs, lambda run: read(run, readChangeFeed=True, changeStartBatchId=0))
    some = {"readChangeFeed": True, "changeStartBatchId": 1, "changeEndBatchId": last - 1}
    assert_same(runs, lambda run: read(run, **some))
    (ours, _) = runs
    replayed = read(ours, snapshotStartBatchId=1, snapshotPartitionId=0, batchId=last)
    everything = read(ours, batchId=last).where("partition_id = 0")
    assert rows_of(replayed) == rows_of(everything)


@pytest.mark.parametrize("version", [2, 3])
def test_both_sides_of_a_join(stores: SparkSession, tmp_path: Path, version: int) -> None:
    runs = replay(stores, with_changelog(joined("inner", version)), tmp_path, OURS, ROCKSDB)
    for side in ("left", "right"):
        assert_same(runs, lambda run, side=side: read(run, joinSide=side, batchId=2))


def test_a_store_of_a_join_by_name(stores: SparkSession, tmp_path: Path) -> None:
    runs = replay(stores, with_changelog(joined("inner")), tmp_path, OURS, ROCKSDB)
    name = {"storeName": "left-keyToNumValues"}
    assert_same(runs, lambda run: read(run, **name))
    feed = {"readChangeFeed": True, "changeStartBatchId": 0, **name}
    assert_same(runs, lambda run: read(run, **feed))


def test_state_variables_and_timers(stores: SparkSession, tmp_path: Path) -> None:
    case = with_changelog(Case(one(batches=4, rows=20, keys=8), ledger, "update"))
    runs = replay(stores, case, tmp_path, OURS, ROCKSDB)
    for variable in ("count", "recent", "by_value"):
        assert_same(runs, lambda run, name=variable: read(run, stateVarName=name, batchId=1))
        flat = {"stateVarName": variable, "flattenCollectionTypes": False, "batchId": 1}
        ours, theirs = (read(run, **flat).collect() for run in runs)
        assert len(ours) == len(theirs)
    assert_same(runs, lambda run: read(run, readRegisteredTimers=True, batchId=1))
    feed = {"readChangeFeed": True, "changeStartBatchId": 0}
    for variable in ("count", "by_value"):
        assert_same(runs, lambda run, name=variable: read(run, stateVarName=name, **feed))


def test_metadata_names_operators_and_stores(stores: SparkSession, tmp_path: Path) -> None:
    runs = replay(stores, joined("left_outer"), tmp_path, OURS, ROCKSDB)
    assert_same(runs, lambda run: run.spark.read.format("state-metadata").load(str(run.checkpoint)))


def test_what_is_not_there_is_an_error(stores: SparkSession, tmp_path: Path) -> None:
    (run,) = replay(stores, Case(one(batches=2), totals, "update"), tmp_path, OURS)
    with pytest.raises(Exception, match=r"(?i)batch|version"):
        read(run, batchId=99).collect()
