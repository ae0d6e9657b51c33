"""A storage, a JVM and a Spark that only keep logs, for tests of checkpoints and rivals.

The simulated Spark does what the real one does with its logs: it notes the offsets of a batch,
hands it over, notes its commit, and starts where they end. Where checkpoints overlap what their
threads do is done step by step, in an order that a seed tells.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from groundswell.contract.barrier import BarrierMillis, BarrierRequest, BarrierResult
from groundswell.contract.commits import CommitRef, Commits, PendingCommits
from groundswell.errors import VersionUnavailable
from groundswell.runtime.barriers.barrier import BarrierHandler, BarrierRules
from groundswell.runtime.barriers.overlap import OverlapRules
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.gc.retention import Retention
from groundswell.runtime.ownership.takeover import take_over
from groundswell.runtime.record import checkpoints
from groundswell.runtime.record.checkpoints import Checkpoints
from groundswell.runtime.record.epochs import SMALL, EpochLog, EpochManifest
from groundswell.runtime.record.pending_epochs import PendingEpochs
from groundswell.runtime.record.seen import Held, Seen
from unit.runtime.folders import Claim, MemoryFolder

POINTS = ["between_checkpoints", "after_persist", "before_publish", "after_publish"]
POINTS += ["after_delivery", "after_mark"]


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
        self.log = PendingEpochs(world.home.child("epochs"), str(id(self)), self.claim, world.small)
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

    def persist(self, commits: PendingCommits) -> None:
        self.world.stored |= {entry.id for entry in commits.states["s"]}
        for entry in commits.states["s"]:
            assert entry.id in self.held
            del self.held[entry.id]

    def forget(self, commits: PendingCommits) -> None:
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
