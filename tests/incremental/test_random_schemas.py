"""Random queries over tables of random types: after every epoch each view equals batch Spark."""

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

from groundswell.columns import quoted
from incremental.checking import Step, check_however_cut, random_views
from incremental.harness import Changelog, Row, Table, Tables, Upserts
from incremental.random_plans import change
from incremental.schemas.relations import NAMES, Maker
from incremental.schemas.types import SIMPLE, Kind, kind
from incremental.searching import search

pytestmark = pytest.mark.rest

STEPS = 4
ZONES = ("UTC", "America/New_York", "Asia/Kathmandu")


@dataclass(frozen=True)
class Schema:
    """A table's columns, the first of which is a key if it has one."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]

    @classmethod
    def made(cls, rng: random.Random) -> "Schema":
        count = rng.randint(1, 3)
        key = rng.choice([k for k in SIMPLE if k.key])
        return cls(tuple(rng.sample(NAMES, count + 1)), (key, *(kind(rng) for _ in range(count))))

    @property
    def ddl(self) -> str:
        columns = zip(self.names, self.kinds, strict=True)
        return ", ".join(f"{quoted(name)} {kind.ddl}" for name, kind in columns)

    def row(self, rng: random.Random) -> Row:
        key, *kinds = self.kinds
        values = [rng.choice(key.values), *(kind.value(rng) for kind in kinds)]
        return dict(zip(self.names, values, strict=True))


@dataclass(frozen=True)
class Database:
    """Three tables, one of each way to change, and their changes."""

    t: Schema
    u: Schema
    c: Schema

    def tables(self, session: SparkSession, folder: Path) -> Tables:
        folder.mkdir()
        u, c = self.u, self.c
        return Tables(
            Table(session, folder, "t", self.t.ddl).as_parquet(),
            Upserts(session, folder, "u", u.ddl, u.names[0]).as_parquet(),
            Changelog(session, folder, "c", c.ddl, c.names[0]).as_parquet(),
        )

    def steps(self, rng: random.Random) -> Iterator[Step]:
        there: dict[int, Row] = {}
        for _ in range(STEPS):
            yield {
                "t": [self.t.row(rng) for _ in range(rng.choice([0, 1, 3, 8]))],
                "u": [
                    {**self.u.row(rng), "gone": rng.random() < 0.25}
                    for _ in range(rng.choice([0, 2, 6]))
                ],
                "c": [c for _ in range(rng.choice([0, 2, 5])) for c in self._change(rng, there)],
            }

    def _change(self, rng: random.Random, there: dict[int, Row]) -> list[dict[str, Any]]:
        name, keys = self.c.names[0], self.c.kinds[0].values
        place = rng.choice([n for n, key in enumerate(keys) if repr(key) != "-0.0"])
        return change(rng, there, place, {**self.c.row(rng), name: keys[place]})


def test_random_views_of_random_schemas_equal_batch(session: SparkSession, tmp_path: Path) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_random_schemas(session, tmp_path, rng, views)

    search(check)


def check_random_schemas(
    session: SparkSession, folder: Path, rng: random.Random, count: int
) -> None:
    session.conf.set("spark.sql.session.timeZone", rng.choice(ZONES))
    database = Database(*(Schema.made(rng) for _ in range(3)))
    probe = database.tables(session, folder / "probe")
    maker = Maker(session, rng)
    queries = random_views(
        probe, folder, count, lambda names: maker.query(names, rng.randint(1, 3))
    )
    steps = list(database.steps(rng))
    for table in probe.tables:
        note(f"{table.name}: {table.schema}")
    for name, text in queries.items():
        note(f"{name}: {text}")
    for step in steps:
        note(f"step: {step}")
    note(f"made {dict(maker.made)}, refused by Spark {maker.refused}")
    check_however_cut(session, folder, database.tables, queries, steps, rng)
