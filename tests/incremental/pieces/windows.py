"""Window functions, first rows of a group, grouping sets.

Orders name all columns, so that rows which tie are the same row.
"""

from incremental.pieces import piece
from incremental.random_plans import Maker


@piece()
def window(maker: Maker) -> str:
    source, _ = maker.source()
    collated = "collate(if(k > 1, 'A', 'a'), 'UTF8_LCASE')"
    by = maker.pick(["", "partition by k ", "partition by g ", f"partition by {collated} "])
    order = f"{by}order by v, k, g"
    value = maker.pick(
        [
            f"sum(v) over ({order} rows between 1 preceding and current row)",
            f"lag(v) over ({order})",
            f"max(v) over ({order})",
            f"cast(rank() over ({order}) as double)",
            f"cast(ntile(2) over ({order}) as double)",
        ]
    )
    return f"select k, g, {value} as v from {source}"


@piece()
def framed(maker: Maker) -> str:
    source, _ = maker.source()
    by = maker.pick(["", "partition by k ", "partition by g % 2 "])
    rows = f"{by}order by v, k, g rows between"
    value = maker.pick(
        [
            f"sum(v) over ({by}order by g range between 1 preceding and 1 following)",
            f"max(v) over ({by}order by g desc range between current row and 1 following)",
            f"cast(count(*) over ({by}order by v) as double)",
            f"cast(count(v) over ({by}) as double)",
            f"first_value(v) ignore nulls over ({rows} 2 preceding and 1 following)",
            f"last_value(v) over ({rows} current row and unbounded following)",
            f"nth_value(v, 2) over ({rows} unbounded preceding and unbounded following)",
            f"min(v) over ({rows} unbounded preceding and 1 preceding)",
            f"lead(v, 1, -1.0d) over ({by}order by v desc nulls last, k, g)",
            f"percent_rank() over ({by}order by v)",
            f"cume_dist() over ({by}order by g)",
            f"cast(dense_rank() over ({by}order by g desc) as double)",
            f"array_max(collect_list(v) over ({rows} 1 preceding and 1 following))",
        ]
    )
    return f"select k, g, {value} as v from {source}"


@piece()
def first_rows(maker: Maker) -> str:
    source, _ = maker.source()
    rank = maker.pick(["row_number() over (partition by k order by v desc, g)", "rank() over (w)"])
    inner = f"select k, g, v, {rank} as r from {source} window w as (partition by g order by v)"
    return f"select k, g, v from ({inner}) where r <= {maker.pick([1, 2])}"


@piece()
def rollup(maker: Maker) -> str:
    source, _ = maker.source()
    sets = maker.pick(["rollup(k, g)", "cube(k, g)", "grouping sets ((k), (g), ())"])
    return f"select k, g, cast(count(*) as double) as v from {source} group by {sets}"
