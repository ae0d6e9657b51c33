"""Leases: what they keep, for how long, and that neither side overlooks the other."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial

import pytest

from groundswell.errors import EpochUnavailable, StorageFailed
from groundswell.format.envelope import seal, unseal
from groundswell.marks import Mark
from groundswell.runtime.ownership import leases
from groundswell.runtime.ownership.leases import (
    Lease,
    LowWaterMark,
    RetentionHolds,
    hold,
    leased,
    leases_of,
    low_water_marks_of,
)
from reaching import reaches
from unit.runtime.folders import MemoryFolder


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


def held(home: MemoryFolder) -> list[int]:
    return [lease.epoch for lease in leases_of(home.child("leases").names())]


def test_a_lease_keeps_its_epoch_and_all_after_it() -> None:
    home, clock = MemoryFolder(), Clock()
    lease = Lease(home, 5, seconds=60, clock=clock)
    pins = RetentionHolds(home, 3, clock)
    assert pins.floor(8, 11, 0) == LowWaterMark(5, 11, 3)
    assert pins.floor(9, 12, 5) == LowWaterMark(5, 12, 3)
    lease.end()
    assert pins.floor(9, 12, 5) == LowWaterMark(9, 12, 3)
    assert home.child("leases").names() == [LowWaterMark(9, 12, 3).name]


def test_a_lease_for_a_copy_keeps_operators_own_state_too() -> None:
    home, clock = MemoryFolder(), Clock()
    Lease(home, 10, "whole", 60, clock)
    assert RetentionHolds(home, 1, clock).floor(9, 12, 0) == LowWaterMark(9, 10, 1)


def test_a_dead_reader_keeps_nothing_after_its_time() -> None:
    home, clock = MemoryFolder(), Clock()
    pins = RetentionHolds(home, 1, clock)
    Lease(home, 2, seconds=60, clock=clock)
    clock.now += 60_000
    assert pins.floor(7, 9, 0).epoch == 2, "clocks may differ"
    clock.now += leases.SLACK_MILLIS
    with reaches(Mark.LEASE_IS_OVER):
        assert pins.floor(7, 9, 0).epoch == 7
    assert held(home) == []


def test_a_wrong_clock_keeps_nothing_for_ever() -> None:
    home, clock, wrong = MemoryFolder(), Clock(), Clock()
    wrong.now += 10 * leases.LONGEST_MILLIS
    Lease(home, 2, seconds=1e9, clock=wrong)
    assert RetentionHolds(home, 1, clock).floor(7, 9, 0).epoch == 7
    assert held(home) == []


def test_a_renewed_lease_lasts_longer_and_is_one_document() -> None:
    home, clock = MemoryFolder(), Clock()
    lease = Lease(home, 2, seconds=60, clock=clock)
    clock.now += 50_000
    lease.renew()
    clock.now += 50_000
    assert RetentionHolds(home, 1, clock).floor(7, 9, 0).epoch == 2
    assert held(home) == [2]
    lease.end()
    lease.renew()
    assert held(home) == []


def test_a_lease_is_a_document_with_a_checksum() -> None:
    home = MemoryFolder()
    lease = Lease(home, 2)
    (name,) = home.child("leases").names()
    content = unseal(name, home.child("leases").objects[name], "lease")
    assert content["epoch"] == 2 and content["untilMillis"] == lease.until


def test_an_epoch_below_the_floor_is_refused_with_what_is_there() -> None:
    home = MemoryFolder()
    RetentionHolds(home, 1).floor(7, 9, 0)
    with pytest.raises(EpochUnavailable, match=r"epoch 6 .* cannot be read .* from 7 on"):
        Lease(home, 6)
    with pytest.raises(EpochUnavailable, match=r"epoch 8 .* cannot be copied .* from 9 on"):
        Lease(home, 8, "whole")
    Lease(home, 7)
    Lease(home, 9, "whole")
    assert held(home) == [7, 9], "what was refused left nothing"


def test_a_floor_of_an_older_owner_that_may_still_delete_counts() -> None:
    home = MemoryFolder()
    RetentionHolds(home, 1).floor(7, 9, 0)
    newer = RetentionHolds(home, 2)
    newer.floor(3, 9, 0)
    with pytest.raises(EpochUnavailable):
        Lease(home, 6)
    newer.floor(8, 12, 3)
    assert low_water_marks_of(home.child("leases").names()) == [LowWaterMark(8, 12, 2)]


def round_with(
    home: MemoryFolder, floor: int, steps: dict[int, Callable[[], object]]
) -> tuple[LowWaterMark, int]:
    """A round of retention whose n-th request comes after ``steps[n]``, and its requests."""
    seen = 0

    def before(what: str, name: str) -> None:
        nonlocal seen
        if seen in steps:
            steps[seen]()
        seen += 1

    owner = MemoryFolder("mem:/home", before)
    owner.child("leases").objects = home.child("leases").objects
    return RetentionHolds(owner, 1).floor(floor, floor, 0), seen


REQUESTS = round_with(MemoryFolder(), 7, {})[1]


def beside(
    pool: ThreadPoolExecutor, home: MemoryFolder, kind: str, found: list[Future[Lease]]
) -> None:
    """Takes a lease; one that waits for a floor goes on beside the round."""
    found.append(pool.submit(Lease, home, 5, kind))
    wait(found, 0.02)


@pytest.mark.parametrize("kind", ["read", "whole"])
@pytest.mark.parametrize("leased", range(REQUESTS))
def test_a_reader_of_a_leased_epoch_is_never_refused(kind: str, leased: int) -> None:
    """At whatever moment of a round the lease was taken, and the reader comes."""
    for read in range(leased, REQUESTS):
        home = MemoryFolder()
        held: list[Future[Lease]] = []
        with ThreadPoolExecutor(2) as pool:
            begin = partial(beside, pool, home, kind, held)
            steps: dict[int, Callable[[], object]] = {leased: begin, read: begin}
            if read == leased:
                steps[read] = lambda begin=begin: (begin(), begin())
            floor, _ = round_with(home, 7, steps)
            refused = [lease.exception() is not None for lease in held]
        assert len(refused) == 2
        assert refused[0] or not refused[1], f"read before request {read}"
        assert all(refused) == ((floor.whole if kind == "whole" else floor.epoch) > 5)


def test_ten_thousand_reads_of_a_leased_epoch_beside_rounds() -> None:
    home = MemoryFolder()
    first = Lease(home, 5)
    over = threading.Event()

    def rounds() -> list[int]:
        pins, floors = RetentionHolds(home, 1), []
        while not over.is_set():
            floors.append(pins.floor(7 + len(floors), 9 + len(floors), 1).epoch)
        return floors

    with ThreadPoolExecutor(1) as pool:
        ran = pool.submit(rounds)
        try:
            for _ in range(10_000):
                Lease(home, 5).end()
        finally:
            over.set()
        floors = ran.result()
    assert len(floors) > 100 and set(floors) == {5}
    first.end()
    assert RetentionHolds(home, 1).floor(7, 9, 0).epoch == 7, "and it goes when nobody holds it"


def test_a_reader_does_not_wait_for_ever_for_an_owner_that_died(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = MemoryFolder()

    def die(what: str, name: str) -> None:
        if what == "list" and home.child("leases").objects:
            raise StorageFailed("killed")

    owner = MemoryFolder("mem:/home", die)
    owner.child("leases").objects = home.child("leases").objects
    with pytest.raises(StorageFailed):
        RetentionHolds(owner, 1).floor(7, 9, 0)
    monkeypatch.setattr(leases, "SETTLES_SECONDS", 0.1)
    with reaches(Mark.FLOOR_IS_PROPOSED), pytest.raises(EpochUnavailable, match="from 7 on"):
        Lease(home, 5)
    assert held(home) == []


def test_floors_of_releases_that_do_not_propose_are_settled() -> None:
    home = MemoryFolder()
    floor = LowWaterMark(7, 9, 1)
    content = {"epoch": floor.epoch, "whole": floor.whole, "token": floor.token}
    home.child("leases").put(floor.name, seal("floor", content))
    with pytest.raises(EpochUnavailable, match="from 7 on"):
        Lease(home, 5)


@pytest.mark.parametrize("kind", ["read", "whole"])
@pytest.mark.parametrize("point", range(REQUESTS))
def test_a_reader_at_any_moment_is_seen_or_sees(kind: str, point: int) -> None:
    """The reader runs as a whole before the owner's n-th request."""
    home = MemoryFolder()
    read: list[Future[Lease]] = []
    with ThreadPoolExecutor(1) as pool:
        floor, _ = round_with(home, 7, {point: partial(beside, pool, home, kind, read)})
        refused = read[0].exception()
    if refused is None:
        assert floor == (LowWaterMark(5, 5, 1) if kind == "whole" else LowWaterMark(5, 7, 1))
    else:
        assert isinstance(refused, EpochUnavailable)
        assert floor == LowWaterMark(7, 7, 1)


