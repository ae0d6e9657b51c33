"""Random queries beside DuckDB, whose parser, optimizer and expressions are not Spark's."""

import random
import shutil
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from incremental.checking import Candidates
from incremental.common_sql import SCHEMA, Changes, Maker
from incremental.configurations import Configuration, followed
from incremental.harness import Bag, Changelog, Table, Tables, Upserts, assert_same, plain
from incremental.searching import STARTS, search

STEPS = 4


def tables_in(session: SparkSession, folder: Path) -> Tables:
    folder.mkdir()
    return Tables(
        Table(session, folder, "t", SCHEMA).as_parquet(),
        Upserts(session, folder, "u", SCHEMA, "id").as_parquet(),
        Changelog(session, folder, "c", SCHEMA, "id").as_parquet(),
    )


class Duck:
    """The same tables and queries in DuckDB."""

    def __init__(self, tables: Tables, queries: dict[str, str]) -> None:
        self.tables, self.queries = tables, queries
        self.connection = duckdb.connect()
        self.connection.execute("set default_null_order = 'nulls_first_on_asc_last_on_desc'")

    def rows(self) -> dict[str, Bag]:
        """Of each query, over the tables as they are now."""
        for table in self.tables.tables:
            schema = to_arrow_schema(StructType.fromDDL(table.columns()))
            self.connection.register(table.name, pa.Table.from_pylist(table.rows, schema))
        for name, text in self.queries.items():
            self.connection.execute(f"create or replace view {name} as {text}")
        return {name: self._rows(name) for name in self.queries}

    def _rows(self, name: str) -> Bag:
        found = self.connection.sql(f"select k, s, d, v, m from {name}").fetchall()
        return Counter(plain(map(_as_json, row)) for row in found)


def _as_json(value: Any) -> Any:
    match value:
        case date():
            return value.isoformat()
        case Decimal():
            return float(value)
        case _:
            return value


@pytest.mark.parametrize("start", STARTS)
def test_random_queries_have_the_rows_that_duckdb_gives(
    session: SparkSession, tmp_path: Path, start: int
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_second_engine(session, tmp_path, rng, views)

    search(check, start)


def check_second_engine(
    session: SparkSession, folder: Path, rng: random.Random, count: int
) -> None:
    candidates = Candidates(tables_in(session, folder / "probe"), folder)
    while len(candidates.queries) < count:
        candidates.add(Maker(rng, candidates.readable()).query(rng.randint(1, 3)))
    queries = candidates.queries
    configuration = Configuration.drawn(rng)
    steps = list(Changes(rng).steps(STEPS))
    tables = tables_in(session, folder / "tables")
    duck = Duck(tables, queries)
    for number, found in followed(session, folder, configuration, tables, queries, steps):
        for name, rows in duck.rows().items():
            assert_same(found[name], rows, f"{name}, step {number}: {queries[name]}")
