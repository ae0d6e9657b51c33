"""The barrier protocol against a JVM and a store that only remember what they were asked."""

import json
import threading
from collections.abc import Iterable
from typing import Any

import pytest

from groundswell.contract.barrier import (
    BarrierMillis,
    BarrierRequest,
    BarrierResult,
    OperatorTotals,
)
from groundswell.contract.commits import CommitRef, Commits
from groundswell.contract.dataflow.groups import AggregateSpec
from groundswell.errors import EpochUnavailable, Fenced, OffsetsRewound
from groundswell.marks import Mark
from groundswell.runtime.barriers.barrier import BarrierHandler, BarrierRules
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.gc.retention import Retention
from groundswell.runtime.record.checkpoints import Checkpoints
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.pending_epochs import PendingEpochs
from reaching import reaches
from unit.runtime.folders import Claim, MemoryFolder

AGGREGATE = AggregateSpec(id=0, columns=(), grouping=(), calls=(), state="s")


class DiedError(Exception):
    pass


class Runner:
    """Commits are the epochs they were computed in, on top of each other."""

    def __init__(self, dies_at: str = "") -> None:
        self.dies_at = dies_at
        self.ran: list[int] = []
        self.retired: list[tuple[int, Commits]] = []

    def run(self, request: BarrierRequest, batch: Any) -> BarrierResult:
        epoch, base = request.epoch, request.base
        assert request.durable, "every barrier is a checkpoint"
        self.ran.append(epoch)
        before = base["s"][0].version if base else 0
        assert before == epoch, "computed on the state of another epoch"
        return BarrierResult(
            commits={"s": (CommitRef(epoch + 1, f"x{epoch}", 1, 9),)},
            operators={"0": OperatorTotals(rows_in=2, state_reads=3)},
            sources={"s7": 2},
            read_micros={},
            event_times={},
            millis=BarrierMillis(0, 0),
            taken=(),
        )

    def persist(self, commits: Any) -> None:
        raise AssertionError(f"nothing is ahead, got {commits}")

    def forget(self, commits: Any) -> None:
        pass

    def write(self, waiting: Any) -> None:
        raise AssertionError(f"nothing waits, got {waiting}")

    give_up = write

    def changelog(self, view: str, manifest: EpochManifest) -> Any:
        return (view, manifest.commits["s"][0].id)

    def retire(
        self, epoch: int, newest: Commits, oldest: EpochManifest, whole: int, base: Commits
    ) -> None:
        assert epoch in self.ran
        assert newest["s"][0].version == epoch + 1, "commits of another epoch"
        assert (whole, base) == (epoch, newest), "no copy is being made"
        self.retired.append((oldest.epoch, base))

    def fail_point(self, name: str) -> None:
        if name == self.dies_at:
            raise DiedError(name)


class Home:
    """A checkpoint location that outlives its processes."""

    def __init__(self) -> None:
        self.folder = MemoryFolder()
        self.log = PendingEpochs(self.folder.child("epochs"), "jvm", Claim(self.folder))
        self.delivered: list[tuple[Any, int]] = []

    def offset(self, epoch: int, stamp: int = 1_700_000_000_000) -> None:
        text = f"v2\n{json.dumps({'batchTimestampMs': stamp})}\n{{}}"
        self.folder.child("offsets").put(str(epoch), text.encode())

    def run(self, barrier: BarrierHandler, epochs: Iterable[int]) -> None:
        for epoch in epochs:
            self.offset(epoch)
            barrier(epoch, None)

    def start(self, runner: Runner, beside: bool = True, **retention: int) -> BarrierHandler:
        progress = ProgressLog([AGGREGATE])
        return BarrierHandler(
            runner,
            self.log,
            self.folder.child("offsets"),
            BarrierRules(
                sources={"s7": "votes"},
                sinks={"v": lambda frame, epoch: self.delivered.append((frame, epoch))},
                retention=Retention(**retention),
                beside=beside,
            ),
            progress,
            Checkpoints(self.folder),
        )


@pytest.fixture
def home() -> Home:
    return Home()


def test_epochs_build_on_each_other_and_are_delivered_after_publishing(home: Home) -> None:
    runner = Runner()
    barrier = home.start(runner)
    home.run(barrier, range(3))
    assert runner.ran == [0, 1, 2]
    assert home.delivered == [(("v", f"x{e}"), e) for e in range(3)]
    newest = home.log.newest()
    assert (newest.epoch, newest.sources, newest.started_millis) == (
        2,
        {"votes": 2},
        1_700_000_000_000,
    )


@pytest.mark.parametrize(
    ("point", "computed", "delivered"),
    [("before_publish", [0, 0], 1), ("after_publish", [0], 1), ("after_delivery", [0], 2)],
)
def test_death_at_every_point_loses_and_doubles_nothing(
    home: Home, point: str, computed: list[int], delivered: int
) -> None:
    home.offset(0)
    first, second = Runner(point), Runner()
    with pytest.raises(DiedError):
        home.start(first)(0, None)
    again = home.start(second)
    again(0, None)
    assert first.ran + second.ran == computed
    assert home.delivered == [(("v", "x0"), 0)] * delivered
    home.offset(1)
    again(1, None)
    assert home.log.newest().commits == {"s": (CommitRef(2, "x1", 1, 9),)}


