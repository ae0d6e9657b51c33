"""Follow the changes, or recompute: the choice by what both took."""

import pytest

from groundswell.optimizer import refresh
from groundswell.optimizer.refresh import (
    AUTO,
    FULL,
    INCREMENTAL,
    STRICT,
    Figures,
    choose,
    figures_in,
    noted,
)

ROWS = 1_000_000


def auto(changed: int | None, figures: Figures, rows: int = ROWS) -> refresh.Choice:
    return choose([AUTO], "", changed, rows, figures)


def known() -> Figures:
    """A row followed takes 2 µs, a row recomputed 1 µs; both were measured twice."""
    figures = Figures()
    for _ in range(2):
        figures = figures.with_anew(ROWS, 1000).with_changed(900_000, 1800)
        figures = figures.with_changed(100_000, 200).with_changed(1000, 20)
    return figures


@pytest.mark.parametrize(
    ("changed", "full"), [(1000, False), (100_000, False), (540_000, False), (900_000, True)]
)
def test_the_cheaper_way_is_taken(changed: int, full: bool) -> None:
    assert auto(changed, known()).full is full


def test_the_reason_has_both_costs() -> None:
    told = auto(900_000, known()).reason
    assert "900,000 of 1,000,000 rows change" in told
    assert "900,000 rows × 2 µs = 1,800 ms to follow" in told
    assert "1,000,000 rows × 1 µs = 1,000 ms anew" in told


def test_a_small_barrier_of_a_large_fixed_cost_says_nothing_of_a_large_one() -> None:
    figures = Figures().with_anew(ROWS, 1000).with_anew(ROWS, 1000)
    figures = figures.with_changed(1000, 20)  # 20 µs a row, for it is mostly fixed
    assert figures.follow(900_000) is None
    assert not auto(900_000, figures).full
    assert "is to be measured" in auto(900_000, figures).reason


def test_both_ways_are_tried_twice_in_large_barriers_and_never_in_small_ones() -> None:
    figures, seen = Figures(), []
    for _ in range(6):
        choice = auto(900_000, figures)
        seen.append(choice.full)
        if choice.full:
            figures = figures.with_anew(ROWS, 900)
        else:
            figures = figures.with_changed(900_000, 1800)
    assert seen == [True, True, False, False, True, True]
    assert not auto(400_000, Figures()).full


def test_what_was_measured_first_is_not_taken_for_good() -> None:
    figures = Figures().with_anew(ROWS, 9000)
    assert figures.anew is not None and not figures.anew.is_settled
    figures = figures.with_anew(ROWS, 1000)
    assert figures.anew is not None and figures.anew.millis == 1000
    figures = figures.with_anew(ROWS, 2000)
    assert figures.anew is not None and figures.anew.millis == 1500


def test_costs_between_two_known_barriers_lie_between_theirs() -> None:
    found = known().follow(500_000)
    assert found is not None and 200 < found.millis < 1800
    less = known().follow(10)
    assert less is not None and less.millis == 20


def test_a_policy_decides_alone_but_for_what_cannot_be() -> None:
    assert choose([FULL], "", 1, ROWS, known()).full
    for policy in (INCREMENTAL, STRICT):
        assert not choose([policy], "", 900_000, ROWS, known()).full
    assert not choose([AUTO, INCREMENTAL], "", 900_000, ROWS, known()).full
    assert not choose([FULL], "its rows are not kept", 1, ROWS, known()).full
    assert not choose([FULL], "", 0, ROWS, known()).full, "nothing came"
    assert choose([FULL], "", None, ROWS, known()).full
    assert "not known" in auto(None, known()).reason
    assert not auto(5, known(), rows=0).full


def test_figures_survive_a_restart() -> None:
    assert figures_in(noted(known())) == known()
    assert figures_in(noted(Figures())) == Figures()
    assert figures_in({}) == Figures()
