"""Checkpoints at every k-th barrier, and beside barriers, against a JVM and a Spark that only keep
logs.

The simulated Spark does what the real one does with its logs: it notes the offsets of a batch,
hands it over, notes its commit, and starts where they end. Where checkpoints overlap what their
threads do is done step by step, in an order that a seed tells.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from groundswell import marks
from groundswell.contract.barrier import BarrierMillis, BarrierRequest, BarrierResult
from groundswell.contract.commits import AheadCommit, AheadCommits, CommitRef, Commits
from groundswell.errors import CheckpointLost, EpochUnavailable, VersionUnavailable
from groundswell.runtime.barriers.barrier import BarrierHandler, BarrierRules
from groundswell.runtime.barriers.overlap import OverlapRules
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.barriers.retention import Retention
from groundswell.runtime.ownership.takeover import take_over
from groundswell.runtime.record import checkpoints
from groundswell.runtime.record.ahead import AheadLog, made_by
from groundswell.runtime.record.checkpoints import Checkpoints, Mark
from groundswell.runtime.record.epochs import SMALL, EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.record.seen import Held, Seen
from reaching import reaches
from unit.runtime.folders import Claim, MemoryFolder

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
POINTS = ["between_checkpoints", "after_persist", "before_publish", "after_publish"]
POINTS += ["after_delivery", "after_mark"]
REPEATS = (1, 2)
"""How many epochs may be delivered again after an end: with checkpoints at every k-th barrier a
later start may have to doubt the commit of another one, see ``doubtful``."""


STILL = (CommitRef(0, None, 0, 0),) * 9
"""A state that no barrier changes."""


class DiedError(Exception):
    pass


class ConcurrentUpdateError(Exception):
    """Spark's, of two runs that write one entry of a log."""


class World:
    """What outlives a process: storage, the rows of a source, and what the sink was given.

    Epochs of a small location are one document each, those of a large one are told against others.
    """

    def __init__(
        self, before: Callable[[str, str], None] | None = None, small: bool = True
    ) -> None:
        self.small = SMALL if small else 0
        self.root = MemoryFolder(before=before)
        self.home = self.root.child("groundswell")
        self.log = EpochLog(self.home.child("epochs"))
        self.stored: set[str] = set()
        self.rows = 0
        self.attempts = 0
        self.sink: list[tuple[int, list[int]]] = []

    def end_of(self, batch: int) -> int:
        """How many rows there were after a batch."""
        data = self.root.child("offsets").read(str(batch))
        return 0 if data is None else int(json.loads(data)["rows"])


class StepLogs:
    """Spark's logs as overlapping checkpoints have them written, one request at a time.

    A log looks for a successor, and creates its next entry in a later step: others come between.
    """

    def __init__(self, process: Process) -> None:
        self.process = process
        self.logs: dict[str, dict[int, bytes]] = {"offsets": {}, "commits": {}}
        self.unreleased: dict[int, bytes] = {}
        self.released = -1
        self.checked: set[str] = set()

    def open(self) -> None:
        pass

    def add(self, log: str, batch: int, data: bytes) -> None:
        if log == "commits" and batch > self.released:
            self.unreleased[batch] = data
        else:
            self.logs[log][batch] = data

    def read(self, name: str) -> bytes | None:
        pending = self.logs["offsets"].get(int(name))
        return pending or self.process.world.root.child("offsets").read(name)

    def due(self) -> list[str]:
        return [log for log, entries in self.logs.items() if entries]

    def step(self, log: str) -> None:
        if log not in self.checked:
            self.process.claim.check()
            self.checked.add(log)
            return
        self.process.fail_point("before_log")
        if not self.create(log):
            self.process.claim.check()
            raise ConcurrentUpdateError(log)
        self.process.fail_point("after_log")

    def create(self, log: str) -> bool:
        batch = min(self.logs[log])
        self.checked.discard(log)
        if not self.process.world.root.child(log).put_new(str(batch), self.logs[log][batch]):
            return False
        del self.logs[log][batch]
        return True

    def end(self) -> None:
        """What has looked for a successor goes on, whatever the others failed with."""
        for log in list(self.checked):
            self.create(log)

    def await_planned(self, batch: int) -> None:
        while batch in self.logs["offsets"]:
            self.step("offsets")

    def release(self, batch: int) -> None:
        self.released = max(self.released, batch)
        for each in sorted(self.unreleased):
            if each <= self.released:
                self.logs["commits"][each] = self.unreleased.pop(each)

    def await_recorded(self, batch: int) -> None:
        while batch in self.logs["commits"]:
            self.step("commits")

    def await_all(self) -> None:
        while log := next(iter(self.due()), None):
            self.step(log)

    def close(self) -> None:
        pass


