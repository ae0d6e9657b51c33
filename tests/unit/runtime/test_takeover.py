"""Two runs on one location, one of them stopped at any request and continued later."""

from __future__ import annotations

import os
import random
import threading
from typing import Any

import pytest

from cases import first_of
from groundswell.errors import EpochUnavailable, Fenced, OffsetsRewound
from groundswell.marks import Mark
from groundswell.runtime.gc.orphans import forgotten
from groundswell.runtime.ownership.takeover import take_over
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.slots import counted, slot_name, slot_of
from reaching import reaches
from unit.runtime.checkpoint_world import (
    ConcurrentUpdateError,
    Process,
    World,
    check,
)
from unit.runtime.folders import Claim

KINDS: list[tuple[Any, ...]] = [(3,), (1, ("", 0), 100, 1), (1, ("", 0), 100, 3)]
"""Of processes whose logs run ahead: checkpoints at every third barrier, or overlapping ones."""
SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))


class Stopped(threading.Thread):
    """Runs batches of a process until it ends, standing still before its n-th request.

    With ``logs`` only what it creates in Spark's logs is counted.
    """

    def __init__(
        self, process: Process, rng: random.Random, requests: int, logs: bool = False
    ) -> None:
        super().__init__(daemon=True)
        self.process, self.rng, self.left, self.logs = process, rng, requests, logs
        self.halted, self.go_on = threading.Event(), threading.Event()
        self.error: Exception | None = None
        self.deleted: list[str] = []

    def before(self, what: str, name: str) -> None:
        if threading.current_thread() is not self:
            return
        if self.logs and not (what == "put" and name.isdecimal()):
            return
        self.left -= 1
        if self.left == 0:
            self.halted.set()
            assert self.go_on.wait(60)
        if self.left < 0 and what == "delete":
            self.deleted.append(name)

    def run(self) -> None:
        try:
            self.process.batches(40, self.rng)
        except Exception as e:  # noqa: BLE001 - how it ends is what the test asks
            self.error = e
            try:  # as a query does with any failure
                self.process.claim.check()
            except Fenced as fenced:
                self.error = fenced
        self.process.logs.end()
        self.halted.set()


# Numbers: processes side by side collect the same names.
@pytest.mark.parametrize("number", first_of(range(150), 40))
def test_whoever_starts_last_wins(number: int) -> None:
    seed = SEED + number
    print(f"seed {seed}")
    rng = random.Random(seed)
    stopped: Stopped | None = None
    world = World(
        lambda what, name: stopped.before(what, name) if stopped else None, number % 2 == 0
    )
    every, retain = rng.choice([1, 1, 3]), rng.choice([2, 4, 100])
    overlap = rng.choice([0, 1, 3]) if every == 1 else 0
    Process(world, every).batches(rng.randint(0, 3), rng)
    older = Process(world, every, retain=retain, overlap=overlap)
    older.batches(rng.randint(0, 4), rng)
    stopped = Stopped(older, random.Random(seed), rng.randint(1, 80))
    stopped.start()
    assert stopped.halted.wait(60)

    newer = Process(world, every, retain=retain, overlap=overlap)
    published = of_token(world, older)
    newer = batches(world, newer, rng, rng.randint(0, 12), retain)
    stopped.go_on.set()
    stopped.join(60)
    assert isinstance(stopped.error, Fenced), stopped.error
    assert of_token(world, older) <= published, "the older run has published since"
    finished(world, newer, rng, 4, retain)
    check(world)
    forget_some(world, rng)
    for name in stopped.deleted:
        slot = slot_of(name)
        assert slot is None or slot[0] not in world.log.epochs()


@pytest.mark.parametrize("number", first_of(range(150), 40))
def test_an_older_run_that_goes_on_when_the_newer_has_ended(number: int) -> None:
    """It is stopped before it writes to a log of Spark's, and the third run finds what it wrote."""
    seed = SEED + number
    print(f"seed {seed}")
    rng = random.Random(seed)
    stopped: Stopped | None = None
    left = -1

    def before(what: str, name: str) -> None:
        nonlocal left
        if stopped is not None and threading.current_thread() is stopped:
            stopped.before(what, name)
        elif left >= 0:
            left -= 1
            if left < 0:
                goes_on(stopped)

    world = World(before, number % 2 == 0)
    older = Process(world, *rng.choice(KINDS))
    older.batches(rng.randint(0, 4), rng)
    stopped = Stopped(older, random.Random(seed), rng.randint(1, 12), logs=True)
    stopped.start()
    assert stopped.halted.wait(60)

    newer = Process(world, *rng.choice([*KINDS, (1,), (7,)]))
    newer = batches(world, newer, rng, rng.randint(0, 6), 100)
    if rng.random() < 0.5:
        newer.handler.finish()
    published = of_token(world, older)
    left = rng.randint(0, 40)  # before any request of the third run, in its start or later
    kind = rng.choice([(1,), (1,), *KINDS])
    for attempt in range(3):  # its start may fail once
        try:
            third = Process(world, *kind)
            third.batches(2, rng)
            break
        except (ConcurrentUpdateError, OffsetsRewound, EpochUnavailable):
            assert attempt < 2
    left = -1
    goes_on(stopped)
    assert isinstance(stopped.error, Fenced), stopped.error
    assert of_token(world, older) <= published, "the older run has published since"
    last = Process(world, *kind)
    finished(world, last, rng, 4, 100)
    check(world)


