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
def top(maker: Maker) -> str:
    source, _ = maker.source()
    first = maker.pick(["v desc", "v", "k desc nulls first", "g nulls last"])
    offset = maker.pick(["", "", " offset 1", " offset 2"])
    # all columns are in the order: rows that tie are the same row
    return (
        f"select k, g, v from {source} order by {first}, k, g, v "
        f"limit {maker.pick([1, 2, 3, 5])}{offset}"
    )
