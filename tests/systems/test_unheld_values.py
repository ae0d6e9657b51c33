"""Values of servers that Spark's types do not hold: rows that fail by name, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from systems.bank import Bank
from systems.servers import Postgres

BAD = {
    2: ("d", "0044-03-15 BC", "date holds the years 1 to 9999"),
    3: ("d", "10000-01-01", "date holds the years 1 to 9999"),
    4: ("n", "NaN", "decimal(20,2) holds 20 digits, 2 of them behind the point"),
    5: ("m", "Infinity", "decimal(38,18) holds 38 digits, 18 of them"),
    6: ("t", "294276-12-31 23:59:59", "timestamp_ntz holds the years 1 to 9999"),
    7: ("z", "0044-03-15 00:00:00+00 BC", "timestamp holds the years 1 to 9999"),
    8: ("a", "{{1,2},{3,4}}", "an array of more than one dimension"),
    9: ("b", "{1.50,NaN}", "of its element NaN, decimal(20,2) holds 20 digits"),
}
"""By id: the column with a value that is not held, the value, and what is said of it."""
COLUMNS = (
    "id int PRIMARY KEY, d date, n numeric(20,2), m numeric, t timestamp, z timestamptz, "
    "a int[], b numeric(20,2)[]"
)


@pytest.fixture
def bank(postgres: Postgres) -> Bank:
    made = Bank(postgres)
    made.run("DROP TABLE IF EXISTS odd, keyed, boxes")
    return made


def rows(run: Any, view: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(r) for r in run.view(view).collect()), key=repr)


def start(session: SparkSession, bank: Bank, at: Path, table: str, **options: Any) -> Any:
    p = gs.pipeline(session, str(at))
    frame = bank.frames(session, table)[table]
    p.view("v", frame.selectExpr("id", "CAST(d AS STRING) d"), **options)
    return p.start()


def bad(key: int) -> str:
    column, value, _ = BAD[key]
    return f"INSERT INTO odd (id, {column}) VALUES ({key}, '{value}')"


def test_values_of_postgres_are_set_aside_one_by_one(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    """They ended the pipeline, and only a new location helped."""
    bank.run(f"CREATE TABLE odd ({COLUMNS})")
    bank.run("INSERT INTO odd (id, d) VALUES (1, '2026-01-01')")
    for key in (2, 4, 8):  # some are in the snapshot, others come later
        bank.run(bad(key))
    run = start(session, bank, tmp_path, "odd", errors="divert")
    try:
        run.processAllAvailable()
        for key in BAD.keys() - {2, 4, 8}:
            bank.run(bad(key))
        bank.run("INSERT INTO odd (id, d) VALUES (10, '9999-12-31')")
        run.processAllAvailable()
        assert rows(run, "v") == [(1, "2026-01-01"), (10, "9999-12-31")]
        aside = {each.row: each.error for each in run.view("v_diverted").collect()}
        assert len(aside) == len(BAD)
        for key, (column, value, why) in BAD.items():
            (said,) = (e for row, e in aside.items() if row.startswith(f'{{"id":{key},'))
            for part in (
                f'column {column} of table "public"."odd"',
                value,
                f"row id = {key},",
                why,
            ):
                assert part in said
        bank.run("UPDATE odd SET d = '2026-02-02', n = 0 WHERE id IN (2, 4)")
        bank.run("DELETE FROM odd WHERE id = 8")
        bank.run("UPDATE odd SET id = 33 WHERE id = 3")
        run.processAllAvailable()
        assert [r for r in rows(run, "v") if r[0] in (2, 4)] == [
            (2, "2026-02-02"),
            (4, "2026-02-02"),
        ]
        left = sorted(each.row[6:9] for each in run.view("v_diverted").collect())
        assert left == ["33,", '5,"', '6,"', '7,"', '9,"']
    finally:
        run.stop()


def test_a_value_of_postgres_ends_a_pipeline_by_name_and_nothing_is_lost(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    bank.run(f"CREATE TABLE odd ({COLUMNS})")
    bank.run("INSERT INTO odd (id, d) VALUES (1, '2026-01-01')")
    run = start(session, bank, tmp_path, "odd")
    run.processAllAvailable()
    bank.run(bad(2))
    bank.run("INSERT INTO odd (id, d) VALUES (10, '2026-01-10')")
    with pytest.raises(gs.RowFailed, match=r'column d of table "public"."odd" .*0044-03-15 BC'):
        run.processAllAvailable()
    run.stop()
    run = start(session, bank, tmp_path, "odd", errors="divert")
    try:
        run.processAllAvailable()
        assert rows(run, "v") == [(1, "2026-01-01"), (10, "2026-01-10")]
        assert run.view("v_diverted").count() == 1
    finally:
        run.stop()


def test_rows_with_keys_that_spark_does_not_hold_stay_apart(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    """Null in the place of each would make one row of them."""
    bank.run("CREATE TABLE keyed (id int, d date, x int, PRIMARY KEY (id, d))")
    bank.run("INSERT INTO keyed VALUES (1, '2026-01-01', 1), (1, 'infinity', 2)")
    run = start(session, bank, tmp_path, "keyed", errors="divert")
    try:
        run.processAllAvailable()
        bank.run("INSERT INTO keyed VALUES (1, '-infinity', 3), (1, '0044-01-01 BC', 4)")
        run.processAllAvailable()
        assert rows(run, "v") == [(1, "2026-01-01")]
        said = sorted(each.error for each in run.view("v_diverted").collect())
        assert len(said) == 3
        for text in ("-infinity", "0044-01-01 BC", "infinity"):
            assert sum(f"d = {text}," in each for each in said) == 1
        bank.run("UPDATE keyed SET x = 5 WHERE d = 'infinity'")
        bank.run("DELETE FROM keyed WHERE d = '-infinity'")
        bank.run("UPDATE keyed SET d = '2026-04-04' WHERE x = 4")
        run.processAllAvailable()
        assert rows(run, "v") == [(1, "2026-01-01"), (1, "2026-04-04")]
        (left,) = run.view("v_diverted").collect()
        assert "d = infinity," in left.error
    finally:
        run.stop()


def test_arrays_that_commas_do_not_divide_come_as_texts(
    session: SparkSession, bank: Bank, tmp_path: Path
) -> None:
    """PostgreSQL divides boxes by semicolons, and each became four texts without an error."""
    bank.run("CREATE TABLE boxes (id int PRIMARY KEY, d box[], o oidvector, p point[])")
    bank.run("INSERT INTO boxes VALUES (1, '{(1,2),(0,0);(3,4),(0,0)}', '7 8', '{\"(1,2)\"}')")
    p = gs.pipeline(session, str(tmp_path))
    p.view("v", bank.frames(session, "boxes")["boxes"])
    run = p.start()
    try:
        run.processAllAvailable()
        assert rows(run, "v") == [(1, "{(1,2),(0,0);(3,4),(0,0)}", "7 8", ["(1,2)"])]
    finally:
        run.stop()
