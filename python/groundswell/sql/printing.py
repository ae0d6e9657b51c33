"""Rows and barriers as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Rows under their columns' names, and how many there are."""
    cells = [[_text(value) for value in row] for row in rows]
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


def running(barrier: Mapping[str, Any]) -> str:
    """How far the barrier is that is computed now, in one line."""
    percent = "" if barrier["percent"] is None else f"{barrier['percent']} %, "
    return f"epoch {barrier['epoch']} is computed: {percent}{barrier['seconds']:.0f} s so far"


def _text(value: Any) -> str:
    return "NULL" if value is None else str(value)
