"""The table: what each provider did, how many times ours did of it, what is slower."""

import datetime
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from groundswell.version import VERSION
from shared.page import where
from store.cases import CHANGELOG, FIGURES, HDFS, MODES, OURS, PROVIDERS, ROCKSDB, Mode
from store.results import Cell, Results

FOLDER = Path(__file__).resolve().parents[1] / "results"


class Line(NamedTuple):
    """One line of the table and how to find it in a cell."""

    figure: str
    label: str
    value: Callable[[Cell], float | None]
    show: Callable[[float], str]
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


def lines() -> Iterator[Line]:
    for figure in FIGURES:
        timed = figure.unit == "ms"
        label = figure.label if timed else f"{figure.label} ({figure.unit})"
        yield Line(figure.name, label, lambda c: c.value, millis if timed else rate, not timed)
        if figure.name == "update":
            yield Line("update", "commit p50", lambda c: c.commit_p50, millis, False)
            yield Line("update", "commit p99", lambda c: c.commit_p99, millis, False)
        if figure.name == "load":
            yield Line("load", "on disk after it", lambda c: c.bytes, megabytes, False)


def markdown(results: Results) -> str:
    """The whole report."""
    parts = [
        f"{results.rows:,} keys of 40 bytes, values of 88 bytes, one partition; {where()}; "
        f"load average {results.load_before:.1f} before the run.\n"
    ]
    for mode in MODES:
        rows = list(table(results, mode))
        if rows:
            heading = ["", *(p.label for p in PROVIDERS), "× RocksDB", "× HDFS-backed"]
            parts.append(f"**{mode.label[0].upper()}{mode.label[1:]}**\n")
            parts.append("| " + " | ".join(heading) + " |")
            parts.append("|--|" + "--:|" * (len(heading) - 1))
            parts.extend("| " + " | ".join(row) + " |" for row in rows)
            parts.append("")
            parts.append(slower(results, mode) + "\n")
    parts.extend(state(results))
    return "\n".join(parts)


def table(results: Results, mode: Mode) -> Iterator[list[str]]:
    for line in lines():
        values = {p.name: value_of(results, mode, line, p.name) for p in PROVIDERS}
        if any(value is not None for value in values.values()):
            shown = [line.show(v) if v is not None else "" for v in values.values()]
            ours = values[OURS.name]
            ratios = [ratio(ours, values[p.name], line) for p in (ROCKSDB, HDFS)]
            yield [line.label, *shown, *(times(r) if r else "" for r in ratios)]


def value_of(results: Results, mode: Mode, line: Line, provider: str) -> float | None:
    cell = results.get(mode.name, line.figure, provider)
    return line.value(cell) if cell else None


def ratio(ours: float | None, theirs: float | None, line: Line) -> float | None:
    """Above 1 ours is better: more of what is good, or less of what is not."""
    if not ours or not theirs:
        return None
    return ours / theirs if line.more_is_better else theirs / ours


def slower(results: Results, mode: Mode) -> str:
    """Names each figure in which ours loses to anyone."""
    found = []
    for line in lines():
        ours = value_of(results, mode, line, OURS.name)
        losses = [
            f"{p.label} ({1 / r:.1f} times)"
            for p in (ROCKSDB, CHANGELOG, HDFS)
            if (r := ratio(ours, value_of(results, mode, line, p.name), line)) and r < 0.95
        ]
        if losses:
            found.append(f"- {line.label}: behind {' and '.join(losses)}")
    if not found:
        return "Slower or larger than another: nothing."
    return "\n".join(["Slower or larger than another:\n", *found])


def state(results: Results) -> Iterator[str]:
    """In what shape the stores were when they were measured."""
    yield "How loading left the stores, and so how they were read:\n"
    for mode in MODES:
        for provider in PROVIDERS:
            cell = results.get(mode.name, "load", provider.name)
            if cell is not None:
                yield f"- {provider.label}, {mode.name}: {shape(cell)}"


def shape(cell: Cell) -> str:
    """What a look-up has to look through, as far as a provider says."""
    told = cell.metrics or {}
    folder = f"{cell.files} files in the folder, all retained versions together"
    if "subLevels" in told:
        levels = f"{told['subLevels']} sub-levels of {told['files']} SSTs"
        return f"{levels}, {megabytes(told['fileBytes'])}; {folder}"
    if "rocksdbFilesCopied" in told:
        return f"{told['rocksdbFilesCopied'] + told['rocksdbFilesReused']} SSTs; {folder}"
    return folder


def write(results: Results, text: str) -> list[Path]:
    """Results as JSON, by date, and the table that the README shows."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    data = FOLDER / f"store-{today}.json"
    about: dict[str, object] = {
        "version": VERSION,
        "machine": where(),
        "rows": results.rows,
        "date": today,
    }
    about |= {"load_average_before": results.load_before, "load_average_after": os.getloadavg()[0]}
    data.write_text(json.dumps({**about, "cells": results.as_json()}, indent=1) + "\n", "utf-8")
    page = FOLDER / "store.md"
    page.write_text(text + "\n", "utf-8")
    return [data, page]
