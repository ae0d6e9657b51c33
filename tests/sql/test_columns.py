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


CHARS = {
    "SELECT id FROM t WHERE c = 'ab' ORDER BY id": [1, 2],
    "SELECT id FROM t WHERE c IN ('ab', 'cd') ORDER BY id": [1, 2, 3],
    "SELECT id FROM t WHERE 'ab' = c AND v = 'ab'": [1],
    "SELECT id FROM t WHERE c < 'b' ORDER BY id": [1, 2],
    "SELECT count(DISTINCT c) FROM t": [2],
    "SELECT max(length(c)) FROM t": [4],
    "SELECT t.id FROM t JOIN (SELECT 'ab' AS x) s ON t.c = s.x": [],
}


@pytest.mark.rest
def test_char_is_padded_compared_and_refused_as_in_tables_of_spark(
    session: SparkSession, tmp_path: Path
) -> None:
    """Its padding and its length were dropped; then the type was refused."""
    session.sql(f"CREATE TABLE of_spark (id int, c char(4), v varchar(4)) USING parquet LOCATION "
                f"'{tmp_path / 'spark'}'")  # fmt: skip
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, c char(4), v varchar(4))")
    spark_t = "spark_catalog.default.of_spark"
    rows = "(1, 'ab', 'ab'), (2, 'ab  ', 'ab      '), (3, 'cd      ', 'x'), (4, NULL, NULL)"
    try:
        for name in ("t", spark_t):
            session.sql(f"INSERT INTO {name} VALUES {rows}")
        views = {f"v{n}": query.partition(" ORDER BY")[0] for n, query in enumerate(CHARS)}
        for name, query in views.items():
            session.sql(f"CREATE MATERIALIZED VIEW {name} AS {query.replace('(c)', '(c) AS n', 1)}"
                        if "count" in query else f"CREATE MATERIALIZED VIEW {name} AS {query}"
                        )  # fmt: skip
        session.sql("FLUSH")
        for (query, want), name in zip(CHARS.items(), views, strict=True):
            of_spark = query.replace("FROM t", f"FROM {spark_t} t")
            for each in (query, of_spark, f"SELECT * FROM {name}"):
                assert sorted(r[0] for r in session.sql(each).collect()) == want, each
        shown = session.sql("SELECT * FROM t ORDER BY id").collect()
        assert [tuple(r) for r in shown] == [
            tuple(r) for r in session.sql(f"SELECT * FROM {spark_t} ORDER BY id").collect()
        ]
        types = {r.col_name: r.data_type for r in session.sql("DESCRIBE t").collect()}
        assert types["c"] == "char(4)"
    finally:
        session.sql(f"DROP TABLE {spark_t}")
    for statement in (
        "INSERT INTO t VALUES (5, 'abcde', 'a')",
        "UPDATE t SET c = 'abcde' WHERE c = 'ab'",
        "MERGE INTO t USING (SELECT 1 k) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET c = 'abcde'",
    ):
        with pytest.raises(gs.GroundswellError, match=r"too long a value in column c.*char\(4\)"):
            session.sql(statement)
    session.sql("UPDATE t SET c = 'ef' WHERE c = 'ab' AND id = 2")
    session.sql("DELETE FROM t WHERE c = 'ab'")
    session.sql("ALTER TABLE t ADD COLUMN d char(3) DEFAULT 'x'")
    session.sql("INSERT INTO t (id) VALUES (6)")
    session.sql("FLUSH")
    left = session.sql("SELECT id, c FROM t WHERE d = 'x' ORDER BY id").collect()
    assert [tuple(r) for r in left] == [(2, "ef  "), (3, "cd  "), (4, None), (6, None)]


@pytest.mark.rest
def test_a_char_is_a_key_under_any_padding(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path))
    table = p.table("t", "c char(3), n int", key="c")
    run = p.view("v", table.df).start()
    table.insert([("a", 1), ("b ", 2)])
    run.processAllAvailable()
    table.upsert([("a  ", 3)])
    table.delete([("b",)])
    run.processAllAvailable()
    assert [tuple(r) for r in run.view("v").collect()] == [("a  ", 3)]
    run.stop()


@pytest.mark.rest
def test_a_table_of_strings_does_not_become_one_of_chars(
    session: SparkSession, tmp_path: Path
) -> None:
    """Releases noted a char(4) as a string, and its rows are not padded."""
    p = gs.pipeline(session, str(tmp_path))
    p.table("t", "id int, c string", key="id")
    with pytest.raises(gs.ConfigurationError, match=r"c is string, and cannot become char\(4\)"):
        p.table("t", "id int, c char(4)", key="id")


@pytest.mark.rest
@pytest.mark.parametrize("key", ["", ", PRIMARY KEY (c)"])
def test_sources_of_files_keep_lengths(session: SparkSession, tmp_path: Path, key: str) -> None:
    """They were dropped: a text that was too long came in."""
    (tmp_path / "in").mkdir()
    lines = ['{"c": "a", "v": "ab      "}', '{"c": "b", "v": "abcde"}', '{"c": "abc", "v": "a"}']
    (tmp_path / "in" / "1.json").write_text("\n".join(lines))
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    kind = "TABLE" if key else "SOURCE"
    session.sql(f"CREATE {kind} s (c char(2), v varchar(4){key}) WITH (connector = 'json', path = "
                f"'{tmp_path / 'in'}')")  # fmt: skip
    session.sql("CREATE MATERIALIZED VIEW w WITH (errors = 'divert') AS SELECT * FROM s "
                "WHERE c = 'a' OR v > ''")  # fmt: skip
    session.sql("FLUSH")
    assert [tuple(r) for r in session.sql("SELECT * FROM w").collect()] == [("a ", "ab  ")]
    diverted = gs.read_view(session, str(tmp_path / "p"), "w_diverted")
    told = [r.error for r in diverted.collect()]
    assert len(told) == 2, told
    for part in ("(column v, varchar(4)): abcde", "(column c, char(2)): abc"):
        assert any(part in each for each in told), told


@pytest.mark.rest
def test_types_that_a_table_cannot_keep_are_refused_where_it_is_made(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY)")
    session.sql("CREATE MATERIALIZED VIEW g AS SELECT count(*) n FROM t")
    for type_, told in {
        "array<char(3)>": r"char\(3\) inside of another type",
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


@pytest.mark.rest
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
