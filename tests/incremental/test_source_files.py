"""Files as sources: each format, many files and pieces of files in one barrier."""

import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

import groundswell as gs
from incremental.files import put, written
from incremental.harness import assert_view_equals_batch, started


@pytest.mark.rest
@pytest.mark.parametrize("kind", ["parquet", "json", "csv"])
def test_files_of_later_barriers_are_read_and_counted_like_the_first(
    session: SparkSession, tmp_path: Path, kind: str
) -> None:
    """What reads files is made in the first barrier and kept; so is the code around it."""
    folder = tmp_path / "in"
    sizes = [3, 0, 5, 2]
    for number, size in enumerate(sizes):
        rows = session.range(10 * number, 10 * number + size).selectExpr(
            "id", "id % 3 AS g", "concat('row ', id) AS note"
        )
        (path,) = written(rows, tmp_path / "out", kind)
        folder.mkdir(exist_ok=True)
        path.rename(folder / f"{number}.{kind}")
        os.utime(folder / f"{number}.{kind}", (number + 1, number + 1))
    schema = "id bigint, g bigint, note string"
    reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 1).format(kind)
    query = reader.load(str(folder)).where("id != 4").groupBy("g").agg({"note": "max", "id": "sum"})
    run = started(query, tmp_path / "c", availableNow=True)
    run.awaitTermination()
    batch = session.read.schema(schema).format(kind).load(str(folder)).where("id != 4")
    assert_view_equals_batch(run.view(), batch.groupBy("g").agg({"note": "max", "id": "sum"}))
    assert [p.numInputRows for p in run._query.recentProgress] == sizes
    assert [p["inputRows"] for p in run.recentProgress] == sizes


FLAT = [
    "id % 7 = 0 AS flag",
    "CAST(id % 100 AS tinyint) AS tiny",
    "CAST(id AS smallint) AS small",
    "CAST(id AS int) AS number",
    "CAST(id / 7 AS float) AS single",
    "id / 7 AS double",
    "CAST(id / 7 AS decimal(9, 3)) AS short_money",
    "CAST(id / 7 AS decimal(30, 9)) AS money",
    "concat('text ', id % 50) AS few",
    "concat('text ', id) AS many",
    "CAST(CAST(id AS string) AS binary) AS bytes",
    "date_add(DATE'2020-01-01', CAST(id AS int)) AS day",
    "timestamp_seconds(id) AS at",
    "timestampadd(SECOND, id, TIMESTAMP_NTZ'2020-01-01 00:00:00') AS local",
]


NESTED = [*FLAT, "array(id, null) AS list", "named_struct('a', id) AS inner"]


@pytest.mark.rest
@pytest.mark.parametrize("kind", ["parquet", "orc"])
@pytest.mark.parametrize("columns", [FLAT, NESTED], ids=["flat", "nested"])
def test_rows_of_columnar_files_are_read_whatever_their_types(
    session: SparkSession, tmp_path: Path, kind: str, columns: list[str]
) -> None:
    """Barriers of several files, larger and smaller than a batch of columns; a column in folders.

    From the second barrier on flat columns are read where they stand.
    """
    folder = tmp_path / "in"
    schema, first, files = None, 0, []
    for number, size in enumerate([5, 0, 3, 5000, 1, 10, 7, 4097, 2]):
        full = session.range(first, first + size).selectExpr("id", *columns)
        rows = full.selectExpr(
            "id", *(f"if(id % 5 = 2, null, {n}) AS {n}" for n in full.columns[1:])
        )
        schema = StructType([*rows.schema, StructField("part", IntegerType())])
        files.append(put(rows, tmp_path / "out", folder / f"part={number % 2}", number, kind))
        first += size
    reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 3).format(kind)
    source = gs.appends(reader.load(str(folder)), name="t")
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    pipeline.view("rows", source.where("id % 11 != 3"))
    pipeline.view("parts", source.groupBy("part", "flag", "few").agg(*_aggregates()))
    run = pipeline.start(availableNow=True)
    run.awaitTermination()
    for epoch in range(3):
        paths = [str(path) for path in files[: 3 * epoch + 3]]
        batch = session.read.schema(schema).option("basePath", str(folder)).format(kind).load(paths)
        where = f"epoch {epoch}"
        assert_view_equals_batch(run.view("rows", epoch), batch.where("id % 11 != 3"), where)
        parts = batch.groupBy("part", "flag", "few").agg(*_aggregates())
        assert_view_equals_batch(run.view("parts", epoch), parts, where)


@pytest.mark.rest
def test_of_a_key_in_several_columnar_files_the_last_counts(
    session: SparkSession, tmp_path: Path
) -> None:
    """Whichever task reads which of them: Spark puts the largest first."""
    folder = tmp_path / "in"
    sizes = [2, 9, 5, 20, 9000, 7, 9000, 50, 60]
    for number, size in enumerate(sizes):
        rows = session.range(size).selectExpr("id", f"{number} AS file")
        put(rows, tmp_path / "out", folder, number, "parquet")
    reader = session.readStream.schema("id bigint, file int").option("maxFilesPerTrigger", 3)
    source = gs.upserts(reader.parquet(str(folder)), key="id", name="t")
    run = started(source, tmp_path / "c", availableNow=True)
    run.awaitTermination()
    for epoch in range(3):
        expected: dict[int, int] = {}
        for number, size in enumerate(sizes[: 3 * epoch + 3]):
            expected |= dict.fromkeys(range(size), number)
        found = {row.id: row.file for row in run.view(epoch=epoch).collect()}
        assert found == expected, f"epoch {epoch}"


@pytest.mark.rest
def test_of_a_key_in_pieces_of_one_text_file_the_last_counts(
    session: SparkSession, tmp_path: Path
) -> None:
    """Small files are cut so that all cores read them; two barriers, as later ones are cut, too."""
    (tmp_path / "in").mkdir()
    rows = 10_000
    source = session.readStream.schema("id int, n int, pad string").option("header", True)
    named = gs.upserts(source.csv(str(tmp_path / "in")), key="id", name="numbers")
    writer = named.select("id", "n").incremental().writeStream
    query = writer.option("checkpointLocation", str(tmp_path / "out")).toView("v")
    try:
        for barrier in range(2):
            lines = ["id,n,pad"]
            lines += [f"{n % 7},{barrier * rows + n},{'x' * 20}" for n in range(rows)]
            staged = tmp_path / f"{barrier}.csv"  # the query runs, and would read half of it
            staged.write_text("\n".join(lines))
            staged.rename(tmp_path / "in" / staged.name)
            query.processAllAvailable()
            found = {row.id: row.n for row in query.view("v").collect()}
            last = barrier * rows + rows - 1
            assert found == {(n - barrier * rows) % 7: n for n in range(last - 6, last + 1)}
            assert query.lastProgress["inputRows"] == rows
    finally:
        query.stop()


def _aggregates() -> list[Any]:
    return [F.count("*"), F.max("many"), F.sum("money"), F.min("day"), F.countDistinct("at")]
