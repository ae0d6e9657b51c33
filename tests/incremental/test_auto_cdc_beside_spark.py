"""AUTO CDC beside Spark 4.3's own: the same events give the same tables.

Spark reconciles each batch with the rows of before. It writes by ``MERGE``, which no table
of Spark's own takes; so the test does what that says: rows that were looked at go, and those that
came of them stay.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from groundswell.api.cdc import table_of
from groundswell.api.cdc_flow import ChangeFeed
from incremental import change_feeds as feeds

pytestmark = pytest.mark.rest
AUTO_CDC = "org.apache.spark.sql.pipelines.autocdc"
META, AUX = "__spark_autocdc_metadata", "__spark_autocdc_should_route_to_aux_table"
GONE = "__spark_autocdc_deleted_by_batch_id"
FEED = ChangeFeed(
    keys=["id", "part"],
    sequence_by="at",
    apply_as_deletes="op = 'D'",
    column_list=feeds.COLUMNS,
)


class Spark:
    """Spark's own AUTO CDC of the events of :mod:`change_feeds`."""

    def __init__(self, session: SparkSession, kind: int, tracked: list[str]) -> None:
        self.session = session
        jvm: Any = session._jvm
        try:
            jvm.java.lang.Class.forName(f"{AUTO_CDC}.Scd2ForeachBatchHandler")
        except Py4JJavaError:
            pytest.skip("this Spark has no AUTO CDC")
        self.classes: Any = jvm
        for name in AUTO_CDC.split("."):
            self.classes = getattr(self.classes, name)
        some, none = jvm.scala.Option.apply, jvm.scala.Option.empty
        include = self.inner("ColumnSelection$IncludeColumns")
        args = self.classes.ChangeArgs(
            self.names(feeds.KEYS),
            F.col("at")._jc,
            getattr(self.inner(f"ScdType$Type{kind}$"), "MODULE$"),
            some(F.expr("op = 'D'")._jc),
            some(include(self.names(feeds.COLUMNS))),
            some(include(self.names(tracked))) if tracked else none(),
        )
        type_ = jvm.org.apache.spark.sql.types.DataType.fromJson('"long"')
        self.processor = getattr(self.classes, f"Scd{kind}BatchProcessor")(args, type_)

    def inner(self, name: str) -> Any:
        return getattr(self.classes, name)

    def names(self, columns: Any) -> Any:
        jvm: Any = self.session._jvm
        found = [self.classes.UnqualifiedColumnName(name) for name in columns]
        return jvm.org.apache.spark.api.python.PythonUtils.toSeq(found)

    def frame(self, of_java: Any) -> DataFrame:
        return DataFrame(of_java, self.session)


class History(Spark):
    """The two tables of type 2."""

    def __init__(self, session: SparkSession, tracked: list[str]) -> None:
        super().__init__(session, 2, tracked)
        jvm: Any = session._jvm
        name = jvm.org.apache.spark.sql.catalyst.TableIdentifier
        self.handler = self.classes.Scd2ForeachBatchHandler(
            self.processor, name("cdc_aux"), name("cdc_target")
        )
        rows = session.createDataFrame([], feeds.SCHEMA).drop("at", "op")
        nothing = F.lit(None).cast("bigint")
        meta = F.struct(nothing.alias("__RECORD_START_AT")).alias(META)
        rows = rows.select("*", nothing.alias("__START_AT"), nothing.alias("__END_AT"), meta)
        self.target: list[Any] = []
        self.aux: list[Any] = []
        self.schema, self.batch = rows.schema, 0

    def apply(self, events: DataFrame) -> Any:
        target = self.session.createDataFrame(self.target, self.schema)
        target.createOrReplaceTempView("cdc_target")
        aux = self.session.createDataFrame(self.aux, self.schema)
        aux.withColumn(GONE, F.lit(None).cast("bigint")).createOrReplaceTempView("cdc_aux")
        found = self.handler.reconcileMicrobatch(events._jdf, self.batch)
        made = self.frame(found.reconciledAndRoutedDf()).collect()
        self.target = self.without(self.target, found.affectedRowsFromTargetTable())
        self.aux = self.without(self.aux, found.affectedRowsFromAuxiliaryTable())
        for row in made:
            values = [row[name] for name in self.schema.names]
            begins, ends = row["__START_AT"], row["__END_AT"]
            if row[AUX]:
                self.aux.append(values)
            elif row[META][0] is not None and (ends is None or begins < ends):
                self.target.append(values)
        self.batch += 1
        return feeds.shown(self.session.createDataFrame(self.target, self.schema).drop(META))

    def without(self, rows: list[Any], affected: Any) -> list[Any]:
        def place(row: Any) -> tuple[Any, ...]:
            return row[0], row[1], row[-1][0]

        gone = {place([r[n] for n in self.schema.names]) for r in self.frame(affected).collect()}
        return [row for row in rows if place(row) not in gone]


def batches(random: Random) -> list[list[feeds.Event]]:
    """Events in any order, one for each key and sequence; some come twice."""
    found: dict[tuple[Any, ...], feeds.Event] = {}
    for event in feeds.random_events(random, 160, 60):
        if event["op"] != "T":
            found.setdefault((event["id"], event["part"], event["at"]), event)
    events = [*found.values(), *random.sample(list(found.values()), 10)]
    random.shuffle(events)
    return [events[i::4] for i in range(4)]


@pytest.mark.parametrize("tracked", [[], ["name"]])
def test_history_equals_that_of_spark(session: SparkSession, tracked: list[str]) -> None:
    seed = 7
    spark = History(session, tracked)
    so_far: list[feeds.Event] = []
    for batch in batches(Random(seed)):
        so_far += batch
        theirs = spark.apply(session.createDataFrame(batch, feeds.SCHEMA))
        history = replace(FEED, stored_as_scd_type=2, track_history_column_list=tracked)
        ours = table_of(session.createDataFrame(so_far, feeds.SCHEMA), history)
        assert feeds.shown(ours) == theirs, (seed, spark.batch)


def test_newest_rows_equal_those_of_spark(session: SparkSession) -> None:
    """All events in one batch, which Spark then merges into an empty table."""
    seed = 8
    spark = Spark(session, 1, [])
    events = [event for batch in batches(Random(seed)) for event in batch]
    frame = session.createDataFrame(events, feeds.SCHEMA)
    kept = spark.frame(spark.processor.deduplicateMicrobatch(frame._jdf))
    theirs = kept.where("NOT coalesce(op = 'D', false)").select(*feeds.COLUMNS)
    ours = table_of(frame, FEED)
    assert feeds.shown(ours) == feeds.shown(theirs), seed
