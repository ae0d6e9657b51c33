"""Leases: what they keep, for how long, and that neither side overlooks the other."""

import logging

import pytest

from groundswell.errors import EpochUnavailable, StorageFailed
from groundswell.format.envelope import unseal
from groundswell.runtime.ownership import leases
from groundswell.runtime.ownership.leases import Floor, Lease, Pins, floors_of, hold, leases_of
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
    pins = Pins(home, 3, clock)
    assert pins.floor(8, 11, 0) == Floor(5, 11, 3)
    assert pins.floor(9, 12, 5) == Floor(5, 12, 3)
    lease.end()
    assert pins.floor(9, 12, 5) == Floor(9, 12, 3)
    assert home.child("leases").names() == [Floor(9, 12, 3).name]


def test_a_lease_for_a_copy_keeps_operators_own_state_too() -> None:
    home, clock = MemoryFolder(), Clock()
    Lease(home, 10, "whole", 60, clock)
    assert Pins(home, 1, clock).floor(9, 12, 0) == Floor(9, 10, 1)


def test_a_dead_reader_keeps_nothing_after_its_time() -> None:
    home, clock = MemoryFolder(), Clock()
    pins = Pins(home, 1, clock)
    Lease(home, 2, seconds=60, clock=clock)
    clock.now += 60_000
    assert pins.floor(7, 9, 0).epoch == 2, "clocks may differ"
    clock.now += leases.SLACK_MILLIS
    assert pins.floor(7, 9, 0).epoch == 7
    assert held(home) == []


def test_a_wrong_clock_keeps_nothing_for_ever() -> None:
    home, clock, wrong = MemoryFolder(), Clock(), Clock()
    wrong.now += 10 * leases.LONGEST_MILLIS
    Lease(home, 2, seconds=1e9, clock=wrong)
    assert Pins(home, 1, clock).floor(7, 9, 0).epoch == 7
    assert held(home) == []


def test_a_renewed_lease_lasts_longer_and_is_one_document() -> None:
    home, clock = MemoryFolder(), Clock()
    lease = Lease(home, 2, seconds=60, clock=clock)
    clock.now += 50_000
    lease.renew()
    clock.now += 50_000
    assert Pins(home, 1, clock).floor(7, 9, 0).epoch == 2
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
    Pins(home, 1).floor(7, 9, 0)
    with pytest.raises(EpochUnavailable, match=r"epoch 6 .* cannot be read .* from 7 on"):
        Lease(home, 6)
    with pytest.raises(EpochUnavailable, match=r"epoch 8 .* cannot be copied .* from 9 on"):
        Lease(home, 8, "whole")
    Lease(home, 7)
    Lease(home, 9, "whole")
    assert held(home) == [7, 9], "what was refused left nothing"


def test_a_floor_of_an_older_owner_that_may_still_delete_counts() -> None:
    home = MemoryFolder()
    Pins(home, 1).floor(7, 9, 0)
    newer = Pins(home, 2)
    newer.floor(3, 9, 0)
    with pytest.raises(EpochUnavailable):
        Lease(home, 6)
    newer.floor(8, 12, 3)
    assert floors_of(home.child("leases").names()) == [Floor(8, 12, 2)]


@pytest.mark.parametrize("kind", ["read", "whole"])
@pytest.mark.parametrize("point", range(2))
def test_a_reader_at_any_moment_is_seen_or_sees(kind: str, point: int) -> None:
    """The reader runs as a whole before the owner's n-th request."""
    home = MemoryFolder()
    got: list[Lease] = []
    refused: list[EpochUnavailable] = []
    seen = 0

    def before(what: str, name: str) -> None:
        nonlocal seen
        seen += 1
        if seen == point + 1:
            try:
                got.append(Lease(home, 5, kind))
            except EpochUnavailable as error:
                refused.append(error)

    owner = MemoryFolder("mem:/home", before)
    owner.child("leases").objects = home.child("leases").objects
    floor = Pins(owner, 1).floor(7, 7, 0)
    if got:
        assert floor == (Floor(5, 5, 1) if kind == "whole" else Floor(5, 7, 1))
    else:
        assert refused
        assert floor == Floor(7, 7, 1)


@pytest.mark.parametrize("point", range(2))
def test_an_owner_at_any_moment_is_seen_or_sees(point: int) -> None:
    """The owner runs as a whole before the reader's n-th request."""
    objects = MemoryFolder()
    floors: list[Floor] = []
    seen = 0

    def before(what: str, name: str) -> None:
        nonlocal seen
        seen += 1
        if seen == point + 1:
            floors.append(Pins(objects, 1).floor(7, 9, 0))

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
