"""What Python is told of a query."""

from pathlib import Path

import pyspark.sql.functions as F
import pytest
from pyspark.sql import DataFrame, SparkSession

from bridge.flows import describe, nodes, ops
from groundswell import jvm
from groundswell.contract.capture.grouped import AggregateNode, LimitNode, SortNode
from groundswell.contract.capture.nodes import EvaluateNode, JoinNode, PlaceholderNode
from groundswell.contract.capture.plan import SourceWatermark
from groundswell.jvm.capture import Capture


@pytest.fixture
def t(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """A streaming frame, also a temp view."""
    frame = spark.readStream.schema(
        "id long, k int, d decimal(10,2), name string, ts timestamp"
    ).json(str(tmp_path))
    frame.createOrReplaceTempView("t")
    return frame


def test_join_aggregate_and_top_n_in_one_query(spark: SparkSession, t: DataFrame) -> None:
    query = spark.sql("""
        SELECT a.name, count(DISTINCT b.id) c, sum(b.d) FILTER (WHERE b.k > 1) s
        FROM t a JOIN t b ON a.id = b.k AND a.d < b.d
        GROUP BY a.name ORDER BY c DESC, a.name LIMIT 3""")
    plan = describe(query)
    assert ops(plan)[:4] == ["limit", "local_limit", "sort", "aggregate"]
    (limit,), (sort,) = nodes(plan, LimitNode), nodes(plan, SortNode)
    assert limit.limit == 3
    assert [(o.ascending, o.nulls_first) for o in sort.order] == [(False, False), (True, True)]
    (aggregate,) = nodes(plan, AggregateNode)
    calls = {call.fn: call for call in aggregate.calls}
    assert calls["count"].distinct and not calls["sum"].distinct
    assert calls["sum"].filter is not None
    assert calls["sum"].filter.type == "boolean"
    assert calls["sum"].type == "decimal(20,2)"
    assert all(g.plain for g in aggregate.grouping)
    (join,) = nodes(plan, JoinNode)
    assert join.join_type == "INNER"
    assert [k.sql for k in join.left_keys + join.right_keys] == ["a.id", "CAST(b.k AS BIGINT)"]
    assert join.residual is not None
    assert join.residual.whole.sql == "(a.d < b.d)"
    read = {node.source for node in nodes(plan, PlaceholderNode)}
    assert read == {plan.sources[0].key}, "a self-joined source is one source"


def test_many_distinct_aggregates_stay_one_aggregate(t: DataFrame) -> None:
    plan = describe(t.groupBy("k").agg(F.countDistinct("id"), F.countDistinct("name")))
    assert "expand" not in ops(plan)
    (aggregate,) = nodes(plan, AggregateNode)
    assert [call.distinct for call in aggregate.calls] == [True, True]


def test_equal_aggregate_calls_are_one(spark: SparkSession, t: DataFrame) -> None:
    plan = describe(spark.sql("SELECT k, sum(id) a, sum(id) + 1 b FROM t GROUP BY k"))
    (aggregate,) = nodes(plan, AggregateNode)
    assert len(aggregate.calls) == 1
    assert [c.name for c in aggregate.output] == ["k", "a", "b"]
    assert aggregate.results[1].refs == (aggregate.calls[0].out,)


def test_limits_stay_above_joins(spark: SparkSession, t: DataFrame) -> None:
    plan = describe(spark.sql("SELECT * FROM t a LEFT JOIN t b ON a.id = b.id LIMIT 5"))
    order = ops(plan)
    assert "local_limit" not in order[order.index("join") :]


def test_subqueries_over_placeholders_become_joins(spark: SparkSession, t: DataFrame) -> None:
    placeholder = DataFrame(
        spark._jvm.io.groundswell.spark.views.entry.Placeholders.of(t._jdf, None), spark
    )
    placeholder.createOrReplaceTempView("s")
    plan = describe(spark.sql("SELECT * FROM s WHERE id IN (SELECT k FROM s WHERE k > 3)"))
    assert [node.join_type for node in nodes(plan, JoinNode)] == ["LEFT SEMI"]
    assert len(plan.sources) == 1


def test_python_functions_are_their_own_nodes(t: DataFrame) -> None:
    plus = F.udf(lambda x: x + 1, "long")
    plan = describe(t.select(plus("id").alias("y")).where("y > 3"))
    assert "evaluate" in ops(plan)
    udfs = [udf for node in nodes(plan, EvaluateNode) for udf in node.udfs]
    assert udfs and all(udf.expr.deterministic for udf in udfs)


def test_what_the_optimiser_would_hide_is_refused(spark: SparkSession, t: DataFrame) -> None:
    query = spark.sql("SELECT now() n, current_date() d, rand() r, uuid() u FROM t")
    found = {refusal.what for refusal in describe(query).refusals}
    assert len(found) == 4 and "now()" in found
    special = """SELECT ts, to_date('now') d, to_timestamp('12:30', 'HH:mm') e FROM t
        WHERE ts < ' Today' AND date('epoch') < ts AND ts > '12:30' AND ts > '2024-01-01 12:30'"""
    found = {refusal.what for refusal in describe(spark.sql(special)).refusals}
    assert found == {
        "CAST(' Today' AS TIMESTAMP)",
        "CAST('12:30' AS TIMESTAMP)",
        "to_date('now')",
    }
    watermarked = describe(t.withWatermark("ts", "1 second").groupBy("ts").count())
    assert watermarked.refusals == ()
    assert watermarked.sources[0].watermark == SourceWatermark("ts", 1000)
    above = describe(t.groupBy("ts").count().withWatermark("ts", "1 second"))
    assert [r.what for r in above.refusals] == ["withWatermark(ts)"]
    assert describe(t.select("id")).refusals == ()


def test_what_is_drawn_by_chance_is_refused_though_catalyst_does_not_say_so(
    spark: SparkSession, t: DataFrame
) -> None:
    t.createOrReplaceTempView("t")
    key = "'0000111122223333'"
    sketch = "kll_sketch_agg_bigint(id)"
    drawn = [
        f"SELECT aes_encrypt(name, {key}) c FROM t",
        f"SELECT hex(aes_encrypt(name, {key}, 'CBC', 'DEFAULT', '')) c FROM t",
        f"SELECT kll_sketch_merge_bigint({sketch}, {sketch}) c FROM t",
    ]
    for query in drawn:
        (refusal,) = describe(spark.sql(query)).refusals
        assert "could not be taken back" in refusal.why, query
    told = [
        f"SELECT aes_encrypt(name, {key}, 'ECB') c FROM t",
        f"SELECT aes_encrypt(name, {key}, 'CBC', 'DEFAULT', unhex('{16 * '00'}')) c FROM t",
        f"SELECT aes_encrypt(name, {key}, 'CBC', 'DEFAULT', cast(name AS BINARY)) c FROM t",
    ]
    for query in told:
        assert describe(spark.sql(query)).refusals == (), query


def test_several_queries_share_ids_and_tell_whose_refusal_it_is(
    spark: SparkSession, t: DataFrame
) -> None:
    from groundswell import jvm

    plan = jvm.Capture([t.select("id"), t.select(F.rand())]).description
    ids = [node.id for node in plan.nodes]
    assert len(set(ids)) == len(ids) and len(plan.roots) == 2
    assert [r.query for r in plan.refusals] == [1]
    assert len(plan.sources) == 1


def test_a_source_keeps_the_name_its_user_gave(spark: SparkSession, tmp_path: Path) -> None:
    try:
        spark.conf.set("spark.sql.streaming.queryEvolution.enableSourceEvolution", "true")
        named = spark.readStream.name("orders").schema("id long").json(str(tmp_path))
    finally:
        spark.conf.unset("spark.sql.streaming.queryEvolution.enableSourceEvolution")
    assert [s.name for s in describe(named).sources] == ["orders"]


def test_a_batch_frame_is_no_source(spark: SparkSession) -> None:
    with pytest.raises(Exception, match="must be a streaming DataFrame"):
        spark._jvm.io.groundswell.spark.views.entry.Placeholders.of(spark.range(3)._jdf, None)


def test_a_setting_that_is_set_to_its_own_default_is_none(
    spark: SparkSession, tmp_path: Path
) -> None:
    key = "spark.sql.legacy.timeParserPolicy"
    session = spark.newSession()
    frame = session.readStream.schema("id long").json(str(tmp_path))
    before = describe(frame).pinned
    assert key not in before
    session.conf.set(key, str(session.conf.get(key)))
    assert describe(frame).pinned == before
    session.conf.set(key, "LEGACY")
    assert describe(frame).pinned == {**before, key: "LEGACY"}


def rules_run(spark: SparkSession, *queries: DataFrame) -> int:
    """How many rules of optimisers a capture runs."""
    meter = spark._jvm.org.apache.spark.sql.catalyst.rules.RuleExecutor
    meter.resetMetrics()
    Capture(queries)
    return meter.getCurrentMetrics().numRuns()


def test_a_query_is_optimised_once_however_often_it_is_captured(
    spark: SparkSession, t: DataFrame
) -> None:
    query, other = t.groupBy("k").agg(F.sum("id")), t.where("k > 1").groupBy("k").count()
    first = rules_run(spark, query)
    assert first > 50
    assert rules_run(spark, query) == 0, "as a start does what a view was declared with"
    both = rules_run(spark, query, other)
    assert both > 50
    assert rules_run(spark, query, other) == 0
    assert rules_run(spark, query, query) == first, "twice in one plan it needs nodes of its own"
    assert describe(query) == describe(query)


def test_a_query_over_what_stands_for_a_source_is_optimised_once(
    spark: SparkSession, t: DataFrame
) -> None:
    query = jvm.placeholder(t)[1].where("k > 2").groupBy("k").agg(F.max("id"))
    assert rules_run(spark, query) > 50
    assert rules_run(spark, query) == 0
    described = describe(query)
    assert describe(query) == described
    assert rules_run(spark, query, query) > 50, "twice in one plan it needs nodes of its own"


def test_other_settings_or_the_time_have_a_query_optimised_again(
    spark: SparkSession, t: DataFrame
) -> None:
    query = t.selectExpr("CAST(ts AS string) s")
    assert rules_run(spark, query) > 50
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    assert rules_run(spark, query) > 50
    assert describe(query).pinned["timezone"] == "Asia/Tokyo"
    now = t.selectExpr("ts < current_timestamp() c")
    assert rules_run(spark, now) > 50
    assert rules_run(spark, now) > 50
