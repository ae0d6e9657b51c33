"""Batch queries that views answer: which, equal to Spark's own rows, and why others are not."""

import gc
import re
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import groundswell as gs
from conftest import ROOT
from groundswell.errors import EngineError
from groundswell.jvm.errors import JavaPackage
from groundswell.sql.executor import REGISTRY
from groundswell.sql.pipelines import SqlPipeline
from incremental.harness import PLAIN, confs_of

USE, ROUNDING = "spark.groundswell.useViews", "spark.groundswell.useViews.rounding"

MADE = (
    """CREATE TABLE sales (id int PRIMARY KEY, shop int, kind string, v bigint, d decimal(10, 2),
         f double, at timestamp)""",
    "CREATE TABLE shops (shop int PRIMARY KEY, city string)",
    """CREATE MATERIALIZED VIEW totals AS
         SELECT shop, kind, count(*) AS n, count(v) AS nv, sum(v) AS s, min(v) AS low,
                max(d) AS high, sum(d) AS sd, avg(d) AS mean, count(DISTINCT v) AS u
         FROM sales GROUP BY shop, kind""",
    "CREATE MATERIALIZED VIEW rough AS "
    "SELECT shop, kind, sum(f) AS s FROM sales GROUP BY shop, kind",
    "CREATE MATERIALIZED VIEW dear AS SELECT id, shop, v, v * 2 AS twice FROM sales WHERE v > 5",
    """CREATE MATERIALIZED VIEW placed AS
         SELECT s.id, s.shop, s.v, h.city FROM sales s JOIN shops h ON s.shop = h.shop""",
    """CREATE MATERIALIZED VIEW optional AS
         SELECT s.id, s.v, s.shop, h.city FROM sales s LEFT JOIN shops h ON s.shop = h.shop""",
    "CREATE MATERIALIZED VIEW cities AS SELECT city, sum(v) AS s FROM placed GROUP BY city",
    """CREATE MATERIALIZED VIEW several AS
         SELECT shop, count(*) AS n FROM sales GROUP BY shop HAVING count(*) > 1""",
    "CREATE MATERIALIZED VIEW whole AS SELECT count(*) AS n, max(v) AS high FROM sales",
    "CREATE MATERIALIZED VIEW both AS "
    "SELECT shop, v FROM sales UNION ALL SELECT shop, 0 FROM shops",
    "CREATE MATERIALIZED VIEW days AS "
    "SELECT date(at) AS day, sum(v) AS s FROM sales GROUP BY date(at)",
    """INSERT INTO sales VALUES
         (1, 1, 'a', 3, 1.5, 0.1, TIMESTAMP '2026-01-01 10:00:00'),
         (2, 1, 'b', 7, 2.5, 0.2, TIMESTAMP '2026-01-01 23:00:00'),
         (3, 2, 'a', 9, 3.25, 0.3, TIMESTAMP '2026-01-02 01:00:00'),
         (4, 2, 'a', 9, null, null, TIMESTAMP '2026-02-02 01:00:00'),
         (5, 3, null, null, 1.0, 1e300, null), (6, null, 'a', 8, 0, -1e300, null)""",
    "INSERT INTO shops VALUES (1, 'Rome'), (2, 'Oslo'), (4, 'Riga')",
    "FLUSH",
)

