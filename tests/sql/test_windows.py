"""TUMBLE and HOP, in plain queries and in views that close their windows."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

EVENTS = "VALUES (TIMESTAMP '2026-01-01 00:00:03', 1), (TIMESTAMP '2026-01-01 00:00:07', 2)"


def windows(spark: SparkSession, query: str) -> list[tuple[object, ...]]:
    found = spark.sql(f"SELECT second(window_start), second(window_end), n FROM {query}")
    return sorted(tuple(row) for row in found.collect())


def test_windows_of_any_table(session: SparkSession) -> None:
    session.sql(f"CREATE TEMPORARY VIEW ev AS SELECT * FROM {EVENTS} AS t(at, n)")
    assert windows(session, "TUMBLE(ev, at, INTERVAL '5' SECOND)") == [(0, 5, 1), (5, 10, 2)]
    assert windows(session, "hop(TABLE(ev), at, INTERVAL 5 SECONDS, INTERVAL 10 SECONDS) h") == [
        (0, 10, 1),
        (0, 10, 2),
        (5, 15, 2),
        (55, 5, 1),
    ]
    for call, what in [
        ("TUMBLE(ev, at, INTERVAL 1 MONTH)", "intervals of days, hours"),
        ("TUMBLE(ev, at)", "TUMBLE\\(table, time column, INTERVAL size\\)"),
        ("HOP(1, at, INTERVAL 1 DAY)", "the first argument of hop is a table"),
    ]:
        with pytest.raises(Exception, match=what):
            session.sql(f"SELECT * FROM {call}")


def test_windows_close(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE ev (at timestamp, n int, WATERMARK FOR at AS at - INTERVAL 1 SECOND)")
    for name, call, by in [
        ("started", "TUMBLE(ev, at, INTERVAL 5 SECONDS)", "window_start"),
        ("ended", "TUMBLE(groundswell.p.ev, at, INTERVAL 5 SECONDS)", "window_end"),
        (
            "hopped",
            "HOP(ev, at, INTERVAL 5 SECONDS, INTERVAL 10 SECONDS)",
            "window_start, window_end",
        ),
    ]:
        session.sql(
            f"CREATE MATERIALIZED VIEW {name} AS SELECT {by}, sum(n) n FROM {call} GROUP BY {by} "
            "EMIT ON WINDOW CLOSE"
        )
    session.sql(f"INSERT INTO ev {EVENTS}")
    session.sql("FLUSH")
    session.sql("INSERT INTO ev VALUES (TIMESTAMP '2026-01-01 00:00:10', 4)")
    session.sql("FLUSH")
    session.sql("FLUSH")  # a watermark holds from the barrier after

    def given(name: str, column: str) -> list[tuple[object, ...]]:
        found = session.sql(f"SELECT second({column}), n FROM {name}").collect()
        return sorted(tuple(row) for row in found)

    assert given("started", "window_start") == [(0, 1)]
    assert given("ended", "window_end") == [(5, 1)]
    assert given("hopped", "window_end") == [(5, 1)]
