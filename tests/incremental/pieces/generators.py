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
def stack(maker: Maker) -> str:
    source, _ = maker.source()
    return f"select n as k, w as g, v from {source} lateral view stack(2, k, g, g) as n, w"
