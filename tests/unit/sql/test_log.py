"""What a pipeline consists of after its statements."""

from dataclasses import replace

from groundswell.format.envelope import seal
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s
from unit.runtime.folders import MemoryFolder


def fold(*texts: str) -> logs.Contents:
    return logs.fold(
        logs.Entry(i, text, "ann", "2026-01-01", "groundswell", ("p",))
        for i, text in enumerate(texts, 1)
    )


def test_what_is_made_and_dropped() -> None:
    found = fold(
        "CREATE PIPELINE p LOCATION '/x'",
        "CREATE TABLE T (a int)",
        "CREATE MATERIALIZED VIEW v AS SELECT * FROM t",
        "DROP MATERIALIZED VIEW groundswell.p.V",
        "CREATE INDEX i ON t (a)",
    )
    assert found.pipeline is not None
    assert [(o.kind, o.name) for o in found.objects.values()] == [(s.TABLE, "T"), (s.INDEX, "i")]
    assert found.dropped == {"v"}


def test_a_table_that_is_made_again_is_another_one() -> None:
    found = fold("CREATE TABLE t (a int)", "DROP TABLE t", "CREATE TABLE t (b int)")
    assert found.objects["t"].stored == "t__2"


def test_a_view_keeps_what_it_is_called() -> None:
    found = fold(
        "CREATE MATERIALIZED VIEW v AS SELECT 1",
        "CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT 2",
        "ALTER MATERIALIZED VIEW v RENAME TO w",
    )
    assert [(o.name, o.stored) for o in found.objects.values()] == [("w", "v")]
    assert found.dropped == set()
    found = fold(
        "CREATE MATERIALIZED VIEW v AS SELECT 1",
        "ALTER MATERIALIZED VIEW v RENAME TO w",
        "CREATE MATERIALIZED VIEW v AS SELECT 3",
    )
    assert [(o.name, o.stored) for o in found.objects.values()] == [("w", "v"), ("v", "v__2")]


def test_a_statement_counts_for_others_once_it_is_confirmed() -> None:
    home = MemoryFolder("home")
    mine, other = logs.StatementLog(home), logs.StatementLog(home)
    first = logs.entry(1, "CREATE MATERIALIZED VIEW v AS SELECT 1", "groundswell", ("p",))
    mine.append(first)
    assert [each.pending for each in other.read()] == [True]
    mine.confirm(first)
    assert [each.pending for each in other.read()] == [False] == [e.pending for e in mine.read()]
    second = replace(first, number=2)
    mine.append(second)
    assert len(other.read()) == 2
    mine.take_back(second)
    assert other.read() == mine.read() == [replace(first, pending=False)]


def test_statements_of_older_releases_are_confirmed() -> None:
    home = MemoryFolder("home")
    old = {"statement": "FLUSH", "by": "ann", "at": "2026", "catalog": "c", "namespace": []}
    home.child(logs.FOLDER).put_new(f"{1:020d}.json", seal(logs.KIND, old))
    assert [each.pending for each in logs.StatementLog(home).read()] == [False]


def test_a_column_is_stored_under_a_name_that_no_other_has() -> None:
    found = fold(
        "CREATE TABLE t (a int, a__2 int)",
        "ALTER TABLE t RENAME COLUMN a TO b",
        "ALTER TABLE t ADD COLUMN A int, A__3 int",
    )
    made = found.objects["t"].statement
    assert isinstance(made, s.CreateRelation)
    stored = [(column.name, column.stored or column.name) for column in made.columns]
    assert stored == [("b", "a"), ("a__2", "a__2"), ("A", "A__4"), ("A__3", "A__3")]
