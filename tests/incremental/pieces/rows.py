"""Filters, projections, unions, set operations, limits."""

from incremental.pieces import piece
from incremental.random_plans import Maker


@piece()
def where(maker: Maker) -> str:
    source, _ = maker.source()
    return f"select * from {source} where {maker.condition()}"


@piece()
def project(maker: Maker) -> str:
    source, _ = maker.source()
    return (
        f"select {maker.pick(['g', 'k + 1', 'k % 2', 'coalesce(k, g)'])} as k, "
        f"{maker.pick(['k', 'g', 'g * 2', 'cast(null as bigint)'])} as g, "
        f"{maker.pick(['v', 'v * 2', 'k + v', 'cast(k as double)'])} as v from {source}"
    )


@piece()
def values(maker: Maker) -> str:
    rows = maker.pick(["(1, 1, 0.5)", "(0, 2, 1), (0, 2, 1), (null, 0, null)", "(3, null, -1)"])
    return (
        "select cast(k as bigint) k, cast(g as bigint) g, cast(v as double) v "
        f"from values {rows} x(k, g, v) where {maker.pick(['true', 'k > 0', 'k < 0'])}"
    )


@piece()
def set_operation(maker: Maker) -> str:
    (a, _), (b, _) = maker.source(), maker.source()
    words = ["union all", "union all", "union", "intersect", "except"]
    words += ["intersect all", "except all"]
    return f"select * from {a} {maker.pick(words)} select * from {b}"


@piece()
def widened(maker: Maker) -> str:
    (a, _), (b, _) = maker.source(), maker.source()
    word = maker.pick(["union all", "union", "intersect", "except"])
    other = "cast(k as int) k, cast(g as smallint) g, cast(v as decimal(10, 2)) v"
    return f"select k, g, v from {a} {word} select {other} from {b}"


@piece()
def named_twice(maker: Maker) -> str:
    source, _ = maker.source()
    maker.aliases += 1
    name = f"w{maker.aliases}"
    kind = maker.pick(["join", "left join"])
    key = maker.pick(["x.k = y.k", "x.k = y.g", "x.k = y.k and x.v < y.v"])
    return (
        f"with {name} as (select * from {source}) "
        f"select x.k, y.g, x.v from {name} x {kind} {name} y on {key}"
    )


@piece()
def pivot(maker: Maker) -> str:
    source, _ = maker.source()
    call = maker.pick(["sum(v)", "max(v)", "cast(count(v) as double)"])
    rows = f"select k, g, v from {source}"
    return (
        "select k, cast(`zero` as bigint) as g, `one` as v "
        f"from (select * from ({rows}) pivot ({call} for g in (0 as zero, 1 as one)))"
    )


@piece()
def unpivot(maker: Maker) -> str:
    source, _ = maker.source()
    nulls = maker.pick(["include nulls", "exclude nulls"])
    rows = f"select k as a, g as b, v from {source}"
    return f"select x as k, x as g, v from ({rows}) unpivot {nulls} (x for n in (a, b))"


@piece()
def top(maker: Maker) -> str:
    source, _ = maker.source()
    first = maker.pick(["v desc", "v", "k desc nulls first", "g nulls last"])
    offset = maker.pick(["", "", " offset 1", " offset 2"])
    # all columns are in the order: rows that tie are the same row
    return (
        f"select k, g, v from {source} order by {first}, k, g, v "
        f"limit {maker.pick([1, 2, 3, 5])}{offset}"
    )
