"""The drawings of the page: dataflow, epochs, levels. Pure; no style but by class."""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.ui.layout import HEIGHT, WIDTH, place
from groundswell.ui.lsm import StorePicture
from groundswell.ui.model import PHASES, Box, EpochFacts
from groundswell.ui.units import count, cut, rate, size, span, text

TITLE_CHARS = 20
RAIL = 106
BAR_WIDTH = 10
_WIDEST = 24
"""Pixels of a bar with its gap, however few epochs there are."""
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
            x1, y1 = source.x + WIDTH, source.y + HEIGHT // 2
            x2, y2 = placed.x, placed.y + HEIGHT // 2
            bend = max((x2 - x1) // 2, 24)
            live = " live" if source.box.rate else ""
            parts.append(
                f'<path class="edge{live}" d="M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} '
                f'{x2} {y2}"/>'
            )
            if source.box.rate:
                labels[below] = (x1 + 4, y1 - 6, source.box.rate)
    for x, y, value in labels.values():
        parts.append(f'<text class="rate" x="{x}" y="{y}">{text(rate(value))}</text>')
    parts += [_box(placed.box, placed.x, placed.y) for placed in layout.boxes.values()]
    return "".join([*parts, "</svg>"])


def _box(box: Box, x: int, y: int) -> str:
    slow = " slow" if box.slow else ""
    about = f"{box.kind} {box.title}\n{box.text}"
    lines = [
        f'<g class="box {box.kind}{slow}"><title>{text(about)}</title>'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
        f'<text class="name" x="{x + 12}" y="{y + 21}">{text(cut(box.title, TITLE_CHARS))}</text>'
    ]
    if box.kind == "sink":
        under = box.text
    elif box.kind == "source":
        under = f"source, {rate(box.rate)}"
    elif box.bytes:
        under = f"{count(box.rows)} rows, {size(box.bytes)}"
    else:
        under = "no state"
    lines.append(f'<text class="under" x="{x + 12}" y="{y + 38}">{text(cut(under, 27))}</text>')
    if box.busy:
        wide = max(round((WIDTH - RAIL) * box.busy), 2)
        at = f'x="{x + 12}" y="{y + 46}"'
        lines.append(
            f'<rect class="rail" {at} width="{WIDTH - RAIL}" height="6" rx="3"/>'
            f'<rect class="busy" {at} width="{wide}" height="6" rx="3"/>'
            f'<text class="share" x="{x + WIDTH - 12}" y="{y + 53}">'
            f"{box.busy:.0%}{' slowest' if box.slow else ''}</text>"
        )
    return "".join([*lines, "</g>"])


def scale(facts: Sequence[EpochFacts]) -> str:
    """What the bars of epochs say: how long the tallest is, which epochs they are, the phases."""
    tallest = max((sum(e.phases.values()) for e in facts), default=0)
    used = [name for name in PHASES if any(e.phases.get(name) for e in facts)]
    legend = "".join(f'<i class="phase {name}"></i>{name} ' for name in used)
    which = f"epochs {facts[0].epoch:,} to {facts[-1].epoch:,}" if facts else "no epoch yet"
    told = f"a bar an epoch, {which}; the tallest took {span(tallest)}"
    return f'<p class="scale">{legend}{text(told)}</p>'


def epochs(facts: Sequence[EpochFacts]) -> str:
    """A bar an epoch, of the phases that its time went to."""
    tallest = max((sum(e.phases.values()) for e in facts), default=0) or 1
    width = max(len(facts) * (BAR_WIDTH + 2), 1)
    parts = [
        f'<svg class="epochs" width="{len(facts) * _WIDEST}" '
        f'viewBox="0 0 {width} {CHART_HEIGHT}" preserveAspectRatio="none" '
        f'role="img" aria-label="epochs, the tallest is {text(span(tallest))}">'
    ]
    for i, epoch in enumerate(facts):
        y = float(CHART_HEIGHT)
        told = ", ".join(f"{name} {span(millis)}" for name, millis in epoch.phases.items())
        parts.append(
            f"<g><title>{text(f'epoch {epoch.epoch}: {epoch.rows:,} rows, {told}')}</title>"
        )
        for name in PHASES:
            high = epoch.phases.get(name, 0) / tallest * (CHART_HEIGHT - 4)
            if high:
                y -= high
                parts.append(
                    f'<rect class="phase {name}" x="{i * (BAR_WIDTH + 2)}" y="{y:.1f}" '
                    f'width="{BAR_WIDTH}" height="{high:.1f}"/>'
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
        told = f"{size(level.bytes)}, {files}, {count(level.entries)} rows"
        parts.append(f'<text class="told" x="{x + 8:.1f}" y="{y + 17}">{text(told)}</text>')
    return "".join([*parts, "</svg>"])
