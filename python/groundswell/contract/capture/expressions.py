"""Columns and expressions of captured queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundswell.contract.codec import SparkType


@dataclass(frozen=True)
class ColumnDescription:
    """A column that a node gives.

    Attributes:
        ref: ``a`` and its number in Catalyst.
        name: its name.
        type: of its values.
        nullable: whether it may be null.
        window: ``time`` or ``session`` if it is such a window; None: it is none.
    """

    ref: str
    name: str
    type: SparkType
    nullable: bool
    window: str | None


@dataclass(frozen=True)
class ExpressionDescription:
    """An expression, which stays in the JVM.

    Attributes:
        id: its name there.
        sql: its text.
        type: of its value.
        nullable: whether it may be null.
        refs: of the columns that it reads, each once.
        reads: the same in the order in which they stand in it, with repeats.
        canon: the text without qualifiers and ids.
        hidden: what that text leaves out: schemas, options, time zones, ANSI mode.
        deterministic: whether Catalyst holds it to be.
        clock: whether it reads the time of the barrier.
        time: ``window``, ``session``, ``start``, ``end`` or ``monotone``: what it makes of a time.
        start: of one that makes a time window, what makes its start.
        ahead: of a window function, how far behind a row, in microseconds, rows may stand that its
            value depends on; None: it depends on any.
        out: ref of the column that it is given as; None: it has none.
        subquery: whether it asks another plan, which is not described.
        fails: whether it may throw on some row.
        plain: whether it is just a column, perhaps under another name.
    """

    id: str
    sql: str
    type: SparkType
    nullable: bool
    refs: tuple[str, ...]
    reads: tuple[str, ...]
    canon: str
    hidden: str
    deterministic: bool
    clock: bool
    time: str | None
    start: ExpressionDescription | None
    ahead: int | None
    out: str | None
    subquery: bool
    fails: bool
    plain: bool


@dataclass(frozen=True)
class ConditionDescription:
    """A condition.

    Attributes:
        whole: the condition.
        parts: what must hold, each, if these are several; else empty.
    """

    whole: ExpressionDescription
    parts: tuple[ExpressionDescription, ...]


@dataclass(frozen=True)
class SortDescription:
    """An expression to sort by.

    Attributes:
        expr: the expression.
        ascending: whether small values come first.
        nulls_first: whether nulls do.
    """

    expr: ExpressionDescription
    ascending: bool
    nulls_first: bool


@dataclass(frozen=True)
class TemporalDescription:
    """A condition of a time and the barrier's clock: ``time > clock + offset``.

    Attributes:
        time: the time.
        offset: microseconds.
        inclusive: whether the very time counts, too.
        made: what is made of the clock; None: it is the clock itself.
        begins: whether the condition becomes true as time goes by.
    """

    time: ExpressionDescription
    offset: int
    inclusive: bool
    made: ExpressionDescription | None
    begins: bool


@dataclass(frozen=True)
class IntervalDescription:
    """Two times that a join keeps together.

    Attributes:
        left: ref of the left time.
        right: ref of the right time.
        low: the least that right minus left may be, in microseconds.
        high: the most that it may be.
    """

    left: str
    right: str
    low: int
    high: int


@dataclass(frozen=True)
class CallDescription:
    """A call of an aggregate function.

    Attributes:
        id: its name in the JVM.
        fn: name of the function.
        sql: its text.
        canon: as of an expression.
        hidden: as of an expression.
        distinct: whether equal values count once.
        filter: the condition of the rows that count; None: all do.
        args: its arguments.
        inputs: what it reads: arguments and order keys without constants, each once.
        out: ref of its result.
        type: of its result.
    """

    id: str
    fn: str
    sql: str
    canon: str
    hidden: str
    distinct: bool
    filter: ExpressionDescription | None
    args: tuple[ExpressionDescription, ...]
    inputs: tuple[ExpressionDescription, ...]
    out: str
    type: SparkType


@dataclass(frozen=True)
class UdfDescription:
    """A call of a Python function.

    Attributes:
        expr: the call.
        commands: the functions in it as Spark pickled them, base64.
        broadcasts: by id of a broadcast variable of theirs, the file that its value is in.
    """

    expr: ExpressionDescription
    commands: tuple[str, ...]
    broadcasts: Mapping[str, str]