@pytest.mark.parametrize("point", range(2))
def test_an_owner_at_any_moment_is_seen_or_sees(point: int) -> None:
    """The owner runs as a whole before the reader's n-th request."""
    objects = MemoryFolder()
    floors: list[LowWaterMark] = []
    seen = 0

    def before(what: str, name: str) -> None:
        nonlocal seen
        seen += 1
        if seen == point + 1:
            floors.append(RetentionHolds(objects, 1).floor(7, 9, 0))

    home = MemoryFolder("mem:/home", before)
    home.child("leases").objects = objects.child("leases").objects
    try:
        Lease(home, 5)
        refused = False
    except EpochUnavailable:
        refused = True
    assert floors, "the owner ran"
    assert refused == (floors[0].epoch > 5)


def test_reads_of_one_epoch_share_a_lease() -> None:
    home = MemoryFolder("mem:/shared")
    assert hold(home, 3) is hold(home, 3)
    assert hold(home, 4) is not hold(home, 3)


def test_a_reader_that_may_not_write_reads_without_a_lease(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(what: str, name: str) -> None:
        if what == "put":
            raise StorageFailed("read only")

    home = MemoryFolder("mem:/read-only", refuse)
    with caplog.at_level(logging.WARNING, "groundswell"):
        assert hold(home, 3) is None
        assert hold(home, 3) is None
    assert len(caplog.records) == 1


def test_a_lease_between_the_looks_of_the_owner_lowers_the_floor() -> None:
    home = MemoryFolder()
    read: list[Future[Lease]] = []
    with ThreadPoolExecutor(1) as pool, reaches(Mark.LEASE_CAME_BETWEEN_LOOKS):
        floor, _ = round_with(home, 7, {1: partial(beside, pool, home, "read", read)})
        assert read[0].result().epoch == floor.epoch == 5


def test_the_next_newest_epoch_is_taken_if_the_newest_is_retired_meanwhile() -> None:
    home, newest = MemoryFolder(), iter([5, 7, 9])

    def find(epoch: int | None) -> Published:
        return Published(next(newest) if epoch is None else epoch)

    with reaches(Mark.NEWEST_IS_RETIRED_MEANWHILE):
        RetentionHolds(home, 1).floor(6, 6, 0)
        found, lease = leased(find, home, None, Lease)
    assert found.epoch == lease.epoch == 7
    with pytest.raises(EpochUnavailable, match="from 6 on"):
        leased(find, home, 5, Lease)
    assert held(home) == [7]


@dataclass(frozen=True)
class Published:
    epoch: int
