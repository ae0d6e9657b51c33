"""What tables take into their columns: no null in a key, and no value that is too long."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs

ROWS = "SELECT * FROM t ORDER BY id"


def test_nulls_and_long_values_are_refused_at_the_write(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, c varchar(4), n int NOT NULL)")
    session.sql("INSERT INTO t VALUES (1, 'ab', 1), (2, 'ab  ', 2), (3, NULL, 3)")
    refused = {
        "INSERT INTO t VALUES (NULL, 'a', 1), (NULL, 'b', 2)": "table t: 2 rows have null in "
        "column id, which is of the key",
        "INSERT INTO t VALUES (4, 'abcdef', 1)": "table t: 1 row has too long a value in column c, "
        r"which is varchar\(4\); the longest has 6 letters",
        "INSERT INTO t (id, c) VALUES (4, 'a')": "1 row has null in column n, which is NOT NULL",
        "UPDATE t SET n = NULL WHERE id > 1": "2 rows have null in column n",
        "UPDATE t SET c = 'abcde' WHERE id = 1": "too long a value in column c",
        "MERGE INTO t USING (SELECT CAST(NULL AS int) k) s ON t.id = s.k "
        "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (k, 1)": "1 row has null in column id",
        "MERGE INTO t USING (SELECT 1 k) s ON t.id = s.k "
        "WHEN MATCHED THEN UPDATE SET c = 'abcde'": "too long a value in column c",
    }
    for statement, told in refused.items():
        with pytest.raises(gs.GroundswellError, match=told):
            session.sql(statement)
    session.sql(
        "MERGE INTO t USING (SELECT 3 k) s ON t.id = s.k WHEN MATCHED THEN DELETE"
    )  # a row that goes has no other column
    session.sql("FLUSH")
    assert [tuple(r) for r in session.sql(ROWS).collect()] == [(1, "ab", 1), (2, "ab  ", 2)]
    # A row that the query leaves out is no row of the write.
    session.sql("INSERT INTO t SELECT * FROM VALUES (NULL, 'x', 1), (5, 'y', 5) WHERE col1 > 0")
    session.sql("FLUSH")
    assert session.sql(ROWS).count() == 3


def test_types_that_a_table_cannot_keep_are_refused_where_it_is_made(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY)")
    session.sql("CREATE MATERIALIZED VIEW g AS SELECT count(*) n FROM t")
    for type_, told in {
        "char(4)": r"column c: char\(4\) is not taken.*use varchar\(4\)",
        "character": r"char\(1\) is not taken",
        "time": r"column c: time\(6\) is not taken.*spark.sql.timeType.enabled",
        "array<time>": r"time\(6\) is not taken",
        "interval": "column c: interval is not taken.*INTERVAL YEAR TO MONTH",
        "array<varchar(3)>": r"varchar\(3\) inside of another type",
    }.items():
        with pytest.raises(gs.GroundswellError, match=told):
            session.sql(f"CREATE TABLE odd (id int PRIMARY KEY, c {type_})")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("FLUSH")
    assert session.sql("SELECT n FROM g").collect()[0].n == 1
    assert [row.tableName for row in session.sql("SHOW TABLES").collect()] == ["t", "g"]


def test_writes_from_python_are_checked_and_old_tables_go_on(
    session: SparkSession, tmp_path: Path
) -> None:
    old = "id bigint, c string"
    gs.pipeline(session, str(tmp_path)).table("t", old, key="id")
    p = gs.pipeline(session, str(tmp_path))
    table = p.table("t", "id bigint, c varchar(3) NOT NULL", key="id")
    again = gs.table(session, str(tmp_path), "t")
    rows = session.range(1).select("id", F.lit("abcd").alias("c"))
    no_key = rows.select(F.lit(None).cast("bigint").alias("id"), F.lit("a").alias("c"))
    for each in (table, again):
        with pytest.raises(gs.SourceError, match="too long a value in column c"):
            each.insert(rows)
        with pytest.raises(gs.SourceError, match="null in column id"):
            each.upsert(no_key)
        with pytest.raises(gs.SourceError, match="null in column c, which is NOT NULL"):
            each.upsert(rows.withColumn("c", F.lit(None).cast("string")))
        each.delete(rows.select("id"))
    table.insert(rows.withColumn("c", F.lit("abc")))
    assert len(list(tmp_path.glob("groundswell/tables/t/rows/*.parquet"))) == 3
    assert not list(tmp_path.glob("groundswell/tables/t/staging/*/*.parquet"))
    with pytest.raises(gs.ConfigurationError, match="another definition"):
        p.table("t", "id bigint, c varchar(2) NOT NULL", key="id")
