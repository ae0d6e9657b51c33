"""The drawings of the page: dataflow, epochs, levels. Pure; no style but by class."""

from __future__ import annotations

import math
from collections.abc import Sequence

from groundswell.ui.layout import HEIGHT, WIDTH, Placed, place
from groundswell.ui.lsm import StorePicture
from groundswell.ui.model import PHASES, Box, EpochFacts
from groundswell.ui.units import cut, rate, row_count, size, span, text

TITLE_CHARS, UNDER_CHARS = 19, 23
RAIL = 106
BAR_STEP = 14
"""Pixels of a bar with its gap."""
SKEWED = 50
CHART_HEIGHT = 150
LEVEL_WIDTH = 640


def dataflow(boxes: Sequence[Box]) -> str:
    """The graph: boxes with rows and bytes of state, edges with rows a second."""
    layout = place(boxes)
    parts = [
        f'<svg class="flow" width="{layout.width}" height="{layout.height}" '
        f'viewBox="0 0 {layout.width} {layout.height}" role="img" aria-label="dataflow">'
    ]
    labels: dict[str, tuple[int, int, float]] = {}
    for placed in layout.boxes.values():
        for below in placed.box.inputs:
            if below not in layout.boxes:
                continue
            source = layout.boxes[below]
            live = " live" if source.box.rate else ""
            parts.append(f'<path class="edge{live}" d="{_edge(source, placed, layout.down)}"/>')
            if source.box.rate:
                labels[below] = (*_beside(source, layout.down), source.box.rate)
    for x, y, value in labels.values():
        parts.append(f'<text class="rate" x="{x}" y="{y}">{text(rate(value))}</text>')
    parts += [_box(placed.box, placed.x, placed.y) for placed in layout.boxes.values()]
    return "".join([*parts, "</svg>"])


