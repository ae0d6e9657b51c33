"""What a sink gets when its view is rebuilt, or was away, from Spark's own rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

SCHEMA = "id bigint, g bigint"


class Bag(gs.Sink):
    """Adds up what it is given."""

    def __init__(self) -> None:
        self.rows: Counter[tuple[Any, ...]] = Counter()
        self.kept: gs.SinkProgress | None = None
        self.epochs: list[int] = []

    def open(self, start: gs.SinkStart) -> None:
        self.start = start

    def recover(self) -> gs.SinkProgress | None:
        return self.kept

    def write(self, epoch: int, changes: gs.Changes) -> None:
        for each in changes.frame.collect():
            *row, change = each
            self.rows[tuple(row)] += 1 if change in ("insert", "update_postimage") else -1
        self.rows = Counter({row: n for row, n in self.rows.items() if n})

    def commit(self, epoch: int) -> None:
        self.epochs.append(epoch)
        self.kept = gs.SinkProgress(self.start.token, epoch)


def pipeline(session: SparkSession, home: Path, query: str, **options: Any) -> tuple[Any, Any]:
    p = gs.pipeline(session, str(home), **options)
    table = p.table("t", SCHEMA, key="id")
    table.df.createOrReplaceTempView("t")
    return p.view("v", session.sql(query)), table


def put(session: SparkSession, table: Any, *rows: tuple[int, int]) -> None:
    table.upsert(session.createDataFrame(list(rows), SCHEMA))


COUNTS = "SELECT g, count(*) n FROM t GROUP BY g"
LARGE = "SELECT g, count(*) n FROM t WHERE id > 1 GROUP BY g"


@pytest.mark.rest
def test_a_view_that_is_built_anew_gives_the_difference(
    session: SparkSession, tmp_path: Path
) -> None:
    bag = Bag()
    p, table = pipeline(session, tmp_path, COUNTS)
    query = p.sink("bag", "v", bag).start()
    put(session, table, (1, 5), (2, 5), (3, 6))
    query.processAllAvailable()
    query.stop()
    assert bag.rows == Counter({(5, 2): 1, (6, 1): 1})
    p, table = pipeline(session, tmp_path, LARGE, onChange="rebuild")
    query = p.sink("bag", "v", bag).start()
    assert bag.rows == Counter({(5, 1): 1, (6, 1): 1})
    put(session, table, (4, 7))
    query.processAllAvailable()
    query.stop()
    assert bag.rows == Counter({(5, 1): 1, (6, 1): 1, (7, 1): 1})


@pytest.mark.rest
def test_other_columns_are_refused(session: SparkSession, tmp_path: Path) -> None:
    bag = Bag()
    p, table = pipeline(session, tmp_path, COUNTS)
    query = p.sink("bag", "v", bag).start()
    put(session, table, (1, 5))
    query.processAllAvailable()
    query.stop()
    p, _ = pipeline(session, tmp_path, COUNTS.replace("n FROM", "m FROM"), onChange="rebuild")
    with pytest.raises(gs.SinkError, match="rebuilt with other columns"):
        p.sink("bag", "v", bag).start()


@pytest.mark.rest
def test_a_lost_record_of_sinks_refuses_the_start(session: SparkSession, tmp_path: Path) -> None:
    """By the id in it the target knows what it has; with a new one all rows would come again."""

    def start() -> tuple[Any, Any]:
        p, table = pipeline(session, tmp_path, COUNTS)
        return p.sink("bag", "v", bag).start(), table

    bag = Bag()
    query, table = start()
    put(session, table, (1, 5), (2, 5))
    query.processAllAvailable()
    query.stop()
    (record,) = tmp_path.glob("groundswell/sinks-*.json")
    kept = record.read_bytes()
    record.unlink()
    given, bag.kept = list(bag.epochs), None  # as a target that asks by the sink's id
    with pytest.raises(gs.SinkError, match="is missing or lacks bag"):
        start()
    assert (bag.epochs, bag.rows) == (given, Counter({(5, 2): 1}))
    record.write_bytes(kept)
    bag.kept = gs.SinkProgress(bag.start.token, given[-1])
    query, table = start()
    put(session, table, (3, 6))
    query.processAllAvailable()
    query.stop()
    assert bag.rows == Counter({(5, 2): 1, (6, 1): 1})


@pytest.mark.rest
def test_epochs_without_changes_cost_nothing_and_none_is_taken_for_one(
    session: SparkSession, tmp_path: Path
) -> None:
    seen: list[tuple[bool, int]] = []

    class Watch(Bag):
        def write(self, epoch: int, changes: gs.Changes) -> None:
            seen.append((changes.surely_empty, changes.frame.count()))
            super().write(epoch, changes)

    bag = Watch()
    p, table = pipeline(session, tmp_path, LARGE)
    query = p.sink("bag", "v", bag).start()
    for number in range(14):
        put(session, table, (2, 1) if number in (0, 13) else (1, number))
        query.processAllAvailable()
    query.stop()
    assert bag.rows == Counter({(1, 1): 1})
    assert len(bag.epochs) <= 3, bag.epochs
    assert all(empty == (rows == 0) for empty, rows in seen[1:]), seen


def test_the_writer_takes_a_format(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    stream = session.readStream.schema(SCHEMA).json(str(tmp_path / "in"))
    (tmp_path / "in" / "0.json").write_text('{"id": 1, "g": 2}\n')
    out = tmp_path / "out"
    writer = gs.appends(stream, name="t").incremental().writeStream.format("json")
    query = writer.options(path=str(out), checkpointLocation=str(tmp_path / "c")).start()
    query.processAllAvailable()
    query.stop()
    assert [p.read_text() for p in out.glob("*.json")] == ['{"id":1,"g":2}\n']
    with pytest.raises(gs.ConfigurationError, match="no option 'paht'; did you mean 'path'"):
        writer.option("paht", "x").start()


def test_sinks_are_named_and_dropped(session: SparkSession, tmp_path: Path) -> None:
    p, _ = pipeline(session, tmp_path, COUNTS)
    p.sink("bag", "v", Bag())
    for call, message in (
        (lambda: p.sink("bag", "v", Bag()), "two sinks are named 'bag'"),
        (lambda: p.sink("bag2", "w", Bag()), "has no view 'w'; it has v"),
        (lambda: p.dropSink("bog"), "has no sink 'bog'; it has bag"),
        (lambda: p.drop("v"), "read by sink bag"),
    ):
        with pytest.raises(gs.ConfigurationError, match=message):
            call()
    p.dropSink("bag").drop("v")


class Picky(Bag):
    """Keeps one row a key, takes no negative numbers, and keeps nothing before the commit."""

    def write(self, epoch: int, changes: gs.Changes) -> None:
        upserts, gone = changes.net(["id"])
        self.new = upserts.to_pylist()
        if any(row["g"] < 0 for row in self.new):
            raise gs.SinkRowRefused("no negative numbers")
        self.gone = {row["id"] for row in [*self.new, *gone.to_pylist()]}

    def commit(self, epoch: int) -> None:
        kept = [row for row in self.rows if row[0] not in self.gone]
        self.rows = Counter([*kept, *((row["id"], row["g"]) for row in self.new)])
        super().commit(epoch)


@pytest.mark.rest
def test_a_refused_row_ends_neither_the_pipeline_nor_the_other_sinks(
    session: SparkSession, tmp_path: Path
) -> None:
    def start(**options: Any) -> tuple[Any, Any]:
        p, table = pipeline(session, tmp_path, "SELECT id, g FROM t")
        p.sink("picky", "v", picky, **options)
        return p.sink("other", "v", other).start(), table

    picky, other = Picky(), Bag()
    query, table = start()
    put(session, table, (1, 5))
    query.processAllAvailable()
    put(session, table, (2, 6), (3, -1))
    query.processAllAvailable()
    sinks = query.lastProgress["sinks"]
    assert "no negative numbers. The row is id = 3" in sinks["picky"]["stopped"]
    assert sinks["other"]["stopped"] is None
    query.stop()
    assert picky.rows == Counter({(1, 5): 1})
    assert other.rows == Counter({(1, 5): 1, (2, 6): 1, (3, -1): 1})
    query, table = start(on_failure="set_aside")
    assert picky.rows == Counter({(1, 5): 1, (2, 6): 1})
    put(session, table, (3, 7), (2, -2))
    query.processAllAvailable()
    query.stop()
    assert picky.rows == Counter({(1, 5): 1, (3, 7): 1})
    aside = gs.rows_aside(tmp_path, "picky")
    assert [each["row"] for each in aside] == [{"id": 3, "g": -1}, {"id": 2, "g": -2}]
    assert other.rows == Counter({(1, 5): 1, (3, 7): 1, (2, -2): 1})
