"""Aggregate functions under retraction, grouping sets, and groups of unusual keys.

| epoch | deals                                    | readings                       |
|-------|------------------------------------------|--------------------------------|
| 0     | 1..8 spread over three shops             | 12 rows, one of them twice     |
| 1     | an infinity and a NaN come, 2 moves shop | nothing                        |
| 2     | both go again, 1 and 5 are deleted       | 3 rows, one with nulls         |
| 3     | the rest goes                            | 1 row                          |
"""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from incremental.checking import Step, check_views
from incremental.harness import Row, Table, Tables, Upserts

DEALS = """id bigint, shop string, x double, n int, flag boolean, tags array<string>,
    price decimal(10,2), day date"""
READINGS = "id bigint, k int, v double, s string"

QUERIES = {
    "moments": """select shop, round(stddev(x), 9) a, round(stddev_pop(x), 9) b,
        round(variance(n), 9) c, round(var_pop(n) filter (where n > 2), 9) d,
        round(stddev(distinct n), 9) e from deals group by shop""",
    "two_columns": """select shop, round(covar_pop(n, id), 9) a, round(covar_samp(n, id), 9) b,
        regr_count(n, id) c, round(skewness(n), 6) e from deals group by shop""",
    "booleans": """select shop, bool_and(flag) a, bool_or(flag) b, every(n > 2) c, any(n > 2) d,
        count_if(flag) e from deals group by shop""",
    "bits": """select shop, bit_and(n) a, bit_or(n) b, bit_xor(n) c, bit_or(id) d,
        bit_xor(distinct n) e from deals group by shop""",
    "lists": """select shop, sort_array(collect_list(n)) a, sort_array(collect_set(n)) b,
        array_sort(collect_list(x)) c, array_sort(collect_list(struct(n, tags))) d,
        sort_array(collect_list(distinct n)) e,
        cast(sort_array(collect_list(distinct x)) as string) f from deals group by shop""",
    "joined_texts": """select shop, listagg(id, ',') within group (order by id desc) a,
        string_agg(distinct shop, '|') b from deals group by shop""",
    "by_order": """select shop, max_by(n, id) a, min_by(tags, id) b, max(struct(n, id)) c,
        max(tags) d, any_value(shop) e, first(shop) f, last(shop) g from deals group by shop""",
    "quantiles": """select shop, percentile(n, 0.5) a, median(n) b, percentile_approx(n, 0.5) c,
        percentile(n, array(0.25, 0.75)) d, percentile_cont(0.5) within group (order by n) e,
        mode() within group (order by n) f from deals group by shop""",
    "approximate": """select shop, approx_count_distinct(n) a, approx_count_distinct(tags[0]) b
        from deals group by shop""",
    "global": """select stddev(x) is null a, collect_set(n) = array() b, count(distinct n, flag) c,
        bit_or(n) d, bool_and(flag) e, percentile(n, 0.5) f from deals""",
    "appended": """select k, round(stddev(v), 9) a, bit_xor(id) b, approx_count_distinct(s) c,
        percentile(v, 0.5) d, sort_array(collect_list(s)) e, round(kurtosis(v), 6) f,
        round(corr(v, id), 6) g, max_by(s, id) h, regr_slope(v, id) is null i
        from readings group by k""",
    "rollup": """select shop, n % 2 m, grouping_id() g, count(*) c, sum(x) s from deals
        group by rollup(shop, n % 2)""",
    "sets": """select shop, flag, count(*) c from deals
        group by grouping sets ((shop), (shop, flag), (shop), ())""",
}
"""Every function, and one of each kind of groups."""
MORE = {
    "several_columns": """select shop, count(distinct n, flag) a, count(n, flag) b,
        count(distinct shop, n, day) c from deals group by shop""",
    "constants": """select shop, collect_list(distinct 1) a, listagg(distinct 'x') b, sum(1) c,
        collect_list(1) filter (where flag) d, count(distinct n, null) e from deals
        group by shop""",
    "cube": "select shop, flag, count(distinct n) c, max(x) m from deals group by cube(shop, flag)",
    "sets_joined": """select a.shop, a.c, d.id from (select shop, flag, count(*) c from deals
        group by rollup(shop, flag)) a join deals d on a.shop = d.shop""",
    "struct_keys": """select struct(shop, n % 2 as m) k, array(flag) f, count(*) c from deals
        group by 1, 2""",
    "float_keys": "select x * 0.0 as z, count(*) c from deals group by 1",
    "interval_keys": """select day - date'2024-01-01' d, cast(day as timestamp_ntz) t, max(price) p,
        sum(price * price) q, avg(price) a from deals group by 1, 2""",
    "intervals": """select shop, sum(day - date'2024-01-01') a, avg(day - date'2024-01-01') b
        from deals group by shop""",
}
"""Groups and arguments that are seldom."""


