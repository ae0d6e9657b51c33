"""What a run found, cell by cell."""

import os
import statistics
from typing import Any, NamedTuple

from store.cases import Case
from store.worker import Round


class Cell(NamedTuple):
    """One figure of one provider. ``value`` is in the figure's unit; times are in ms."""

    value: float
    rounds: list[float]
    commit_p50: float | None = None
    commit_p99: float | None = None
    bytes: int | None = None
    files: int | None = None
    metrics: dict[str, int] | None = None


class Results:
    """The cells of one run by ``(mode, figure, provider)``."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.load_before = os.getloadavg()[0]
        self.cells: dict[tuple[str, str, str], Cell] = {}

    def add(self, case: Case, cell: Cell) -> None:
        self.cells[(case.mode.name, case.figure.name, case.provider.name)] = cell

    def get(self, mode: str, figure: str, provider: str) -> Cell | None:
        return self.cells.get((mode, figure, provider))

    def as_json(self) -> dict[str, Any]:
        return {" ".join(key): cell._asdict() for key, cell in self.cells.items()}


def cell_of(unit: str, rounds: list[Round]) -> Cell:
    """The median round; of rounds that commit, all together.

    Where a slow round is the store's own doing (a merge, a stall), none may be left out.
    """
    if unit == "ms":
        values = [done.nanos / 1e6 for done in rounds]
    else:
        values = [done.per_second for done in rounds]
    commits = sorted(nanos / 1e6 for done in rounds for nanos in done.commit_nanos)
    if not commits:
        return Cell(statistics.median(values), values)
    operations = sum(done.operations for done in rounds)
    return Cell(
        value=operations * 1e9 / sum(done.nanos for done in rounds),
        rounds=values,
        commit_p50=percentile(commits, 50),
        commit_p99=percentile(commits, 99),
        metrics=rounds[-1].metrics,
    )


def percentile(ordered: list[float], percent: int) -> float:
    """The smallest value that at least ``percent`` of them do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
