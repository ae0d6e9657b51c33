"""What the views of a running pipeline do, as its status has it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from groundswell.catalog.suspended import Suspensions
from groundswell.runtime.barriers.progress import ProgressLog, rows_of


def view_states(
    views: Collection[str],
    active: bool,
    progress: ProgressLog,
    suspended: Suspensions,
    filled: Collection[str],
) -> dict[str, dict[str, Any]]:
    """The ``state``, ``epoch`` and ``rows`` of each view.

    Args:
        views: names of those that are maintained.
        active: whether the query runs.
        progress: its barriers.
        suspended: the views that stand still.
        filled: names of those that are filled beside the barriers.
    """
    newest, percent = progress.newest, progress.loading
    loading = None if percent is None else f"loading {percent:.0f} %"
    state = (loading or "running") if active else "stopped"
    shows = newest is not None and not newest.loads
    found: dict[str, dict[str, Any]] = {
        name: {
            "state": state,
            "epoch": newest.epoch
            if newest is not None and shows and name in newest.views
            else None,
            "rows": 0 if newest is None else rows_of(newest, name),
        }
        for name in views
    }
    for name, one in suspended.items():
        rows = sum(commit.rows for commit in one.commits)
        found[name] = {"state": "suspended", "epoch": one.epoch, "rows": rows}
    percent_filled = progress.filling.status()["percent"] if progress.filling is not None else 0
    for name in filled:
        before = found.get(name, {"epoch": None, "rows": 0})
        found[name] = {**before, "state": f"backfilling {percent_filled} %"}
    return found
