"""Random queries over random changes: after every epoch each view equals batch Spark, and however
the same changes are cut into barriers, the views end the same.

``GROUNDSWELL_SEED=n`` runs one seed again.
"""

import os
import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import Bags, Changelog, Table, Tables, Upserts, assert_same, bags
from incremental.random_plans import SCHEMA, Changes, Queries

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.SystemRandom().randrange(10**6)))
VIEWS = int(os.environ.get("GROUNDSWELL_VIEWS", "8"))
STEPS = 4


def tables_in(session: SparkSession, folder: Path) -> Tables:
    folder.mkdir()
    return Tables(
        Table(session, folder, "t", SCHEMA),
        Upserts(session, folder, "u", SCHEMA, "id"),
        Changelog(session, folder, "c", SCHEMA, "id"),
    )


def run(
    session: SparkSession, folder: Path, queries: dict[str, str], cuts: set[int], seed: int
) -> tuple[Tables, list[Bags | None]]:
    """Feeds all steps, with a barrier after each step in ``cuts``.

    Returns the tables, with a snapshot a cut, and what the views held then (None before any data).
    """
    tables = tables_in(session, folder)
    tables.as_sources()
    pipeline = gs.pipeline(session, str(folder / "checkpoint"))
    for name, text in queries.items():
        pipeline.view(name, session.sql(text))
    query = pipeline.start()
    epochs: list[int | None] = []
    try:
        for number, step in enumerate(Changes(random.Random(seed)).steps(STEPS)):
            for table in tables.tables:
                table.put(step[table.name])
            if number in cuts:
                query.processAllAvailable()
                tables.snapshot()
                epochs.append(query.lastProgress["epoch"] if query.lastProgress else None)
    finally:
        query.stop()
    views = [
        None if epoch is None else bags({n: query.view(n, epoch) for n in queries})
        for epoch in epochs
    ]
    return tables, views


def query_that_reads(session: SparkSession, rng: random.Random) -> str:
    """A random query; the optimiser proves some of them empty, and these are refused."""
    while True:
        text = Queries(rng).query(rng.randint(1, 3))
        try:
            session.sql(text).incremental()
        except gs.NotIncremental as e:
            if e.operator != "LocalRelation":
                raise
        else:
            return text


def test_random_views_equal_batch_however_barriers_are_cut(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nGROUNDSWELL_SEED={SEED}")
    rng = random.Random(SEED)
    tables_in(session, tmp_path / "probe").as_sources()
    queries = {f"v{i}": query_that_reads(session, rng) for i in range(VIEWS)}
    tables, fine = run(session, tmp_path / "fine", queries, set(range(STEPS)), SEED)
    _, coarse = run(session, tmp_path / "coarse", queries, {1, STEPS - 1}, SEED)
    assert any(fine)
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
