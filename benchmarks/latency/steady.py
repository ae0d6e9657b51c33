"""What a barrier costs beyond Spark's own micro-batch, after many barriers without a pause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shared import process
from shared.process import BENCHMARKS

JOBS = ((0, 3, 5.0), (200, 3, None), (1000, 3, 10.0), (1000, 10, 20.0))
"""Rows a barrier, views, and the milliseconds that are wanted beyond Spark's."""


def measured(tree: Path, rows: int, views: int, at: list[int]) -> dict[str, Any]:
    """What one process measured."""
    return process.measured("latency.worker", str(rows), str(views), *map(str, at), tree=tree)


def cpu(means: dict[str, float]) -> str:
    return f"{means['driver']:.1f}, {means['tasks']:.1f}"


def show(at: list[int], base: Path | None) -> None:
    """A line for each job and number of barriers; ``base`` is another tree beside this one."""
    trees = [("before", base.resolve())] if base else []
    trees.append(("now", BENCHMARKS.parent))
    print(
        "| rows | views | after barriers | | ms | Spark alone | beyond | goal "
        "| CPU ms: driver, tasks | Spark alone | heap MB |"
    )
    print("|--:|--:|--:|--|--:|--:|--:|--:|--:|--:|--:|")
    alone: dict[int, dict[str, Any]] = {}
    for rows, views, goal in JOBS:
        if rows not in alone:
            alone[rows] = measured(BENCHMARKS.parent, rows, 0, at)
        for name, tree in trees:
            ours = measured(tree, rows, views, at)
            for number, mine, theirs in zip(at, ours["means"], alone[rows]["means"], strict=True):
                own, spark = mine["triggerExecution"], theirs["triggerExecution"]
                wanted = "" if goal is None else f"{goal * (1 if number == at[-1] else 2):.0f}"
                print(
                    f"| {rows:,} | {views} | {number:,} | {name} | {own:.1f} | {spark:.1f} "
                    f"| {own - spark:.1f} | {wanted} | {cpu(mine)} | {cpu(theirs)} "
                    f"| {ours['heap'] / 1e6:.0f} |",
                    flush=True,
                )
