"""How a first load is divided among sources, and how far it is."""

from __future__ import annotations

import random

import pytest

from groundswell.runtime.planning.loading import Load, Parts, limit_of, parts_of
from groundswell.runtime.planning.sources import Size
from groundswell.sources.admission import fitting

LIMIT = Size(rows=100, bytes=1000)


def test_a_small_first_load_is_one_barrier_that_takes_all() -> None:
    parts = parts_of({"a": Size(rows=60), "b": Size(rows=40)}, LIMIT, {"a", "b"}, loads=True)
    assert parts.load is None
    assert parts.limits == {"a": Size(120, 1000), "b": Size(100, 1000)}


def test_all_sources_of_a_large_first_load_end_with_the_same_barrier() -> None:
    had = {"a": Size(rows=1000), "b": Size(rows=101), "c": Size(bytes=3500), "d": Size()}
    parts = parts_of(had, LIMIT, had, loads=True)
    assert parts.load == Load(100 / 12)  # 1,101 rows, 100 a barrier
    assert parts.limits["a"] == Size(84, 1000)
    assert parts.limits["b"] == Size(9, 1000)
    assert parts.limits["c"] == Size(100, 292)


def test_a_source_that_nobody_can_measure_gets_the_limit() -> None:
    parts = parts_of({"a": Size(rows=1000), "b": None}, LIMIT, {"a", "b"}, loads=True)
    assert parts.limits["b"] == Size(10, 100)


def test_a_new_source_of_a_pipeline_gives_all_to_one_barrier() -> None:
    had = {"a": Size(), "b": Size(rows=5000), "c": None}
    parts = parts_of(had, LIMIT, {"b", "c"}, loads=False)
    assert parts == Parts({"a": Size(34, 334), "b": Size(10_000, 1000), "c": Size()})


def test_sources_that_go_on_share_the_limit() -> None:
    parts = parts_of({"a": Size(), "b": Size()}, Size(1, 1000), (), loads=False)
    assert parts == Parts({"a": Size(1, 500), "b": Size(1, 500)}, bounded=True)
    assert parts_of({}, LIMIT, (), loads=True) == Parts(bounded=True)


def test_what_no_limit_bounds_gets_no_smaller() -> None:
    """A first barrier of views that depend on when rows came takes all that a new source has."""
    assert not parts_of({"a": Size(9, 9)}, Size(1, 1), {"a"}, loads=False).bounded
    assert parts_of({"a": Size(9, 9)}, Size(1, 1), {"a"}, loads=True).bounded


def test_no_barrier_of_a_first_load_says_that_it_is_over() -> None:
    load = Load(40)
    assert load.after(None) == 40
    assert Load(100).after(None) == 99


@pytest.mark.parametrize(
    ("rows", "size", "wanted"),
    [(None, None, Size(4, 256)), (7, None, Size(7, 256)), (None, 9, Size(4, 9))],
)
def test_the_default_limit_is_a_share_of_the_heap(
    rows: int | None, size: int | None, wanted: Size
) -> None:
    assert limit_of(rows, size, heap=1024) == wanted


def test_parts_of_files_are_within_the_limit_and_miss_none() -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for _ in range(200):
        sizes = [Size(rng.randint(0, 9), rng.randint(0, 9)) for _ in range(rng.randint(1, 20))]
        most = Size(rng.randint(0, 20), rng.randint(0, 20))
        done = 0
        while done < len(sizes):
            count = fitting(sizes[done:], most)
            assert count >= 1
            part = sum(sizes[done : done + count], Size())
            for has, limit in ((part.rows, most.rows), (part.bytes, most.bytes)):
                assert count == 1 or not limit or has <= limit
            done += count
        assert done == len(sizes)
