"""A sink that has stopped at a row goes on at the next start, if the row was corrected since."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import groundswell as gs

deltalake = pytest.importorskip("deltalake")
NARROW = pa.schema([pa.field("id", pa.int32(), False), pa.field("n", pa.int32())])
BIG = 3_000_000_000


def test_a_start_goes_past_a_refused_row_that_was_corrected(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It gave the epoch of the refused row again and again, whatever the view had since."""
    path = str(tmp_path / "t")
    deltalake.DeltaTable.create(path, schema=NARROW)

    def started() -> tuple[gs.Table, gs.IncrementalQuery]:
        p = gs.pipeline(spark, str(tmp_path / "p"))
        table = p.table("t", "id int, n bigint", key="id")
        p.view("v", table.df)
        p.sink("out", "v", "delta", path=path, narrowing="fail", key="id")
        return table, p.start()

    def there() -> list[tuple[int, int]]:
        rows = deltalake.DeltaTable(path).to_pyarrow_table().to_pylist()
        return sorted((row["id"], row["n"]) for row in rows)

    table, run = started()
    table.insert([(1, 1), (2, 2)])
    run.processAllAvailable()
    for rows in ([(1, BIG), (3, 3)], [(2, 20)]):
        table.upsert(rows)
        run.processAllAvailable()
    assert f"does not hold {BIG} of the row id = 1" in run.lastProgress["sinks"]["out"]["stopped"]
    run.stop()
    assert there() == [(1, 1), (2, 2)]
    table, run = started()  # the row is as it was
    table.upsert([(1, 7)])
    run.processAllAvailable()
    run.stop()
    assert there() == [(1, 1), (2, 2)], "it stays stopped until the next start"
    _, run = started()
    run.processAllAvailable()
    run.stop()
    assert there() == [(1, 7), (2, 20), (3, 3)]
