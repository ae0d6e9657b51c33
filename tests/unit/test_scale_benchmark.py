"""The model of what a barrier costs on machines that are not here."""

from __future__ import annotations

import random

import pytest

from scale.model import DRIVER, TASKS, Cell, Prices, Units, expect, fit
from scale.sizing import CHECKED, FITTED


def test_unit_costs_that_made_the_figures_are_found_again() -> None:
    rng = random.Random(1)
    units = Units(
        {name: rng.random() for name in DRIVER}, {name: rng.random() / 100 for name in TASKS}
    )
    found = fit(FITTED, [units.driver_ms(c) for c in FITTED], [units.tasks_ms(c) for c in FITTED])
    for cell in CHECKED:
        assert found.driver_ms(cell) == pytest.approx(units.driver_ms(cell), rel=1e-6)
        assert found.tasks_ms(cell) == pytest.approx(units.tasks_ms(cell), rel=1e-6)


def test_no_unit_costs_less_than_nothing() -> None:
    rng = random.Random(2)
    for _ in range(50):
        found = fit(FITTED, *([rng.random() + 0.1 for _ in FITTED] for _ in range(2)))
        assert min(*found.driver.values(), *found.tasks.values()) >= 0


def test_more_executors_share_the_tasks_and_not_the_driver() -> None:
    units = Units(dict.fromkeys(DRIVER, 1.0), dict.fromkeys(TASKS, 1.0))
    cell = Cell(64, 4, 1000)
    few, many = (expect(units, cell, 4, n, 0.0, Prices(request_ms=0.0)) for n in (4, 16))
    assert few.driver_ms == many.driver_ms == 1 + 64 + 4 + 256
    assert few.wall_ms - few.driver_ms == 4 * (many.wall_ms - many.driver_ms)
    assert expect(units, cell, 4, 16, 1e6, Prices()).every_ms == 1e6
