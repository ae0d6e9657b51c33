"""Places the boxes of a dataflow from left to right; from top to bottom where that is too wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundswell.ui.model import Box

WIDTH, HEIGHT = 186, 78
ALONG, ACROSS = 54, 20
"""Pixels between layers, and between the boxes of a layer."""
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
    """A drawing: its size, its boxes by id, and whether rows flow down in it."""

    width: int
    height: int
    boxes: dict[str, Placed]
    down: bool = False


def place(boxes: Sequence[Box], most: int = 1208) -> Layout:
    """Each box stands behind all its inputs, near the middle of them.

    Args:
        boxes: in topological order.
        most: pixels that the drawing may be wide, at least one box.
    """
    layers = _sorted(_layers(boxes))
    wide = 2 * MARGIN + len(layers) * (WIDTH + ALONG) - ALONG
    return _across(layers) if wide <= most else _down(layers, most)


def _across(layers: Sequence[Sequence[Box]]) -> Layout:
    tallest = max((len(layer) for layer in layers), default=0)
    placed = {}
    for c, layer in enumerate(layers):
        shift = (tallest - len(layer)) * (HEIGHT + ACROSS) // 2
        for r, box in enumerate(layer):
            x = MARGIN + c * (WIDTH + ALONG)
            placed[box.id] = Placed(box, x, MARGIN + shift + r * (HEIGHT + ACROSS))
    width = 2 * MARGIN + len(layers) * (WIDTH + ALONG) - ALONG
    height = 2 * MARGIN + tallest * (HEIGHT + ACROSS) - ACROSS
    return Layout(max(width, 1), max(height, 1), placed)


def _down(layers: Sequence[Sequence[Box]], most: int) -> Layout:
    """A layer that is too wide takes several lines."""
    fit = max((most - 2 * MARGIN + ACROSS) // (WIDTH + ACROSS), 1)
    lines = [layer[i : i + fit] for layer in layers for i in range(0, len(layer), fit)]
    widest = max((len(line) for line in lines), default=0)
    placed = {}
    for r, line in enumerate(lines):
        shift = (widest - len(line)) * (WIDTH + ACROSS) // 2
        for c, box in enumerate(line):
            x = MARGIN + shift + c * (WIDTH + ACROSS)
            placed[box.id] = Placed(box, x, MARGIN + r * (HEIGHT + ALONG))
    width = 2 * MARGIN + widest * (WIDTH + ACROSS) - ACROSS
    height = 2 * MARGIN + len(lines) * (HEIGHT + ALONG) - ALONG
    return Layout(max(width, 1), max(height, 1), placed, down=True)


def _sorted(layers: list[list[Box]]) -> list[list[Box]]:
    """Barycentre sweeps (Sugiyama, Tagawa and Toda, 1981): near what they read, and are read by."""
    at = {box.id: float(i) for layer in layers for i, box in enumerate(layer)}
    readers: dict[str, list[str]] = {box.id: [] for layer in layers for box in layer}
    for layer in layers:
        for box in layer:
            for below in box.inputs:
                readers.get(below, []).append(box.id)
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            near = {b.id: list(b.inputs) if sweep % 2 == 0 else readers[b.id] for b in layer}
            layer.sort(key=lambda b: _mean([at[i] for i in near[b.id] if i in at], at[b.id]))
            at |= {box.id: float(i) for i, box in enumerate(layer)}
    return layers


def _layers(boxes: Sequence[Box]) -> list[list[Box]]:
    depth: dict[str, int] = {}
    for box in boxes:
        depth[box.id] = 1 + max((depth[i] for i in box.inputs if i in depth), default=-1)
    layers: list[list[Box]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for box in boxes:
        layers[depth[box.id]].append(box)
    return layers


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
