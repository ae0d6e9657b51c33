"""What a run has used after each barrier, drawn: a row for each query, a column for each figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

Series = Mapping[str, Sequence[float]]

PLAIN: Any = {"svg.fonttype": "none", "svg.hashsalt": "views"}
"""Text stays text, and equal runs make equal files."""


def draw(runs: Mapping[str, Series], barrier: float, path: Path) -> None:
    """Writes the figure.

    Args:
        runs: by query, what was sampled after each barrier.
        barrier: events that each barrier has.
        path: of the SVG.
    """
    names = list(dict.fromkeys(name for series in runs.values() for name in series))
    figure = Figure(figsize=(2.4 * len(names), 1.5 * len(runs) + 0.5))
    grid = figure.subplots(len(runs), len(names), squeeze=False)
    for line, (query, series) in zip(grid, runs.items(), strict=True):
        for axes, name in zip(line, names, strict=True):
            values = series.get(name, ())
            millions = [barrier / 1e6 * (i + 1) for i in range(len(values))]
            axes.plot(millions, values, linewidth=0.8)
            axes.set_ylim(bottom=0)
            axes.tick_params(labelsize=6)
            axes.set_title(f"{query}: {name}", fontsize=7)
    for axes in grid[-1]:
        axes.set_xlabel("million events", fontsize=6)
    figure.tight_layout()
    with rc_context(PLAIN):
        figure.savefig(path, metadata={"Date": None})
