"""What ``make bench-freshness`` takes for the age of a change."""

from __future__ import annotations

import pytest

from freshness.watch import ages


def test_a_change_is_as_old_as_when_an_answer_first_has_its_number() -> None:
    sent, asked = [10.0, 10.1, 10.2], [10.05, 10.15, 10.25, 10.35]
    assert ages(sent, asked, [-1, 0, 0, 2], 0, 100) == pytest.approx([150, 250, 150])


def test_changes_outside_the_interval_are_left_out() -> None:
    found = ages([1.0, 2.0, 3.0, 4.0], [5.0], [3], 2.0, 4.0)
    assert found == pytest.approx([3000, 2000])


def test_a_change_that_was_never_seen_is_no_figure() -> None:
    with pytest.raises(ValueError, match="change 1 was sent, but never seen"):
        ages([1.0, 2.0], [3.0], [0], 0, 10)
