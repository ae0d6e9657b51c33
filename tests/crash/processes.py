"""The processes that a driver under test has started, found and killed as the kernel shows them."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

EXECUTOR = b"CoarseGrainedExecutorBackend"


def children(pid: int) -> list[int]:
    """All descendants of a process that live."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if fields[0] != "Z":  # dead, and nobody has asked how it ended
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: list[int] = []
    queue = [pid]
    while queue:
        below = parents.get(queue.pop(), [])
        found += below
        queue += below
    return found


def executors(pid: int) -> list[int]:
    """Those of its descendants that are Spark's executors."""
    found = []
    for child in children(pid):
        try:
            if EXECUTOR in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
        except OSError:
            continue
    return found


def send(number: int, pid: int) -> None:
    """A signal to a process and all that it has started."""
    for each in (pid, *children(pid)):
        os.kill(each, number)


def end(process: subprocess.Popen) -> None:
    """Kills a process and all that it has started."""
    kill(*children(process.pid), process.pid)
    process.wait()


def kill(*pids: int) -> None:
    """As ``kill -9`` does; one that is gone is no error."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
