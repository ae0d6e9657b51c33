"""Random queries in the SQL that Spark and DuckDB share.

Every relation has the columns k bigint, s string, d date, v double, m decimal, so that any query
reads any other. Values come from small pools that all tables draw from: joins and filters match.

Known differences, which the queries step around:

- Integer division: ``/`` is exact in both, but integer division is ``div`` here and ``//`` there.
- Order of nulls: Spark's is first when ascending and last when descending. DuckDB is told so.
- NaN and -0.0: both engines have NaN above all numbers and equal to itself, and 0.0 equal to -0.0;
  which of two equal values a minimum or a key shows is not said. Neither is drawn.
- Decimals: results of ``*``, ``/`` and ``avg`` have other scales. Only ``+``, ``sum``, ``min`` and
  ``max`` of decimals are made, and compared by value.
- Sums of integers: DuckDB's have 128 bits, Spark's fail beyond 64. No value comes near.
- ``concat`` leaves nulls out in DuckDB; ``||`` is null in both.
- ``<=>`` is ``is not distinct from`` in both; semi and anti joins are ``[not] exists``.
- Grouping sets over no rows: the empty set gives a row in DuckDB, as the standard says, and none in
  Spark, which expands rows first. ``having count(*) > 0`` takes it away.
- Rounding and texts: casts of doubles to integers round in DuckDB and cut in Spark; texts of
  doubles differ. Neither is made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

from incremental.checking import Step
from incremental.harness import Row
from incremental.random_plans import change

T = TypeVar("T")
SCHEMA = "id bigint, k bigint, s string, d date, v double, m decimal(9,2)"
COLUMNS = ("k", "s", "d", "v", "m")
TYPES = {"k": "bigint", "s": "string", "d": "date", "v": "double", "m": "decimal(20,2)"}
POOLS: dict[str, tuple[Any, ...]] = {
    "k": (None, 0, 1, 2, 3, -2),
    "s": (None, "", "a", "b", "ab", " a", "B", "é"),
    "d": (None, date(1969, 12, 31), date(2024, 2, 29), date(2024, 3, 1), date(2023, 12, 31)),
    "v": (None, 0.0, 0.5, 1.0, 2.5, -1.0),
    "m": (None, Decimal("0.00"), Decimal("1.50"), Decimal("-2.25"), Decimal("7.00")),
}
LITERALS = {
    "k": ("0", "1", "2", "3"),
    "s": ("'a'", "'ab'", "''", "'B'"),
    "d": ("date '2024-02-29'", "date '2024-03-01'"),
    "v": ("0.0e0", "0.5e0", "1.0e0"),
    "m": ("cast(1.5 as decimal(9,2))", "cast(7 as decimal(9,2))"),
}


class Maker:
    """Makes SELECTs of the five columns, over tables or views of these names."""

    def __init__(self, rng: random.Random, names: Sequence[str]) -> None:
        self.rng, self.names = rng, names
        self.aliases = 0

    def pick(self, choices: Sequence[T]) -> T:
        return self.rng.choice(choices)

    def query(self, depth: int) -> str:
        """A SELECT of up to so many forms on its longest path."""
        if depth <= 0:
            return f"select k, s, d, v, m from {self.pick(self.names)}"
        return self.pick(FORMS)(self, depth - 1)

    def source(self, depth: int) -> tuple[str, str]:
        """A relation for a FROM clause, and its alias."""
        self.aliases += 1
        name = f"r{self.aliases}"
        return f"({self.query(self.rng.randint(0, max(0, depth)))}) {name}", name

    def value(self, column: str, alias: str, depth: int = 2) -> str:
        """An expression of a column's type, over the columns of a relation."""
        if depth <= 0 or self.rng.random() < 0.3:
            return f"{alias}.{column}" if self.rng.random() < 0.8 else self.pick(LITERALS[column])

        def some(other: str = column) -> str:
            return self.value(other, alias, depth - 1)

        shared = [
            lambda: f"coalesce({some()}, {some()})",
            lambda: f"nullif({some()}, {some()})",
            lambda: f"case when {self.condition(alias, depth - 1)} then {some()} else {some()} end",
            lambda: f"case {some('k')} when 0 then {some()} when 1 then {some()} end",
            lambda: f"greatest({some()}, {some()})" if column != "m" else some(),
        ]
        own: dict[str, list[Callable[[], str]]] = {
            "k": [
                lambda: f"({some()} + {some()})",
                lambda: f"({some()} - 1)",
                lambda: f"({some()} % 3)",
                lambda: f"abs({some()})",
                lambda: f"cast(length({some('s')}) as bigint)",
                lambda: f"cast(month({some('d')}) as bigint)",
            ],
            "s": [
                lambda: f"upper({some()})",
                lambda: f"lower({some()})",
                lambda: f"({some()} || {some()})",
                lambda: f"substring({some()}, 1, 1)",
                lambda: f"trim({some()})",
                lambda: f"replace({some()}, 'a', 'bb')",
                lambda: f"reverse({some()})",
            ],
            "d": [
                lambda: f"cast(date_trunc('month', {some()}) as date)",
                lambda: f"cast({some()} + interval '1' day as date)",
                lambda: f"last_day({some()})",
            ],
            "v": [
                lambda: f"({some()} + {some()})",
                lambda: f"({some()} * 0.5e0)",
                lambda: f"floor({some()}) * 1.0e0",
                lambda: f"cast({some('k')} as double)",
                lambda: f"cast({some('m')} as double)",
                lambda: f"-({some()})",
            ],
            "m": [
                lambda: f"cast({some()} + {some()} as decimal(20,2))",
                lambda: f"cast({some('k')} as decimal(20,2))",
                lambda: f"abs({some()})",
            ],
        }
        return self.pick([*shared, *own[column], *own[column]])()

    def condition(self, alias: str, depth: int = 2) -> str:
        """A condition over the columns of a relation."""
        column = self.pick(COLUMNS)
        one = self.value(column, alias, depth - 1)
        other = self.value(column, alias, depth - 1)
        few = ", ".join(self.rng.sample(LITERALS[column], 2))
        choices: list[Callable[[], str]] = [
            lambda: f"{one} {self.pick(['=', '<>', '<', '<=', '>', '>='])} {other}",
            lambda: f"{one} is {self.pick(['', 'not '])}null",
            lambda: f"{one} is {self.pick(['', 'not '])}distinct from {other}",
            lambda: f"{one} {self.pick(['', 'not '])}in ({few})",
            lambda: f"{one} between {other} and {self.value(column, alias, 0)}",
            lambda: f"{self.value('s', alias, depth - 1)} like {self.pick(LIKES)}",
        ]
        if depth > 0:
            choices += [
                lambda: f"not ({self.condition(alias, depth - 1)})",
                lambda: (
                    f"({self.condition(alias, depth - 1)} {self.pick(['and', 'or'])} "
                    f"{self.condition(alias, depth - 1)})"
                ),
            ]
        return self.pick(choices)()

    def equality(self, left: str, right: str) -> str:
        """A join condition that holds for some rows."""
        column = self.pick(["k", "k", "s", "d", "v"])
        equal = self.pick(["=", "=", "=", "is not distinct from"])
        more = self.pick(["", "", f" and {left}.v < {right}.v", f" and {left}.d = {right}.d"])
        return f"{left}.{column} {equal} {right}.{column}{more}"

    def order(self) -> str:
        """All columns, one of them first and in any direction."""
        first = self.pick(COLUMNS)
        way = self.pick(["", " desc", " nulls last", " desc nulls first"])
        return ", ".join([f"{first}{way}", *(c for c in COLUMNS if c != first)])