class Steps:
    """What completes overlapping barriers, without threads."""

    def __init__(self, process: Process, most: int, write: Any, complete: Any) -> None:
        self.process, self.most, self.write, self.complete = process, most, write, complete
        self.barriers: list[Any] = []
        self.unwritten: list[Any] = []
        self.has_failed = False

    @property
    def count(self) -> int:
        return len(self.barriers)

    def check(self) -> None:
        assert not self.has_failed

    def add(self, barrier: Any) -> None:
        self.barriers.append(barrier)
        self.unwritten.append(barrier)
        while self.process.rng.random() < 0.6:
            self.step()

    def step(self) -> None:
        logs = self.process.logs
        may: list[Callable[[], None]] = [lambda log=log: logs.step(log) for log in logs.due()]
        may += [lambda one=one: self.written(one) for one in self.unwritten]
        if self.barriers and self.barriers[0] not in self.unwritten:
            may.append(self.completed)
        if may:
            try:
                self.process.rng.choice(may)()
            except Exception:
                self.has_failed = True
                raise

    def written(self, barrier: Any) -> None:
        self.write(barrier)
        self.unwritten.remove(barrier)

    def completed(self) -> None:
        self.complete(self.barriers[0])
        self.barriers.pop(0)

    def wait(self, stopping: Callable[[], bool]) -> float:
        while len(self.barriers) > self.most:
            self.step()
        return 0.0

    def drain(self) -> None:
        while self.barriers:
            self.step()

    def close(self) -> None:
        pass


class Offsets(MemoryFolder):
    """The offset log as its process sees it."""

    def __init__(self, logs: StepLogs) -> None:
        super().__init__("mem:/home/offsets")
        self.logs = logs

    def read(self, name: str) -> bytes | None:
        return self.logs.read(name)


