"""Views that failed and were set aside, while the others go on. Pure.

A view that is set aside keeps its rows as of its last good epoch: the definition holds the commits
of its own state, which no epoch after it names. All other state behind it is given up, so it is
filled again, from the start, when it is resumed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from groundswell.contract.commits import CommitRef
from groundswell.errors import ConfigurationError
from groundswell.runtime.record.epochs import EpochManifest, commits_of, noted


@dataclass(frozen=True)
class Aside:
    """Why a view stands still, and since when.

    Attributes:
        because: the view that failed: itself, or one that it reads.
        reason: the error's message.
        since_millis: when it was set aside.
        epoch: its last good epoch; None: it had none yet.
        state: the state that holds its rows; None: there are none.
        commits: of that state, by partition.
    """

    because: str
    reason: str
    since_millis: int
    epoch: int | None = None
    state: str | None = None
    commits: tuple[CommitRef, ...] = ()

    def json(self) -> dict[str, Any]:
        """As it stands in the definition."""
        return {**asdict(self), "commits": noted(self.commits)}

    @staticmethod
    def of(document: Mapping[str, Any]) -> Aside:
        """What :meth:`json` gave."""
        return Aside(**{**document, "commits": commits_of(document["commits"])})

    def text(self, view: str) -> str:
        """For people."""
        at = "before its first epoch" if self.epoch is None else f"at epoch {self.epoch}"
        why = self.reason if self.because == view else f"it reads view {self.because}"
        return (
            f"view {view} is set aside {at}: {why} (fill it again with "
            f"query.resume({self.because!r}), or give it up with query.dropView({view!r}))"
        )


Asides = Mapping[str, Aside]
"""By name of the view."""


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
    """The views that cannot go on, each with the failed view that it is for.

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


def set_aside(
    because: Mapping[str, str], reason: str, last: EpochManifest | None, now_millis: int
) -> dict[str, Aside]:
    """What to note of views, as :func:`with_readers` gives them, after the newest epoch."""
    found: dict[str, Aside] = {}
    for view, failed in because.items():
        state = last.views.get(view) if last else None
        if last is None or state is None or state not in last.commits:
            found[view] = Aside(failed, reason, now_millis)
        else:
            commits = last.commits[state]
            found[view] = Aside(failed, reason, now_millis, last.epoch, state, commits)
    return found


def resumed(asides: Asides, view: str) -> dict[str, Aside]:
    """What stays aside when a view, and those that stand still for it alone, are resumed.

    Raises:
        ConfigurationError: if it is not set aside, or another view that it reads is.
    """
    aside = asides.get(view)
    if aside is None:
        raise ConfigurationError(
            f"view {view!r} is not set aside; set aside are {', '.join(asides) or 'none'}"
        )
    if aside.because != view:
        raise ConfigurationError(
            f"view {view!r} is set aside because it reads {aside.because!r}: resume that one, and "
            "this one comes with it"
        )
    return {name: other for name, other in asides.items() if other.because != view}
