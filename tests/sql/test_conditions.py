"""Which rows UPDATE and MERGE find: by null conditions, and by several rows of a source."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sql.conftest import rows

pytestmark = pytest.mark.rest


def test_merge_refuses_two_rows_for_one(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int PRIMARY KEY, b int)")
    session.sql("INSERT INTO t VALUES (1, 1)")
    with pytest.raises(Exception, match="several rows of the source match one row"):
        session.sql(
            "MERGE INTO t USING (VALUES (1, 2), (1, 3)) s(a, b) ON t.a = s.a "
            "WHEN MATCHED THEN UPDATE SET *"
        )
    for late in (" AND s.b > 0 THEN DELETE", " THEN DELETE WHEN NOT MATCHED THEN INSERT *"):
        with pytest.raises(Exception, match="several rows of the source match one row"):
            session.sql(
                "MERGE INTO t USING (VALUES (1, 2), (1, 3), (5, 1), (5, 2)) s(a, b) ON t.a = s.a "
                f"WHEN MATCHED{late}"
            )
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1)]
    session.sql(  # a row that goes is gone, whichever row of the source takes it
        "MERGE INTO t USING (VALUES (1, 2), (1, 3), (2, 4)) s(a, b) ON t.a = s.a "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"
    )
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(2, 4)]


def test_conditions_that_are_null_in_part_are_read(session: SparkSession, tmp_path: Path) -> None:
    """Spark 4.3 fails where it translates ``(a OR NULL) IS NOT TRUE`` for a source."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (a int PRIMARY KEY, b int)")
    session.sql("INSERT INTO t VALUES (1, 1), (2, NULL), (3, 3)")
    session.sql("FLUSH")
    where = "(b > 2 OR b < NULL) IS NOT TRUE"
    assert rows(session, f"SELECT a FROM t WHERE {where} ORDER BY a") == [(1,), (2,)]
    session.sql(f"UPDATE t SET b = 0 WHERE {where}")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t ORDER BY a") == [(1, 0), (2, 0), (3, 3)]
