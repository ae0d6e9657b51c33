"""Window functions, and the first rows of an order."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import Int
from groundswell.contract.dataflow.operators import (
    BoundedSpec,
    KeyedSpec,
    SortColumn,
    StatefulSpec,
    UnreadRowsSpec,
)


@dataclass(frozen=True)
class RankLimitSpec:
    """Only rows up to a rank are wanted.

    Attributes:
        fn: which rank: ``row_number``, ``rank`` or ``dense_rank``.
        limit: the last one that is wanted.
    """

    fn: str
    limit: Int


@dataclass(frozen=True)
class SessionSpec:
    """Sessions that merge where they touch.

    Attributes:
        own: ref of each row's own session.
        merged: ref of the one that it merges into.
    """

    own: str
    merged: str


@dataclass(frozen=True, kw_only=True)
class WindowSpec(StatefulSpec, KeyedSpec, BoundedSpec, kind="window"):
    """Adds columns that depend on the other rows of a partition.

    Attributes:
        partition: refs of the columns that rows of a partition share.
        order: within a partition; ties are broken by the key.
        functions: ids of the functions.
        limit: how far ranks are asked for; None: there is no limit.
        session: what is found in place of functions; None: no sessions.
    """

    partition: tuple[str, ...]
    order: tuple[SortColumn, ...]
    functions: tuple[str, ...]
    limit: RankLimitSpec | None = None
    session: SessionSpec | None = None


@dataclass(frozen=True, kw_only=True)
class FirstRowsSpec(StatefulSpec, KeyedSpec, BoundedSpec, kind="first_rows"):
    """The first rows of each partition, numbered; of rows that are only added.

    Attributes:
        partition: refs of the columns that rows of a partition share.
        order: within a partition; ties are broken by the key.
        limit: how many of a partition.
        unread: which of them end; only with a limit of 1. None: each stays until one replaces it.
    """

    partition: tuple[str, ...]
    order: tuple[SortColumn, ...]
    limit: Int
    unread: UnreadRowsSpec | None = None


@dataclass(frozen=True, kw_only=True)
class FirstOfOrderSpec(StatefulSpec, KeyedSpec):
    """Some of the first rows of an order.

    Attributes:
        order: ties are broken by the key.
        limit: how many rows.
        offset: how many before these are left out.
    """

    order: tuple[SortColumn, ...]
    limit: int
    offset: int = 0


@dataclass(frozen=True, kw_only=True)
class TopNSpec(FirstOfOrderSpec, kind="top_n"):
    """Those of all rows."""


@dataclass(frozen=True, kw_only=True)
class TopNLocalSpec(FirstOfOrderSpec, kind="top_n_local"):
    """Those of each bucket: the stage before the one that sees them all.

    Attributes:
        bucket: ref of the bucket's number.
    """

    bucket: str