class Process:
    """Spark and the JVM: the state is the rows seen so far, a commit's id names it.

    Args:
        overlap: so many checkpoints may be unfinished when the next barrier begins.
    """

    def __init__(
        self,
        world: World,
        every: int,
        die: tuple[str, int] = ("", 0),
        retain: int = 100,
        overlap: int = 0,
    ) -> None:
        self.world, self.every, self.point, self.overlap = world, every, die[0], overlap
        self.passages = die[1]
        self.logs = StepLogs(self)
        self.rng = random.Random(0)
        self.number = 0
        self.numbers: dict[int, str] = {}
        self.held: dict[str, None] = {}
        self.logged: tuple[int, int] | None = None
        known = EpochLog(world.home.child("epochs"))
        known.through(Seen(world.home).child("epochs")).counted()
        self.claim = Claim(world.home)
        root = Held(world.root)
        home = root.child("groundswell")
        last = take_over(home, self.claim, known)
        newest = last.epoch if last else None
        start = checkpoints.settle(root, home, newest, every, self.claim)
        self.marks = Checkpoints(world.home, every, self.claim.token, start)
        self.log = AheadLog(world.home.child("epochs"), str(id(self)), self.claim, world.small)
        if last is not None:
            self.log.publish(last)
        self.handler = BarrierHandler(
            self,
            self.log,
            Offsets(self.logs),
            BarrierRules(
                sinks={"v": lambda rows, epoch: world.sink.append((epoch, rows))},
                retention=Retention(epochs=retain, every=1),
                overlap=self.overlap_rules() if overlap else None,
                beside=False,  # a seed is to give the same run each time
            ),
            ProgressLog([]),
            self.marks,
        )

    def overlap_rules(self) -> OverlapRules:
        def flight(most: int, write: Any, complete: Any, failed: Any) -> Any:
            return Steps(self, most, write, complete)

        return OverlapRules(self.overlap, self.logs, print, flight)

    # The runner.

    def run(self, request: BarrierRequest, batch: Any) -> BarrierResult:
        base = request.base
        before = base["s"][0].version if base else 0
        known = base["s"][0].id if base else None
        if known is not None and known not in self.world.stored and known not in self.held:
            raise VersionUnavailable(f"no {known}")
        assert batch[0] == before, f"rows {batch} on a state of {before} rows"
        self.world.attempts += 1
        name = f"{self.world.attempts}:{batch[0]}-{batch[1]}"
        is_durable = request.durable and not request.overlaps
        (self.world.stored.add if is_durable else lambda n: self.held.update({n: None}))(name)
        self.number += 1
        self.numbers[self.number] = name
        return BarrierResult(
            commits={"s": (CommitRef(batch[1], name, 0, 0),), "still": STILL},
            operators={},
            sources={},
            read_micros={},
            event_times={},
            millis=BarrierMillis(0, 0),
            taken=(f"t/rows/{request.epoch}",),
            waiting=(self.number,) if request.overlaps else (),
        )

    def write(self, waiting: Sequence[int]) -> None:
        for number in waiting:
            self.world.stored.add(self.numbers[number])
            del self.held[self.numbers[number]]

    def give_up(self, waiting: Sequence[int]) -> None:
        for number in waiting:
            del self.held[self.numbers[number]]

    def persist(self, commits: AheadCommits) -> None:
        self.world.stored |= {entry.id for entry in commits.states["s"]}
        for entry in commits.states["s"]:
            assert entry.id in self.held
            del self.held[entry.id]

    def forget(self, commits: AheadCommits) -> None:
        for entry in commits.states["s"]:
            self.held.pop(entry.id, None)

    def changelog(self, view: str, manifest: EpochManifest) -> list[int]:
        name = manifest.commits["s"][0].id
        assert name in self.world.stored, "a sink was given what is not durable"
        begin, end = name.partition(":")[2].split("-")
        return list(range(int(begin), int(end)))

    def retire(
        self, epoch: int, newest: Commits, oldest: EpochManifest, whole: int, base: Commits
    ) -> None:
        pass

    def fail_point(self, name: str) -> None:
        if self.overlap and name in POINTS and name != "after_mark":  # logs are written meanwhile
            while self.logs.due() and self.rng.random() < 0.4:
                self.logs.step(self.rng.choice(self.logs.due()))
        if name == self.point:
            self.passages -= 1
            if self.passages == 0:
                raise DiedError(name)

    # Spark.

    def batches(self, count: int, rng: random.Random) -> None:
        """The next batches; one that has no commit is repeated first. Logs are read once."""
        offsets, commits = self.world.root.child("offsets"), self.world.root.child("commits")
        self.rng = rng
        for _ in range(count):
            if self.logged is None:
                self.logged = (
                    max(map(int, offsets.names()), default=-1),
                    max(map(int, commits.names()), default=-1),
                )
            planned, done = self.logged
            start = self.end_of(done if planned == done else planned - 1)  # whatever done is
            if planned == done:
                rows = self.world.rows + rng.randint(1, 3)
                planned += 1
                document = {"batchTimestampMs": 1, "rows": rows}
                data = json.dumps(document).encode()
                if self.overlap:
                    self.logs.add("offsets", planned, data)
                else:
                    self.claim.check()
                    if not offsets.put_new(str(planned), data):
                        raise ConcurrentUpdateError(planned)
                self.world.rows = max(rows, self.world.rows)  # another run may have seen more
                self.logged = (planned, done)
            self.handler(planned, (start, self.end_of(planned)))
            self.fail_point("after_mark")
            if self.overlap:
                self.logs.add("commits", planned, b"v1")
            else:
                self.claim.check()
                if not commits.put_new(str(planned), b""):
                    raise ConcurrentUpdateError(planned)
            self.logged = (planned, planned)

    def end_of(self, batch: int) -> int:
        data = self.logs.read(str(batch))
        return 0 if data is None else int(json.loads(data)["rows"])


