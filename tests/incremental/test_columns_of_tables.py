"""Tables that get columns, while the pipeline runs and between its runs."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from incremental.harness import bag

pytestmark = pytest.mark.rest


def rows(session: SparkSession, location: Path, view: str) -> set[Any]:
    return set(bag(gs.read_view(session, str(location), view)))


def states(location: Path) -> set[str]:
    """Every file of a state of a view, with its size: nothing of it is written again."""
    folder = location / "groundswell/state"
    return {
        f"{file.relative_to(folder)}"
        for file in folder.rglob("*")
        if file.is_file() and not file.relative_to(folder).parts[0].startswith("source-")
    }


@pytest.mark.parametrize("key", ["k", None])
def test_a_table_gets_columns_while_it_runs(
    session: SparkSession, tmp_path: Path, key: str | None
) -> None:
    location = tmp_path / "c"
    p = gs.pipeline(session, str(location))
    t = p.table("t", "k int, v int", key=key)
    p.view("sums", t.df.groupBy(F.col("k") % 2).agg(F.sum("v").alias("s")))
    p.view("everything", t.df)
    if key:
        p.keep(t)
    query = p.start()
    t.insert([(1, 10), (2, 20), (3, None)])
    query.processAllAvailable()
    before = query.snapshot().epoch
    t.insert([(8, 80)])
    query.processAllAvailable()
    explained = query.view("everything").columns
    t.addColumns("c string, d bigint", {"d": "7"})
    assert query.isActive
    assert t.df.columns == ["k", "v", "c", "d"]
    t.insert([(4, 40, "four", 4)])
    query.processAllAvailable()
    assert query.view("everything").columns == explained == ["k", "v"]
    query.addView("wide", t.df)
    wanted = {(1, 10, None, 7), (2, 20, None, 7), (3, None, None, 7), (4, 40, "four", 4)}
    wanted |= {(8, 80, None, 7)}
    assert rows(session, location, "wide") == wanted
    if key:
        t.upsert([(2, 21, "two", 2)])
        t.delete([(3,)])
        query.processAllAvailable()
        wanted = {(1, 10, None, 7), (2, 21, "two", 2), (4, 40, "four", 4), (8, 80, None, 7)}
        assert rows(session, location, "wide") == wanted
        assert rows(session, location, "everything") == {r[:2] for r in wanted}
        assert rows(session, location, "sums") == {(1, 10), (0, 141)}
        assert rows(session, location, "t") == wanted
        arrow = gs.view_to_arrow(str(location), "t").to_pylist()
        assert {tuple(row.values()) for row in arrow} == wanted
        then = gs.read_view(session, str(location), "t", before)
        assert then.columns == ["k", "v"]
        assert set(bag(then)) == {(1, 10), (2, 20), (3, None)}
    query.rescale(3)
    t.insert([(9, 9, "nine", 9)])
    query.processAllAvailable()
    assert rows(session, location, "wide") == wanted | {(9, 9, "nine", 9)}
    query.stop()


@pytest.mark.parametrize("key", ["k", None])
def test_a_table_gets_columns_between_runs(
    session: SparkSession,
    tmp_path: Path,
    key: str | None,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    location = tmp_path / "c"

    def pipeline(columns: str) -> tuple[gs.Pipeline, gs.Table]:
        p = gs.pipeline(session, str(location))
        t = p.table("t", columns, key=key)
        p.view("sums", t.df.groupBy(F.col("k") % 2).agg(F.sum("v").alias("s")))
        p.view("everything", t.df)
        return p, t

    p, t = pipeline("k int, v int")
    t.insert([(1, 10), (2, 20)])
    p.start(availableNow=True).awaitTermination()
    before = states(location)
    t.insert([(3, 30)])  # waits for a start, which comes with more columns
    p, t = pipeline("k int, c string, v int")
    t.insert([(4, "four", 40)])
    p.start(availableNow=True).awaitTermination()
    assert before <= states(location), "no state of a view is written again"
    assert {Path(f).parts[0] for f in before} == {Path(f).parts[0] for f in states(location)}
    assert rows(session, location, "everything") == {(1, 10), (2, 20), (3, 30), (4, 40)}
    assert rows(session, location, "sums") == {(1, 40), (0, 60)}
    assert "view everything: it has the columns that it began with, without c" in caplog.text
    p, t = pipeline("k int, c string, v int")
    query = p.view("wide", t.df).start()
    query.explain()
    assert "without c, which t has got since" in capsys.readouterr().out
    query.processAllAvailable()
    wide = {(1, None, 10), (2, None, 20), (3, None, 30), (4, "four", 40)}
    assert rows(session, location, "wide") == wide
    query.stop()
    with pytest.raises(gs.GroundswellError, match=r"(?s)another definition.*- c string"):
        pipeline("k int, v int")


@pytest.mark.parametrize("key", ["k", None])
def test_a_table_loses_and_widens_columns(
    session: SparkSession, tmp_path: Path, key: str | None
) -> None:
    location = tmp_path / "c"
    p = gs.pipeline(session, str(location))
    columns = "k int, v int, f float, d decimal(4,2), s varchar(2), gone string, tail int"
    t = p.table("t", columns, key=key)
    p.view("ids", t.df.select("k", "tail"))
    p.view("sums", t.df.groupBy("k").agg(F.sum("tail").alias("s")))
    query = p.start()
    t.insert([(1, 1, 1.5, Decimal("1.25"), "ab", "x", 1), (2, -2, None, None, None, None, 2)])
    query.processAllAvailable()
    before = states(location)
    t.insert([(3, 3, 2.5, Decimal("2.50"), "cd", "y", 3)])  # by the files of before
    t.dropColumns("GONE")
    t.widenColumn("v", "bigint")
    t.widenColumn("f", "double")
    t.widenColumn("d", "decimal(10,4)")
    t.widenColumn("s", "varchar(5)")
    t.insert([(4, 2**40, 0.1, Decimal("123456.7891"), "abcde", 4)])
    query.addView("wide", t.df)
    query.processAllAvailable()
    assert before <= states(location), "no state of a view is written again"
    expected = {
        (1, 1, 1.5, Decimal("1.2500"), "ab", 1),
        (2, -2, None, None, None, 2),
        (3, 3, 2.5, Decimal("2.5000"), "cd", 3),
        (4, 2**40, 0.1, 123456.7891, "abcde", 4),
    }
    assert rows(session, location, "wide") == expected
    if key:
        t.upsert([(2, -(2**40), 0.25, None, "", 2)])
        query.processAllAvailable()
        expected = {r for r in expected if r[0] != 2} | {(2, -(2**40), 0.25, None, "", 2)}
    assert rows(session, location, "wide") == expected
    assert rows(session, location, "ids") == {(i, i) for i in (1, 2, 3, 4)}
    with pytest.raises(gs.ConfigurationError, match="view ids, view sums, view wide read column t"):
        t.dropColumns("tail")
    with pytest.raises(gs.ConfigurationError, match="view wide reads column v of table t"):
        t.dropColumns("v")
    for wrong, why in (
        (lambda: t.dropColumns("k"), "key, which identifies a row" if key else "read column k"),
        (lambda: t.dropColumns("no"), "no column 'no'"),
        (lambda: t.widenColumn("k", "bigint"), "of the key" if key else "read column k"),
        (
            lambda: t.widenColumn("v", "bigit"),
            "column v: 'bigit' is not a type of Spark's",
        ),
        (lambda: t.widenColumn("v", "int"), "v is bigint, and cannot become int"),
        (lambda: t.widenColumn("s", "varchar(3)"), "cannot become varchar"),
        (lambda: t.addColumns("gone int"), "become what is asked for: gone was a column"),
    ):
        with pytest.raises(gs.GroundswellError, match=why):
            wrong()
    assert query.isActive
    query.stop()
    p = gs.pipeline(session, str(location))
    t = p.table("t", "k int, v bigint, f double, d decimal(10,4), s string, tail int", key=key)
    p.view("ids", t.df.select("k", "tail")).view("wide", t.df)
    p.view("sums", t.df.groupBy("k").agg(F.sum("tail").alias("s")))
    p.start(availableNow=True).awaitTermination()
    assert rows(session, location, "wide") == expected


@pytest.mark.parametrize("kept", [False, True])
def test_upserts_with_one_more_column_keep_it_from_then_on(
    session: SparkSession, tmp_path: Path, kept: bool
) -> None:
    location, folder = tmp_path / "c", tmp_path / "in"
    folder.mkdir()

    def pipeline(columns: str) -> tuple[gs.Pipeline, DataFrame]:
        p = gs.pipeline(session, str(location))
        stream = session.readStream.schema(columns).json(str(folder))
        source = gs.upserts(stream, key="k", name="feed")
        if kept:
            p.keep(source)
        p.view("sums", source.groupBy("k").agg(F.sum("v").alias("s")))
        return p, source

    def put(number: int, text: str) -> None:
        (folder / f"{number}.json").write_text(text)

    put(1, '{"k": 1, "v": 10}\n{"k": 2, "v": 20}')
    p, _ = pipeline("k int, v int")
    p.start(availableNow=True).awaitTermination()
    put(2, '{"k": 2, "v": 21, "c": "two"}')
    p, source = pipeline("k int, v int, c string")
    p.view("wide", source.select("k", "v", "c"))
    p.start(availableNow=True).awaitTermination()
    assert rows(session, location, "wide") == {(1, 10, None), (2, 21, "two")}
    assert rows(session, location, "sums") == {(1, 10), (2, 21)}
    if kept:
        assert rows(session, location, "feed") == {(1, 10, None), (2, 21, "two")}


def test_a_column_that_a_source_had_and_nobody_kept_is_not_null_of_a_sudden(
    session: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1.json").write_text('{"k": 1, "v": 10, "c": "one"}')
    for keep in (False, True):
        p = gs.pipeline(session, str(tmp_path / "c"))
        stream = session.readStream.schema("k int, v int, c string").json(str(folder))
        source = gs.upserts(stream, key="k", name="feed")
        p.view("sums", source.groupBy("k").agg(F.sum("v").alias("s")))
        if keep:
            p.keep(source)
            with pytest.raises(gs.DefinitionChanged, match="columns c were not kept"):
                p.start(availableNow=True)
        else:
            p.start(availableNow=True).awaitTermination()


@pytest.mark.parametrize("key", ["k", None])
def test_a_column_gets_another_name_and_no_row_is_written_again(
    session: SparkSession, tmp_path: Path, key: str | None
) -> None:
    location = tmp_path / "c"
    p = gs.pipeline(session, str(location))
    t = p.table("t", "k int, a int, b string", key=key)
    p.view("sums", t.df.groupBy("a").agg(F.sum("k").alias("s")))
    p.view("everything", t.df)
    if key:
        p.keep(t)
    query = p.start()
    t.insert([(1, 1, "one")])
    query.processAllAvailable()
    files = {f.name for f in (location / "groundswell/state").iterdir()}
    t.insert([(2, 1, "two")])  # a file of before
    t.renameColumn("a", "c")
    t.insert([{"k": 3, "c": 2, "b": "three"}])
    query.processAllAvailable()
    assert {f.name for f in (location / "groundswell/state").iterdir()} == files
    t.addColumns("a int", {"a": "9"})
    t.insert([(4, 2, "four", 4)])
    query.addView("wide", t.df)
    query.processAllAvailable()
    expected = {(1, 1, "one", 9), (2, 1, "two", 9), (3, 2, "three", 9), (4, 2, "four", 4)}
    for again in (False, True):
        if again:
            query.stop()
            p = gs.pipeline(session, str(location))
            t = p.table("t", "k int, c int, b string, a int", key=key)
            p.view("wide", t.df)
            p.drop("everything")
            p.drop("sums")
            query = p.start()
            t.insert([(5, 5, "five", 5)])
            query.processAllAvailable()
            expected |= {(5, 5, "five", 5)}
        assert query.view("wide").columns == ["k", "c", "b", "a"]
        assert rows(session, location, "wide") == expected
        if key:
            assert gs.read_view(session, str(location), "t").columns == ["k", "c", "b", "a"]
            assert rows(session, location, "t") == expected
            arrow = gs.view_to_arrow(str(location), "t").to_pylist()
            assert {tuple(row.values()) for row in arrow} == expected
        if not again:
            assert query.view("everything").columns == ["k", "a", "b"]
            assert rows(session, location, "everything") == {r[:3] for r in expected}
            assert rows(session, location, "sums") == {(1, 3), (2, 7)}
    for old, new, why in (
        ("x", "y", "no column"),
        ("c", "a", "a already"),
        ("k", "z", "of the key"),
    ):
        if key or old != "k":
            with pytest.raises(gs.SourceError, match=why):
                t.renameColumn(old, new)
    query.stop()


def test_a_view_reads_a_table_and_what_was_made_of_it_before(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path))
    t = p.table("t", "k int", key="k")
    p.view("v", t.df.where("k > 1"))
    run = p.start()
    try:
        t.insert([(1,), (2,)])
        run.processAllAvailable()
        t.addColumns("c string")
        run.addView("both", t.df.join(p.read("v"), "k"))
        p.index(p.read("both"), "c")
        t.insert([(3, "x")])
        run.processAllAvailable()
        assert bag(run.view("both")) == {(2, None): 1, (3, "x"): 1}
    finally:
        run.stop()