def deal(i: int, shop: str | None, x: float | str | None, n: int | None) -> Row:
    flag = None if i % 5 == 4 else i % 3 != 0
    tags = [f"t{i % 2}", "all"] if i % 4 else None
    return {
        "id": i,
        "shop": shop,
        "x": x,
        "n": n,
        "flag": flag,
        "tags": tags,
        "price": f"{i}.25",
        "day": f"2024-01-{1 + i % 3:02d}",
    }


def reading(i: int, k: int | None, v: float | None) -> Row:
    return {"id": i, "k": k, "v": v, "s": f"s{i % 4}"}


STEPS: list[Step] = [
    {
        "deals": [deal(i, "abc"[i % 3], i / 4, i % 4) for i in range(8)]
        + [deal(8, None, -0.0, None)],
        "readings": [reading(i % 11, i % 3, i * i / 8) for i in range(12)],
    },
    {"deals": [deal(20, "a", "Infinity", 3), deal(21, "b", "NaN", 9), deal(2, "a", 1.5, 7)]},
    {
        "deals": [{"id": i, "gone": True} for i in (20, 21, 1, 5)],
        "readings": [reading(30, 1, 4.0), reading(31, None, 2.0), reading(32, 2, None)],
    },
    {
        "deals": [{"id": i, "gone": True} for i in range(9)],
        "readings": [reading(40, 0, -1.0)],
    },
]


def check(session: SparkSession, folder: Path, queries: dict[str, str]) -> list[dict[str, int]]:
    tables = Tables(
        Upserts(session, folder, "deals", DEALS, "id"),
        Table(session, folder, "readings", READINGS),
    )
    sizes = check_views(session, folder, tables, queries, STEPS)
    assert min(sizes[0].values()) > 0
    return sizes


def test_aggregates_equal_batch_after_every_epoch(session: SparkSession, tmp_path: Path) -> None:
    sizes = check(session, tmp_path, QUERIES)
    assert sizes[-1]["moments"] == 0
    assert sizes[-1]["global"] == 1


@pytest.mark.rest
def test_seldom_groups_equal_batch_after_every_epoch(session: SparkSession, tmp_path: Path) -> None:
    check(session, tmp_path, MORE)


ZEROS = {
    "extremes": """select g, string(min(x)) a, string(max(x)) b, string(min(float(x))) c,
        string(min(struct(x, id))) d, string(max(array(x))) e from {} group by g""",
    "keys": "select string(x) x, string(min(x)) a, string(max(x)) b from {} where g < 2 group by 1",
}


@pytest.mark.rest
def test_the_least_and_greatest_of_zeros_keep_their_sign(
    session: SparkSession, tmp_path: Path
) -> None:
    """Of groups with zeros of both signs Spark shows any; the struct is told by its other field."""
    columns = "id bigint, g bigint, x double"
    tables = Tables(
        Upserts(session, tmp_path, "kept", columns, "id"),
        Table(session, tmp_path, "added", columns),
    )
    given = [(0, 1, -0.0), (1, 1, -0.0), (2, 2, -0.0), (3, 3, -0.0), (4, 3, 1.0), (5, 3, -1.0)]
    first = [{"id": i, "g": g, "x": x} for i, g, x in given]
    second = [{"id": 0, "g": 4, "x": -0.0}, {"id": 1, "gone": True}, {"id": 2, "g": 2, "x": 0.0}]
    steps: list[Step] = [
        {"kept": first, "added": first},
        {"kept": second, "added": [{"id": 6, "g": 1, "x": -0.0}]},
        {"kept": [{"id": i, "gone": True} for i in (4, 5)]},
    ]
    queries = {f"{n}_{t}": q.format(t) for n, q in ZEROS.items() for t in ("kept", "added")}
    check_views(session, tmp_path, tables, queries, steps)
