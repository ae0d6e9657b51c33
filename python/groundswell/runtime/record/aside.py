"""Suspended views as a location holds them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from groundswell.catalog.suspended import Suspended
from groundswell.runtime.record.epochs import EpochManifest, commits_of, noted


def document(one: Suspended) -> dict[str, Any]:
    """The suspension as it stands in the definition."""
    return {**asdict(one), "commits": noted(one.commits)}


def suspended_of(document: Mapping[str, Any]) -> Suspended:
    """What :func:`document` gave."""
    return Suspended(**{**document, "commits": commits_of(document["commits"])})


def suspended_at(
    because: Mapping[str, str], reason: str, last: EpochManifest | None, now_millis: int
) -> dict[str, Suspended]:
    """What to note of views after the newest epoch.

    Args:
        because: by view, the failed one; see :func:`~groundswell.catalog.suspended.with_readers`.
        reason: the error's message.
        last: the newest epoch; None: there is none.
        now_millis: milliseconds since 1970.
    """
    found: dict[str, Suspended] = {}
    for view, failed in because.items():
        state = last.views.get(view) if last else None
        if last is None or state is None or state not in last.commits:
            found[view] = Suspended(failed, reason, now_millis)
        else:
            commits = last.commits[state]
            found[view] = Suspended(failed, reason, now_millis, last.epoch, state, commits)
    return found
