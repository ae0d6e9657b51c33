"""Group-by, DISTINCT, global aggregates."""

from incremental.pieces import piece
from incremental.random_plans import Maker

VALUES = [
    "cast(count(*) as double)",
    "cast(count(v) as double)",
    "sum(v)",
    "min(v)",
    "max(v)",
    "avg(v)",
    "cast(count(distinct v) as double)",
    "sum(v) filter (where v > 1)",
    "cast(max(g) as double)",
    "sum(distinct v)",
    "round(stddev_pop(v), 6)",
    "cast(bit_xor(g) as double)",
    "percentile(v, 0.5)",
    "cast(approx_count_distinct(v) as double)",
    "cast(count(distinct g, v) as double)",
    "array_max(collect_list(v))",
    "cast(cast(bool_or(v > 1) as int) as double)",
    "median(v)",
    "percentile_disc(0.5) within group (order by v desc)",
    "mode(v, true)",
    "max_by(v, struct(g, v))",
    "min_by(v, struct(k, g, v)) filter (where g is not null)",
    "try_sum(v)",
    "cast(count_if(v > 1) as double)",
    "cast(size(collect_set(v)) as double)",
    "cast(regr_count(v, g) as double)",
    "cast(bit_and(g) as double)",
    "cast(listagg(distinct cast(g as string), '') within group (order by cast(g as string)) "
    "as double)",
]
"""Aggregate calls of type double; each gives the same bits whatever the order of rows is."""


@piece(weight=2)
def group(maker: Maker) -> str:
    source, _ = maker.source()
    count = maker.pick(["count(*)", "count(distinct g)", "min(g)", "max(g)"])
    having = maker.pick(["", "", " having count(*) > 1"])
    return f"select k, {count} as g, {maker.pick(VALUES)} as v from {source} group by k{having}"


@piece()
def total(maker: Maker) -> str:
    source, _ = maker.source()
    return f"select max(k) as k, count(*) as g, {maker.pick(VALUES)} as v from {source}"


@piece()
def distinct(maker: Maker) -> str:
    source, _ = maker.source()
    return f"select distinct k, g, v from {source}"


@piece()
def comparable(maker: Maker) -> str:
    """By keys of which different ones are equal; the group shows none of them."""
    source, _ = maker.source()
    word = "collate(case when k % 2 = 0 then 'a' when k > 1 then 'A' else 'b' end, 'UTF8_LCASE')"
    key = maker.pick([word, "map('k', k % 2, 'g', g)", f"struct({word}, g)"])
    count = maker.pick([f"count(distinct {word})", "count(distinct map(k % 2, g))", "max(g)"])
    return (
        f"select max(k) as k, {count} as g, {maker.pick(VALUES)} as v "
        f"from (select * from {source} where k is not null) group by {key}"
    )
