"""Random INSERT, UPDATE, DELETE and MERGE, and transactions of them, by DuckDB as well.

Both get the same text, but for ``INSERT`` into a table with a key: DuckDB deletes the rows that are
replaced first. DuckDB's ``MERGE`` takes any of several rows of a source that match one row, and
refuses nothing; the sources here have a row for each key at most.
"""

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

from groundswell import ConfigurationError
from incremental.common_sql import COLUMNS, POOLS, Maker
from incremental.searching import STARTS, seeds
from sql.conftest import end_all

pytestmark = pytest.mark.rest

STEPS, KEYS = 12, 7
NAMES = ("t", "u")
TYPES = {"k": "bigint", "s": "string", "d": "date", "v": "double", "m": "decimal(20,2)"}
DEFAULTS = {"k": " DEFAULT 3", "s": "", "d": " DEFAULT date '2024-02-29'", "v": "", "m": ""}
TOTAL = "SELECT k, count(*) n, sum(v) v, max(s) s, min(d) d, sum(m) m FROM t GROUP BY k"
WRITTEN = "was written to in this transaction"
"""A transaction does not read another table that it has written; DuckDB's does."""


def literal(column: str, value: Any) -> str:
    if value is None:
        return "NULL"
    text = f"'{value}'" if column in ("s", "d") else f"{value}"
    return {"d": f"DATE {text}", "v": f"{text}e0", "m": f"CAST({text} AS {TYPES['m']})"}.get(
        column, text
    )


class Writer:
    """Makes statements; a table's rows have a number beside the columns of all relations."""

    def __init__(self, rng: random.Random, keyed: set[str]) -> None:
        self.rng, self.keyed = rng, keyed
        self.maker = Maker(rng, NAMES)

    def value(self, column: str, alias: str) -> str:
        made = self.maker.value(column, alias, 2)
        return f"substring({made}, 1, 4)" if column == "s" else made

    def condition(self, alias: str) -> str:
        """Over a row of the table, and sometimes rows of others."""
        plain = self.maker.condition(alias, 2)
        if self.rng.random() < 0.6:
            return plain
        source, r = self.maker.source(1)
        column, word = self.maker.pick(["k", "s"]), self.maker.pick(["", "NOT "])
        where = self.maker.condition(r, 1)
        inner = self.maker.pick(
            [
                f"{word}EXISTS (SELECT 1 FROM {source} WHERE {r}.{column} = {alias}.{column})",
                f"{alias}.{column} {word}IN (SELECT {r}.{column} FROM {source} WHERE {where})",
                f"{alias}.v < (SELECT max({r}.v) FROM {source} WHERE {r}.k = {alias}.k)",
                f"{alias}.k = (SELECT max({r}.k) FROM {source} WHERE {where})",
            ]
        )
        return f"({inner}) {self.maker.pick(['AND', 'OR'])} ({plain})"

    def some(self) -> list[str]:
        return self.rng.sample(COLUMNS, self.rng.randint(1, len(COLUMNS)))

    def assigned(self, alias: str) -> str:
        return ", ".join(
            f"{c} = {'DEFAULT' if self.rng.random() < 0.1 else self.value(c, alias)}"
            for c in self.some()
        )

    def source(self) -> str:
        """A query whose rows have numbers of their own."""
        order = ", ".join(f"{c} NULLS FIRST" for c in COLUMNS)
        columns = ", ".join(f"CAST({c} AS {TYPES[c]}) AS {c}" for c in COLUMNS)
        query = self.maker.query(self.rng.randint(0, 2))
        numbered = f"SELECT *, row_number() OVER (ORDER BY {order}) n FROM ({query}) z"
        return (
            f"SELECT n + {self.rng.randrange(3)} AS id, {columns} FROM ({numbered}) y WHERE n < 6"
        )

    def insert(self, table: str) -> str:
        if self.rng.random() < 0.4:
            return f"INSERT INTO {table} {self.source()}"
        columns = self.some()
        rows = ", ".join(
            f"({', '.join([str(key), *map(self.given, columns)])})"
            for key in self.rng.sample(range(KEYS), self.rng.randint(1, 4))
        )
        return f"INSERT INTO {table} (id, {', '.join(columns)}) VALUES {rows}"

    def given(self, column: str) -> str:
        if self.rng.random() < 0.1:
            return "DEFAULT"
        return literal(column, self.rng.choice(POOLS[column]))

    def merge(self, table: str) -> str:
        """Clauses with conditions, and perhaps a last one of a kind without."""
        clauses = list[str]()

        def add(kind: str, most: int, alias: str, *actions: str) -> None:
            for left in range(self.rng.randint(0, most), 0, -1):
                last = left == 1 and self.rng.random() < 0.5
                when = "" if last else f" AND {self.maker.condition(alias, 1)}"
                clauses.append(f"WHEN {kind}{when} THEN {self.maker.pick(actions)}")

        add("MATCHED", 3, self.maker.pick(["x", "q"]), "DELETE", "UPDATE SET *",
            f"UPDATE SET {self.assigned('x')}", f"UPDATE SET {self.assigned('q')}")  # fmt: skip
        add("NOT MATCHED", 2, "q", "INSERT *", "INSERT (s, id, d) VALUES (q.s, q.id, q.d)",
            f"INSERT (id, k, v) VALUES (q.id, DEFAULT, {self.value('v', 'q')})")  # fmt: skip
        add("NOT MATCHED BY SOURCE", 2, "x", "DELETE", f"UPDATE SET {self.assigned('x')}")
        if not clauses:
            clauses.append("WHEN NOT MATCHED THEN INSERT *")
        on = "x.id = q.id"
        if table not in self.keyed and self.rng.random() < 0.3:  # a key is inserted once
            on += " AND q.k IS NOT NULL"
        text = f"MERGE INTO {table} AS x USING ({self.source()}) AS q ON {on}"
        return f"{text} {' '.join(clauses)}"

    def statement(self) -> tuple[str, str]:
        """The table that it writes to, and the statement."""
        table = self.rng.choice(NAMES)
        match self.rng.randrange(8):
            case 0 | 1:
                return table, self.insert(table)
            case 2 | 3:
                where = self.condition("x")
                return table, f"UPDATE {table} AS x SET {self.assigned('x')} WHERE {where}"
            case 4:
                where = f"({self.condition('x')}) AND ({self.maker.condition('x', 1)})"
                return table, f"DELETE FROM {table} AS x WHERE {where}"
            case _:
                return table, self.merge(table)


