"""Every type of Spark from Delta tables, through a query's state, and into Python's frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from matrix import cells, kinds
from matrix.kinds import KINDS, Kind
from matrix.test_views import ALIKE, texts, wide
from matrix.values import column
from sinks.conftest import session

__all__ = ["session"]

pytestmark = pytest.mark.rest


@pytest.fixture
def spark(session: SparkSession) -> Iterator[SparkSession]:
    with kinds.with_times(session):
        yield session


def held_by_delta(spark: SparkSession, home: Path) -> list[Kind]:
    """The kinds that deltalake itself writes; the others have no cell."""
    deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")
    taken, refused = [], []
    for number, kind in enumerate(KINDS):
        if not kind.arrow or kind.type.startswith("char"):
            continue
        try:
            rows = kinds.frame(spark, kind).toArrow()
            deltalake.write_deltalake(str(home / str(number)), rows)
            taken.append(kind)
        except Exception as e:  # noqa: BLE001 - its own, Arrow's and bare ones
            refused.append(f"{kind.name}: {e}")
    assert all("type" in why.lower() for why in refused), refused
    return taken


def test_every_type_from_a_delta_table(spark: SparkSession, tmp_path: Path) -> None:
    """Its first rows are read as a snapshot, later ones and updates from its change feed."""
    deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")
    taken = held_by_delta(spark, tmp_path / "alone")
    rows = spark.sql(wide(taken)).toArrow()
    path, half = str(tmp_path / "t"), rows.num_rows // 2
    feed = {"delta.enableChangeDataFeed": "true"}
    deltalake.write_deltalake(path, rows.slice(0, half), configuration=feed)
    keyed = [k for k in taken if k.key and "MB" not in k.name and not k.type.startswith("map")]
    roles = {"value": taken, "key": keyed}
    p = gs.pipeline(spark, str(tmp_path / "p"))
    frame = gs.delta(spark, path, key="id", name="keyed_t")
    p.view("keyed", frame)
    comparable = ["id", *(k.column for k in keyed)]
    p.view("whole", gs.delta(spark, path, columns=comparable, name="whole_t"))
    for kind in roles["key"]:
        p.view(f"by_{kind.column}", frame.groupBy(kind.column).count())
    run = p.start()
    run.processAllAvailable()
    deltalake.write_deltalake(path, rows.slice(half), mode="append")
    table = deltalake.DeltaTable(path)
    table.update(predicate="id >= 0", updates={"id": "id + 1000"})  # all rows go, and come again
    table.update(predicate="id >= 0", updates={"id": "id - 1000"})
    run.processAllAvailable()
    spark.sql(wide(taken)).coalesce(1).write.parquet(str(tmp_path / "batch"))
    batch = spark.read.parquet(str(tmp_path / "batch"))
    assert texts(run.view("keyed").select(*batch.columns)) == texts(batch)
    grouped = batch.groupBy(*comparable).count().select(*comparable)  # all its columns are a key
    assert texts(run.view("whole").select(*comparable)) == texts(grouped)
    for kind in roles["key"]:
        got, want = run.view(f"by_{kind.column}"), batch.groupBy(kind.column).count()
        if ALIKE in kind.name:  # Arrow has no collations: the table holds plain texts
            want = batch.selectExpr(f"cast({kind.column} as string) {kind.column}")
            want = want.groupBy(kind.column).count()
        assert texts(got) == texts(want), kind.name
    run.stop()
    for role, there in roles.items():
        cells.check("source delta", role, {kind.name: cells.EQUAL for kind in there})


def held_by_iceberg(spark: SparkSession, home: Path, verdicts: cells.Verdicts) -> list[Kind]:
    """The kinds that pyiceberg itself writes, and that we read; those refused get their verdict."""
    from unit.sources import iceberg_tables as lake

    taken, unwritten = [], []
    for number, kind in enumerate(KINDS):
        if not kind.arrow or kind.type.startswith("char"):
            continue
        rows = kinds.frame(spark, kind).toArrow()
        folder = home / str(number)
        try:
            table = lake.create(folder, rows.schema)
            table.append(rows)
        except Exception as e:  # noqa: BLE001 - its own, Arrow's and bare ones
            unwritten.append(f"{kind.name}: {e}")
            continue
        try:
            iceberg(spark, folder, f"alone{number}", key="id")
            taken.append(kind)
        except gs.SourceError as e:
            verdicts[kind.name] = f"{cells.REFUSED}: {str(e).split('. ')[0]}"
    assert all("type" in why.lower() for why in unwritten), unwritten
    assert all("column v" in why for why in verdicts.values()), verdicts
    return taken


def iceberg(spark: SparkSession, folder: Path, name: str, **more: Any) -> DataFrame:
    from unit.sources import iceberg_tables as lake

    found = lake.properties(folder)
    return gs.iceberg(spark, "shop.orders", catalog="test", properties=found, name=name, **more)


def test_every_type_from_an_iceberg_table(spark: SparkSession, tmp_path: Path) -> None:
    """Its first rows are a first load, later ones and all rows again are in other snapshots."""
    pytest.importorskip("pyiceberg", reason="not installed: pip install '.[iceberg]'")
    from unit.sources import iceberg_tables as lake

    refused: cells.Verdicts = {}
    taken = held_by_iceberg(spark, tmp_path / "alone", refused)
    rows = spark.sql(wide(taken)).toArrow()
    folder, half = tmp_path / "lake", rows.num_rows // 2
    table = lake.create(folder, rows.schema)
    table.append(rows.slice(0, half))
    keyed = [k for k in taken if k.key and "MB" not in k.name and not k.type.startswith("map")]
    p = gs.pipeline(spark, str(tmp_path / "p"))
    frame = iceberg(spark, folder, "keyed_t", key="id")
    p.view("keyed", frame)
    for kind in keyed:
        p.view(f"by_{kind.column}", frame.groupBy(kind.column).count())
    run = p.start()
    run.processAllAvailable()
    table.append(rows.slice(half))
    ids = pa.array([i + 1000 for i in rows["id"].to_pylist()], pa.int64())
    moved = rows.set_column(0, rows.schema.field("id"), ids)
    table.overwrite(moved)  # all rows go, and come again
    table.overwrite(rows)
    run.processAllAvailable()
    spark.sql(wide(taken)).coalesce(1).write.parquet(str(tmp_path / "batch"))
    batch = spark.read.parquet(str(tmp_path / "batch"))
    assert texts(run.view("keyed").select(*batch.columns)) == texts(batch)
    for kind in keyed:
        got, want = run.view(f"by_{kind.column}"), batch.groupBy(kind.column).count()
        if ALIKE in kind.name:  # Iceberg has no collations: the table holds plain texts
            want = batch.selectExpr(f"cast({kind.column} as string) {kind.column}")
            want = want.groupBy(kind.column).count()
        assert texts(got) == texts(want), kind.name
    run.stop()
    values = {kind.name: cells.EQUAL for kind in taken}
    cells.check("source iceberg", "value", {**values, **refused})
    cells.check("source iceberg", "key", {kind.name: cells.EQUAL for kind in keyed})


def test_every_type_in_the_state_of_a_query(spark: SparkSession, tmp_path: Path) -> None:
    """Spark's own query over our store: its keys are read without Spark."""
    taken = [
        kind
        for kind in KINDS
        if kind.key and "MB" not in kind.name and not kind.type.startswith(("map", "char"))
        and ALIKE not in kind.name
    ]  # fmt: skip
    rows = spark.sql(wide(taken)).where("id < 6")
    rows.coalesce(1).write.parquet(str(tmp_path / "in"))
    stored = spark.read.parquet(str(tmp_path / "in"))
    provider = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(provider, None)
    spark.conf.set(provider, "io.groundswell.EpochStateStoreProvider")
    try:
        query = (
            spark.readStream.schema(stored.schema)
            .parquet(str(tmp_path / "in"))
            .dropDuplicates()
            .writeStream.format("noop")
            .option("checkpointLocation", str(tmp_path / "c"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
    finally:
        if before is None:
            spark.conf.unset(provider)
        else:
            spark.conf.set(provider, before)
    state = pa.Table.from_struct_array(gs.read_state(str(tmp_path / "c"))["key"].combine_chunks())
    months = {k.column for k in taken if not k.arrow}
    found: cells.Verdicts = {}
    for kind in taken:
        name = kind.column
        shown = f"CAST({name} AS INT) AS {name}" if name in months else name
        want = stored.selectExpr("id", shown).toArrow()
        a = sorted(zip(state["id"].to_pylist(), map(repr, column(state[name], True)), strict=True))
        b = sorted(zip(want["id"].to_pylist(), map(repr, column(want[name], True)), strict=True))
        assert a == b, name
        found[kind.name] = cells.EQUAL
    cells.check("reader read_state", "key", found)


@pytest.fixture
def shown(spark: SparkSession, tmp_path: Path) -> tuple[list[Kind], pa.Table]:
    """What :func:`groundswell.view_to_arrow` gives of all kinds."""
    taken = [k for k in KINDS if k.arrow and not k.type.startswith("char")]
    spark.sql(wide(taken)).coalesce(1).write.parquet(str(tmp_path / "in"))
    stored = spark.read.parquet(str(tmp_path / "in"))
    p = gs.pipeline(spark, str(tmp_path / "p"))
    p.view("v", spark.readStream.schema(stored.schema).parquet(str(tmp_path / "in")))
    p.start(availableNow=True).awaitTermination()
    return taken, gs.view_to_arrow(str(tmp_path / "p"), "v")


def in_duckdb(view: pa.Table, name: str) -> pa.Table:
    duckdb: Any = pytest.importorskip("duckdb")
    try:
        found: pa.Table = duckdb.sql(f'SELECT id, "{name}" FROM view').to_arrow_table()
    except duckdb.Error as e:
        raise ValueError(" ".join(str(e).split())) from e
    return found


def in_pandas(view: pa.Table, name: str) -> pa.Table:
    pandas: Any = pytest.importorskip("pandas")
    frame = view.select(["id", name]).to_pandas(types_mapper=pandas.ArrowDtype)
    return pa.Table.from_pandas(frame, preserve_index=False)


def in_polars(view: pa.Table, name: str) -> pa.Table:
    polars: Any = pytest.importorskip("polars")
    found: pa.Table = polars.from_arrow(view.select(["id", name])).to_arrow()
    return found


@pytest.mark.parametrize("door", [in_duckdb, in_pandas, in_polars])
def test_every_type_in_the_frames_of_python(
    shown: tuple[list[Kind], pa.Table], door: Callable[[pa.Table, str], pa.Table]
) -> None:
    taken, view = shown
    reader = door.__name__.removeprefix("in_")
    found: cells.Verdicts = {}
    for kind in taken:
        try:
            got = door(view, kind.column)
        except ValueError as e:
            found[kind.name] = f"{cells.REFUSED}: {str(e)[:160]}"
            continue
        a = sorted(zip(got["id"].to_pylist(), map(repr, column(got[kind.column])), strict=True))
        b = sorted(zip(view["id"].to_pylist(), map(repr, column(view[kind.column])), strict=True))
        if a == b:
            found[kind.name] = cells.EQUAL
        else:
            differing = next(pair for pair in zip(a, b, strict=True) if pair[0] != pair[1])
            named = {"duckdb": "DuckDB"}.get(reader, reader)
            found[kind.name] = f"{cells.ROW}: {named} has {differing[0]} for {differing[1]}"
    cells.check(f"reader {reader}", "value", found)
