"""Whole streaming queries, and the files they read: the same for every state store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

KEYS = 500_000
SCHEMA = "k bigint, v bigint, at timestamp, id string"
START = 1_704_067_200_000_000
BATCH_MICROS = 60_000_000


class Workload(NamedTuple):
    """A query over one or two streams of the same shape."""

    label: str
    streams: int
    build: Callable[[list[DataFrame]], DataFrame]
    mode: str
    share: int = 1
    """One in so many rows is used: Python's workers are slow whatever the store."""
    empty: bool = False
    """Reads files without rows: what a micro-batch costs by itself."""
    families: bool = False
    """Needs a store with column families, which Spark's HDFS-backed one is not."""


def write(folder: Path, rows: int, batches: int, stream: int) -> None:
    """One file a batch; event time moves on by a minute with each."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(stream)
    for i in range(batches):
        keys = random.integers(0, KEYS, rows)
        at = START + i * BATCH_MICROS + random.integers(0, BATCH_MICROS, rows)
        table = pa.table(
            {
                "k": keys,
                "v": random.integers(0, 1000, rows),
                "at": pa.array(at, pa.int64()).cast(pa.timestamp("us", "UTC")),
                "id": [f"event-{n:012d}" for n in random.integers(0, 4 * rows * batches, rows)],
            }
        )
        path = folder / f"{i:04d}.parquet"
        pq.write_table(table, path, compression="lz4")
        os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))


def write_empty(folder: Path, batches: int) -> None:
    """One file a batch; only the first has rows."""
    folder.mkdir(parents=True)
    write(folder / "rows", 1000, 1, 2)
    table = pq.read_table(folder / "rows" / "0000.parquet")
    (folder / "rows" / "0000.parquet").unlink()
    (folder / "rows").rmdir()
    for i in range(batches):
        path = folder / f"{i:04d}.parquet"
        pq.write_table(table if i == 0 else table.slice(0, 0), path)
        os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))


def aggregation(streams: list[DataFrame]) -> DataFrame:
    return streams[0].groupBy("k").agg(F.count("*"), F.sum("v"), F.max("v"))


def deduplication(streams: list[DataFrame]) -> DataFrame:
    return streams[0].dropDuplicates(["id"])


def join(streams: list[DataFrame]) -> DataFrame:
    left = streams[0].withWatermark("at", "1 minute").alias("l")
    right = streams[1].withWatermark("at", "1 minute").alias("r")
    near = "l.k = r.k AND r.at BETWEEN l.at - INTERVAL 1 MINUTE AND l.at + INTERVAL 1 MINUTE"
    return left.join(right, F.expr(near)).select("l.k", "l.v", "r.v")


class Counter(StatefulProcessor):
    """A running count and sum by key."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.totals = handle.getValueState("totals", "n long, sum long")

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: ARG002
    ) -> Iterator[pd.DataFrame]:
        n, total = self.totals.get() if self.totals.exists() else (0, 0)
        for frame in rows:
            n, total = n + len(frame), total + int(frame.v.sum())
        self.totals.update((n, total))
        yield pd.DataFrame({"k": [key[0]], "n": [n], "sum": [total]})


def processor(streams: list[DataFrame]) -> DataFrame:
    grouped = streams[0].where("k % 100 = 0").groupBy("k")
    return grouped.transformWithStateInPandas(
        Counter(), "k long, n long, sum long", "Update", "None"
    )


WORKLOADS = {
    "aggregation": Workload("aggregation, 500,000 keys", 1, aggregation, "update"),
    "deduplication": Workload("dropDuplicates", 1, deduplication, "append"),
    "join": Workload("stream-stream join", 2, join, "append"),
    "processor": Workload("transformWithStateInPandas", 1, processor, "update", 100, families=True),
    "empty": Workload("empty micro-batch", 1, aggregation, "update", empty=True),
}
