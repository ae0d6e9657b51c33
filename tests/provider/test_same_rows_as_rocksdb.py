"""Queries give the same rows, batch by batch, under our provider and under RocksDB's."""

import os
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from provider.cases import CASES, SOAK
from provider.jvm_operators import JVM_OPERATORS
from provider.recorded import digest, record, recorded
from provider.replay import OURS, ROCKSDB, Replay, replay

ALL = {**CASES, **JVM_OPERATORS}
"""By name; those for the JVM run in ``test_jvm_operators``."""


def assert_ran_on_ours(run: Replay) -> None:
    """The rows came out of our store: its class, its files, its numbers."""
    assert run.pinned_provider() == OURS
    assert run.state_files("*.commit")
    assert not run.state_files("*.zip")
    assert not run.state_files("*.delta")
    for progress in run.progress:
        for operator in progress.stateOperators:
            assert "groundswellCommitMs" in operator.customMetrics


def assert_engine_is_told_of(run: Replay) -> None:
    """The engine's numbers reach the progress, and are what the batches did."""
    told = [o.customMetrics for p in run.progress for o in p.stateOperators]
    assert sum(metrics["groundswellGets"] for metrics in told) > 0
    assert sum(metrics["groundswellFilterNegatives"] for metrics in told) > 0
    assert max(metrics["groundswellSubLevels"] for metrics in told) > 2
    newest = told[-1]
    assert 0 < newest["groundswellFileBytes"] < 1 << 20
    assert newest["groundswellFiles"] >= newest["groundswellSubLevels"] > 0
    for metrics in told:
        negatives, gets = metrics["groundswellFilterNegatives"], metrics["groundswellGets"]
        assert negatives <= gets * (metrics["groundswellSubLevels"] + 2)


# In state format 4 Spark gives rows without an event time a random one: those of a join key that
# draw the same are one key of the state.
KEYS_BY_CHANCE = CASES["join without time, state format 4"]


def state_rows(run: Replay) -> list[list[int]]:
    """Keys in the state, by batch and operator."""
    return [
        [operator.numRowsTotal for operator in progress.stateOperators]
        for progress in run.progress
        if progress.stateOperators
    ]


def pinned(run: Replay) -> dict[str, str]:
    """The confs of the case as the checkpoint has them: Spark may have changed its mind."""
    confs = run.pinned_confs()
    return {key: confs[key] for key in run.case.confs if key in confs}


def digest_of(run: Replay) -> str:
    """Of all that is equal under both stores."""
    return digest(run, [] if run.case is KEYS_BY_CHANCE else state_rows(run))


def assert_same_under_rocksdb(spark: SparkSession, name: str, folder: Path) -> None:
    """Runs the case, with a restart; under RocksDB's store too, unless what it gave is recorded."""
    case = ALL[name]
    (ours,) = replay(spark, case, folder / "ours", OURS)
    assert_ran_on_ours(ours)
    assert pinned(ours).items() <= case.confs.items()
    assert any(ours.rows.values()), "the query gave no row at all"
    assert max(sum(batch) for batch in state_rows(ours)) > 0
    if recorded().get(name) == digest_of(ours):
        return
    (rocksdb,) = replay(spark, case, folder / "rocksdb", ROCKSDB)
    assert rocksdb.pinned_provider() == ROCKSDB
    assert pinned(rocksdb).items() <= case.confs.items()
    assert ours.rows == rocksdb.rows
    assert case is KEYS_BY_CHANCE or state_rows(ours) == state_rows(rocksdb)


# One of each kind of operator; the other cases run in `make test-rest`.
FIRST = [
    "aggregation, update",
    "session windows",
    "dropDuplicates",
    "inner join, state format 3",
    "transformWithStateInPandas, timers",
]


def refused(name: str) -> pytest.MarkDecorator:
    """What this Spark refuses runs nowhere."""
    return pytest.mark.skipif(
        "state format 4" in name and pyspark.__version__ < "4.3",
        reason="Spark 4.2: 'state format version 4 is under development'",
    )


def marks(name: str) -> list[pytest.MarkDecorator]:
    """What is long runs in `make soak`."""
    return [
        refused(name),
        *([pytest.mark.soak] if name in SOAK else []),
        *([] if name in FIRST else [pytest.mark.rest]),
    ]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in CASES])
def test_same_rows_as_rocksdb(stores: SparkSession, name: str, tmp_path: Path) -> None:
    assert_same_under_rocksdb(stores, name, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", [pytest.param(name, marks=refused(name)) for name in ALL])
def test_what_is_recorded_is_what_rocksdb_gives(
    stores: SparkSession, name: str, tmp_path: Path
) -> None:
    (rocksdb,) = replay(stores, ALL[name], tmp_path, ROCKSDB)
    assert rocksdb.pinned_provider() == ROCKSDB
    found = digest_of(rocksdb)
    if "GROUNDSWELL_RECORD" in os.environ:
        record(name, found)
    assert recorded().get(name) == found


def test_the_progress_tells_of_the_engine(stores: SparkSession, tmp_path: Path) -> None:
    (run,) = replay(stores, CASES["dropDuplicates"], tmp_path, OURS)
    assert_engine_is_told_of(run)
