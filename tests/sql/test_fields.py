"""Fields within columns: queries read single ones, UPDATE and MERGE assign them."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from sql.conftest import reopened

MADE = (
    "CREATE TABLE t (id int PRIMARY KEY, a int, big bigint, "
    "s struct<a: int, b: struct<c: string, d: bigint>, l: array<struct<x: int, y: string>>, "
    "m: map<string, struct<x: int, y: double>>>)",
    "CREATE INDEX by_a ON t (a)",
    "CREATE MATERIALIZED VIEW v AS SELECT id, s, a + 0 AS a, big FROM t",
    "INSERT INTO t SELECT id, id * 10, 9007199254740993, CASE WHEN id < 4 THEN named_struct('a', "
    "id, 'b', named_struct('c', 'c' || id, 'd', 9007199254740993L - id), 'l', "
    "array(named_struct('x', id, 'y', 'y' || id), named_struct('x', -id, 'y', NULL)), 'm', "
    "map('k', named_struct('x', id, 'y', id + 0.5D))) END FROM range(1, 5)",
    "FLUSH",
)

READS = (
    "s.b",
    "s.b.d",
    "s.l",
    "s.l.y, s.m['k'].y",
    "s.l[1].y, s.a",
    "struct(5 AS a, s.b AS b, s.l AS l)",
    "s.b.c, s.m, id",
    "transform(s.l, e -> e.y)",
    "s.m.k.y, big",
)


def rows(session: SparkSession, query: str) -> list[tuple[object, ...]]:
    return sorted(map(tuple, session.sql(query).collect()), key=repr)


@pytest.mark.parametrize("relation", first_of(["t", "v"]))
def test_a_query_of_single_fields_reads_those(
    session: SparkSession, place: str, relation: str
) -> None:
    """Spark asks for fewer fields than a row has, and read others' bytes as theirs."""
    whole = session.sql(f"SELECT * FROM {relation}").collect()
    session.createDataFrame(whole, session.table(relation).schema).createOrReplaceTempView("alike")
    for columns in READS:
        for where in (
            "",
            " WHERE id = 2",
            " WHERE a = 20",
            " WHERE s.b.d > 9007199254740990",
            " WHERE s.a = 1 OR s.l[1].y IS NULL",
        ):
            query = f"SELECT {columns} FROM {{}}{where}"
            wanted = rows(session, query.format("alike"))
            assert rows(session, query.format(relation)) == wanted, query
    session.catalog.dropTempView("alike")


def test_update_assigns_fields(session: SparkSession, place: str) -> None:
    """They were columns without a table: ``s.a`` assigned the column ``a``."""
    session.sql("UPDATE t SET s.a = 5, a = s.a")
    session.sql("UPDATE t AS q SET q.s.B.c = 'new', Q.S.b.D = q.s.b.d + 1 WHERE id IN (1, 4)")
    session.sql("UPDATE t SET p.t.s.b = NULL, groundswell.p.t.s.m = map(), t.a = -2 WHERE id = 2")
    session.sql("UPDATE t SET s = named_struct('a', 1, 'b', NULL, 'l', NULL, 'm', NULL), "
                "big = DEFAULT WHERE id = 3")  # fmt: skip
    session.sql("FLUSH")
    one, two, three, four = rows(session, "SELECT id, a, s.a, s.b, s.l.x, size(s.m), big FROM t")
    big = 9007199254740993
    assert one == (1, 1, 5, ("new", big), [1, -1], 1, big)
    assert two == (2, -2, 5, None, [2, -2], 0, big)
    assert three == (3, 3, 1, None, None, None, None)
    assert four == (4, None, 5, ("new", None), None, None, big), "a null struct gets its field"
    reopened(session, place)
    session.sql("FLUSH")
    assert rows(session, "SELECT s.a FROM v WHERE id = 4") == [(5,)]


