"""Python functions over whole groups: after every barrier each view is what batch Spark gives."""

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import Column, DataFrame, SparkSession, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.functions import arrow_udf, pandas_udf
from pyspark.sql.pandas.functions import ArrowUDFType
from pyspark.sql.types import DoubleType, StringType, TimestampType

import groundswell as gs
from incremental.harness import Upserts, bag

SCHEMA = """id bigint, g string, v double, n int, at timestamp, day date, price decimal(9,2),
    tags array<string>"""
Query = Callable[[DataFrame], DataFrame]


def centred(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(v=rows.v - rows.v.mean())[["id", "v"]]


def keyed(key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame([[key[0], key[1], len(rows), rows["at"].max()]])  # by position


def some(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[["id"]] if len(rows) > 1 else pd.DataFrame()


def parts(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for frame in frames:
        yield frame[["id"]]
        yield frame[["id"]] + 100


def table(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
    return pa.table(
        {
            "g": pa.array([key[0].as_py()], pa.string()),
            "top": pa.array([pc.max(rows["v"]).as_py()], pa.float64()),
        }
    )


def matched(key: tuple[Any, ...], left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"g": [key[0]], "left": [len(left)], "right": [right.n.sum()]})


def sizes(left: pa.Table, right: pa.Table) -> pa.Table:
    return pa.table({"left": [left.num_rows], "right": [right.num_rows]})


@pandas_udf(DoubleType())  # type: ignore[call-overload, untyped-decorator]
def weighted(v: pd.Series, n: pd.Series) -> float:
    return float((v * n).sum())


@pandas_udf(StringType())  # type: ignore[call-overload, untyped-decorator]
def names(g: pd.Series) -> str:
    return ",".join(sorted(g.dropna()))


@pandas_udf(StringType())  # type: ignore[call-overload, untyped-decorator]
def ids(each: pd.Series) -> str:
    return ",".join(map(str, each))


newest = arrow_udf(lambda at: pc.max(at), TimestampType(), ArrowUDFType.GROUPED_AGG)  # type: ignore[call-overload]


def both(query: Callable[[Any, Any], DataFrame]) -> Query:
    """A query over two grouped halves of the table."""
    return lambda t: query(t.where("id % 2 = 0").groupBy("g"), t.where("id % 2 = 1").groupBy("g"))


QUERIES: dict[str, Query] = {
    "rows": lambda t: t.groupBy("g").applyInPandas(centred, "id bigint, v double"),
    "key": lambda t: t.groupBy("g", F.col("id") % 2).applyInPandas(
        keyed, "g string, odd bigint, rows int, newest timestamp"
    ),
    "types": lambda t: t.groupBy("day").applyInPandas(lambda rows: rows, SCHEMA),
    "some": lambda t: t.groupBy("g").applyInPandas(some, "id bigint"),
    "all": lambda t: t.groupBy().applyInPandas(
        lambda rows: pd.DataFrame({"rows": [len(rows)]}), "rows long"
    ),
    "parts": lambda t: t.groupBy("g").applyInPandas(parts, "id bigint"),
    "arrow": lambda t: t.groupBy("g").applyInArrow(table, "g string, top double"),
    "of_two": both(
        lambda a, b: a.cogroup(b).applyInPandas(matched, "g string, left long, right long")
    ),
    "arrow_of_two": both(lambda a, b: a.cogroup(b).applyInArrow(sizes, "left long, right long")),
    "values": lambda t: t.groupBy(F.upper("g").alias("G")).agg(
        (weighted("v", "n") + 1).alias("w"), names("g").alias("all"), weighted(n="n", v="v")
    ),
    "value": lambda t: t.agg(weighted("n", "n").alias("w")),
    "arrow_value": lambda t: t.groupBy("g").agg(newest("at").alias("newest")),
    "above": lambda t: (
        t.groupBy("g").agg(weighted("v", "n").alias("w")).where("w > 3").groupBy().sum("w")
    ),
}
OFTEN = ("rows", "value")
"""Those of each kind that the shorter run asks."""


def over(*functions: tuple[Callable[[], Column], Callable[[], WindowSpec]]) -> Query:
    """Rows with calls over windows; both are made late, as they ask for a Spark context."""
    return lambda t: t.select(
        "id", "g", *(f().over(window()).alias(f"x{i}") for i, (f, window) in enumerate(functions))
    )


def by_group() -> WindowSpec:
    return Window.partitionBy("g")


def in_order(*rows: int) -> Callable[[], WindowSpec]:
    ordered = lambda: by_group().orderBy("id")  # noqa: E731
    return (lambda: ordered().rowsBetween(*rows)) if rows else ordered


def of_weights() -> Column:
    return weighted("v", "n")


WINDOWS: dict[str, Query] = {
    "partition": over((of_weights, by_group), (lambda: names("g"), by_group)),
    "table": over((lambda: newest("at"), lambda: Window.partitionBy())),
    "keyed": over(
        (lambda: weighted(n="n", v="v"), lambda: Window.partitionBy("day", F.col("id") % 2))
    ),
    "running": over((of_weights, in_order()), (lambda: names("g"), in_order())),
    "newest": over((lambda: newest("at"), in_order())),
    "whole": over((lambda: ids("id"), in_order(-(2**63), 2**63 - 1))),
    "sliding": over((lambda: ids("id"), in_order(-1, 1)), (lambda: ids("n"), in_order(2, 4))),
    "range": over((lambda: names("g"), lambda: Window.orderBy("n").rangeBetween(-2, 0))),
    "beside": lambda t: t.select(
        "id", F.sum("n").over(by_group()), of_weights().over(by_group()).alias("w")
    ),
    "above": lambda t: over((of_weights, by_group))(t).where("x0 > 5").groupBy("g").count(),
}
"""Over whole partitions and over frames, in whose order functions of order get their rows."""


def row(key: int, g: str | None, v: float | None, n: int) -> tuple[Any, ...]:
    at = dt.datetime(2026, 1, 1 + key, 12) if key % 3 else None
    day = dt.date(2026, 1, 1 + key % 2)
    return (key, g, v, n, at, day, Decimal(n) / 4, [str(g), "x"] if key % 2 else None)


@pytest.mark.parametrize(
    "queries",
    [
        pytest.param({name: QUERIES[name] for name in OFTEN}, id="rows"),
        pytest.param(
            {name: query for name, query in QUERIES.items() if name not in OFTEN},
            id="others",
            marks=pytest.mark.rest,
        ),
        pytest.param(dict(list(WINDOWS.items())[:5]), id="windows", marks=pytest.mark.rest),
        pytest.param(dict(list(WINDOWS.items())[5:]), id="other windows", marks=pytest.mark.rest),
    ],
)
def test_views_are_what_batch_gives(
    spark: SparkSession, tmp_path: Path, queries: dict[str, Query]
) -> None:
    p = gs.pipeline(spark, str(tmp_path))
    rows = p.table("rows", SCHEMA, key="id")
    for name, query in queries.items():
        p.view(name, query(rows.df))
    now: dict[int, tuple[Any, ...]] = {}

    def step(put: list[tuple[Any, ...]], gone: list[int]) -> None:
        now.update({each[0]: each for each in put})
        if put:
            rows.upsert(spark.createDataFrame(put, SCHEMA))
        if gone:
            rows.delete(spark.createDataFrame([(key,) for key in gone], "id bigint"))
        for key in gone:
            del now[key]
        run.processAllAvailable()
        batch = spark.createDataFrame(list(now.values()), SCHEMA)
        for name, query in queries.items():
            wanted, view = query(batch), run.view(name)
            assert view.dtypes == wanted.dtypes, name
            assert sorted(map(repr, view.collect())) == sorted(map(repr, wanted.collect())), name

    run = p.start()
    try:
        step(
            [row(1, "a", 1.0, 2), row(2, "a", 3.0, 4), row(3, None, 5.0, 1), row(4, "b", None, 7)],
            [],
        )
        step([row(2, "b", 8.0, 3), row(5, None, 2.5, 2)], [1])
        step([], [2, 3, 4, 5])
    finally:
        run.stop()


@pytest.mark.rest
def test_aggregates_of_both_kinds_stand_together(spark: SparkSession, tmp_path: Path) -> None:
    """Batch Spark refuses such a query: one function of Python among its own."""
    p = gs.pipeline(spark, str(tmp_path))
    rows = p.table("rows", "g string, v double, n int")
    p.view("both", rows.df.groupBy("g").agg(weighted("v", "n").alias("w"), F.count("*").alias("c")))
    run = p.start()
    rows.insert(
        spark.createDataFrame(
            [("a", 1.0, 2), ("a", 2.0, 3), ("b", 1.0, 1)], "g string, v double, n int"
        )
    )
    run.processAllAvailable()
    assert {tuple(r) for r in run.view("both").collect()} == {("a", 8.0, 2), ("b", 1.0, 1)}
    run.stop()


@pytest.mark.rest
def test_another_function_is_another_definition(spark: SparkSession, tmp_path: Path) -> None:
    def start(factor: int) -> None:
        p = gs.pipeline(spark, str(tmp_path))
        rows = p.table("rows", "id bigint, g string", key="id")
        p.view("v", rows.df.groupBy("g").applyInPandas(lambda r: r[["id"]] * factor, "id bigint"))
        run = p.start()
        rows.upsert(spark.createDataFrame([(1, "a")], "id bigint, g string"))
        run.processAllAvailable()
        run.stop()

    start(2)
    start(2)
    with pytest.raises(gs.DefinitionChanged, match="v"):
        start(3)


@pytest.mark.rest
def test_wrong_results_are_named(spark: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(spark, str(tmp_path))
    rows = p.table("rows", "id bigint, g string", key="id")
    p.view("v", rows.df.groupBy("g").applyInPandas(lambda r: r[["id"]], "number bigint"))
    rows.insert(spark.createDataFrame([(1, "a")], "id bigint, g string"))
    run = p.start()
    with pytest.raises(gs.RowFailed, match=r"missing \['number'\]"):
        run.processAllAvailable()
    run.stop()


@pytest.mark.rest
def test_functions_may_use_broadcast_variables(spark: SparkSession, tmp_path: Path) -> None:
    factor = spark.sparkContext.broadcast(10)
    p = gs.pipeline(spark, str(tmp_path))
    rows = p.table("rows", "id bigint, g string", key="id")
    by_ten = F.udf(lambda x: x * factor.value, "bigint")
    p.view("rows_", rows.df.select(by_ten("id").alias("x")))
    p.view(
        "groups",
        rows.df.groupBy("g").applyInPandas(lambda r: r[["id"]] * factor.value, "id bigint"),
    )
    rows.insert(spark.createDataFrame([(1, "a")], "id bigint, g string"))
    run = p.start()
    run.processAllAvailable()
    assert run.view("rows_").head()[0] == run.view("groups").head()[0] == 10
    run.stop()


class Words:
    def eval(self, text: str | None, least: int = 1) -> Iterator[tuple[str, int]]:
        for i, word in enumerate((text or "").split()):
            if len(word) >= least:
                yield word, i


class Counted:
    def __init__(self) -> None:
        self.rows = 0

    def eval(self, text: str) -> None:
        self.rows += 1

    def terminate(self) -> Iterator[tuple[int]]:
        yield (self.rows,)


TABLE_FUNCTIONS = {
    "words": "select id, word, n from texts, lateral words(text)",
    "long": "select id, word from texts, lateral words(least => 2, text => text) where n < 3",
    "counted": "select word, count(*) c from texts, lateral words(text) group by word",
}


def test_table_functions(session: SparkSession, tmp_path: Path) -> None:
    session.udtf.register("words", F.udtf(Words, returnType="word string, n int"))
    session.udtf.register("counted", F.udtf(Counted, returnType="rows int"))
    p = gs.pipeline(session, str(tmp_path))
    texts = p.table("texts", "id bigint, text string", key="id")
    texts.df.createOrReplaceTempView("texts")
    with pytest.raises(
        gs.NotIncremental, match=r"counted: .*terminate\(\).* give rows in eval\(\)"
    ):
        p.view("no", session.sql("select * from texts, lateral counted(text)"))
    for name, text in TABLE_FUNCTIONS.items():
        p.view(name, session.sql(text))
    run = p.start()
    now: dict[int, str | None] = {}
    try:
        for step in ({1: "a bc a", 2: None, 3: "bc"}, {1: "bc d", 2: "a"}, {3: ""}):
            now.update(step)
            texts.upsert(session.createDataFrame(list(step.items()), "id bigint, text string"))
            run.processAllAvailable()
            batch = session.createDataFrame(list(now.items()), "id bigint, text string")
            batch.createOrReplaceTempView("texts")
            for name, text in TABLE_FUNCTIONS.items():
                wanted = sorted(map(repr, session.sql(text).collect()))
                assert sorted(map(repr, run.view(name).collect())) == wanted, name
    finally:
        run.stop()


@pytest.mark.rest
def test_values_of_functions_that_are_not_deterministic_are_remembered(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is taken back is what was given; a row that stays keeps its value."""
    draw = F.udf(lambda _: random.random(), "double").asNondeterministic()
    p = gs.pipeline(session, str(tmp_path / "c"))
    rows = p.table("rows", "id bigint, g string", key="id")
    appended = session.createDataFrame([(7,)], "id bigint")
    appended.write.parquet(str(tmp_path / "appended"))
    stream = session.readStream.schema("id bigint").parquet(str(tmp_path / "appended"))
    p.view("drawn", rows.df.select("id", "g", draw("id").alias("x")))
    p.view("totals", p.read("drawn").groupBy("g").agg(F.sum("x").alias("s"), F.count("*")))
    p.view("high", rows.df.where(draw("id") >= 0).groupBy("g").count())
    p.view("appended", stream.select("id", draw("id").alias("x")))
    p.explain()
    text = capsys.readouterr().out
    assert text.count("Evaluate") == 3 and text.count("state: rows by (id)") >= 3, text
    run = p.start()

    def seen() -> dict[int, float]:
        run.processAllAvailable()
        drawn = run.view("drawn").collect()
        sums: dict[str, float] = {}
        for r in drawn:
            sums[r.g] = sums.get(r.g, 0) + r.x
        totals = {r.g: r.s for r in run.view("totals").collect()}
        assert totals == pytest.approx(sums, rel=1e-12)
        counted = {r.g: r["count"] for r in run.view("high").collect()}
        assert counted == Counter(r.g for r in drawn)
        return {r.id: r.x for r in drawn}

    rows.upsert(session.createDataFrame([(1, "a"), (2, "a"), (3, "b")], "id bigint, g string"))
    first = seen()
    rows.upsert(session.createDataFrame([(2, "b"), (4, "a")], "id bigint, g string"))
    second = seen()
    assert second[1] == first[1] and second[3] == first[3] and len(second) == 4
    rows.delete(session.createDataFrame([(1,), (2,), (3,)], "id bigint"))
    assert seen() == {4: second[4]}
    assert [r.id for r in run.view("appended").collect()] == [7]
    run.stop()


@pytest.mark.rest
def test_a_remembered_value_outlives_a_change_that_the_query_does_not_see(
    session: SparkSession, tmp_path: Path
) -> None:
    """Many mark a function so that Spark calls it once; for equal values it gives the same."""
    tenfold = F.udf(lambda v: v * 10, "bigint").asNondeterministic()
    rows = Upserts(session, tmp_path, "rows", "id bigint, v bigint, flag bigint", "id")
    shown = rows.source().where("flag > 0").select("id", tenfold("v").alias("x"))
    run = gs.pipeline(session, str(tmp_path / "c")).view("v", shown).start()
    for flag in (1, 5):
        rows.put([{"id": 1, "v": 1, "flag": flag}, {"id": 2, "v": 2, "flag": 1}])
        run.processAllAvailable()
        assert set(bag(run.view("v"))) == {(1, 10), (2, 20)}
    run.stop()
