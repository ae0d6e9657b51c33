"""Partitions stay with the executor that has them open; real executors, one of which is killed."""

import pytest

from shared import process


@pytest.mark.soak
def test_partitions_stay_where_they_are_open_and_find_a_new_place_when_it_is_gone() -> None:
    found = process.run("scale.places", "4", "2", "20")
    for kind in ("steady", "after"):
        assert found[kind]["written"] > 0
        assert found[kind]["hits"] >= 0.95, found
    assert len(set(found["totals"].values())) == 1, found
