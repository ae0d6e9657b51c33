"""Where the fixed time of a restart goes: a refresh of a file of statements, and a program.

Both have TPC-H's 22 views over Delta tables of which one row in a hundred has changed. Each turn
begins with the same locations, in a fresh process. With another tree its figures stand beside, of
the same turns, and ratios are of processor time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from shared import process
from shared.page import where
from start.restart import STEPS
from tpch import lake, tables

Turns = list[Mapping[str, Any]]
WHOLE = "the whole process"
CODE = "of it, compiling generated code"


def compare(scale: float, runs: int, beside: Path | None) -> None:
    """Prints a table of each kind of restart, after each turn.

    Args:
        scale: of TPC-H's tables.
        runs: turns.
        beside: another tree, with its jar; None: this one alone.
    """
    trees = [*([beside] if beside else []), process.BENCHMARKS.parent]
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        commands = _filled(work, scale)
        found: dict[str, list[Turns]] = {kind: [[] for _ in trees] for kind in commands}
        for turn in range(runs):
            for kind, paths in commands.items():
                for tree, turns in zip(trees, found[kind], strict=True):
                    shutil.rmtree(work / "views")
                    shutil.copytree(work / "kept", work / "views")
                    turns.append(process.run("start.restart", kind, *paths, tree=tree))
            print(f"\n{where()}; {turn + 1} turns; medians")
            for kind, of_trees in found.items():
                _show(kind, of_trees)


def _filled(work: Path, scale: float) -> dict[str, list[str]]:
    """Views that are filled, and changes that they have not seen; what runs each kind again."""
    whole, folder = tables.generate(scale), work / "lake"
    lake.write(folder, whole)
    file = work / "tpch.sql"
    file.write_text(lake.statements(folder, work / "views" / "statements"))
    commands = {
        "statements": [str(file)],
        "program": [str(folder), str(work / "views" / "program")],
    }
    for kind, paths in commands.items():
        process.run("start.restart", kind, *paths)
    shutil.copytree(work / "views", work / "kept")
    changed = lake.change(folder, whole, 0.01)
    rows = sum(table.num_rows for table in whole.values())
    print(f"{rows:,} rows in 8 Delta tables, {changed:,} changed; 22 views", flush=True)
    return commands


def _figures(turn: Mapping[str, Any]) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {step: turn["taken"][step] for step in STEPS}
    return {**taken, WHOLE: [sum(figures) for figures in zip(*taken.values(), strict=True)]}


def _show(kind: str, of_trees: list[Turns]) -> None:
    *_, own = of_trees
    print(f"\n| {kind}: step | calls | seconds | processor | of it, the JVM's compilers |", end="")
    print(" processor before | ratio |" if len(of_trees) > 1 else "")
    print(f"|--|--:|--:|--:|--:|{'--:|--:|' if len(of_trees) > 1 else ''}")
    for step in (*STEPS, WHOLE):
        figures = [[_figures(turn)[step] for turn in turns] for turns in of_trees]
        seconds, used, compilers = (median(f[i] for f in figures[-1]) for i in range(3))
        calls = own[-1]["calls"].get(step) or ""
        line = f"| {step} | {calls} | {seconds:.1f} | {used:.1f} | {compilers:.1f} |"
        if len(of_trees) > 1:
            ratio = median(a[1] / b[1] if b[1] else 1 for b, a in zip(*figures, strict=True))
            line += f" {median(f[1] for f in figures[0]):.1f} | {ratio:.2f} |"
        print(line)
    told = [
        f"{median(t['code'][0] for t in turns):.1f} s, {turns[-1]['code'][1]} classes"
        for turns in of_trees
    ]
    print(f"\n{CODE}: {', before: '.join(reversed(told))}", flush=True)
