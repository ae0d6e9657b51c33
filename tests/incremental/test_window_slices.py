"""Window functions that see neighbouring rows only: a change reads its neighbourhood."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from incremental.checking import Step, check_views
from incremental.harness import Row, Table, Tables, Upserts
from reaching import reaches_in_jvm

pytestmark = pytest.mark.rest

QUERIES = {
    "shifts": """select id, item, lag(v) over w a, lag(v, 3, -1) over w b, lead(v, 2) over w c
        from marks window w as (partition by item order by at, id desc)""",
    "frames": """select id, sum(v) over (partition by item order by at, id
          rows between 2 preceding and 1 following) a,
        max(v) over (partition by item order by at, id rows between 1 following and 3 following) b,
        first_value(v) over (partition by item order by at, id
          rows between 3 preceding and 1 preceding) c,
        count(*) over (partition by item order by at, id
          rows between current row and current row) d from marks""",
    "last": """select id, at, last_value(x) ignore nulls over (partition by item order by at, id
          rows between unbounded preceding and current row) a from marks""",
    "all_kinds": """select id, last_value(x) ignore nulls over w a,
          last_value(y) ignore nulls over w b, lag(v, 2) over (order by at, id) c,
          sum(v) over (order by at, id rows between 1 preceding and 2 following) d
        from marks window w as (order by at, id rows between unbounded preceding and current row)
        """,
    "whole": """select id, lag(v) ignore nulls over (partition by item order by at, id) a,
        sum(v) over (partition by item order by at, id) b from marks""",
}


def mark(chance: random.Random, number: int, many: int) -> Row:
    """Few values of ``x`` and ``y``, and of ``at``, so that ties are common."""
    return {
        "id": number,
        "item": chance.randrange(2),
        "at": chance.randrange(many // 2),
        "v": chance.randrange(9) if chance.random() < 0.9 else None,
        "x": number if chance.random() < 0.1 else None,
        "y": number if chance.random() < 0.3 else None,
    }


def changes(chance: random.Random, many: int) -> list[Row]:
    """Rows that move or change, go, and come, some of them side by side."""
    numbers = {n + chance.randrange(3) for n in chance.sample(range(many), chance.randrange(1, 6))}
    some = [{**mark(chance, n, many), "gone": chance.random() < 0.3} for n in numbers]
    return [*some, *(mark(chance, many + n, many) for n in range(chance.randrange(3)))]


def test_windows_of_neighbours_equal_batch_after_every_epoch(
    session: SparkSession, tmp_path: Path
) -> None:
    seed = random.randrange(10_000)
    print(f"seed {seed}")
    chance, many = random.Random(seed), 400  # so that changes are too far apart for one slice
    steps: list[Step] = [{"marks": [mark(chance, n, many) for n in range(many)]}]
    steps += [{"marks": changes(chance, many)} for _ in range(8)]
    steps += [{"marks": [{"id": n, "gone": True} for n in range(many) if n % 7]}]
    schema = "id bigint, item int, at int, v int, x int, y int"
    tables = Tables(Upserts(session, tmp_path, "marks", schema, "id"))
    check_views(session, tmp_path, tables, QUERIES, steps)


def test_a_change_reads_its_neighbourhood_however_long_the_partition(
    session: SparkSession, tmp_path: Path
) -> None:
    """Also of an as-of join, which is a window function over both sides."""
    trades = Upserts(session, tmp_path, "trades", "id bigint, at bigint, v int", "id")
    quotes = Table(session, tmp_path, "quotes", "quoted bigint, price int")
    source = trades.source()
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    moved = "sum(v) over (order by at, id rows between 2 preceding and current row) s"
    pipeline.view("moving", source.selectExpr("id", moved))
    joined = gs.asof_join(
        source.withColumn("k", F.lit(1)),
        quotes.source().withColumn("k", F.lit(1)),
        left_time="at",
        right_time="quoted",
        on="k",
    )
    pipeline.view("priced", joined)
    run = pipeline.start()

    def reads() -> list[int]:
        run.processAllAvailable()
        assert run.lastProgress is not None
        return [
            o.get("stateReads", 0) for o in run.lastProgress["operators"] if o["op"] == "window"
        ]

    trades.put({"id": n, "at": 10 * n, "v": 1} for n in range(3000))
    quotes.put({"quoted": 100 * n, "price": n} for n in range(300))
    run.processAllAvailable()
    trades.put([{"id": 1500, "at": 15_000, "v": 7}])
    few = reads()
    assert len(few) == 2
    assert max(few) < 40, few
    quotes.put([{"quoted": 20_001, "price": -1}])
    assert max(reads()) < 60
    priced = run.view("priced").where("price = -1")
    assert sorted(r["id"] for r in priced.collect()) == list(range(2001, 2010))
    run.stop()


def test_a_row_that_moves_far_in_its_partition_leaves_one_slice_and_comes_in_another(
    session: SparkSession, tmp_path: Path
) -> None:
    rows = Upserts(session, tmp_path, "rows", "id bigint, at int", "id")
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    query = "lag(id) over (order by at, id) before"
    pipeline.view("moving", rows.source().selectExpr("id", "at", query))
    run = pipeline.start()
    rows.put({"id": n, "at": 10 * n} for n in range(400))
    run.processAllAvailable()
    with reaches_in_jvm(session, "ROW_CHANGES_ITS_SLICE"):
        rows.put([{"id": 5, "at": 3505}])
        run.processAllAvailable()
    found = {row["id"]: row["before"] for row in run.view("moving").collect()}
    run.stop()
    assert len(found) == 400
    assert (found[5], found[6], found[351]) == (350, 4, 5)


def test_changes_of_a_partition_that_cancel_out(session: SparkSession, tmp_path: Path) -> None:
    """A row whose partner changes in a column that is not shown leaves and comes back as it was."""
    marks = Upserts(session, tmp_path, "marks", "id bigint, item int, v int", "id")
    makers = Upserts(session, tmp_path, "makers", "item int, size int", "item")
    joined = "marks join makers using (item) where size > v"
    queries = {"shifts": f"select id, lag(v) over (partition by item order by id) a from {joined}"}
    steps: list[Step] = [
        {
            "marks": [{"id": n, "item": n % 2, "v": n} for n in range(4)],
            "makers": [{"item": n, "size": 9} for n in range(2)],
        },
        {"makers": [{"item": 0, "size": 8}]},
        {"makers": [{"item": 0, "size": 1}, {"item": 1, "size": 7}]},
    ]
    check_views(session, tmp_path, Tables(marks, makers), queries, steps)
