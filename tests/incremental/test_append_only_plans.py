"""Plans that append-only rows allow: fewer rows kept, none looked for; equal to batch all the same.

| step | bids                              | items                       |
|------|-----------------------------------|-----------------------------|
| 0    | 20 bids on 4 items, prices tie    | three items                 |
| 1    | higher and lower bids             | the fourth, and one nobody bids on |
| 2    | nothing                           | an item for the second time |
| 3    | bids of the first step once more  | nothing                     |
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import Step, check_views, feed
from incremental.harness import Row, Table, Tables, Upserts, assert_same, bag

pytestmark = pytest.mark.rest

BIDS = "id bigint, item int, price double, at timestamp"
ITEMS = "item int, name string"

QUERIES = {
    "newest": """select item, price, id from (select *, row_number() over
        (partition by item order by at desc, id desc, price) r from bids) where r = 1""",
    "computed_partition": """select item % 2 odd, price from (select *, row_number() over
        (partition by item % 2 order by price desc, id) r from bids) where r <= 1""",
    "places": """select item, price, id, r from (select *, row_number() over
        (partition by item order by price desc, id) r from bids) where r <= 3""",
    "first_of_all": """select id, r from (select *, row_number() over (order by price, id) r
        from bids) where r <= 4""",
    "two_keys": """select a.item, a.price, b.n from (select *, row_number() over
        (partition by item, price order by id desc) r from bids) a
        join (select item, count(*) n from bids group by item) b on a.item = b.item where r = 1""",
    "joined": "select b.id, b.price, i.name from bids b join items i on b.item = i.item",
    "joined_to_itself": """select a.id, b.id other from bids a join bids b
        on a.item = b.item and a.price < b.price""",
    "best_of_joined": """select item, name, id from (select i.item, i.name, b.id, row_number() over
        (partition by i.item order by b.price desc, b.id, i.name) r
        from items i join bids b on i.item = b.item) where r = 1""",
    "distinct": """select item, count(distinct price) n, sum(distinct price) s,
        count(distinct id, price) filter (where price > 0) m from bids group by item""",
    "passed_on": "select id, price * 2 double from bids where price is not null",
}
HOTTEST = """select c.item, c.n from (select item, at, count(*) n from bids group by item, at) c
    join (select max(n) most, at from (select item, at, count(*) n from bids group by item, at)
    group by at) m on c.at = m.at and c.n >= m.most"""


def bid(i: int, item: int, price: float | None) -> Row:
    return {"id": i, "item": item, "price": price, "at": f"2024-01-01 00:0{i % 7}:00"}


FIRST = [bid(i, i % 4, i // 2 % 3 / 2 if i != 7 else None) for i in range(20)]
STEPS: list[Step] = [
    {"bids": FIRST, "items": [{"item": i, "name": f"item {i}"} for i in range(3)]},
    {
        "bids": [bid(20 + i, i % 5, 5.0 - i) for i in range(10)],
        "items": [{"item": 3, "name": "late"}, {"item": 9, "name": "lonely"}],
    },
    {"items": [{"item": 0, "name": "again"}]},
    {"bids": FIRST},
]


def operators(session: SparkSession, folder: Path, query: str) -> Counter[str]:
    """What the view is made of, by ``op``."""
    run = (
        session.sql(query)
        .incremental()
        .writeStream.option("checkpointLocation", str(folder / "one"))
    )
    view = run.trigger(availableNow=True).toView("answer")
    view.awaitTermination()
    assert view.lastProgress is not None
    return Counter(op["op"] for op in view.lastProgress["operators"])


def test_append_only_plans_equal_batch_after_every_epoch(
    session: SparkSession, tmp_path: Path
) -> None:
    tables = Tables(
        Table(session, tmp_path, "bids", BIDS), Table(session, tmp_path, "items", ITEMS)
    )
    check_views(session, tmp_path, tables, {**QUERIES, "hottest": HOTTEST}, STEPS)


def test_first_rows_are_chosen_for_append_only_rows_alone(
    session: SparkSession, tmp_path: Path
) -> None:
    for table, op in (
        (Table(session, tmp_path, "bids", BIDS), "first_rows"),
        (Upserts(session, tmp_path, "changing_bids", BIDS, "id"), "window"),
    ):
        table.put(FIRST)
        table.source().createOrReplaceTempView("bids")
        folder = tmp_path / op
        folder.mkdir()
        assert operators(session, folder, QUERIES["places"])[op] == 1


def test_an_aggregation_that_is_shown_in_two_ways_is_kept_once(
    session: SparkSession, tmp_path: Path
) -> None:
    table = Table(session, tmp_path, "bids", BIDS)
    table.put(FIRST)
    table.source().createOrReplaceTempView("bids")
    assert operators(session, tmp_path, HOTTEST)["aggregate"] == 2


def test_no_row_is_read_for_a_new_row_of_an_append_only_view(
    session: SparkSession, tmp_path: Path
) -> None:
    table = Table(session, tmp_path, "bids", BIDS)
    table.put(FIRST)
    table.source().createOrReplaceTempView("bids")
    pipeline = gs.pipeline(session, str(tmp_path / "checkpoint"))
    pipeline.view("kept", session.sql(QUERIES["passed_on"]))
    run = pipeline.start(availableNow=True)
    run.awaitTermination()
    assert run.lastProgress is not None
    assert run.lastProgress["stateReads"] == 0
    assert run.lastProgress["stateRows"] == 19


FIRST_TWO = """select item, cast(price as int) whole, id from (select *, row_number() over
    (partition by item order by price desc, id) r from bids) where r <= 2"""
STARTS: dict[str, list[dict[str, Any]]] = {
    "another order": [{"a": {}, "b": {}}, {"b": {}, "a": {}}],
    "set aside": [{"a": {}}, {"a": {"errors": "divert"}}],
    "view on it": [{"a": {}}, {"a": {}, "b": {"on": "a"}}],
}


@pytest.mark.parametrize("starts", STARTS.values(), ids=STARTS)
def test_views_of_first_rows_find_their_rows_however_they_are_started(
    session: SparkSession, tmp_path: Path, starts: list[dict[str, Any]]
) -> None:
    tables = Tables(Table(session, tmp_path, "bids", BIDS))
    location = str(tmp_path / "checkpoint")
    for views, step in zip(starts, STEPS, strict=False):
        tables.as_sources()
        p = gs.pipeline(session, location, partitions=3)
        for name, how in views.items():
            below = how.get("on")
            frame = session.sql(FIRST_TWO) if below is None else p.read(below)
            p.view(name, frame, errors=how.get("errors", "fail"))
        query = p.start()
        feed(tables, step, query)
        query.stop()
    tables.as_batch()
    wanted = bag(session.sql(FIRST_TWO))
    for name in starts[-1]:
        assert_same(bag(gs.read_view(session, location, name)), wanted, name)
