"""A start looks whether the run that has a location lives, and refuses to end it unasked."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import groundswell as gs
from groundswell.format.envelope import seal
from groundswell.runtime.ownership.living import check_free, living, process_lives
from groundswell.runtime.ownership.standby import Heartbeat
from unit.runtime.folders import MemoryFolder

HERE = ("here", 1)


def now_millis() -> int:
    return time.time_ns() // 1_000_000


def claimed(home: MemoryFolder, token: int, pid: int, host: str = "here", **more: object) -> None:
    content = {"token": token, "run": f"run {token}", "host": host, "pid": pid}
    content |= {"sinceMillis": now_millis(), **more}
    home.child("owners").put(f"{token:020d}.json", seal("owner", content))


class Clock:
    """Seconds that pass when somebody waits; something may happen then."""

    def __init__(self) -> None:
        self.now = 0.0
        self.acts: list[tuple[float, object]] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds
        for at, act in list(self.acts):
            if at <= self.now:
                self.acts.remove((at, act))
                act()  # type: ignore[operator]


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """Another process of this machine, which lives until the test ends it."""
    made = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield made
    made.kill()
    made.wait()


def test_a_living_process_of_this_machine_is_named(other: subprocess.Popen[bytes]) -> None:
    home, clock = MemoryFolder("home"), Clock()
    assert living(home, HERE) is None, "nobody has claimed it"
    claimed(home, 1, other.pid)
    found = living(home, HERE, clock, clock.pause)
    assert str(found).startswith(f"run 1 (process {other.pid} on here, since 20")
    assert clock.now >= 5, "it had time to end"
    other.kill()
    other.wait()
    assert living(home, HERE) is None


def test_a_process_that_ends_is_waited_for(other: subprocess.Popen[bytes]) -> None:
    home, clock = MemoryFolder("home"), Clock()
    claimed(home, 1, other.pid)
    clock.acts.append((2.0, lambda: claimed(home, 1, other.pid, ended=True)))
    assert living(home, HERE, clock, clock.pause) is None
    assert 2 <= clock.now < 3


def test_what_is_no_other_run() -> None:
    home = MemoryFolder("home")
    claimed(home, 1, os.getpid())
    assert living(home, ("here", os.getpid())) is None, "the same process"
    claimed(home, 2, os.getppid(), ended=True)
    assert living(home, HERE) is None, "it has ended, though its process lives"
    claimed(home, 3, os.getppid(), host="there")
    assert living(home, HERE) is None, "nobody can tell of a machine without signs"
    home.child("owners").put(f"{4:020d}.json", b"")
    assert living(home, HERE) is None, "what cannot be read"
    claimed(home, 5, os.getpid(), sinceMillis=now_millis() - 10**10)
    assert living(home, HERE) is None, "the number went to a later process"
    assert not process_lives(os.getpid(), 0)
    assert process_lives(os.getpid(), now_millis())


def test_signs_of_life_from_another_machine() -> None:
    home, clock = MemoryFolder("home"), Clock()
    claimed(home, 7, 1, host="there")
    leases = home.child("leases")
    leases.put(Heartbeat(6, 9, 15_000).name, b"")
    assert living(home, HERE, clock, clock.pause) is None, "a sign of an older run"
    leases.put(Heartbeat(7, 3, 15_000).name, b"")
    assert living(home, HERE, clock, clock.pause) is None, "the last sign before a crash"
    assert 15 <= clock.now < 17
    clock.acts.append((20.0, lambda: leases.put(Heartbeat(7, 4, 15_000).name, b"")))
    found = living(home, HERE, clock, clock.pause)
    assert found is not None and found.token == 7 and clock.now < 24


def test_a_start_is_refused_or_takes_over(
    other: subprocess.Popen[bytes],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = MemoryFolder("home")
    claimed(home, 1, other.pid)
    monkeypatch.setattr("groundswell.runtime.ownership.living.ENDS_SECONDS", 0.0)
    told = rf"/p is run by run 1 \(process {other.pid} on here, since .*takeover=True"
    with pytest.raises(gs.ConfigurationError, match=told):
        check_free(home, "/p", HERE, takeover=False)
    check_free(home, "/p", HERE, takeover=True)
    (record,) = caplog.records
    assert "/p is taken over from run 1" in record.getMessage()
