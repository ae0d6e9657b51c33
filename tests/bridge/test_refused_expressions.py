"""What depends on when or where it is computed is refused by name; what only looks so is not."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from bridge.flows import describe
from cases import first_of

CLOCK = "its value changes while no row does"
WAY_ROUND = "WHERE (column > now() - INTERVAL 1 HOUR"
KEY = "'0000111122223333'"


@pytest.fixture(scope="module")
def session(_contexts: Any, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """With a stream ``t``, variables and functions of SQL that hold special words.

    One for all tests, as none changes it: they only ask what a query is.
    """
    session = _contexts.get({}).newSession()
    session.conf.set("spark.sql.timeType.enabled", "true")
    schema = "id long, name string, ts timestamp, at time, day date, names array<string>"
    stream = session.readStream.schema(schema).json(str(tmp_path_factory.mktemp("rows")))
    placeholder = session._jvm.io.groundswell.spark.views.entry.Placeholders.of(stream._jdf, None)
    DataFrame(placeholder, session).createOrReplaceTempView("t")
    session.sql("DECLARE VARIABLE word STRING DEFAULT 'today'")
    session.sql("DECLARE VARIABLE fine STRING DEFAULT '2024-01-01'")
    session.sql("CREATE TEMPORARY FUNCTION word_of_day() RETURNS STRING RETURN 'today'")
    session.sql("CREATE TEMPORARY FUNCTION low(x STRING) RETURNS STRING RETURN lower(x)")
    session.sql("CREATE TEMPORARY FUNCTION stamp(x STRING) RETURNS TIMESTAMP RETURN timestamp(x)")
    return session


def refused(session: SparkSession, query: str) -> dict[str, str]:
    """What is refused of a query over the stream ``t``, and why."""
    return {r.what: r.why for r in describe(session.sql(query)).refusals}


@pytest.mark.parametrize(
    ("expression", "what"),
    first_of(
        [
            ("CAST(lower('TODAY') AS DATE)", "CAST(lower('TODAY') AS DATE)"),
            ("CAST(reverse('yadot') AS DATE)", "CAST(reverse('yadot') AS DATE)"),
            ("CAST(concat('12', ':30') AS TIMESTAMP)", "CAST(concat('12', ':30') AS TIMESTAMP)"),
            ("CAST(at AS TIMESTAMP)", "CAST(t.at AS TIMESTAMP)"),
            ("CAST(at AS TIMESTAMP_NTZ)", "CAST(t.at AS TIMESTAMP_NTZ)"),
            ("CAST(TIME'10:00' AS TIMESTAMP)", "CAST(TIME '10:00:00' AS TIMESTAMP)"),
            (
                "CAST(CAST('now' AS VARCHAR(5)) AS TIMESTAMP)",
                "CAST(CAST('now' AS STRING) AS TIMESTAMP)",
            ),
            ("CAST((SELECT '12:30') AS TIMESTAMP)", "CAST('12:30' AS TIMESTAMP)"),
            ("try_cast('Tomorrow ' AS DATE)", "TRY_CAST('Tomorrow ' AS DATE)"),
            ("date_add('yesterday', 1)", "CAST('yesterday' AS DATE)"),
            ("DATE'today'", "DATE '"),
            ("TIMESTAMP'now'", "TIMESTAMP '"),
            ("TIMESTAMP'12:30'", "TIMESTAMP '"),
            ("to_date('now')", "to_date('now')"),
            ("curdate()", "current_date()"),
            ("unix_timestamp()", "current_timestamp()"),
            ("current_time()", "current_time("),
        ]
    ),
)
def test_a_clock_is_refused_however_it_is_said(
    session: SparkSession, expression: str, what: str
) -> None:
    for query in (
        f"SELECT {expression} x FROM t",
        f"SELECT max({expression}) x FROM t",
        f"WITH c AS (SELECT {expression} x, id FROM t) SELECT * FROM c a JOIN c b USING (id)",
        f"SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE {expression} IS NOT NULL)",
    ):
        found = refused(session, query)
        assert found and all(CLOCK in why for why in found.values()), (query, found)
        assert any(name.startswith(what) for name in found), (query, found)


@pytest.mark.parametrize(
    ("expression", "what"),
    first_of(
        [
            ("CAST(array(at) AS ARRAY<TIMESTAMP>)", "array(t.at)"),
            ("CAST(word AS DATE)", "CAST(variablereference(system.session.word="),
            ("CAST(word_of_day() AS DATE)", "CAST(CAST('today' AS STRING) AS DATE)"),
            ("stamp('12:30')", "CAST(CAST('12:30' AS STRING) AS TIMESTAMP)"),
            ("try_cast((SELECT 'today') AS DATE)", "TRY_CAST('today' AS DATE)"),
            ("CAST(array('12:30') AS ARRAY<TIMESTAMP>)", "array('12:30')"),
            ("CAST(low('12:30') AS TIMESTAMP)", "CAST(CAST(lower(CAST('12:30' AS STRING))"),
        ]
    ),
)
def test_a_clock_is_found_in_variables_functions_and_subqueries(
    session: SparkSession, expression: str, what: str
) -> None:
    found = refused(session, f"SELECT {expression} x FROM t")
    assert found and all(CLOCK in why for why in found.values()), found
    assert any(name.startswith(what) for name in found), found


def test_a_clock_in_a_comparison_is_refused(session: SparkSession) -> None:
    query = "SELECT id FROM t WHERE ts < CAST(lower('NOW') AS TIMESTAMP)"
    assert refused(session, query).keys() == {"CAST(lower('NOW') AS TIMESTAMP)"}
    query = "SELECT id FROM t, (SELECT '12:30' w) WHERE ts < w"
    assert refused(session, query).keys() == {"CAST('12:30' AS TIMESTAMP)"}
    query = "WITH c AS (SELECT '12:30' w) SELECT id FROM t, c WHERE ts < w"
    assert refused(session, query).keys() == {"CAST('12:30' AS TIMESTAMP)"}


@pytest.mark.parametrize(
    "expression",
    first_of(
        [
            "CAST('now' AS VARCHAR(5))",  # a word
            "CAST(name AS DATE)",  # in a column Spark knows no special words
            "CAST(name AS TIMESTAMP)",
            "CAST('epoch' AS DATE)",  # special, and the same for all clocks
            "CAST('epoch' AS TIMESTAMP)",
            "DATE'epoch'",
            "DATE'2024-01-01'",
            "TIMESTAMP'2024-01-01 12:30'",
            "CAST(concat('2024-01-01', ' 12:30') AS TIMESTAMP)",
            "CAST(fine AS DATE)",
            "to_timestamp('12:30', 'HH:mm')",
            "to_time('12:30')",
            "TIME'12:30'",
            "make_timestamp(day, at)",
            "try_cast('25:99' AS TIMESTAMP)",
            "try_cast(array('today') AS ARRAY<DATE>)",  # null: special only where all is cast
            "try_cast('12:30' AS TIMESTAMP_NTZ)",  # null: no zone, no day
            "current_timezone()",
            "current_user()",
            "transform(names, x -> upper(x))",
        ]
    ),
)
def test_what_is_the_same_at_all_times_is_kept(session: SparkSession, expression: str) -> None:
    assert refused(session, f"SELECT {expression} x FROM t") == {}


def test_chance_is_refused_however_it_is_said(session: SparkSession) -> None:
    for vector in ("unhex('')", "CAST(substr('x', 1, 0) AS BINARY)", "''"):
        query = f"SELECT aes_encrypt(name, {KEY}, 'CBC', 'DEFAULT', {vector}) c FROM t"
        (why,) = refused(session, query).values()
        assert "without an initialization vector" in why
    for query in ("randstr(3)", "uniform(1, 3)", "shuffle(names)", "monotonically_increasing_id()"):
        (why,) = refused(session, f"SELECT {query} x FROM t").values()
        assert "whenever it is computed" in why
    (why,) = refused(session, "SELECT input_file_name() f FROM t").values()
    assert "_metadata.file_path" in why


REFUSED = """
    aes_encrypt curdate current_date current_time current_timestamp input_file_block_length
    input_file_block_start input_file_name java_method kll_sketch_merge_bigint
    kll_sketch_merge_double kll_sketch_merge_float localtime localtimestamp
    monotonically_increasing_id now rand randn random randstr reflect shuffle
    spark_partition_id try_reflect uniform unix_timestamp uuid
