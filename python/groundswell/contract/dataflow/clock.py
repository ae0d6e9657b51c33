"""Operators whose rows come and go with time."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import Int
from groundswell.contract.dataflow.operators import KeyedSpec, StatefulSpec, WatermarkSpec


@dataclass(frozen=True, kw_only=True)
class ExpireSpec(StatefulSpec, KeyedSpec, kind="expire"):
    """Rows end some time after their last change.

    Attributes:
        life: microseconds.
    """

    life: int


@dataclass(frozen=True, kw_only=True)
class TemporalFilterSpec(StatefulSpec, KeyedSpec, kind="temporal_filter"):
    """Rows whose time is after the clock, and an offset.

    Attributes:
        time: ref of the time.
        offset: microseconds.
        inclusive: whether the very time counts, too.
        limit: how many rows of a partition a barrier takes back at most.
        made: id of what of the clock rows are compared with; None: the clock.
        begins: whether rows wait until the clock has reached them, in place of ending then.
    """

    time: str
    offset: int
    inclusive: bool
    limit: Int
    made: str | None = None
    begins: bool = False


@dataclass(frozen=True, kw_only=True)
class WindowCloseSpec(StatefulSpec, KeyedSpec, kind="window_close"):
    """Rows are given once, when the watermark has passed them.

    Attributes:
        watermark: that one.
    """

    watermark: WatermarkSpec