def test_merge_assigns_fields(session: SparkSession, place: str) -> None:
    session.sql(
        "MERGE INTO t USING (SELECT id + 1 AS k, id FROM range(2)) n ON t.id = n.k "
        "WHEN MATCHED AND n.k = 1 THEN UPDATE SET t.s.b.c = 'm' || n.id, s.a = s.a + 1 "
        "WHEN MATCHED THEN UPDATE SET s.b = named_struct('c', 'x', 'd', 1) "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN UPDATE SET s.a = 0"
    )
    session.sql("FLUSH")
    big = 9007199254740993
    assert rows(session, "SELECT id, a, s.a, s.b FROM t ORDER BY id") == [
        (1, 10, 2, ("m0", big - 1)),
        (2, 20, 2, ("x", 1)),
        (3, 30, 3, ("c3", big - 3)),
        (4, 40, 0, None),
    ]


@pytest.mark.rest
def test_an_action_of_a_merge_leaves_the_values_of_others(
    session: SparkSession, place: str
) -> None:
    """One CASE over all actions made a double of a bigint that an action only kept."""
    session.sql(
        "MERGE INTO t USING (SELECT 1 AS k UNION SELECT 2) n ON t.id = n.k "
        "WHEN MATCHED AND n.k = 1 THEN UPDATE SET big = 1.5D "
        "WHEN MATCHED THEN UPDATE SET a = 0"
    )
    session.sql("FLUSH")
    assert rows(session, "SELECT id, a, big FROM t WHERE id < 3") == [
        (1, 10, 1),
        (2, 0, 9007199254740993),
    ]


@pytest.mark.parametrize(
    ("sets", "why"),
    first_of(
        [
            ("s.a = 1, S.A = 2", "s.a is assigned twice"),
            ("a = 1, t.A = 2", "a is assigned twice"),
            ("s = NULL, s.a = 2", "s is assigned twice"),
            ("s.b.c = 'x', s.b = NULL", "s.b is assigned twice"),
            ("s.l.x = 2", r"s.l.x cannot be assigned, for s.l is of type array<.*: assign s.l"),
            ("a.b = 2", "a.b cannot be assigned, for a is of type int"),
            ("s.nope = 2", "s has no field 'nope'; it has a, b, l, m"),
            ("other.a = 2", "table t has no column 'other.a'; it has id, a, big, s"),
            ("s.a = DEFAULT", "DEFAULT is the value of a column, and s.a is a field"),
            ("s.b = named_struct('d', 1L, 'c', 'x')", "the fields in s are"),
            ("s.b = 1", "mismatch"),
        ]
    ),
)
def test_a_field_that_cannot_be_assigned_is_refused(
    session: SparkSession, place: str, sets: str, why: str
) -> None:
    merge = "MERGE INTO t USING (SELECT 1 AS k) n ON t.id = n.k WHEN MATCHED THEN UPDATE SET "
    for text in (f"UPDATE t SET {sets}", merge + sets):
        with pytest.raises(gs.GroundswellError, match=why):
            session.sql(text)


@pytest.mark.rest
def test_a_key_has_fields_that_stay(session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"CREATE PIPELINE q LOCATION '{tmp_path / 'q'}'")
    session.sql("USE groundswell.q")
    session.sql(
        "CREATE TABLE s (k struct<a: int, b: int> PRIMARY KEY, s struct<s: struct<s: int>>)"
    )
    session.sql("INSERT INTO s VALUES (named_struct('a', 1, 'b', 2), named_struct('s', NULL))")
    with pytest.raises(gs.ConfigurationError, match="k is of the PRIMARY KEY"):
        session.sql("UPDATE s SET k.a = 1")
    with pytest.raises(gs.GroundswellError, match="mismatch"):  # a column behind the table's name
        session.sql("UPDATE s SET s.s.s = 2")
    session.sql("UPDATE s SET s.s.s.s = 3")
    session.sql("FLUSH")
    assert rows(session, "SELECT k.b, s.s.s.s FROM s") == [(2, 3)]
