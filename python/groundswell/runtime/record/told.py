"""What was last told of views that stood still, until all that take changes have the difference.

The record of sinks has it: from when a view that sinks take is suspended, or is back, until each of
them, and its ``foreachBatch``, got what changed meanwhile. So long the commits stay. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from groundswell.catalog.suspended import Suspended, Suspensions, commits_suspended
from groundswell.contract.commits import CommitRef, Commits
from groundswell.runtime.record.manifests import EpochManifest, commits_of, noted


@dataclass(frozen=True)
class Told:
    """The rows of a view as they were when it stopped.

    Attributes:
        epoch: its last one.
        state: that holds the rows.
        commits: of that state, by partition.
        sinks: names of those whose target has these rows, whatever epoch it names: the last ones
            of a view that does not change are not even numbered in a target.
        function: whether ``foreachBatch`` has not got what changed since.
    """

    epoch: int
    state: str
    commits: tuple[CommitRef, ...]
    sinks: tuple[str, ...] = ()
    function: bool = True

    def has(self, sink: str, epoch: int) -> bool:
        """Whether a target that names an epoch has these rows."""
        return epoch == self.epoch or (sink in self.sinks and epoch < self.epoch)

    def manifest(self, view: str, newest: EpochManifest) -> EpochManifest:
        """The epoch at which the view stopped, with all of it that is kept.

        Args:
            view: whose rows these are.
            newest: an epoch of the same generation; a rescale waits until the view is back.
        """
        commits = {self.state: self.commits}
        return replace(newest, epoch=self.epoch, views={view: self.state}, commits=commits)


ToldViews = Mapping[str, Told]
"""By name of the view."""


def document(told: ToldViews) -> dict[str, Any]:
    """As it stands in the record."""
    return {view: {**asdict(one), "commits": noted(one.commits)} for view, one in told.items()}


def told_of(document: Mapping[str, Any]) -> dict[str, Told]:
    """What :func:`document` gave."""
    return {
        view: Told(
            one["epoch"],
            one["state"],
            commits_of(one["commits"]),
            tuple(one["sinks"]),
            one["function"],
        )
        for view, one in document.items()
    }


def still_told(
    known: ToldViews,
    stood: Suspensions,
    suspended: Suspensions,
    takes: Collection[str],
    sunk: Collection[str],
) -> dict[str, Told]:
    """What a start has to remember.

    Args:
        known: what the record has.
        stood: the views that were suspended before this start.
        suspended: those that are now.
        takes: names of views that go on, and whose changes somebody takes.
        sunk: names of all views that sinks take.
    """
    found = {view: one for view, one in known.items() if view in takes and view not in stood}
    now = {view: one for view, one in suspended.items() if view in sunk}
    now |= {view: one for view, one in stood.items() if view in takes}
    for view, one in now.items():
        if (made := _made_of(one)) is not None:
            old = known.get(view)
            found[view] = old if old is not None and old.epoch == made.epoch else made
    return found


def commits_told(told: ToldViews) -> Commits:
    """By state, the commits that have to stay."""
    return {one.state: one.commits for one in told.values()}


def commits_kept(suspended: Suspensions, told: ToldViews) -> Commits:
    """By state, the commits that have to stay though no epoch may name them."""
    return {**commits_suspended(suspended), **commits_told(told)}


def _made_of(one: Suspended) -> Told | None:
    if one.epoch is None or one.state is None:
        return None
    return Told(one.epoch, one.state, one.commits, one.sinks)
