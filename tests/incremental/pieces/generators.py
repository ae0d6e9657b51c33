"""Explode and its kin."""

from incremental.pieces import piece
from incremental.random_plans import Maker


@piece()
def explode(maker: Maker) -> str:
    source, _ = maker.source()
    outer = maker.pick(["", "outer "])
    array = maker.pick(["array(k, g)", "if(k > 1, array(g, g), null)", "sequence(1, g)"])
    return f"select k, x as g, v from {source} lateral view {outer}explode({array}) as x"


@piece()
def collected(maker: Maker) -> str:
    source, _ = maker.source()
    kept = maker.pick(["x -> x.v > 0", "(x, i) -> i % 2 = 0", "x -> x.g is null"])
    return (
        "select e.k, e.g, e.v from (select explode(filter(array_sort(collect_list("
        f"struct(v, k, g))), {kept})) as e from {source} group by k)"
    )


@piece()
def numbered(maker: Maker) -> str:
    source, _ = maker.source()
    outer = maker.pick(["", "_outer"])
    array = maker.pick(["array(g, k)", "slice(array(k, g, k), 1, 2)", "if(g > 0, array(g), null)"])
    return (
        f"select cast(i as bigint) as k, x as g, v "
        f"from (select posexplode{outer}({array}) as (i, x), v from {source})"
    )


@piece()
def stack(maker: Maker) -> str:
    source, _ = maker.source()
    return f"select n as k, w as g, v from {source} lateral view stack(2, k, g, g) as n, w"
