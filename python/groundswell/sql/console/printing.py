"""Rows and barriers as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Rows under their columns' names, and how many there are; one text of several lines alone."""
    cells = [[_text(value) for value in row] for row in rows]
    if len(cells) == len(names) == 1 and "\n" in cells[0][0]:
        return cells[0][0].splitlines()
    widths = [max(len(name), *(len(row[i]) for row in cells), 1) for i, name in enumerate(names)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [names, ["-" * width for width in widths], *cells]
    ]
    return [*lines, f"({len(cells)} row{'' if len(cells) == 1 else 's'})"]


def barrier(done: Mapping[str, Any]) -> str:
    """What a barrier did, in one line."""
    sources = ", ".join(f"{name} {rows}" for name, rows in done["sources"].items() if rows)
    late = f", {done['lateRows']} late" if done["lateRows"] else ""
    loading = done.get("loading")
    part = "" if loading is None else f", {loading:.0f} % of the first load"
    return (
        f"epoch {done['epoch']}: {done['inputRows']} rows in ({sources or 'none'}{late}){part}, "
        f"{done['barrierMillis']} ms, fresh after {done['freshnessMillis']} ms"
    )


def running(barrier: Mapping[str, Any] | None, loading: float | None = None) -> str:
    """How far a first load is, and the barrier that is computed now, in one line.

    Args:
        barrier: as ``status`` has it; None: there is none to tell of.
        loading: per cent of the first load; None: there is none.
    """
    told = [] if loading is None else [f"{loading:.0f} % of the first load is there"]
    if barrier is not None:
        percent = "" if barrier["percent"] is None else f"{barrier['percent']} %, "
        seconds = f"{barrier['seconds']:.0f} s so far"
        told.append(f"epoch {barrier['epoch']} is computed: {percent}{seconds}")
    return "; ".join(told)


def _text(value: Any) -> str:
    return "NULL" if value is None else str(value)
