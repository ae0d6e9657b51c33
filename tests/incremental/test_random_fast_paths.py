"""Shorter ways to the same result, refused at random (``FastPath``): results stay as they are."""

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

from incremental.checking import LOCAL_EXCHANGE, check_views
from incremental.harness import confs_of
from incremental.random_plans import Changes
from incremental.searching import search
from incremental.test_random import check_random_views, tables_in

pytestmark = pytest.mark.rest

ENGINE = {"FILTER", "CACHED_BLOCK", "MOVED_FILE", "DEAD_FILE"}
"""Paths that ``StoreModelTest`` refuses; views of few rows need none of them."""
TABLES = {"IDLE_TABLE"}
"""Of tables of pipelines, which random views have none of: ``TableSourceProviderTest``."""


@contextmanager
def refused(session: SparkSession, seed: int, share: float) -> Iterator[dict[str, int]]:
    """Refuses such a share of all askings within; then gives how many, by path."""
    jvm: Any = session._jvm
    paths = jvm.io.groundswell.storage.FastPath
    counts: dict[str, int] = {}
    paths.refuse(seed, share)
    try:
        yield counts
    finally:
        counts |= {path.name(): path.refused() for path in paths.values()}
        paths.open()


def test_random_views_equal_batch_whatever_fast_paths_are_refused(
    session: SparkSession, tmp_path: Path
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        seed, share = rng.randrange(1000), rng.choice([0.1, 0.5, 1.0])
        note(f"FastPath.refuse({seed}, {share})")
        with refused(session, seed, share):
            check_random_views(session, tmp_path, rng, views)

    search(check)


def test_every_fast_path_of_views_is_asked(session: SparkSession, tmp_path: Path) -> None:
    """Each path is refused at least once, or the random test says little of it."""
    queries = {
        "groups": "select k, g, max(v) v from u group by k, g",
        "counts": "select k, count(*) g, cast(null as double) v from t group by k",
        "pairs": "select l.k, r.g, l.v from t l join t r on l.k = r.g",
        "mixed": "select l.k, r.g, l.v from t l join u r on l.k = r.g",
        "even": "select k, g, v from c where k % 2 = 0",
        "least": "select g as k, k as g, min(v) v from c where v > 0 group by g, k",
    }
    steps = list(Changes(random.Random(1)).steps(12))  # not of every seed: few changes ask few
    tables = tables_in(session, tmp_path / "tables")
    with confs_of(session, {LOCAL_EXCHANGE: "true"}), refused(session, 1, 0.5) as counts:
        check_views(session, tmp_path, tables, queries, steps)
    assert not {path for path, count in counts.items() if not count} - ENGINE - TABLES, counts
