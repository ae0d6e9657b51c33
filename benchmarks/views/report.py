"""The table: seconds of each engine, how many times ours goes into it, barriers, state, memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean, median

from shared.page import where

QUARTER = 10
"""Barriers of a quarter of a run from which on it is told how the run went on."""

LABELS = {"ours": "groundswell", "native": "Spark native (RocksDB)", "recompute": "recompute"}


@dataclass(frozen=True)
class Cell:
    """What one engine did with one query; ``refused`` says why it did nothing.

    ``cold_seconds``: of the same in a fresh process; 0 if nobody measured it. ``cpu``: seconds of
    processor time, which Nexmark calls cores × time. ``series``: what each barrier used, by name.
    ``done``: barriers that there was time for.
    """

    seconds: float = 0
    cold_seconds: float = 0
    barriers: tuple[float, ...] = ()
    state: int = 0
    peak_memory: int = 0
    refused: str = ""
    cpu: float = 0
    done: int = 0
    series: dict[str, list[float]] = field(default_factory=dict)

    def percentile(self, share: float) -> float:
        """Of the barriers' milliseconds, by nearest rank."""
        ordered = sorted(self.barriers)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


@dataclass
class Results:
    """All cells of one run, by query and engine."""

    events: int
    barriers: int
    load_before: float
    base: int = 0
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    changes: dict[str, tuple[list[float], list[float]]] = field(default_factory=dict)
    """By query: milliseconds of each change of 1 % of the base, ours and recomputed."""

    def add(self, query: str, engine: str, cell: Cell) -> None:
        self.cells[query, engine] = cell


def markdown(results: Results) -> str:
    """The whole report."""
    heads = [
        "",
        *LABELS.values(),
        "× native",
        "× recompute",
        "rows/s",
        "CPU (s)",
        "events/s a core",
        "p50 / p99 ms",
        "native p50 / p99",
    ]
    heads += ["state", "native's", "peak memory", "native's"]
    cold = any(cell.cold_seconds for cell in results.cells.values())
    heads += ["cold", "native cold", "recompute cold"] if cold else []
    lines = [
        f"{results.events:,} events in {results.barriers} barriers, warm (after the same query on "
        f"20,000 events in the same process), seconds; views durable after each barrier; "
        f"{where()}; load average {results.load_before:.1f} before the run.\n",
        "| " + " | ".join(heads) + " |",
        "|--|" + "--:|" * (len(heads) - 1),
    ]
    queries = dict.fromkeys(query for query, _ in results.cells)
    lines += ["| " + " | ".join([query, *row(results, query, cold)]) + " |" for query in queries]
    return "\n".join([*lines, "", *refusals(results), *changes(results), *growths(results)])


def row(results: Results, query: str, cold: bool = False) -> Iterator[str]:
    cells = {engine: results.cells.get((query, engine)) for engine in LABELS}
    for cell in cells.values():
        yield "" if cell is None else "refused" if cell.refused else seconds(results, cell)
    ours = cells["ours"]
    for other in ("native", "recompute"):
        cell = cells[other]
        both = ran(cell) and ran(ours) and part(results, cell) == part(results, ours)
        yield f"{cell.seconds / ours.seconds:.1f}" if both else ""
    events = results.events * part(results, ours) if ran(ours) else 0
    yield f"{events / ours.seconds:,.0f}" if ran(ours) else ""
    yield f"{ours.cpu:.1f}" if ran(ours) else ""
    yield f"{events / ours.cpu:,.0f}" if ran(ours) and ours.cpu else ""
    for engine in ("ours", "native"):
        cell = cells[engine]
        yield f"{cell.percentile(0.5):.0f} / {cell.percentile(0.99):.0f}" if ran(cell) else ""
    pair = (ours, cells["native"])
    for cell in pair:
        yield f"{cell.state / 1e6:.0f} MB" if ran(cell) else ""
    for cell in pair:
        yield f"{cell.peak_memory / 1e9:.1f} GB" if ran(cell) else ""
    for cell in cells.values() if cold else ():
        yield f"{cell.cold_seconds:.1f}" if ran(cell) else ""


def part(results: Results, cell: Cell) -> float:
    """The share of the barriers that there was time for."""
    return cell.done / results.barriers if cell.done else 1


def seconds(results: Results, cell: Cell) -> str:
    """Seconds of a run, with how far it came if it was stopped."""
    done = part(results, cell)
    return f"{cell.seconds:.1f}" + ("" if done == 1 else f" (stopped at {done:.0%})")


def growths(results: Results) -> Iterator[str]:
    """How what each barrier used went on over the run: means of its four quarters."""
    for (query, engine), cell in results.cells.items():
        for name, values in cell.series.items():
            size = len(values) // 4
            if size >= QUARTER:
                parts = [values[i * size : (i + 1) * size] for i in range(4)]
                told = ", ".join(f"{mean(part):,.0f}" for part in parts)
                yield f"- {query}, {engine}, {name} by quarter: {told}"


def changes(results: Results) -> Iterator[str]:
    """What follows a base, if any was measured: medians."""
    if not results.changes:
        return
    yield ""
    yield (
        f"A change of 1 % of {results.base:,} events, after which the view is durable and up to "
        "date; five of them, medians, seconds:\n"
    )
    yield "| | groundswell | recompute | × |"
    yield "|--|--:|--:|--:|"
    for query, (ours, again) in results.changes.items():
        mine, other = median(ours) / 1000, median(again) / 1000
        yield f"| {query} | {mine:.2f} | {other:.1f} | {other / mine:.0f} |"


def write(results: Results, path: Path) -> None:
    """Every barrier of the run as JSON."""
    said = {
        "events": results.events,
        "barriers": results.barriers,
        "base": results.base,
        "loadBefore": results.load_before,
        "cells": [
            {"query": query, "engine": engine, **asdict(cell)}
            for (query, engine), cell in results.cells.items()
        ],
        "changes": {
            query: {"ours": ours, "recompute": again}
            for query, (ours, again) in results.changes.items()
        },
    }
    path.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


def ran(cell: Cell | None) -> bool:
    return cell is not None and not cell.refused


def refusals(results: Results) -> Iterator[str]:
    for (query, engine), cell in results.cells.items():
        if cell.refused and engine == "ours":
            yield f"- {query} is not kept incrementally: {cell.refused}"
