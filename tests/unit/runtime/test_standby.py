"""Whether a standby may start, decided by names and by its own clock."""

from __future__ import annotations

import itertools
import os
import platform
import time

import pytest

from groundswell import config
from groundswell.errors import ConfigurationError
from groundswell.format.envelope import seal
from groundswell.marks import Mark
from groundswell.runtime.ownership.standby import (
    GRACE_SECONDS,
    Heartbeat,
    Heartbeats,
    Watch,
    heartbeats_of,
    stand_by,
    wait_until_free,
)
from groundswell.runtime.record.location import numbered_name
from reaching import reaches
from unit.runtime.folders import MemoryFolder


def claim(home: MemoryFolder, token: int, pid: int | None = None, host: str = "") -> None:
    content = {"token": token, "pid": pid or os.getpid(), "host": host or platform.node()}
    home.child("owners").put(numbered_name(token), seal("owner", content))


def test_names_tell_all() -> None:
    sign = Heartbeat(3, 14, 15_000)
    assert heartbeats_of(["floor-1.json", sign.name, Heartbeat(3, 2, 1).name]) == [
        Heartbeat(3, 2, 1),
        sign,
    ]


def test_a_location_that_nobody_claimed_is_free() -> None:
    assert Watch().is_free(0, None, 5.0)


def test_a_sign_counts_from_when_it_was_first_seen() -> None:
    watch, first, second = Watch(), Heartbeat(1, 0, 2000), Heartbeat(1, 1, 2000)
    assert watch.is_free(1, first, 100.0) is False
    assert watch.is_free(1, first, 101.9) is False
    assert watch.is_free(1, second, 102.1) is False, "it came in time"
    assert watch.is_free(1, second, 104.0) is False
    assert watch.is_free(1, second, 104.2) is True


def test_a_new_claim_is_given_time_for_its_first_sign() -> None:
    watch, old = Watch(), Heartbeat(1, 7, 1000)
    assert watch.is_free(2, old, 0.0) is False, "what run 1 says tells nothing of run 2"
    assert watch.is_free(2, old, GRACE_SECONDS) is False
    assert watch.is_free(2, old, GRACE_SECONDS + 1) is None
    assert watch.is_free(2, Heartbeat(2, 0, 1000), GRACE_SECONDS + 1) is False


def test_signs_come_as_long_as_the_run_lives_and_those_of_older_runs_go() -> None:
    home, lives = MemoryFolder(), True
    home.child("leases").put(Heartbeat(1, 9, 30).name, b"")
    beats = Heartbeats(home, 2, 30)
    beats.while_(lambda: lives)
    beats.begin()
    wait_for(lambda: newest(home).beat >= 3)
    assert {sign.token for sign in heartbeats_of(home.child("leases").names())} == {2}
    lives = False
    time.sleep(0.05)
    last = newest(home)
    time.sleep(0.05)
    assert newest(home) == last


def newest(home: MemoryFolder) -> Heartbeat:
    return heartbeats_of(home.child("leases").names())[-1]


def wait_for(what: object) -> None:
    assert callable(what)
    until = time.monotonic() + 30
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_standby_waits_while_signs_come() -> None:
    home, told = MemoryFolder(), list[str]()
    claim(home, 4)
    home.child("leases").put(Heartbeat(4, 0, 3000).name, b"")
    seconds = itertools.count()

    def pause(_: float) -> None:
        now = next(seconds)
        if now < 10:
            home.child("leases").put(Heartbeat(4, now, 3000).name, b"")

    clock = itertools.count()
    wait_until_free(home, 3000, told.append, lambda: next(clock), pause)
    assert next(seconds) == 14, "more than 3 of its seconds after it saw the last sign"
    assert told[0].startswith(f"standing by: run 4 (process {os.getpid()} on ")
    assert "takes over" in told[1]


def test_a_run_without_signs_that_lives_or_is_elsewhere_is_not_followed() -> None:
    for host in ("", "elsewhere"):
        home = MemoryFolder()
        claim(home, 1, host=host)
        clock = itertools.count()
        with pytest.raises(ConfigurationError, match=r"run 1 \(process .*ownerLease"):
            wait_until_free(home, 1000, print, lambda: next(clock), lambda _: None)  # noqa: B023


def test_a_run_without_signs_that_has_died_here_is_followed() -> None:
    home = MemoryFolder()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    claim(home, 1, pid=child)
    clock = itertools.count()
    with reaches(Mark.OWNER_HAS_DIED_HERE):
        wait_until_free(home, 1000, print, lambda: next(clock), lambda _: None)


def test_a_standby_needs_a_lease_of_its_own() -> None:
    with pytest.raises(ConfigurationError, match="a standby needs the option ownerLease"):
        stand_by(MemoryFolder(), None)


@pytest.mark.parametrize("lease", ["15", "soon", "500 milliseconds", "0 seconds"])
def test_a_lease_that_is_none_is_refused(lease: str) -> None:
    with pytest.raises(ConfigurationError, match="ownerLease must be a number and one of"):
        config.check({"checkpointLocation": "x", "ownerLease": lease})
