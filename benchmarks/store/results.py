"""What a run found, cell by cell."""

import os
import statistics
from typing import Any, NamedTuple

from store.cases import Case, Suite
from store.worker import Round

ROW_BYTES = 40 + 88
"""Of a key and a value, as a put is handed them."""

LIVE_BYTES = ("groundswellFileBytes", "fileBytes", "rocksdbSstFileSize")
"""What a provider calls the bytes of the files that its newest version needs."""

MERGED = ("groundswellCompactionBytes", "rocksdbTotalBytesWrittenByCompaction")
STALLED = ("groundswellStallMs", "rocksdbWriterStallLatencyMs")


class Cell(NamedTuple):
    """One figure of one provider. ``value`` is in the figure's unit; times are in ms."""

    value: float
    rounds: list[float]
    batch_p50: float | None = None
    batch_p99: float | None = None
    commit_p50: float | None = None
    commit_p99: float | None = None
    bytes: int | None = None
    files: int | None = None
    metrics: dict[str, int] | None = None
    sub_levels: tuple[int, int] | None = None
    """The fewest and the most after a batch."""
    merged_bytes: int | None = None
    """Written by merges during the rounds."""
    batches_with_merges: int | None = None
    """Batches since whose predecessor a merge wrote."""
    stalled_ms: int | None = None
    """That the provider says its writer waited."""
    disk_bytes: int = 0
    """Read from storage during the rounds because the page cache did not have them."""
    write_amplification: float | None = None
    space_amplification: float | None = None
    cpu_micros: float | None = None
    """CPU time of the process for one operation, in microseconds."""


class Results:
    """The cells of one run by ``(mode, figure, provider)``."""

    def __init__(self, suite: Suite, rows: int) -> None:
        self.suite = suite
        self.rows = rows
        self.load_before = os.getloadavg()[0]
        self.cells: dict[tuple[str, str, str], Cell] = {}

    def add(self, case: Case, cell: Cell) -> None:
        self.cells[(case.mode.name, case.figure.name, case.provider.name)] = cell

    def get(self, mode: str, figure: str, provider: str) -> Cell | None:
        return self.cells.get((mode, figure, provider))

    def as_json(self) -> dict[str, Any]:
        return {" ".join(key): cell._asdict() for key, cell in self.cells.items()}


def cell_of(unit: str, rounds: list[Round], *, apart: bool = False) -> Cell:
    """The median round; of rounds that commit, all together.

    Where a slow round is the store's own doing (a merge, a stall), none may be left out. ``apart``:
    each round had a process of its own.
    """
    if unit == "ms":
        values = [done.nanos / 1e6 for done in rounds]
    else:
        values = [done.per_second for done in rounds]
    disk = disk_bytes(rounds, apart=apart)
    commits = sorted(nanos / 1e6 for done in rounds for nanos in done.commit_nanos)
    if not commits:
        return Cell(statistics.median(values), values, disk_bytes=disk)
    if unit == "ms":
        value = statistics.median(values)
    else:
        value = sum(done.operations for done in rounds) * 1e9 / sum(done.nanos for done in rounds)
    batches = sorted(done.nanos / 1e6 for done in rounds if len(done.commit_nanos) == 1)
    levels = [n for done in rounds if (n := done.metrics.get("groundswellSubLevels")) is not None]
    merged = [told(done.metrics, MERGED) or 0 for done in rounds]
    return Cell(
        value=value,
        rounds=values,
        batch_p50=percentile(batches, 50) if batches else None,
        batch_p99=percentile(batches, 99) if batches else None,
        commit_p50=percentile(commits, 50),
        commit_p99=percentile(commits, 99),
        metrics=rounds[-1].metrics,
        sub_levels=(min(levels), max(levels)) if levels else None,
        merged_bytes=sum(merged),
        batches_with_merges=sum(1 for one in merged if one),
        stalled_ms=sum(told(done.metrics, STALLED) or 0 for done in rounds),
        disk_bytes=disk,
        cpu_micros=cpu_micros(rounds),
    )


def disk_bytes(rounds: list[Round], *, apart: bool) -> int:
    """Bytes that were not in the page cache, from the first round's end to the last's."""
    if apart or len(rounds) == 1:
        return sum(done.read for done in rounds)
    return rounds[-1].read - rounds[0].read


def cpu_micros(rounds: list[Round]) -> float | None:
    """CPU microseconds an operation, between the ends of the first and the last round.

    One round alone counts from its process's start. None where nobody counts.
    """
    first, last = rounds[0], rounds[-1]
    if not last.cpu_nanos:
        return None
    before = first.cpu_nanos if len(rounds) > 1 else 0
    operations = sum(done.operations for done in (rounds[1:] or rounds))
    return (last.cpu_nanos - before) / 1e3 / operations


def write_amplification(rounds: list[Round]) -> float | None:
    """Bytes written to files for a byte put, between the ends of the first and the last round.

    One round alone counts from its process's start. None where nobody counts.
    """
    first, last = rounds[0], rounds[-1]
    if not last.written:
        return None
    before = first.written if len(rounds) > 1 else 0
    put = sum(done.operations for done in (rounds[1:] or rounds)) * ROW_BYTES
    return (last.written - before) / put


def space_amplification(live: dict[str, int], compacted: dict[str, int]) -> float | None:
    """Bytes of the newest version's files, of those after everything was merged."""
    bytes_now, least = told(live, LIVE_BYTES), told(compacted, LIVE_BYTES)
    return bytes_now / least if bytes_now and least else None


def told(metrics: dict[str, int], names: tuple[str, ...]) -> int | None:
    """The first of these that a provider knows."""
    return next((metrics[name] for name in names if name in metrics), None)


def percentile(ordered: list[float], percent: int) -> float:
    """The smallest value that at least ``percent`` of them do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
