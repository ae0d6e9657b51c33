"""Checkpoints at every k-th barrier, and beside barriers, in a simulated world."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from typing import Any

import pytest

from cases import first_of
from groundswell import marks
from groundswell.contract.commits import CommitRef, PendingCommit
from groundswell.errors import CheckpointLost, EpochUnavailable
from groundswell.runtime.record import checkpoints
from groundswell.runtime.record.checkpoints import Mark
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.record.pending_epochs import made_by
from reaching import reaches
from unit.runtime.checkpoint_world import POINTS, DiedError, Process, World, check
from unit.runtime.folders import Claim, MemoryFolder

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
REPEATS = (1, 2)
"""How many epochs may be delivered again after an end: with checkpoints at every k-th barrier a
later start may have to doubt the commit of another one, see ``stale_entries``."""


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


# Numbers: processes side by side must collect the same names.
@pytest.mark.parametrize("number", first_of(range(60), 15))
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


@pytest.mark.parametrize("number", first_of(range(150), 30))
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
        "a": (PendingCommit(1, 1, "y1"), PendingCommit(0, 2, "x2")),
        "b": (PendingCommit(0, 1, "z1"),),
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
