"""One list of changes, run in several ways: views and what their sinks are told end the same.

Barriers fall elsewhere, and Spark plans queries by other settings. Restarts change the number of
partitions, the sizes of stores, how often commits are durable, how rows are exchanged, and whether
views may be recomputed.
"""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import Delivered, Step, put, random_views
from incremental.configurations import Configuration, settings
from incremental.harness import Bags, assert_same, bags, published
from incremental.random_plans import Changes, Maker
from incremental.searching import search
from incremental.test_random import tables_in

pytestmark = pytest.mark.rest

STEPS = 6
WAYS = 3


def test_random_views_end_the_same_in_every_configuration(
    session: SparkSession, tmp_path: Path
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        probe = tables_in(session, tmp_path / "probe")
        queries = random_views(
            probe, tmp_path, views, lambda names: Maker(rng, rng.randint(1, 3), names).query()
        )
        steps = list(Changes(rng).steps(STEPS))
        note("\n".join([f"{name}: {text}" for name, text in queries.items()]))
        note(f"{steps}")
        ends = [
            ended(session, tmp_path / str(way), queries, steps, random.Random(rng.random()))
            for way in range(WAYS)
        ]
        for way, end in enumerate(ends[1:], 1):
            for name, text in queries.items():
                assert_same(end[name], ends[0][name], f"way {way}, {name}: {text}")

    search(check)


def ended(
    session: SparkSession,
    folder: Path,
    queries: dict[str, str],
    steps: Sequence[Step],
    rng: random.Random,
) -> Bags:
    """What the views hold after all steps, which is what their sinks were told."""
    folder.mkdir()
    tables = tables_in(session, folder / "tables")
    tables.as_sources()
    location = folder / "checkpoint"
    sinks = {name: Delivered() for name in queries}
    policy = {name: rng.choice([None, None, "AUTO"]) for name in queries}
    spark = settings(rng)
    left = list(steps)
    while left:
        configuration = Configuration.drawn(rng, spark)
        note(f"{configuration}, {len(left)} steps left")
        with configuration.of(session) as options:
            pipeline = gs.pipeline(session, str(location), **options)
            for name, text in queries.items():
                pipeline.view(name, session.sql(text), sinks[name], policy=policy[name])
                pipeline.createTempViews()
            query = pipeline.start()
            try:
                for _ in range(rng.randint(1, len(left))):
                    put(tables, left.pop(0), query)
                    if rng.random() < 0.6:
                        query.processAllAvailable()
                query.processAllAvailable()
            finally:
                query.stop()
    if not published(location):
        return {name: Delivered().replayed() for name in queries}
    found = bags(gs.read_views(session, str(location)))
    for name, text in queries.items():
        assert_same(sinks[name].replayed(), found[name], f"a sink of {name}: {text}")
    return found
