"""What a barrier costs where it cannot be tried: unit costs, fitted here, put together for there.

Pure. The driver's time grows with partitions, with views, and with their product: one commit of
each state in each partition is told to it. A task's time grows with the views whose states it
opens, with the rows that each view is given, and with those of its own rows that change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

MONTH_SECONDS = 30 * 24 * 3600
SERIAL_REQUESTS = 4
"""One after the other in a barrier: Spark's offsets, packs, the epoch, Spark's commit."""
LISTED_EVERY = 640
"""A state's folder that is empty is listed at each 64th retirement of ten barriers."""


@dataclass(frozen=True)
class Cell:
    """A pipeline that was measured, or is asked about.

    Attributes:
        rows: that a barrier brings.
        groups: that a view has.
    """

    partitions: int
    views: int
    rows: int
    groups: int = 500

    @property
    def changed(self) -> int:
        """Rows of a view that a barrier changes."""
        return min(self.rows, self.groups)


DRIVER: Mapping[str, Callable[[Cell], float]] = {
    "a barrier": lambda _: 1.0,
    "a task": lambda c: float(c.partitions),
    "a view": lambda c: float(c.views),
    "a state's commit": lambda c: float(c.partitions * c.views),
}
TASKS: Mapping[str, Callable[[Cell], float]] = {
    "a barrier": lambda _: 1.0,
    "a task": lambda c: float(c.partitions),
    "a state's commit": lambda c: float(c.partitions * c.views),
    "a changed row of a view": lambda c: float(c.changed * c.views),
    "a row into a view": lambda c: float(c.rows * c.views),
}


@dataclass(frozen=True)
class Units:
    """CPU milliseconds of each unit, on the driver and in tasks."""

    driver: Mapping[str, float]
    tasks: Mapping[str, float]

    def driver_ms(self, cell: Cell) -> float:
        """CPU of the driver for one barrier, which is one thread's for the most part."""
        return sum(self.driver[name] * of(cell) for name, of in DRIVER.items())

    def tasks_ms(self, cell: Cell) -> float:
        """CPU of all tasks of one barrier together."""
        return sum(self.tasks[name] * of(cell) for name, of in TASKS.items())


def fit(cells: Sequence[Cell], driver: Sequence[float], tasks: Sequence[float]) -> Units:
    """Unit costs of at least nothing, by least squares of the relative errors."""
    return Units(_least(DRIVER, cells, driver), _least(TASKS, cells, tasks))


def _least(features: Mapping, cells: Sequence[Cell], found: Sequence[float]) -> dict[str, float]:
    names = list(features)
    while True:
        rows = [[features[n](c) / ms for n in names] for c, ms in zip(cells, found, strict=True)]
        costs, *_ = np.linalg.lstsq(np.array(rows), np.ones(len(cells)), rcond=None)
        if (costs >= 0).all():
            return {n: float(dict(zip(names, costs, strict=True)).get(n, 0.0)) for n in features}
        names.pop(int(np.argmin(costs)))  # a unit that would pay back costs nothing


@dataclass(frozen=True)
class Prices:
    """What things cost elsewhere; all of them are to be given.

    Attributes:
        executor_hour: dollars.
        write: dollars for 1,000 requests that write or list.
        read: dollars for 1,000 requests that read.
        request_ms: how long one takes.
    """

    executor_hour: float = 0.2
    write: float = 0.005
    read: float = 0.0004
    request_ms: float = 30.0


@dataclass(frozen=True)
class Expected:
    """What a cluster's barriers are expected to take."""

    wall_ms: float
    driver_ms: float
    requests: float
    every_ms: float
    dollars_executors: float
    dollars_requests: float


def expect(
    units: Units, cell: Cell, cores: int, executors: int, trigger_ms: float, prices: Prices
) -> Expected:
    """A barrier of a cluster whose partitions are spread evenly; each waits for the one before.

    Args:
        cores: of each executor.
        trigger_ms: no barrier begins sooner after the one before.
    """
    driver = units.driver_ms(cell)
    waves = max(1.0, cell.partitions / (executors * cores))
    tasks = units.tasks_ms(cell) / cell.partitions * waves
    wall = driver + tasks + SERIAL_REQUESTS * prices.request_ms
    writes = executors + SERIAL_REQUESTS - 1  # a pack each
    lists = cell.partitions * cell.views / LISTED_EVERY
    every = max(wall, trigger_ms)
    barriers = MONTH_SECONDS * 1000 / every
    return Expected(
        wall,
        driver,
        writes + lists,
        every,
        executors * prices.executor_hour * MONTH_SECONDS / 3600,
        barriers * (writes + lists) / 1000 * prices.write,
    )
