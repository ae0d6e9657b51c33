"""Random changes that are all taken back: the views, and every table of every state, are as before.

Views that equal batch Spark say nothing of rows that only a state holds: what a delete leaves there
is read by nobody, and stays for ever.
"""

import random
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import Delivered, MakeTables, Step, put, random_views
from incremental.configurations import Configuration
from incremental.harness import Bags, Changelog, Tables, Upserts, assert_same, bags, published
from incremental.random_plans import SCHEMA, Changes, Maker
from incremental.schemas.relations import Maker as TypedMaker
from incremental.searching import STARTS, search
from incremental.test_random_schemas import Database, Schema
from incremental.undoing import held, told, undone

STEPS = 3


def tables_in(session: SparkSession, folder: Path) -> Tables:
    """Of every kind whose rows can be taken back."""
    folder.mkdir()
    return Tables(
        Changelog(session, folder, "t", SCHEMA, "id").as_parquet(),
        Upserts(session, folder, "u", SCHEMA, "id").as_parquet(),
        Changelog(session, folder, "c", SCHEMA, "id").as_parquet(),
    )


def tables_of(database: Database) -> MakeTables:
    """The same with columns of any types."""

    def make(session: SparkSession, folder: Path) -> Tables:
        folder.mkdir()
        t, u, c = database.t, database.u, database.c
        return Tables(
            Upserts(session, folder, "t", t.ddl, t.names[0]).as_parquet(),
            Upserts(session, folder, "u", u.ddl, u.names[0]).as_parquet(),
            Changelog(session, folder, "c", c.ddl, c.names[0]).as_parquet(),
        )

    return make


def changes(rng: random.Random, count: int) -> list[Step]:
    """The first is what there is at the beginning."""
    steps = []
    for step in Changes(rng).steps(count):
        came = [{**row, "_change_type": "insert"} for row in step["t"]]
        steps.append({**step, "t": came})
    return steps


@pytest.mark.parametrize("start", STARTS)
def test_random_changes_that_are_taken_back_leave_nothing(
    session: SparkSession, tmp_path: Path, start: int
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        probe = tables_in(session, tmp_path / "probe")
        queries = random_views(
            probe, tmp_path, views, lambda names: Maker(rng, rng.randint(1, 3), names).query()
        )
        check_undone(session, tmp_path, tables_in, queries, changes(rng, STEPS + 1), rng)

    search(check, start)


@pytest.mark.rest
def test_random_changes_of_random_types_that_are_taken_back_leave_nothing(
    session: SparkSession, tmp_path: Path
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        database = Database(*(Schema.made(rng) for _ in range(3)))
        make, maker = tables_of(database), TypedMaker(session, rng)
        probe = make(session, tmp_path / "probe")
        queries = random_views(
            probe, tmp_path, views, lambda names: maker.query(names, rng.randint(1, 3))
        )
        note("\n".join(f"{table.name}: {table.schema}" for table in probe.tables))
        check_undone(session, tmp_path, make, queries, list(database.steps(rng)), rng)

    search(check)


def check_undone(
    session: SparkSession,
    folder: Path,
    make: MakeTables,
    queries: dict[str, str],
    steps: list[Step],
    rng: random.Random,
) -> None:
    """Takes all steps but the first back, some in one barrier with others, some after a restart."""
    tables = make(session, folder / "tables")
    tables.as_sources()
    location = folder / "checkpoint"
    configuration = Configuration.drawn(rng)
    sinks = {name: Delivered() for name in queries}
    back: list[Step] = []
    note("\n".join([f"{name}: {text}" for name, text in queries.items()]))
    note(f"{configuration}\n{steps}")

    def start(options: Mapping[str, Any]) -> gs.IncrementalQuery:
        pipeline = gs.pipeline(session, str(location), **options)
        for name, text in queries.items():
            pipeline.view(name, session.sql(text), sinks[name]).createTempViews()
        return pipeline.start()

    def run(steps: Iterable[Step], options: Mapping[str, Any]) -> Bags | None:
        query = start(options)
        try:
            for step in steps:
                put(tables, step, query)
                if rng.random() < 0.7:
                    query.processAllAvailable()
                if rng.random() < 0.1:
                    query.stop()
                    query = start(options)
            query.processAllAvailable()
        finally:
            query.stop()
        return bags(gs.read_views(session, str(location))) if published(location) else None

    def there_and_back() -> Iterator[Step]:
        for step in steps[1:]:
            back.append(undone(tables, step))
            yield step
        yield from reversed(back)

    with configuration.of(session) as options:
        base = run(steps[:1], options)
        if base is None:
            return
        first, before = max(published(location)), held(location)
        end = run(there_and_back(), options)
    assert end is not None
    for name, text in queries.items():
        assert_same(end[name], base[name], f"{name}: {text}")
        later = Delivered()
        later.epochs = {e: rows for e, rows in sinks[name].epochs.items() if e > first}
        assert_same(later.replayed(base[name]), base[name], f"changes of {name}: {text}")
    left = told(held(location), before)
    assert not left, "\n".join(left)