def delivered(world: World) -> list[int]:
    """The rows that the sink has, a repeated epoch counted once; it must be the same again."""
    last: dict[int, list[int]] = {}
    for epoch, rows in world.sink:
        assert last.setdefault(epoch, rows) == rows, f"epoch {epoch} came with other rows"
    assert sorted(last) == list(range(len(last))), "an epoch was left out"
    return [row for epoch in sorted(last) for row in last[epoch]]


def check(world: World) -> None:
    newest = world.log.newest()
    assert newest.commits["s"][0].version == world.rows
    for epoch in world.log.epochs():  # as who has read none before sees them
        found = EpochLog(world.home.child("epochs")).get(epoch)
        assert found.commits["s"][0].version == world.end_of(epoch)
        assert found.commits["still"] == STILL
    assert delivered(world) == list(range(world.rows))


def test_k_minus_one_barriers_wait_for_the_next_checkpoint() -> None:
    world = World()
    process = Process(world, 3)
    published = []
    for _ in range(8):
        process.batches(1, random.Random(1))
        published.append(world.log.epochs()[-1])
        assert process.log.newest().epoch == len(published) - 1, "this process sees every barrier"
        assert [epoch for epoch, _ in world.sink] == world.log.epochs()
    assert published == [0, 0, 0, 3, 3, 3, 6, 6]
    process.handler.finish()
    assert world.log.epochs() == list(range(8))
    assert not process.held
    check(world)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("passage", [1, 2, 3, 5])
def test_a_restart_runs_at_most_k_barriers_again(point: str, passage: int) -> None:
    world = World()
    rng = random.Random(passage)
    dying = Process(world, 3, (point, passage))
    with pytest.raises(DiedError):
        dying.batches(20, rng)
    epochs = world.log.epochs()
    ran = max(map(int, world.root.child("offsets").names()))
    assert ran - (epochs[-1] if epochs else -1) <= 3
    again = Process(world, 3)
    again.batches(7, rng)
    again.handler.finish()
    check(world)
    repeated = len(world.sink) - len(world.log.epochs())
    assert repeated <= (1 if point in ("before_publish", "after_delivery") else 0)


@pytest.mark.parametrize("number", range(60))  # processes side by side must collect the same names
def test_any_deaths_with_any_k(number: int) -> None:
    seed = SEED + number
    print(f"seed {seed}")
    rng = random.Random(seed)
    world = World(small=number % 2 == 0)
    deaths = 0
    for _ in range(12):
        every = rng.choice([1, 2, 3, 7])
        process = Process(world, every, (rng.choice(POINTS), rng.randint(1, 9)))
        try:
            process.batches(rng.randint(1, 12), rng)
            if rng.random() < 0.5:
                process.handler.finish()
        except DiedError:
            deaths += REPEATS[every > 1]
    last = Process(world, rng.choice([1, 4]))
    last.batches(2, rng)
    last.handler.finish()
    check(world)
    assert len(world.sink) - len(world.log.epochs()) <= deaths


OVERLAP_POINTS = ["after_write", "before_log", "after_log", *POINTS]


