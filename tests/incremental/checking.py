"""Runs queries over changing tables, and compares every view with batch Spark after every epoch."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.columns import by_name
from incremental.harness import (
    TO_JSON,
    Bag,
    Bags,
    Row,
    Tables,
    assert_same,
    bags,
    one_barrier,
    replay,
    row_of,
)

Step = Mapping[str, list[Row]]
"""What happens to the tables before a barrier: table name -> rows or changes."""
MakeTables = Callable[[SparkSession, Path], Tables]
"""Makes tables, without rows, in a folder that is not there yet."""
LOCAL_EXCHANGE = "spark.groundswell.localExchange"


def put(tables: Tables, step: Step, query: gs.IncrementalQuery) -> None:
    """Puts a step's rows into the tables, all for one barrier."""
    with one_barrier(query):
        for table in tables.tables:
            table.put(step.get(table.name, ()))


def feed(tables: Tables, step: Step, query: gs.IncrementalQuery) -> int:
    """The same, and waits for the barrier; gives its epoch."""
    put(tables, step, query)
    tables.snapshot()
    query.processAllAvailable()
    assert query.lastProgress is not None
    return int(query.lastProgress["epoch"])


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
    try:
        epochs = [feed(tables, step, query) for step in steps]
    finally:
        query.stop()
    followed = []
    for step, epoch in enumerate(epochs):
        tables.as_batch(step)
        views = gs.read_views(session, location, queries, epoch)
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


class Delivered:
    """What a sink of a view was given, by epoch."""

    def __init__(self) -> None:
        self.epochs: dict[int, list[tuple[tuple[Any, ...], str]]] = {}

    def __call__(self, changes: DataFrame, epoch: int) -> None:
        shown = [by_name(c) for c in changes.columns if c != "_change_type"]
        rows = changes.select(F.to_json(F.struct(*shown), TO_JSON), "_change_type").collect()
        self.epochs[epoch] = [(row_of(text), kind) for text, kind in rows]

    def replayed(self, table: Bag | None = None) -> Bag:
        """The view that the changes make of a table, or from nothing, epoch after epoch."""
        table = Counter(table or ())
        for epoch in sorted(self.epochs):
            table = replay(self.epochs[epoch], table)
        return table


def run(
    session: SparkSession,
    folder: Path,
    make: MakeTables,
    queries: Mapping[str, str],
    sinks: Mapping[str, Delivered],
    steps: Sequence[Step],
    cuts: set[int],
) -> tuple[Tables, list[Bags | None]]:
    """Feeds all steps, with a barrier after each step in ``cuts``; starts anew after a barrier if
    there are few. Queries may read those before them.

    Returns the tables, with a snapshot a cut, and what the views held then (None before any data).
    """
    tables = make(session, folder)
    tables.as_sources()

    def start() -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, str(folder / "checkpoint"))
        for name, text in queries.items():
            pipeline.view(name, session.sql(text), sinks.get(name)).createTempViews()
        return pipeline.start()

    query = start()
    epochs: list[int | None] = []
    try:
        for number, step in enumerate(steps):
            put(tables, step, query)
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
        None
        if epoch is None
        else bags(gs.read_views(session, str(folder / "checkpoint"), queries, epoch))
        for epoch in epochs
    ]
    return tables, views


def batch_bags(session: SparkSession, queries: Mapping[str, str]) -> Bags:
    """What batch Spark says of queries that may read those before them."""
    frames = {}
    for name, text in queries.items():
        frames[name] = session.sql(text)
        frames[name].createOrReplaceTempView(name)
    return bags(frames)


def assert_epochs_equal_batch(
    session: SparkSession,
    location: str | Path,
    tables: Tables,
    queries: Mapping[str, str],
    epochs: Sequence[int],
    more: Mapping[str, object] | str = "",
) -> None:
    """Every epoch, read back, is what batch Spark says of the tables as they were then.

    ``epochs`` are those of the tables' snapshots, in order; ``more`` goes into the message, by
    name of the view or as it is.
    """
    for step, epoch in enumerate(epochs):
        tables.as_batch(step)
        wanted = batch_bags(session, queries)
        found = bags(gs.read_views(session, str(location), epoch=epoch))
        for name, text in queries.items():
            told = more if isinstance(more, str) else more[name]
            assert_same(found[name], wanted[name], f"{name}, step {step}, {told}: {text}")


