"""Joins that keep both sides, or one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from groundswell.contract.dataflow.operators import BoundedSpec, StatefulSpec, WatermarkSpec

JoinKind = Literal["inner", "left_outer", "full_outer", "left_semi", "left_anti", "existence"]


@dataclass(frozen=True)
class IntervalSpec:
    """Two times that a join keeps together. Both sides are cut into pieces of time.

    Attributes:
        left: ref of the left time.
        right: ref of the right time.
        low: the least that right minus left may be, in microseconds.
        high: the most that it may be.
        piece: how long a piece is, in microseconds.
        left_bound: what ends left rows; None: nothing does.
        right_bound: what ends right rows; None: nothing does.
    """

    left: str
    right: str
    low: int
    high: int
    piece: int
    left_bound: WatermarkSpec | None = None
    right_bound: WatermarkSpec | None = None


@dataclass(frozen=True, kw_only=True)
class TwoSidedSpec(StatefulSpec):
    """A join of two inputs. Its columns are the left ones, then the right ones or the flag, if any.

    Attributes:
        join_type: which rows it gives.
        left_keys: refs of the left columns that must equal the right ones; null equals nothing.
        right_keys: refs of these; none: every row meets every other.
        left_key: refs of what tells left rows apart.
        right_key: refs of what tells right rows apart.
        residual: id of what else a pair must meet; None: nothing.
    """

    join_type: JoinKind
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    left_key: tuple[str, ...]
    right_key: tuple[str, ...]
    residual: str | None = None


@dataclass(frozen=True, kw_only=True)
class JoinSpec(TwoSidedSpec, BoundedSpec, kind="join"):
    """Changes of one side meet the other's rows. An inner join has no residual: that is a filter.

    Attributes:
        left_append_only: whether left rows are new, each.
        right_append_only: whether right rows are.
        interval: two times that must be near; None: there are none.
    """

    left_append_only: bool = False
    right_append_only: bool = False
    interval: IntervalSpec | None = None


@dataclass(frozen=True, kw_only=True)
class TemporalJoinSpec(TwoSidedSpec, kind="temporal_join"):
    """Looks each left row up in the right rows as they are, once.

    Attributes:
        append_only: whether no left row is taken back, so that nobody asks what it met.
    """

    append_only: bool = False
