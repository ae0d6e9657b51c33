"""The table: rows a second of each store, ratios, batch times, memory and bytes of the state."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from queries.workload import WORKLOADS
from shared.page import where

PROVIDERS = {"ours": "groundswell", "rocksdb": "RocksDB", "hdfs": "HDFS-backed"}
LABELS = {
    "default": "as a user gets it (Spark's own file manager for the others)",
    "same": "the same file manager for all",
}


@dataclass(frozen=True)
class Cell:
    """What one store did with one query, after the warm-up batches."""

    rows: tuple[int, ...]
    millis: tuple[int, ...]
    state_rows: int
    state_memory: int
    state_bytes: int
    peak_memory: int

    @property
    def per_second(self) -> float:
        """Input rows a second."""
        return 1000 * sum(self.rows) / sum(self.millis)


@dataclass
class Results:
    """All cells of one run, by workload, mode and provider."""

    batch_rows: int
    load_before: float
    cells: dict[tuple[str, str, str], Cell] = field(default_factory=dict)

    def add(self, name: str, mode: str, provider: str, cell: Cell) -> None:
        self.cells[name, mode, provider] = cell


def markdown(results: Results) -> str:
    """The whole report."""
    heads = ["rows/s", *PROVIDERS.values(), "× RocksDB", "× HDFS-backed", "batch p50, ms"]
    heads += ["peak memory, GB", "state on disk, MB"]
    lines = [
        f"{results.batch_rows:,} rows a batch (joins: half as many on the right), local[2], "
        f"4 partitions; {where()}; load average {results.load_before:.1f} before the run.\n"
    ]
    for mode, label in LABELS.items():
        rows = list(table(results, mode))
        if rows:
            lines += [f"**{label[0].upper()}{label[1:]}**\n", "| " + " | ".join(heads) + " |"]
            lines += ["|--|" + "--:|" * (len(heads) - 1), *rows, ""]
    return "\n".join(lines)


def table(results: Results, mode: str) -> Iterator[str]:
    for name, workload in WORKLOADS.items():
        found = {p: results.cells.get((name, mode, p)) for p in PROVIDERS}
        cells = {p: cell for p, cell in found.items() if cell is not None}
        if "ours" not in cells:
            continue
        shown = [f"{c.per_second:,.0f}" if (c := cells.get(p)) else "" for p in PROVIDERS]
        ratios = [
            f"{cells['ours'].per_second / cells[p].per_second:.2f}" if p in cells else ""
            for p in ("rocksdb", "hdfs")
        ]
        each = list(cells.values())
        more = [
            " / ".join(f"{statistics.median(c.millis):.0f}" for c in each),
            " / ".join(f"{c.peak_memory / 1e9:.1f}" for c in each),
            " / ".join(f"{c.state_bytes / 1e6:.0f}" for c in each),
        ]
        yield "| " + " | ".join([workload.label, *shown, *ratios, *more]) + " |"