def test_a_batch_that_was_published_is_delivered_again_and_not_computed(home: Home) -> None:
    home.offset(0)
    with pytest.raises(DiedError):
        home.start(Runner("after_publish"))(0, None)
    runner = Runner()
    with reaches(Mark.BATCH_IS_DELIVERED_AGAIN):
        home.start(runner)(0, None)
    assert runner.ran == [] and home.delivered == [(("v", "x0"), 0)]


def test_a_missing_base_is_named(home: Home) -> None:
    home.offset(5)
    with pytest.raises(EpochUnavailable, match="asks for epoch 5, but epoch 4 is not in"):
        home.start(Runner())(5, None)


def test_a_replaced_offset_entry_is_noticed(home: Home) -> None:
    home.offset(0)
    home.start(Runner())(0, None)
    home.offset(0, stamp=1_800_000_000_000)
    with pytest.raises(OffsetsRewound, match="offsets/0 is not the entry"):
        home.start(Runner())(0, None)
    home.offset(1)
    with pytest.raises(OffsetsRewound):
        home.start(Runner())(1, None)


def test_a_deleted_offset_log_is_noticed_even_after_epoch_0_was_retired(home: Home) -> None:
    runner = Runner()
    barrier = home.start(runner, epochs=2, every=1)
    home.run(barrier, range(4))
    barrier.finish()
    home.offset(0)
    with pytest.raises(OffsetsRewound, match="starts again at epoch 0"):
        home.start(Runner())(0, None)


@pytest.mark.parametrize("beside", [False, True])
def test_retention_deletes_manifests_first_and_names_the_oldest_kept_epoch(
    home: Home, beside: bool
) -> None:
    runner = Runner()
    barrier = home.start(runner, beside, epochs=3, every=2)
    home.run(barrier, range(8))
    if beside:
        barrier.finish()
    assert home.log.epochs() == [5, 6, 7]
    assert [epoch for epoch, _ in runner.retired] == [0, 1, 3, 5]
    assert runner.retired[-1][1] == home.log.get(7).commits


class Held(Runner):
    """Deletes when it is let."""

    def __init__(self, *raises: Exception) -> None:
        super().__init__()
        self.begun, self.let = threading.Event(), threading.Event()
        self.raises = list(raises)

    def retire(self, *asked: Any) -> None:
        self.begun.set()
        assert self.let.wait(60)
        if self.raises:
            raise self.raises.pop()
        super().retire(*asked)


def test_barriers_go_on_while_epochs_are_retired_and_wait_for_the_round_before(home: Home) -> None:
    runner = Held()
    barrier = home.start(runner, epochs=2, every=3)
    home.run(barrier, range(5))
    assert runner.begun.wait(60)
    assert (runner.ran, runner.retired) == ([0, 1, 2, 3, 4], [])
    home.offset(5)
    next_round = threading.Thread(target=barrier, args=(5, None))
    next_round.start()
    next_round.join(0.2)
    assert next_round.is_alive(), "two rounds at a time"
    runner.let.set()
    next_round.join(60)
    barrier.finish()
    assert [epoch for epoch, _ in runner.retired] == [1, 4]
    assert home.log.epochs() == [4, 5]


def test_what_a_round_fails_with_is_raised_once(home: Home) -> None:
    runner = Held(Fenced("another run has it"))
    runner.let.set()
    barrier = home.start(runner, epochs=2, every=3)
    home.run(barrier, range(3))
    with pytest.raises(Fenced, match="another run has it"):
        barrier.finish()
    barrier.finish()
    barrier.close()


def test_the_run_behind_a_first_load_keeps_its_newest_barriers() -> None:
    load, run = ProgressLog([], keep=3), ProgressLog([], keep=3)
    for log, epochs in ((load, range(4)), (run, range(4, 6))):
        for epoch in epochs:
            loaded = None if log is run else 40.0
            manifest = EpochManifest(epoch, {}, "", {}, {}, 1000, 1250, 200, loaded=loaded)
            log.add(manifest, 5, 9, computed=True)
    assert load.loading == 40.0
    run.follows(load)
    assert [(each["epoch"], each["loading"]) for each in run.recent] == [
        (3, 40.0),
        (4, None),
        (5, None),
    ]
    assert run.last is not None
    assert run.last["epoch"] == 5
    assert run.loading is None
    fresh = ProgressLog([])
    fresh.follows(load)
    assert fresh.last == load.last


def test_progress_of_a_barrier(home: Home) -> None:
    home.offset(0)
    progress = ProgressLog([AGGREGATE], keep=2)
    manifest = EpochManifest(
        0, {}, "", {"0": OperatorTotals(rows_in=2, state_reads=3)}, {"votes": 2}, 1000, 1250, 200
    )
    assert progress.last is None
    for _ in range(3):
        progress.add(manifest, 5, 9, computed=True)
    assert len(progress.recent) == 2
    assert progress.last is not None
    assert progress.last["freshnessMillis"] == 250
    assert progress.last["barrierMillis"] == 9
    assert progress.last["stateReads"] == 3
    (operator,) = progress.last["operators"]
    seen = {"id": 0, "op": "aggregate", "state": "s", "rowsIn": 2, "stateReads": 3}
    assert operator.items() >= seen.items()
    assert "contradictions" not in operator
