"""Where Spark's own suites look closely: ours answers as RocksDB's provider does."""

from collections.abc import Callable, Iterator
from dataclasses import replace
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

SCHEMA = "k string, op string, v long"
CHANGELOG = {
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
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
                elif op == "appendAll":
                    self.values.appendList([(int(v),), (int(v) + 1,)])
                elif op == "put":
                    self.values.put([(int(v),), (int(v) + 1,), (int(v) + 2,)])
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
        print(provider, failed.value.getCondition(), str(failed.value)[:3000])
        errors.append(str(failed.value))


def feed(run: Replay, **options: Any) -> list[tuple[Any, ...]]:
    reader = run.spark.read.format("statestore").option("readChangeFeed", True)
    for key, value in options.items():
        reader = reader.option(key, value)
    rows = reader.option("changeStartBatchId", 0).load(str(run.checkpoint))
    kept = rows.select("batch_id", "change_type", "key.k", "list_element", "partition_id")
    return [tuple(row) for row in kept.collect()]


LISTS = ops(
    "a append 1, a append 2, b append 3, c put 10, f append 1",
    "a append 4, b clear 0, c append 20, d append 5, d append 6, d clear 0",
    "a clear 0, a append 7, b append 8, c put 30, e append 1, e put 40, e append 9, f appendAll 2",
    "a put 50, c clear 0, c append 1, c clear 0, f append 4, f put 1",
)


@pytest.mark.parametrize("ttl", [None, 1])
def test_lists(stores: SparkSession, tmp_path: Path, ttl: int | None) -> None:
    time = "None" if ttl is None else "ProcessingTime"
    case = Case(LISTS, processed(Lists(ttl), time), "update", CHANGELOG)
    for run in replay(stores, case, tmp_path, OURS, ROCKSDB):
        print(run.checkpoint)
        for row in feed(run, stateVarName="values"):
            print("FEED", row)
