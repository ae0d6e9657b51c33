"""Window functions, first rows of a group, LIMIT without an order, and windows of time.

Orders name a unique column wherever the answer depends on ties.

| step | bids                                        | clicks                              |
|------|---------------------------------------------|-------------------------------------|
| 0    | 12 bids on 3 items, prices tie              | two sessions of ann, one of bob     |
| 1    | a price changes, one bid moves to an item   | a click that joins ann's sessions   |
| 2    | the highest bid of every item is withdrawn  | nothing                             |
| 3    | all bids of item 0 are withdrawn, one comes | clicks out of order                 |
"""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from incremental.checking import Step, check_views
from incremental.harness import Row, Tables, Upserts

BIDS = "id bigint, item int, price double, at timestamp"

QUERIES = {
    "ranks": """select id, row_number() over (partition by item order by price, id) a,
        rank() over (partition by item order by price) b,
        dense_rank() over (partition by item order by price) c,
        round(percent_rank() over (partition by item order by price), 9) d,
        cume_dist() over (partition by item order by price) e,
        ntile(3) over (partition by item order by price, id) f from bids""",
    "neighbours": """select id, lag(price) over w a, lead(price, 2, -1.0) over w b,
        first_value(id) over w c, last_value(id) over w d, nth_value(id, 2) over w e
        from bids window w as (partition by item order by price, id)""",
    "frames": """select id, sum(price) over (partition by item order by id) a,
        max(price) over (partition by item order by id rows between 1 preceding and 1 following) b,
        count(*) over (partition by item order by price range between 1 preceding
            and 1 following) c,
        avg(price) over (partition by item) d, sum(price) over () e,
        count(*) over (order by at range between interval 1 minute preceding and current row) f
        from bids""",
    "top_of_group": """select item, price, id, r from (select *, row_number() over
        (partition by item order by price desc, id) r from bids) where r <= 2""",
    "newest": """select item, price from (select *, row_number() over
        (partition by item, price * 0 order by at desc, id desc) r from bids) where r = 1""",
    "over_groups": """select item, n, rank() over (order by n desc) r, sum(n) over () s from
        (select item, count(*) n from bids group by item)""",
    "tumbling": """select window(at, '2 minutes') w, count(*) n, max(price) p from bids
        group by 1""",
    "sliding": """select window(at, '2 minutes', '1 minute').end e, item, sum(price) s from bids
        group by window(at, '2 minutes', '1 minute'), item""",
    "sessions": """select session_window(at, '1 minute') w, count(*) n, sum(price) s from bids
        where item < 2 group by 1""",
    "sessions_of_item": """select item, session_window(at, '90 seconds').start s, max(price) p,
        count(distinct id) n from bids group by item, session_window(at, '90 seconds')""",
}
"""One of each kind."""
MORE = {
    "no_order": """select id, count(*) over (partition by item order by null) a,
        sum(price) over (partition by item order by (select null)) b, null c from bids""",
    "top_with_ties": """select item, price, id from (select *, rank() over
        (partition by item order by price desc) r from bids) where r < 3""",
    "dense_top": """select item, price, id from (select *, dense_rank() over
        (partition by item % 2 order by price desc nulls last) r from bids) where r <= 2""",
    "global_top_with_ties": """select id from (select *, rank() over (order by price desc) r
        from bids) where r <= 3""",
    "group_of_window": """select a, count(*) n from (select row_number() over
        (partition by item order by id) a from bids) group by a""",
    "join_of_top": """select b.id, t.price from bids b join (select item, price from (select *,
        row_number() over (partition by item order by price desc, id) r from bids) where r = 1) t
        on b.item = t.item and b.price = t.price""",
    "own_sessions": """select item, w, min(w.start) lo, max(w) hi, count(*) n from
        (select *, session_window(at, '90 seconds') w from bids) group by item, w""",
    "sessions_of_sessions": """select w, count(*) n from (select distinct item, w from
        (select *, session_window(at, '90 seconds') w from bids)) group by w""",
    "dynamic_sessions": """select item, session_window(at, case when price > 0 then '61 seconds'
        else '10 seconds' end) w, count(*) n from bids group by 1, 2""",
    "sliding_rows": "select id, window(at, '2 minutes', '1 minute').start s from bids",
}
"""Ties, windows over windows, and other queries that are seldom."""

ANY = {
    "any_rows": ("select id, price from bids {} limit 4", "id"),
    "any_later_rows": ("select id from bids {} limit 3 offset 2", "id"),
    "any_groups": ("select item, count(*) n from bids group by item {} limit 2", "item"),
}
"""LIMIT without ORDER BY, and the stream key by which its rows are taken."""


def bid(i: int, item: int, price: float | None) -> Row:
    return {"id": i, "item": item, "price": price, "at": f"2024-01-01 00:0{i % 7}:00"}


BID_STEPS: list[Step] = [
    {"bids": [bid(i, i % 3, i // 2 % 3 / 2 if i != 7 else None) for i in range(12)]},
    {"bids": [bid(3, 0, 9.0), bid(4, 2, 0.5), bid(5, 2, 1.0), bid(20, 5, 1.0)]},
    {"bids": [{"id": i, "gone": True} for i in (3, 4, 10, 20)]},
    {"bids": [{"id": i, "gone": True} for i in (0, 6, 9)] + [bid(30, 1, 0.5)]},
]


@pytest.mark.parametrize(
    "queries",
    [
        pytest.param(QUERIES, id="one of each kind"),
        pytest.param(MORE, id="more", marks=pytest.mark.rest),
    ],
)
def test_windows_equal_batch_after_every_epoch(
    session: SparkSession, tmp_path: Path, queries: dict[str, str]
) -> None:
    tables = Tables(Upserts(session, tmp_path, "bids", BIDS, "id"))
    sizes = check_views(session, tmp_path, tables, queries, BID_STEPS)
    assert all(min(step.values()) > 0 for step in sizes)


def test_limit_without_order_takes_the_first_rows_by_stream_key(
    session: SparkSession, tmp_path: Path
) -> None:
    tables = Tables(Upserts(session, tmp_path, "bids", BIDS, "id"))
    queries = {name: text.format("") for name, (text, _) in ANY.items()}
    ordered = {name: text.format(f"order by {key}") for name, (text, key) in ANY.items()}
    check_views(session, tmp_path, tables, queries, BID_STEPS, ordered)