class Beside:
    """Two tables here and in DuckDB, the first with a view of it."""

    def __init__(self, session: SparkSession, place: Path, keyed: set[str]) -> None:
        self.session, self.keyed = session, keyed
        self.duck = duckdb.connect()
        self.duck.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
        session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
        session.sql("USE groundswell.p")
        columns = ", ".join(f"{c} {TYPES[c]}{DEFAULTS[c]}" for c in COLUMNS)
        for name in NAMES:
            key = " PRIMARY KEY" if name in keyed else ""
            session.sql(f"CREATE TABLE {name} (id bigint{key}, {columns})")
            for made in (name, f"new_{name}"):
                self.duck.execute(f"CREATE TABLE {made} (id bigint, {columns})")
        session.sql(f"CREATE MATERIALIZED VIEW total AS {TOTAL}")
        self.duck.execute(f"CREATE VIEW total AS {TOTAL}")

    def both(self, text: str) -> None:
        self.session.sql(text)
        self.duck.execute(text)

    def write(self, table: str, text: str) -> None:
        self.session.sql(text)
        if not text.startswith("INSERT") or table not in self.keyed:
            self.duck.execute(text)
            return
        self.duck.execute(text.replace(f"INTO {table}", f"INTO new_{table}", 1))
        self.duck.execute(f"DELETE FROM {table} WHERE id IN (SELECT id FROM new_{table})")
        self.duck.execute(f"INSERT INTO {table} FROM new_{table}")
        self.duck.execute(f"TRUNCATE new_{table}")

    def transaction(self, statements: list[tuple[str, str]], word: str) -> None:
        """Commits them or rolls them back; what may not stand in one rolls it back."""
        self.both("BEGIN")
        try:
            for table, text in statements:
                self.write(table, text)
        except ConfigurationError as refused:
            if WRITTEN not in str(refused):
                raise
            word = "ROLLBACK"
        self.both(word)

    def check(self, told: str) -> None:
        self.session.sql("FLUSH")
        for name in (*NAMES, "total"):
            ours = self.session.sql(f"SELECT * FROM {name}")
            right = self.duck.sql(f"SELECT {', '.join(ours.columns)} FROM {name}").fetchall()
            assert Counter(map(tuple, ours.collect())) == Counter(right), f"{name}, {told}"


def check(session: SparkSession, place: Path, seed: int) -> None:
    rng = random.Random(seed)
    beside = Beside(session, place, {name for name in NAMES if rng.random() < 0.5})
    writer = Writer(rng, beside.keyed)
    for number in range(STEPS):
        statements = [writer.statement()]
        word = rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])
        if rng.random() < 0.2:
            statements.append(writer.statement())
            beside.transaction(statements, word)
        else:
            beside.write(*statements[0])
        beside.check(f"seed {seed}, step {number}, keys of {beside.keyed}: {statements}")


@pytest.mark.parametrize("start", STARTS)
def test_tables_have_the_rows_that_duckdb_gives(
    session: SparkSession, tmp_path: Path, start: int
) -> None:
    for seed in seeds(start):
        shutil.rmtree(tmp_path, ignore_errors=True)
        check(session, tmp_path / "p", seed)
        end_all(session)
