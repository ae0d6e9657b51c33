"""Metamorphic relations: queries that must have the same rows, whatever the rows are.

Both sides run as views of one pipeline. Batch Spark says nothing to it: a fault of the analyser or
of an expression would be on both sides of a comparison with it, but two plans seldom share one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from incremental.random_plans import Maker


@dataclass(frozen=True)
class Relation:
    """Two queries with the same rows.

    Attributes:
        name: of the relation.
        one: a SELECT of k, g, v.
        other: another one.
    """

    name: str
    one: str
    other: str


AGGREGATES = {
    "count(*)": ("count(*)", "coalesce(sum(x), 0)"),
    "count(v)": ("count(v)", "coalesce(sum(x), 0)"),
    "sum(v)": ("sum(v)", "sum(x)"),
    "min(v)": ("min(v)", "min(x)"),
    "max(g)": ("max(g)", "max(x)"),
    "bool_or(v > 1)": ("bool_or(v > 1)", "bool_or(x)"),
}
"""By call: what gives the partial aggregate, and what makes the whole of partial ones ``x``."""


def partition(maker: Maker) -> Relation:
    """A query is its rows where p holds, does not, and is null."""
    query, p = maker.query(), maker.condition()
    parts = [
        f"select k, g, v from ({query}) where {c}" for c in (p, f"not ({p})", f"({p}) is null")
    ]
    return Relation("where p, not p, p is null", query, " union all ".join(parts))


def partition_before(maker: Maker) -> Relation:
    """So is a group by of disjoint groups."""
    query = maker.query()
    groups = "select k, count(*) g, sum(v) v from ({}) group by k"
    parts = [
        groups.format(f"select * from ({query}) where {c}")
        for c in ("k > 1", "not (k > 1)", "k > 1 is null")
    ]
    return Relation("group by of disjoint groups", groups.format(query), " union all ".join(parts))


def semi_and_anti(maker: Maker) -> Relation:
    """Rows are those with a match and those without one."""
    (query, other), on = (maker.query(), maker.query()), _equality(maker)
    semi = f"select l.* from ({query}) l left semi join ({other}) r on {on}"
    anti = f"select l.* from ({query}) l left anti join ({other}) r on {on}"
    return Relation("semi and anti join", query, f"{semi} union all {anti}")


def left_join(maker: Maker) -> Relation:
    """A left join is the inner join and the rows without a match."""
    (left, right), on = (maker.query(), maker.query()), _equality(maker)
    shown = "l.k k, r.g g, l.v + coalesce(r.v, 0) v"
    return Relation(
        "left join",
        f"select {shown} from ({left}) l left join ({right}) r on {on}",
        f"select {shown} from ({left}) l join ({right}) r on {on} union all "
        f"select l.k, cast(null as bigint), l.v from ({left}) l left anti join ({right}) r on {on}",
    )


def full_join(maker: Maker) -> Relation:
    """A full join is the left join and the right rows without a match."""
    (left, right), on = (maker.query(), maker.query()), _equality(maker)
    shown = "l.k k, r.g g, coalesce(l.v, r.v) v"
    return Relation(
        "full join",
        f"select {shown} from ({left}) l full join ({right}) r on {on}",
        f"select {shown} from ({left}) l left join ({right}) r on {on} union all "
        f"select cast(null as bigint), r.g, r.v from ({right}) r left anti join ({left}) l on {on}",
    )


def exists(maker: Maker) -> Relation:
    """A semi join is a join with the distinct keys."""
    query, other = maker.query(), maker.query()
    key = maker.pick(["k", "g"])
    return Relation(
        "semi join and join with distinct keys",
        f"select * from ({query}) l where exists (select 1 from ({other}) r where r.k = l.{key})",
        f"select l.* from ({query}) l join (select distinct k n from ({other})) r on r.n = l.{key}",
    )


def matches(maker: Maker) -> Relation:
    """A join counted by its left rows is a join with the counts."""
    query, other = maker.query(), maker.query()
    one = f"select l.k, l.g, l.v, r.g b from ({query}) l join ({other}) r on l.k = r.k"
    counts = f"select k n, count(*) c from ({other}) group by k"
    return Relation(
        "count of a join",
        f"select k, count(*) g, cast(null as double) v from ({one}) group by k",
        f"select k, sum(c) g, cast(null as double) v from ({query}) l join ({counts}) r on k = n "
        "group by k",
    )


def partial(maker: Maker) -> Relation:
    """An aggregate is the aggregate of partial aggregates."""
    query = maker.query()
    part, whole = AGGREGATES[maker.pick(list(AGGREGATES))]
    cut = maker.pick(["g", "v", "v > 1", "g % 2"])
    by = maker.pick(["k", "k", "k % 2"])
    inner = f"select {by} n, {part} x from ({query}) group by {by}, {cut}"
    return Relation(
        "partial aggregates",
        _shown(f"select {by} n, {part} x from ({query}) group by {by}"),
        _shown(f"select n, {whole} x from ({inner}) group by n"),
    )


def total(maker: Maker) -> Relation:
    """So is one without groups, also over no rows."""
    query = maker.query()
    part, whole = AGGREGATES[maker.pick(list(AGGREGATES))]
    inner = f"select {part} x from ({query}) group by {maker.pick(['k', 'g', 'v'])}"
    return Relation(
        "partial aggregates of all rows",
        _shown(f"select 0 n, {part} x from ({query})"),
        _shown(f"select 0 n, {whole} x from ({inner})"),
    )


def distinct(maker: Maker) -> Relation:
    """DISTINCT is a group by."""
    query = maker.query()
    return Relation(
        "distinct and group by",
        f"select distinct k, g, v from ({query})",
        f"select k, g, v from ({query}) group by k, g, v",
    )


def union(maker: Maker) -> Relation:
    """UNION is DISTINCT over UNION ALL."""
    one, other = maker.query(), maker.query()
    both = f"select * from ({one}) {{}} select * from ({other})"
    return Relation(
        "union", both.format("union"), f"select distinct * from ({both.format('union all')})"
    )


def intersection(maker: Maker) -> Relation:
    """INTERSECT is what is left of the distinct rows when EXCEPT is taken."""
    one, other = maker.query(), maker.query()
    rest = f"select * from ({one}) except select * from ({other})"
    return Relation(
        "intersect and except",
        f"select * from ({one}) intersect select * from ({other})",
        f"select * from ({one}) except ({rest})",
    )


def except_all(maker: Maker) -> Relation:
    """Rows are those that INTERSECT ALL and EXCEPT ALL find."""
    one, other = maker.query(), maker.query()
    both = f"select * from ({one}) {{}} select * from ({other})"
    return Relation(
        "intersect all and except all",
        one,
        f"({both.format('intersect all')}) union all ({both.format('except all')})",
    )


def top(maker: Maker) -> Relation:
    """The first rows of a group by their number are those of a LIMIT over that group."""
    query = maker.query()
    number, key = maker.pick([1, 2, 3]), maker.pick([0, 1, 2])
    order = f"{maker.pick(['v desc', 'v', 'g nulls last'])}, k, g, v"
    ranked = f"select *, row_number() over (partition by k order by {order}) n from ({query})"
    return Relation(
        "row_number and limit",
        f"select k, g, v from ({ranked}) where n <= {number} and k = {key}",
        f"select k, g, v from ({query}) where k = {key} order by {order} limit {number}",
    )


def ranks(maker: Maker) -> Relation:
    """Row numbers that all rows have, and those that first rows have, are the same."""
    query = maker.query()
    order = f"{maker.pick(['v desc', 'v', 'g nulls last'])}, g, v"
    ranked = f"select *, row_number() over (partition by k order by {order}) n from ({query})"
    number = maker.pick([1, 2, 3])
    return Relation(
        "row_number with and without a limit",
        f"select k, n g, v from ({ranked}) where n <= {number}",
        # not pushed into the window: it is no limit of the rank alone
        f"select k, n g, v from (select *, n - {number} m from ({ranked})) where m + n <= n",
    )


def greatest(maker: Maker) -> Relation:
    """The greatest value of a group is that of its first row."""
    query = maker.query()
    ranked = f"select k, v, row_number() over (partition by k order by v desc) n from ({query})"
    return Relation(
        "max and first row",
        f"select k, cast(null as bigint) g, max(v) v from ({query}) group by k",
        f"select k, cast(null as bigint) g, v from ({ranked}) where n = 1",
    )


def running(maker: Maker) -> Relation:
    """A running sum is a join of the rows with those up to them."""
    query = f"select k, v, count(*) c from ({maker.query()}) where v is not null group by k, v"
    return Relation(
        "running sum and join",
        f"select k, cast(sum(c) over (partition by k order by v) as bigint) g, v from ({query}) "
        "where k is not null",
        f"select l.k, sum(r.c) g, l.v from ({query}) l join ({query}) r "
        "on l.k = r.k and r.v <= l.v group by l.k, l.v",
    )


def rollup(maker: Maker) -> Relation:
    """ROLLUP is a union of groups by."""
    query = maker.query()
    parts = [
        f"select k, g, cast(count(*) as double) v from ({query}) group by k, g",
        f"select k, cast(null as bigint), cast(count(*) as double) from ({query}) group by k",
        "select cast(null as bigint), cast(null as bigint), cast(count(*) as double) "
        f"from ({query}) having count(*) > 0",  # Spark's has no row of no rows
    ]
    whole = f"select k, g, cast(count(*) as double) v from ({query}) group by rollup(k, g)"
    return Relation("rollup", whole, " union all ".join(parts))


def membership(maker: Maker) -> Relation:
    """NOT IN keeps a row where nothing is equal or null, or nothing is there."""
    query, other = maker.query(), maker.query()
    counts = f"select count(*) c, count(g) n from ({other})"
    return Relation(
        "not in",
        f"select * from ({query}) l where l.k not in (select g from ({other}))",
        f"select l.k, l.g, l.v from ({query}) l cross join ({counts}) where c = 0 or (c = n and "
        f"l.k is not null and not exists (select 1 from ({other}) r where r.g = l.k))",
    )


def correlated(maker: Maker) -> Relation:
    """A correlated count is a left join with counts."""
    query, other = maker.query(), maker.query()
    counts = f"select k n, count(v) c from ({other}) group by k"
    return Relation(
        "correlated count",
        f"select l.k, (select count(v) from ({other}) r where r.k = l.k) g, l.v from ({query}) l",
        f"select l.k, coalesce(c, 0) g, l.v from ({query}) l left join ({counts}) r on n = l.k",
    )


def _equality(maker: Maker) -> str:
    key = maker.pick(["k", "g"])
    more = maker.pick(["", "", " and l.v < r.v", " and l.g <=> r.g"])
    return f"l.{key} {maker.pick(['=', '<=>'])} r.{maker.pick(['k', key])}{more}"


def _shown(query: str) -> str:
    """A query of n and x as one of k, g, v."""
    return f"select n k, cast(x as bigint) g, cast(cast(x as int) as double) v from ({query})"


RELATIONS: tuple[Callable[[Maker], Relation], ...] = (
    partition,
    partition_before,
    semi_and_anti,
    left_join,
    full_join,
    exists,
    matches,
    partial,
    total,
    distinct,
    union,
    intersection,
    except_all,
    top,
    ranks,
    greatest,
    running,
    rollup,
    membership,
    correlated,
)
