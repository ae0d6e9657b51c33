"""Which epochs may go. A pure decision; the barrier carries it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Retirement:
    """What to remove after an epoch was published.

    Attributes:
        manifests: epochs whose manifests go, oldest first; always before the files they name.
        oldest: state files that no epoch from here on needs may go, or None if it is not time to
            look for any.
    """

    manifests: tuple[int, ...]
    oldest: int | None


def retire(kept: Sequence[int], newest: int, retain: int, every: int) -> Retirement:
    """Decides after epoch ``newest``.

    Args:
        kept: epochs with a manifest, ascending.
        newest: the epoch just published.
        retain: how many epochs readers may name, the newest included.
        every: look for state files once in this many epochs.

    Listing folders of state costs a request for each partition and state, so it is done rarely.
    """
    oldest = newest - retain + 1
    manifests = tuple(epoch for epoch in kept if epoch < oldest)
    due = newest % every == every - 1 and oldest > 0
    return Retirement(manifests, oldest if due else None)
