"""Nodes of captured queries."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.capture.expressions import (
    ColumnDescription,
    ConditionDescription,
    ExpressionDescription,
    IntervalDescription,
    TemporalDescription,
    UdfDescription,
)
from groundswell.contract.codec import Int, Tagged


@dataclass(frozen=True, kw_only=True)
class NodeDescription(Tagged):
    """A node of an optimised plan.

    Attributes:
        id: its number.
        output: the columns that it gives.
        children: numbers of the nodes below it.
        text: it in one line, for people.
    """

    id: Int
    output: tuple[ColumnDescription, ...]
    children: tuple[Int, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class PlaceholderNode(NodeDescription, kind="placeholder"):
    """Rows of a source or view.

    Attributes:
        source: its key.
        use: ``now`` or ``late`` if it is meant so; None: its changes.
    """

    source: str
    use: str | None


@dataclass(frozen=True, kw_only=True)
class ProjectNode(NodeDescription, kind="project"):
    """A projection.

    Attributes:
        exprs: what it gives.
    """

    exprs: tuple[ExpressionDescription, ...]


@dataclass(frozen=True, kw_only=True)
class FilterNode(NodeDescription, kind="filter"):
    """A filter.

    Attributes:
        condition: what must hold; None: there are only temporal ones.
        temporal: conditions of the barrier's clock.
    """

    condition: ConditionDescription | None
    temporal: tuple[TemporalDescription, ...]


@dataclass(frozen=True, kw_only=True)
class ExpectNode(NodeDescription, kind="expect"):
    """A condition that rows are expected to meet.

    Attributes:
        condition: true, or an error for a row that does not meet it.
        owner: the view.
        constraint: its name.
        action: what becomes of such a row: ``keep``, ``drop`` or ``fail``.
    """

    condition: ExpressionDescription
    owner: str
    constraint: str
    action: str


@dataclass(frozen=True, kw_only=True)
class EvaluateNode(NodeDescription, kind="evaluate"):
    """Calls Python functions, and adds their values.

    Attributes:
        udfs: the calls.
    """

    udfs: tuple[UdfDescription, ...]


@dataclass(frozen=True, kw_only=True)
class JoinNode(NodeDescription, kind="join"):
    """A join.

    Attributes:
        join_type: Catalyst's SQL for it, or ``EXISTENCE``.
        exists: ref of the flag of an existence join; None: it has none.
        left_keys: expressions of the left side.
        right_keys: what they must equal.
        residual: what else must hold; None: nothing.
        interval: two times that it keeps together; None: none.
    """

    join_type: str
    exists: str | None
    left_keys: tuple[ExpressionDescription, ...]
    right_keys: tuple[ExpressionDescription, ...]
    residual: ConditionDescription | None
    interval: IntervalDescription | None


@dataclass(frozen=True, kw_only=True)
class GenerateNode(NodeDescription, kind="generate"):
    """Several rows for one.

    Attributes:
        generator: the expression.
        generated: refs of its columns.
        position: ref of what tells the rows of one input row apart; None: nothing does.
        outer: whether there is a row for no rows.
        single: whether there is at most one row for a row.
    """

    generator: ExpressionDescription
    generated: tuple[str, ...]
    position: str | None
    outer: bool
    single: bool


@dataclass(frozen=True, kw_only=True)
class ConstantNode(NodeDescription, kind="constant"):
    """A part of the plan, as large as possible, that reads no stream.

    Attributes:
        single: whether it has one row at most.
        tables: whether it reads what others may change.
        clock: whether it asks for the barrier's time.
    """

    single: bool
    tables: bool
    clock: bool


@dataclass(frozen=True, kw_only=True)
class ExpandNode(NodeDescription, kind="expand"):
    """A row for each of several projections.

    Attributes:
        projections: these.
    """

    projections: tuple[tuple[ExpressionDescription, ...], ...]


@dataclass(frozen=True, kw_only=True)
class UnionNode(NodeDescription, kind="union"):
    """The rows of all its children."""


@dataclass(frozen=True, kw_only=True)
class OtherNode(NodeDescription, kind="other"):
    """Any other node.

    Attributes:
        name: what Catalyst calls it.
    """

    name: str
