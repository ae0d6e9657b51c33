"""Random queries over random changes: after every epoch each view equals batch Spark, and however
the same changes are cut into barriers, with restarts between them, the views end the same.

Hypothesis makes the queries and the changes, prints its seed, and shrinks what fails.
``GROUNDSWELL_SEED=n`` runs one seed again, ``GROUNDSWELL_EXAMPLES=n`` so many examples.
"""

import os
import random
import shutil
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import (
    Bags,
    Changelog,
    Table,
    Tables,
    Upserts,
    assert_same,
    bags,
    one_barrier,
)
from incremental.random_plans import SCHEMA, TABLES, Changes, Maker, Step

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.SystemRandom().randrange(10**6)))
EXAMPLES = int(os.environ.get("GROUNDSWELL_EXAMPLES", "3"))
VIEWS = 6
LOCAL_EXCHANGE = "spark.groundswell.localExchange"
STEPS = 4


def tables_in(session: SparkSession, folder: Path) -> Tables:
    folder.mkdir()
    return Tables(
        Table(session, folder, "t", SCHEMA).as_parquet(),
        Upserts(session, folder, "u", SCHEMA, "id"),
        Changelog(session, folder, "c", SCHEMA, "id").as_parquet(),
    )


def run(
    session: SparkSession, folder: Path, queries: dict[str, str], steps: list[Step], cuts: set[int]
) -> tuple[Tables, list[Bags | None]]:
    """Feeds all steps, with a barrier after each step in ``cuts``; starts anew after a barrier if
    there are few.

    Returns the tables, with a snapshot a cut, and what the views held then (None before any data).
    """
    tables = tables_in(session, folder)
    tables.as_sources()

    def start() -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, str(folder / "checkpoint"))
        for name, text in queries.items():
            pipeline.view(name, session.sql(text))
        return pipeline.start()

    query = start()
    epochs: list[int | None] = []
    try:
        for number, step in enumerate(steps):
            with one_barrier(query):
                for table in tables.tables:
                    table.put(step[table.name])
            if number in cuts:
                query.processAllAvailable()
                tables.snapshot()
                before = epochs[-1] if epochs else None  # no news since it was started again
                epochs.append(query.lastProgress["epoch"] if query.lastProgress else before)
                if len(cuts) < len(steps) and number < max(cuts):
                    query.stop()
                    query = start()
    finally:
        query.stop()
    views = [
        None if epoch is None else bags({n: query.view(n, epoch) for n in queries})
        for epoch in epochs
    ]
    return tables, views


def spark_plans(session: SparkSession, text: str) -> bool:
    """Whether Spark itself can run the query over tables (4.3 cannot plan some subqueries on a
    UNION ALL: its optimiser pushes them below and then misses the column they refer to)."""
    batch = session.newSession()
    for name in TABLES:
        rows = batch.range(1).selectExpr("id", "id as k", "id as g", "cast(id as double) as v")
        rows.createOrReplaceTempView(name)
    frame = batch.sql(text)
    try:
        frame.collect()
    except Py4JJavaError as e:
        if "java.util.NoSuchElementException: key not found" in str(e):
            return False
        raise
    return True


def query_that_reads(session: SparkSession, rng: random.Random) -> str:
    """A random query; the optimiser proves some of them empty, and these are refused."""
    while True:
        text = Maker(rng, rng.randint(1, 3)).query()
        try:
            session.sql(text).incremental()
        except gs.NotIncremental as e:
            if "reads no stream" not in str(e):
                raise
        except Py4JJavaError:
            if spark_plans(session, text):
                raise
        else:
            return text


def test_random_views_equal_batch_however_barriers_are_cut(
    session: SparkSession, tmp_path: Path
) -> None:
    print(f"GROUNDSWELL_SEED={SEED}")

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.randoms(use_true_random=False), st.integers(1, VIEWS))
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_random_views(session, tmp_path, rng, views)

    check()


def check_random_views(session: SparkSession, folder: Path, rng: random.Random, count: int) -> None:
    tables_in(session, folder / "probe").as_sources()
    queries = {f"v{i}": query_that_reads(session, rng) for i in range(count)}
    steps = list(Changes(rng).steps(STEPS))
    for name, text in queries.items():
        note(f"{name}: {text}")
    for step in steps:
        note(f"step: {step}")
    session.conf.set(LOCAL_EXCHANGE, str(rng.random() < 0.5).lower())
    tables, fine = run(session, folder / "fine", queries, steps, set(range(STEPS)))
    session.conf.set(LOCAL_EXCHANGE, str(rng.random() < 0.5).lower())
    _, coarse = run(session, folder / "coarse", queries, steps, {1, STEPS - 1})
    for number, views in enumerate(fine):
        if views is None:
            continue
        tables.as_batch(number)
        batch = bags({name: session.sql(text) for name, text in queries.items()})
        for name, text in queries.items():
            assert_same(views[name], batch[name], f"GROUNDSWELL_SEED={SEED}, step {number}: {text}")
            if number == STEPS - 1:
                last = coarse[-1]
                assert last is not None
                assert_same(
                    last[name], batch[name], f"GROUNDSWELL_SEED={SEED}, in fewer barriers: {text}"
                )
