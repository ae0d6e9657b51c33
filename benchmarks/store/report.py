"""The table: what each provider did, how many times ours did of it, what is slower."""

import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from groundswell.version import VERSION
from shared.page import FOLDER, where
from store.cases import HDFS, OURS, ROCKSDB, Figure, Mode, Provider
from store.results import LIVE_BYTES, Cell, Results, told

Value = Callable[[Cell], float | None]
Show = Callable[[float], str]


class Line(NamedTuple):
    """One line of the table and how to find it in a cell."""

    figure: str
    label: str
    value: Value
    show: Show
    more_is_better: bool


def rate(value: float) -> str:
    """1234567 -> 1.23 M."""
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{value / 1e3:.0f} k" if value >= 1e4 else f"{value:,.0f}"


def millis(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms"


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f} MB"


def times(value: float) -> str:
    """A ratio; small ones keep a digit that says something."""
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def factor(value: float) -> str:
    return f"{value:.2f}"


def micros(value: float) -> str:
    return f"{value:.1f} µs"


CPU = ("CPU time a row", lambda c: c.cpu_micros, micros)
COMMITS = (
    ("commit p50", lambda c: c.commit_p50, millis),
    ("commit p99", lambda c: c.commit_p99, millis),
)
BATCHES = (
    CPU,
    ("batch p50", lambda c: c.batch_p50, millis),
    ("batch p99", lambda c: c.batch_p99, millis),
    *COMMITS,
    ("bytes written for a byte put", lambda c: c.write_amplification, factor),
    ("bytes of files / after merging all", lambda c: c.space_amplification, factor),
)
MORE: dict[str, tuple[tuple[str, Value, Show], ...]] = {
    "load": (
        CPU,
        *COMMITS,
        ("on disk after it", lambda c: c.bytes, megabytes),
        ("bytes written for a byte put, loading", lambda c: c.write_amplification, factor),
    ),
    "update": BATCHES,
    "churn": BATCHES,
}
"""Lines below a figure's own; less is better in all of them."""


def lines(figures: list[Figure]) -> Iterator[Line]:
    """The table's lines, from top to bottom."""
    for figure in figures:
        timed = figure.unit == "ms"
        label = figure.label if timed else f"{figure.label} ({figure.unit})"
        yield Line(figure.name, label, lambda c: c.value, millis if timed else rate, not timed)
        for label, value, show in MORE.get(figure.name, ()):
            yield Line(figure.name, label, value, show, more_is_better=False)


def markdown(results: Results) -> str:
    """The whole report."""
    suite = results.suite
    parts = [
        f"{results.rows:,} keys of 40 bytes, values of 88 bytes, one partition, heaps of "
        f"{suite.heap}; {where()}; load average {results.load_before:.1f} before the run.\n"
    ]
    for mode, figures in suite.tables:
        rows = list(table(results, mode, figures))
        if rows:
            against = [f"× {p.label}" for p in compared(results)]
            heading = ["", *(p.label for p in suite.providers), *against]
            parts.append(f"**{mode.label[0].upper()}{mode.label[1:]}**\n")
            parts.append("| " + " | ".join(heading) + " |")
            parts.append("|--|" + "--:|" * (len(heading) - 1))
            parts.extend("| " + " | ".join(row) + " |" for row in rows)
            parts.append("")
            parts.append(slower(results, mode, figures) + "\n")
    parts.extend(
        section("How loading left the stores, and so how they were read:", loaded(results))
    )
    parts.extend(section("While batches ran:", ran(results)))
    parts.extend(section("Not in the page cache, and so read from the disk:", cold(results)))
    return "\n".join(parts)


def compared(results: Results) -> list[Provider]:
    """Whom the ratios are against."""
    return [p for p in (ROCKSDB, HDFS) if p in results.suite.providers]


def table(results: Results, mode: Mode, figures: list[Figure]) -> Iterator[list[str]]:
    for line in lines(figures):
        providers = results.suite.providers
        values = {p.name: value_of(results, mode, line, p.name) for p in providers}
        if any(value is not None for value in values.values()):
            shown = [line.show(v) if v is not None else "" for v in values.values()]
            ours = values[OURS.name]
            ratios = [ratio(ours, values[p.name], line) for p in compared(results)]
            yield [line.label, *shown, *(times(r) if r else "" for r in ratios)]


def value_of(results: Results, mode: Mode, line: Line, provider: str) -> float | None:
    cell = results.get(mode.name, line.figure, provider)
    return line.value(cell) if cell else None


def ratio(ours: float | None, theirs: float | None, line: Line) -> float | None:
    """Above 1 ours is better: more of what is good, or less of what is not."""
    if not ours or not theirs:
        return None
    return ours / theirs if line.more_is_better else theirs / ours


