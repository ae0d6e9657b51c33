"""Expectations: a view is its query over the rows that meet them, whatever changes."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell import Expectation
from groundswell.ui.documents import PipelineReader
from groundswell.ui.metrics import exposition
from incremental.harness import bags
from incremental.searching import SEED


class Shop:
    """A table, views of it with expectations, and how often it was started."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.location = session, str(folder / "c")
        self.table: Any = None
        self.run: Any = None

    def start(
        self, *expect: Expectation, query: Any = None, options: Any = None, **settings: Any
    ) -> gs.IncrementalQuery:
        if self.run is not None:
            self.run.stop()
        pipeline = gs.pipeline(self.session, self.location, **(options or {}))
        self.table = pipeline.table("t", "id long, k string, v int", key="id")
        frame = self.table.df if query is None else query(self.table.df)
        pipeline.view("view", frame, expect=expect, **settings)
        self.run = pipeline.start()
        return self.run

    def put(self, *rows: tuple[int, Any, Any]) -> None:
        self.table.upsert(list(rows))
        self.run.processAllAvailable()

    def delete(self, *ids: int) -> None:
        self.table.delete([(each,) for each in ids])
        self.run.processAllAvailable()

    def ids(self) -> list[int]:
        return sorted(row.id for row in self.run.view("view").collect())

    def aside(self) -> list[tuple[str, str]]:
        rows = self.run.view("view_diverted").collect()
        return sorted((row.expression.split()[1], row.row) for row in rows)


POSITIVE = Expectation("positive", "v > 0", "drop")
NAMED = Expectation("named", "k IS NOT NULL")
SMALL = Expectation("small", "v < 1000", "fail")


def counts(run: Any) -> Any:
    return run.lastProgress["expectations"]["view"]


@pytest.mark.rest
def test_counts_go_on_over_restarts_of_what_is_the_same(
    session: SparkSession, tmp_path: Path
) -> None:
    shop = Shop(session, tmp_path)
    for number in (1, 2):
        shop.start(POSITIVE, NAMED)
        shop.put((2 * number, "a", 1), (2 * number + 1, "b", -1))
        counted = PipelineReader(shop.location).picture().counts.expectations
        found = {each.constraint: (each.passed, each.failed) for each in counted}
        assert found == {"positive": (number, number), "named": (2 * number, 0)}
    with pytest.raises(gs.DefinitionChanged, match="view view_diverted:"):
        shop.start(POSITIVE)
    shop.start(POSITIVE, options={"onChange": "rebuild"})  # with other operators
    shop.put((6, "a", 1))
    (only,) = PipelineReader(shop.location).picture().counts.expectations
    assert (only.constraint, only.passed, only.failed) == ("positive", 1, 0)
    assert len(shop.aside()) == 2


def test_dropped_rows_are_no_part_of_the_view(session: SparkSession, tmp_path: Path) -> None:
    shop = Shop(session, tmp_path)
    shop.start(POSITIVE, NAMED, SMALL)
    shop.put((1, "a", 1), (2, "b", -1), (3, None, None), (4, None, -4))
    assert shop.ids() == [1, 3]  # null meets a condition
    assert [(name, '"id":4' in row) for name, row in shop.aside()] == [
        ("named", False), ("named", True), ("positive", False), ("positive", True),
    ]  # fmt: skip
    assert counts(shop.run) == {
        "positive": {"passed": 2, "failed": 2},
        "named": {"passed": 2, "failed": 2},
    }
    page = exposition(PipelineReader(shop.location).picture())
    for outcome in ("passed", "failed"):
        labels = f'of="view",constraint="positive",outcome="{outcome}"'
        assert f"groundswell_expectation_rows{{{labels}}} 2" in page
    shop.delete(2)  # it was dropped: its delete takes nothing back
    shop.put((4, "d", 4), (1, "a", -1))
    assert shop.ids() == [3, 4]
    assert [name for name, _ in shop.aside()] == ["named", "positive"]
    assert shop.run.lastProgress["divertedRows"] == 0