""".split()
"""Functions of which an example, as Spark documents them, must be refused."""


@pytest.mark.rest
def test_all_examples_of_all_functions_are_judged(spark: SparkSession) -> None:
    """Nothing is unknown, and what is refused is what is meant to be."""
    jvm = spark._jvm
    session = spark.newSession()
    conf = session._jsparkSession.sessionState().conf()
    refusals = jvm.io.groundswell.spark.views.capture.refuse.Refusals
    unknown, refused, tried = [], set(), set()
    for function, query in _examples(session):
        try:
            plan = session.sql(query)._jdf.queryExecution().analyzed()
        except (PySparkException, Py4JJavaError):  # some examples show errors, or are no queries
            continue
        tried.add(function)
        for refusal in refusals.of([plan], conf):
            refused.add(function)
            if "nothing is known" in refusal.why():
                unknown.append((function, refusal.what()))
    assert unknown == []
    assert sorted(refused) == REFUSED
    assert len(tried) > 400


def _examples(session: SparkSession) -> Iterator[tuple[str, str]]:
    registry = getattr(
        session._jvm.org.apache.spark.sql.catalyst.analysis, "FunctionRegistry$"
    ).__getattr__("MODULE$")
    builtin = registry.builtin()
    names = builtin.listFunction()
    for i in range(names.size()):
        info = builtin.lookupFunction(names.apply(i)).get()
        for query in re.findall(r"^\s*> (SELECT .*?);\s*$", info.getExamples(), re.M | re.S):
            yield info.getName(), query


def test_the_clock_s_refusal_names_the_ways_round(session: SparkSession) -> None:
    (why,) = refused(session, "SELECT id, now() FROM t").values()
    assert CLOCK in why and WAY_ROUND in why and "store the time in the source's rows" in why