ANSWERED = [
    # the whole query, and its columns in another order
    ("SELECT shop, kind, count(*) AS n, sum(v) AS s FROM sales GROUP BY shop, kind", "totals"),
    ("SELECT sum(v), kind, avg(d) AS m, shop FROM sales GROUP BY kind, shop", "totals"),
    ("SELECT shop, kind, count(DISTINCT v) FROM sales GROUP BY shop, kind", "totals"),
    ("SELECT shop + 1, sum(v) + count(*) FROM sales GROUP BY shop, kind", "totals"),
    # larger groups
    (
        "SELECT shop, count(*), count(v), sum(v), min(v), max(d), sum(d) FROM sales GROUP BY shop",
        "totals",
    ),
    ("SELECT kind, shop % 2, sum(v) FROM sales GROUP BY kind, shop % 2", "totals"),
    ("SELECT count(v), min(v), sum(d) FROM sales", "totals"),
    ("SELECT count(v), sum(v) FROM sales WHERE shop = 77", "totals"),
    ("SELECT DISTINCT kind FROM sales", "totals"),
    ("SELECT month(date(at)), sum(v) FROM sales GROUP BY month(date(at))", "days"),
    # conditions on what is grouped by, before and after
    ("SELECT kind, sum(v) FROM sales WHERE shop = 1 AND kind <> 'x' GROUP BY kind", "totals"),
    ("SELECT shop, sum(v) AS s FROM sales GROUP BY shop HAVING sum(v) > 8", "totals"),
    (
        "SELECT * FROM (SELECT shop, kind, sum(v) s FROM sales GROUP BY shop, "
        "kind) WHERE shop IN (1, 2)",
        "totals",
    ),
    # more conditions, computed columns
    ("SELECT id, v * 2 FROM sales WHERE v > 5", "dear"),
    ("SELECT id, (v * 2) + 1 FROM sales WHERE v > 7 AND shop = 2", "dear"),
    ("SELECT id FROM sales WHERE v = 9", "dear"),
    ("SELECT id FROM sales WHERE v IN (7, 9)", "dear"),
    ("SELECT shop, max(v) FROM sales WHERE v >= 6 GROUP BY shop", "dear"),
    # joins, and more inputs than the view has
    ("SELECT city, v FROM shops h, sales s WHERE h.shop = s.shop AND v > 3", "placed"),
    (
        "SELECT a.city, b.city FROM (SELECT s.v, city FROM sales s JOIN shops "
        "USING (shop)) a JOIN shops b ON a.v = b.shop",
        "placed",
    ),
    (
        "SELECT city, n FROM (SELECT shop, count(*) n FROM sales GROUP BY shop) "
        "JOIN shops USING (shop)",
        "totals",
    ),
    ("SELECT id, city FROM sales s LEFT JOIN shops h ON s.shop = h.shop", "optional"),
    (
        "SELECT v, city FROM sales s LEFT JOIN shops h ON s.shop = h.shop WHERE s.shop = 1",
        "optional",
    ),
    ("SELECT v FROM sales s LEFT JOIN shops h ON s.shop = h.shop WHERE city IS NULL", "optional"),
    # views that read views
    ("SELECT city, sum(v) FROM sales s JOIN shops h ON s.shop = h.shop GROUP BY city", "cities"),
    ("SELECT city, sum(v) FROM placed GROUP BY city", "cities"),
    # groups that are left out, one group, unions
    ("SELECT shop FROM sales GROUP BY shop HAVING count(*) > 1", "several"),
    ("SELECT shop FROM sales GROUP BY shop HAVING count(*) > 1 AND shop < 2", "several"),
    ("SELECT max(v), count(*) FROM sales", "whole"),
    ("SELECT shop, v FROM sales UNION ALL SELECT shop, 0 FROM shops", "both"),
    # parts of a query
    (
        "WITH t AS (SELECT shop, sum(v) s FROM sales GROUP BY shop) SELECT a.s, "
        "b.s FROM t a JOIN t b ON a.shop = b.shop + 1",
        "totals",
    ),
    ("SELECT id FROM sales WHERE v > (SELECT min(v) FROM sales)", "whole|totals"),
    ("SELECT shop, sum(v) s FROM sales GROUP BY shop ORDER BY s DESC LIMIT 1", "totals"),
]

