"""What is computed of a stream before it becomes a source: it runs in every batch, by Spark."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of
from incremental.harness import Table, bag


def run_once(session: SparkSession, location: Path, frame: DataFrame) -> DataFrame:
    run = gs.pipeline(session, str(location)).view("v", frame).start(availableNow=True)
    run.awaitTermination()
    return run.view("v")


def test_a_subquery_in_a_source_is_asked_anew_in_every_batch(
    session: SparkSession, tmp_path: Path
) -> None:
    rows = Table(session, tmp_path, "rows", "id bigint").as_parquet()
    (tmp_path / "limits").mkdir()
    limit = tmp_path / "limits" / "limit.json"
    limit.write_text('{"most": 0}')
    session.read.schema("most int").json(str(limit.parent)).createOrReplaceTempView("limits")
    asked = rows.stream().withColumn("most", F.expr("(select max(most) from limits)"))
    run = gs.pipeline(session, str(tmp_path / "c")).view("v", gs.appends(asked)).start()
    for number in range(3):
        limit.write_text(f'{{"most": {number}}}')
        rows.put([{"id": number}])
        run.processAllAvailable()
    assert set(bag(run.view("v"))) == {(0, 0), (1, 1), (2, 2)}
    run.stop()


@pytest.mark.rest
def test_another_query_below_a_watermark_is_another_source(
    session: SparkSession, tmp_path: Path
) -> None:
    events = Table(session, tmp_path, "events", "at timestamp, kind string")
    events.put([{"at": "2024-01-01T00:00:00Z", "kind": kind} for kind in "ab"])

    def marked(kind: str) -> DataFrame:
        stream = events.stream().where(F.col("kind") == kind).withWatermark("at", "1 hour")
        return gs.appends(stream, name="events").groupBy("kind").count()

    assert set(bag(run_once(session, tmp_path / "c", marked("a")))) == {("a", 1)}
    with pytest.raises(
        gs.DefinitionChanged, match=r"(?s)below its watermark:\n +- .*'a'.*\n +\+ .*'b'"
    ):
        run_once(session, tmp_path / "c", marked("b"))
    run_once(session, tmp_path / "c", marked("a"))


@pytest.mark.rest
def test_a_source_of_more_or_fewer_streams_is_another_source(
    session: SparkSession, tmp_path: Path
) -> None:
    """A stream that Spark knows by another name would be read again from its beginning."""
    one, two = (Table(session, tmp_path, name, "id bigint") for name in ("one", "two"))
    one.put([{"id": 1}])
    two.put([{"id": 2}])
    single, both = one.stream(), one.stream().union(two.stream())
    for name, first, other, says in (
        ("single", single, both, "it read s and reads s_1, s_2"),
        ("both", both, single, "it read s_1, s_2 and reads s"),
    ):
        before = bag(run_once(session, tmp_path / name, gs.appends(first, name="s")))
        with pytest.raises(gs.DefinitionChanged, match=f"source s: {says}"):
            run_once(session, tmp_path / name, gs.appends(other, name="s"))
        assert bag(run_once(session, tmp_path / name, gs.appends(first, name="s"))) == before


@pytest.mark.rest
def test_streams_without_a_name_keep_their_order(session: SparkSession, tmp_path: Path) -> None:
    one, two = (Table(session, tmp_path, name, "id bigint") for name in ("one", "two"))
    one.put([{"id": 1}])
    two.put([{"id": 2}])

    def alone(*tables: Table) -> DataFrame:
        first, second = (table.stream() for table in tables)
        return first.union(second)

    def within(*tables: Table) -> DataFrame:
        return gs.appends(alone(*tables), name="s")

    for query, name in ((alone, "source_1"), (within, "s")):
        location = tmp_path / query.__name__
        run_once(session, location, query(one, two))
        says = f"source {name}: it read .*/one.* and reads .*/two"
        with pytest.raises(gs.DefinitionChanged, match=says):
            run_once(session, location, query(two, one))
        assert bag(run_once(session, location, query(one, two))) == {(1,): 1, (2,): 1}
    named = gs.appends(one.stream(), name="source_1"), gs.appends(two.stream(), name="source_2")
    found = run_once(session, tmp_path / "alone", named[0].union(named[1]))
    assert bag(found) == {(1,): 1, (2,): 1}


@pytest.mark.rest
def test_a_watermark_may_spell_its_column_in_another_case(
    session: SparkSession, tmp_path: Path
) -> None:
    events = Table(session, tmp_path, "events", "at timestamp, kind string")
    events.put([{"at": "2024-01-01T00:00:00Z", "kind": "a"}])
    counted = events.stream().withWatermark("AT", "1 hour").groupBy("kind").count()
    assert set(bag(run_once(session, tmp_path / "c", counted))) == {("a", 1)}


@pytest.mark.parametrize(
    ("setting", "value", "function"),
    first_of(
        [
            ("spark.sql.jsonGenerator.ignoreNullFields", "false", "to_json(struct(id, tag))"),
            ("spark.sql.columnNameOfCorruptRecord", "bad", "from_json(tag, 'id int, bad string')"),
        ]
    ),
)
def test_a_setting_that_functions_read_is_part_of_the_definition(
    session: SparkSession, tmp_path: Path, setting: str, value: str, function: str
) -> None:
    rows = Table(session, tmp_path, "rows", "id bigint, tag string")
    rows.put([{"id": 1, "tag": None}])
    texts = rows.source().selectExpr(f"{function} t").groupBy("t").count()
    run_once(session, tmp_path / "c", texts)
    session.conf.set(setting, value)
    try:
        with pytest.raises(gs.DefinitionChanged, match=f"setting {setting} is new"):
            run_once(session, tmp_path / "c", texts)
    finally:
        session.conf.unset(setting)
    run_once(session, tmp_path / "c", texts)


@pytest.mark.rest
def test_a_setting_may_be_set_to_its_own_default(session: SparkSession, tmp_path: Path) -> None:
    setting = "spark.sql.jsonGenerator.ignoreNullFields"
    rows = Table(session, tmp_path, "rows", "id bigint, tag string")
    rows.put([{"id": 1, "tag": None}])
    texts = rows.source().selectExpr("to_json(struct(id, tag)) t").groupBy("t").count()
    run_once(session, tmp_path / "c", texts)
    session.conf.set(setting, "TRUE")
    try:
        run_once(session, tmp_path / "c", texts)
    finally:
        session.conf.unset(setting)
    run_once(session, tmp_path / "c", texts)


@pytest.mark.rest
def test_of_a_key_in_arrays_of_several_files_the_last_counts(
    session: SparkSession, tmp_path: Path
) -> None:
    """Spark reads the larger file first."""
    lists = Table(session, tmp_path, "lists", "rows array<struct<id: bigint, v: bigint>>")
    lists.put([{"rows": [{"id": 1, "v": 1}]}])
    lists.put([{"rows": [{"id": n, "v": 2} for n in range(300)]}])
    source = gs.upserts(lists.stream().selectExpr("inline(rows)"), key="id")
    found = run_once(session, tmp_path / "c", source.where("id < 3"))
    assert set(bag(found)) == {(0, 2), (1, 2), (2, 2)}


def test_the_first_rows_of_a_stream_are_those_of_the_query_over_it(
    session: SparkSession, tmp_path: Path
) -> None:
    """Spark puts a limit above the tag that tells the rows of sources apart."""
    rows = Table(session, tmp_path, "rows", "id bigint")
    rows.put([{"id": number} for number in range(5)])
    with pytest.raises(gs.SourceError, match=r"gs\.appends cannot take the first rows .* leave"):
        gs.appends(rows.stream().limit(3).where("id > 0"))
    assert sum(bag(run_once(session, tmp_path / "c", rows.source().limit(3))).values()) == 3
    few = session.range(1, 9).limit(2)
    joined = gs.appends(rows.stream().join(few, "id"))
    assert set(bag(run_once(session, tmp_path / "d", joined))) == {(1,), (2,)}
