"""Readers of texts ask the filters of views: the same rows, and the same counts of rows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from incremental.harness import bag
from reaching import reaches_in_jvm

SCHEMA = "price bigint, auction bigint, name string, at timestamp"

JSON = [
    '{"price": 5, "auction": 3, "name": "kept by nobody"}',
    '{"price": -5, "auction": 3, "name": "x", "at": "2024-03-01 12:00:00"}',
    '{"name": "y", "auction": -1, "price": null}',
    '{"price": 5, "auction": 3, "name": "no end',
    '{"price": 5, "auction": 3, "price": -7, "name": "the last one counts"}',
    '{"price": 5, "auction": 3, "pr\\u0069ce": -8}',
    '{"price": 5, "auction": "no number", "name": "z"}',
    '{"auction": -3}',
    '[{"price": -1}, {"price": 1, "auction": 1}]',
    "",
    "no JSON",
]

CSV = [
    "5,3,kept by nobody,2024-03-01 12:00:00",
    "-5,3,x,2024-03-01 12:00:00",
    ",-1,y,",
    "5,3,no time,yesterday",
    "5,3",
    '5,3,"open,2024-03-01',
    "-6,3,too,many,fields",
    "no number,-4,z,",
    "",
]

VIEWS: dict[str, dict[str, Callable[[DataFrame], DataFrame]]] = {
    "one": {"low": lambda rows: rows.where("price < 0 OR auction < 0")},
    "two conditions": {"low": lambda rows: rows.where("price < 0").where("auction = 3")},
    "in": {"some": lambda rows: rows.where("name IN ('x', 'y', 'z')").select("price")},
    "two views": {
        "low": lambda rows: rows.where("price < 0").select("name", "price"),
        "names": lambda rows: rows.where("auction < 0").groupBy("name").count(),
    },
}
"""Views whose filters a reader asks."""

ALL_ROWS: dict[str, dict[str, Callable[[DataFrame], DataFrame]]] = {
    "nulls": {"v": lambda rows: rows.where("price IS NULL OR price < 0")},
    "all": {"low": lambda rows: rows.where("price < 0"), "v": lambda rows: rows},
    "default": {"v": lambda rows: rows.where("price < 0 OR coalesce(name, 'q') = 'q'")},
}
"""Views that want nulls, too, or all rows."""


def messages(session: SparkSession, folder: Path) -> DataFrame:
    """The lines as messages of a binary column."""
    lines = session.readStream.text(str(folder)).select(F.col("value").cast("binary"))
    return lines.select(F.from_json(F.col("value").cast("string"), SCHEMA).alias("v")).select("v.*")


def computed(session: SparkSession, folder: Path) -> DataFrame:
    """Messages of which a column is computed that is not null where the struct's are."""
    return messages(session, folder).withColumn("name", F.coalesce("name", F.lit("x")))


SOURCES: dict[str, Callable[[SparkSession, Path], DataFrame]] = {
    "json": lambda session, folder: session.readStream.schema(SCHEMA).json(str(folder)),
    "csv": lambda session, folder: session.readStream.schema(SCHEMA).csv(str(folder)),
    "messages": messages,
}


def run(
    session: SparkSession,
    folder: Path,
    kind: str,
    views: dict[str, Callable[[DataFrame], DataFrame]],
    fast: bool,
) -> tuple[dict[str, object], list[int]]:
    """What the views hold, and how many rows each micro-batch has read."""
    for switch in ("fastJson", "fastCsv"):
        session.conf.set(f"spark.groundswell.{switch}", str(fast).lower())
    try:
        source = {**SOURCES, "computed": computed}[kind]
        rows = gs.appends(source(session, folder / "in"), name="rows")
        pipeline = gs.pipeline(session, str(folder / f"checkpoint-{fast}"))
        for name, view in views.items():
            pipeline.view(name, view(rows))
        query = pipeline.start(availableNow=True)
        query.awaitTermination()
    finally:
        for switch in ("fastJson", "fastCsv"):
            session.conf.unset(f"spark.groundswell.{switch}")
    counts = [each["inputRows"] for each in query.recentProgress]
    return {name: bag(query.view(name)) for name in views}, counts


def write(folder: Path, kind: str) -> None:
    (folder / "in").mkdir()
    lines = CSV if kind == "csv" else JSON
    (folder / "in" / "1.txt").write_text("\n".join(lines * 3) + "\n")
    (folder / "in" / "2.txt").write_text("\n".join(reversed(lines)) + "\n")


@pytest.mark.rest
@pytest.mark.parametrize("views", VIEWS)
@pytest.mark.parametrize("kind", SOURCES)
def test_a_filter_that_a_reader_asks_changes_no_row_and_no_count(
    session: SparkSession, tmp_path: Path, kind: str, views: str
) -> None:
    write(tmp_path, kind)
    slow = run(session, tmp_path, kind, VIEWS[views], fast=False)
    with reaches_in_jvm(session, "FILTERS_ASKED_BY_READER"):
        assert run(session, tmp_path, kind, VIEWS[views], fast=True) == slow
    assert all(slow[0].values()), "a view without rows proves little"
    assert sum(slow[1]) > 0


@pytest.mark.rest
@pytest.mark.parametrize("views", ALL_ROWS)
def test_a_reader_asks_no_filter_where_a_view_wants_other_rows(
    session: SparkSession, tmp_path: Path, views: str
) -> None:
    write(tmp_path, "json")
    assert_none_is_asked(session, tmp_path, "json", ALL_ROWS[views])


def test_a_reader_asks_no_filter_where_a_source_computes_something_of_a_message(
    session: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path, "computed")
    assert_none_is_asked(session, tmp_path, "computed", VIEWS["in"])


def assert_none_is_asked(
    session: SparkSession,
    folder: Path,
    kind: str,
    views: dict[str, Callable[[DataFrame], DataFrame]],
) -> None:
    slow = run(session, folder, kind, views, fast=False)
    mark = session._jvm.io.groundswell.storage.Mark.valueOf("FILTERS_ASKED_BY_READER")  # type: ignore[union-attr]
    before = mark.hits()
    assert run(session, folder, kind, views, fast=True) == slow
    assert mark.hits() == before


@pytest.mark.rest
def test_a_watermark_sees_the_times_of_rows_that_filters_drop(
    session: SparkSession, tmp_path: Path
) -> None:
    """The row that moves the watermark is one that no view keeps."""
    folder = tmp_path / "in"
    folder.mkdir()
    line = '{{"price": {}, "at": "2024-03-01 {}"}}\n'
    (folder / "1.json").write_text(line.format(-1, "10:00:00") + line.format(5, "12:00:00"))
    stream = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))
    rows = gs.appends(stream.withWatermark("at", "1 minute"), name="rows")
    counts = rows.where("price < 0").groupBy(F.window("at", "1 minute")).count()
    pipeline = gs.pipeline(session, str(tmp_path / "c")).view("v", counts)
    pipeline.start(availableNow=True).awaitTermination()
    (folder / "2.json").write_text(line.format(-2, "10:00:30") + line.format(-3, "12:00:30"))
    query = pipeline.start(availableNow=True)
    query.awaitTermination()
    held = {row["count"] for row in query.view("v").collect()}
    assert held == {1}, "the row of 10:00:30 came behind the watermark"
