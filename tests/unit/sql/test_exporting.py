"""``SHOW CREATE PIPELINE``: the statements that make a pipeline again."""

import pytest

from groundswell.errors import ConfigurationError
from groundswell.sql.exporting import script
from groundswell.sql.history import log as logs

MADE = "CREATE PIPELINE p LOCATION '/x'"
USE = "USE `groundswell`.`p`;"


def told(*texts: str) -> list[str]:
    entries = [
        logs.Entry(i, text, "ann", "2026-01-01", "groundswell", ("p",))
        for i, text in enumerate((MADE, *texts), 1)
    ]
    first, *lines = script("p", entries).splitlines()
    assert first == f"{MADE};"
    return lines


def test_what_was_dropped_is_left_out() -> None:
    assert told(
        "CREATE TABLE t (a int)",
        "ALTER TABLE t ADD COLUMN c int",
        "CREATE TABLE u (a int)",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM t",
        "DROP MATERIALIZED VIEW v",
        "DROP TABLE t",
        "CREATE TABLE t (b int)",
        "ALTER TABLE u ADD COLUMN b int",
    ) == [
        USE,
        "CREATE TABLE u (a int);",
        "CREATE TABLE t (b int);",
        "ALTER TABLE u ADD COLUMN b int;",
    ]


def test_a_name_means_what_it_meant() -> None:
    statements = [
        "CREATE TABLE t (a int)",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM t",
        "ALTER TABLE t RENAME TO old",
        "CREATE TABLE t (b int)",
        "ALTER TABLE old RENAME COLUMN a TO c",
        "CREATE MATERIALIZED VIEW w AS SELECT c, b FROM old, t",
    ]
    assert told(*statements) == [USE, *(f"{each};" for each in statements)]


def test_of_a_view_that_was_replaced_only_the_last_is_there() -> None:
    assert told(
        "CREATE TABLE t (a int)",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM t",
        "ALTER MATERIALIZED VIEW v RENAME TO w",
        "CREATE OR REPLACE MATERIALIZED VIEW w AS SELECT a + 1 AS a FROM t",
    ) == [
        USE,
        "CREATE TABLE t (a int);",
        "CREATE OR REPLACE MATERIALIZED VIEW w AS SELECT a + 1 AS a FROM t;",
    ]


def test_what_another_was_made_of_is_there_until_it_goes() -> None:
    """The first v reads a table that is gone; x was made of that v, under its name of then."""
    first = [
        "CREATE TABLE gone (a int)",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM gone",
        "CREATE MATERIALIZED VIEW x AS SELECT a FROM v",
        "ALTER MATERIALIZED VIEW v RENAME TO w",
        "CREATE TABLE t (a int)",
    ]
    last = [
        "CREATE OR REPLACE MATERIALIZED VIEW w AS SELECT a FROM t",
        "DROP TABLE gone",
    ]
    between = "CREATE OR REPLACE MATERIALIZED VIEW w AS SELECT a + 2 AS a FROM gone"
    assert told(*first, between, *last) == [USE, *(f"{each};" for each in [*first, *last])]


def test_no_comment_takes_the_semicolon() -> None:
    assert told("CREATE TABLE t (a int) -- ours") == [USE, "CREATE TABLE t (a int); -- ours"]


def test_names_go_by_the_namespace_of_their_statement() -> None:
    entries = [
        logs.Entry(1, MADE, "ann", "", "spark_catalog", ("default",)),
        logs.Entry(2, "ALTER PIPELINE p SET (checkpointEvery = 2)", "ann", "", "x", ("y",)),
        logs.Entry(3, "CREATE TABLE t (a int)", "ann", "", "groundswell", ("p",)),
        logs.Entry(4, "CREATE MATERIALIZED VIEW groundswell.p.v AS SELECT 1 AS a FROM u, t",
                   "ann", "", "spark_catalog", ("de`f",)),
    ]  # fmt: skip
    assert script("p", entries).splitlines() == [
        f"{MADE};",
        "ALTER PIPELINE p SET (checkpointEvery = 2);",
        USE,
        "CREATE TABLE t (a int);",
        "USE `spark_catalog`.`de``f`;",
        "CREATE MATERIALIZED VIEW groundswell.p.v AS SELECT 1 AS a FROM u, t;",
    ]


def test_a_program_is_no_statement() -> None:
    with pytest.raises(ConfigurationError, match="pipeline p was made by a Python program"):
        script("p", [])
