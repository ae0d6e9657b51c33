"""Tables that people write to, upserts with conflict modes, and Debezium's envelopes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import Row, SparkSession

import groundswell as gs
from cases import first_of
from incremental.harness import Table, bag


def rows(location: Path, session: SparkSession, view: str) -> set[Any]:
    return set(bag(gs.read_view(session, str(location), view)))


def test_writes_are_taken_whole_and_survive_while_nothing_runs(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    columns = "id bigint, story bigint, note string"

    def pipeline() -> tuple[gs.Pipeline, gs.Table]:
        p = gs.pipeline(session, str(location))
        votes = p.table("votes", columns, key="id")
        p.view("counts", votes.df.groupBy("story").count())
        return p, votes

    p, votes = pipeline()
    votes.insert(session.createDataFrame([(i, i % 2, "x") for i in range(6)], columns))
    run = p.start()
    run.processAllAvailable()
    assert rows(location, session, "counts") == {(0, 3), (1, 3)}
    other = gs.table(session, str(location), "votes")  # as another process would
    other.upsert(session.createDataFrame([(1, 0, "y"), (9, 9, None)], columns))
    run.processAllAvailable()
    assert rows(location, session, "counts") == {(0, 4), (1, 2), (9, 1)}
    run.addView("notes", votes.df.where("note is not null").select("id", "note"))
    assert (1, "y") in rows(location, session, "notes"), "a table keeps all its columns"
    run.stop()
    votes.delete(session.createDataFrame([(0,), (2,), (77,)], "id bigint"))
    p, votes = pipeline()
    p.drop("notes").start(availableNow=True).awaitTermination()
    assert rows(location, session, "counts") == {(0, 2), (1, 2), (9, 1)}
    assert not list((location / "groundswell/tables/votes/staging").iterdir())


@pytest.mark.rest
def test_what_stands_for_rows_says_how_they_are_read(session: SparkSession, tmp_path: Path) -> None:
    """An empty result would pass for the rows of the table."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    votes = p.table("votes", "id bigint, story bigint", key="id")
    votes.insert([(1, 1)])
    feed = gs.appends(Table(session, tmp_path, "feed", "id bigint").stream())
    for frame, name in (
        (votes.df, "votes"),
        (votes.df.groupBy("story").count(), "votes"),
        (p.view("all", votes.df).read("all"), "all"),
        (feed, "a stream"),
    ):
        with pytest.raises(IllegalArgumentException, match=f"stands for {name} in queries of view"):
            frame.collect()
    p.start(availableNow=True).awaitTermination()
    with pytest.raises(gs.ConfigurationError, match=r"votes is a table.*its views are all"):
        gs.read_view(session, str(tmp_path / "c"), "votes")


@pytest.mark.rest
def test_several_version_columns_are_compared_in_their_order(
    session: SparkSession, tmp_path: Path
) -> None:
    columns = "id bigint, major int, minor int, s string"
    feed = Table(session, tmp_path, "feed", columns)
    p = gs.pipeline(session, str(tmp_path / "c"))
    kept = p.table("kept", columns, key="id", version=["major", "minor"])
    source = gs.upserts(feed.stream(), key="id", version=["major", "minor"], name="feed")
    run = p.view("t", kept.df).view("f", source).start()
    model: dict[int, tuple[Any, ...]] = {}
    chance = random.Random(7)

    def rank(row: tuple[Any, ...]) -> list[int]:
        return [-1 if value is None else value for value in row[1:3]]

    for _ in range(4):
        rows = [
            (chance.randrange(3), *chance.choices([None, 0, 1, 2], k=2), chance.choice("abc"))
            for _ in range(6)
        ]
        for row in rows:
            if row[0] not in model or rank(row) >= rank(model[row[0]]):
                model[row[0]] = row
        feed.put([dict(zip(("id", "major", "minor", "s"), row, strict=True)) for row in rows])
        kept.upsert(session.createDataFrame(rows, columns))
        run.processAllAvailable()
        for name in ("t", "f"):
            assert {tuple(r) for r in run.view(name).collect()} == set(model.values())
    with pytest.raises(gs.SourceError, match="add minor"):
        kept.delete(session.createDataFrame([(1, 9)], "id bigint, major int"))
    kept.delete(session.createDataFrame([(r[0], 9, 0) for r in model.values()], columns[:31]))
    run.processAllAvailable()
    assert run.view("t").isEmpty()
    run.stop()


