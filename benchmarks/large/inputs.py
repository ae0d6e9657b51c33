"""What comes in one barrier: Nexmark's events, and two tables that have one join key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import groundswell as gs
from nexmark import events
from nexmark.queries import QUERIES
from views import engines

MANY, FEW = "id bigint, k bigint, v bigint, word string", "id bigint, k bigint, w bigint"


class Case(NamedTuple):
    """A view, and what it reads.

    Attributes:
        sql: the query.
        write: writes the input: folder, size, barriers.
        streams: registers the streams.
        tables: registers the same as tables, for batch Spark.
    """

    sql: str
    write: Callable[[Path, int, int], None]
    streams: Callable[[SparkSession, Path], None]
    tables: Callable[[SparkSession, Path], None]


def _nexmark(name: str) -> Case:
    query = QUERIES[name]

    def tables(spark: SparkSession, data: Path) -> None:
        for source in query.sources:
            frame = spark.read.schema(events.SCHEMAS[source]).parquet(str(data / source))
            frame.createOrReplaceTempView(source)

    return Case(
        query.sql,
        events.write,
        lambda spark, data: engines.streams(spark, query, data),
        tables,
    )


def write_one_key(folder: Path, rows: int, barriers: int) -> None:
    """``many`` has so many rows, ``few`` has two, and all have the same join key."""
    bounds = np.linspace(0, rows, barriers + 1).astype(np.int64)
    for side in ("many", "few"):
        (folder / side).mkdir(parents=True)
    for i in range(barriers):
        ids = np.arange(bounds[i], bounds[i + 1])
        columns = {
            "id": ids,
            "k": np.full(len(ids), 7),
            "v": ids % 1000,
            "word": np.char.mod("word %d", ids % 100_000),
        }
        pq.write_table(pa.table(columns), folder / "many" / f"{i:06}.parquet")
    pq.write_table(
        pa.table({"id": [1, 2], "k": [7, 7], "w": [10, 20]}), folder / "few" / "0.parquet"
    )


def _one_key(keyed: bool) -> Case:
    def streams(spark: SparkSession, data: Path) -> None:
        for side, schema in (("many", MANY), ("few", FEW)):
            stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
            frame = stream.parquet(str(data / side))
            if keyed:
                frame = gs.upserts(frame, key="id", name=side)
            frame.createOrReplaceTempView(side)

    def tables(spark: SparkSession, data: Path) -> None:
        for side, schema in (("many", MANY), ("few", FEW)):
            spark.read.schema(schema).parquet(str(data / side)).createOrReplaceTempView(side)

    sql = "SELECT m.id, f.id AS other, m.v + f.w AS sum, m.word FROM many m JOIN few f ON m.k = f.k"
    return Case(sql, write_one_key, streams, tables)


CASES = {
    "q5": _nexmark("q5"),
    "q20": _nexmark("q20"),
    "one-key": _one_key(False),
    "one-key-upserts": _one_key(True),
}
