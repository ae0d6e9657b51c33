"""Joins whose condition keeps times together: as batch, and without the rows behind them."""

import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from groundswell.errors import NotIncremental
from incremental.events import SCHEMA, Run, at, marked, row
from incremental.harness import Table, bags, one_barrier

JOIN = """a {kind} JOIN b ON a.k = b.k
    AND a.ts BETWEEN b.ts - INTERVAL 20 SECONDS AND b.ts + INTERVAL 10 SECONDS AND a.v <> b.v"""
COLUMNS = "a.k, string(a.ts) at, string(b.ts) bt, a.v av, b.v bv"


def query(kind: str) -> str:
    if kind in ("LEFT SEMI", "LEFT ANTI"):
        return f"SELECT a.k, string(a.ts) at, a.v FROM {JOIN.format(kind=kind)}"
    return f"SELECT {COLUMNS} FROM {JOIN.format(kind=kind)}"


@pytest.fixture
def sides(session: SparkSession, tmp_path: Path) -> tuple[Table, Table]:
    tables = Table(session, tmp_path, "a", SCHEMA), Table(session, tmp_path, "b", SCHEMA)
    for table in tables:
        gs.appends(marked(table), name=table.name).createOrReplaceTempView(table.name)
    return tables


class Fed:
    """Rows for two sources, and which of them are in time."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.kept: list[list[dict[str, Any]]] = [[], []]
        self.watermarks = [-1e9, -1e9]
        self.newest = [-1e9, -1e9]

    def rows(self, second: float) -> list[list[dict[str, Any]]]:
        fed = []
        for side in (0, 1):
            times = [
                self.chance.uniform(second - 15, second + 20) // 1
                for _ in range(self.chance.randrange(8))
            ]
            rows = [row(t, self.chance.choice("ab"), self.chance.randrange(3)) for t in times]
            rows += [{**row(0, "a"), "ts": None}] if self.chance.random() < 0.2 else []
            self.kept[side] += [
                r for r, t in zip(rows, times, strict=False) if t >= self.watermarks[side]
            ]
            self.kept[side] += rows[len(times) :]
            self.newest[side] = max([self.newest[side], *times])
            fed.append(rows)
        return fed

    def passed(self) -> None:
        self.watermarks = [
            max(w, n - 10) for w, n in zip(self.watermarks, self.newest, strict=True)
        ]


@pytest.mark.parametrize(
    ("seed", "kinds"),
    [
        (1, ("INNER", "LEFT", "LEFT SEMI")),
        pytest.param(2, ("RIGHT", "FULL", "LEFT ANTI"), marks=pytest.mark.rest),
    ],
)
def test_every_kind_equals_batch_over_the_rows_in_time(
    session: SparkSession,
    tmp_path: Path,
    sides: tuple[Table, Table],
    seed: int,
    kinds: tuple[str, ...],
) -> None:
    fed = Fed(random.Random(seed))
    location = str(tmp_path / "c")

    def start() -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, location)
        for i, kind in enumerate(kinds):
            pipeline.view(f"v{i}", session.sql(query(kind)))
        return pipeline.start()

    run = start()
    found = []
    for step in range(7):
        with one_barrier(run):
            for table, rows in zip(sides, fed.rows(step * 15), strict=True):
                table.put(rows)
        run.processAllAvailable()
        if step == 3:
            run.stop()
            for table in sides:
                gs.appends(marked(table), name=table.name).createOrReplaceTempView(table.name)
            run = start()
        if step % 2 == 0:
            found.append(
                (
                    bags(gs.read_views(session, location)),
                    [list(rows) for rows in fed.kept],
                )
            )
        fed.passed()
    run.stop()
    for views, kept in found:
        for table, rows in zip(sides, kept, strict=True):
            table.snapshots.append(rows)
            table.batch().createOrReplaceTempView(table.name)
        wanted = bags({f"v{i}": session.sql(query(kind)) for i, kind in enumerate(kinds)})
        for i, kind in enumerate(kinds):
            assert views[f"v{i}"] == wanted[f"v{i}"], f"seed {seed}, {kind}"
    assert sum(views["v0"].values()) > 10


@pytest.mark.rest
@pytest.mark.parametrize("equal", ["a.k = b.k AND", ""])
def test_state_is_as_large_as_what_can_still_match(
    session: SparkSession, tmp_path: Path, sides: tuple[Table, Table], equal: str
) -> None:
    view = session.sql(query("LEFT").replace("a.k = b.k\n    AND", equal)).incremental()
    assert "times -10 to 20 s apart" in view.plan
    run = Run(session, tmp_path, view, *sides)
    kept = []
    for minute in range(16):
        rows = [row(60 * minute + 3 * i, f"k{i % 4}", i) for i in range(20)]
        run.feed(rows, rows[:10])
        kept.append(run.state_rows("join", "left", "right"))
    run.query.stop()
    assert max(kept[3:]) <= 60, kept  # of 30 rows a minute


@pytest.mark.rest
def test_an_unmatched_row_leaves_once_when_nothing_can_match_it_any_more(
    session: SparkSession, tmp_path: Path, sides: tuple[Table, Table]
) -> None:
    view = session.sql(
        "SELECT a.k, a.ts, string(b.ts) bt FROM " + JOIN.format(kind="LEFT")
    ).incremental("window_close")
    run = Run(session, tmp_path, view, *sides)

    def closed(changes: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return [(k, str(t), bt, kind) for k, t, bt, kind in changes]

    assert run.feed([row(0), row(1, "b")], [row(5, v=2)]) == []
    assert run.feed([row(35)], [row(35)]) == []  # watermarks: 25, which reaches back to 5
    assert closed(run.feed([row(36)], [row(36)])) == [
        ("a", at(0), at(5), "insert"),
        ("b", at(1), None, "insert"),
    ]
    run.query.stop()


@pytest.mark.rest
def test_a_day_less_23_hours_may_be_two_hours(session: SparkSession, tmp_path: Path) -> None:
    zone = session.conf.get("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        p = gs.pipeline(session, str(tmp_path / "c"))
        a, b = (p.table(name, "id bigint, ts timestamp", key="id") for name in "ab")
        a.df.createOrReplaceTempView("a")
        b.df.createOrReplaceTempView("b")
        query = """select a.id, b.id bid from a join b on a.id = b.id
            and b.ts between a.ts and a.ts + make_interval(0, 0, 0, 1, -23)"""
        p.view("pairs", session.sql(query))
        first = session.sql("select 1L id, timestamp '2024-11-03 00:30:00' ts")  # a day of 25 hours
        a.insert(first)
        b.insert(first.selectExpr("id", "ts + interval 2 hours ts"))
        run = p.start()
        run.processAllAvailable()
        assert [tuple(pair) for pair in run.view("pairs").collect()] == [(1, 1)]
        run.stop()
    finally:
        session.conf.set("spark.sql.session.timeZone", str(zone))


@pytest.mark.rest
def test_one_sided_conditions_are_kept_for_ever_and_close_nothing(
    session: SparkSession, sides: tuple[Table, Table]
) -> None:
    frame: DataFrame = session.sql("SELECT a.ts FROM a JOIN b ON a.k = b.k AND a.ts > b.ts")
    assert "apart" not in frame.incremental().plan
    with pytest.raises(NotIncremental, match="does not reach"):
        frame.incremental("window_close")