def check_logs(world: World) -> None:
    """Storage says of no batch that it is done before its epoch is published and delivered."""
    done = [int(batch) for batch in world.root.child("commits").names()]
    epochs = world.log.epochs()
    assert max(done, default=-1) <= max(epochs, default=-1)
    assert max(epochs, default=-1) - max(done, default=-1) <= 3
    assert {epoch for epoch, _ in world.sink} >= set(done)
    offsets = sorted(int(batch) for batch in world.root.child("offsets").names())
    assert offsets == list(range(len(offsets))), "a batch is planned on one that is not"
    assert set(epochs) <= set(offsets)


@pytest.mark.parametrize("number", range(150))
def test_any_deaths_with_overlapping_checkpoints(number: int) -> None:
    seed = SEED + number
    print(f"seed {seed}")
    rng = random.Random(seed)
    world = World(small=number % 2 == 0)
    ends = 0
    for _ in range(10):
        every, overlap = rng.choice([(1, 1), (1, 2), (1, 4), (1, 0), (3, 0)])
        die = (rng.choice(OVERLAP_POINTS), rng.randint(1, 20))
        process = Process(world, every, die, overlap=overlap)
        try:
            process.batches(rng.randint(1, 12), rng)
            if rng.random() < 0.5:
                process.handler.finish()
            else:
                ends += REPEATS[every > 1]
        except DiedError:
            ends += REPEATS[every > 1]
        process.logs.end()
        if every == 1:
            check_logs(world)
    last = Process(world, 1, overlap=rng.choice([0, 3]))
    last.batches(2, rng)
    last.handler.finish()
    check(world)
    assert len(world.sink) - len(world.log.epochs()) <= ends


def test_an_epoch_is_seen_once_it_is_durable_and_others_are_computed_meanwhile() -> None:
    world = World()
    process = Process(world, 1, overlap=2)
    process.rng.random = lambda: 1.0  # type: ignore[method-assign] - no step before it must be
    rng = random.Random(1)
    rng.random = lambda: 1.0  # type: ignore[method-assign]
    process.batches(2, rng)
    assert (world.log.epochs(), len(process.held)) == ([], 2)
    process.batches(1, rng)
    assert world.log.epochs() == [0]
    process.handler.finish()
    assert world.log.epochs() == [0, 1, 2]
    assert not process.held
    assert world.root.child("commits").names() == ["0", "1", "2"]
    check(world)


def test_what_is_in_flight_is_given_up_at_a_close_and_computed_again() -> None:
    world = World()
    process = Process(world, 1, ("before_publish", 1), overlap=4)
    with pytest.raises(DiedError):
        process.batches(30, random.Random(5))
    process.handler.finish()
    assert world.log.epochs() == []
    process.handler.close()
    assert not process.held
    again = Process(world, 1, overlap=4)
    again.batches(3, random.Random(6))
    again.handler.finish()
    check(world)


def test_a_clean_end_delivers_nothing_twice() -> None:
    world = World()
    for every in (4, 4, 1, 4):
        process = Process(world, every)
        process.batches(6, random.Random(2))
        process.handler.finish()
    check(world)
    assert len(world.sink) == len(world.log.epochs()) == 24


def test_after_a_failed_checkpoint_the_end_publishes_nothing() -> None:
    world = World()
    process = Process(world, 3, ("after_publish", 2))
    with pytest.raises(DiedError):
        process.batches(9, random.Random(3))
    process.handler.finish()
    assert world.log.epochs() == [0, 1]
    process.handler.close()
    assert process.log.epochs() == [0, 1]


def test_what_is_lost_with_its_process_is_named() -> None:
    world = World()
    process = Process(world, 4)
    process.batches(2, random.Random(4))
    process.held.clear()
    with (
        reaches(marks.Mark.COMMIT_AHEAD_IS_LOST),
        pytest.raises(CheckpointLost, match="epoch 2 builds on epoch 1"),
    ):
        process.batches(1, random.Random(4))
    Process(world, 4).batches(3, random.Random(4))


