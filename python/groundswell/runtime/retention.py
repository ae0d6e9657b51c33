"""Which epochs may go. A pure decision; the barrier carries it out."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from groundswell.contract.commits import Commits


@dataclass(frozen=True)
class Retirement:
    """What to remove after an epoch was published.

    Attributes:
        manifests: epochs whose manifests go, oldest first; always before the files they name.
        states: whether it is time to look for state files that are not needed any more.
    """

    manifests: tuple[int, ...]
    states: bool


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
    return Retirement(manifests, newest % every == every - 1)


def needed(oldest: Commits, newest: Commits, readable: Container[str]) -> Commits:
    """Of each state the commits that must stay, with all that came after them.

    What readers may name by an epoch (views and indexes) is needed from the oldest epoch on. All
    other state is operators' own: the next barrier, or the first one after a crash, builds on the
    newest published epoch, and nobody reads an older one.

    Args:
        oldest: commits of the oldest epoch that is kept.
        newest: commits of the newest epoch that is durable.
        readable: the states that readers may name.
    """
    own = {state: commits for state, commits in newest.items() if state not in readable}
    return {**oldest, **own}
