"""Sources and functions: what is meant, what is refused, and that nothing is written before."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, pandas_udf, udf

import groundswell as gs
from incremental.files import put
from incremental.harness import Changelog, Table, Upserts, assert_view_equals_batch, bag, started


def test_python_functions_run_inside_views(session: SparkSession, tmp_path: Path) -> None:
    people = Upserts(session, tmp_path, "people", "id bigint, name string, age int", "id")

    @udf("string")
    def shout(text: str | None) -> str | None:
        return None if text is None else text.upper() + "!"

    @pandas_udf("long")
    def doubled(ages: pd.Series) -> pd.Series:
        return ages * 2

    def query(frame: Any) -> Any:
        return (
            frame.where(doubled("age") > 10)
            .select(shout("name").alias("loud"), "age")
            .groupBy("loud")
            .agg({"age": "sum"})
        )

    running = started(query(people.source()), tmp_path / "c")
    try:
        for rows in (
            [
                {"id": 1, "name": "a", "age": 9},
                {"id": 2, "name": "a", "age": 7},
                {"id": 3, "name": "b", "age": 1},
            ],
            [{"id": 1, "name": "b", "age": 9}, {"id": 2, "gone": True}],
        ):
            people.put(rows)
            people.snapshots.append(list(people.rows))
            running.processAllAvailable()
            assert_view_equals_batch(running.view(), query(people.batch()))
    finally:
        running.stop()


@pytest.mark.rest
def test_a_changelog_that_contradicts_its_table_ends_the_query(
    session: SparkSession, tmp_path: Path
) -> None:
    ledger = Changelog(session, tmp_path, "ledger", "account string, amount int", "account")
    running = started(ledger.source(), tmp_path / "c")
    ledger.put([{"_change_type": "insert", "account": "ann", "amount": 1}])
    running.processAllAvailable()
    ledger.rows = [{"account": "bob", "amount": 2}]
    ledger.put([{"_change_type": "delete", "account": "bob", "amount": 2}])
    with pytest.raises(gs.InconsistentChangelog, match=r"ledger.*bob"):
        running.processAllAvailable()
    assert isinstance(running.exception(), gs.InconsistentChangelog)
    assert bag(running.view()) == Counter({("ann", 1): 1})


@pytest.mark.rest
def test_a_query_that_a_contradiction_ended_goes_on_where_it_is_tolerated(
    session: SparkSession, tmp_path: Path
) -> None:
    ledger = Changelog(session, tmp_path, "ledger", "account string, amount int", "account")
    ledger.put([{"_change_type": "insert", "account": "ann", "amount": 1}])
    ledger.rows = [{"account": "ann", "amount": 1}, {"account": "bob", "amount": 2}]
    ledger.put([{"_change_type": "delete", "account": "bob", "amount": 2}])
    running = started(ledger.source(), tmp_path / "c")
    with pytest.raises(gs.InconsistentChangelog, match='inconsistent="tolerate"'):
        running.processAllAvailable()
    tolerated = gs.changelog(ledger.stream(), "account", inconsistent="tolerate", name="ledger")
    running = started(tolerated, tmp_path / "c")
    try:
        running.processAllAvailable()
        assert bag(running.view()) == Counter({("ann", 1): 1})
        (normalize,) = [o for o in running.lastProgress["operators"] if o["op"] == "normalize"]
        assert normalize["contradictions"] == 1
    finally:
        running.stop()
    with pytest.raises(gs.SourceError, match="needs key="):
        gs.changelog(ledger.stream(), inconsistent="tolerate")
    with pytest.raises(gs.SourceError, match="'ignore'"):
        gs.changelog(ledger.stream(), "account", inconsistent="ignore")


def test_a_keyless_changelog_feeds_aggregates(session: SparkSession, tmp_path: Path) -> None:
    ledger = Changelog(session, tmp_path, "ledger", "account string, amount int", None)
    running = started(ledger.source().groupBy("account").sum("amount"), tmp_path / "c")
    ledger.put([{"_change_type": "insert", "account": "a", "amount": 1}] * 2)
    ledger.put([{"_change_type": "delete", "account": "a", "amount": 1}])
    running.processAllAvailable()
    running.stop()
    assert bag(running.view()) == Counter({("a", 1): 1})


@pytest.mark.rest
def test_unnamed_sources_get_stable_names(session: SparkSession, tmp_path: Path) -> None:
    def frame() -> Any:
        for name in ("left", "right"):
            (tmp_path / name).mkdir(exist_ok=True)
        left, right = (
            session.readStream.schema("id bigint, w int").json(str(tmp_path / name))
            for name in ("left", "right")
        )
        return left.union(right)

    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "1.json").write_text('{"id": 1, "w": 1}\n')
    for _ in range(2):
        query = started(frame(), tmp_path / "c", availableNow=True)
        query.awaitTermination()
    assert query.view().count() == 1
    assert {p.name for p in (tmp_path / "c/sources").iterdir()} == {"source_1", "source_2"}


def test_a_name_given_to_readstream_is_kept(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"id": 1, "w": 1}\n')
    conf = "spark.sql.streaming.queryEvolution.enableSourceEvolution"
    session.conf.set(conf, "true")
    try:
        stream = session.readStream.name("mine").schema("id bigint, w int")
        frame = gs.upserts(stream.json(str(tmp_path / "in")), key="id")
        query = started(frame, tmp_path / "c", availableNow=True)
        query.awaitTermination()
    finally:
        session.conf.unset(conf)
    assert query.lastProgress["sources"] == {"mine": 1}
    assert {p.name for p in (tmp_path / "c/sources").iterdir()} == {"mine"}


@pytest.mark.rest
def test_a_streaming_frame_used_twice_is_one_source(session: SparkSession, tmp_path: Path) -> None:
    votes = Table(session, tmp_path, "votes", "id bigint, w int")
    frame = votes.stream()
    votes.put([{"id": 1, "w": 1}, {"id": 2, "w": 1}])
    query = started(
        frame.alias("a")
        .join(frame.alias("b"), col("a.w") == col("b.w"))
        .select(col("a.id").alias("x"), col("b.id").alias("y")),
        tmp_path / "c",
        availableNow=True,
    )
    query.awaitTermination()
    assert query.view().count() == 4
    assert query.lastProgress["sources"] == {"source_1": 2}


@pytest.mark.rest
def test_where_a_row_was_read_is_told_by_metadata(session: SparkSession, tmp_path: Path) -> None:
    people = Table(session, tmp_path, "people", "id bigint, name string")
    source = people.stream()
    with pytest.raises(
        gs.NotIncremental, match=r"input_file_name\(\): .* select _metadata.file_path"
    ):
        started(source.selectExpr("id", "input_file_name() f"), tmp_path / "refused")
    assert not (tmp_path / "refused").exists()

    running = started(source.selectExpr("id", "_metadata.file_name f"), tmp_path / "c")
    try:
        for number in range(2):
            people.put([{"id": 2 * number, "name": "a"}, {"id": 2 * number + 1, "name": "b"}])
            running.processAllAvailable()
        found = {row.id: row.f for row in running.view().collect()}
    finally:
        running.stop()
    files = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert set(found) == {0, 1, 2, 3}
    assert found[0] == found[1] != found[2] == found[3]
    assert set(found.values()) <= files


def test_bad_sources_are_refused_when_they_are_made(session: SparkSession, tmp_path: Path) -> None:
    votes = Table(session, tmp_path, "votes", "id bigint, w int, m map<string,int>").stream()
    batch = session.createDataFrame([(1, 2)], "id bigint, w int")
    for call, says in (
        (lambda: gs.upserts(votes, key=()), "needs a key"),
        (lambda: gs.upserts(votes, key="no"), "key column 'no' is not there; the columns are id"),
        (lambda: gs.upserts(votes, key="m"), "type map cannot be keys"),
        (lambda: gs.upserts(batch, key="id"), "needs a streaming DataFrame"),
        (lambda: gs.upserts(votes, key="id", delete="w"), "must be boolean, it is int"),
        (lambda: gs.upserts(votes, key="id", delete="x > 1"), "does not fit the columns"),
        (lambda: gs.upserts(votes, key="id", name="a b"), "letters, digits and underscores"),
        (lambda: gs.changelog(votes, key="id"), "needs a string column _change_type"),
        (lambda: gs.upserts(votes.select("id", "w", "ID"), key="id"), "several columns"),
    ):
        with pytest.raises(gs.SourceError, match=says):
            call()


@pytest.mark.rest
def test_nothing_is_written_before_all_is_checked(session: SparkSession, tmp_path: Path) -> None:
    votes = Table(session, tmp_path, "votes", "id bigint, w int")
    frame, home = votes.source(), tmp_path / "c"
    other = Table(session, tmp_path / "votes", "votes", "id bigint, w int").source()

    def pipeline(**options: Any) -> gs.Pipeline:
        return gs.pipeline(session, str(home), **options)

    for call, error, says in (
        (
            lambda: frame.incremental().writeStream.toView("v"),
            gs.ConfigurationError,
            "checkpointLocation",
        ),
        (lambda: started(frame, home, "a b"), gs.SourceError, "view name"),
        (lambda: started(frame, home, continuous="1 second"), gs.ConfigurationError, "trigger"),
        (lambda: pipeline().start(), gs.ConfigurationError, "no view"),
        (
            lambda: pipeline().view("a", frame).view("a", frame),
            gs.ConfigurationError,
            "two views are named 'a'",
        ),
        (
            lambda: pipeline().view("a", frame).view("b", other).start(),
            gs.SourceError,
            "two different sources are named 'votes'",
        ),
        (lambda: pipeline(retainEpochs=0), gs.ConfigurationError, "retainEpochs"),
        (
            lambda: pipeline().view("a", frame.select("id", col("w").alias("ID"))),
            gs.ConfigurationError,
            "several columns named",
        ),
        (
            lambda: (
                frame.incremental()
                .writeStream.format("kafak")
                .option("checkpointLocation", str(home))
                .toView("v")
            ),
            gs.ConfigurationError,
            "did you mean 'kafka'",
        ),
        (
            lambda: gs.read_view(session, str(home), "a"),
            gs.ConfigurationError,
            "not the checkpointLocation of any view",
        ),
    ):
        with pytest.raises(error, match=says):
            call()
    assert not home.exists()


def test_a_location_is_used_once(session: SparkSession, tmp_path: Path) -> None:
    votes = Table(session, tmp_path, "votes", "id bigint, w int")
    plain = (
        votes.stream()
        .writeStream.format("noop")
        .trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "plain"))
        .start()
    )
    plain.awaitTermination()
    votes.put([{"id": 1, "w": 1}])
    plain = (
        votes.stream()
        .writeStream.format("noop")
        .trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "plain"))
        .start()
    )
    plain.awaitTermination()
    with pytest.raises(gs.ConfigurationError, match="checkpoint of another streaming query"):
        started(votes.source(), tmp_path / "plain")
    running = started(votes.stream(), tmp_path / "c")
    try:
        with pytest.raises(gs.ConfigurationError, match="is in use by"):
            started(votes.stream(), tmp_path / "c")
    finally:
        running.stop()


@pytest.mark.rest
def test_the_status_is_told_from_the_location(session: SparkSession, tmp_path: Path) -> None:
    """Of a start that has nothing to read, and of a query that has ended."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", "id bigint, w int")
    p.view("counts", table.df.groupBy("w").count())
    query = p.start()
    assert query.status["epoch"] is None
    assert query.status["views"]["counts"] == {"state": "running", "epoch": None, "rows": 0}
    table.insert(session.createDataFrame([(1, 1), (2, 1), (3, 2)], "id bigint, w int"))
    query.processAllAvailable()
    epoch = query.status["epoch"]
    there = {"state": "running", "epoch": epoch, "rows": 2}
    assert query.status["views"]["counts"] == there
    query.stop()
    stopped = {**there, "state": "stopped"}
    assert query.status["views"]["counts"] == stopped
    query = p.start()
    assert (query.status["epoch"], query.status["views"]["counts"]) == (epoch, there)
    assert f"running, epoch {epoch}" in repr(query)
    query.stop()
    assert query.status["views"]["counts"] == stopped


