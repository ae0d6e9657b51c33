"""Epochs of large locations: told against a base, read back as they were."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest

from groundswell.contract.barrier import OperatorTotals
from groundswell.contract.commits import CommitRef
from groundswell.errors import Corruption, EpochUnavailable
from groundswell.format.envelope import (
    FORMAT_VERSION,
    LOADING_VERSION,
    PACKED_VERSION,
    SHARED_VERSION,
)
from groundswell.marks import Mark
from groundswell.runtime.record.epochs import BASE_EVERY, SMALL, EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS
from groundswell.runtime.record.manifests import LOADED
from groundswell.runtime.record.published import Published
from groundswell.runtime.record.slots import base_slot_of, slot_of
from reaching import reaches
from unit.runtime.folders import Claim, MemoryFolder

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))


def first(states: int = 4, partitions: int = 8) -> EpochManifest:
    return EpochManifest(
        epoch=0,
        commits={f"s{n}": (CommitRef(0, None, 0, 0),) * partitions for n in range(states)},
        offsets="",
        operators={str(n): OperatorTotals() for n in range(states)},
        sources={"t": 3},
        started_millis=1,
        published_millis=2,
        compute_millis=3,
        views={f"v{n}": f"s{n}" for n in range(states)},
        clock_micros=4,
        times={"wait": 5},
        refresh={"views": {"v0": {"choice": "full"}}, "figures": {}},
    )


def following(before: EpochManifest, rng: random.Random) -> EpochManifest:
    """A barrier that changes nothing, one partition, some, or all, and seldom the states."""
    commits, operators = dict(before.commits), {}
    share = rng.choice([0.0, 0.0, 0.02, 0.02, 0.02, 0.3, 1.0])
    for state, was in before.commits.items():
        commits[state] = tuple(
            CommitRef(c.version + 1, f"{rng.random()}", rng.randint(0, 9), rng.randint(0, 99))
            if rng.random() < share
            else c
            for c in was
        )
        rows, size = (sum(getattr(c, n) for c in commits[state]) for n in ("rows", "bytes"))
        done = 0 if commits[state] == was else rng.randint(0, 3)
        operators[state[1:]] = OperatorTotals(done, done, state_rows=rows, state_bytes=size)
    views = dict(before.views)
    if rng.random() < 0.1:
        name = str(rng.randint(10, 99))
        commits[f"s{name}"] = (CommitRef(1, "new", 1, 1),) * rng.randint(1, 9)
        operators[name] = OperatorTotals(1, 1)
        views[f"v{name}"] = f"s{name}"
    if rng.random() < 0.1 and len(commits) > 2:
        gone = rng.choice(sorted(commits))
        del commits[gone], operators[gone[1:]]
        views = {v: s for v, s in views.items() if s != gone}
    return replace(
        before, epoch=before.epoch + 1, commits=commits, operators=operators, views=views
    )


@pytest.mark.parametrize("number", range(40))
def test_every_epoch_that_is_kept_reads_as_it_was_published(number: int) -> None:
    rng = random.Random(SEED + number)
    folder = MemoryFolder("mem:/c/epochs")
    manifest, kept = first(), {}
    claim = Claim(folder)
    log = EpochLog(folder, claim, small=rng.choice([0, 20]))
    retain = rng.choice([1, 2, 5, 30])
    for _ in range(60):
        if rng.random() < 0.05:  # another owner goes on, from the last epoch as its own
            claim = Claim(folder)
            log = EpochLog(folder, claim, small=0)
        else:
            manifest = following(manifest, rng) if kept else manifest
        log.publish(manifest)
        kept[manifest.epoch] = replace(manifest, token=claim.token)
        gone = sorted(epoch for epoch in kept if epoch <= manifest.epoch - retain)
        for old in gone:
            del kept[old]
        if rng.random() < 0.5:
            assert log.retire(gone, min(kept)) == kept[min(kept)]
        else:
            for old in gone:
                log.forget_epoch(old)
        if rng.random() < 0.3:
            log.forget_bases(min(kept))
            reader = EpochLog(folder)
            assert reader.epochs() == sorted(kept), f"seed {SEED}"
            for epoch, published in kept.items():
                assert reader.get(epoch) == published, f"seed {SEED + number}"


def quiet(count: int) -> tuple[MemoryFolder, EpochLog, EpochManifest]:
    """Epochs of which each changes one partition of a state."""
    folder = MemoryFolder("mem:/c/epochs")
    log, manifest = EpochLog(folder, Claim(folder), small=0), first()
    log.publish(manifest)
    for epoch in range(1, count):
        changed = (CommitRef(epoch, f"i{epoch}", 1, 1), *manifest.commits["s0"][1:])
        manifest = replace(manifest, epoch=epoch, commits={**manifest.commits, "s0": changed})
        log.publish(manifest)
    return folder, log, manifest


def test_a_base_is_written_anew_after_so_many_epochs_and_goes_with_those_told_against_it() -> None:
    folder, log, _ = quiet(2 * BASE_EVERY + 2)
    bases = sorted(filter(None, map(base_slot_of, folder.objects)))
    assert bases == [(1, 1), (1 + BASE_EVERY, 1), (1 + 2 * BASE_EVERY, 1)]
    for oldest, left in ((BASE_EVERY, 3), (1 + BASE_EVERY, 2), (1 + 2 * BASE_EVERY, 1)):
        for epoch in log.epochs():
            if epoch < oldest:
                log.forget_epoch(epoch)
        log.forget_bases(oldest)
        assert len(list(filter(None, map(base_slot_of, folder.objects)))) == left
        assert EpochLog(folder).get(oldest).commits["s0"][0].version == oldest


def test_retiring_lists_the_folder_once() -> None:
    folder, log, _ = quiet(12)
    asked: list[str] = []
    folder.before = lambda what, name: asked.append(f"{what} {name}")
    assert log.retire(range(8), 8).epoch == 8
    assert asked.count("list ") == 1
    deleted = [what for what in asked if what.startswith("delete ")]
    assert deleted == [f"delete {epoch:020d}-{1:020d}.json" for epoch in range(8)], "in order"
    assert log.epochs() == [8, 9, 10, 11]


def test_an_epoch_is_opened_with_three_reads() -> None:
    folder, _, manifest = quiet(9)
    reads: list[str] = []
    folder.before = lambda what, name: reads.append(name) if what == "read" else None
    assert EpochLog(folder).newest().commits == manifest.commits
    assert len(reads) == 2
    reads.clear()
    assert EpochLog(folder).get(5).commits["s0"][0].version == 5
    assert len(reads) == 3


def test_a_base_that_is_lost_or_damaged_is_named() -> None:
    folder, log, _ = quiet(9)
    name = next(name for name in folder.objects if base_slot_of(name))
    data = folder.objects.pop(name)
    with pytest.raises(
        Corruption, match=rf"0+8-0+1\.json is computed against {name}, which is not"
    ):
        EpochLog(folder).newest()
    folder.objects[name] = data.replace(b'"s1"', b'"sx"', 1)
    with pytest.raises(Corruption, match=f"{name} is not what was written"):
        EpochLog(folder).newest()
    folder.objects[name] = data
    log.forget_epoch(0)
    assert EpochLog(folder).newest().epoch == 8


def test_an_epoch_that_is_retired_while_it_is_read_is_no_damage() -> None:
    folder, _, _ = quiet(9)
    reader = EpochLog(folder)

    def retired(what: str, name: str) -> None:
        if what == "read" and base_slot_of(name):
            folder.objects.clear()

    folder.before = retired
    with (
        reaches(Mark.EPOCH_RETIRED_WHILE_READ),
        pytest.raises(EpochUnavailable, match="epoch 5 is not in"),
    ):
        reader.get(5)


def test_only_epochs_of_large_locations_are_kept_from_older_releases() -> None:
    folder, _, _ = quiet(3)
    assert {version(folder, name) for name in folder.objects} == {PACKED_VERSION}
    small = MemoryFolder()
    EpochLog(small, Claim(small)).publish(first())
    assert [version(small, n) for n in small.objects if slot_of(n)] == [FORMAT_VERSION]


def test_epochs_whose_commits_share_objects_are_kept_from_older_releases() -> None:
    ref = CommitRef(1, "001000000005deadbeef", 1, 1)
    for small in (0, SMALL):
        folder = MemoryFolder()
        log = EpochLog(folder, Claim(folder), small)
        told = first()
        log.publish(told)
        assert SHARED_VERSION not in {version(folder, name) for name in folder.objects}
        for epoch in range(1, 5):  # with a base, where the location is large
            told = replace(told, epoch=epoch, commits={**told.commits, "s1": (ref,) * 8})
            log.publish(told)
        later = [name for name in folder.objects if int(name[:20]) > 0]
        assert {version(folder, name) for name in later} == {SHARED_VERSION}
        assert any(base_slot_of(name) for name in later) == (small == 0)
        assert EpochLog(folder).newest().commits == told.commits


def test_epochs_of_a_first_load_are_kept_from_readers_and_from_older_releases() -> None:
    home = MemoryFolder()
    folder = home.child(EPOCHS)
    log = EpochLog(folder, Claim(home))
    log.publish(replace(first(), loaded=37.5))
    assert {version(folder, name) for name in folder.objects} == {LOADING_VERSION}
    assert EpochLog(folder).newest().loaded == 37.5
    for epoch in (None, 0):
        with pytest.raises(EpochUnavailable, match="epoch 0 has 38 % of the first load"):
            Published(home, "here", epoch)
    whole = replace(first(), epoch=1, loaded=LOADED)
    log.publish(whole)
    assert not EpochLog(folder).newest().loads
    assert {version(folder, name) for name in folder.objects} == {LOADING_VERSION, FORMAT_VERSION}


def version(folder: MemoryFolder, name: str) -> int:
    return int(folder.objects[name].split(b'"formatVersion":')[1][:1])