OTHERS = [
    ("SELECT shop, avg(v) FROM sales GROUP BY shop", "totals", "avg"),
    (
        "SELECT shop, avg(d) FROM sales GROUP BY shop",
        "totals",
        "not a function of its values over smaller",
    ),
    (
        "SELECT shop, count(DISTINCT v) FROM sales GROUP BY shop",
        "totals",
        "distinct values of groups",
    ),
    (
        "SELECT shop, sum(v) FROM sales WHERE v > 5 GROUP BY shop",
        "totals",
        "v .* is not a function of what the view",
    ),
    ("SELECT shop, max(v) FROM sales GROUP BY shop, kind", "totals", "no column max"),
    ("SELECT id FROM sales WHERE v > 4", "dear", "only the rows with .*v.* > 5"),
    ("SELECT id FROM sales WHERE v > 5 OR shop = 1", "dear", "only the rows with"),
    ("SELECT id FROM sales WHERE v IN (5, 9)", "dear", "only the rows with"),
    ("SELECT id, kind FROM sales WHERE v > 5", "dear", "no column kind"),
    ("SELECT count(*) FROM sales WHERE shop = 1", "whole", "has one row"),
    (
        "SELECT shop, count(*) FROM sales GROUP BY shop HAVING count(*) > 0",
        "several",
        "only the rows|leaves out groups",
    ),
    (
        "SELECT city FROM sales s LEFT JOIN shops h ON s.shop = h.shop AND s.v > 3",
        "optional",
        "another condition",
    ),
    (
        "SELECT s.v, h.city FROM sales s LEFT JOIN (SELECT * FROM shops WHERE "
        "city > 'P') h ON s.shop = h.shop",
        "optional",
        "side of an outer join",
    ),
    ("SELECT h.city FROM sales s FULL JOIN shops h ON s.shop = h.shop", "optional", "Join"),
]


def conf(session: SparkSession, **values: object) -> AbstractContextManager[None]:
    """Settings, for as long as the block lasts."""
    return confs_of(session, {name: str(value) for name, value in values.items()})


def rows(session: SparkSession, query: str) -> list[str]:
    """Of a query that runs once: both sides interpret it, what views keep was compiled."""
    with confs_of(session, PLAIN):
        return sorted(str(tuple(row)) for row in session.sql(query).collect())


def plan(session: SparkSession, query: str) -> str:
    return str(session.sql(f"EXPLAIN {query}").head()[0])


def used(session: SparkSession, query: str) -> list[str]:
    """The views that a query reads by the rule, as EXPLAIN says."""
    return re.findall(r"BatchScan groundswell\.p\.(\w+) \(UseViews\)", plan(session, query))


def reasons(session: SparkSession, query: str) -> dict[str, str]:
    return {
        each.view.removeprefix("p."): each.reason for each in gs.explain_rewrite(session.sql(query))
    }