def goes_on(stopped: Stopped | None) -> None:
    """And comes to its end."""
    assert stopped is not None
    stopped.go_on.set()
    stopped.join(60)


def batches(world: World, process: Process, rng: random.Random, count: int, retain: int) -> Process:
    """As a query does, starts again if an older run has written what comes next.

    With checkpoints at every k-th barrier logs are taken back by a start. If the older run writes
    between that and the moment in which Spark reads its logs, whoever started must start again.
    """
    overtaken: tuple[type[Exception], ...] = (ConcurrentUpdateError,)
    if process.every > 1 or process.overlap:
        overtaken += (OffsetsRewound, EpochUnavailable)
    for _ in range(count):
        try:
            process.batches(1, rng)
        except overtaken:
            process.logs.end()
            process = Process(world, process.every, retain=retain, overlap=process.overlap)
            process.batches(1 + (process.overlap > 0), rng)  # others were planned in memory
    return process


def finished(world: World, process: Process, rng: random.Random, count: int, retain: int) -> None:
    """As above, to a clean end: overlapping checkpoints may be found to be overtaken only then."""
    for _ in range(3):
        process = batches(world, process, rng, count, retain)
        try:
            process.handler.finish()
            return
        except ConcurrentUpdateError:
            process.logs.end()
            process = Process(world, process.every, retain=retain, overlap=process.overlap)
    raise AssertionError("overtaken again and again")


def forget_some(world: World, rng: random.Random) -> None:
    """Whichever slots that do not count go, the others count as before."""
    before, folder = world.log.counted(), world.home.child("epochs")
    slots = forgotten(world.log.slots(), before)
    for slot in rng.sample(sorted(slots), rng.randint(0, len(slots))):
        folder.delete(slot_name(*slot))
        assert world.log.counted() == before, slot


def of_token(world: World, process: Process) -> set[int]:
    """The epochs that a process has published."""
    slots = [slot for slot in world.log.slots() if slot[1] == process.claim.token]
    return {epoch for epoch, token in slots if world.log.read((epoch, token)) is not None}


def test_names_tell_what_counts() -> None:
    assert counted([]) == {}
    assert counted([(0, 0), (1, 0)]) == {0: 0, 1: 0}
    assert counted([(3, 1), (4, 1), (4, 2), (5, 2)]) == {3: 1, 4: 2, 5: 2}
    with reaches(Mark.OLDER_SLOT_IGNORED):
        assert counted([(3, 1), (4, 1), (3, 2)]) == {3: 2}, "the older owner was closed at 4"
    assert counted([(3, 1), (4, 1), (3, 2), (3, 3), (4, 3)]) == {3: 3, 4: 3}
    with reaches(Mark.EPOCHS_BELOW_A_GAP):
        assert counted([(4, 1), (9, 2), (10, 2)]) == {9: 2, 10: 2}, "a closed slot that is left"


def test_runs_that_published_nothing_are_closed_too() -> None:
    world = World()
    claims = [Claim(world.home) for _ in range(3)]
    assert take_over(world.home, claims[2]) is None
    for claim in claims[:2]:
        with pytest.raises(Fenced):
            publish(world, claim, 0)
    publish(world, claims[2], 0)
    publish(world, claims[2], 1)
    early, late = Claim(world.home), Claim(world.home)
    last = take_over(world.home, late)
    assert last is not None and last.epoch == 1
    with reaches(Mark.NEWEST_SLOT_IS_CLOSED):
        assert world.log.epochs() == [0, 1]
    assert take_over(world.home, early) is not None
    with reaches(Mark.SLOT_WAS_CLOSED_BY_A_LATER_RUN), pytest.raises(Fenced):
        publish(world, early, 1)
    publish(world, late, 1)
    assert [world.log.get(e).token for e in world.log.epochs()] == [3, 5]


def publish(world: World, claim: Claim, epoch: int) -> None:
    log = EpochLog(world.home.child("epochs"), claim)
    log.publish(EpochManifest(epoch, {}, "", {}, {}, 0, 0, 0))


def test_what_an_older_run_publishes_in_time_is_what_the_later_one_builds_on() -> None:
    """It publishes twice before its slot is closed: after the later run has listed the epochs."""
    world = World()
    older = Claim(world.home)
    publish(world, older, 0)
    later = Claim(world.home)
    due = [1, 2]

    def before(what: str, name: str) -> None:
        if what == "put" and due and name == slot_name(due[0], older.token):
            publish(world, older, due.pop(0))

    world.home.child("epochs").before = before
    with reaches(Mark.OLDER_RUN_PUBLISHED_IN_TIME):
        last = take_over(world.home, later)
    assert last is not None and last.epoch == 2
    with pytest.raises(Fenced):
        publish(world, older, 3)
    publish(world, later, 2)
    publish(world, later, 3)
    assert world.log.counted() == {0: 1, 1: 1, 2: 2, 3: 2}