@pytest.mark.rest
def test_the_handle_tells_what_is_going_on(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    votes = Table(session, tmp_path, "votes", "id bigint, w int")
    query = started(votes.stream().groupBy("w").count(), tmp_path / "c")
    assert query.lastProgress is None
    assert "before its first epoch" in repr(query)
    votes.put([{"id": 1, "w": 1}])
    query.processAllAvailable()
    assert query.isActive
    assert query.status["epoch"] == 0
    assert query.lastProgress["sources"] == {"source_1": 1}
    assert "<th" in query._repr_html_()
    query.explain()
    assert "Aggregate by (w) (count(1))" in capsys.readouterr().out
    assert query.awaitTermination(1) is False
    query.stop()
    assert query.awaitTermination() is None
    assert query.exception() is None
    assert "stopped, epoch 0" in repr(query)


@pytest.mark.rest
def test_sources_that_differ_in_a_constant_alone_are_read_apart(
    session: SparkSession, tmp_path: Path
) -> None:
    """How files are read is kept by what a plan says, in which ``#1`` may be a value."""
    folder = tmp_path / "in"
    for number in range(3):
        rows = session.range(5).selectExpr("id", "concat('#', id % 3) AS tag")
        put(rows, tmp_path / "out", folder, number, "parquet")
    reader = session.readStream.schema("id bigint, tag string").option("maxFilesPerTrigger", 1)
    shown = ["#1", "#2"]

    def query(frame: Any, tag: str) -> Any:
        return frame.selectExpr("id", f"concat(tag, '{tag}') AS both", f"tag = '{tag}' AS same")

    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    for tag in shown:
        rows = query(reader.parquet(str(folder)), tag)
        pipeline.view(f"v{tag[1:]}", gs.appends(rows, name=f"t{tag[1:]}"))
    run = pipeline.start(availableNow=True)
    run.awaitTermination()
    for tag in shown:
        batch = query(session.read.parquet(str(folder)), tag)
        assert_view_equals_batch(run.view(f"v{tag[1:]}"), batch, tag)
