"""The relational operators of a captured query: one frozen class each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundswell.plan.attempts import Attempt, KeyAttempt

DataTypeJson = Any
"""Spark's ``DataType.json`` as Python value: a string, or a dict for nested types."""


class JoinKind(Enum):
    """What a join gives; a right outer join is a left outer one with its sides exchanged."""

    INNER = "inner"
    LEFT_OUTER = "left outer"
    FULL_OUTER = "full outer"
    LEFT_SEMI = "left semi"
    LEFT_ANTI = "left anti"
    EXISTENCE = "existence"

    @property
    def gives_pairs(self) -> bool:
        """Whether the right side's columns are in the result."""
        return self in (JoinKind.INNER, JoinKind.LEFT_OUTER, JoinKind.FULL_OUTER)


_ID = re.compile(r"#\d+L?\b|(?<=\b_common_expr_)\d+\b")


def without_ids(text: str) -> str:
    """A text without Catalyst's expression ids, which names that it makes up have."""
    return _ID.sub("", text)


@dataclass(frozen=True)
class Column:
    """A column between operators; ``ref`` identifies it, ``name`` is for people.

    ``window``: ``time`` or ``session`` if it is such a window of event time.
    """

    ref: str
    name: str
    type: DataTypeJson
    nullable: bool = True
    window: str | None = None


@dataclass(frozen=True)
class Expression:
    """An expression that stays in the JVM under ``id``; ``out`` is the ref its value is given.

    Attributes:
        refs: the columns it reads, each once.
        reads: the same in the order in which they stand in it, with repeats.
        canon: SQL text without the names of tables.
        hidden: what that text leaves out: schemas, options, time zones, ANSI mode.
        time: ``window`` if it makes a time window of a column, ``session`` if one that begins with
            it, ``start`` or ``end`` if it is that of one, ``monotone`` if a later time never gives
            a smaller value.
        start: of one that makes a time window, what makes its start.
        ahead: of a window function, how far behind a row, in microseconds, rows may stand that its
            value depends on; 0: it depends on none behind it; None: on any.
        parts: of a condition, what must hold, each; empty: it is one part.
        clock: whether it reads the time of the barrier.
        fails: whether it may throw on some row.
    """

    id: str
    sql: str
    type: DataTypeJson
    nullable: bool
    refs: tuple[str, ...]
    deterministic: bool
    out: str | None
    plain: bool
    subquery: bool = False
    reads: tuple[str, ...] = ()
    canon: str = ""
    hidden: str = ""
    time: str | None = None
    clock: bool = False
    fails: bool = True
    start: Expression | None = None
    ahead: int | None = None
    parts: tuple[Expression, ...] = ()

    @property
    def meaning(self) -> str:
        """A text that is equal for what computes the same from the same columns, in every run."""
        return f"{self.canon or self.sql}{f' {{{self.hidden}}}' if self.hidden else ''}"

    @property
    def column(self) -> str | None:
        """The input column this expression only passes on, if it does only that."""
        return self.refs[0] if self.plain and len(self.refs) == 1 else None


@dataclass(frozen=True)
class Call:
    """One aggregate call of an Aggregate; ``inputs``: its arguments that are no constants."""

    id: str
    fn: str
    sql: str
    distinct: bool
    filter: Expression | None
    args: tuple[Expression, ...]
    inputs: tuple[Expression, ...]
    out: str
    type: DataTypeJson
    canon: str = ""
    hidden: str = ""