LIKES = ("'a%'", "'%b'", "'_'", "'%'")
CALLS = {
    "k": ("count(*)", "count({s})", "count(distinct {s})", "sum({k})", "min({k})", "max({k})"),
    "s": ("min({s})", "max({s})"),
    "d": ("min({d})", "max({d})"),
    "v": ("sum({v})", "min({v})", "avg({v})", "sum(distinct {v})", "max({v})", "avg({k})"),
    "m": ("sum({m})", "min({m})", "max({m})"),
}


def _columns(values: dict[str, str]) -> str:
    return ", ".join(f"cast({values[c]} as {TYPES[c]}) as {c}" for c in COLUMNS)


def rows(maker: Maker, depth: int) -> str:
    source, r = maker.source(depth)
    where = f" where {maker.condition(r)}" if maker.rng.random() < 0.7 else ""
    return f"select {_columns({c: maker.value(c, r) for c in COLUMNS})} from {source}{where}"


def join(maker: Maker, depth: int) -> str:
    (a, left), (b, right) = maker.source(depth), maker.source(depth)
    kind = maker.pick(["join", "join", "left join", "right join", "full join"])
    values = {c: f"{maker.pick([left, right])}.{c}" for c in COLUMNS}
    return f"select {_columns(values)} from {a} {kind} {b} on {maker.equality(left, right)}"


def semi(maker: Maker, depth: int) -> str:
    (a, left), (b, right) = maker.source(depth), maker.source(depth)
    word = maker.pick(["exists", "not exists"])
    on = maker.equality(left, right)
    return f"select {left}.* from {a} where {word} (select 1 from {b} where {on})"


def membership(maker: Maker, depth: int) -> str:
    (a, left), (b, right) = maker.source(depth), maker.source(depth)
    column, word = maker.pick(["k", "s"]), maker.pick(["in", "not in"])
    inner = f"select {right}.{column} from {b} where {maker.condition(right, 1)}"
    return f"select {left}.* from {a} where {left}.{column} {word} ({inner})"


def scalar(maker: Maker, depth: int) -> str:
    (a, left), (b, right) = maker.source(depth), maker.source(depth)
    on = maker.pick(["", f" where {right}.k = {left}.k"])
    call = maker.pick(["max(v)", "sum(v)", "cast(count(*) as double)"])
    values = {c: f"{left}.{c}" for c in COLUMNS} | {"v": f"(select {call} from {b}{on})"}
    return f"select {_columns(values)} from {a}"


