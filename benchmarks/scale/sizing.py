"""``make bench-scale ARGS='--model'``: unit costs by small cells, checked on large ones."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from scale.model import DRIVER, TASKS, Cell, Prices, Units, expect, fit

FITTED = [Cell(2, 1, 1000), Cell(16, 1, 1000), Cell(2, 16, 1000), Cell(16, 16, 1000)]
FITTED += [Cell(2, 16, 20_000), Cell(8, 4, 5000), Cell(2, 16, 100), Cell(32, 16, 1000)]
CHECKED = [Cell(64, 16, 1000), Cell(32, 8, 10_000)]
CORES = 4
VIEWS = 16
ROWS_A_CORE = 5000
TRIGGER_MS = 1000.0
WITHIN = 0.3


def measured(worker: Callable[[Cell], dict[str, Any]], cell: Cell) -> tuple[float, float]:
    """Median CPU milliseconds of a barrier with rows: of the driver, and of all tasks."""
    full = [b for b in worker(cell)["barriers"] if b["full"] and b.get("driver") is not None]
    return median(b["driver"] for b in full), median(b["tasks"] for b in full)


def main(worker: Callable[[Cell], dict[str, Any]]) -> int:
    """Prints unit costs, how far off they are, and what larger clusters are expected to take."""
    found = {}
    for cell in [*FITTED, *CHECKED]:
        driver, tasks = found[cell] = measured(worker, cell)
        print(f"{cell}: driver {driver:,.0f} ms, tasks {tasks:,.0f} ms", flush=True)
    units = fit(FITTED, [found[c][0] for c in FITTED], [found[c][1] for c in FITTED])
    print("\n| CPU of | driver (us) | tasks (us) |\n|--|--:|--:|")
    for name in {**DRIVER, **TASKS}:
        costs = (of.get(name) for of in (units.driver, units.tasks))
        told = ("" if cost is None else f"{cost * 1000:,.1f}" for cost in costs)
        print(f"| {name} | {' | '.join(told)} |")
    print("\n| partitions x views, rows | driver: expected / measured | tasks |\n|--|--:|--:|")
    worst = 0.0
    for cell in CHECKED:
        driver = units.driver_ms(cell) / found[cell][0]
        tasks = units.tasks_ms(cell) / found[cell][1]
        worst = max(worst, abs(driver - 1), abs(tasks - 1))
        size = f"{cell.partitions} x {cell.views}, {cell.rows:,}"
        print(f"| {size} | {driver:.2f} | {tasks:.2f} |")
    print(f"\nwithin {worst:.0%} of what was measured; the goal is {WITHIN:.0%}")
    show(units, Prices())
    return int(worst > WITHIN)


def show(units: Units, prices: Prices) -> None:
    """The table of clusters."""
    print(f"\n{VIEWS} views, {CORES} cores an executor, a partition a core, {ROWS_A_CORE:,} rows")
    print(f"a core and barrier, a barrier each {TRIGGER_MS:.0f} ms if it can be; {prices}\n")
    print("| executors | barrier (ms) | of that driver | requests | $ a month | for requests |")
    print("|--:|--:|--:|--:|--:|--:|")
    for executors in (1, 10, 100, 1000):
        partitions = executors * CORES
        rows = ROWS_A_CORE * partitions
        cell = Cell(partitions, VIEWS, rows, groups=rows)
        e = expect(units, cell, CORES, executors, TRIGGER_MS, prices)
        print(
            f"| {executors:,} | {e.wall_ms:,.0f} | {e.driver_ms:,.0f} | {e.requests:,.0f} "
            f"| {e.dollars_executors:,.0f} | {e.dollars_requests:,.0f} |"
        )
