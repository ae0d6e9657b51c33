"""Views that failed, or that somebody stopped, and are suspended, while the others go on. Pure.

A suspended view keeps its rows as of its last good epoch: the definition holds the commits of its
own state, which no later epoch names. All other state behind it is given up, so it is filled again,
from the start, when it is resumed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from groundswell.contract.commits import CommitRef, Commits
from groundswell.errors import ConfigurationError


@dataclass(frozen=True)
class Suspended:
    """Why a view is suspended, and since when.

    Attributes:
        because: the view that stopped: itself, or one that it reads.
        reason: the error's message, or that somebody wanted it.
        since_millis: when it was suspended, in milliseconds since 1970.
        epoch: its last good epoch; None: it had none yet, or the query still has to stop there.
        state: the state that holds its rows; None: there are none.
        commits: of that state, by partition.
        sinks: names of its sinks whose targets have these rows; the record of sinks keeps them.
    """

    because: str
    reason: str
    since_millis: int
    epoch: int | None = None
    state: str | None = None
    commits: tuple[CommitRef, ...] = ()
    sinks: tuple[str, ...] = ()

    def text(self, view: str) -> str:
        """The suspension as a sentence for people, with what to do next."""
        at = "before its first epoch" if self.epoch is None else f"at epoch {self.epoch}"
        why = self.reason if self.because == view else f"it reads view {self.because}"
        return (
            f"view {view} is set aside {at}: {why} (fill it again with "
            f"query.resume({self.because!r}), in SQL ALTER MATERIALIZED VIEW {self.because} "
            f"RESUME; or give it up with query.dropView({view!r}), DROP MATERIALIZED VIEW {view})"
        )


Suspensions = Mapping[str, Suspended]
"""By name of the view."""


def commits_suspended(suspended: Suspensions) -> Commits:
    """By state, the commits that hold the rows of suspended views."""
    return {one.state: one.commits for one in suspended.values() if one.state}


def first_of(views: Iterable[str], reads: Mapping[str, Collection[str]]) -> list[str]:
    """Of views that share what failed, those that read no other of them.

    Args:
        views: names of views.
        reads: by view, in order, the views that it reads itself; they come before it.
    """
    wanted, tainted, first = set(views), set[str](), []
    for view, below in reads.items():
        if tainted.intersection(below):
            tainted.add(view)
        elif view in wanted:
            tainted.add(view)
            first.append(view)
    return first


def with_readers(failed: Iterable[str], reads: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The views that cannot go on, each with the failed view that is the cause.

    Args:
        failed: names of views.
        reads: by view, in order, the views that it reads itself; they come before it.
    """
    because = {name: name for name in failed}
    for view, below in reads.items():
        for name in below:
            if name in because:
                because.setdefault(view, because[name])
    return because


def resumed(suspended: Suspensions, view: str) -> dict[str, Suspended]:
    """What stays suspended when a view, and those suspended for it alone, are resumed.

    Raises:
        ConfigurationError: the view is not suspended, or is so for another view that it reads.
    """
    one = suspended.get(view)
    if one is None:
        raise ConfigurationError(
            f"view {view!r} is not set aside; set aside are {', '.join(suspended) or 'none'}"
        )
    if one.because != view:
        raise ConfigurationError(
            f"view {view!r} is set aside because it reads {one.because!r}: resume that one, and "
            "this one comes with it"
        )
    return {name: other for name, other in suspended.items() if other.because != view}
