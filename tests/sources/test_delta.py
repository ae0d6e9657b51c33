"""Delta tables as sources of views: a real table, which deltalake writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of

deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")

FEED = {"delta.enableChangeDataFeed": "true"}


def write(path: Path, ids: list[int], v: list[int], mode: str = "append", **more: Any) -> None:
    rows = pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array(v, pa.int64())})
    deltalake.write_deltalake(str(path), rows, mode=mode, configuration=FEED, **more)


def table(path: Path) -> Any:
    return deltalake.DeltaTable(str(path))


def rows(path: Path) -> list[tuple[Any, ...]]:
    return sorted(tuple(r.values()) for r in table(path).to_pyarrow_table().to_pylist())


def view(spark: SparkSession, location: Path, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in gs.read_view(spark, str(location), name).collect())


def start(spark: SparkSession, location: Path, frame: DataFrame, **trigger: Any) -> Any:
    pipeline = gs.pipeline(spark, str(location))
    pipeline.view("everything", frame)
    pipeline.view("sums", frame.groupBy((F.col("id") % 2).alias("odd")).agg(F.sum("v")))
    return pipeline.start(**trigger)


@pytest.mark.parametrize("key", ["id", pytest.param(None, marks=pytest.mark.rest)])
def test_a_table_and_its_changes_over_a_restart(
    session: SparkSession, tmp_path: Path, key: str | None
) -> None:
    path, location = tmp_path / "orders", tmp_path / "run"
    write(path, [1, 2, 3], [10, 20, 30])
    query = start(session, location, gs.delta(session, path, key=key))
    try:
        query.processAllAvailable()
        assert view(session, location, "everything") == rows(path)
        write(path, [4], [40])
        table(path).update(updates={"v": "v + 1"}, predicate="id <= 2")
        table(path).update(updates={"id": "7"}, predicate="id = 3")
        table(path).delete("id = 1")
        if key is None:
            write(path, [4, 4], [40, 40])  # equal rows are as many
        query.processAllAvailable()
        assert view(session, location, "everything") == rows(path)
        assert view(session, location, "sums") == sums(path)
    finally:
        query.stop()
    write(path, [1, 9], [5, 6], mode="overwrite")
    query = start(session, location, gs.delta(session, path, key=key), availableNow=True)
    query.awaitTermination()
    assert view(session, location, "everything") == rows(path) == [(1, 5), (9, 6)]
    assert view(session, location, "sums") == sums(path)


def sums(path: Path) -> list[tuple[Any, ...]]:
    found: dict[int, int] = {}
    for i, v in rows(path):
        found[i % 2] = found.get(i % 2, 0) + v
    return sorted(found.items())


@pytest.mark.rest
def test_each_version_is_seen_as_a_whole(session: SparkSession, tmp_path: Path) -> None:
    path, location = tmp_path / "bank", tmp_path / "run"
    write(path, list(range(20)), [100] * 20)
    seen: list[int] = []
    pipeline = gs.pipeline(session, str(location))
    frame = gs.delta(session, path, key="id", max_versions=1)
    pipeline.view("money", frame.agg(F.sum("v").alias("s")), lambda df, _: seen.append(df.count()))
    for i in range(5):  # a version moves money between two rows
        moved = {"v": f"CASE WHEN id = {i} THEN v - 5 ELSE v + 5 END"}
        table(path).update(updates=moved, predicate=f"id IN ({i}, {i + 1})")
    query = pipeline.start(availableNow=True)
    query.awaitTermination()
    assert view(session, location, "money") == [(2000,)]
    for i in range(5):
        moved = {"v": f"CASE WHEN id = {i} THEN v - 5 ELSE v + 5 END"}
        table(path).update(updates=moved, predicate=f"id IN ({i}, {i + 1})")
    pipeline = gs.pipeline(session, str(location), retainEpochs=100)
    frame = gs.delta(session, path, key="id", max_versions=1)
    pipeline.view("money", frame.agg(F.sum("v").alias("s")), lambda df, _: seen.append(df.count()))
    query = pipeline.start(availableNow=True)
    query.awaitTermination()
    assert sum(b["inputRows"] > 0 for b in query.recentProgress) == 5
    assert seen[0] == 1
    assert not any(seen[1:])  # the sum never changed


@pytest.mark.rest
def test_a_key_that_is_none_ends_the_pipeline_by_name(
    session: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    write(path, [1, 1], [1, 2])
    query = start(session, tmp_path / "run", gs.delta(session, path, key="id"))
    with pytest.raises(gs.InconsistentChangelog, match='source "t"'):
        query.processAllAvailable()


@pytest.mark.rest
def test_a_new_column_is_there_after_a_restart_and_vacuumed_files_end_the_pipeline(
    session: SparkSession, tmp_path: Path
) -> None:
    path, location = tmp_path / "t", tmp_path / "run"
    write(path, [1], [1])
    query = start(session, location, gs.delta(session, path, key="id"))
    query.processAllAvailable()
    write(path, [2], [2])
    text = deltalake.schema.PrimitiveType("string")
    table(path).alter.add_columns(deltalake.Field("w", text))
    with pytest.raises(gs.SourceError, match=r"version 2 of the Delta table .* w is new"):
        query.processAllAvailable()
    assert view(session, location, "everything") == [(1, 1), (2, 2)]
    rows = pa.table({"id": [3, 2], "v": [3, 22], "w": ["three", "two"]})
    (
        table(path)
        .merge(rows, "s.id = t.id", "s", "t")
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute()
    )
    frame = gs.delta(session, path, key="id")
    pipeline = gs.pipeline(session, str(location))
    pipeline.view("everything", frame).view("wide", frame.select("id", "w"))
    pipeline.view("sums", frame.groupBy((F.col("id") % 2).alias("odd")).agg(F.sum("v")))
    pipeline.start(availableNow=True).awaitTermination()
    assert view(session, location, "everything") == [(1, 1), (2, 22), (3, 3)]
    assert gs.read_view(session, str(location), "everything").columns == ["id", "v"]
    found = {tuple(r) for r in gs.read_view(session, str(location), "wide").collect()}
    assert found == {(1, None), (2, "two"), (3, "three")}
    other = tmp_path / "other"
    write(other, [1, 2], [1, 2])
    query = start(session, tmp_path / "again", gs.delta(session, other, key="id"))
    query.processAllAvailable()
    query.stop()
    table(other).delete("id = 1")
    for file in (other / "_change_data").rglob("*.parquet"):
        file.unlink()
    query = start(session, tmp_path / "again", gs.delta(session, other, key="id"))
    with pytest.raises(gs.SourceLost, match=r"versions 1 to 1 .* vacuumed"):
        query.processAllAvailable()


@pytest.mark.rest
def test_a_new_column_is_ignored_or_stops_for_good(session: SparkSession, tmp_path: Path) -> None:
    path, location = tmp_path / "t", tmp_path / "run"
    write(path, [1], [1])
    unread = gs.delta(session, path, key="id", columns=["id", "v"])
    query = start(session, location, unread)
    query.processAllAvailable()
    stopping = tmp_path / "stopping"
    other = start(session, stopping, gs.delta(session, path, key="id", new_columns="stop"))
    other.processAllAvailable()
    table(path).alter.add_columns(deltalake.Field("w", deltalake.schema.PrimitiveType("string")))
    table(path).update(updates={"v": "2", "w": "'w'"})
    query.processAllAvailable()
    assert view(session, location, "everything") == [(1, 2)]
    query.stop()
    with pytest.raises(gs.SourceError, match=r"w is new.*start at a new location"):
        other.processAllAvailable()
    again = start(session, stopping, gs.delta(session, path, key="id", new_columns="stop"))
    with pytest.raises(gs.SourceError, match=r"other columns than at version 0.*w is new"):
        again.processAllAvailable()
    assert view(session, stopping, "everything") == [(1, 1)]
    ignoring = gs.delta(session, path, key="id", new_columns="ignore")
    query = start(session, tmp_path / "ignoring", ignoring)
    query.processAllAvailable()
    table(path).alter.add_columns(deltalake.Field("x", deltalake.schema.PrimitiveType("long")))
    table(path).update(updates={"v": "3", "x": "7"})
    query.processAllAvailable()
    found = gs.read_view(session, str(tmp_path / "ignoring"), "everything")
    assert [tuple(row) for row in found.collect()] == [(1, 3, "w")]
    query.stop()


@pytest.mark.parametrize(
    ("options", "said"),
    first_of(
        [
            ({"key": "idd"}, "key column 'idd' is not there"),
            ({"columns": ["id", "w"]}, "no column 'w'; it has id, v"),
            ({"name": "a b"}, "source name 'a b'"),
            ({"max_versions": 0}, "max_versions must be at least 1"),
            ({"new_columns": "keep"}, "new_columns must be one of add, ignore, stop, got 'keep'"),
            ({"appends": True, "key": "id"}, "not both"),
        ]
    ),
)
def test_bad_input_is_named(
    session: SparkSession, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    write(tmp_path / "t", [1], [1])
    with pytest.raises(gs.GroundswellError, match=said):
        gs.delta(session, tmp_path / "t", **options)


@pytest.mark.rest
def test_tables_of_sql(session: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "orders"
    write(path, [1, 2, 3], [10, 20, 30])
    session.sql(f"CREATE PIPELINE shop LOCATION '{tmp_path / 'run'}'")
    session.sql("USE groundswell.shop")
    where = f"WITH (connector = 'delta', path = '{path}')"
    session.sql(f"CREATE TABLE keyed (PRIMARY KEY (id)) {where}")
    session.sql(f"CREATE TABLE bag {where}")
    session.sql(f"CREATE SOURCE some (v bigint) {where}")
    session.sql(
        "CREATE MATERIALIZED VIEW both AS SELECT k.id, count(*) n FROM keyed k JOIN bag b "
        "ON b.id = k.id JOIN some s ON s.v = k.v GROUP BY k.id"
    )
    session.sql("FLUSH")
    table(path).delete("id = 2")
    write(path, [5], [10])
    session.sql("FLUSH")
    assert read(session, "SELECT * FROM keyed") == rows(path) == [(1, 10), (3, 30), (5, 10)]
    assert read(session, "SELECT * FROM bag") == rows(path)
    assert read(session, "SELECT * FROM both") == [(1, 2), (3, 1), (5, 2)]
    for given, said in (
        ("connector = 'delta'", "needs the option path"),
        (f"connector = 'delta', path = '{path}', appendz = 'true'", "mean 'appends'"),
        (f"connector = 'delta', path = '{path}', appends = 'yes'", "true or false, got 'yes'"),
        (f"connector = 'delta', path = '{tmp_path}/none'", "there is no Delta table at"),
    ):
        with pytest.raises(gs.GroundswellError, match=said):
            session.sql(f"CREATE SOURCE bad WITH ({given})")
    with pytest.raises(gs.ConfigurationError, match="column v is of type bigint"):
        session.sql(f"CREATE SOURCE bad (v int) {where}")


@pytest.mark.rest
def test_a_refresh_reads_what_changed(session: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "orders"
    write(path, list(range(100)), [1] * 100)
    location = tmp_path / "run"
    session.sql(f"CREATE PIPELINE p LOCATION '{location}' WITH (trigger = 'availableNow')")
    session.sql("USE groundswell.p")
    with_ = f"WITH (connector = 'delta', path = '{path}')"
    session.sql(f"CREATE SOURCE orders (PRIMARY KEY (id)) {with_}")
    session.sql("CREATE MATERIALIZED VIEW s AS SELECT id % 10 k, sum(v) v FROM orders GROUP BY 1")
    session.sql("FLUSH")
    table(path).update(updates={"v": "5"}, predicate="id = 42")
    table(path).delete("id = 43")
    (done,) = session.sql("REFRESH MATERIALIZED VIEW s").collect()
    assert (done.rows_read, done.how) == (3, "incremental")
    assert done.rows_changed > 0
    assert read(session, "SELECT * FROM s WHERE k IN (2, 3)") == [(2, 14), (3, 9)]
    (done,) = session.sql("REFRESH MATERIALIZED VIEW s").collect()
    assert (done.rows_read, done.how) == (0, "nothing new")


def read(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in spark.sql(query).collect())
