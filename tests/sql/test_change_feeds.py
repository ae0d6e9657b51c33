"""AUTO CDC in SQL: what it makes is a view like any other."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from sql.conftest import rows

FLOW = """CREATE FLOW apply AS AUTO CDC INTO people FROM STREAM(feed) KEYS (id)
    APPLY AS DELETE WHEN op = 'D' SEQUENCE BY version COLUMNS * EXCEPT (op, version)"""


def test_the_life_of_a_table_of_changes(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE feed (id int, city string, version int, op string) APPEND ONLY")
    session.sql(FLOW)
    session.sql(
        """CREATE STREAMING TABLE ever FLOW AUTO CDC FROM STREAM feed KEYS (id)
           APPLY AS DELETE WHEN op = 'D' SEQUENCE BY version
           COLUMNS (id, city) STORED AS SCD TYPE 2"""
    )
    session.sql("CREATE MATERIALIZED VIEW cities AS SELECT city, count(*) n FROM people GROUP BY 1")
    session.sql("INSERT INTO feed VALUES (1, 'Oslo', 3, 'U'), (2, 'Rome', 1, 'U'), (2, '', 2, 'D')")
    session.sql(
        "INSERT INTO feed VALUES (1, 'Bern', 2, 'U'), (2, 'Graz', 1, 'U'), (3, 'Oslo', 1, 'U')"
    )
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM people") == [(1, "Oslo"), (3, "Oslo")]
    assert rows(session, "SELECT * FROM cities") == [("Oslo", 2)]
    one = "SELECT city, __START_AT, __END_AT FROM ever WHERE id = 1"
    assert rows(session, one) == [("Bern", 2, 3), ("Oslo", 3, None)]
    assert rows(session, "SELECT * FROM people WHERE id = 3") == [(3, "Oslo")]
    (plan,) = session.sql(f"EXPLAIN {FLOW.replace('people', 'other')}").collect()
    assert "first 1 rows by (feed.id)" in plan[0]
    session.sql(FLOW.replace("CREATE FLOW", "CREATE FLOW IF NOT EXISTS"))
    with pytest.raises(gs.ConfigurationError, match="has a materialized view people already"):
        session.sql(FLOW)
    session.sql(FLOW.replace("CREATE", "CREATE OR REPLACE").replace("(op, version)", "(op)"))
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM people") == [(1, "Oslo", 3), (3, "Oslo", 1)]
    assert rows(session, "SELECT * FROM cities") == [("Oslo", 2)]
    with pytest.raises(gs.ConfigurationError, match="it is read by materialized view"):
        session.sql("DROP TABLE feed")
    session.sql("DROP MATERIALIZED VIEW people CASCADE")
    assert [r.tableName for r in session.sql("SHOW TABLES").collect()] == ["feed", "ever"]


@pytest.mark.rest
def test_a_flow_forgets_deletes_by_the_watermark_of_its_table(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE forgetful LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.forgetful")
    session.sql(
        """CREATE TABLE feed (id int, at timestamp, op string,
             WATERMARK FOR at AS at - INTERVAL 1 DAY) APPEND ONLY"""
    )
    flow = """CREATE FLOW apply AS AUTO CDC INTO {} FROM STREAM(feed) KEYS (id)
              APPLY AS DELETE WHEN op = 'D' SEQUENCE BY {}"""
    plans = [
        session.sql(f"EXPLAIN {flow.format('people', by)}").collect()[0][0]
        for by in ("at", "struct(at, id)", "struct(id, at)")
    ]
    ends = "in time that are not shown by"
    assert [f"rows {ends} (feed.id)" in plan for plan in plans] == [True, True, False]
    merges = flow.replace("SEQUENCE BY", "IGNORE NULL UPDATES SEQUENCE BY")
    (plan,) = session.sql(f"EXPLAIN {merges.format('people', 'struct(at, id)')}").collect()
    assert f"groups {ends} (id)" in plan[0]
    session.sql(flow.format("people", "at"))
    for rows_in in (
        "(1, TIMESTAMP'2026-01-01', 'D'), (2, TIMESTAMP'2026-01-03', 'U')",
        "(1, TIMESTAMP'2025-12-31', 'U'), (3, TIMESTAMP'2026-01-02', 'U')",
    ):
        session.sql(f"INSERT INTO feed VALUES {rows_in}")
        session.sql("FLUSH")
    assert rows(session, "SELECT id FROM people") == [(2,), (3,)]


@pytest.mark.parametrize(
    ("column", "delay", "told"),
    first_of(
        [
            ("n", "1 DAY", 'but expected "TIMESTAMP"'),
            ("at", "1 DAZ", "1 daz"),
            ("at", "'x' DAY", "x day"),
        ]
    ),
)
def test_a_table_with_a_watermark_that_cannot_be_is_not_made(
    session: SparkSession, tmp_path: Path, column: str, delay: str, told: str
) -> None:
    session.sql(f"CREATE PIPELINE unmarked LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.unmarked")
    try:
        mark = f"WATERMARK FOR {column} AS {column} - INTERVAL {delay}"
        with pytest.raises(gs.ConfigurationError, match=told) as failure:
            session.sql(f"CREATE TABLE w (n int, at timestamp, {mark}) APPEND ONLY")
        assert "\n" not in str(failure.value)
        session.sql("CREATE TABLE w (n int) APPEND ONLY")  # none of that name was made
        topic = (
            "WITH (connector = 'kafka', topic = 't', properties.bootstrap.server = '127.0.0.1:1')"
        )
        with pytest.raises(gs.ConfigurationError, match=told):  # no broker is asked before
            session.sql(
                f"CREATE SOURCE s (n int, at timestamp, {mark}) {topic} FORMAT PLAIN ENCODE JSON"
            )
    finally:
        session.sql("DROP PIPELINE unmarked")


@pytest.mark.rest
def test_a_flow_that_cannot_be_leaves_nothing(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE wrong LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.wrong")
    session.sql("CREATE TABLE feed (id int, city string, version int, op string) APPEND ONLY")
    session.sql("CREATE TABLE keyed (id int PRIMARY KEY, city string, version int, op string)")
    for text, told in (
        (FLOW.replace("KEYS (id)", "KEYS (no)"), "keys: there is no column 'no'"),
        (FLOW.replace("SEQUENCE BY version", "SEQUENCE BY map(id, id)"), "have no order"),
        (FLOW.replace("op = 'D'", "op ="), "apply_as_deletes='op =' does not fit the events"),
        (FLOW.replace("op = 'D'", "op"), "apply_as_deletes='op' must be boolean, it is string"),
        (FLOW.replace("(feed)", "(keyed)"), "rows of keyed replace each other"),
        (f"{FLOW} WITH (colour = 'red')", "colour"),
    ):
        with pytest.raises(gs.GroundswellError, match=told) as failure:
            session.sql(text)
        assert "\n" not in str(failure.value).split("\n\n")[0], text
    assert session.sql("SHOW MATERIALIZED VIEWS").collect() == []
