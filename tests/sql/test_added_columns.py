"""``ALTER TABLE ... ADD COLUMN``: the table gets columns, and what reads it goes on as it was."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.registry import REGISTRY

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


@pytest.fixture
def place(session: SparkSession, tmp_path: Path) -> str:
    place = str(tmp_path / "p")
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    for text in MADE:
        session.sql(text)
    return place


def reopened(session: SparkSession, place: str) -> None:
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    REGISTRY.remove(session, "p")
    session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{place}'")


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


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ALTER TABLE t ADD COLUMN V int", "has a column v already"),
        ("ALTER TABLE t ADD COLUMN w int NOT NULL", "w is NOT NULL.*default"),
        ("ALTER TABLE t ADD COLUMN w int DEFAULT rand()", "no constant"),
        ("ALTER TABLE t ADD COLUMN w int DEFAULT 'x'", "no int"),
        ("ALTER TABLE t ADD COLUMN w varchar(2) DEFAULT 'long'", r"varchar\(2\)"),
        ("ALTER TABLE t ADD COLUMN w char(2)", r"char\(2\) is not taken"),
        ("ALTER TABLE t ADD COLUMN w int PRIMARY KEY", "cannot be of the PRIMARY KEY"),
        ("ALTER TABLE nothing ADD COLUMN w int", "no table 'nothing'"),
    ],
)
def test_a_column_that_cannot_be_added_changes_nothing(
    session: SparkSession, place: str, text: str, why: str
) -> None:
    with pytest.raises(Exception, match=f"(?s){why}"):
        session.sql(text)
    session.sql("INSERT INTO t VALUES (3, 3)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1), (2, 2), (3, 3)]
    reopened(session, place)
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM t") == [(1, 1), (2, 2), (3, 3)]
    session.sql("ALTER TABLE t ADD COLUMN IF NOT EXISTS v bigint")


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
