"""A row that a target refuses never ends a pipeline for good: it, or its sink, steps aside."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

import groundswell as gs
from groundswell.runtime.barriers import delivery
from groundswell.runtime.barriers.deliveries import Deliveries, ViewFacts
from groundswell.runtime.barriers.delivery import Delivery
from groundswell.runtime.barriers.refused_rows import Part
from groundswell.runtime.record.rows_aside import RowsAside
from groundswell.runtime.record.sinks import known_sinks
from groundswell.sinks.registry import sink_spec
from unit.runtime.folders import MemoryFolder
from unit.runtime.test_delivery import TOKENS, manifest

SCHEMA = StructType([StructField("k", LongType()), StructField("v", StringType())])
KEYED = {"v": ViewFacts(SCHEMA, ("k",), False, "state")}
GROWING = {"v": ViewFacts(SCHEMA, (), True, "state")}


class Picky(gs.Sink):
    """Keeps rows by key; refuses values with an ``x``, and everything where ``broken``."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str]] = []
        self.kept: gs.SinkProgress | None = None
        self.broken = False
        self.tries = 0

    def open(self, start: gs.SinkStart) -> None:
        self.start = start
        self.staged = list(self.rows)

    def recover(self) -> gs.SinkProgress | None:
        return self.kept

    def write(self, epoch: int, changes: gs.Changes) -> None:
        self.tries += 1
        if self.broken:
            raise gs.SinkError("the table is gone")
        if self.start.key:
            upserts, gone = changes.net(self.start.key)
        else:
            upserts, gone = changes.inserts(), pa.table({"k": pa.array([], pa.int64())})
        if any("x" in v for v in upserts["v"].to_pylist()):
            raise gs.SinkRowRefused("no x, please")
        out = {*gone["k"].to_pylist(), *upserts["k"].to_pylist()} if self.start.key else set()
        self.staged = [row for row in self.rows if row[0] not in out]
        self.staged += zip(upserts["k"].to_pylist(), upserts["v"].to_pylist(), strict=True)

    def commit(self, epoch: int) -> None:
        self.rows = sorted(self.staged)
        self.kept = gs.SinkProgress(self.start.token, epoch)


def changes(*rows: tuple[int | None, str, str]) -> Part:
    schema = pa.schema([("k", pa.int64()), ("v", pa.string()), ("_change_type", pa.string())])
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return Part(pa.table(dict(zip(schema.names, columns, strict=True)), schema), gs.Changes(None))  # type: ignore[arg-type]


def inserts(*rows: tuple[int | None, str]) -> Part:
    return changes(*((*row, "insert") for row in rows))


class History:
    """Epochs whose changes are given."""

    def __init__(self, epochs: dict[int, Part]) -> None:
        self.epochs = epochs

    def find(self, epoch: int) -> Any:
        return manifest(epoch) if epoch in self.epochs else None

    def changes(self, view: str, at: Any) -> gs.Changes:
        return self.epochs[at.epoch]

    def rows(self, view: str, at: Any) -> Any:
        return at.epoch  # no rows: what compares them is to be given

    def fail_point(self, name: str) -> None:
        pass


class Started:
    def __init__(
        self, sink: gs.Sink, home: Any, epochs: dict[int, Part] | None = None, **options: Any
    ) -> None:
        facts = options.pop("facts", KEYED)
        spec = sink_spec("s", "v", sink, options)
        self.all = Deliveries(None, "/here", home, [spec], facts, next(TOKENS))  # type: ignore[arg-type]
        newest = manifest(max(epochs)) if epochs else None
        self.all.open(newest)
        self.all.catch_up(newest, History(epochs or {}))
        (self.deliver,) = self.all.of("v")
        assert isinstance(self.deliver, Delivery)
        self.home = home

    @property
    def status(self) -> dict[str, Any]:
        return self.all.status["s"]

    def aside(self) -> list[dict[str, Any]]:
        return RowsAside(self.home, self.all.names["s"], "s").rows()


def test_a_refused_row_stops_its_sink_alone_and_is_named() -> None:
    sink, home = Picky(), MemoryFolder()
    run = Started(sink, home)
    run.deliver(inserts((1, "a")), 0)
    run.deliver(inserts((2, "b"), (3, "ax"), (4, "c")), 1)  # nothing is raised
    run.deliver(inserts((5, "d")), 2)
    assert sink.rows == [(1, "a")]
    assert "epoch 1: no x, please. The row is k = 3" in run.status["stopped"]
    assert known_sinks(home).stopped["s"] == run.status["stopped"]


def test_a_start_tries_a_stopped_sink_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, home = Picky(), MemoryFolder()
    epochs = {0: inserts((1, "a")), 1: inserts((2, "x")), 2: inserts((3, "c"))}
    at_once = {(0, 2): inserts((2, "x"), (3, "c"))}
    monkeypatch.setattr(delivery, "difference", lambda old, new: at_once[old, new])
    run = Started(sink, home)
    for epoch, part in epochs.items():
        run.deliver(part, epoch)
    assert "The row is k = 2" in Started(sink, home, epochs).status["stopped"]
    assert sink.rows == [(1, "a")]
    run = Started(sink, home, epochs, on_failure="set_aside")
    assert sink.rows == [(1, "a"), (3, "c")]
    assert run.status == {"epoch": 2, "stopped": None, "rowsAside": 1}
    assert known_sinks(home).stopped == {}


