"""Runs queries over changing tables, and compares every view with batch Spark after every epoch."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import Bags, Row, Tables, assert_same, bags, one_barrier

Step = Mapping[str, list[Row]]
"""What happens to the tables before a barrier: table name -> rows or changes."""


def follow(
    session: SparkSession,
    folder: Path,
    tables: Tables,
    queries: Mapping[str, str],
    steps: Iterable[Step],
    batch_queries: Mapping[str, str] | None = None,
) -> list[tuple[Bags, Bags]]:
    """Feeds the steps, a barrier each; returns what the views held after each, and batch's rows.

    ``batch_queries`` are what batch Spark runs, if not the same. ``steps`` are plain rows for a
    ``Table``, upserts for ``Upserts``, changes for a ``Changelog``.
    """
    tables.as_sources()
    location = str(folder / "checkpoint")
    pipeline = gs.pipeline(session, location)
    for name, text in queries.items():
        pipeline.view(name, session.sql(text))
    query = pipeline.start()
    epochs: list[int] = []
    try:
        for step in steps:
            with one_barrier(query):
                for table in tables.tables:
                    table.put(step.get(table.name, ()))
            tables.snapshot()
            query.processAllAvailable()
            assert query.lastProgress is not None
            epochs.append(query.lastProgress["epoch"])
    finally:
        query.stop()
    followed = []
    for step, epoch in enumerate(epochs):
        tables.as_batch(step)
        views = {name: gs.read_view(session, location, name, epoch) for name in queries}
        batch = {name: session.sql(text) for name, text in (batch_queries or queries).items()}
        for name in queries:
            assert views[name].dtypes == batch[name].dtypes, name
        followed.append((bags(views), bags(batch)))
    return followed


def check_views(
    session: SparkSession,
    folder: Path,
    tables: Tables,
    queries: Mapping[str, str],
    steps: Iterable[Step],
    batch_queries: Mapping[str, str] | None = None,
) -> list[dict[str, int]]:
    """Compares what ``follow`` saw; returns the number of rows of every view by epoch."""
    sizes = []
    for step, (views, batch) in enumerate(
        follow(session, folder, tables, queries, steps, batch_queries)
    ):
        for name in queries:
            assert_same(views[name], batch[name], f"{name}, step {step}")
        sizes.append({name: sum(batch[name].values()) for name in queries})
    return sizes
