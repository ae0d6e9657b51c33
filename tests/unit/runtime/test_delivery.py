"""How far a sink is, and what a start and a failure make of it, with sinks that only remember."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from pyspark.sql.types import LongType, StructField, StructType

import groundswell as gs
from groundswell.runtime.barriers.deliveries import Deliveries, ViewFacts
from groundswell.runtime.barriers.delivery import Delivery
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.sinks import known_sinks
from groundswell.sinks.registry import sink_spec
from unit.runtime.folders import MemoryFolder

SCHEMA = StructType([StructField("k", LongType())])
FACTS = {"v": ViewFacts(SCHEMA, ("k",), False, "state")}


TOKENS = itertools.count(1)


class Store(gs.Sink):
    """Keeps epochs and the progress; fails as often as it is told to."""

    def __init__(self) -> None:
        self.kept: gs.SinkProgress | None = None
        self.epochs: list[int] = []
        self.fails: list[str] = []
        self.opened = 0

    def open(self, start: gs.SinkStart) -> None:
        self.start, self.opened = start, self.opened + 1
        self.fail("open")

    def recover(self) -> gs.SinkProgress | None:
        return self.kept

    def write(self, epoch: int, changes: gs.Changes) -> None:
        self.fail("write")

    def commit(self, epoch: int) -> None:
        self.fail("before commit")
        self.epochs.append(epoch)
        self.kept = gs.SinkProgress(self.start.token, epoch)
        self.fail("after commit")

    def fail(self, point: str) -> None:
        if point in self.fails:
            self.fails.remove(point)
            raise gs.SinkUnavailable(f"away at {point}")


class Changes(gs.Changes):
    def __init__(self, rows: int | None = None) -> None:
        super().__init__(None, rows)  # type: ignore[arg-type]


class History:
    """Epochs by number; the state of the view is the same in all."""

    def __init__(self, *epochs: int) -> None:
        self.epochs = epochs
        self.given: list[int] = []

    def find(self, epoch: int) -> EpochManifest | None:
        return manifest(epoch) if epoch in self.epochs else None

    def changes(self, view: str, at: EpochManifest) -> gs.Changes:
        self.given.append(at.epoch)
        return Changes()

    def rows(self, view: str, at: EpochManifest) -> Any:
        raise AssertionError("nothing is to be compared")

    def fail_point(self, name: str) -> None:
        pass


def manifest(epoch: int) -> EpochManifest:
    return EpochManifest(epoch, {"state": []}, "", {}, {}, 0, 0, 0, {"v": "state"})


def deliveries(store: Store, home: MemoryFolder, **options: Any) -> Deliveries:
    spec = sink_spec("s", "v", store, options)
    token = next(TOKENS)
    return Deliveries(None, "/here", home, [spec], FACTS, token)  # type: ignore[arg-type]


def started(store: Store, home: MemoryFolder, *epochs: int, **options: Any) -> Any:
    made = deliveries(store, home, **options)
    newest = manifest(epochs[-1]) if epochs else None
    made.open(newest)
    made.catch_up(newest, History(*epochs))
    (only,) = made.of("v")
    assert isinstance(only, Delivery)
    return only


def test_each_start_has_a_larger_token_and_the_same_id() -> None:
    store, home = Store(), MemoryFolder()
    tokens = []
    for _ in range(3):
        started(store, home)
        tokens.append((store.start.token, store.start.id))
    first = tokens[0][0]
    assert [token for token, _ in tokens] == [first, first + 1, first + 2]
    assert len({sink_id for _, sink_id in tokens}) == 1
    assert list(known_sinks(home).active) == ["s"]


def test_an_epoch_that_comes_again_is_left_out() -> None:
    store, home = Store(), MemoryFolder()
    deliver = started(store, home)
    for epoch in (0, 1, 1):
        deliver(Changes(), epoch)
    started(store, home, 0, 1)(Changes(), 1)
    assert store.epochs == [0, 1]


@pytest.mark.parametrize("point", ["open", "write", "before commit", "after commit"])
def test_a_target_that_is_away_for_a_while_gets_each_epoch_once(point: str) -> None:
    store = Store()
    deliver = started(store, MemoryFolder())
    deliver(Changes(), 0)
    store.fails = [point, "write"] if point == "open" else [point]
    if point == "open":
        store.fails = ["write", "open"]
    deliver(Changes(), 1)
    deliver(Changes(), 2)
    assert store.epochs == [0, 1, 2]
    assert store.fails == []


def test_a_target_that_stays_away_ends_it_by_name() -> None:
    store = Store()
    deliver = started(store, MemoryFolder(), retry_seconds=0)
    store.fails = ["write"]
    with pytest.raises(
        gs.SinkUnavailable, match=r"sink s \(Store\) of view v, epoch 7: away at wr"
    ):
        deliver(Changes(), 7)
    assert store.epochs == []


def test_a_start_does_not_wait() -> None:
    store = Store()
    store.fails = ["open"]
    with pytest.raises(gs.SinkUnavailable, match="away at open"):
        deliveries(store, MemoryFolder()).open(None)
    assert store.opened == 1


def test_epochs_that_were_missed_come_in_order() -> None:
    store, home = Store(), MemoryFolder()
    deliver = started(store, home)
    deliver(Changes(), 0)
    started(store, home, 0, 1, 2, 3)
    assert store.epochs == [0, 1, 2, 3]


def test_epochs_that_are_not_kept_any_more_are_named() -> None:
    store, home = Store(), MemoryFolder()
    started(store, home)(Changes(), 0)
    with pytest.raises(gs.SinkError, match="epoch 0 is not kept any more"):
        started(store, home, 5, 6)


def test_a_location_that_was_put_back_is_named() -> None:
    store, home = Store(), MemoryFolder()
    started(store, home)(Changes(), 9)
    with pytest.raises(gs.SinkError, match="has epoch 9, but /here has epochs up to 3"):
        started(store, home, 2, 3)
    assert store.epochs == [9]


def test_a_later_owner_is_noticed() -> None:
    store, home = Store(), MemoryFolder()
    store.kept = gs.SinkProgress(10**6, 0)
    with pytest.raises(gs.SinkFenced, match="token 1000000, this start has "):
        started(store, home)


def test_epochs_without_changes_are_numbered_now_and_then() -> None:
    store = Store()
    deliver = started(store, MemoryFolder())
    deliver(Changes(3), 0)
    for epoch in range(1, 25):
        deliver(Changes(0), epoch)
    deliver(Changes(1), 25)
    assert store.epochs == [0, 11, 22, 25]


def test_a_key_that_the_view_does_not_have_is_named() -> None:
    with pytest.raises(gs.SinkError, match="option key names x, which view v does not have"):
        deliveries(Store(), MemoryFolder(), key="x")


def test_a_record_of_sinks_that_is_lost_is_named_before_a_target_is_opened() -> None:
    """The target has rows under an id that nobody knows any more: none may come again."""
    store, home = Store(), MemoryFolder()
    store.kept = gs.SinkProgress(0, 0)
    started(store, home, 0)
    for name in home.names("sinks"):
        home.delete(name)
    opened, spec = store.opened, sink_spec("s", "v", store, {})

    def again(*expected: str) -> Deliveries:
        where: Any = home
        return Deliveries(None, "/here", where, [spec], FACTS, 9, expected=expected)  # type: ignore[arg-type]

    with pytest.raises(
        gs.SinkError, match=r"sinks-<number>\.json\) is missing or lacks s, .*Restore"
    ):
        again("s")
    assert (store.opened, store.epochs, home.names("sinks")) == (opened, [], [])
    assert again("another, that was dropped").names.keys() == {"s"}


def test_the_ids_of_new_sinks_are_noted_before_the_definition_names_them() -> None:
    home = MemoryFolder()
    made = deliveries(Store(), home)
    assert known_sinks(home).ids is None
    made.note()
    known = known_sinks(home)
    assert set(known.ids or {}) == set(made.names) == {"s"}
    assert (list(known.active), known.states) == ([], {}), "the sink has nothing yet"
