"""Every type of Spark through sources, views and readers, beside batch Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.errors import GroundswellError
from incremental.harness import PLAIN, confs_of
from matrix import cells, kinds
from matrix.kinds import KINDS, Kind
from matrix.postgres_reader import read_by_postgres
from matrix.values import column
from sinks.conftest import session

__all__ = ["session"]

pytestmark = pytest.mark.rest

QUERIES = {
    "value": "SELECT id, {v} FROM {t}",
    "key": "SELECT {v}, count(*) AS n FROM {t} GROUP BY {v}",
    "partition": "SELECT id, {v}, row_number() OVER (PARTITION BY {v} ORDER BY id) AS n FROM {t}",
}
ALIKE = "collated"
"""Of equal texts that differ, any may stand for the group."""


@pytest.fixture
def spark(session: SparkSession) -> Iterator[SparkSession]:
    with kinds.with_times(session):
        yield session


def accepted(spark: SparkSession, home: Path, verdicts: cells.Verdicts) -> list[Kind]:
    """The kinds that a table takes; the others get their verdict."""
    taken = []
    for number, kind in enumerate(KINDS):
        p = gs.pipeline(spark, str(home / str(number)))
        try:
            p.table("t", f"id bigint, v {kind.type}", key="id")
            taken.append(kind)
        except GroundswellError as e:
            verdicts[kind.name] = f"{cells.REFUSED}: {_said(e, 'column v')}"
    return taken


def _said(error: Exception, column_: str) -> str:
    text = " ".join(str(error).split())
    assert column_ in text
    return text[:200]


def wide(taken: list[Kind]) -> str:
    """One table of rows, a column a kind: where a kind has fewer values, they come again."""
    height = max(len(kind.values) for kind in taken) + 1
    rows = []
    for i in range(height):
        cells_ = [f"{i}L AS id"]
        for kind in taken:
            castable = "string" if kind.type.startswith(("char", "varchar")) else kind.type
            values = (*kind.values, "null")
            cells_.append(f"CAST({values[i % len(values)]} AS {castable}) AS {kind.column}")
        rows.append(f"SELECT {', '.join(cells_)}")
    return " UNION ALL ".join(rows)


def padded(rows: DataFrame, taken: Sequence[Kind]) -> DataFrame:
    """The same rows, as tables with columns of type ``char`` keep them."""
    fixed = [kind for kind in taken if kind.type.startswith("char")]
    wanted = {k.column: F.rpad(k.column, int(k.type[5:-1]), " ") for k in fixed}
    return rows.withColumns(wanted) if wanted else rows


def texts(frame: DataFrame) -> list[str]:
    """Rows as Spark's texts, which tell values apart that differ; the query is interpreted."""
    shown = []
    for name, kind in frame.dtypes:
        if kind == "binary":
            shown.append(f"hex({name})")
        elif kind == "variant":
            shown.append(f"to_json({name})")
        else:
            shown.append(f"CAST({name} AS STRING)")
    with confs_of(frame.sparkSession, PLAIN):
        return sorted(repr(tuple(row)) for row in frame.selectExpr(*shown).collect())


def table_source(
    spark: SparkSession, home: Path, taken: list[Kind]
) -> tuple[Any, Callable[[], None]]:
    p = gs.pipeline(spark, str(home))
    columns = ", ".join(f"{kind.column} {kind.type}" for kind in taken)
    table = p.table("t", f"id bigint, {columns}", key="id")
    table.df.createOrReplaceTempView("streamed")
    return p, lambda: table.insert(spark.sql(wide(taken)))


def file_source(
    spark: SparkSession, home: Path, taken: list[Kind]
) -> tuple[Any, Callable[[], None]]:
    rows = padded(spark.sql(wide(taken)), taken)
    spark.readStream.schema(rows.schema).parquet(str(home / "in")).createOrReplaceTempView(
        "streamed"
    )
    return gs.pipeline(spark, str(home / "at")), lambda: None


