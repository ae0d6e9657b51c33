"""Aggregates."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.dataflow.operators import BoundedSpec, StatefulSpec, UnreadRowsSpec


@dataclass(frozen=True)
class CallSpec:
    """A call of an aggregate function.

    Attributes:
        call: id of its expression.
        fn: name of the function.
        args: refs of what it reads; none: ``count(*)``.
        filter: ref of the column that is true in the rows that count; None: all do.
        distinct: whether equal values count once.
        out: ref of its result.
    """

    call: str
    fn: str
    args: tuple[str, ...]
    filter: str | None
    distinct: bool
    out: str


@dataclass(frozen=True, kw_only=True)
class AggregateSpec(StatefulSpec, BoundedSpec, kind="aggregate"):
    """Groups and aggregates. Its columns are the grouping ones, and the calls' results.

    Attributes:
        grouping: refs of the columns to group by; none: there is one group.
        calls: the calls.
        append_only: whether no row is taken back, so that extremes need no values.
        unread: which groups end because no one reads them; None: none.
        results: refs by which ``unread`` calls the columns.
    """

    grouping: tuple[str, ...]
    calls: tuple[CallSpec, ...]
    append_only: bool = False
    unread: UnreadRowsSpec | None = None
    results: tuple[str, ...] = ()
