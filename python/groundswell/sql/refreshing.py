"""What a refresh did for a view, from the barriers that it ran. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLUMNS = "view string, epoch long, rows_read long, rows_changed long, seconds double, how string"


@dataclass(frozen=True)
class Refreshed:
    """What a refresh did for a view.

    Attributes:
        view: its name.
        epoch: the newest one; None: nothing has ever been read.
        rows_read: of all sources of the pipeline.
        rows_changed: of the view.
        seconds: that the refresh of the whole pipeline took.
        how: ``incremental``, or ``full`` and why, or ``nothing new``.
    """

    view: str
    epoch: int | None
    rows_read: int
    rows_changed: int
    seconds: float
    how: str

    def row(self) -> list[Any]:
        """As a statement shows it."""
        return [
            self.view,
            self.epoch,
            self.rows_read,
            self.rows_changed,
            round(self.seconds, 3),
            self.how,
        ]


def refreshed(
    name: str,
    stored: str,
    barriers: Sequence[Mapping[str, Any]],
    had: bool,
    seconds: float,
    new: str = "the view is new",
) -> Refreshed:
    """What some barriers did for a view.

    Args:
        name: of the view.
        stored: what the pipeline calls it.
        barriers: the progress of each.
        had: whether the epoch before them had it.
        seconds: that they took.
        new: why an epoch that lacks it does.
    """
    state = f"view-{stored}-"
    changed = sum(
        operator.get("rowsOut", 0)
        for barrier in barriers
        for operator in barrier["operators"]
        if operator["op"] == "materialize" and str(operator.get("state", "")).startswith(state)
    )
    read = sum(barrier["inputRows"] for barrier in barriers)
    how = "incremental" if had else f"full: {new}"
    if had and not read and not changed:
        how = "nothing new"
    epoch = barriers[-1]["epoch"] if barriers else None
    return Refreshed(name, epoch, read, changed, seconds, how)
