"""Suspended views as a location holds them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from groundswell.catalog.suspended import Suspended, Suspensions
from groundswell.runtime.record.epochs import EpochManifest, commits_of, noted


def document(one: Suspended) -> dict[str, Any]:
    """The suspension as it stands in the definition."""
    return {**asdict(one), "commits": noted(one.commits)}


def suspended_of(document: Mapping[str, Any]) -> Suspended:
    """What :func:`document` gave."""
    return Suspended(**{**document, "commits": commits_of(document["commits"])})


def at_epoch(suspended: Suspensions, last: EpochManifest | None) -> dict[str, Suspended]:
    """Suspended views, those that stop now with their rows as of the newest epoch.

    Args:
        suspended: by view; those that stopped before have their epoch.
        last: the newest epoch, now that nothing runs; None: there is none.
    """
    found = dict(suspended)
    for view, one in suspended.items():
        state = last.views.get(view) if last else None
        if last is None or state is None or one.state is not None:
            continue
        if (commits := last.commits.get(state)) is not None:
            found[view] = replace(one, epoch=last.epoch, state=state, commits=commits)
    return found
