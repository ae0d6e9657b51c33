"""A view gets another query while others read it: all of them follow at one barrier."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from sql.conftest import reopened, rows

MADE = (
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint)",
    "CREATE MATERIALIZED VIEW base AS SELECT id, v, v % 2 AS odd FROM t WHERE v > 0",
    "CREATE MATERIALIZED VIEW sums AS SELECT odd, sum(v) AS s FROM base GROUP BY odd",
    "CREATE MATERIALIZED VIEW top AS SELECT max(s) AS m FROM sums",
    "CREATE INDEX by_v ON base (v)",
    "INSERT INTO t VALUES (1, 1), (2, 2), (3, -3), (4, 5)",
    "FLUSH",
)
CREATE = "CREATE OR REPLACE MATERIALIZED VIEW"


def shown(session: SparkSession) -> dict[str, Any]:
    session.sql("FLUSH")
    return {name: rows(session, f"SELECT * FROM {name}") for name in ("base", "sums", "top")}


@pytest.mark.rest
def test_readers_of_a_view_that_is_replaced_follow_it(session: SparkSession, place: str) -> None:
    """The first query has the same columns; the second has another one, and an older reader."""
    assert shown(session)["top"] == [(6,)]
    session.sql("CREATE TABLE target (odd bigint PRIMARY KEY, s bigint)")
    session.sql("CREATE SINK into_target INTO target FROM sums")
    shown(session)
    session.sql(f"{CREATE} base AS SELECT id, abs(v) AS v, abs(v) % 2 AS odd FROM t")
    expected = {
        "base": [(1, 1, 1), (2, 2, 0), (3, 3, 1), (4, 5, 1)],
        "sums": [(0, 2), (1, 9)],
        "top": [(9,)],
    }
    assert shown(session) == expected
    assert [row.id for row in gs.lookup(session, place, "by_v", 3)] == [3]
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM target") == expected["sums"]
    session.sql("DROP SINK into_target")
    session.sql("CREATE MATERIALIZED VIEW ids AS SELECT id, 10 * id AS many FROM t")
    session.sql(f"{CREATE} base AS SELECT many, id, id AS v, CAST(1 AS BIGINT) AS odd FROM ids")
    expected = {
        "base": [(10, 1, 1, 1), (20, 2, 2, 1), (30, 3, 3, 1), (40, 4, 4, 1)],
        "sums": [(1, 10)],
        "top": [(10,)],
    }
    assert shown(session) == expected
    reopened(session, place)
    session.sql("INSERT INTO t VALUES (9, 9)")
    assert shown(session)["top"] == [(19,)]
    assert [row.id for row in gs.lookup(session, place, "by_v", 9)] == [9]
    session.sql("DROP MATERIALIZED VIEW ids CASCADE")
    assert rows(session, "SHOW MATERIALIZED VIEWS") == []


@pytest.mark.rest
def test_a_query_that_readers_cannot_follow_changes_nothing(
    session: SparkSession, place: str
) -> None:
    session.sql("CREATE MATERIALIZED VIEW everything AS SELECT * FROM base")
    before = shown(session)
    for query, why in (
        ("SELECT id, v FROM t", "view sums reads it, .* odd is gone"),
        ("SELECT id, 'x' AS v, 1 AS odd FROM t", "v was bigint, is string"),
        ("SELECT id, v, v % 2 AS odd, 7 AS more FROM t", "everything would have .* more is new"),
        ("SELECT m AS id, m AS v, m AS odd FROM top", "would read itself, by base, sums, top"),
        ("SELECT id, CAST(concat('x', v) AS BIGINT) AS v, v AS odd FROM t", "CAST_INVALID_INPUT"),
    ):
        with pytest.raises(gs.GroundswellError, match=why):
            session.sql(f"{CREATE} base AS {query}")
        session.sql("INSERT INTO t VALUES (8, -8)")
        assert shown(session) == before
    reopened(session, place)
    assert shown(session) == before