def slower(results: Results, mode: Mode, figures: list[Figure]) -> str:
    """Names each figure in which ours loses to anyone."""
    found = []
    for line in lines(figures):
        ours = value_of(results, mode, line, OURS.name)
        losses = [
            f"{p.label} ({1 / r:.1f} times)"
            for p in results.suite.providers
            if (r := ratio(ours, value_of(results, mode, line, p.name), line)) and r < 0.95
        ]
        if losses:
            found.append(f"- {line.label}: behind {' and '.join(losses)}")
    if not found:
        return "Slower or larger than another: nothing."
    return "\n".join(["Slower or larger than another:\n", *found])


def section(title: str, told: Iterator[str]) -> Iterator[str]:
    """A list with its title, if there is anything in it."""
    points = [f"- {one}" for one in told]
    if points:
        yield f"{title}\n"
        yield from points
        yield ""


def loaded(results: Results) -> Iterator[str]:
    """In what shape the stores were when they were measured."""
    for who, cell in of_figures(results, "load"):
        yield f"{who}: {shape(cell)}"


def ran(results: Results) -> Iterator[str]:
    """What merges did beside batches, and what it cost these."""
    for who, cell in of_figures(results, "update", "churn"):
        yield f"{who}: {', '.join(beside(cell))}"
    for mode, figures in results.suite.tables:
        for figure in figures:
            if figure.divisor > 1:
                yield from grown(results, mode, figure)


def cold(results: Results) -> Iterator[str]:
    """Cells that waited for the disk: another machine's memory would make them faster."""
    for mode, figures in results.suite.tables:
        for figure in figures:
            for provider in results.suite.providers:
                cell = results.get(mode.name, figure.name, provider.name)
                if cell is not None and cell.disk_bytes >= 1_000_000:
                    size = megabytes(cell.disk_bytes)
                    yield f"{provider.label}, {mode.name}, {figure.label}: {size}"


def of_figures(results: Results, *names: str) -> Iterator[tuple[str, Cell]]:
    """The cells of these figures, each with whose it is."""
    for mode, figures in results.suite.tables:
        for figure in figures:
            for provider in results.suite.providers:
                cell = results.get(mode.name, figure.name, provider.name)
                if cell is not None and figure.name in names:
                    yield f"{provider.label}, {mode.name}", cell


def beside(cell: Cell) -> Iterator[str]:
    """Of one cell of batches."""
    if cell.batch_p50 and cell.batch_p99:
        yield f"batch p99 is {cell.batch_p99 / cell.batch_p50:.1f} × the median"
    if cell.sub_levels:
        yield "{} to {} sub-levels after a batch".format(*cell.sub_levels)
    if cell.merged_bytes:
        count, of = cell.batches_with_merges, len(cell.rounds)
        yield f"merges wrote {megabytes(cell.merged_bytes)} beside {count} of {of} batches"
    if cell.stalled_ms:
        yield f"stalled for {millis(cell.stalled_ms)} in all"
    live = told(cell.metrics or {}, LIVE_BYTES)
    if live:
        yield f"{megabytes(live)} of files live at the end"


def grown(results: Results, mode: Mode, figure: Figure) -> Iterator[str]:
    """How a time grows with the store."""
    for provider in results.suite.providers:
        small = results.get(mode.name, figure.name, provider.name)
        large = results.get(mode.name, figure.worker, provider.name)
        if small and large:
            growth = large.value / small.value
            yield (
                f"{provider.label}, {mode.name}: {figure.worker} takes {growth:.1f} × the time "
                f"of a store of 1/{figure.divisor} of the rows"
            )


def shape(cell: Cell) -> str:
    """What a look-up has to look through, as far as a provider says."""
    said = cell.metrics or {}
    folder = f"{cell.files} files in the folder, all retained versions together"
    if "subLevels" in said:
        levels = f"{said['subLevels']} sub-levels over {said['levels']} levels"
        return f"{levels}, {said['files']} SSTs, {megabytes(said['fileBytes'])}; {folder}"
    if "rocksdbFilesCopied" in said:
        ssts = said["rocksdbFilesCopied"] + said["rocksdbFilesReused"]
        return f"{ssts} SSTs, {megabytes(said['rocksdbSstFileSize'])}; {folder}"
    return folder


def write(results: Results, text: str) -> list[Path]:
    """Results as JSON, by date, and the table that the README shows."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    data = FOLDER / f"{results.suite.report}-{today}.json"
    about: dict[str, object] = {
        "version": VERSION,
        "machine": where(),
        "rows": results.rows,
        "heap": results.suite.heap,
        "date": today,
    }
    about |= {"load_average_before": results.load_before, "load_average_after": os.getloadavg()[0]}
    data.write_text(json.dumps({**about, "cells": results.as_json()}, indent=1) + "\n", "utf-8")
    page = FOLDER / f"{results.suite.report}.md"
    page.write_text(text + "\n", "utf-8")
    return [data, page]