def _edge(source: Placed, to: Placed, down: bool) -> str:
    """From the side where rows leave a box to the side where they enter another."""
    if down:
        x1, y1, x2, y2 = source.x + WIDTH // 2, source.y + HEIGHT, to.x + WIDTH // 2, to.y
        bend = max((y2 - y1) // 2, 24)
        return f"M{x1} {y1} C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"
    x1, y1, x2, y2 = source.x + WIDTH, source.y + HEIGHT // 2, to.x, to.y + HEIGHT // 2
    bend = max((x2 - x1) // 2, 24)
    return f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"


def _beside(source: Placed, down: bool) -> tuple[int, int]:
    """Where the rate of what leaves a box stands: where its edges begin, and are its own."""
    if down:
        return source.x + WIDTH // 2 + 6, source.y + HEIGHT + 13
    return source.x + WIDTH + 4, source.y + HEIGHT // 2 - 6


def _box(box: Box, x: int, y: int) -> str:
    slow = " slow" if box.slow else ""
    about = f"{box.kind} {box.title}\n{box.text}"
    lines = [
        f'<g class="box {box.kind}{slow}"><title>{text(about)}</title>'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
        # an SVG of its own ends at its edge, however wide the letters of a font are
        f'<svg x="{x + 12}" y="{y}" width="{WIDTH - 16}" height="{HEIGHT}">'
        f'<text class="name" y="21">{text(cut(box.title, TITLE_CHARS))}</text>'
    ]
    if box.kind == "sink":
        under = box.text
    elif box.kind == "source":
        under = f"source, {rate(box.rate)}"
    elif box.bytes:
        under = f"{row_count(box.rows)}, {size(box.bytes)}"
    else:
        under = "no state"
    below = [box.what] if box.what else []
    for i, line in enumerate([*below, under]):
        at = f'y="{38 + 16 * i}"'
        lines.append(f'<text class="under" {at}>{text(cut(line, UNDER_CHARS))}</text>')
    lines.append("</svg>")
    if box.busy:
        wide = max(round((WIDTH - RAIL) * box.busy), 2)
        at = f'x="{x + 12}" y="{y + HEIGHT - 15}"'
        lines.append(
            f'<rect class="rail" {at} width="{WIDTH - RAIL}" height="6" rx="3"/>'
            f'<rect class="busy" {at} width="{wide}" height="6" rx="3"/>'
            f'<text class="share" x="{x + WIDTH - 12}" y="{y + HEIGHT - 8}">'
            f"{box.busy:.0%}{' slowest' if box.slow else ''}</text>"
        )
    return "".join([*lines, "</g>"])


def scale(facts: Sequence[EpochFacts]) -> str:
    """What the bars of epochs say: how long the tallest is, which epochs they are, the phases."""
    used = [name for name in PHASES if any(e.phases.get(name) for e in facts)]
    legend = "".join(f'<i class="phase {name}"></i>{name} ' for name in used)
    which = f"epochs {facts[0].epoch:,} to {facts[-1].epoch:,}" if facts else "no epoch yet"
    return f'<p class="scale">{legend}{text(f"a bar an epoch, {which}; {heights(facts)}")}</p>'


def heights(facts: Sequence[EpochFacts]) -> str:
    """What the height of a bar means."""
    tallest = span(max((_millis(e) for e in facts), default=0))
    if is_logarithmic(facts):
        return f"the tallest took {tallest}, half its height is {span(_half(facts))}"
    return f"the tallest took {tallest}"


def is_logarithmic(facts: Sequence[EpochFacts]) -> bool:
    """Whether one epoch took so long that the others would be flat: 50 times their median."""
    times = sorted(_millis(e) for e in facts)
    return len(times) > 2 and times[-1] > SKEWED * max(times[len(times) // 2], 1)


def _millis(epoch: EpochFacts) -> float:
    return sum(epoch.phases.values())


def _half(facts: Sequence[EpochFacts]) -> float:
    """The time whose bar is half as high as the tallest, on a logarithmic scale from 1 ms on."""
    return math.sqrt(1 + max(_millis(e) for e in facts)) - 1


def epochs(facts: Sequence[EpochFacts]) -> str:
    """A bar an epoch, of the phases that its time went to.

    Where one took far longer than the others, heights go by the logarithm of the whole time, and a
    bar is shared out as its time was.
    """
    tallest = max((_millis(e) for e in facts), default=0) or 1
    logarithmic = is_logarithmic(facts)
    width = max(len(facts) * BAR_STEP, 1)
    parts = [
        f'<svg class="epochs" width="{width}" height="{CHART_HEIGHT}" '
        f'viewBox="0 0 {width} {CHART_HEIGHT}" '
        f'role="img" aria-label="epochs, {text(heights(facts))}">'
    ]
    for i, epoch in enumerate(facts):
        y, whole = float(CHART_HEIGHT), _millis(epoch)
        share = math.log1p(whole) / math.log1p(tallest) if logarithmic else whole / tallest
        told = ", ".join(f"{name} {span(millis)}" for name, millis in epoch.phases.items())
        parts.append(
            f"<g><title>{text(f'epoch {epoch.epoch}: {row_count(epoch.rows)}, {told}')}</title>"
        )
        for name in PHASES:
            part = epoch.phases.get(name, 0) / whole if whole else 0
            high = part * share * (CHART_HEIGHT - 4)
            if high:
                y -= high
                parts.append(
                    f'<rect class="phase {name}" x="{i * BAR_STEP}" y="{y:.1f}" '
                    f'width="{BAR_STEP - 2}" height="{high:.1f}"/>'
                )
        parts.append("</g>")
    return "".join([*parts, "</svg>"])


def store(picture: StorePicture) -> str:
    """The levels of a store, newest on top; a rectangle a file, as wide as it is large."""
    most = max((level.bytes for level in picture.levels), default=0) or 1
    high = 26
    parts = [
        f'<svg class="lsm" viewBox="0 0 {LEVEL_WIDTH} {max(len(picture.levels), 1) * high}" '
        'role="img" aria-label="levels">'
    ]
    for i, level in enumerate(picture.levels):
        y, x = i * high, 56.0
        scale = (LEVEL_WIDTH - 56 - 190) / most
        parts.append(f'<text class="level" x="0" y="{y + 17}">{text(level.name)}</text>')
        for length, entries in picture.runs.get(level.name, ()):
            wide = max(length * scale, 3)
            told = f"{size(length)}, {entries:,} entries"
            parts.append(
                f'<rect class="file" x="{x:.1f}" y="{y + 4}" width="{max(wide - 1, 2):.1f}" '
                f'height="18" rx="2"><title>{text(told)}</title></rect>'
            )
            x += wide
        files = f"{level.files} file{'s' if level.files > 1 else ''}"
        told = f"{size(level.bytes)}, {files}, {row_count(level.entries)}"
        parts.append(f'<text class="told" x="{x + 8:.1f}" y="{y + 17}">{text(told)}</text>')
    return "".join([*parts, "</svg>"])
