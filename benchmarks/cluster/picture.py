"""Small charts of what was sampled, one a figure, as one SVG. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, COLUMNS, GAP, HEAD = 300, 90, 3, 24, 20


def charts(series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """``series``: by name, points of minutes and value, in order."""
    rows = -(-len(series) // COLUMNS)
    width, height = COLUMNS * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP + HEAD) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
    ]
    end = max((points[-1][0] for points in series.values() if points), default=1.0) or 1.0
    for number, (name, points) in enumerate(sorted(series.items())):
        x = GAP + number % COLUMNS * (WIDTH + GAP)
        y = GAP + number // COLUMNS * (HEIGHT + GAP + HEAD)
        most = max((value for _, value in points), default=0.0) or 1.0
        line = " ".join(
            f"{x + minute / end * WIDTH:.1f},{y + HEAD + HEIGHT * (1 - value / most):.1f}"
            for minute, value in points
        )
        last = points[-1][1] if points else 0.0
        parts.append(
            f'<text x="{x}" y="{y + 12}">{escape(name)}: {last:,.0f}, at most {most:,.0f}</text>'
            f'<rect x="{x}" y="{y + HEAD}" width="{WIDTH}" height="{HEIGHT}" fill="#f2f4f7"/>'
            f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="2"/>'
            f'<text x="{x + WIDTH}" y="{y + HEAD + HEIGHT + 14}" text-anchor="end" '
            f'fill="#57606a">{end:.0f} min</text>'
        )
    return "".join([*parts, "</svg>"])
