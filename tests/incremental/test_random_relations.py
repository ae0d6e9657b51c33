"""Random queries in two forms that must have the same rows, side by side in one pipeline."""

import random
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from incremental.checking import Candidates
from incremental.configurations import Configuration, followed
from incremental.harness import assert_same
from incremental.random_plans import Changes, Maker
from incremental.relations import RELATIONS
from incremental.searching import STARTS, search
from incremental.test_random import tables_in

STEPS = 5


@pytest.mark.parametrize("start", STARTS)
def test_random_queries_have_the_same_rows_in_another_form(
    session: SparkSession, tmp_path: Path, start: int
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_relations(session, tmp_path, rng, views)

    search(check, start)


def check_relations(session: SparkSession, folder: Path, rng: random.Random, count: int) -> None:
    names: list[str] = []
    candidates = Candidates(tables_in(session, folder / "probe"), folder)
    while len(names) < count:
        maker = Maker(rng, rng.randint(0, 2), candidates.readable())
        relation = rng.choice(RELATIONS)(maker)
        if candidates.add(relation.one, relation.other):
            names.append(relation.name)
    queries = candidates.queries
    configuration = Configuration.drawn(rng)
    steps = list(Changes(rng).steps(STEPS))
    tables = tables_in(session, folder / "tables")
    for number, found in followed(session, folder, configuration, tables, queries, steps):
        for pair, name in enumerate(names):
            one, other = f"v{2 * pair}", f"v{2 * pair + 1}"
            where = f"{name}, step {number}: {queries[one]}\n{queries[other]}"
            assert_same(found[other], found[one], where)
