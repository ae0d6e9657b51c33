"""Operators with state that are written for the JVM, under our provider and under RocksDB's."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from provider.jvm_operators import EVOLVED, JVM_OPERATORS, evolving
from provider.replay import OURS, ROCKSDB, Replay
from provider.test_same_rows_as_rocksdb import assert_same_under_rocksdb, state_rows

pytestmark = pytest.mark.rest


@pytest.mark.parametrize("name", JVM_OPERATORS)
def test_same_rows_as_rocksdb(stores: SparkSession, name: str, tmp_path: Path) -> None:
    assert_same_under_rocksdb(stores, name, tmp_path)


def test_state_whose_schema_grows_and_widens(stores: SparkSession, tmp_path: Path) -> None:
    """A column gets wider, two are added, their order changes: each at a restart."""
    runs = [
        Replay(stores, evolving(0), provider, tmp_path / str(number))
        for number, provider in enumerate([OURS, ROCKSDB])
    ]
    for version in range(len(EVOLVED)):
        for run in runs:
            run.case = evolving(version)
            run.arrive(version, version + 1)
            run.ended(run.start())
    ours, rocksdb = runs
    assert ours.rows == rocksdb.rows
    assert ours.pinned_provider() == OURS
    assert state_rows(ours) == state_rows(rocksdb)
    last = " ".join(what for _, what, _ in ours.rows[max(ours.rows)])
    assert "of 3" in last and "null|null|" in last, "rows of all schemas are read: " + last