@dataclass(frozen=True)
class SortKey:
    """One key of an order."""

    expr: Expression
    ascending: bool
    nulls_first: bool

    def __str__(self) -> str:
        nulls = (
            ""
            if self.nulls_first == self.ascending
            else " NULLS FIRST"
            if self.nulls_first
            else " NULLS LAST"
        )
        return f"{self.expr.sql}{'' if self.ascending else ' DESC'}{nulls}"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A relational operator; ``id`` is the captured node whose expressions the JVM evaluates.

    ``divert``: rows that its expressions cannot digest are left out, see
    :mod:`groundswell.plan.divert`.
    """

    id: int
    output: tuple[Column, ...]
    children: tuple[Node, ...] = ()
    divert: bool = False

    @property
    def child(self) -> Node:
        """The only child."""
        (only,) = self.children
        return only


@dataclass(frozen=True, kw_only=True)
class Placeholder(Node):
    """A source.

    ``use``: None: its rows; ``now``: a table as it is when it is looked up; ``late``: the rows that
    came behind its watermark.
    """

    source: str
    use: str | None = None


@dataclass(frozen=True, kw_only=True)
class Project(Node):
    """One row for one row."""

    exprs: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Filter(Node):
    """Rows for which the condition is true; ``partial``: it is only a part of the captured one."""

    condition: Expression
    partial: bool = False


@dataclass(frozen=True, kw_only=True)
class Expect(Node):
    """Rows that meet an expectation, see :mod:`groundswell.plan.divert`.

    Attributes:
        condition: true, or an error for a row that does not meet it.
        owner: the view.
        constraint: the expectation's name.
        action: what becomes of such a row.
    """

    condition: Expression
    owner: str
    constraint: str
    action: str


@dataclass(frozen=True, kw_only=True)
class Present(Node):
    """Rows in which a column, by its ref, is not null."""

    column: str


@dataclass(frozen=True, kw_only=True)
class Temporal(Node):
    """Rows that are not too old: ``time > now() + offset_micros``, or ``>=`` if inclusive.

    Attributes:
        made: what stands in the place of ``now()``, made of it; None: ``now()`` itself.
        begins: the other way round: rows that are old enough, ``<`` or ``<=``.
    """

    time: Expression
    offset_micros: int
    inclusive: bool
    made: Expression | None = None
    begins: bool = False


@dataclass(frozen=True, kw_only=True)
class Evaluate(Node):
    """Calls Python functions: its input's columns and one more for each function.

    Attributes:
        codes: fingerprints of the functions' bodies.
        remembered: whether some function gives another value whenever it is called.
    """

    udfs: tuple[Expression, ...]
    codes: tuple[str, ...] = ()
    remembered: bool = False


@dataclass(frozen=True, kw_only=True)
class Constant(Node):
    """What reads no stream: VALUES, a range, batch tables and queries over them.

    Attributes:
        text: what it reads, in one line.
        single: whether it has one row at most.
        view: whose it is; its text may not tell its rows from those of another.
    """

    text: str
    single: bool
    view: str = ""


@dataclass(frozen=True, kw_only=True)
class Generate(Node):
    """Any number of rows for one: its columns, and the generator's.

    Attributes:
        generated: refs of the generator's columns.
        position: ref of the one that tells the rows of one input row apart; None if there is at
            most one.
    """

    generator: Expression
    generated: tuple[str, ...]
    position: str | None
    outer: bool


@dataclass(frozen=True)
class Interval:
    """How far apart two timestamps of a join are: ``low <= right - left <= high``, microseconds."""

    left: str
    right: str
    low: int
    high: int

    def exchanged(self) -> Interval:
        """The same with the sides exchanged."""
        return Interval(self.right, self.left, -self.high, -self.low)


@dataclass(frozen=True, kw_only=True)
class Join(Node):
    """Equi-join; ``residual`` is what remains of the condition.

    Attributes:
        left_keys: what must equal the right key of the same position; without any, every row meets
            every other.
        exists: of an existence join, the column that says whether a left row has a match.
        interval: what the residual condition says of the distance of two times.
    """

    kind: JoinKind = JoinKind.INNER
    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    residual: Expression | None
    exists: Column | None = None
    interval: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class TemporalJoin(Node):
    """Each left row beside the rows of a table as the barrier that brings it leaves the table.

    Inner or left outer; the fields are those of :class:`Join`.
    """

    kind: JoinKind
    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    residual: Expression | None


@dataclass(frozen=True)
class Forgotten:
    """Groups that end, see :mod:`groundswell.plan.unread`.

    Attributes:
        shown: conditions; a group that does not meet each of them is not read.
        results: refs by which they call the grouping columns and the calls' results.
        at: ref of the call whose result is the time at which a group ends.
    """

    shown: tuple[Expression, ...]
    results: tuple[str, ...]
    at: str


@dataclass(frozen=True, kw_only=True)
class Aggregate(Node):
    """Group-by; without calls it is DISTINCT, without grouping it always has one row.

    ``session``: the grouping column that is a ``session_window``: sessions that meet are one.
    ``retracts``: rows of its input are taken back; it is known where the node diverts.
    ``forgotten``: groups that end though they have rows.
    """

    grouping: tuple[str, ...]
    calls: tuple[Call, ...]
    results: tuple[Expression, ...]
    session: str | None = None
    retracts: bool = False
    forgotten: Forgotten | None = None

    def groups(self, columns: tuple[Column, ...]) -> Aggregate:
        """Itself without the query's projection of its results.

        Two queries that aggregate alike and show it differently share it, so its columns have names
        that do not depend on the query.

        Args:
            columns: those of its input.
        """
        by_ref = {c.ref: c for c in columns}
        output = (
            *(replace(by_ref[ref], name=f"_group{i}") for i, ref in enumerate(self.grouping)),
            *(Column(call.out, f"_call{i}", call.type) for i, call in enumerate(self.calls)),
        )
        return replace(self, results=(), output=output)

    @property
    def is_plain(self) -> bool:
        """Whether the results are the grouping columns and the calls' values as they are."""
        columns = (*self.grouping, *(call.out for call in self.calls))
        return tuple(c.ref for c in self.output) == columns and all(
            e.column == e.out for e in self.results
        )


