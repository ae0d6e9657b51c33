"""Places the boxes of a dataflow in columns, from left to right. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundswell.ui.model import Box

WIDTH, HEIGHT = 182, 62
GAP_X, GAP_Y = 58, 22
MARGIN = 12
SWEEPS = 4


@dataclass(frozen=True)
class Placed:
    """A box, and where its upper left corner is."""

    box: Box
    x: int
    y: int


@dataclass(frozen=True)
class Layout:
    """A drawing: its size, and its boxes by id."""

    width: int
    height: int
    boxes: dict[str, Placed]


def place(boxes: Sequence[Box]) -> Layout:
    """Each box stands right of all its inputs, near the height of their mean.

    Args:
        boxes: in topological order.
    """
    columns = _columns(boxes)
    rows = {box.id: float(i) for column in columns for i, box in enumerate(column)}
    readers: dict[str, list[str]] = {box.id: [] for box in boxes}
    for box in boxes:
        for below in box.inputs:
            readers.get(below, []).append(box.id)
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            near = {b.id: list(b.inputs) if sweep % 2 == 0 else readers[b.id] for b in column}
            column.sort(key=lambda b: _mean([rows[i] for i in near[b.id] if i in rows], rows[b.id]))
            rows |= {box.id: float(i) for i, box in enumerate(column)}
    tallest = max((len(column) for column in columns), default=0)
    placed = {}
    for c, column in enumerate(columns):
        shift = (tallest - len(column)) * (HEIGHT + GAP_Y) // 2
        for r, box in enumerate(column):
            x = MARGIN + c * (WIDTH + GAP_X)
            placed[box.id] = Placed(box, x, MARGIN + shift + r * (HEIGHT + GAP_Y))
    width = 2 * MARGIN + len(columns) * (WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + tallest * (HEIGHT + GAP_Y) - GAP_Y
    return Layout(max(width, 1), max(height, 1), placed)


def _columns(boxes: Sequence[Box]) -> list[list[Box]]:
    depth: dict[str, int] = {}
    for box in boxes:
        depth[box.id] = 1 + max((depth[i] for i in box.inputs if i in depth), default=-1)
    columns: list[list[Box]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for box in boxes:
        columns[depth[box.id]].append(box)
    return columns


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