def test_a_start_gives_a_stopped_sink_the_rows_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, home = Picky(), MemoryFolder()
    update = changes((2, "x", "update_preimage"), (2, "b", "update_postimage"))
    epochs = {0: inserts((1, "a")), 1: inserts((2, "x")), 2: update, 3: inserts((3, "c"))}
    run = Started(sink, home)
    for epoch, part in epochs.items():
        run.deliver(part, epoch)
    at_once = {(0, 3): inserts((2, "b"), (3, "c"))}
    monkeypatch.setattr(delivery, "difference", lambda old, new: at_once[old, new])
    assert Started(sink, home, epochs).status == {"epoch": 3, "stopped": None, "rowsAside": 0}
    assert sink.rows == [(1, "a"), (2, "b"), (3, "c")]


def test_a_stopped_sink_that_cannot_be_brought_up_does_not_end_the_start() -> None:
    """Its epoch is retired by and by: the others must start all the same."""
    sink, home = Picky(), MemoryFolder()
    run = Started(sink, home)
    run.deliver(inserts((1, "a")), 0)
    run.deliver(inserts((1, "x")), 1)
    later = Started(sink, home, {8: inserts(), 9: inserts()})
    assert "epoch 0 is not kept any more" in later.status["stopped"]


def test_refused_rows_are_set_aside_and_the_rest_arrives() -> None:
    sink, home = Picky(), MemoryFolder()
    run = Started(sink, home, on_failure="set_aside")
    rows = [(k, "x" if k in (7, 70) else "a") for k in range(100)]
    run.deliver(inserts(*rows), 0)
    assert sink.rows == [row for row in rows if row[1] != "x"]
    assert [(each["epoch"], each["row"]) for each in run.aside()] == [
        (0, {"k": 7, "v": "x"}),
        (0, {"k": 70, "v": "x"}),
    ]
    assert "no x, please" in run.aside()[0]["error"]
    assert run.status == {"epoch": 0, "stopped": None, "rowsAside": 2}
    assert sink.tries < 40  # by halves, not row by row


def test_an_update_that_is_refused_takes_the_old_row_out_of_the_target() -> None:
    sink = Picky()
    run = Started(sink, MemoryFolder(), on_failure="set_aside")
    run.deliver(inserts((1, "a"), (2, "b")), 0)
    run.deliver(changes((1, "a", "update_preimage"), (1, "x", "update_postimage")), 1)
    assert sink.rows == [(2, "b")]
    run.deliver(changes((1, "x", "update_preimage"), (1, "c", "update_postimage")), 2)
    assert sink.rows == [(1, "c"), (2, "b")]


def test_a_null_key_is_set_aside() -> None:
    sink = Picky()
    run = Started(sink, MemoryFolder(), on_failure="set_aside")
    run.deliver(inserts((1, "a"), (None, "b")), 0)
    assert sink.rows == [(1, "a")]
    assert [each["row"] for each in run.aside()] == [{"k": None, "v": "b"}]


def test_rows_without_a_key_are_set_aside_one_by_one() -> None:
    sink = Picky()
    run = Started(sink, MemoryFolder(), on_failure="set_aside", facts=GROWING)
    run.deliver(inserts((1, "a"), (1, "a"), (1, "x"), (1, "a")), 0)
    assert sink.rows == [(1, "a")] * 3
    assert len(run.aside()) == 1


def test_an_epoch_that_comes_again_sets_its_rows_aside_once() -> None:
    sink, home = Picky(), MemoryFolder()
    part = inserts((1, "a"), (2, "x"))
    Started(sink, home, on_failure="set_aside").deliver(part, 0)
    sink.kept, sink.rows = None, []  # as if the crash had come before the commit
    run = Started(sink, home, on_failure="set_aside")
    run.deliver(part, 0)
    assert len(run.aside()) == 1


def test_the_pipeline_stops_where_that_is_asked_for() -> None:
    run = Started(Picky(), MemoryFolder(), on_failure="stop_pipeline")
    with pytest.raises(gs.SinkRowRefused, match=r"no x, please\. The row is k = 3"):
        run.deliver(inserts((2, "b"), (3, "ax")), 0)


def test_a_target_that_is_broken_blames_no_row() -> None:
    sink = Picky()
    run = Started(sink, MemoryFolder(), on_failure="set_aside")
    sink.broken = True
    run.deliver(inserts((1, "a"), (2, "b")), 0)
    assert run.status["stopped"].endswith("epoch 0: the table is gone")
    assert run.aside() == []


def test_a_later_owner_ends_the_pipeline_whatever_the_sink_says() -> None:
    sink = Picky()
    run = Started(sink, MemoryFolder(), on_failure="set_aside")
    run.deliver(inserts((1, "a")), 0)
    sink.kept = gs.SinkProgress(10**9, 0)
    run.deliver.close()  # it connects again, and asks
    with pytest.raises(gs.SinkFenced):
        run.deliver(inserts((1, "a")), 1)


def test_a_view_that_was_built_anew_arrives_though_the_target_was_away() -> None:
    """The target has the number of the epoch already, with the rows of the query before."""
    sink, home = Picky(), MemoryFolder()
    run = Started(sink, home)
    run.deliver(inserts((1, "a")), 3)
    away = [True]
    write = sink.write

    def once(epoch: int, part: gs.Changes) -> None:
        if away.pop():
            raise gs.SinkUnavailable("away")
        write(epoch, part)

    away[:] = [False, True]
    sink.write = once  # type: ignore[method-assign]
    delivery = run.deliver
    delivery._difference = lambda *_: changes((1, "a", "delete"), (1, "b", "insert"))  # type: ignore[method-assign]
    delivery._rebuild(None, "before", manifest(3), History({}))
    assert sink.rows == [(1, "b")]
