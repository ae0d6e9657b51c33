"""What ``make soak-heap`` and ``make soak-cluster`` take for growth."""

from __future__ import annotations

from shared.growth import growth

BARRIERS = range(100, 2001, 100)


def test_a_leak_is_growth_that_goes_on() -> None:
    assert round(growth([(at, 40_000_000 + 100 * at) for at in BARRIERS])) == 100


def test_a_cache_that_fills_up_in_the_beginning_is_no_leak() -> None:
    filled = [(at, 40_000_000 + 16_000 * min(at, 1_300)) for at in BARRIERS]
    assert growth(filled) == 0


def test_a_flat_heap_is_no_leak() -> None:
    assert growth([(at, 40_000_000) for at in BARRIERS]) == 0
