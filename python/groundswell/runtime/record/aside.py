"""Suspended views as a location holds them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from typing import Any

from groundswell.catalog.suspended import Suspended, Suspensions
from groundswell.runtime.record.epochs import EpochManifest, commits_of, noted


def document(one: Suspended) -> dict[str, Any]:
    """The suspension as it stands in the definition."""
    content = {**asdict(one), "commits": noted(one.commits)}
    del content["sinks"]
    return content


def suspended_of(document: Mapping[str, Any]) -> Suspended:
    """What :func:`document` gave."""
    return Suspended(**{**document, "commits": commits_of(document["commits"])})


def at_epoch(
    suspended: Suspensions,
    last: EpochManifest | None,
    reached: Mapping[str, int],
    sinks: Mapping[str, Collection[str]],
) -> dict[str, Suspended]:
    """Suspended views, those that stop now with their rows as of the newest epoch.

    Args:
        suspended: by view; those that stopped before have their epoch.
        last: the newest epoch, now that nothing runs; None: there is none.
        reached: by sink, the epoch up to which it got all; those that stopped are left out.
        sinks: names of sinks, by view.
    """
    found = dict(suspended)
    for view, one in suspended.items():
        state = last.views.get(view) if last else None
        if last is None or state is None or one.state is not None:
            continue
        if (commits := last.commits.get(state)) is not None:
            whole = [name for name in sinks.get(view, ()) if reached.get(name) == last.epoch]
            found[view] = replace(
                one, epoch=last.epoch, state=state, commits=commits, sinks=tuple(sorted(whole))
            )
    return found
