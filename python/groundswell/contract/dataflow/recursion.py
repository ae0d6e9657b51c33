"""Recursive queries."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import Int
from groundswell.contract.dataflow.operators import (
    KeyedSpec,
    SortColumn,
    StatefulSpec,
    StoredSpec,
)


@dataclass(frozen=True, kw_only=True)
class FixpointSpec(StatefulSpec, KeyedSpec, kind="fixpoint"):
    """Keeps derivations by key, level and rank, and settles a level a round.

    Attributes:
        level: ref of the level.
        rank: columns by which the best of a key is found; empty: all are equal.
        bag: whether equal rows count, each.
        limit: how many levels there may be.
    """

    level: str
    rank: tuple[SortColumn, ...]
    bag: bool
    limit: Int


@dataclass(frozen=True, kw_only=True)
class RecursiveReferenceSpec(StoredSpec, KeyedSpec, kind="feedback"):
    """What a round changed of a recursion's rows, for its step. ``key`` says where they are."""


@dataclass(frozen=True, kw_only=True)
class ResultSpec(StoredSpec, KeyedSpec, kind="result"):
    """What the whole barrier changed of a recursion's rows. ``key`` says where they are."""
