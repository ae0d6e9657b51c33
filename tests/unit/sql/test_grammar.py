"""Our statements as they are read, and what is refused with its place."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.api.cdc_flow import ChangeFeed
from groundswell.columns import quoted
from groundswell.errors import ConfigurationError, SqlSyntaxError
from groundswell.sql.defining.sinking import format_and_options
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.grammar import head
from groundswell.sql.parsing.tokens import place, statements, text_of, tokens
from unit.sql.reading import read


def test_statements_end_at_semicolons_that_stand_for_themselves() -> None:
    text = 'SELECT \';\' /* ; /* ; */ */, `;`; -- ;\nSELECT "\\";"; ;\n SELECT 1'
    found = statements(text)
    assert [each.text for each in found] == [
        "SELECT ';' /* ; /* ; */ */, `;`",
        'SELECT "\\";"',
        "SELECT 1",
    ]
    assert place(text, found[2].start) == (3, 2)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_quoted_name_is_one_token(name: str) -> None:
    (token,) = tokens(quoted(name))
    assert token.value == name


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_quoted_text_is_one_token(value: str) -> None:
    found = read(f"CREATE PIPELINE p LOCATION {text_of(value)}")
    assert isinstance(found, s.CreatePipeline)
    assert found.location == re.sub(r"\\\\([%_])", r"\\\1", value)


ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(ANY, ANY, ANY)
def test_names_stay_names_in_every_statement(one: str, two: str, value: str) -> None:
    a, b, text = quoted(one), quoted(two), text_of(value)
    named = (one, two)
    made = read(f"CREATE TABLE {a}.{b} ({a} int PRIMARY KEY) WITH (x = {text})")
    assert isinstance(made, s.CreateRelation)
    assert (made.name, made.key) == (named, (one,))
    for statement in (
        f"CREATE MATERIALIZED VIEW {a}.{b} AS SELECT {a} FROM {b} WHERE {a} = {text}",
        f"CREATE SOURCE {a}.{b} WITH (connector = {text})",
        f"CREATE SINK {a}.{b} FROM {b} WITH (connector = {text})",
        f"CREATE INDEX {a}.{b} ON {a} ({b})",
        f"DROP TABLE {a}.{b} CASCADE",
        f"ALTER TABLE {a}.{b} RENAME TO {a}",
        f"ALTER TABLE {a}.{b} ADD COLUMN {a} int DEFAULT {text}",
        f"ALTER TABLE {a}.{b} DROP COLUMN {a}",
        f"ALTER TABLE {a}.{b} ALTER COLUMN {b} TYPE bigint",
        f"ALTER TABLE {a}.{b} RENAME COLUMN {b} TO {a}",
        f"SHOW CREATE MATERIALIZED VIEW {a}.{b}",
        f"REFRESH MATERIALIZED VIEW {a}.{b}",
        f"UPDATE {a}.{b} SET {a} = {text} WHERE {b} = {text}",
        f"DELETE FROM {a}.{b} WHERE {a} = {text}",
        f"INSERT INTO {a}.{b} ({a}) VALUES ({text})",
    ):
        found = read(statement)
        assert getattr(found, "name", None) == named, statement
        where = getattr(found, "where", None)
        assert where is None or where in (f"{b} = {text}", f"{a} = {text}")


def test_a_table_with_types_of_both_worlds() -> None:
    found = read(
        "create table if not exists t (id int8 PRIMARY KEY, a varchar(3) NOT NULL, "
        "b double precision, c numeric, d int[], e struct<x: int, y: map<string, numeric(3, 1)>>, "
        "at timestamptz, WATERMARK FOR at AS at - INTERVAL '5' SECOND) APPEND ONLY "
        "WITH (ttl = '1 h')"
    )
    assert isinstance(found, s.CreateRelation)
    assert [c.type for c in found.columns] == [
        "bigint",
        "varchar(3)",
        "double",
        "decimal(38,18)",
        "array<int>",
        "struct<x: int, y: map<string, numeric(3, 1)>>",
        "timestamp",
    ]
    assert [c.name for c in found.columns if c.required] == ["a"]
    assert (found.key, found.append_only, found.if_not_exists) == (("id",), True, True)
    assert found.watermark == s.Watermark("at", "5 second")


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE p.t ADD COLUMN a int NOT NULL DEFAULT 1 + 2, ADD COLUMN b decimal(4,2)",
        "ALTER TABLE p.t ADD COLUMNS (a int DEFAULT (1 + 2) NOT NULL, b decimal(4,2))",
        "ALTER TABLE p.t ADD a int DEFAULT 1 + 2 NOT NULL, b decimal(4,2) COMMENT 'x'",
    ],
)
def test_columns_are_added_as_spark_and_as_postgres_say_it(text: str) -> None:
    found = read(text)
    assert isinstance(found, s.AddColumns)
    assert [(c.name, c.type, c.required) for c in found.columns] == [
        ("a", "int", True),
        ("b", "decimal(4,2)", False),
    ]
    assert found.columns[0].default in ("1 + 2", "(1 + 2)")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("ALTER TABLE p.t DROP COLUMN a", ("a",)),
        ("ALTER TABLE p.t DROP COLUMNS (a, b)", ("a", "b")),
        ("ALTER TABLE p.t DROP COLUMN IF EXISTS a, DROP COLUMN b", ("a", "b")),
    ],
)
def test_columns_are_dropped(text: str, columns: tuple[str, ...]) -> None:
    found = read(text)
    assert isinstance(found, s.DropColumns)
    assert found.columns == columns
    assert found.if_there == ("EXISTS" in text)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("ALTER TABLE t ADD constraint int", ("constraint",)),
        ("ALTER TABLE t ADD COLUMN check int, constraint string", ("check", "constraint")),
    ],
)
def test_a_column_may_be_called_like_a_constraint(text: str, columns: tuple[str, ...]) -> None:
    found = read(text)
    assert isinstance(found, s.AddColumns)
    assert tuple(column.name for column in found.columns) == columns
    assert isinstance(read("ALTER TABLE t DROP constraint"), s.DropColumns)


@pytest.mark.parametrize(
    "what",
    [
        "TABLE {}t ADD COLUMN a int",
        "TABLE {}t RENAME TO u",
        "MATERIALIZED VIEW {}v SUSPEND",
        "MATERIALIZED VIEW {}v RESUME",
        "PIPELINE {}p SET PARALLELISM 2",
        "PIPELINE {}p RESET (retain)",
    ],
)
def test_an_alter_may_be_of_what_is_not_there(what: str) -> None:
    plain, allowed = read("ALTER " + what.format("")), read("ALTER " + what.format("IF EXISTS "))
    assert isinstance(plain, s.Alter)
    assert isinstance(allowed, s.Alter)
    assert (plain.if_exists, allowed.if_exists) == (False, True)


@pytest.mark.parametrize("verb", ["ALTER COLUMN a TYPE", "CHANGE a SET DATA TYPE"])
def test_a_column_gets_another_type(verb: str) -> None:
    assert read(f"ALTER TABLE p.t {verb} bigint") == s.WidenColumn(("p", "t"), "a", "bigint")


def test_a_query_is_cut_out_as_it_is() -> None:
    found = read(
        "CREATE MATERIALIZED VIEW v WITH (a.b = 'c') AS WITH x AS (SELECT 1) SELECT * FROM x "
        "WHERE emit ON WINDOW CLOSE = 1 EMIT ON WINDOW CLOSE WITH (ttl = '1 hour')"
    )
    assert isinstance(found, s.CreateView)
    assert found.query == ("WITH x AS (SELECT 1) SELECT * FROM x WHERE emit ON WINDOW CLOSE = 1")
    assert found.window_close
    assert found.options == {"a.b": "c", "ttl": "1 hour"}


def test_merge() -> None:
    found = read(
        "MERGE INTO t USING (SELECT 1) AS s ON t.id = CASE WHEN 1 = 1 THEN s.id END "
        "WHEN MATCHED AND s.x > 3 THEN UPDATE SET a = CASE WHEN 1 = 1 THEN 2 END, b.c = f(1, 2) "
        "WHEN NOT MATCHED THEN INSERT (id, b) VALUES (s.id, g(1, 2)) "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )
    assert isinstance(found, s.Merge)
    assert found.actions == (
        s.MergeAction(
            "matched",
            "s.x > 3",
            "update",
            ((("a",), "CASE WHEN 1 = 1 THEN 2 END"), (("b", "c"), "f(1, 2)")),
        ),
        s.MergeAction("new", None, "insert", ((("id",), "s.id"), (("b",), "g(1, 2)"))),
        s.MergeAction("gone", None, "delete"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "CREATE TEMPORARY VIEW v AS SELECT 1",
        "SHOW TABLES",
        "DROP VIEW v",
        "CREATE TABLE",
        "INSERT OVERWRITE t SELECT 1",
        "CREATE VIEW v AS SELECT 'not closed",
        "UPDATE 5 SET a = 1",
        "INSERT INTO 't' VALUES (1)",
    ],
)
def test_what_is_spark_s_stays_spark_s(text: str) -> None:
    assert head(text) is None


def test_explain_rewrite_takes_any_query_whatever_the_catalog() -> None:
    found = head("EXPLAIN REWRITE WITH t AS (SELECT ';') SELECT * FROM t")
    assert found is not None and found.target is None
    assert found.read() == s.ExplainRewrite("WITH t AS (SELECT ';') SELECT * FROM t")
    assert head("EXPLAIN SELECT 1") is None
    assert head("EXPLAIN FORMATTED SELECT 1") is None
    assert head("EXPLAIN") is None
    assert head("CREATE TEMPORARY VIEW v AS SELECT 1") is None


def test_a_view_that_is_there_can_be_explained() -> None:
    found = head("EXPLAIN MATERIALIZED VIEW groundswell.p.v")
    assert found is not None and found.target == ("groundswell", "p", "v")
    assert found.read() == s.ExplainView(("groundswell", "p", "v"))


def test_truncate_deletes_all_rows() -> None:
    found = head("TRUNCATE TABLE t")
    assert found is not None and found.read() == s.Delete(("t",), None, None)


@pytest.mark.parametrize(
    ("text", "target"), [("SHOW VIEWS", ("views",)), ("SHOW VIEWS IN a.p", ("a", "p", "views"))]
)
def test_views_are_shown_where_the_catalog_is_ours(text: str, target: tuple[str, ...]) -> None:
    found = head(text)
    assert found is not None and found.target == target
    assert found.read() == s.Show("views", target[:-1])


def test_a_table_elsewhere_is_not_read() -> None:
    found = head("CREATE TABLE default.t USING parquet AS SELECT 1")
    assert found is not None
    assert found.target == ("default", "t")


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("CREATE PIPELINE p", 1, 18, "expected LOCATION, but the statement ends"),
        ("CREATE PIPELINE p\n LOCATION p", 2, 11, "expected a folder"),
        ("CREATE SOURCE s WITH (a = 1, a = 2)", 1, 30, "option 'a' is given twice"),
        ("CREATE SOURCE s (a int, A int)", 1, 25, "two columns are named A"),
        ("CREATE TABLE t (a int UNIQUE)", 1, 23, "expected PRIMARY KEY"),
        ("CREATE TABLE t (a int, WATERMARK FOR a AS b - INTERVAL 1 DAY)", 1, 43, "expected a"),
        ("CREATE SINK k FROM v", 1, 21, "expected WITH (connector"),
        ("DROP TABLE t t", 1, 14, "expected the end"),
        ("EXPLAIN REWRITE", 1, 16, "expected a query"),
        ("EXPLAIN REWRITE DROP TABLE t", 1, 1, "takes a query, and DROP begins none. Nothing was"),
        ("EXPLAIN REWRITE INSERT INTO t SELECT 1", 1, 1, "and INSERT begins none"),
        ("EXPLAIN REWRITE WITH a AS (SELECT 1) INSERT INTO t TABLE a", 1, 1, "this one has INSERT"),
        ("EXPLAIN p.v", 1, 1, "EXPLAIN MATERIALIZED VIEW p.v shows how a view is kept"),
        ("CREATE VIEW v AS SELECT 1", 1, 1, "CREATE MATERIALIZED VIEW v AS ... makes one"),
        ("CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1", 1, 1, "no plain views"),
        ("ALTER VIEW v RENAME TO w", 1, 1, "ALTER MATERIALIZED VIEW v takes RENAME TO"),
        (
            "ALTER TABLE p.t RENAME TO p.u",
            1,
            1,
            "new name has one part: ALTER TABLE p.t RENAME TO u",
        ),
        ("EXPLAIN DROP PIPELINE p", 1, 1, "makes or forgets a pipeline as a whole"),
        ("ALTER SOURCE p.s DROP COLUMN a", 1, 1, "ALTER SOURCE p.s takes RENAME TO and ADD COLUMN"),
        ("ALTER SOURCE s ALTER COLUMN a TYPE int", 1, 1, "rename or cast it in the query of the"),
        ("CREATE SOURCE s (a int 'x", 1, 24, "' is not closed"),
        ("ALTER TABLE t ADD COLUMN a int CHECK (a > 0)", 1, 1, "table t keeps the constraints"),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)", 1, 1, "table t keeps the constraints"),
        ("ALTER TABLE t ADD CHECK (a > 0)", 1, 1, "table t keeps the constraints"),
        ("ALTER TABLE t DROP CONSTRAINT c", 1, 1, "table t keeps the constraints"),
        ("ALTER TABLE t ALTER COLUMN a SET DEFAULT 5", 1, 1, "changes its type alone"),
        ("ALTER TABLE t ALTER COLUMN a DROP NOT NULL", 1, 1, "changes its type alone"),
        ("CREATE OR REPLACE TABLE t (a int)", 1, 1, "ALTER TABLE gives it other columns"),
        ("CREATE OR REPLACE INDEX i ON t (a)", 1, 1, "DROP INDEX gives it up"),
        ("CREATE OR REPLACE SINK k FROM v", 1, 1, "DROP SINK gives it up"),
    ],
)
def test_an_error_names_its_place(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(SqlSyntaxError, match=re.escape(what)) as e:
        read(text)
    assert (e.value.line, e.value.column) == (line, column)


def test_a_sink_says_what_its_messages_are() -> None:
    sink = read(
        "CREATE SINK k FROM v WITH (connector = 'kafka', topic = 't') FORMAT UPSERT ENCODE JSON"
    )
    assert isinstance(sink, s.CreateSink)
    assert sink.format == "UPSERT"
    assert format_and_options(sink) == ("kafka", {"topic": "t", "messages": "upsert"})
    sink = read(
        "CREATE SINK k AS SELECT 1 a WITH (connector = 'deltalake', path = 'x', "
        "type = 'append-only', primary_key = 'a')"
    )
    assert isinstance(sink, s.CreateSink)
    assert format_and_options(sink) == ("delta", {"path": "x", "key": "a", "mode": "append"})
    sink = read("CREATE SINK k FROM v WITH (connector = 'delta', path = 'x', type = 'debezium')")
    assert isinstance(sink, s.CreateSink)
    with pytest.raises(ConfigurationError, match="has no type 'debezium'; it has 'append-only'"):
        format_and_options(sink)


def test_a_sink_of_an_unknown_connector_with_a_type_names_the_connector() -> None:
    sink = read("CREATE SINK s FROM v WITH (connector = 'kafak', type = 'append-only')")
    assert isinstance(sink, s.CreateSink)
    with pytest.raises(ConfigurationError, match=r"sink s: .* 'kafak'; did you mean 'kafka'"):
        format_and_options(sink)


def test_a_flow_of_changes_says_what_becomes_of_them() -> None:
    text = """CREATE FLOW f COMMENT 'c' AS AUTO CDC INTO a.people FROM STREAM(raw.feed)
        KEYS (id, `the part`) IGNORE NULL UPDATES ON * EXCEPT (name)
        APPLY AS DELETE WHEN op = 'D' OR (op IS NULL) APPLY AS TRUNCATE WHEN op = 'T'
        SEQUENCE BY struct(at, n) COLUMNS * EXCEPT (op, at) STORED AS SCD TYPE 1
        WITH (errors = 'divert')"""
    found = head(text)
    assert found is not None
    assert found.target == ("a", "people")
    feed = ChangeFeed(
        ("id", "the part"), "struct(at, n)", "op = 'D' OR (op IS NULL)", "op = 'T'",
        ignore_null_updates_except_column_list=("name",), except_column_list=("op", "at"),
    )  # fmt: skip
    made = s.CreateView(("a", "people"), "SELECT * FROM raw.feed", feed=feed)
    assert found.read() == replace(made, options={"errors": "divert"})
    two = """CREATE OR REPLACE FLOW f AS AUTO CDC INTO t FROM (SELECT * FROM x) SEQUENCE BY at
        KEYS (id) IGNORE NULL UPDATES COLUMNS (id, at) STORED AS SCD TYPE 2
        TRACK HISTORY ON at, id"""
    feed = ChangeFeed(
        ("id",), "at", ignore_null_updates=True, column_list=("id", "at"), stored_as_scd_type=2,
        track_history_column_list=("at", "id"),
    )  # fmt: skip
    query = "SELECT * FROM (SELECT * FROM x)"
    assert read(two) == s.CreateView(("t",), query, feed=feed, or_replace=True)
    one = "CREATE STREAMING TABLE IF NOT EXISTS t FLOW AUTO CDC FROM x KEYS (id) SEQUENCE BY at"
    feed = ChangeFeed(("id",), "at")
    assert read(one) == s.CreateView(("t",), "SELECT * FROM x", feed=feed, if_not_exists=True)


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("KEYS (id)", "expected SEQUENCE BY, but the statement ends"),
        ("SEQUENCE BY at", r"expected KEYS \(\.\.\.\), but the statement ends"),
        ("KEYS ()", r"expected a column, not '\)'"),
        ("KEYS (id) KEYS (id)", "expected a clause that was not given before, not 'KEYS'"),
        ("KEYS (id) SEQUENCE BY STORED AS SCD TYPE 1", "an expression that orders the changes"),
        ("KEYS (id) SEQUENCE BY at STORED AS SCD TYPE 3", "expected 1 or 2, not '3'"),
        ("KEYS (id) SEQUENCE BY at STORED AS BITEMPORAL", "expected SCD, not 'BITEMPORAL'"),
        ("KEYS (id) APPLY AS MERGE WHEN x", "expected KEYS, IGNORE NULL UPDATES, APPLY AS DELETE"),
        ("KEYS (id) COLUMNS *", "expected EXCEPT, but the statement ends"),
    ],
)
def test_a_flow_of_changes_that_cannot_be_read_says_where(rest: str, told: str) -> None:
    with pytest.raises(SqlSyntaxError, match=told):
        read(f"CREATE FLOW f AS AUTO CDC INTO t FROM STREAM x {rest}")


def test_other_flows_and_streaming_tables_are_left_to_spark() -> None:
    assert head("CREATE FLOW f AS INSERT INTO t BY NAME SELECT 1") is None
    assert head("CREATE STREAMING TABLE t AS SELECT 1") is None
    assert head("CREATE STREAMING TABLE t") is None


def test_constraints_of_tables_views_and_columns_called_like_their_words() -> None:
    made = read(
        "CREATE TABLE t (id INT PRIMARY KEY, check INT CHECK (check > (1)) DEFAULT 2, constraint "
        "STRING, CHECK (id < 9), CONSTRAINT c CHECK (f(id, 2)), CONSTRAINT e EXPECT (id = 1) ON "
        "VIOLATION DROP ROW, CONSTRAINT k EXPECT (true))"
    )
    assert isinstance(made, s.CreateRelation)
    assert [column.name for column in made.columns] == ["id", "check", "constraint"]
    assert made.columns[1].default == "2"
    assert made.constraints == (
        s.Constraint("check_check", "check > (1)", "fail"),
        s.Constraint("check_2", "id < 9", "fail"),
        s.Constraint("c", "f(id, 2)", "fail"),
        s.Constraint("e", "id = 1", "drop"),
        s.Constraint("k", "true", "keep"),
    )
    view = read(
        "CREATE MATERIALIZED VIEW v (CONSTRAINT `a b` EXPECT (x IN (1, 2)) ON VIOLATION FAIL "
        "UPDATE) WITH (errors = 'divert') AS SELECT 1 AS x"
    )
    assert isinstance(view, s.CreateView) and view.query == "SELECT 1 AS x"
    assert view.constraints == (s.Constraint("a b", "x IN (1, 2)", "fail"),)
    for text, told in (
        ("CREATE TABLE t (a INT, CHECK (a), CONSTRAINT check_1 CHECK (a))", "two constraints are"),
        ("CREATE TABLE t (a INT CHECK a > 1)", "expected ("),
        ("CREATE MATERIALIZED VIEW v (a INT) AS SELECT 1", "expected CONSTRAINT name EXPECT"),
        ("CREATE MATERIALIZED VIEW v (CONSTRAINT c EXPECT (a) ON VIOLATION STOP) AS SELECT 1",
         "expected DROP ROW or FAIL UPDATE"),
    ):  # fmt: skip
        with pytest.raises(SqlSyntaxError, match=re.escape(told)):
            read(text)