@pytest.mark.rest
def test_a_table_may_have_collated_columns(session: SparkSession, tmp_path: Path) -> None:
    location = tmp_path / "c"
    columns = "id bigint, `who is` string collate UTF8_LCASE"
    for row in [(1, "Ann"), (2, "ann")]:  # the second pipeline reads what the first wrote down
        p = gs.pipeline(session, str(location))
        names = p.table("names", columns, key="id")
        p.view("counts", names.df.groupBy("who is").count())
        names.insert(session.createDataFrame([row], columns))
        p.start(availableNow=True).awaitTermination()
    assert rows(location, session, "counts") == {("Ann", 2)}


def test_what_does_not_fit_a_table_is_refused(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    log = p.table("log", "id bigint, what string")
    with pytest.raises(gs.SourceError, match="table log has no key"):
        log.delete(session.createDataFrame([(1,)], "id bigint"))
    with pytest.raises(gs.SourceError, match="the rows lack what"):
        log.insert(session.createDataFrame([(1,)], "id bigint"))
    with pytest.raises(gs.SourceError, match="the rows have more, too"):
        log.insert(session.createDataFrame([(1, "a", 2)], "id bigint, what string, more int"))
    with pytest.raises(gs.ConfigurationError) as other:
        p.table("log", "id bigint, what array<int>", keep=False)
    assert [line.strip() for line in str(other.value).splitlines()] == [
        "table log is there with another definition (- is there, + is asked for):",
        "- what string",
        "+ what array<int>",
        "- keep = True",
        "It cannot become this one: its key or modes are others. Go back: open it as it is there. "
        "Anew: give the table another name, or start with another "
        "checkpointLocation.",
    ]
    with pytest.raises(gs.SourceError, match="conflict must be one of"):
        p.table("t", "id bigint", key="id", conflict="maybe")
    with pytest.raises(gs.SourceError, match="'id int, v strng' are no columns of a table"):
        p.table("texts", "id int, v strng")
    with pytest.raises(gs.SourceError, match="has no column 'x'"):
        p.table("t", "id bigint", key="x")
    with pytest.raises(gs.ConfigurationError, match="has no table 'nope'"):
        gs.table(session, str(tmp_path / "c"), "nope")


@pytest.mark.parametrize("value", first_of(["5000000000L", "'abc'", "1e20D"]))
def test_a_value_that_is_none_of_its_columns_type_is_no_null_and_no_other_value(
    session: SparkSession, tmp_path: Path, value: str
) -> None:
    session.conf.set("spark.sql.ansi.enabled", "false")
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", "id bigint, n int", key="id")
    p.view("t", table.df)
    with pytest.raises(Exception, match=r"CAST_(INVALID_INPUT|OVERFLOW)"):
        table.insert(session.sql(f"select 1L id, {value} n"))
    table.insert(session.sql("select '2' id, 3L n"))
    p.start(availableNow=True).awaitTermination()
    assert rows(tmp_path / "c", session, "t") == {(2, 3)}


@pytest.mark.parametrize(
    ("options", "wanted"),
    first_of(
        [
            ({}, {(1, None, 1)}),
            ({"conflict": "ignore"}, {(1, "a", 5)}),
            ({"conflict": "update-if-not-null"}, {(1, "b", 1)}),
            ({"version": "v"}, {(1, None, 7)}),
            ({"conflict": "update-if-not-null", "version": "v"}, {(1, "a", 7)}),
        ],
        2,
    ),
)
def test_conflict_modes(
    session: SparkSession, tmp_path: Path, options: dict[str, Any], wanted: set[Any]
) -> None:
    table = Table(session, tmp_path, "t", "id bigint, s string, v bigint")
    p = gs.pipeline(session, str(tmp_path / "c"))
    p.view("t", gs.upserts(table.stream(), key="id", name="t", **options))
    table.put([{"id": 1, "s": "a", "v": 5}])
    p.start(availableNow=True).awaitTermination()
    table.put([{"id": 1, "s": None, "v": 7}, {"id": 1, "s": "b", "v": 4}])
    table.put([{"id": 1, "s": None, "v": 1}])
    p.start(availableNow=True).awaitTermination()
    assert rows(tmp_path / "c", session, "t") == wanted


@pytest.mark.rest
def test_fields_of_structs_in_another_order_are_refused(
    session: SparkSession, tmp_path: Path
) -> None:
    """Spark would put them where they do not belong."""
    table = gs.pipeline(session, str(tmp_path / "c")).table("t", "s struct<a: int, b: int>")
    table.insert(session.sql("select named_struct('A', 1, 'b', 2) s"))
    with pytest.raises(gs.SourceError, match="in s are a, b, in this order; the rows have b, a"):
        table.insert(session.sql("select named_struct('b', 2, 'a', 1) s"))


@pytest.mark.rest
def test_not_null_within_a_column_is_checked(session: SparkSession, tmp_path: Path) -> None:
    """A table of such a column was made, and no view of the column could be."""
    given = session.sql("select 1 id, array(1) a, struct(1 x) s, map('k', array(struct(1 y))) m")
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", given.schema)
    p.view("v", table.df)
    table.insert(given)
    table.insert(session.sql("select 2 id, array() a, struct(2 x) s, map() m"))
    wrong = {
        "a": "1 id, array(1, null) a, struct(1 x) s, map() m",
        "s": "1 id, array() a, struct(int(null) x) s, map() m",
        "m": "1 id, array() a, struct(1 x) s, map('k', array(struct(int(null) y))) m",
    }
    for column, text in wrong.items():
        with pytest.raises(gs.SourceError, match=f"1 row has null within column {column}, where"):
            table.insert(session.sql(f"select {text}"))
    p.start(availableNow=True).awaitTermination()
    found = gs.read_view(session, str(tmp_path / "c"), "v").collect()
    assert sorted((r.id, r.a, r.s.x, r.m) for r in found) == [
        (1, [1], 1, {"k": [Row(y=1)]}),
        (2, [], 2, {}),
    ]


@pytest.mark.rest
def test_nulls_stand_for_structs_at_every_depth(session: SparkSession, tmp_path: Path) -> None:
    """A null within had no fields, and was refused as if they had other names."""
    columns = "s struct<a: struct<b: int>, e: array<struct<q: map<string, int>>>>"
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", columns)
    p.view("v", table.df)
    for text in ("'a', null, 'e', array(null)", "'a', named_struct('b', null), 'e', null"):
        table.insert(session.sql(f"select named_struct({text}) s"))
    table.insert(session.sql("select null s"))
    p.start(availableNow=True).awaitTermination()
    found = [row.s for row in gs.read_view(session, str(tmp_path / "c"), "v").collect()]
    assert sorted(map(repr, found)) == [
        "None", "Row(a=None, e=[None])", "Row(a=Row(b=None), e=None)",
    ]  # fmt: skip
    with pytest.raises(gs.SourceError, match="in s are a, b, e, q, in this order; the rows have"):
        table.insert(session.sql("select named_struct('a', named_struct('c', 1), 'e', null) s"))


@pytest.mark.rest
def test_a_delete_says_of_which_version_it_is(session: SparkSession, tmp_path: Path) -> None:
    columns = "id bigint, v bigint, s string"
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", columns, key="id", version="v")
    p.view("t", table.df)
    table.upsert(session.createDataFrame([(i, 5, "a") for i in range(3)], columns))
    with pytest.raises(gs.SourceError, match=r"table t has version='v'.* the rows have id: add v"):
        table.delete(session.createDataFrame([(0,)], "id bigint"))
    versions = [(0, 4), (1, 5), (2, None)]
    table.delete(session.createDataFrame(versions, "id bigint, v bigint"))
    p.start(availableNow=True).awaitTermination()
    assert rows(tmp_path / "c", session, "t") == {(0, 5, "a"), (2, 5, "a")}
    table.delete(session.createDataFrame([(2, 9, "whatever")], columns))
    p.start(availableNow=True).awaitTermination()
    assert rows(tmp_path / "c", session, "t") == {(0, 5, "a")}


@pytest.mark.rest
def test_settings_of_parquet_change_no_value_of_a_write(
    session: SparkSession, tmp_path: Path
) -> None:
    settings = [
        ("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS"),
        ("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY"),
    ]
    p = gs.pipeline(session, str(tmp_path / "c"))
    days = p.table("days", "day date, at timestamp, s struct<at: timestamp>")
    p.view("v", days.df.selectExpr("string(day)", "string(at)", "string(s.at)"))
    for name, value in settings:
        session.conf.set(name, value)
    try:
        days.insert(
            session.sql(
                "select d day, t at, named_struct('at', t) s from values "
                "(date'1582-10-10', timestamp'2024-01-01 00:00:00.123456') v(d, t)"
            )
        )
    finally:
        for name, _ in settings:
            session.conf.unset(name)
    p.start(availableNow=True).awaitTermination()
    at = "2024-01-01 00:00:00.123456"
    assert rows(tmp_path / "c", session, "v") == {("1582-10-10", at, at)}


@pytest.mark.rest
def test_a_write_that_cannot_be_read_is_not_passed_over(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    table = p.table("t", "id bigint")
    table.insert(session.range(3))
    (file,) = (tmp_path / "c/groundswell/tables/t/rows").glob("*.parquet")
    file.write_bytes(b"PAR1")
    session.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    try:
        run = p.view("v", table.df).start(availableNow=True)
        with pytest.raises(gs.PipelineFailed, match=file.name):
            run.awaitTermination()
    finally:
        session.conf.unset("spark.sql.files.ignoreCorruptFiles")


@pytest.mark.rest
@pytest.mark.parametrize("name", ["a[1]", "{a}", "*", "a?", "a\\b", "["])
def test_a_location_is_no_pattern(session: SparkSession, tmp_path: Path, name: str) -> None:
    other = gs.pipeline(session, str(tmp_path / "a1")).table("t", "id bigint")
    other.insert(session.range(1))  # what the pattern would find
    location = tmp_path / name
    for number in (7, 8):
        p = gs.pipeline(session, str(location))
        table = p.table("t", "id bigint")
        table.insert(session.range(number, number + 1))
        p.view("v", table.df).start(availableNow=True).awaitTermination()
    assert rows(location, session, "v") == {(7,), (8,)}


def test_debezium_envelopes(session: SparkSession, tmp_path: Path) -> None:
    table = Table(session, tmp_path, "cdc", "value string")

    def event(op: str, before: Any, after: Any, wrapped: bool = False) -> dict[str, Any]:
        body = {"op": op, "before": before, "after": after, "source": {"table": "t"}}
        return {"value": json.dumps({"payload": body} if wrapped else body)}

    p = gs.pipeline(session, str(tmp_path / "c"))
    p.view("t", gs.debezium(table.stream(), key="id", schema="id bigint, s string", name="t"))
    table.put(
        [
            event("r", None, {"id": 1, "s": "a"}),
            event("c", None, {"id": 2, "s": "b"}, True),
            event("c", None, {"id": 3, "s": "c"}),
            event("m", None, None),
            {"value": None},
        ]
    )
    p.start(availableNow=True).awaitTermination()
    table.put([event("u", {"id": 1}, {"id": 1, "s": "z"}), event("d", {"id": 2}, None)])
    p.start(availableNow=True).awaitTermination()
    assert rows(tmp_path / "c", session, "t") == {(1, "z"), (3, "c")}


@pytest.mark.rest
def test_malformed_debezium_events_fail_views_or_are_set_aside(
    session: SparkSession, tmp_path: Path
) -> None:
    table = Table(session, tmp_path, "cdc", "value string")

    def put(*events: str) -> None:
        table.put([{"value": event} for event in events])

    def start(errors: str) -> gs.IncrementalQuery:
        p = gs.pipeline(session, str(tmp_path / "c"))
        rows = gs.debezium(table.stream(), key="id", schema="id bigint, n int", name="t")
        return p.view("v", rows, errors=errors).start(availableNow=True)

    put('{"op": "c", "after": {"id": 1, "n": 1}}', '{"op": "c", "after": {"id": 2, "n": 2}}')
    start("fail").awaitTermination()
    put('{"op": "u", "after": {"id": 2, "n": "many"}}')
    with pytest.raises(gs.RowFailed) as failed:
        start("fail").awaitTermination()
    for part in ("view v", "source t", '"id":2', 'Debezium event: {"op": "u"'):
        assert part in str(failed.value)
    run = start("divert")
    run.awaitTermination()
    assert set(bag(run.view("v"))) == {(1, 1)}
    put('{"op": "u", "after": {"id": 2, "n": 3}}', '{"op": "c", "after": {"id"')
    bad = ['{"op": "c", "after": {"id"']
    for event in ('{"op": "c", "after": {"id": "x"}}', '{"op": "d"}', '{"op": "t"}'):
        (run := start("divert")).awaitTermination()
        assert set(bag(run.view("v"))) == {(1, 1), (2, 3)}
        aside = run.view("v_diverted").collect()
        assert all('"id":null' in row.row for row in aside)
        assert len(aside) == len(bad), "each of its own"
        assert all(any(text in row.error for row in aside) for text in bad)
        put(event)
        bad.append(event)
    put('{"op": "d", "before": {"id": 1, "n": "many"}}')
    (run := start("divert")).awaitTermination()
    assert set(bag(run.view("v"))) == {(2, 3)}


@pytest.mark.rest
def test_readers_of_a_kept_source_do_not_see_what_could_not_be_read(
    session: SparkSession, tmp_path: Path
) -> None:
    table, location = Table(session, tmp_path, "cdc", "value string"), tmp_path / "c"
    table.put([{"value": '{"op": "c", "after": {"id": 1, "n": 1}}'}, {"value": '{"op": "c", "x'}])
    p = gs.pipeline(session, str(location))
    p.keep(gs.debezium(table.stream(), key="id", schema="id bigint, n int", name="kept"))
    p.start(availableNow=True).awaitTermination()
    assert [row.asDict() for row in gs.read_view(session, str(location), "kept").collect()] == [
        {"id": 1, "n": 1}
    ]
    assert gs.view_to_arrow(location, "kept").to_pylist() == [{"id": 1, "n": 1}]