def test_a_row_that_fails_an_update_ends_it_before_it_is_visible(
    session: SparkSession, tmp_path: Path
) -> None:
    """It sees rows that another expectation drops, and groups of which states make rows."""
    shop = Shop(session, tmp_path)
    shop.start(Expectation("even", "v % 2 = 0", "drop"), SMALL)
    shop.put((1, "a", 2))
    with pytest.raises(gs.RowFailed) as failed:
        shop.put((2, "b", 4), (3, "c", 1001))
    assert failed.value.views == ("view",) and failed.value.sources == ("t",)
    for part in ('{"id":3,"k":"c","v":1001}', "constraint small of view", "EXPECT (v < 1000)"):
        assert part in str(failed.value)
    assert "ON VIOLATION DROP ROW" in str(failed.value)
    view = gs.read_view(session, shop.location, "view")
    assert [tuple(row) for row in view.collect()] == [(1, "a", 2)]
    shop.run = None
    with pytest.raises(gs.RowFailed):  # a restart meets the same row
        shop.start(Expectation("even", "v % 2 = 0", "drop"), SMALL).processAllAvailable()

    sums = Shop(session, tmp_path / "sums")
    sums.start(
        Expectation("low", "s < 10", "fail"),
        query=lambda t: t.groupBy("k").agg(F.sum("v").alias("s")),
    )
    sums.put((1, "a", 9))
    with pytest.raises(gs.RowFailed, match="constraint low of view"):
        sums.put((2, "a", 9))


@pytest.mark.rest
def test_a_condition_that_cannot_be_computed_is_not_met(
    session: SparkSession, tmp_path: Path
) -> None:
    shop = Shop(session, tmp_path)
    shop.start(Expectation("ratio", "10 DIV v > 1", "drop"))
    shop.put((1, "a", 5), (2, "b", 0), (3, "c", 10))
    assert shop.ids() == [1]
    errors = [row.error for row in shop.run.view("view_diverted").orderBy("row").collect()]
    assert "DIVIDE_BY_ZERO" in errors[0] and "constraint ratio of view" in errors[1]


def test_a_condition_is_read_by_the_settings_of_its_session(
    session: SparkSession, tmp_path: Path
) -> None:
    other = session.newSession()
    other.conf.set("spark.sql.ansi.enabled", "false")
    other.createDataFrame([(1,)], "id int").count()  # makes it the thread's session
    shop = Shop(session, tmp_path)
    shop.start(Expectation("ratio", "10 DIV v > 1", "drop"))
    shop.put((1, "a", 5), (2, "b", 0))
    assert shop.ids() == [1]


@pytest.mark.rest
def test_another_expectation_is_another_view(session: SparkSession, tmp_path: Path) -> None:
    shop = Shop(session, tmp_path)
    shop.start(POSITIVE)
    shop.put((1, "a", 1), (2, None, -1), (3, "c", 3))
    with pytest.raises(gs.DefinitionChanged, match="view view"):
        shop.start(Expectation("positive", "v > 1", "drop"))
    shop.start(Expectation("positive", "v > 1", "drop"), options={"onChange": "rebuild"})
    shop.run.processAllAvailable()
    assert shop.ids() == [3] and len(shop.aside()) == 2
    with pytest.raises(gs.DefinitionChanged, match="view view"):
        shop.start()
    shop.start(options={"onChange": "rebuild"})
    shop.run.processAllAvailable()
    assert shop.ids() == [1, 2, 3]
    shop.put((9, "a", 1))
    with pytest.raises(gs.ConfigurationError):
        shop.run.view("view_diverted")
    shop.delete(9)
    # one that keeps rows changes nothing of the view: its rows are found among those there are
    shop.start(NAMED)
    shop.run.processAllAvailable()
    assert shop.ids() == [1, 2, 3] and [name for name, _ in shop.aside()] == ["named"]
    shop.delete(2)
    assert shop.aside() == []
    shop.start()
    assert shop.ids() == [1, 3]


@pytest.mark.rest
def test_rows_that_fail_are_beside_those_that_are_dropped(
    session: SparkSession, tmp_path: Path
) -> None:
    shop = Shop(session, tmp_path)

    def shares(t: DataFrame) -> DataFrame:
        return t.selectExpr("id", "60 DIV v AS share")

    shop.start(Expectation("high", "share > 10", "drop"), query=shares, errors="divert")
    shop.put((1, "a", 1), (2, "b", 0), (3, "c", 10))
    assert shop.ids() == [1]
    rows = shop.run.view("view_diverted").collect()
    assert Counter("CONSTRAINT" in row.expression for row in rows) == {True: 1, False: 1}
    assert shop.run.lastProgress["divertedRows"] == 1
    assert counts(shop.run) == {"high": {"passed": 1, "failed": 1}}


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ([Expectation("c", "w > 0")], "constraint c EXPECT .*`w` cannot be resolved"),
        ([Expectation("c", "v")], "not true or false"),
        ([Expectation("c", "v >")], "PARSE_SYNTAX_ERROR"),
        ([Expectation("c", "v > (SELECT 1)")], "has a subquery"),
        ([Expectation("c", "max(v) > 1")], r"it has max\(v\), and must be about the row alone"),
        ([Expectation("c", "v > 1"), Expectation("C", "v > 2")], "two constraints are named 'c'"),
        (["v > 1"], "expect takes gs.Expectation"),
    ],
)
def test_what_is_no_function_of_the_row_is_refused(
    session: SparkSession, tmp_path: Path, expect: Any, told: str
) -> None:
    with pytest.raises(gs.ConfigurationError, match=told):
        Shop(session, tmp_path).start(*expect)