@pytest.mark.parametrize("source", ["table", "files"])
def test_every_type_through_views(spark: SparkSession, tmp_path: Path, source: str) -> None:
    refused: cells.Verdicts = {}
    taken = accepted(spark, tmp_path / "alone", refused)
    small = [kind for kind in taken if kind.name != "string of 1 MB"]
    home = tmp_path / "p"
    if source == "table":
        p, write = table_source(spark, home, taken)
        at = home
    else:
        padded(spark.sql(wide(taken)), taken).coalesce(1).write.parquet(str(home / "in"))
        p, write = file_source(spark, home, taken)
        at = home / "at"
    padded(spark.sql(wide(taken)), taken).coalesce(1).write.parquet(str(tmp_path / "batch"))
    spark.read.parquet(str(tmp_path / "batch")).createOrReplaceTempView("batch")
    views: dict[str, dict[str, str]] = {"value": {}, "key": {}, "partition": {}}
    every = ", ".join(kind.column for kind in taken)
    views["value"]["every"] = QUERIES["value"].format(v=every, t="{t}")
    for role in ("key", "partition"):
        for kind in small:
            if kind.key and not kind.type.startswith("map"):
                views[role][kind.column] = QUERIES[role].format(v=kind.column, t="{t}")
    for role, named in views.items():
        for name, query in named.items():
            p.view(f"{role}_{name}", spark.sql(query.format(t="streamed")))
    run = p.start()
    write()
    run.processAllAvailable()
    for role, named in views.items():
        for name, query in named.items():
            if role == "key" and ALIKE in name:
                query = query.replace(f"SELECT {name}", f"SELECT lower({name}) AS {name}")
                got = run.view(f"{role}_{name}").selectExpr(f"lower({name}) AS {name}", "n")
            else:
                got = run.view(f"{role}_{name}")
            want = spark.sql(query.format(t="batch"))
            assert texts(got.select(*want.columns)) == texts(want), (role, name)
    run.stop()
    verdicts = {**{kind.name: cells.EQUAL for kind in taken}, **refused}
    if source == "files":
        verdicts = {name: v for name, v in verdicts.items() if not v.startswith(cells.REFUSED)}
    cells.check(f"source {source}", "value", verdicts)
    for role in ("key", "partition"):
        there = {k.name: cells.EQUAL for k in small if k.column in views[role]}
        cells.check(f"source {source}", role, there)
    read_without_spark(spark, str(at), taken)
    read_by_postgres(str(at), "value_every", taken)


def read_without_spark(spark: SparkSession, location: str, taken: list[Kind]) -> None:
    """``gs.view_to_arrow`` and pandas, beside Spark's own Arrow."""
    found: cells.Verdicts = {}
    for kind in taken:
        name = kind.column
        try:
            got = gs.view_to_arrow(location, "value_every", columns=["id", name])
        except gs.InvalidArgument as e:
            found[kind.name] = f"{cells.REFUSED}: {_said(e, repr(name))}"
            continue
        query = f"SELECT id, {name} FROM batch"
        if kind.arrow:
            want = spark.sql(query).toArrow()
        else:  # months are numbers
            want = spark.sql(f"SELECT id, CAST({name} AS INT) AS {name} FROM batch").toArrow()
        a = sorted(zip(got["id"].to_pylist(), map(repr, column(got[name])), strict=True))
        b = sorted(zip(want["id"].to_pylist(), map(repr, column(want[name])), strict=True))
        assert a == b, name
        found[kind.name] = cells.EQUAL
    cells.check("reader view_to_arrow", "value", found)


def test_a_view_of_times_is_refused_where_spark_refuses_queries_over_them(
    session: SparkSession, tmp_path: Path
) -> None:
    """It was taken, and its first batch ended every other view of the pipeline."""
    (tmp_path / "in").mkdir()
    rows = session.readStream.schema("id bigint, v time(6)").parquet(str(tmp_path / "in"))
    p = gs.pipeline(session, str(tmp_path / "p"))
    with pytest.raises(
        gs.ConfigurationError, match=r"view 'v', column v: .* over time\(6\) unless"
    ):
        p.view("v", rows)
    p.view("others", rows.select("id"))
