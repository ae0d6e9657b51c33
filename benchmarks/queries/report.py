"""The table: rows a second of each store, ratios, batch times, memory and bytes of the state."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from queries.workload import WORKLOADS
from shared.page import where

PROVIDERS = {"ours": "groundswell", "rocksdb": "RocksDB", "hdfs": "HDFS-backed"}
LABELS = {
    "default": "as a user gets it (Spark's own file manager for the others)",
    "same": "the same file manager for all",
}


@dataclass(frozen=True)
class Cell:
    """What one store did with one query, after the warm-up batches.

    Attributes:
        rows: input rows, by batch.
        millis: Spark's ``triggerExecution``, by batch.
        cpu_millis: CPU time of the JVM, by batch.
        parts: medians of some of Spark's ``durationMs``.
        state_rows: keys in the state at the end.
        state_memory: what the provider says that it holds in memory, bytes.
        state_bytes: of the files of the state.
        peak_memory: most that the JVM's process ever had in memory, native memory included, bytes.
        live_heap: of its heap, what is in use after a full collection at the end, bytes.
    """

    rows: tuple[int, ...]
    millis: tuple[int, ...]
    cpu_millis: tuple[int, ...]
    parts: dict[str, float]
    state_rows: int
    state_memory: int
    state_bytes: int
    peak_memory: int
    live_heap: int

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
        for shown in LABELS if provider == "ours" else [mode]:
            self.cells[name, shown, provider] = cell

    def data(self) -> dict[str, Any]:
        """Every batch, for the JSON beside the page."""
        cells = [
            {"query": name, "mode": mode, "provider": provider, **asdict(cell)}
            for (name, mode, provider), cell in self.cells.items()
        ]
        return {"batch_rows": self.batch_rows, "load_before": self.load_before, "cells": cells}


def markdown(results: Results) -> str:
    """The whole report."""
    heads = ["rows/s", *PROVIDERS.values(), "× RocksDB", "× HDFS-backed", "batch p50, ms"]
    heads += ["CPU a batch, ms", "peak memory, GB", "live heap, MB", "memory reported, MB"]
    heads += ["state on disk, MB"]
    lines = [
        f"{results.batch_rows:,} rows a batch (joins: half as many on the right), local[2], "
        f"4 partitions; {where()}; load average {results.load_before:.1f} before the run.\n"
    ]
    for mode, label in LABELS.items():
        rows = list(table(results, mode))
        if rows:
            lines += [f"**{label[0].upper()}{label[1:]}**\n", "| " + " | ".join(heads) + " |"]
            lines += ["|--|" + "--:|" * (len(heads) - 1), *rows, ""]
    return "\n".join([*lines, *empty_table(results)])


def empty_table(results: Results) -> Iterator[str]:
    """What a micro-batch without rows costs, and where Spark says that its time goes."""
    cells = {(m, p): c for (n, m, p), c in results.cells.items() if WORKLOADS[n].empty}
    cells.pop(("same", "ours"), None)
    if not cells:
        return
    parts = list(next(iter(cells.values())).parts)
    yield f"**{WORKLOADS['empty'].label.capitalize()}, p50 in ms**\n"
    yield "| | all | " + " | ".join(parts) + " | CPU |"
    yield "|--|" + "--:|" * (2 + len(parts))
    for (mode, provider), cell in cells.items():
        which = "" if provider == "ours" else f", {LABELS[mode].split(' (')[0]}"
        figures = [statistics.median(cell.millis), *cell.parts.values()]
        figures.append(statistics.median(cell.cpu_millis))
        shown = " | ".join(f"{figure:.0f}" for figure in figures)
        yield f"| {PROVIDERS[provider]}{which} | {shown} |"


def table(results: Results, mode: str) -> Iterator[str]:
    for name, workload in WORKLOADS.items():
        found = {p: results.cells.get((name, mode, p)) for p in PROVIDERS}
        cells = {p: cell for p, cell in found.items() if cell is not None}
        if "ours" not in cells or workload.empty:
            continue
        shown = [f"{c.per_second:,.0f}" if (c := cells.get(p)) else "" for p in PROVIDERS]
        ratios = [
            f"{cells['ours'].per_second / cells[p].per_second:.2f}" if p in cells else ""
            for p in ("rocksdb", "hdfs")
        ]
        each = list(cells.values())
        more = [
            " / ".join(f"{statistics.median(c.millis):.0f}" for c in each),
            " / ".join(f"{statistics.median(c.cpu_millis):.0f}" for c in each),
            " / ".join(f"{c.peak_memory / 1e9:.1f}" for c in each),
            " / ".join(f"{c.live_heap / 1e6:.0f}" for c in each),
            " / ".join(f"{c.state_memory / 1e6:.0f}" for c in each),
            " / ".join(f"{c.state_bytes / 1e6:.0f}" for c in each),
        ]
        yield "| " + " | ".join([workload.label, *shown, *ratios, *more]) + " |"
