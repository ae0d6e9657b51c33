"""Subqueries that stay in expressions: values, and EXISTS without a correlation."""

from incremental.pieces import piece
from incremental.random_plans import Maker


@piece()
def value(maker: Maker) -> str:
    (a, left), (b, _) = maker.source(), maker.source()
    call = maker.pick(["max(v)", "avg(v)", "cast(count(*) as double)"])
    return f"select {left}.* from {a} where v <= (select {call} from {b})"


@piece()
def selected_value(maker: Maker) -> str:
    (a, _), (b, _) = maker.source(), maker.source()
    return f"select k, g, (select max(v) from {b}) as v from {a}"


@piece()
def exists(maker: Maker) -> str:
    (a, left), (b, right) = maker.source(), maker.source()
    word = maker.pick(["exists", "not exists", f"{left}.k = 1 or exists"])
    return f"select {left}.* from {a} where {word} (select 1 from {b} where {right}.v > 2)"
