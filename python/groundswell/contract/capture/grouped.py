"""Nodes that look at several rows of one input."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.capture.expressions import (
    CallDescription,
    ExpressionDescription,
    SortDescription,
)
from groundswell.contract.capture.nodes import NodeDescription
from groundswell.contract.codec import Int


@dataclass(frozen=True, kw_only=True)
class AggregateNode(NodeDescription, kind="aggregate"):
    """An aggregation.

    Attributes:
        grouping: columns to group by.
        calls: the aggregate calls.
        results: what it gives; calls stand in it as their results.
        session: ref of a grouping column that is a session window; None: there is none.
    """

    grouping: tuple[ExpressionDescription, ...]
    calls: tuple[CallDescription, ...]
    results: tuple[ExpressionDescription, ...]
    session: str | None


@dataclass(frozen=True, kw_only=True)
class WindowNode(NodeDescription, kind="window"):
    """Window functions.

    Attributes:
        functions: these.
        python: whether some of them are Python's.
        partition: what rows of a partition share.
        order: of the rows of a partition.
    """

    functions: tuple[ExpressionDescription, ...]
    python: bool
    partition: tuple[ExpressionDescription, ...]
    order: tuple[SortDescription, ...]


@dataclass(frozen=True, kw_only=True)
class WindowGroupLimitNode(NodeDescription, kind="window_group_limit"):
    """The optimiser's mark below a window that only first rows are wanted.

    Attributes:
        fn: the rank.
        limit: the last rank that is wanted.
    """

    fn: str
    limit: Int


@dataclass(frozen=True, kw_only=True)
class SortNode(NodeDescription, kind="sort"):
    """Rows in an order.

    Attributes:
        order: that order.
        whole: whether all rows are ordered, not those of each partition.
    """

    order: tuple[SortDescription, ...]
    whole: bool


@dataclass(frozen=True, kw_only=True)
class LimitNode(NodeDescription, kind="limit"):
    """At most so many rows.

    Attributes:
        limit: how many.
    """

    limit: int


@dataclass(frozen=True, kw_only=True)
class LocalLimitNode(NodeDescription, kind="local_limit"):
    """At most so many rows of each partition; a hint of the optimiser."""


@dataclass(frozen=True, kw_only=True)
class OffsetNode(NodeDescription, kind="offset"):
    """All but the first rows.

    Attributes:
        offset: how many are left out.
    """

    offset: int