@pytest.fixture
def pipeline(session: SparkSession, tmp_path: Path) -> SqlPipeline:
    """Pipeline p with what ``MADE`` makes, started once."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    found = REGISTRY.find(session, "p")
    assert found is not None
    found.eager = False
    session.sql("USE groundswell.p")
    for text in MADE:
        session.sql(text)
    found.eager = True
    return found


@pytest.mark.rest
@pytest.mark.usefixtures("pipeline")
def test_queries_that_views_answer_have_the_rows_that_spark_computes(
    session: SparkSession,
) -> None:
    for query, view in ANSWERED:
        own = rows(session, query)
        with conf(session, **{USE: True}):
            assert {*used(session, query)} & {*view.split("|")}, (query, reasons(session, query))
            assert rows(session, query) == own, query
    for query, view, why in OTHERS:
        own, found = rows(session, query), reasons(session, query)
        assert re.search(why, found[view]), (query, found)
        with conf(session, **{USE: True}):
            assert view not in used(session, query), query
            assert rows(session, query) == own, query
    _settings_of_the_session(session)
    _rounding(session)
    _epochs(session)
    _global_aggregates_without_rows(session)


def test_a_query_is_answered_from_a_view_if_the_session_asks_for_it(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, k int, v bigint)")
    session.sql("CREATE MATERIALIZED VIEW sums AS SELECT k, sum(v) AS s FROM t GROUP BY k")
    session.sql("INSERT INTO t VALUES (1, 1, 3), (2, 1, 4), (3, 2, 5)")
    session.sql("FLUSH")
    query = "SELECT k % 2 AS odd, sum(v) AS s FROM t WHERE k > 0 GROUP BY k % 2"
    assert used(session, query) == []  # off unless asked for
    shown = session.sql(f"EXPLAIN REWRITE {query}").collect()
    assert [tuple(row) for row in shown] == [("p.sums", True, "")]
    with conf(session, **{USE: True}):
        assert used(session, query) == ["sums"]
        assert rows(session, query) == ["(0, 5)", "(1, 7)"]
        assert used(session, "SELECT k, avg(v) FROM t GROUP BY k") == []
    with conf(session, **{USE: "perhaps"}), pytest.raises(PySparkException) as raised:
        session.sql(query).collect()
    assert f"{USE} must be true or false, got 'perhaps'" in str(raised.value)


def _settings_of_the_session(session: SparkSession) -> None:
    query = "SELECT date(at), sum(v) FROM sales GROUP BY date(at)"
    for setting, value in (
        ("spark.sql.session.timeZone", "Asia/Tokyo"),
        ("spark.sql.ansi.enabled", "false"),
        ("spark.sql.caseSensitive", "true"),
    ):
        with conf(session, **{USE: True, setting: value}):
            assert used(session, query) == []
            assert "the session's settings are" in reasons(session, query)["days"]


def _rounding(session: SparkSession) -> None:
    """Sums of doubles have other last digits in another order, here all of them."""
    query = "SELECT shop, kind, sum(f) FROM sales GROUP BY shop, kind"
    assert "rounded in the order" in reasons(session, query)["rough"]
    with conf(session, **{USE: True, ROUNDING: True}):
        assert used(session, query) == ["rough"]
        assert "order of additions" in reasons(session, query.replace(", kind", ""))["rough"]


def _epochs(session: SparkSession) -> None:
    """A view answers for the epoch that the query reads, if it had this query then."""
    query = "SELECT shop, v * 2 FROM sales {} WHERE v > 5"
    old = session.sql("FLUSH").head()["epoch"]
    before = rows(session, query.format(""))
    session.sql("INSERT INTO sales (id, shop, v) VALUES (7, 7, 70)")
    session.sql(
        "CREATE OR REPLACE MATERIALIZED VIEW dear AS SELECT id, shop, v FROM sales WHERE v > 50"
    )
    session.sql("FLUSH")
    then = query.format(f"VERSION AS OF {old}")
    with conf(session, **{USE: True}):
        assert used(session, query.format("")) == []
        assert rows(session, then) == before
        assert used(session, then) == []
    assert "those of another query" in reasons(session, then)["dear"]
    newest = "SELECT shop FROM sales WHERE v > 60"
    with conf(session, **{USE: True}):
        assert used(session, newest) == ["dear"]
        assert rows(session, newest) == ["(7,)"]


def _global_aggregates_without_rows(session: SparkSession) -> None:
    session.sql("DELETE FROM sales")
    session.sql("FLUSH")
    for query in ("SELECT count(*), max(v) FROM sales", "SELECT count(v), sum(v) FROM sales"):
        own = rows(session, query)
        with conf(session, **{USE: True}):
            assert used(session, query)
            assert rows(session, query) == own == ["(0, None)"]


REFUSED = {
    "late": "table e has a watermark",
    "closed": "closed emits rows on window close",
    "kept": "kept has a ttl",
    "forgotten": "table old has a ttl",
    "diverting": "diverting has errors = 'divert'",
    "good": "good has an expectation that drops rows",
    "first": "depends on the order of rows",
    "recent": "asks what time it is",
    "ranked": "Window",
    "above": "good has an expectation that drops rows",
}


@pytest.mark.rest
def test_views_whose_rows_are_not_those_of_their_query_answer_nothing(
    session: SparkSession, tmp_path: Path
) -> None:
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    found = REGISTRY.find(session, "p")
    assert found is not None
    found.eager = False
    for text in (
        "USE groundswell.p",
        "CREATE TABLE e (id int PRIMARY KEY, at timestamp, "
        "WATERMARK FOR at AS at - INTERVAL 1 HOUR)",
        "CREATE TABLE t (id int PRIMARY KEY, k int, name string, at timestamp)",
        "CREATE TABLE old (id int PRIMARY KEY, k int) WITH (ttl = '1 hour')",
        "CREATE MATERIALIZED VIEW late AS SELECT id, hour(at) AS h FROM e WHERE id > 0",
        """CREATE MATERIALIZED VIEW closed AS SELECT window_start, count(*) AS n
             FROM TUMBLE(e, at, INTERVAL 1 MINUTE) GROUP BY window_start EMIT ON WINDOW CLOSE""",
        "CREATE MATERIALIZED VIEW kept WITH (ttl = '1 hour') AS SELECT id FROM t WHERE k > 0",
        "CREATE MATERIALIZED VIEW forgotten AS SELECT id FROM old WHERE k > 0",
        "CREATE MATERIALIZED VIEW diverting WITH (errors = 'divert') AS SELECT 1 / k AS q FROM t",
        """CREATE MATERIALIZED VIEW good (CONSTRAINT c EXPECT (k > 0) ON VIOLATION DROP ROW)
             AS SELECT k FROM t WHERE id > 0""",
        """CREATE MATERIALIZED VIEW counted (CONSTRAINT c EXPECT (k > 0))
             AS SELECT k, id FROM t WHERE id > 1""",
        "CREATE MATERIALIZED VIEW first AS SELECT k, first(name) AS f FROM t GROUP BY k",
        "CREATE MATERIALIZED VIEW recent AS SELECT id FROM t WHERE at > now() - INTERVAL 1 HOUR",
        "CREATE MATERIALIZED VIEW ranked AS SELECT id, rank() OVER (ORDER BY k) AS r FROM t",
        "CREATE MATERIALIZED VIEW above AS SELECT k + 1 AS l FROM good WHERE k > 1",
        "INSERT INTO t VALUES (1, 1, 'a', TIMESTAMP '2026-01-01 00:00:00'), (2, -1, 'b', null)",
        "INSERT INTO e VALUES (1, TIMESTAMP '2026-01-01 00:00:00')",
        "INSERT INTO old VALUES (1, 1)",
        "FLUSH",
    ):
        session.sql(text)
    told = {}
    for table in ("e", "t", "old", "good"):
        told |= reasons(session, f"SELECT * FROM {table}")
    for view, why in REFUSED.items():
        assert re.search(why, told[view]), (view, told)
    query = "SELECT k FROM t WHERE id > 1"
    with conf(session, **{USE: True}):
        assert used(session, query) == ["counted"]  # rows that do not meet an expectation stay
        assert rows(session, query) == ["(-1,)"]


def test_a_session_whose_optimizer_lacks_the_rule_says_what_to_do(session: SparkSession) -> None:
    with (
        conf(session, **{"spark.sql.optimizer.excludedRules": "io.groundswell.spark.sql.UseViews"}),
        pytest.raises(EngineError, match=r"start the session with gs\.configure\(\)"),
    ):
        gs.explain_rewrite(session.sql("SELECT 1 AS one"))


def test_a_text_is_no_query() -> None:
    with pytest.raises(gs.InvalidArgument, match=r"takes a query, as spark.sql\('...'\), got str"):
        gs.explain_rewrite("SELECT 1")  # type: ignore[arg-type]


@pytest.mark.rest
def test_the_page_is_right(session: SparkSession, tmp_path: Path) -> None:
    page = ROOT / "docs" / "how-to" / "use-views-in-queries.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    names = {"gs": gs, "spark": session, "location": str(tmp_path / "shop")}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.rest
def test_queries_of_views_leave_memory_with_the_view_and_with_the_pipeline(
    session: SparkSession, tmp_path: Path
) -> None:
    location = f"file:{tmp_path / 'q'}"
    with conf(session, **{USE: True}):
        session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'q'}'")
        session.sql("USE groundswell.p")
        session.sql("CREATE TABLE t (id int PRIMARY KEY, k int)")
        session.sql("CREATE MATERIALIZED VIEW ks AS SELECT k, count(*) AS n FROM t GROUP BY k")
        session.sql("CREATE MATERIALIZED VIEW ids AS SELECT id FROM t WHERE k > 1")
        session.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
        session.sql("FLUSH")
        query = "SELECT k, count(*) FROM t GROUP BY k"
        assert used(session, query) == ["ks"]
        assert left_in_memory(session, location, 2) == 2
        session.sql("DROP MATERIALIZED VIEW ids")
        assert left_in_memory(session, location, 1) == 1
        assert used(session, query) == ["ks"]
        session.sql("DROP PIPELINE p")
    assert left_in_memory(session, location, 0) == 0


def left_in_memory(session: SparkSession, location: str, expected: int) -> int:
    """How many queries of a pipeline's views the JVM has, once it has collected garbage."""
    queries = JavaPackage(session, "io.groundswell.spark.sql").ViewQueries
    for _ in range(20):
        gc.collect()
        JavaPackage(session, "java.lang").System.gc()
        found = int(queries.count(f"{location}#"))
        if found == expected:
            break
        time.sleep(0.1)
    return found
