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
