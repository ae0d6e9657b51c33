"""Runs queries over changing tables, and compares every view with batch Spark after every epoch."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import Row, Tables, assert_same, bags

Step = Mapping[str, list[Row]]
"""What happens to the tables before a barrier: table name -> rows or changes."""


def check_views(
    session: SparkSession,
    folder: Path,
    tables: Tables,
    queries: Mapping[str, str],
    steps: Iterable[Step],
    batch_queries: Mapping[str, str] | None = None,
) -> list[dict[str, int]]:
    """Feeds the steps, a barrier each; returns the number of rows of every view by epoch.

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
            for table in tables.tables:
                table.put(step.get(table.name, ()))
            tables.snapshot()
            query.processAllAvailable()
            assert query.lastProgress is not None
            epochs.append(query.lastProgress["epoch"])
    finally:
        query.stop()
    sizes = []
    for step, epoch in enumerate(epochs):
        tables.as_batch(step)
        views = {name: gs.read_view(session, location, name, epoch) for name in queries}
        batch = {name: session.sql(text) for name, text in (batch_queries or queries).items()}
        for name in queries:
            assert views[name].dtypes == batch[name].dtypes, name
        found, wanted = bags(views), bags(batch)
        for name in queries:
            assert_same(found[name], wanted[name], f"{name}, step {step}")
        sizes.append({name: sum(wanted[name].values()) for name in queries})
    return sizes
