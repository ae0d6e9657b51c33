"""``gs.testing.view_test`` and what runs files of tests."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of
from groundswell.errors import ConfigurationError
from groundswell.testing.running import run
from groundswell.testing.yaml_files import read_tests

VOTES = {"votes": "story BIGINT, user STRING, PRIMARY KEY (story, user)"}
COUNTS = "SELECT story, count(*) AS n FROM votes GROUP BY story"


def test_a_view_is_looked_at_after_each_step(session: SparkSession) -> None:
    gs.testing.view_test(
        COUNTS,
        spark=session,
        tables=VOTES,
        given={"votes": [(1, "ann"), (1, "bob"), (2, "ann")]},
        expect=[(2, 1), (1, 2)],
        changes=[
            {"delete": {"votes": [(1, "bob")]}, "expect": [{"story": 1, "n": 1}, (2, 1)][1:]
             + [(1, 1)]},
            {"delete": {"votes": [{"story": "2", "user": "ann"}]},
             "upsert": {"votes": [(1, "eve")]}, "expect": [{"n": 2}]},
        ],
    )  # fmt: skip


@pytest.mark.rest
def test_what_differs_is_an_assertion_error_with_a_table(session: SparkSession) -> None:
    with pytest.raises(AssertionError) as failed:
        gs.testing.view_test(
            COUNTS,
            spark=session,
            tables=VOTES,
            given={"votes": [(1, "ann")]},
            expect=[(1, 1)],
            changes=[{"insert": {"votes": [(2, "bob")]}, "expect": [(1, 1), (3, 1)]}],
        )
    assert str(failed.value) == (
        "the view of the query is not as expected\n"
        "after change 1: 1 missing, 1 unexpected, 1 as expected\n"
        "             | story | n\n"
        "  -----------+-------+--\n"
        "  unexpected | 2     | 1\n"
        "  missing    | 3     | 1"
    )


@pytest.mark.rest
def test_a_dataframe_and_its_window_close(session: SparkSession) -> None:
    """After a step its own watermark counts: no row need come only to bring a barrier."""

    def per_minute(clicks: DataFrame) -> object:
        window = F.window("at", "1 minute")
        counted = clicks.groupBy(window).count()
        return counted.select(F.col("window.start").alias("s"), "count").incremental(  # type: ignore[operator]
            emit="window_close"
        )

    gs.testing.view_test(
        per_minute,
        spark=session,
        tables={"clicks": "id INT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL 5 SECONDS"},
        given={"clicks": [(1, "2024-01-01 10:00:10")]},
        expect=[],
        changes=[
            {"insert": {"clicks": [(2, "2024-01-01 10:00:59")]}, "expect": []},
            {"insert": {"clicks": [(3, "2024-01-01 10:01:05")]},
             "expect": [("2024-01-01 10:00:00", 2)]},
            {"insert": {"clicks": [(4, "2024-01-01 10:00:30")]},
             "expect": [("2024-01-01 10:00:00", 2)]},
        ],
    )  # fmt: skip


SHOP = """
CREATE PIPELINE shop LOCATION '/nowhere/shop';
CREATE SOURCE orders (id BIGINT PRIMARY KEY, customer BIGINT, amount DOUBLE NOT NULL)
WITH (connector = 'kafka', topic = 'orders', "kafka.bootstrap.servers" = 'nowhere:9092')
FORMAT UPSERT ENCODE JSON;
CREATE TABLE customers (id BIGINT PRIMARY KEY, name STRING);
CREATE MATERIALIZED VIEW revenue AS
SELECT c.name, sum(o.amount) AS total FROM orders o JOIN customers c ON o.customer = c.id
GROUP BY c.name;
CREATE MATERIALIZED VIEW best AS SELECT name, total FROM revenue WHERE total > 10;
"""
TESTS = """
sql: shop.sql
tests:
  - name: of orders
    view: best
    given:
      customers: [[1, ann], [2, bob]]
      orders:
        - {id: 1, customer: 1, amount: 10.5}
        - {id: 2, customer: 2, amount: 1}
    expect: [[ann, 10.5]]
    changes:
      - upsert: {orders: [{id: 2, customer: 2, amount: 11}]}
        delete: {orders: [[1]]}
        expect: [{name: bob}]
  - name: of given revenue
    view: best
    given:
      revenue: [[ann, 10], [bob, 11]]
    expect: [[bob, 11]]
  - name: one that fails
    view: revenue
    given: {customers: [[1, ann]], orders: []}
    expect: [[ann, 0]]
  - name: no rows at all
    view: revenue
    given: {}
    expect: []
