"""Where Spark's own suites look closely: ours answers as RocksDB's provider does."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

from provider.events import one
from provider.jvm_operators import call
from provider.processors import OUTPUT, Ledger
from provider.replay import OURS, ROCKSDB, Case, Replay, Source, replay
from provider.test_state_source import read, rows_of

pytestmark = pytest.mark.rest

SCHEMA = "k string, op string, v long"
CHANGELOG = {
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.groundswell.logEveryWrite": "true",
    "spark.sql.shuffle.partitions": "2",
    # A query over processing time is never done otherwise.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
}
HOUR = 3_600_000


class Lists(StatefulProcessor):
    """Does to its list what the rows say, in their order."""

    def __init__(self, ttl: int | None = None) -> None:
        self.ttl = ttl

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.values = handle.getListState("values", "v long", self.ttl)

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
    ) -> Iterator[pd.DataFrame]:
        for frame in rows:
            for op, v in zip(frame.op, frame.v, strict=True):
                if op == "append":
                    self.values.appendValue((int(v),))
                else:
                    self.values.clear()
        yield Ledger.rows(key, [("done", 1)])


def processed(processor: StatefulProcessor, time: str) -> Callable[[dict[str, DataFrame]], Any]:
    def build(streams: dict[str, DataFrame]) -> DataFrame:
        grouped = streams["ops"].groupBy("k")
        return grouped.transformWithStateInPandas(processor, OUTPUT, "Update", time)

    return build


def ops(*batches: str) -> dict[str, Source]:
    """Batches such as ``a append 1, b clear 0``."""
    rows = [
        [dict(zip(("k", "op", "v"), row.split(), strict=True)) for row in batch.split(", ")]
        for batch in batches
    ]
    return {"ops": Source(SCHEMA, [[{**row, "v": int(row["v"])} for row in b] for b in rows])}


@pytest.mark.parametrize("encoding", ["unsaferow", "avro"])
def test_a_time_to_live_that_is_added_after_a_restart(
    stores: SparkSession, tmp_path: Path, encoding: str
) -> None:
    confs = {**CHANGELOG, "spark.sql.streaming.stateStore.encodingFormat": encoding}

    def lasting(ttl: int) -> Case:
        return Case(
            one(batches=2, rows=4),
            lambda streams: call("lasting", streams["events"], ttl),
            "update",
            confs,
        )

    errors = []
    for number, provider in enumerate((OURS, ROCKSDB)):
        run = Replay(stores, lasting(0), provider, tmp_path / str(number))
        run.arrive(0, 1)
        run.ended(run.start())
        run.case = lasting(HOUR)
        run.arrive(1, 2)
        with pytest.raises(StreamingQueryException) as failed:
            run.ended(run.start())
        errors.append(re.findall(r"\[([A-Z_]+)\] (Provided.*|Schema.*)", str(failed.value))[0])
    ours, theirs = errors
    assert ours == theirs


def feed(run: Replay) -> list[str]:
    """Every step, but for the time at which it was made."""
    rows = read(run, stateVarName="values", readChangeFeed=True, changeStartBatchId=0)
    kept = rows.select("batch_id", "partition_id", "change_type", "key.k", "list_element")
    return [re.sub(r"ttlExpirationMs=\d+", "ttlExpirationMs", repr(row)) for row in kept.collect()]


LISTS = ops(
    "a append 1, a append 2, b append 3, c append 10, f append 1",
    "a append 4, b clear 0, c append 20, d append 5, d append 6, d clear 0, g clear 0",
    "a clear 0, a append 7, b append 8, c clear 0, c append 1, c clear 0",
)


@pytest.mark.parametrize("ttl", [None, 1], ids=["for ever", "with a time to live"])
def test_the_change_feed_of_lists_step_by_step(
    stores: SparkSession, tmp_path: Path, ttl: int | None
) -> None:
    """A time to live of a millisecond is over at the next batch, and not before."""
    time = "None" if ttl is None else "ProcessingTime"
    runs = replay(
        stores,
        Case(LISTS, processed(Lists(ttl), time), "update", CHANGELOG),
        tmp_path,
        OURS,
        ROCKSDB,
    )
    ours, theirs = map(feed, runs)
    assert ours == theirs
    assert any("append" in row for row in ours)
    assert any("delete" in row for row in ours)
    if ttl is not None:
        assert any("update" in row for row in ours), "what is left of a list is put anew"


def test_any_retained_batch_is_a_snapshot_to_start_from(
    stores: SparkSession, tmp_path: Path
) -> None:
    """RocksDB's own tests wait for its files here; ours needs none beside the commits."""
    case = Case(LISTS, processed(Lists(), "None"), "update", CHANGELOG)
    (run,) = replay(stores, case, tmp_path, OURS)
    last = max(run.rows)
    asked = {"stateVarName": "values", "batchId": last}
    for partition in range(2):
        everything = read(run, **asked).where(f"partition_id = {partition}")
        for start in range(last + 1):
            replayed = read(run, snapshotStartBatchId=start, snapshotPartitionId=partition, **asked)
            assert rows_of(replayed) == rows_of(everything)
    assert rows_of(read(run, **asked)), "nothing was compared"
