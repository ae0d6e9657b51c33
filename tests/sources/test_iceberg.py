"""Iceberg tables as sources of views: a real table, which pyiceberg writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of

pytest.importorskip("pyiceberg", reason="not installed: pip install '.[iceberg]'")

from unit.sources import iceberg_tables as lake

NAME = "shop.orders"


def pairs(ids: list[int], v: list[int]) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array(v, pa.int64())})


def rows(table: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(r.values()) for r in table.refresh().scan().to_arrow().to_pylist())


def view(spark: SparkSession, location: Path, name: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in gs.read_view(spark, str(location), name).collect())


def source(spark: SparkSession, folder: Path, **more: Any) -> DataFrame:
    return gs.iceberg(spark, NAME, catalog="test", properties=lake.properties(folder), **more)


def start(spark: SparkSession, location: Path, frame: DataFrame, **trigger: Any) -> Any:
    pipeline = gs.pipeline(spark, str(location))
    pipeline.view("everything", frame)
    pipeline.view("sums", frame.groupBy((F.col("id") % 2).alias("odd")).agg(F.sum("v")))
    return pipeline.start(**trigger)


def sums(of: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    found: dict[int, int] = {}
    for i, v in of:
        found[i % 2] = found.get(i % 2, 0) + v
    return sorted(found.items())


@pytest.mark.rest
@pytest.mark.parametrize("key", ["id", None])
def test_a_table_and_its_changes_over_a_restart(
    session: SparkSession, tmp_path: Path, key: str | None
) -> None:
    folder, location = tmp_path / "lake", tmp_path / "run"
    table = lake.create(folder, pairs([], []).schema)
    table.append(pairs([1, 2, 3], [10, 20, 30]))
    query = start(session, location, source(session, folder, key=key))
    try:
        query.processAllAvailable()
        assert view(session, location, "everything") == rows(table)
        table.append(pairs([4], [40]))
        table.overwrite(pairs([1, 2], [11, 21]), "id <= 2")
        table.delete("id = 1")
        if key is None:
            table.append(pairs([4, 4], [40, 40]))  # equal rows are as many
        query.processAllAvailable()
        assert view(session, location, "everything") == rows(table)
        assert view(session, location, "sums") == sums(rows(table))
    finally:
        query.stop()
    wanted = rows(table)
    first = next(e.data_file.file_path for e in lake.live_entries(table) if e)
    lake.delete_positions(table, [(first, 0)])
    wanted.remove(first_row(table, first))
    lake.delete_values(table, pa.table({"id": pa.array([3], pa.int64())}), [1])
    wanted = [row for row in wanted if row != (3, 30)]
    query = start(session, location, source(session, folder, key=key), availableNow=True)
    query.awaitTermination()
    assert view(session, location, "everything") == wanted
    assert view(session, location, "sums") == sums(wanted)


def first_row(table: Any, path: str) -> tuple[Any, ...]:
    """The first row of a data file."""
    import pyarrow.parquet as pq

    with table.io.new_input(path).open() as stream:
        return tuple(pq.read_table(stream).to_pylist()[0].values())


@pytest.mark.rest
def test_a_first_load_comes_in_parts(session: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    table = lake.create(folder, pairs([], []).schema)
    for i in range(6):
        table.append(pairs([2 * i, 2 * i + 1], [i, -i]))
    pipeline = gs.pipeline(session, str(tmp_path / "run"), maxBarrierRows=4)
    pipeline.view("everything", source(session, folder, key="id"))
    query = pipeline.start(availableNow=True)
    query.awaitTermination()
    told = query.recentProgress
    assert sum(each["inputRows"] for each in told) == 12
    assert len(told) > 1
    assert max(each["inputRows"] for each in told) <= 4
    assert None not in [each["loading"] for each in told]
    assert view(session, tmp_path / "run", "everything") == rows(table)


@pytest.mark.rest
def test_tables_of_sql(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lake"
    table = lake.create(folder, pairs([], []).schema)
    table.append(pairs([1, 2, 3], [10, 20, 30]))
    monkeypatch.setenv("LAKE_URI", lake.properties(folder)["uri"])
    session.sql(f"CREATE PIPELINE shop LOCATION '{tmp_path / 'run'}'")
    session.sql("USE groundswell.shop")
    where = (
        f"connector = 'iceberg', table = '{NAME}', catalog = 'test', type = 'sql', "
        f"uri_env = 'LAKE_URI', warehouse = 'file://{folder}'"
    )
    session.sql(f"CREATE TABLE keyed (PRIMARY KEY (id)) WITH ({where})")
    session.sql(f"CREATE SOURCE some (v bigint) WITH ({where})")
    session.sql(
        "CREATE MATERIALIZED VIEW both AS SELECT k.id, count(*) n FROM keyed k JOIN some s "
        "ON s.v = k.v GROUP BY k.id"
    )
    session.sql("FLUSH")
    table.delete("id = 2")
    table.append(pairs([5], [10]))
    session.sql("FLUSH")
    assert read(session, "SELECT * FROM keyed") == rows(table) == [(1, 10), (3, 30), (5, 10)]
    assert read(session, "SELECT * FROM both") == [(1, 2), (3, 1), (5, 2)]
    for given, said in (
        ("connector = 'iceberg'", "needs the option table or path"),
        (f"{where}, path = '/x'", "not both"),
        (f"{where}, apends = 'true'", "mean 'appends'"),
        (f"{where}, new_columns = 'no'", "new_columns must be one of add, ignore, stop"),
        (where.replace(NAME, "shop.none"), "the catalog test has no table shop.none"),
        (f"{where}, uri = 'postgresql://u:hunter2@h/d'", "option uri may hold a secret"),
        (f"connector = 'iceberg', table = '{folder}/x'", "give a folder as path"),
    ):
        with pytest.raises(gs.GroundswellError, match=said) as caught:
            session.sql(f"CREATE SOURCE bad WITH ({given})")
        assert "hunter2" not in str(caught.value)
    with pytest.raises(gs.ConfigurationError, match="column v is of type bigint in the Iceberg"):
        session.sql(f"CREATE SOURCE bad (v int) WITH ({where})")


def read(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in spark.sql(query).collect())


@pytest.mark.parametrize(
    ("options", "said"),
    first_of(
        [
            ({"key": "idd"}, "key column 'idd' is not there"),
            ({"columns": ["id", "w"]}, "no column 'w'; it has id, v"),
            ({"name": "a b"}, "source name 'a b'"),
            ({"max_snapshots": 0}, "max_snapshots must be at least 1"),
            ({"appends": True, "key": "id"}, "not both"),
            ({"new_columns": "no"}, "new_columns must be one of add, ignore, stop, got 'no'"),
            ({"branch": "dev"}, "has no branch 'dev'"),
        ]
    ),
)
def test_bad_input_is_named(
    session: SparkSession, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    lake.create(tmp_path, pairs([], []).schema)
    with pytest.raises(gs.GroundswellError, match=said):
        source(session, tmp_path, **options)
