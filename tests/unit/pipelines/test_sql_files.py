"""Statements of projects; pure."""

import pytest

from groundswell.api.cdc_flow import ChangeFeed
from groundswell.errors import GroundswellError
from groundswell.pipelines.sql_files import read_statements, reads, says_stream


def test_statements_are_read_up_to_their_queries() -> None:
    text = """-- a; comment
    CREATE MATERIALIZED VIEW IF NOT EXISTS a.v COMMENT 'x AS y' PARTITIONED BY (d)
      TBLPROPERTIES ('k' = 'v') AS SELECT 'a;b' AS c FROM t;
    CREATE STREAMING TABLE s;
    CREATE TEMPORARY VIEW w AS WITH c AS (SELECT 1) SELECT * FROM c;
    CREATE FLOW f AS INSERT INTO s BY NAME SELECT * FROM STREAM t
    """
    made = list(read_statements(text, "x.sql"))
    assert [(m.kind, m.name, m.flow) for m in made] == [
        ("materialized view", "a.v", ""),
        ("streaming table", "s", ""),
        ("temporary view", "w", ""),
        (None, "s", "f"),
    ]
    assert made[0].query == "SELECT 'a;b' AS c FROM t"
    assert made[1].query == ""
    assert made[3].query == "SELECT * FROM STREAM t"
    assert made[2].place == "x.sql, line 5"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT 1", "x.sql, line 1: SELECT is not supported"),
        ("CREATE TABLE t (a int)", "CREATE TABLE is not supported"),
        ("CREATE MATERIALIZED VIEW v (a, b) AS SELECT 1, 2", "lists its columns"),
        ("CREATE MATERIALIZED VIEW v", "expected AS and a query"),
        ("CREATE FLOW f AS AUTO CDC INTO t", "expected FROM, but the statement ends"),
        ("CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM(s)", r"expected KEYS \(\.\.\.\)"),
        ("CREATE MATERIALIZED VIEW t FLOW AUTO CDC FROM s KEYS (a)", "expected AS and a query"),
        ("CREATE FLOW f AS INSERT INTO t SELECT 1", "expected BY"),
        ("CREATE MATERIALIZED VIEW v AS SELECT 'a", "is not closed"),
    ],
)
def test_what_files_cannot_have(text: str, said: str) -> None:
    with pytest.raises(GroundswellError, match=said):
        list(read_statements(text, "x.sql"))


def test_change_feeds_are_read_as_streams() -> None:
    text = """CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS (a) SEQUENCE BY b;
              CREATE STREAMING TABLE u COMMENT 'x' FLOW AUTO CDC FROM STREAM(s) KEYS (a)
                SEQUENCE BY b STORED AS SCD TYPE 2"""
    one, two = read_statements(text, "x.sql")
    assert (one.kind, one.name, one.flow) == (None, "t", "f")
    assert (two.kind, two.name, two.flow) == ("streaming table", "u", "")
    assert one.query == two.query == "SELECT * FROM STREAM(s)"
    assert (one.feed, two.feed) == (
        ChangeFeed(("a",), "b"),
        ChangeFeed(("a",), "b", stored_as_scd_type=2),
    )


def test_how_a_query_reads_datasets() -> None:
    query = "SELECT a.x FROM STREAM(s) JOIN db.t ON s.id = t.id JOIN STREAM u WHERE 'v' = x"
    assert reads(query, {"s", "t", "u", "v", "w"}) == {"s": True, "t": False, "u": True}
    assert reads("SELECT * FROM STREAM(c.d.s)", {"s"}) == {"s": True}
    assert says_stream("SELECT * FROM stream(x)")
    assert not says_stream("SELECT 'stream' FROM streams")