def test_files_of_tables_go_when_an_overlapping_checkpoint_is_recorded() -> None:
    world = World()
    rows = world.home.child("tables").child("t").child("rows")
    process = Process(world, 1, overlap=2)
    for batch in range(5):
        rows.put(str(batch), b"")
        process.batches(1, random.Random(batch))
        done = max(map(int, world.root.child("commits").names()), default=-1)
        assert {int(name) for name in rows.names()} >= set(range(done + 1, batch + 1))
    process.handler.finish()
    assert rows.names() == []


def test_files_of_tables_go_one_checkpoint_later() -> None:
    world = World()
    rows = world.home.child("tables").child("t").child("rows")
    process = Process(world, 2)
    for batch in range(5):
        rows.put(str(batch), b"")
        process.batches(1, random.Random(5))
    # checkpoints were at epochs 0, 2 and 4; a restart could still repeat batch 4
    assert checkpoints.load(world.home) == Mark(4, ("t/rows/3", "t/rows/4"))
    assert rows.names() == ["3", "4"]
    Process(world, 1)
    assert rows.names() == []
    assert checkpoints.load(world.home) is None


def test_made_by_names_each_new_commit_once() -> None:
    def commits(*ids: str | None) -> tuple[CommitRef, ...]:
        return tuple(CommitRef(0 if i is None else int(i[1:]), i, 0, 0) for i in ids)

    def manifest(epoch: int, states: Mapping[str, Any]) -> EpochManifest:
        return EpochManifest(epoch, states, "", {}, {}, 0, 0, 0)

    found = made_by(
        {"a": commits("x1", None)},
        [
            manifest(1, {"a": commits("x1", "y1"), "b": commits(None)}),
            manifest(2, {"a": commits("x2", "y1"), "b": commits("z1")}),
        ],
    )
    assert found.states == {
        "a": (AheadCommit(1, 1, "y1"), AheadCommit(0, 2, "x2")),
        "b": (AheadCommit(0, 1, "z1"),),
    }


def manifest_of(epoch: int) -> EpochManifest:
    return EpochManifest(
        epoch=epoch,
        commits={},
        offsets="",
        operators={},
        sources={},
        started_millis=0,
        published_millis=0,
        compute_millis=0,
    )


def published(*epochs: int, commits: int) -> MemoryFolder:
    root = MemoryFolder("mem:/c")
    log = EpochLog(root.child(FOLDER).child(EPOCHS), Claim(root.child(FOLDER)))
    for epoch in epochs:
        log.publish(manifest_of(epoch))
    for batch in range(commits):
        root.child("commits").put(str(batch), b"v1\n{}")
    return root


def test_a_reader_refuses_a_location_whose_newest_epoch_is_lost() -> None:
    """The epoch before was shown as the newest, in silence."""
    root = published(0, 1, 2, commits=3)
    home = root.child(FOLDER)
    checkpoints.check_newest(root, home)
    name = home.child(EPOCHS).names()[-1]
    home.child(EPOCHS).delete(name)
    with pytest.raises(EpochUnavailable, match=r"epoch 2 was published, and .*-\*\.json is not"):
        checkpoints.check_newest(root, home)


def test_commits_between_checkpoints_are_not_taken_for_lost_epochs() -> None:
    root = published(0, 1, commits=6)  # Spark's log runs ahead of what is durable
    home = root.child(FOLDER)
    checkpoints.store(home, checkpoints.Mark(1), 1)
    checkpoints.check_newest(root, home)
    checkpoints.store(home, checkpoints.Mark(4), 1)
    with pytest.raises(EpochUnavailable, match="epoch 4 was published"):
        checkpoints.check_newest(root, home)


def test_an_epoch_that_is_published_meanwhile_is_not_lost() -> None:
    root = published(0, 1, commits=1)  # it is in the log of epochs, and not in Spark's yet
    checkpoints.check_newest(root, root.child(FOLDER))