def check_however_cut(
    session: SparkSession,
    folder: Path,
    make: MakeTables,
    queries: Mapping[str, str],
    steps: Sequence[Step],
    rng: random.Random,
) -> None:
    """Compares views with batch Spark after every step, each a barrier, and with what sinks of
    some of them make of their changes; then feeds the same in two barriers, with a restart between
    them, and compares what the views are in the end."""
    last = len(steps) - 1
    sinks = {name: Delivered() for name in queries if rng.random() < 0.3}
    session.conf.set(LOCAL_EXCHANGE, str(rng.random() < 0.5).lower())
    tables, fine = run(session, folder / "fine", make, queries, sinks, steps, set(range(last + 1)))
    session.conf.set(LOCAL_EXCHANGE, str(rng.random() < 0.5).lower())
    again = {name: Delivered() for name in sinks}
    _, coarse = run(session, folder / "coarse", make, queries, again, steps, {1, last})
    for number, views in enumerate(fine):
        if views is None:
            continue
        tables.as_batch(number)
        batch = batch_bags(session, queries)
        for name, text in queries.items():
            assert_same(views[name], batch[name], f"step {number}: {text}")
            if number == last:
                end = coarse[-1]
                assert end is not None
                assert_same(end[name], batch[name], f"in fewer barriers: {text}")
    for name in sinks if fine[-1] is not None else ():
        for each in (sinks, again):
            assert_same(each[name].replayed(), batch[name], f"a sink of {queries[name]}")


def random_views(
    tables: Tables, folder: Path, count: int, make: Callable[[list[str]], str]
) -> dict[str, str]:
    """Queries that can be kept; some of them the optimiser proves empty.

    ``make`` makes one over the tables and views of these names. The tables are empty yet.
    """
    candidates = Candidates(tables, folder)
    while len(candidates.queries) < count:
        candidates.add(make(candidates.readable()))
    return candidates.queries


class Candidates:
    """Views v0, v1, … over tables that are empty yet, of queries that Spark itself can plan."""

    def __init__(self, tables: Tables, folder: Path) -> None:
        self.tables = tables
        self.queries: dict[str, str] = {}
        tables.as_sources()
        self._pipeline = gs.pipeline(tables.tables[0].spark, str(folder / "never"))

    def readable(self) -> list[str]:
        """Names that another query may read."""
        return [*(table.name for table in self.tables.tables), *self.queries]

    def add(self, *texts: str) -> bool:
        """Adds views of all of these queries, or of none if Spark fails at one."""
        session = self.tables.tables[0].spark
        added = {f"v{len(self.queries) + n}": text for n, text in enumerate(texts)}
        done = []
        try:
            for name, text in added.items():
                self._pipeline.view(name, session.sql(text)).createTempViews()
                done.append(name)
        except gs.JavaFailed:
            if spark_plans(self.tables, {**self.queries, **added}):
                raise
            for name in done:
                self._pipeline.drop(name)
            return False
        self.queries.update(added)
        return True


FAULTS_OF_SPARK = (
    "java.util.NoSuchElementException: key not found",
    "[PLAN_VALIDATION_FAILED_RULE_IN_BATCH]",
)


def spark_plans(tables: Tables, queries: Mapping[str, str]) -> bool:
    """Whether Spark itself can plan the queries.

    4.3's optimiser fails at some: it pushes subqueries below a UNION ALL and misses the column they
    refer to, or repeats ids in an INTERSECT ALL.
    """
    batch = tables.tables[0].spark.newSession()
    for table in tables.tables:
        files = batch.read.schema(table.columns()).parquet(str(table.folder))
        files.createOrReplaceTempView(table.name)
    try:
        batch_bags(batch, queries)
    except Py4JJavaError as e:
        if any(fault in str(e) for fault in FAULTS_OF_SPARK):
            return False
        raise
    return True