@dataclass(frozen=True, kw_only=True)
class Expand(Node):
    """Several rows for one: ``projections[i]`` makes the i-th; its columns are ``output``."""

    projections: tuple[tuple[Expression, ...], ...]


Rank = tuple[int, bool]
"""Position of the column by which one row a key counts, and whether the least does."""


def by_rank(
    columns: Sequence[Column], rank: Rank | None
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """The key of a recursion's rows, and its ranked column, if it has one."""
    at = None if rank is None else rank[0]
    key = tuple(c for i, c in enumerate(columns) if i != at)
    return key, () if at is None else (columns[at],)


@dataclass(frozen=True, kw_only=True)
class Recursion(Node):
    """The rows of a query that reads its own, made of their derivations: its child.

    The child's last column is the level of a derivation: how long it is. The others are the
    columns of the rows, in order.

    Attributes:
        recursion: its name, which is the same for the same query; empty: not named yet.
        rank: which of the rows of a key counts; None: all columns are the key.
        bag: equal rows count as often as they are derived.
        rounds: how many levels it may have.
    """

    recursion: str
    rank: Rank | None = None
    bag: bool = False
    rounds: int = 0


@dataclass(frozen=True, kw_only=True)
class Feedback(Node):
    """The rows of a recursion within its step; the last column is the level of what they make.

    The fields are those of :class:`Recursion`.
    """

    recursion: str
    rank: Rank | None = None
    bag: bool = False


@dataclass(frozen=True, kw_only=True)
class Failures(Node):
    """The rows of its input that some expressions cannot digest: which of them, how, and the row.

    Attributes:
        attempts: the expressions that may fail, and the keys that may be too long.
        labels: (ref, name) of the columns that are shown of a row.
        constraint: the expectation that the rows do not meet; "": they are no such rows.
        owner: the view of that.
    """

    attempts: tuple[Attempt | KeyAttempt, ...]
    labels: tuple[tuple[str, str], ...]
    constraint: str = ""
    owner: str = ""


@dataclass(frozen=True, kw_only=True)
class Union(Node):
    """UNION ALL, by position."""


@dataclass(frozen=True, kw_only=True)
class Window(Node):
    """Its input's columns and one more for each window function.

    ``limit``: the query keeps only rows whose rank function (``row_number``, ``rank`` or
    ``dense_rank``) is at most the number. ``shown``: see :mod:`groundswell.plan.unread`.
    """

    functions: tuple[Expression, ...]
    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    limit: tuple[str, int] | None
    shown: tuple[Expression, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WindowClose(Node):
    """Its input's rows, each once, when the watermark has passed them.

    Attributes:
        column: ref of the column that the watermark is compared with.
        kind: how, see :class:`groundswell.plan.watermarks.Bound`.
    """

    column: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Expire(Node):
    """Its input's rows, until so long after they last changed, by the barriers' clock."""

    life_micros: int


@dataclass(frozen=True, kw_only=True)
class TopN(Node):
    """``orderBy.offset.limit``: rows ``offset .. offset + limit`` of the order."""

    order: tuple[SortKey, ...]
    limit: int
    offset: int
