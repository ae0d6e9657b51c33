"""``CONSTRAINT c EXPECT (...)`` of materialized views, in SQL."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from groundswell.ui.documents import PipelineReader
from groundswell.ui.metrics import exposition
from sql.conftest import reopened

MADE = (
    "CREATE TABLE orders (id bigint PRIMARY KEY, customer string, amount int)",
    """CREATE MATERIALIZED VIEW good (
         CONSTRAINT positive EXPECT (amount > 0 AND id IN (1, 2, 3)) ON VIOLATION DROP ROW,
         CONSTRAINT named EXPECT (customer IS NOT NULL),
         CONSTRAINT small EXPECT (amount < 1000) ON VIOLATION FAIL UPDATE
       ) AS SELECT id, customer, amount FROM orders""",
    "INSERT INTO orders VALUES (1, 'ann', 5), (2, 'bob', -5), (3, NULL, NULL)",
)


def rows(session: SparkSession, query: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in session.sql(query).collect()), key=str)


def aside(session: SparkSession) -> list[tuple[object, ...]]:
    return rows(session, "SELECT substring_index(expression, ' ', 2), row FROM good_diverted")


def test_rows_are_dropped_and_kept_aside(session: SparkSession, place: str) -> None:
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM good") == [(1, "ann", 5), (3, None, None)]
    assert aside(session) == [
        ("CONSTRAINT named", '{"id":3,"customer":null,"amount":null}'),
        ("CONSTRAINT positive", '{"id":2,"customer":"bob","amount":-5}'),
    ]
    session.sql("CREATE MATERIALIZED VIEW bad AS SELECT count(*) AS n FROM good_diverted")
    session.sql("DELETE FROM orders WHERE id = 2")  # it was dropped: nothing goes from the view
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM good") == [(1, "ann", 5), (3, None, None)]
    assert rows(session, "SELECT * FROM bad") == [(1,)]
    reopened(session, place)
    session.sql("INSERT INTO orders VALUES (2, 'bob', 7)")
    session.sql("FLUSH")
    assert rows(session, "SELECT id FROM good") == [(1,), (2,), (3,)]
    session.sql("DROP MATERIALIZED VIEW bad")
    session.sql(
        "CREATE OR REPLACE MATERIALIZED VIEW good (CONSTRAINT big EXPECT (amount > 5) "
        "ON VIOLATION DROP ROW) AS SELECT id, customer, amount FROM orders"
    )
    session.sql("FLUSH")
    assert rows(session, "SELECT id FROM good") == [(2,), (3,)]
    assert aside(session) == [("CONSTRAINT big", '{"id":1,"customer":"ann","amount":5}')]
    session.sql("CREATE OR REPLACE MATERIALIZED VIEW good AS SELECT id FROM orders")
    session.sql("FLUSH")
    assert rows(session, "SELECT id FROM good") == [(1,), (2,), (3,)]
    with pytest.raises(PySparkException, match="good_diverted"):
        session.sql("SELECT * FROM good_diverted").collect()


REFUSED = [
    (
        "CONSTRAINT c EXPECT (nope > 1)",
        r"constraint c EXPECT \(nope > 1\).*nope.*cannot be res",
    ),
    ("CONSTRAINT c EXPECT (amount)", "it is INT, and not true or false"),
    ("CONSTRAINT c EXPECT (rand() > 1)", "rand"),
    ("CONSTRAINT c EXPECT (sum(amount) > 1)", r"it has sum\(amount\), and must be about the row"),
    ("CONSTRAINT c EXPECT (1 < row_number() OVER (ORDER BY id))", r"it has row_number\(\) OVER"),
    ("CONSTRAINT c EXPECT (explode(array(id)) > 1)", "it has a function that makes rows, and must"),
    (
        "CONSTRAINT c EXPECT (id > 1), CONSTRAINT c EXPECT (id > 2)",
        "two constraints are named c",
    ),
    ("CONSTRAINT c EXPECT (id > 1) ON VIOLATION IGNORE", "expected DROP ROW or FAIL UPDATE"),
    ("CONSTRAINT c CHECK (id > 1)", "expected EXPECT"),
    ("id bigint", "a view's columns are named in its query"),
    ("CONSTRAINT c EXPECT ()", "expected a condition"),
]
"""What is said of a view, and what its error says."""


@pytest.mark.rest
def test_what_cannot_be_is_refused(session: SparkSession, place: str) -> None:
    for constraints, told in REFUSED:
        with pytest.raises(gs.GroundswellError, match=told):
            session.sql(f"CREATE MATERIALIZED VIEW v ({constraints}) AS SELECT * FROM orders")
        names = [row[0] for row in session.sql("SHOW MATERIALIZED VIEWS").collect()]
        assert names == ["good"], constraints


@pytest.mark.rest
def test_explain_shows_what_is_expected(session: SparkSession, place: str) -> None:
    text = session.sql(
        "EXPLAIN CREATE MATERIALIZED VIEW v (CONSTRAINT c EXPECT (id > 1) ON VIOLATION DROP ROW) "
        "AS SELECT id FROM orders"
    ).collect()[0][0]
    assert "Expect c: CONSTRAINT c EXPECT" in text and "drop other rows" in text


def test_nothing_else_is_called_like_the_rows_set_aside(session: SparkSession, place: str) -> None:
    """Else a query would find one of the two, and a view the other."""
    for text in (
        "CREATE TABLE good_diverted (id int)",
        "CREATE SOURCE Good_Diverted WITH (connector = 'rate')",
        "ALTER TABLE orders RENAME TO good_diverted",
        "EXPLAIN CREATE TABLE good_diverted (id int)",
    ):
        with pytest.raises(gs.ConfigurationError, match=r"rows of view good that fail.* give it"):
            session.sql(text)
    for text in (
        "CREATE INDEX good_diverted ON orders (customer)",
        "DROP INDEX good_diverted",
        "ALTER MATERIALIZED VIEW good RENAME TO fine",
        "CREATE TABLE bad_diverted (id int)",
        "CREATE MATERIALIZED VIEW bad AS SELECT id FROM orders",
    ):
        session.sql(text)
    refused = (
        ("CREATE TABLE fine_diverted (id int)", "table fine_diverted would"),
        ("CREATE TABLE good_diverted (id int)", "table good_diverted would"),
        ("ALTER MATERIALIZED VIEW fine RENAME TO bad", "materialized view bad"),
        (
            "CREATE OR REPLACE MATERIALIZED VIEW bad (CONSTRAINT c EXPECT (id > 1)) "
            "AS SELECT id FROM orders",
            r"table bad_diverted would have the name of the rows of view bad .* give the view",
        ),
    )
    for text, told in refused:
        with pytest.raises(gs.ConfigurationError, match=told):
            session.sql(text)
    reopened(session, place)
    session.sql("FLUSH")
    assert session.sql("SELECT * FROM fine_diverted").count() == 2
    assert session.sql("SELECT * FROM bad").count() == 3


def test_the_rows_set_aside_have_changes(session: SparkSession, place: str) -> None:
    session.sql("FLUSH")
    session.sql("INSERT INTO orders VALUES (1, 'ann', -1), (2, 'bob', 2)")
    session.sql("FLUSH")
    changes = "SELECT _change_type, row FROM {} CHANGES FROM VERSION 0"
    found = rows(session, changes.format("good_diverted") + " WHERE row NOT LIKE '%:3,%'")
    assert found == [
        ("delete", '{"id":2,"customer":"bob","amount":-5}'),
        ("insert", '{"id":1,"customer":"ann","amount":-1}'),
        ("insert", '{"id":2,"customer":"bob","amount":-5}'),
    ]
    session.sql("CREATE MATERIALIZED VIEW plain AS SELECT id FROM orders")
    with pytest.raises(PySparkException, match="plain_diverted"):
        session.sql(changes.format("plain_diverted")).collect()


CHECKED = (
    "CREATE TABLE t (id bigint PRIMARY KEY, v int NOT NULL CHECK (v > 0), w int DEFAULT 1 CHECK "
    "(w < 9), CONSTRAINT ordered CHECK (v <= w), CHECK (id <> 7))"
)


def test_a_write_that_breaks_a_check_is_refused(session: SparkSession, place: str) -> None:
    session.sql(CHECKED)
    session.sql("INSERT INTO t VALUES (1, 1, 2), (2, 3, NULL)")  # null meets a check
    for values, told in (
        (
            "(3, 0, 2), (4, -1, 2), (5, 1, 2)",
            r"2 rows do not meet constraint v_check: CHECK \(v > 0",
        ),
        (
            "(3, 3, 2)",
            r"1 row does not meet constraint ordered: CHECK \(v <= w\).*Nothing was writ",
        ),
        ("(7, 1, 1)", "constraint check_4: CHECK"),
        ("(3, NULL, 1)", "column v, which is NOT NULL"),
    ):
        with pytest.raises(gs.SourceError, match=told):
            session.sql(f"INSERT INTO t VALUES {values}")
    with pytest.raises(gs.SourceError, match="v_check"):
        session.sql("UPDATE t SET v = 0 WHERE id = 1")
    session.sql("DELETE FROM t WHERE id = 2")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1, 2)]
    with pytest.raises(gs.GroundswellError, match=r"column w .*stays.* constraint w_check"):
        session.sql("ALTER TABLE t DROP COLUMN w")
    with pytest.raises(gs.GroundswellError, match=r"constraint c CHECK .*nope"):
        session.sql("CREATE TABLE u (id bigint PRIMARY KEY, CHECK (id > 0), "
                    "CONSTRAINT c CHECK (nope > 1))")  # fmt: skip
    with pytest.raises(gs.ConfigurationError, match="give the constraint to a view"):
        session.sql(
            "CREATE TABLE u (id bigint, CONSTRAINT c EXPECT (id > 1) ON VIOLATION DROP ROW)"
        )
    reopened(session, place)
    with pytest.raises(gs.SourceError, match="ordered"):
        session.sql("INSERT INTO t VALUES (3, 3, 2)")


def test_a_check_that_cannot_be_computed_is_named(session: SparkSession, place: str) -> None:
    session.sql(
        "CREATE TABLE t (`a b` int CHECK (`a b` > 0), b int CHECK (1 % b = 0), "
        "at timestamp CHECK (at <= now()))"
    )
    with pytest.raises(gs.SourceError, match=r"constraint check_1: CHECK \(`a b` > 0"):
        session.sql("INSERT INTO t VALUES (0, 1, NULL)")
    with pytest.raises(gs.SourceError, match=r"table t: constraint b_check: CHECK \(1 % b = 0\) "
                       "cannot be computed of a row: .REMAINDER_BY_ZERO.*Nothing was"):  # fmt: skip
        session.sql("INSERT INTO t VALUES (1, 0, NULL), (1, 1, NULL)")
    with pytest.raises(PySparkException, match="DIVIDE_BY_ZERO"):
        session.sql("INSERT INTO t SELECT id, id, NULL FROM orders WHERE 1 / (id - 1) > 0")
    with pytest.raises(gs.SourceError, match="at_check"):
        session.sql("INSERT INTO t VALUES (1, 1, now() + INTERVAL 1 DAY)")
    session.sql("INSERT INTO t VALUES (1, 1, now())")


@pytest.mark.rest
def test_views_of_a_source_see_the_rows_that_meet_its_constraints(
    session: SparkSession, place: str, tmp_path: Path
) -> None:
    """Its dropped rows stand beside each view that reads it."""
    folder = tmp_path / "in"
    folder.mkdir()
    session.sql(
        "CREATE SOURCE s (id bigint PRIMARY KEY, v int, CONSTRAINT pos EXPECT (v > 0) ON VIOLATION "
        f"DROP ROW, CONSTRAINT odd EXPECT (v % 2 = 1)) WITH (connector = 'json', path = '{folder}')"
    )
    session.sql("CREATE MATERIALIZED VIEW total AS SELECT sum(v) AS n, count(*) AS c FROM s")

    def put(number: int, text: str) -> None:
        (tmp_path / "new").write_text(text)
        (tmp_path / "new").rename(folder / f"{number}.json")
        session.sql("FLUSH")

    put(1, '{"id":1,"v":1}\n{"id":2,"v":-2}\n{"id":3,"v":4}\n')
    assert rows(session, "SELECT * FROM total") == [(5, 2)]
    aside = "SELECT substring_index(expression, ' ', 2), row FROM total_diverted"
    assert rows(session, aside) == [
        ("CONSTRAINT odd", '{"id":2,"v":-2}'),
        ("CONSTRAINT odd", '{"id":3,"v":4}'),
        ("CONSTRAINT pos", '{"id":2,"v":-2}'),
    ]
    put(2, '{"id":2,"v":7}\n{"id":3,"v":-4}\n')
    assert rows(session, "SELECT * FROM total") == [(8, 2)]
    assert ("CONSTRAINT pos", '{"id":3,"v":-4}') in rows(session, aside)


@pytest.mark.rest
def test_a_source_counts_once_and_sees_all_its_rows(
    session: SparkSession, place: str, tmp_path: Path
) -> None:
    """However many views read it, and whatever columns they read of it."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1.csv").write_text("1,5\n2,-5\n3,500\n4,-7\n")
    for text in (
        "CREATE SOURCE s (id bigint PRIMARY KEY, v int, CONSTRAINT pos EXPECT (v > 0) ON VIOLATION "
        "DROP ROW, CONSTRAINT odd EXPECT (id % 2 = 1)) "
        f"WITH (connector = 'csv', path = '{folder}')",
        "CREATE MATERIALIZED VIEW ids AS SELECT id FROM s",
        "CREATE MATERIALIZED VIEW pairs AS SELECT s.id, o.v FROM s JOIN s o ON s.id = o.id",
        "CREATE MATERIALIZED VIEW own (CONSTRAINT c EXPECT (v > -6)) AS SELECT * FROM s",
        "FLUSH",
    ):
        session.sql(text)
    aside = "SELECT substring_index(expression, ' ', 2) AS c, count(*) FROM {} GROUP BY c"
    twice = [("CONSTRAINT odd", 2), ("CONSTRAINT pos", 2)]
    assert rows(session, aside.format("ids_diverted")) == twice
    assert rows(session, aside.format("pairs_diverted")) == [(name, 4) for name, _ in twice]
    assert rows(session, aside.format("own_diverted")) == twice  # the dropped ones are not its own
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None and pipeline.query is not None
    (folder / "2.csv").write_text("5,1\n6,-500\n")
    session.sql("FLUSH")
    counted = next(
        each["expectations"]
        for each in reversed(pipeline.query.recentProgress)
        if each["inputRows"]
    )
    assert counted["s"] == {name: {"passed": 1, "failed": 1} for name in ("pos", "odd")}
    assert counted["own"] == {"c": {"passed": 1, "failed": 0}}
    page = exposition(PipelineReader(place).picture())
    lines = [line.split("{")[1] for line in page.splitlines() if 'of="s"' in line]
    assert len({line.split("}")[0] for line in lines}) == len(lines) == 4