def group(maker: Maker, depth: int) -> str:
    source, r = maker.source(depth)
    keys = maker.rng.sample(["k", "s", "d"], maker.rng.randint(1, 2))
    values = {c: maker.value(c, r, 1) for c in COLUMNS}
    shown = {c: maker.pick(CALLS[c]).format(**values) for c in COLUMNS}
    if maker.rng.random() < 0.3:
        shown["v"] = f"sum({values['v']}) filter (where {maker.condition(r, 1)})"
    # a literal in GROUP BY is the number of a column
    plain = {key for key in keys if values[key] in LITERALS[key] or maker.rng.random() < 0.6}
    by = {key: f"{r}.{key}" if key in plain else values[key] for key in keys}
    having = maker.pick(["", "", " having count(*) > 1", " having max(v) > 0.5e0"])
    return f"select {_columns(shown | by)} from {source} group by {', '.join(by.values())}{having}"


def total(maker: Maker, depth: int) -> str:
    source, r = maker.source(depth)
    values = {c: maker.value(c, r, 1) for c in COLUMNS}
    shown = {c: maker.pick(CALLS[c]).format(**values) for c in COLUMNS}
    return f"select {_columns(shown)} from {source}"


def sets(maker: Maker, depth: int) -> str:
    source, _ = maker.source(depth)
    by = maker.pick(["rollup(k, s)", "cube(k, s)", "grouping sets ((k), (s), ())"])
    values = {"k": "k", "s": "s", "d": "max(d)", "v": "sum(v)", "m": "sum(m)"}
    return f"select {_columns(values)} from {source} group by {by} having count(*) > 0"


def distinct(maker: Maker, depth: int) -> str:
    source, _ = maker.source(depth)
    return f"select distinct k, s, d, v, m from {source}"


def combination(maker: Maker, depth: int) -> str:
    (a, _), (b, _) = maker.source(depth), maker.source(depth)
    words = ["union all", "union", "intersect", "except", "intersect all", "except all"]
    return f"select k, s, d, v, m from {a} {maker.pick(words)} select k, s, d, v, m from {b}"


def window(maker: Maker, depth: int) -> str:
    source, _ = maker.source(depth)
    by = maker.pick(["", "partition by k ", "partition by s ", "partition by k, d "])
    over = f"over ({by}order by {maker.order()}"
    v = maker.pick(
        [
            f"sum(v) {over} rows between 1 preceding and current row)",
            f"sum(v) {over})",
            f"lag(v) {over})",
            f"lead(v, 2) {over})",
            f"first_value(v) {over})",
            f"max(v) over ({by or 'partition by m '})",
            f"avg(v) over ({by or 'partition by m '})",
            f"count(v) over ({by}order by k range between 1 preceding and 1 following)",
        ]
    )
    number = maker.pick(["row_number()", "rank()", "dense_rank()", "ntile(3)"])
    values = {c: c for c in COLUMNS} | {"v": v, "k": f"{number} {over})"}
    return f"select {_columns(values)} from {source}"


def first_rows(maker: Maker, depth: int) -> str:
    source, _ = maker.source(depth)
    by = maker.pick(["partition by k ", "partition by s ", ""])
    call = maker.pick(["row_number()", "rank()", "dense_rank()"])
    inner = f"select k, s, d, v, m, {call} over ({by}order by {maker.order()}) n from {source}"
    return f"select k, s, d, v, m from ({inner}) x where n <= {maker.pick([1, 2])}"


def top(maker: Maker, depth: int) -> str:
    source, _ = maker.source(depth)
    limit = f"limit {maker.pick([1, 2, 5])}{maker.pick(['', ' offset 1'])}"
    inner = f"select k, s, d, v, m from {source} order by {maker.order()} {limit}"
    return f"select k, s, d, v, m from ({inner}) x"


FORMS: tuple[Callable[[Maker, int], str], ...] = (
    rows,
    rows,
    rows,
    join,
    join,
    semi,
    membership,
    scalar,
    group,
    group,
    total,
    sets,
    distinct,
    combination,
    window,
    first_rows,
    top,
)


class Changes:
    """What happens to an appended-to table, an upserted one and a changed one."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.changed: dict[int, Row] = {}

    def row(self, number: int) -> Row:
        return {"id": number, **{c: self.rng.choice(POOLS[c]) for c in COLUMNS}}

    def steps(self, count: int) -> Iterator[Step]:
        pick = self.rng.choice
        for _ in range(count):
            yield {
                "t": [self.row(0) for _ in range(pick([0, 2, 6]))],
                "u": [
                    {**self.row(self.rng.randint(0, 8)), "gone": self.rng.random() < 0.25}
                    for _ in range(pick([0, 2, 6]))
                ],
                "c": [
                    made
                    for number in (self.rng.randint(0, 6) for _ in range(pick([0, 2, 5])))
                    for made in change(self.rng, self.changed, number, self.row(number))
                ],
            }
