"""Which epochs may go. Pure decisions; the barrier carries them out."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from groundswell.contract.commits import Commits


@dataclass(frozen=True)
class Retention:
    """How many epochs readers may name, for how long, and how often what is not needed goes.

    Attributes:
        epochs: how many stay, the newest included.
        every: once in so many epochs, manifests and state files go.
        millis: epochs that were published within that time stay, too; 0: only ``epochs`` counts.
    """

    epochs: int = 100
    every: int = 10
    millis: int = 0


def is_due(epoch: int, every: int) -> bool:
    """Whether retention looks for what is not needed after an epoch.

    Listing folders, of states and of leases, costs a request each, so it is done rarely.
    """
    return epoch % every == every - 1


def oldest_wanted(
    kept: Sequence[int],
    newest: int,
    retain: int,
    since: int | None = None,
    published: Callable[[int], int] = lambda _: 0,
) -> int:
    """The oldest epoch that readers may name; an epoch stays while one of both rules wants it.

    Args:
        kept: epochs with a manifest, ascending.
        newest: the epoch just published.
        retain: how many epochs stay, the newest included.
        since: epochs that were published then or later stay, too; None: no such rule.
        published: when an epoch was published; asked for those that ``retain`` lets go, from the
            oldest on, up to the first that stays.
    """
    first = newest - retain + 1
    if since is not None:
        for epoch in kept:
            if epoch >= first or published(epoch) >= since:
                return min(epoch, first)
    return first


def retired(kept: Sequence[int], first: int) -> list[int]:
    """The epochs whose manifests go, oldest first; always before the files that they name."""
    return [epoch for epoch in kept if epoch < first]


def needed(oldest: Commits, newest: Commits, readable: Container[str]) -> Commits:
    """Of each state the commits that must stay, with all that came after them.

    What readers may name by an epoch (views and indexes) is needed from the oldest epoch on. All
    other state is operators' own: the next barrier, or the first one after a crash, builds on the
    newest published epoch, and nobody reads an older one.

    Args:
        oldest: commits of the oldest epoch that is kept.
        newest: commits of the newest durable epoch, or of an older one that is being copied.
        readable: the states that readers may name.
    """
    own = {state: commits for state, commits in newest.items() if state not in readable}
    return {**oldest, **own}
