"""``ALTER TABLE``: the table gets other columns, and what reads it goes on as it was."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from sql.conftest import opened, reopened

MADE = (
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint)",
    "CREATE TABLE plain (a int)",
    "CREATE MATERIALIZED VIEW everything AS SELECT * FROM t",
    "CREATE MATERIALIZED VIEW sums AS SELECT v % 2 AS odd, sum(id) AS s FROM t GROUP BY v % 2",
    "CREATE MATERIALIZED VIEW copy AS SELECT * FROM plain",
    "CREATE INDEX by_v ON t (v)",
    "INSERT INTO t VALUES (1, 1), (2, 2)",
    "INSERT INTO plain VALUES (1), (1)",
    "FLUSH",
)


def rows(session: SparkSession, query: str) -> list[tuple[object, ...]]:
    return sorted(map(tuple, session.sql(query).collect()), key=repr)


def states(place: str) -> set[str]:
    return {
        path.name
        for path in Path(place, "groundswell/state").iterdir()
        if not path.name.startswith("source-")
    }


@pytest.mark.rest
def test_a_table_gets_columns(session: SparkSession, place: str) -> None:
    before = states(place)
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    assert pipeline.query is not None
    session.sql("ALTER TABLE t ADD COLUMN note string, score int NOT NULL DEFAULT 5")
    session.sql("ALTER TABLE plain ADD COLUMNS (b string DEFAULT 'x,y')")
    assert pipeline.query.isActive
    assert rows(session, "SELECT * FROM t") == [(1, 1, None, 5), (2, 2, None, 5)]
    assert rows(session, "SELECT * FROM plain") == [(1, "x,y"), (1, "x,y")]
    session.sql("INSERT INTO t (id, v) VALUES (3, 3)")
    session.sql("INSERT INTO t VALUES (4, 4, 'four', 4)")
    session.sql("INSERT INTO plain VALUES (2, NULL)")
    session.sql("FLUSH")
    wanted = [(1, 1, None, 5), (2, 2, None, 5), (3, 3, None, 5), (4, 4, "four", 4)]
    assert rows(session, "SELECT * FROM t") == wanted
    session.sql("UPDATE t SET note = 'two' WHERE id = 2")
    session.sql("FLUSH")
    wanted[1] = (2, 2, "two", 5)
    assert rows(session, "SELECT * FROM t") == wanted
    for again in (False, True):
        if again:
            reopened(session, place)
            session.sql("DELETE FROM t WHERE id = 1")
            session.sql("FLUSH")
            wanted = wanted[1:]
        assert session.sql("SELECT * FROM everything").columns == ["id", "v"]
        assert rows(session, "SELECT * FROM everything") == [w[:2] for w in wanted]
        odd = sum(int(str(w[0])) for w in wanted if int(str(w[1])) % 2)
        assert rows(session, "SELECT * FROM sums") == [(0, 6), (1, odd)]
        assert rows(session, "SELECT * FROM copy") == [(1,), (1,), (2,)]
        assert [row.id for row in gs.lookup(session, place, "by_v", 4)] == [4]
        assert states(place) == before, "no state of a view or an index is another one"
    session.sql("CREATE OR REPLACE MATERIALIZED VIEW everything AS SELECT * FROM t")
    assert rows(session, "SELECT * FROM everything") == wanted
    session.sql("CREATE MATERIALIZED VIEW high AS SELECT id FROM t WHERE score > 4")
    assert rows(session, "SELECT * FROM high") == [(2,), (3,)]
    shown = session.sql("SHOW CREATE TABLE t").collect()[0][0]
    assert "ALTER TABLE t ADD COLUMN note" in shown
    reopened(session, place)
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM everything") == wanted


@pytest.mark.rest
def test_a_column_that_cannot_be_added_changes_nothing(session: SparkSession, place: str) -> None:
    session.sql(
        "CREATE TABLE timed (id int PRIMARY KEY, at timestamp, ver int, "
        "WATERMARK FOR at AS at - INTERVAL 5 SECONDS) WITH (version = 'ver')"
    )
    log = REGISTRY.find(session, "p").log
    before = log.read()
    for text, why in (
        ("ALTER TABLE timed DROP COLUMN AT", "at of table timed is of the WATERMARK: it has"),
        ("ALTER TABLE timed DROP COLUMN ver", "ver of table timed is of the version: it has"),
        ("ALTER TABLE timed RENAME COLUMN ver TO v", "is of the version, and keeps its name"),
        ("ALTER TABLE t ADD COLUMN V int", "has a column v already"),
        ("ALTER TABLE t ADD COLUMN w int NOT NULL", "w is NOT NULL.*default"),
        ("ALTER TABLE t ADD COLUMN w int DEFAULT rand()", "not a constant"),
        ("ALTER TABLE t ADD COLUMN w int DEFAULT (SELECT 1)", "not a constant"),
        ("ALTER TABLE t ADD COLUMN w array<date> DEFAULT array(now())", "not a constant"),
        ("ALTER TABLE t ADD COLUMN w int DEFAULT 'x'", r"not a valid int: \[CAST_INVALID_INPUT\]"),
        ("ALTER TABLE t ADD COLUMN ` ` int", "cannot have the name ' '"),
        ("ALTER TABLE t ADD COLUMN _groundswell_delete boolean", "cannot have the name"),
        ("ALTER TABLE t ADD COLUMN w varchar(2) DEFAULT 'long'", r"varchar\(2\)"),
        ("ALTER TABLE t ADD COLUMN w array<char(2)>", r"char\(2\) inside of another type"),
        ("ALTER TABLE t ADD COLUMN w int PRIMARY KEY", "cannot be of the PRIMARY KEY"),
        ("ALTER TABLE nothing ADD COLUMN w int", "has no table.* 'nothing'"),
    ):
        with pytest.raises(Exception, match=f"(?s){why}"):
            session.sql(text)
        assert log.read() == before, text
        assert session.table("t").columns == ["id", "v"], text
    session.sql("INSERT INTO t VALUES (3, 3)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1), (2, 2), (3, 3)]
    reopened(session, place)
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1), (2, 2), (3, 3)]
    session.sql("ALTER TABLE t ADD COLUMN IF NOT EXISTS v bigint")


@pytest.mark.rest
def test_a_table_gets_columns_before_it_runs(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE q LOCATION '{tmp_path / 'q'}'")
    session.sql("USE groundswell.q")
    session.sql("CREATE TABLE t (id bigint PRIMARY KEY)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("ALTER TABLE t ADD COLUMN a int DEFAULT 7")
    session.sql("ALTER TABLE t ADD COLUMN b date DEFAULT DATE '2026-01-02', ADD COLUMN c int")
    session.sql("INSERT INTO t (id, c) VALUES (2, 2)")
    session.sql("CREATE TABLE u (id bigint PRIMARY KEY, n int)")
    session.sql("CREATE MATERIALIZED VIEW m AS SELECT id, c AS n FROM t")
    session.sql("CREATE SINK s INTO u FROM m")
    session.sql("FLUSH")
    assert [str(r) for r in rows(session, "SELECT id, a, string(b), c FROM t")] == [
        "(1, 7, '2026-01-02', None)",
        "(2, 7, '2026-01-02', 2)",
    ]
    session.sql("ALTER TABLE u ADD COLUMN more string DEFAULT 'm'")
    session.sql("INSERT INTO t VALUES (3, 3, NULL, 3)")
    session.sql("FLUSH")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM u") == [(1, None, "m"), (2, 2, "m"), (3, 3, "m")]


@pytest.mark.rest
def test_a_default_is_a_value(session: SparkSession, place: str) -> None:
    session.sql("CREATE TABLE d (id int PRIMARY KEY, a int DEFAULT 7, b string DEFAULT 'DEFAULT')")
    session.sql("INSERT INTO d VALUES (1, DEFAULT, default), (2, 2, DEFAULT)")
    session.sql("INSERT INTO d (b, id) VALUES (DEFAULT, 3)")
    session.sql("UPDATE d SET a = DEFAULT, b = 'b' WHERE id = 2")
    session.sql(
        "MERGE INTO d USING (SELECT 3 AS id UNION SELECT 4) s ON d.id = s.id "
        "WHEN MATCHED THEN UPDATE SET a = 30, b = DEFAULT "
        "WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, DEFAULT)"
    )
    word = "DEFAULT"
    wanted = [(1, 7, word), (2, 7, "b"), (3, 30, word), (4, 7, word)]
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM d") == wanted
    for text in (
        "DELETE FROM d WHERE nope = 1",
        "UPDATE d SET a = nope",
        "INSERT INTO d SELECT nope, 1, 'b'",
        "MERGE INTO d USING (SELECT 1 AS id) s ON d.id = s.nope WHEN MATCHED THEN DELETE",
    ):
        with pytest.raises(gs.ConfigurationError, match=r"nope. cannot be resolved") as refused:
            session.sql(text)
        assert "\n" not in str(refused.value)
        assert " pos " not in str(refused.value), "that is not of the user's text"


def test_a_default_is_a_function_of_its_statement(session: SparkSession, place: str) -> None:
    """Each INSERT evaluates it; rows of before keep the value that the ALTER found."""
    session.conf.set("spark.sql.timeType.enabled", "true")
    session.sql(
        "CREATE TABLE d (id int PRIMARY KEY, at timestamp DEFAULT current_timestamp(), "
        "who varchar(99) NOT NULL DEFAULT current_user)"
    )
    session.sql("INSERT INTO d (id) VALUES (1), (2)")
    session.sql("INSERT INTO d VALUES (3, DEFAULT, DEFAULT)")
    session.sql("MERGE INTO d USING (SELECT 4 k) s ON id = k WHEN NOT MATCHED THEN INSERT (id) "
                "VALUES (k)")  # fmt: skip
    session.sql("FLUSH")
    first = rows(session, "SELECT id, at, who = current_user() FROM d")
    assert [(row[0], row[2]) for row in first] == [(1, True), (2, True), (3, True), (4, True)]
    times = [row[1] for row in first]
    assert times[0] == times[1] < times[2] < times[3]  # type: ignore[operator]
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    session.sql("INSERT INTO d (id) VALUES (5)")
    session.sql("INSERT INTO plain VALUES (5)")
    session.sql("ALTER TABLE d ADD COLUMN more timestamp NOT NULL DEFAULT now() + INTERVAL 1 DAY")
    session.sql("ALTER TABLE plain ADD COLUMN more time DEFAULT current_time()")
    session.sql("INSERT INTO d (id) VALUES (6)")
    queries = ("SELECT id, more FROM d ORDER BY id", "SELECT * FROM plain")
    session.sql("FLUSH")
    before = [rows(session, query) for query in queries]
    ones = [row[1] for row in before[0]]
    assert len({*ones[:5]}) == 1, "rows of before"
    assert ones[5] > ones[4]  # type: ignore[operator]
    assert len({row[1] for row in before[1]}) == 1
    assert before[1][0][1] is not None
    reopened(session, place)
    session.sql("FLUSH")
    session.sql("CREATE MATERIALIZED VIEW late AS SELECT id, more FROM d")
    session.sql("FLUSH")
    assert [rows(session, query) for query in queries] == before
    assert rows(session, "SELECT * FROM late") == before[0]


@pytest.mark.rest
def test_a_table_that_has_stopped_takes_its_new_columns(session: SparkSession, place: str) -> None:
    """Writes go by what the last statement says, though no run has taken it yet."""
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    session.sql("ALTER TABLE t ADD COLUMN w int DEFAULT 3")
    session.sql("INSERT INTO t VALUES (7, 7, 7)")
    session.sql("INSERT INTO t (id) VALUES (8)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1, 3), (2, 2, 3), (7, 7, 7), (8, None, 3)]
    assert rows(session, "SELECT * FROM everything") == [(1, 1), (2, 2), (7, 7), (8, None)]


def test_a_table_loses_and_widens_columns(session: SparkSession, place: str) -> None:
    for text in ("CREATE TABLE w (a int)", "FLUSH", "DROP TABLE w"):
        session.sql(text)
    session.sql(
        "CREATE TABLE w (id int PRIMARY KEY, a int, b string, c float, "
        "CONSTRAINT pos CHECK (c >= 0))"
    )
    session.sql("CREATE MATERIALIZED VIEW of_a AS SELECT a, count(*) AS n FROM w GROUP BY a")
    session.sql("INSERT INTO w VALUES (1, 1, 'x', 1.5), (2, 1, 'y', NULL)")
    session.sql("FLUSH")
    assert REGISTRY.find(session, "p").find("w", "table").stored == "w__2", "errors say w"
    before = states(place)
    session.sql("ALTER TABLE w DROP COLUMN b")
    session.sql("ALTER TABLE w ALTER COLUMN c TYPE double")
    session.sql("ALTER TABLE w ADD COLUMN e string")
    session.sql("INSERT INTO w VALUES (3, 2, 0.1, 'e')")
    session.sql("FLUSH")
    wanted = [(1, 1, 1.5, None), (2, 1, None, None), (3, 2, 0.1, "e")]
    assert rows(session, "SELECT * FROM w") == wanted
    for text, why in (
        ("ALTER TABLE w DROP COLUMN a", "view of_a reads column a of table w, which"),
        ("ALTER TABLE w ALTER COLUMN a TYPE bigint", "view of_a reads column a of table w, which"),
        ("ALTER TABLE w DROP COLUMN id", "PRIMARY KEY"),
        ("ALTER TABLE w DROP COLUMN b", "no column 'b'"),
        ("ALTER TABLE w ALTER COLUMN c TYPE float", "c is double, and cannot become float"),
        ("ALTER TABLE w ADD COLUMN b int", "become what is asked for: b was a column"),
        ("ALTER TABLE w DROP COLUMN c", r"c of table w stays.*constraint pos CHECK \(c >= 0\)"),
        ("ALTER TABLE w RENAME COLUMN c TO d", "c of table w stays, under its name: constraint"),
        ("ALTER TABLE w RENAME COLUMN e TO a", "has a column a already"),
        ("ALTER TABLE w RENAME COLUMN id TO key", "PRIMARY KEY"),
    ):
        with pytest.raises(Exception, match=f"(?s){why}"):
            session.sql(text)
    session.sql("ALTER TABLE w DROP COLUMN IF EXISTS b")
    for again in (False, True):
        if again:
            reopened(session, place)
            session.sql("FLUSH")
        assert rows(session, "SELECT * FROM w") == wanted
        assert rows(session, "SELECT * FROM of_a") == [(1, 2), (2, 1)]
        assert states(place) == before


def test_a_column_gets_another_name(session: SparkSession, place: str) -> None:
    before = states(place)
    session.sql("ALTER TABLE t RENAME COLUMN v TO w")
    session.sql("ALTER TABLE plain RENAME COLUMN a TO b")
    session.sql("INSERT INTO t (w, id) VALUES (3, 3)")
    session.sql("INSERT INTO plain VALUES (7)")
    session.sql("ALTER TABLE plain ADD COLUMN a string DEFAULT 'new'")
    session.sql("FLUSH")
    session.sql("BEGIN")
    session.sql("INSERT INTO t VALUES (1, 4)")
    session.sql("UPDATE t SET w = w + 1 WHERE id = 1")
    session.sql("COMMIT")
    session.sql("FLUSH")
    for again in (False, True):
        if again:
            reopened(session, place)
            session.sql("FLUSH")
        assert session.sql("SELECT * FROM t").columns == ["id", "w"]
        assert rows(session, "SELECT * FROM t") == [(1, 5), (2, 2), (3, 3)]
        assert session.sql("SELECT * FROM everything").columns == ["id", "v"]
        assert rows(session, "SELECT * FROM everything") == [(1, 5), (2, 2), (3, 3)]
        assert rows(session, "SELECT b, a FROM plain") == [(1, "new"), (1, "new"), (7, "new")]
        assert rows(session, "SELECT a FROM copy") == [(1,), (1,), (7,)]
        assert states(place) == before
    session.sql("CREATE MATERIALIZED VIEW big AS SELECT id FROM t WHERE w > 2")
    assert rows(session, "SELECT * FROM big") == [(1,), (3,)]
    session.sql("CREATE INDEX by_w ON t (w)")
    session.sql("FLUSH")
    assert [row.id for row in gs.lookup(session, place, "by_w", 2)] == [2]
    reopened(session, place)
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM big") == [(1,), (3,)]


@pytest.mark.rest
def test_what_a_connector_reads_gets_columns(
    session: SparkSession, place: str, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1.json").write_text('{"id": 1, "v": 10}\n{"id": 2, "v": 20}')
    made = f"(id int{{}}, v int) WITH (connector = 'json', path = '{folder}')"
    session.sql(f"CREATE TABLE feed {made.format(' PRIMARY KEY')}")
    session.sql(f"CREATE SOURCE news {made.format('')}")
    session.sql("CREATE MATERIALIZED VIEW all_feed AS SELECT * FROM feed")
    session.sql("CREATE MATERIALIZED VIEW all_news AS SELECT * FROM news")
    session.sql("FLUSH")
    before = states(place)
    session.sql("ALTER TABLE feed ADD COLUMN c string")
    session.sql("ALTER SOURCE news ADD COLUMN c string")
    (folder / "2.json").write_text('{"id": 2, "v": 21, "c": "two"}')
    session.sql("FLUSH")
    session.sql("CREATE MATERIALIZED VIEW c_feed AS SELECT id, c FROM feed")
    wanted = [(1, 10, None), (2, 21, "two")]
    for again in (False, True):
        if again:
            reopened(session, place)
            session.sql("FLUSH")
        assert rows(session, "SELECT * FROM feed") == wanted
        assert rows(session, "SELECT * FROM all_feed") == [w[:2] for w in wanted]
        assert rows(session, "SELECT * FROM all_news") == [(1, 10), (2, 20), (2, 21)]
        assert rows(session, "SELECT * FROM c_feed") == [(1, None), (2, "two")]
        assert {name for name in states(place) if "c_feed" not in name} == before
    for text, why in (
        ("ALTER TABLE feed DROP COLUMN c", "can only get more"),
        ("ALTER TABLE feed ADD COLUMN d int DEFAULT 1", "no DEFAULT"),
    ):
        with pytest.raises(Exception, match=why):
            session.sql(text)


@pytest.mark.rest
def test_an_index_loses_a_column_with_its_table(session: SparkSession, place: str) -> None:
    session.sql("ALTER TABLE t ADD COLUMN n int DEFAULT 1, m int DEFAULT 2")
    session.sql("CREATE INDEX whole ON t (v)")
    session.sql("CREATE INDEX some ON t (id) INCLUDE (v, m)")
    session.sql("ALTER TABLE t RENAME COLUMN v TO w")
    session.sql("ALTER TABLE t DROP COLUMN n")
    session.sql("ALTER TABLE t ALTER COLUMN m TYPE bigint")
    session.sql("INSERT INTO t VALUES (3, 2, 3000000000)")
    session.sql("FLUSH")
    for again in (False, True):
        if again:
            reopened(session, place)
            session.sql("FLUSH")
        found = gs.lookup(session, place, "whole", 2)
        assert sorted(tuple(row) for row in found) == [(2, 2, 2), (3, 2, 3000000000)]
        assert [tuple(row) for row in gs.lookup(session, place, "some", 3)] == [(3, 2, 3000000000)]
    with pytest.raises(gs.GroundswellError, match="index some is of column m of table t, which"):
        session.sql("ALTER TABLE t DROP COLUMN m")
    session.sql("DROP INDEX some")
    session.sql("ALTER TABLE t DROP COLUMN m")
    session.sql("FLUSH")
    assert sorted(map(tuple, gs.lookup(session, place, "whole", 2))) == [(2, 2), (3, 2)]


@pytest.mark.rest
def test_explain_tells_what_a_change_makes_of_the_states(session: SparkSession, place: str) -> None:
    def told(statement: str) -> list[str]:
        ((text,),) = session.sql(f"EXPLAIN {statement}").collect()
        return [" ".join(line.split()) for line in text.splitlines()[1:]]

    kept, before = REGISTRY.find(session, "p"), states(place)
    assert kept is not None
    log = len(kept.log.read())
    filled = "backfill 1 state of view more, from 2 rows, beside the running barriers"
    more = "CREATE OR REPLACE MATERIALIZED VIEW more AS SELECT id + 1 AS n FROM t"
    assert filled in told(more)
    assert told("ALTER TABLE t ADD COLUMN w int")[1] == "move 1 state of source t, 2 rows"
    assert told("ALTER TABLE t RENAME COLUMN v TO w")[0].startswith("keep 7 states of ")
    assert "drop 2 states of view sums, 4 rows" in told("DROP MATERIALIZED VIEW sums")
    assert len(told("DROP TABLE t CASCADE")) == 2
    assert told("DROP INDEX IF EXISTS none") == []
    with pytest.raises(gs.GroundswellError, match="is read by"):
        told("DROP TABLE t")
    with pytest.raises(gs.GroundswellError, match="has no column 'none'"):
        told("ALTER TABLE t DROP COLUMN none")
    assert len(kept.log.read()) == log
    assert states(place) == before
    session.sql("INSERT INTO t VALUES (3, 3)")
    session.sql(more)
    session.sql("FLUSH")  # the barrier that has the row may come after the one that switches
    assert rows(session, "SELECT * FROM more") == [(2,), (3,), (4,)]


def test_a_view_reads_a_table_and_what_was_made_of_it_before(
    session: SparkSession, tmp_path: Path
) -> None:
    """The view of before reads the table as it was then; both are one table."""
    opened(session, tmp_path / "p")
    for text in (
        "CREATE TABLE t (k int PRIMARY KEY, gone int)",
        "CREATE MATERIALIZED VIEW v AS SELECT k FROM t WHERE k > 1",
        "INSERT INTO t VALUES (1, 0), (2, 0)",
        "FLUSH",
        "ALTER TABLE t ADD COLUMN c string DEFAULT 'b'",
        "CREATE MATERIALIZED VIEW both AS SELECT t.k, t.c FROM t JOIN v ON t.k = v.k",
        "ALTER TABLE t DROP COLUMN gone",
        "CREATE INDEX i ON both (c)",
        "ALTER TABLE t RENAME COLUMN c TO d",
        "CREATE OR REPLACE MATERIALIZED VIEW both AS SELECT k, d AS c FROM t JOIN v USING (k)",
    ):
        session.sql(text)
    (plan,) = session.sql("EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT d FROM t, v").collect()
    assert "View w" in plan[0]
    session.sql("INSERT INTO t VALUES (3, 'x')")
    for _ in range(2):
        session.sql("FLUSH")
        assert rows(session, "SELECT * FROM both") == [(2, "b"), (3, "x")]
        reopened(session, str(tmp_path / "p"))
