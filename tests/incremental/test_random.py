"""Random queries over random changes: after every epoch each view equals batch Spark, and however
the same changes are cut into barriers, with restarts between them, the views end the same.
"""

import random
import shutil
from pathlib import Path

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

from incremental.checking import check_however_cut, random_views
from incremental.harness import Changelog, Table, Tables, Upserts
from incremental.random_plans import SCHEMA, Changes, Maker
from incremental.searching import STARTS, search

STEPS = 4


def tables_in(session: SparkSession, folder: Path) -> Tables:
    folder.mkdir()
    return Tables(
        Table(session, folder, "t", SCHEMA).as_parquet(),
        Upserts(session, folder, "u", SCHEMA, "id"),
        Changelog(session, folder, "c", SCHEMA, "id").as_parquet(),
    )


@pytest.mark.parametrize("start", STARTS)
def test_random_views_equal_batch_however_barriers_are_cut(
    session: SparkSession, tmp_path: Path, start: int
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_random_views(session, tmp_path, rng, views)

    search(check, start)


def check_random_views(session: SparkSession, folder: Path, rng: random.Random, count: int) -> None:
    probe = tables_in(session, folder / "probe")
    queries = random_views(
        probe, folder, count, lambda names: Maker(rng, rng.randint(1, 3), names).query()
    )
    steps = list(Changes(rng).steps(STEPS))
    for name, text in queries.items():
        note(f"{name}: {text}")
    for step in steps:
        note(f"step: {step}")
    check_however_cut(session, folder, tables_in, queries, steps, rng)
