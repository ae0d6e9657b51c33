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


@pytest.mark.rest
def test_a_view_that_is_filled_has_the_windows_that_are_closed(
    session: SparkSession, tmp_path: Path
) -> None:
    """A watermark that stands still closes none, so what it has passed comes with the fill."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE ev (at timestamp, n int, WATERMARK FOR at AS at - INTERVAL 1 SECOND)")
    closed = (
        "SELECT second(window_start) s, sum(n) n FROM TUMBLE(ev, at, INTERVAL 5 SECONDS) "
        "GROUP BY window_start EMIT ON WINDOW CLOSE"
    )
    session.sql(f"CREATE MATERIALIZED VIEW always AS {closed}")
    session.sql(f"CREATE MATERIALIZED VIEW paused AS {closed.replace('sum(n)', 'sum(n) + 0')}")
    session.sql("CREATE TABLE copy (s int, n bigint)")
    session.sql("CREATE SINK copies INTO copy FROM paused")

    def put(*seconds: int) -> None:
        rows = ", ".join(f"(TIMESTAMP '2026-01-01 00:00:{s:02}', {s})" for s in seconds)
        session.sql(f"INSERT INTO ev VALUES {rows}")
        for _ in range(3):  # a watermark holds from the barrier after, a sink's rows from the next
            session.sql("FLUSH")

    def rows(name: str) -> list[tuple[object, ...]]:
        return sorted(tuple(row) for row in session.sql(f"SELECT * FROM {name}").collect())

    put(3, 7)
    put(12)
    assert rows("always") == rows("paused") == rows("copy") == [(0, 3), (5, 7)]
    session.sql("ALTER MATERIALIZED VIEW paused SUSPEND")
    put(17, 18)
    session.sql("ALTER MATERIALIZED VIEW paused RESUME")
    session.sql(f"CREATE MATERIALIZED VIEW later AS {closed.replace('sum(n)', 'max(n)')}")
    assert rows("always") == rows("paused") == rows("later") == [(0, 3), (5, 7), (10, 12)]
    session.sql(f"CREATE OR REPLACE MATERIALIZED VIEW later AS {closed}")
    assert rows("later") == rows("always")
    put(20)
    put(26)
    assert rows("always") == [(0, 3), (5, 7), (10, 12), (15, 35), (20, 20)]
    assert rows("later") == rows("paused") == rows("copy") == rows("always")
