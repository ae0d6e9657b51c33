"""First loads in several barriers: the same rows, seen once they are whole."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.datasource import ReadAllAvailable

import groundswell as gs
from groundswell.errors import EpochUnavailable
from groundswell.runtime.planning.sources import Size
from groundswell.sources.delta_reader import DeltaReader
from groundswell.sources.delta_table import inspect

deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")

FEED = {"delta.enableChangeDataFeed": "true"}
COLUMNS = "id long, v long"


def table_of(ids: list[int], v: list[int]) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array(v, pa.int64())})


def write(path: Path, ids: list[int], v: list[int]) -> None:
    deltalake.write_deltalake(str(path), table_of(ids, v), mode="append", configuration=FEED)


def files(folder: Path, count: int, first: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    for i in range(first, first + count):
        written = folder / f".{i:03}.parquet"
        pq.write_table(table_of([i, i + 1000], [i, -i]), written)
        written.rename(folder / f"{i:03}.parquet")  # readers see whole files only


def delta(folder: Path, count: int) -> None:
    for i in range(count):
        write(folder, [2 * i, 2 * i + 1], [i, i % 3])


def build(spark: SparkSession, location: Path, lake: Path, drop: Path, **options: Any) -> Any:
    """Views over a Delta table and over files: rows, a join, a sum."""
    items = gs.delta(spark, lake, key="id", name="items")
    events = spark.readStream.schema(COLUMNS).parquet(str(drop))
    pipeline = gs.pipeline(spark, str(location), partitions=2, **options)
    pipeline.view("everything", items)
    pipeline.view("joined", items.join(events.withColumnRenamed("v", "w"), "id"))
    pipeline.view("sums", events.groupBy((F.col("id") % 3).alias("k")).agg(F.sum("v").alias("s")))
    return pipeline


VIEWS = ("everything", "joined", "sums")


def read(spark: SparkSession, location: Path) -> dict[str, list[tuple[Any, ...]]]:
    found = gs.read_views(spark, str(location), VIEWS)
    return {name: sorted(map(tuple, frame.collect())) for name, frame in found.items()}


def batch(spark: SparkSession, lake: Path, drop: Path) -> dict[str, list[tuple[Any, ...]]]:
    items = spark.createDataFrame(
        deltalake.DeltaTable(str(lake)).to_pyarrow_table().to_pandas(), COLUMNS
    )
    events = spark.read.schema(COLUMNS).parquet(str(drop))
    frames: list[DataFrame] = [
        items,
        items.join(events.withColumnRenamed("v", "w"), "id"),
        events.groupBy((F.col("id") % 3).alias("k")).agg(F.sum("v").alias("s")),
    ]
    found = (sorted(map(tuple, frame.collect())) for frame in frames)
    return dict(zip(VIEWS, found, strict=True))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("inputs")
    delta(folder / "lake", 12)
    files(folder / "drop", 9)
    return folder / "lake", folder / "drop"


@pytest.mark.rest
def test_any_size_of_part_gives_the_rows_of_one_barrier(
    session: SparkSession, tmp_path: Path, inputs: tuple[Path, Path]
) -> None:
    lake, drop = inputs
    wanted = batch(session, lake, drop)
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    sizes = [
        {"maxBarrierRows": rng.randint(1, 12)},
        {"maxBarrierBytes": rng.randint(1, 9) * 1000},
    ]
    for number, options in enumerate(sizes):
        location = tmp_path / str(number)
        query = build(session, location, lake, drop, **options).start(availableNow=True)
        query.awaitTermination()
        told = query.recentProgress
        assert len(told) > 1, options
        percents = [each["loading"] for each in told]
        assert percents == sorted(percents), options
        assert None not in percents
        assert read(session, location) == wanted, options
        if "maxBarrierRows" in options:
            most = max(options["maxBarrierRows"], 2)  # a file has two rows
            assert max(each["sources"].get("items", 0) for each in told) <= most, options
        assert query.status["loading"] is None


@pytest.mark.rest
def test_a_file_that_is_larger_than_a_part_is_read_by_row_groups(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    rows = table_of(list(range(100)), list(range(100)))
    properties = deltalake.WriterProperties(max_row_group_size=10)
    deltalake.write_deltalake(str(lake), rows, configuration=FEED, writer_properties=properties)
    write(lake, [200, 201], [1, 2])
    write(lake, [300], [3])
    plan = inspect(str(lake), None, None, {})
    whole = Size(103)
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for most in (Size(), Size(1), whole, *(Size(rng.randint(2, 120)) for _ in range(6))):
        reader = DeltaReader(plan, most)
        start, parts = reader.initialOffset(), []
        while (end := reader.latestOffset(start, ReadAllAvailable())) != start:
            # A run that goes on has another limit, and knows nothing of the one before.
            reader = DeltaReader(plan, rng.choice([most, Size(rng.randint(1, 50))]))
            read = [
                value
                for part in reader.partitions(start, end)
                for batch in reader.read(part)
                for value in batch["id"].to_pylist()
            ]
            parts.append(read)
            start = end
            reader = DeltaReader(plan, most)
        assert sorted(chain.from_iterable(parts)) == [*range(100), 200, 201, 300], most
        assert all(len(part) <= max(most.rows, 10) for part in parts if most.rows), most
        assert len(parts) == 1 or most not in (Size(), whole)


@pytest.mark.rest
def test_a_reader_never_sees_a_part_of_a_first_load(
    session: SparkSession, tmp_path: Path, inputs: tuple[Path, Path]
) -> None:
    lake, drop = inputs
    location, wanted = tmp_path / "run", batch(session, lake, drop)
    seen: list[Any] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            try:
                seen.append(read(session, location))
            except (EpochUnavailable, gs.ConfigurationError) as e:  # nothing is there at first
                seen.append(str(e))

    reader = threading.Thread(target=look)
    reader.start()
    delivered: list[tuple[int, list[tuple[Any, ...]]]] = []

    def note(changes: DataFrame, epoch: int) -> None:
        rows = [(r["_change_type"], r["k"], r["s"]) for r in changes.collect()]
        delivered.append((epoch, sorted(rows)))

    pipeline = build(session, location, lake, drop, maxBarrierRows=3)
    again = session.readStream.schema(COLUMNS).parquet(str(drop))
    pipeline.view("told", again.groupBy((F.col("id") % 3).alias("k")).agg(F.sum("v").alias("s")),
                  foreachBatch=note)  # fmt: skip
    query = pipeline.start()
    try:
        assert query.isActive
        query.processAllAvailable()
        over.set()
        reader.join()
        parts = [each for each in seen if isinstance(each, str) and "first load" in each]
        assert parts, "no reader looked while it was loaded"
        assert [each for each in seen if not isinstance(each, str) and each != wanted] == []
        assert query.status["views"]["sums"]["state"] == "running"
        newest = query.status["epoch"]
        assert delivered == [(newest, [("insert", *row) for row in wanted["sums"]])]
        files(drop, 1, first=100)
        query.processAllAvailable()
        later = delivered[1:]  # two: the other stream may have seen the file one barrier earlier
        assert [epoch for epoch, _ in later] == [newest + 1, newest + 2][: len(later)]
        told = Counter(kind for _, rows in later for kind, *_ in rows)
        assert told == {"update_preimage": 2, "update_postimage": 2}
        assert read(session, location) == batch(session, lake, drop)
    finally:
        over.set()
        query.stop()
        (drop / "100.parquet").unlink(missing_ok=True)


@pytest.mark.rest
def test_a_load_that_was_stopped_goes_on(
    session: SparkSession, tmp_path: Path, inputs: tuple[Path, Path]
) -> None:
    lake, drop = inputs
    location, wanted = tmp_path / "run", batch(session, lake, drop)
    epochs: list[int] = []
    for _ in range(3):
        query = build(session, location, lake, drop, maxBarrierRows=2).start(availableNow=True)
        while query.isActive and not query.recentProgress:
            time.sleep(0.02)
        query.stop()
        epochs.append(query.status["epoch"])
        assert query.status["loading"] is not None
        with pytest.raises(EpochUnavailable, match="% of the first load"):
            gs.read_view(session, str(location), "sums")
    assert epochs == sorted(set(epochs))
    build(session, location, lake, drop).start(availableNow=True).awaitTermination()
    assert read(session, location) == wanted


@pytest.mark.rest
def test_a_sink_gets_a_first_load_as_one_epoch(
    session: SparkSession, tmp_path: Path, inputs: tuple[Path, Path]
) -> None:
    lake, drop = inputs
    target = tmp_path / "target"

    def start() -> Any:
        pipeline = build(session, tmp_path / "run", lake, drop, maxBarrierRows=6)
        pipeline.view("raw", session.readStream.schema(COLUMNS).parquet(str(drop)))
        # What a view has when its sink is added is left out; this one was there before any row.
        pipeline.sink("out", "raw", "parquet", path=str(target), snapshot=False)
        query = pipeline.start(availableNow=True)
        query.awaitTermination()
        return query

    parts = sum(each["loading"] is not None for each in start().recentProgress)
    assert parts > 1
    wanted = sorted(map(tuple, session.read.schema(COLUMNS).parquet(str(drop)).collect()))
    for _ in range(2):
        found = session.read.parquet(str(target)).select("id", "v")
        assert sorted(map(tuple, found.collect())) == wanted
        start()
