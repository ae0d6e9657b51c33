"""What stands in a checkpoint: what readers find there, what is let go, what is refused."""

from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import IllegalArgumentException, StreamingQueryException
from pyspark.sql import SparkSession

from cases import first_of
from provider.cases import totals
from provider.events import one
from provider.joins import joined
from provider.replay import OURS, ROCKSDB, Case, Replay, replay

STATE_STORE = "spark.sql.streaming.stateStore."


def read_state(spark: SparkSession, run: Replay, **options: str) -> list[tuple[Any, ...]]:
    reader = spark.read.format("statestore")
    for key, value in options.items():
        reader = reader.option(key, value)
    rows = reader.load(str(run.checkpoint)).collect()
    return sorted(((row.key[0], *row.value) for row in rows), key=repr)


@pytest.mark.rest
def test_the_state_data_source_reads_any_retained_batch(
    stores: SparkSession, tmp_path: Path
) -> None:
    case = Case(one(batches=4), totals, "update")
    (run,) = replay(stores, case, tmp_path, OURS)
    state: dict[str, tuple[Any, ...]] = {}
    for batch, rows in sorted(run.rows.items()):
        state.update({row[0]: row for row in rows})
        expected = sorted(state.values(), key=repr)
        assert read_state(stores, run, batchId=str(batch)) == expected
    before = run.state_files("*")
    assert len(read_state(stores, run)) == len(state)
    assert run.state_files("*") == before, "reading wrote into the checkpoint"


@pytest.mark.rest
def test_the_state_data_source_reads_the_stores_of_a_join(
    stores: SparkSession, tmp_path: Path
) -> None:
    (run,) = replay(stores, joined("inner"), tmp_path, OURS)
    for side in ("left", "right"):
        reader = stores.read.format("statestore").option("joinSide", side)
        rows = reader.load(str(run.checkpoint)).collect()
        assert rows
        assert {row.value.k for row in rows} <= {f"key-{i}" for i in range(8)} | {None}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    first_of(
        [
            ("groundswell.blokBytes", "4096", "blokBytes = 4096: known options are"),
            ("groundswell.bitsPerKey", "many", "bitsPerKey = many: a whole number is wanted"),
        ]
    ),
)
def test_wrong_options_end_the_query_with_their_name(
    stores: SparkSession, tmp_path: Path, key: str, value: str, message: str
) -> None:
    case = Case(one(batches=2), totals, "update", {STATE_STORE + key: value})
    with pytest.raises(StreamingQueryException, match=message):
        replay(stores, case, tmp_path, OURS)
    assert not list(tmp_path.rglob("*.commit"))


@pytest.mark.soak
def test_versions_that_spark_lets_go_leave_the_disk(stores: SparkSession, tmp_path: Path) -> None:
    """Unloading runs the maintenance, after every commit and not once in a while."""
    confs = {
        STATE_STORE + "unloadOnCommit": "true",
        STATE_STORE + "groundswell.compactAtFiles": "2",
        "spark.sql.streaming.minBatchesToRetain": "2",
    }
    (run,) = replay(stores, Case(one(batches=8), totals, "update", confs), tmp_path, OURS)
    files = [*run.state_files("*.commit"), *run.state_files("*.pack")]
    kept = {int(path.name.partition("-")[0]) for path in files}
    newest = max(run.rows) + 1
    assert kept >= {newest - 2, newest - 1, newest}
    assert 1 not in kept, "nothing was let go"
    for batch in (newest - 3, newest - 1):
        assert read_state(stores, run, batchId=str(batch))


@pytest.mark.rest
def test_join_state_format_1_is_refused_by_spark(stores: SparkSession, tmp_path: Path) -> None:
    for provider in (OURS, ROCKSDB):
        case = joined("inner", version=1)
        with pytest.raises(StreamingQueryException, match="Unsupported schema writer version: 1"):
            replay(stores, case, tmp_path / provider, provider)


@pytest.mark.skipif(pyspark.__version__ < "4.3", reason="Spark 4.2 does not ask for the class")
def test_real_time_mode_is_refused_by_name(stores: SparkSession, tmp_path: Path) -> None:
    """Spark asks for RocksDB's class by name before a query starts: docs/state-store.md says so."""
    spark = stores.newSession()
    spark.conf.set(STATE_STORE + "providerClass", OURS)
    # Sources and sinks are asked first: only Kafka's and a few others pass.
    spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    writer = (
        spark.readStream.format("rate")
        .load()
        .groupBy("value")
        .count()
        .writeStream.outputMode("update")
        .format("noop")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
    )
    with pytest.raises(IllegalArgumentException, match=r"STREAMING_REAL_TIME_MODE.*providerClass"):
        writer.trigger(realTime="10 seconds").start()
    assert not (tmp_path / "checkpoint" / "state").exists()