def test_chance_and_clock_are_refused(session: SparkSession, tmp_path: Path) -> None:
    for condition in ("rand() > 0.5", "now() > '2020-01-01'"):
        with pytest.raises(gs.NotIncremental):
            Shop(session, tmp_path).start(Expectation("c", condition, "drop"))
    with pytest.raises(gs.ConfigurationError, match="on window close"):
        Shop(session, tmp_path).start(POSITIVE, emit="window_close")
    with pytest.raises(gs.ConfigurationError, match="on_violation must be one of keep, drop, fail"):
        Expectation("c", "v > 0", "warn")


CONDITIONS = ("v > 3", "v % 3 <> 1", "k IS NOT NULL", "k > 'b' OR v < 5", "v IN (1, 2, NULL)")
QUERIES = {
    "rows": "SELECT id, k, v FROM {t}",
    "groups": "SELECT k, sum(v) AS v FROM {t} GROUP BY k",
    "pairs": "SELECT a.k AS k, a.v - b.v AS v FROM {t} a JOIN {t} b ON a.k = b.k AND a.id < b.id",
    "first": "SELECT k, v FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v, id) AS n "
    "FROM {t}) WHERE n = 1",
}


@pytest.mark.rest
@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_views_are_their_query_where_the_conditions_are_not_false(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    print(f"seed {seed}")
    rng = random.Random(seed)
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    table = pipeline.table("t", "id long, k string, v int", key="id")
    table.df.createOrReplaceTempView("placeholder")
    chosen = {}
    for name, query in QUERIES.items():
        dropping = rng.sample(CONDITIONS, rng.randint(1, 2))
        keeping = rng.sample(CONDITIONS, rng.randint(0, 2))
        expect = [Expectation(f"d{i}", c, "drop") for i, c in enumerate(dropping)]
        expect += [Expectation(f"k{i}", c) for i, c in enumerate(keeping)]
        rng.shuffle(expect)
        chosen[name] = (dropping, keeping)
        pipeline.view(name, session.sql(query.format(t="placeholder")), expect=expect)
    run = pipeline.start()
    rows: dict[int, tuple[Any, ...]] = {}
    for _ in range(4):
        gone = rng.sample(sorted(rows), min(len(rows), rng.randint(0, 4)))
        come = {
            rng.randrange(20): (rng.choice("abc") if rng.random() > 0.1 else None,
                                rng.randrange(8) if rng.random() > 0.1 else None)
            for _ in range(rng.randint(1, 8))
        }  # fmt: skip
        with run.transaction() as within:
            if gone:
                within.delete("t", [(each,) for each in gone])
            within.upsert("t", [(key, *row) for key, row in come.items()])
        for each in gone:
            rows.pop(each, None)
        rows |= come
        run.processAllAvailable()
        now = session.createDataFrame(
            [(key, *row) for key, row in rows.items()], "id long, k string, v int"
        )
        now.createOrReplaceTempView("now")
        for name, (dropping, keeping) in chosen.items():
            of = QUERIES[name].format(t="now")
            met = " AND ".join(f"({c}) IS NOT FALSE" for c in dropping)
            failed = " UNION ALL ".join(
                f"SELECT k, CAST(v AS STRING) AS v FROM ({of}) WHERE ({c}) IS FALSE"
                for c in dropping + keeping
            )
            aside = run.view(f"{name}_diverted")
            seen = {
                "rows": run.view(name),
                "expected rows": session.sql(f"SELECT * FROM ({of}) WHERE {met}"),
                "aside": aside.select(
                    F.get_json_object("row", "$.k").alias("k"),
                    F.get_json_object("row", "$.v").alias("v"),
                ),
                "expected aside": session.sql(failed),
            }
            found = bags(seen)
            for what in ("rows", "aside"):
                assert found[what] == found[f"expected {what}"], (name, what, seed)
    run.stop()
