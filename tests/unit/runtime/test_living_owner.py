"""A start says whom it takes a location over from, if that process still lives."""

import os
import subprocess
import sys

from groundswell.format.envelope import seal
from groundswell.runtime.ownership.takeover import living_owner
from unit.runtime.folders import MemoryFolder

SINCE = 1_790_000_000_000


def claimed(home: MemoryFolder, token: int, pid: int, host: str = "here") -> None:
    content = {"token": token, "run": f"run {token}", "host": host, "pid": pid}
    data = seal("owner", {**content, "sinceMillis": SINCE})
    assert home.child("owners").put_new(f"{token:020d}.json", data)


def test_a_process_that_lives_is_named_until_it_ends() -> None:
    home = MemoryFolder("home")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        claimed(home, 1, other.pid)
        claimed(home, 2, os.getpid())
        told = living_owner(home, 2)
        assert told == f"run 1 (process {other.pid} on here, since 2026-09-21T14:13:20+00:00)"
        assert living_owner(home, 1) is None, "there was none before"
    finally:
        other.kill()
        other.wait()
    assert living_owner(home, 2) is None


def test_the_same_process_another_machine_and_damage_are_no_news() -> None:
    home = MemoryFolder("home")
    claimed(home, 1, os.getpid())
    claimed(home, 2, os.getpid())
    assert living_owner(home, 2) is None
    claimed(home, 3, os.getppid(), host="there")
    claimed(home, 4, os.getpid())
    assert living_owner(home, 4) is None
    assert home.child("owners").put_new(f"{5:020d}.json", b"")
    claimed(home, 6, os.getpid())
    assert living_owner(home, 6) is None
