"""What queries are made of: each piece is given a maker and the depth for its inputs, and gives a
SELECT. One that finds no column to work on gives up with ``Unsuitable``; Spark may refuse it, too.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import types as t

from incremental.schemas.expressions import (
    NUMBER,
    TIME,
    WHOLE,
    call,
    condition,
    expression,
    is_a,
    settled,
    total_order,
)
from incremental.schemas.relations import Column, Maker, Relation
from incremental.schemas.types import is_comparable

Piece = Callable[[Maker, int], str]


def where(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    return f"select * from {source.sql} where {condition(maker, source)}"


def project(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    values = [expression(maker, source) for _ in range(maker.rng.randint(1, 4))]
    return f"select {maker.select(values)} from {source.sql}"


def equal(maker: Maker, left: Relation, right: Relation) -> str:
    """An equality between the two, and perhaps more."""
    pairs = [
        (a, b)
        for a in left.having(is_comparable)
        for b in right.having(is_comparable)
        if a.type == b.type or (NUMBER(a.type) and NUMBER(b.type))
    ]
    a, b = maker.pick(pairs)
    more = [f"{c.sql} <= {d.sql}" for c, d in pairs] + ["", "", ""]
    return " and ".join(
        filter(None, [f"{a.sql} {maker.pick(['=', '=', '<=>'])} {b.sql}", maker.pick(more)])
    )


def join(maker: Maker, depth: int) -> str:
    left, right = maker.relation(depth), maker.relation(depth)
    kind = maker.pick(["join", "left join", "right join", "full join"])
    values = [c.sql for c in maker.some(left.columns, 3) + maker.some(right.columns, 3)]
    relations = f"{left.sql} {kind} {right.sql} on {equal(maker, left, right)}"
    return f"select {maker.select(values)} from {relations}"


def match(maker: Maker, depth: int) -> str:
    left, right = maker.relation(depth), maker.relation(depth)
    word = maker.pick(["exists", "not exists", f"{condition(maker, left)} or exists"])
    matches = f"select 1 from {right.sql} where {equal(maker, left, right)}"
    return f"select * from {left.sql} where {word} ({matches})"


def same_type(maker: Maker, left: Relation, right: Relation) -> tuple[Column, Column]:
    return maker.pick(
        [(a, b) for a in left.having(is_comparable) for b in right.columns if a.type == b.type]
    )


def membership(maker: Maker, depth: int) -> str:
    left, right = maker.relation(depth), maker.relation(depth)
    a, b = same_type(maker, left, right)
    word = maker.pick(["in", "not in"])
    return f"select * from {left.sql} where {a.sql} {word} (select {b.sql} from {right.sql})"


def beyond(maker: Maker, depth: int) -> str:
    left, right = maker.relation(depth), maker.relation(depth)
    a, b = same_type(maker, left, right)
    best = maker.pick(["max", "min"])
    return f"select * from {left.sql} where {a.sql} >= (select {best}({b.sql}) from {right.sql})"


def looked_up(maker: Maker, depth: int) -> str:
    left, right = maker.relation(depth), maker.relation(depth)
    a, b = same_type(maker, left, right)
    values = [c.sql for c in maker.some(left.columns, 3)]
    value = f"(select {call(maker, right)} from {right.sql} where {a.sql} = {b.sql})"
    return f"select {maker.select([*values, value])} from {left.sql}"


def set_operation(maker: Maker, depth: int) -> str:
    left, right = maker.relation(depth), maker.relation(depth)
    columns = maker.some(left.columns, 3)
    others = []
    for column in columns:
        same = [settled(c) for c in right.columns if c.type == column.type]
        others.append(maker.pick([*same, *same, f"cast(null as {column.type.simpleString()})"]))
    word = maker.pick(
        ["union all", "union all", "union", "intersect", "intersect all", "except", "except all"]
    )
    first = maker.select([settled(c) for c in columns])
    return f"select {first} from {left.sql} {word} select {', '.join(others)} from {right.sql}"


def distinct(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    values = [settled(c) for c in maker.some(source.columns, 3)]
    return f"select distinct {maker.select(values)} from {source.sql}"


def group(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    keys = [settled(c) for c in maker.some(source.columns, 2)]
    calls = [call(maker, source) for _ in range(maker.rng.randint(1, 3))]
    by = maker.pick(["", "", "", "rollup", "cube"])
    having = maker.pick(["", "", " having count(*) > 1"])
    listed = ", ".join(keys)
    return (
        f"select {maker.select([*keys, *calls])} from {source.sql} group by {by}({listed}){having}"
        if by
        else f"select {maker.select([*keys, *calls])} from {source.sql} group by {listed}{having}"
    )


def total(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    calls = [call(maker, source) for _ in range(maker.rng.randint(1, 3))]
    return f"select {maker.select(calls)} from {source.sql}"


def top(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    offset = maker.pick(["", "", " offset 1"])
    order = total_order(source, maker)
    return f"select * from {source.sql} order by {order} limit {maker.pick([1, 3, 5])}{offset}"


def over(maker: Maker, source: Relation) -> str:
    keys = [c.sql for c in maker.some(source.columns, 2)]
    by = maker.pick(["", f"partition by {', '.join(keys)} "])
    return f"({by}order by {total_order(source, maker)}"


def window(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    a = maker.pick(source.columns)
    frame = maker.pick(
        ["", " rows between 1 preceding and 1 following", " rows unbounded preceding"]
    )
    values = [
        f"row_number() over {over(maker, source)})",
        f"dense_rank() over {over(maker, source)})",
        f"lag({a.sql}) over {over(maker, source)})",
        f"lead({a.sql}, 2) over {over(maker, source)})",
        f"last_value({a.sql}, true) over {over(maker, source)} rows unbounded preceding)",
        f"{maker.pick(['count', 'max', 'min'])}({settled(a)}) over {over(maker, source)}{frame})",
        f"nth_value({a.sql}, 2) over {over(maker, source)}{frame})",
    ]
    kept = [c.sql for c in maker.some(source.columns, 3)]
    return f"select {maker.select([*kept, maker.pick(values)])} from {source.sql}"


def first_rows(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    rank = maker.pick(["row_number()", "rank()", "dense_rank()"])
    kept = maker.select([c.sql for c in maker.some(source.columns, 4)])
    numbered = f"select {kept}, {rank} over {over(maker, source)}) as place from {source.sql}"
    return f"select * from ({numbered}) where place <= {maker.pick([1, 2])}"


def explode(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    column = maker.pick(source.having(is_a(t.ArrayType, t.MapType)))
    outer = maker.pick(["", "outer "])
    kept = [c.sql for c in maker.some(source.columns, 3)]
    names = "x, y" if isinstance(column.type, t.MapType) else "x"
    values = maker.select([*kept, *names.split(", ")])
    return (
        f"select {values} from {source.sql} lateral view {outer}explode({column.sql}) g as {names}"
    )


def inline(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    column = maker.pick(source.columns)
    array = maker.pick([f"array({column.sql}, null, {column.sql})", f"array({column.sql})"])
    kept = [c.sql for c in maker.some(source.columns, 3)]
    values = maker.select([*kept, "n", "x"])
    return f"select {values} from {source.sql} lateral view posexplode({array}) g as n, x"


def hours(maker: Maker, depth: int) -> str:
    source = maker.relation(depth)
    at = maker.pick(source.having(TIME)).sql
    calls = [call(maker, source) for _ in range(maker.rng.randint(1, 2))]
    spans = [f"window({at}, '1 hour')", f"window({at}, '2 hours', '1 hour')"]
    span = maker.pick([*spans, f"session_window({at}, '1 hour')"])
    name = span.split("(")[0]
    keys = [settled(c) for c in maker.some(source.columns, 1)] if maker.rng.random() < 0.5 else []
    values = maker.select([*keys, f"{name}.start", f"{name}.end", *calls])
    return f"select {values} from {source.sql} group by {', '.join([span, *keys])}"


def known(maker: Maker, depth: int) -> str:
    """A join with rows that the query holds itself."""
    source = maker.relation(depth)
    number = maker.pick(source.having(WHOLE)).sql
    kept = [c.sql for c in maker.some(source.columns, 3)]
    kind = maker.pick(["join", "left join", "full join"])
    others = "(values (0, 'a'), (1, 'A'), (1, null), (null, 'n')) as w(n, word)"
    values = maker.select([*kept, "n", "word"])
    return f"select {values} from {source.sql} {kind} {others} on n = {number}"


PIECES: list[Piece] = [
    hours,
    known,
    where,
    project,
    project,
    join,
    join,
    match,
    membership,
    beyond,
    looked_up,
    set_operation,
    distinct,
    group,
    group,
    total,
    top,
    window,
    first_rows,
    explode,
    inline,
]
