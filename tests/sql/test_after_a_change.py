"""What is made after a change of a table or view: it reads the table, and what was made before.

Each change is followed by each kind of statement that reads the table beside a view of before. The
views equal their queries, which Spark runs over the pipeline's own tables, also after a restart.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sql.conftest import opened, reopened

pytestmark = pytest.mark.rest

BEFORE = """
CREATE TABLE t (k int PRIMARY KEY, a int, b int, s string)
CREATE TABLE o (k int PRIMARY KEY, z int)
CREATE MATERIALIZED VIEW v AS SELECT k, a FROM t WHERE a > 0
CREATE MATERIALIZED VIEW g AS SELECT a, count(*) AS n FROM t GROUP BY a
INSERT INTO t VALUES (1, 1, 1, 'x'), (2, 2, 2, 'y'), (3, 2, 3, 'z'), (4, 0, 0, 'w')
INSERT INTO o VALUES (1, 10), (2, 20)
FLUSH
""".strip().splitlines()
NAMES = {"t": "t", "v": "v", "o": "o", "a": "a", "b": "b"}
CHANGES: dict[str, tuple[list[str], Mapping[str, str]]] = {
    "a new column": (["ALTER TABLE t ADD COLUMN c int DEFAULT 7"], {}),
    "another name of a column that is read": (["ALTER TABLE t RENAME COLUMN a TO aa"], {"a": "aa"}),
    "two names exchanged": (
        [
            "ALTER TABLE t RENAME TO tmp",
            "ALTER TABLE o RENAME TO t",
            "ALTER TABLE tmp RENAME TO o",
        ],
        {"t": "o", "o": "t"},
    ),
    "none": ([], {}),
    "a column less": (["ALTER TABLE t DROP COLUMN s"], {}),
    "another name of a column": (["ALTER TABLE t RENAME COLUMN b TO bb"], {"b": "bb"}),
    "a wider type": (["ALTER TABLE t ALTER COLUMN b TYPE bigint"], {}),
    "another name of the table": (["ALTER TABLE t RENAME TO t9"], {"t": "t9"}),
    "another name of the view": (["ALTER MATERIALIZED VIEW v RENAME TO v9"], {"v": "v9"}),
    "a column while a view is suspended": (
        [
            "ALTER MATERIALIZED VIEW v SUSPEND",
            "ALTER TABLE t ADD COLUMN c int",
            "ALTER MATERIALIZED VIEW v RESUME",
        ],
        {},
    ),
}
VIEWS = {
    "everything": "SELECT * FROM {t}",
    "joined": "SELECT {t}.k, {b}, {v}.a AS va FROM {t} JOIN {v} ON {t}.k = {v}.k",
    "three": "SELECT {t}.k, z FROM {t} JOIN {v} ON {t}.k = {v}.k JOIN {o} ON {o}.k = {t}.k "
    "LEFT JOIN g ON g.a = {t}.{a}",
    "sums": "SELECT g.a AS ga, sum({t}.{b}) AS sb FROM {t} JOIN g ON g.a = {t}.{a} GROUP BY g.a",
    "less": "SELECT DISTINCT {b} FROM {t} EXCEPT SELECT a FROM {v}",
    "found": "SELECT {t}.k AS tk, {v}.k AS vk FROM {t} JOIN {v} ON {t}.{b} = {v}.a",
}
SINK = "SELECT {t}.k, {v}.a AS q FROM {t} JOIN {v} USING (k)"
GROUPS = "SELECT {v}.a, count(*) AS n FROM {t} JOIN {v} USING (k) GROUP BY {v}.a"
AFTER = [
    "CREATE INDEX by_b ON {t} ({b})",
    "CREATE INDEX by_a ON {v} (a)",
    *(f"CREATE MATERIALIZED VIEW {name} AS {query}" for name, query in VIEWS.items()),
    "CREATE TABLE w (k int PRIMARY KEY, q int)",
    f"CREATE SINK into_w INTO w AS {SINK}",
    "MERGE INTO {t} USING {v} ON {t}.k = {v}.k WHEN MATCHED THEN UPDATE SET {b} = {v}.a + 100",
    "ALTER TABLE {t} ADD COLUMN later int",
    "CREATE MATERIALIZED VIEW later AS SELECT {t}.k, later, {v}.a AS va FROM {t}, {v}",
    f"CREATE OR REPLACE MATERIALIZED VIEW g AS {GROUPS}",
    "UPDATE {t} SET {b} = {b} + 1 WHERE k IN (SELECT k FROM {v})",
    "INSERT INTO {t} (k, {a}, {b}) VALUES (5, 2, 5), (6, 1, 6)",
    "UPDATE {t} SET {a} = 3 WHERE k = 2",
    "DELETE FROM {t} WHERE k IN (SELECT k FROM {v} WHERE a = 1 AND k > 5)",
    "DELETE FROM {t} WHERE k = 3",
]


@pytest.mark.parametrize(
    "change",
    [pytest.param(each, marks=pytest.mark.soak if i > 2 else ()) for i, each in enumerate(CHANGES)],
)
def test_what_is_made_after_a_change(session: SparkSession, tmp_path: Path, change: str) -> None:
    made, names = CHANGES[change][0], {**NAMES, **CHANGES[change][1]}
    opened(session, tmp_path / "p")
    for text in [*BEFORE, *made, *(text.format(**names) for text in AFTER)]:
        session.sql(text)
    queries = {
        **VIEWS,
        "w": SINK,
        "g": GROUPS,
        "{v}": "SELECT k, {a} FROM {t} WHERE {a} > 0",
        "later": "SELECT {t}.k, later, {v}.a FROM {t}, {v}",
    }
    queries = {name.format(**names): query.format(**names) for name, query in queries.items()}
    queries["everything"] = (
        f"SELECT {', '.join(session.table('everything').columns)} FROM " + (names["t"])
    )
    for key in (7, 8):
        for _ in range(2):  # what a sink brings into a table comes one barrier later
            session.sql("FLUSH")
        for name, query in queries.items():
            found, right = (rows(session, text) for text in (f"SELECT * FROM {name}", query))
            assert found == right, f"{name}: {query}"
        reopened(session, str(tmp_path / "p"))
        session.sql(
            f"INSERT INTO {names['t']} (k, {names['a']}, {names['b']}) VALUES ({key}, 1, 2)"
        )


def rows(session: SparkSession, query: str) -> list[str]:
    return sorted(repr(tuple(row)) for row in session.sql(query).collect())