"""


def test_views_of_a_file_of_statements(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "shop.sql").write_text(SHOP)
    (tmp_path / "shop.yml").write_text(TESTS)
    found = {case.name: run(session, case).text for case in read_tests(tmp_path / "shop.yml")}
    assert found["of orders"] == found["of given revenue"] == found["no rows at all"] == ""
    assert "missing | ann  | 0.0" in found["one that fails"]


FEED = """
CREATE TABLE feed (id int, name string, version int, op string) APPEND ONLY;
CREATE FLOW f AS AUTO CDC INTO staff FROM STREAM(feed)
  KEYS (id) APPLY AS DELETE WHEN op = 'DELETE' SEQUENCE BY version COLUMNS * EXCEPT (op, version);
CREATE MATERIALIZED VIEW known (CONSTRAINT named EXPECT (name IS NOT NULL) ON VIOLATION DROP ROW)
AS SELECT id, name FROM staff;
"""


@pytest.mark.rest
def test_change_feeds_and_expectations_of_a_file(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "staff.sql").write_text(FEED)
    gs.testing.view_test(
        "known",
        spark=session,
        sql=str(tmp_path / "staff.sql"),
        given={"feed": [(1, "Ann", 2, "PUT"), (2, None, 1, "PUT")]},
        expect=[(1, "Ann")],
        changes=[
            {"insert": {"feed": [(1, "An", 1, "PUT"), (2, "Bob", 2, "PUT")]},
             "expect": [(1, "Ann"), (2, "Bob")]},
            {"insert": {"feed": [(1, None, 3, "DELETE")]}, "expect": [(2, "Bob")]},
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    first_of(
        [
            (
                "query: SELECT nope FROM t\n    given: {t: [[1]]}",
                r"t.yml:4: the view of the query: .UNRESOLVED.*nope",
            ),
            (
                "query: SELECT a FROM t\n    given: {t: [[x]]}",
                r"t.yml:5: table t: 'x' is not a valid int",
            ),
            (
                "query: SELECT a FROM t\n    given: {t: [{b: 1}]}",
                r"t.yml:5: table t: there is no colu",
            ),
            (
                "query: SELECT 1 AS a\n    given: {t: [[1]]}",
                r"t.yml:5: the view of the query does not read t, which has rows: read it, or",
            ),
            ("query: SELECT rand() AS a FROM t\n    given: {t: [[1]]}", r"t.yml:4: .*rand"),
            ("query: SELECT a, a FROM t", r"t.yml:4: view view has several columns named a"),
            ("query: SELECT a FROM tt", r"t.yml:4: .* no table or view 'tt'. Did you mean 't'"),
            ("query: SELECT id FROM typo", r"t.yml:1: table typo: .*Unsupported data type .BIGNT"),
            ("query: SELECT 1/a b FROM t\n    given: {t: [[0]]}", r"t.yml:5: .*DIVIDE_BY_ZERO"),
            (
                "query: SELECT id FROM k\n    given: {k: [{user: a}]}",
                r"t.yml:5: table k: 1 row has",
            ),
            (
                "query: SELECT a FROM t\n    changes:\n      - {delete: {t: [[1]]}}",
                r"t.yml:6: table t has no key.* or PRIMARY KEY in SQL",
            ),
            (
                "query: SELECT id FROM k\n    changes:\n      - delete: {k: [{id: 1}]}",
                r"t.yml:6: table k has the columns id, user; the rows lack user: they have id$",
            ),
        ]
    ),
)
def test_a_wrong_test_is_one_line(
    session: SparkSession, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "t.yml").write_text(
        "tables: {t: a INT, typo: id BIGNT, k: 'id INT, user STRING, PRIMARY KEY (id, user)'}\n"
        f"tests:\n  - name: x\n    {text}\n    expect: []\n"
    )
    (case,) = read_tests(tmp_path / "t.yml")
    with pytest.raises(gs.GroundswellError, match=told) as refused:
        run(session, case)
    assert isinstance(refused.value, gs.NotIncremental) or "\n" not in str(refused.value)


@pytest.mark.rest
def test_a_parameter_that_is_no_table(session: SparkSession) -> None:
    with pytest.raises(ConfigurationError, match="parameter nope is not a table; there are votes"):
        gs.testing.view_test(
            lambda nope: nope, spark=session, tables=VOTES, given={}, expect=[]
        )  # fmt: skip
