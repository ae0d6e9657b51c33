"""A process of its own for each cell of a table: it prints one line with what it measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[1]
LIMIT = 3600
MARK = "RESULT "


class WorkerError(RuntimeError):
    """A worker ended without a result; ``said`` is what it wrote to stderr."""

    def __init__(self, command: list[str], code: int, said: str) -> None:
        self.said = said
        super().__init__(f"{' '.join(command)} ended with {code}:\n{said[-3000:]}")


def tell(result: Mapping[str, Any]) -> None:
    """In the worker: says what was measured."""
    print(MARK + json.dumps(result), flush=True)


def run(
    module: str,
    *arguments: str,
    python: str = sys.executable,
    tree: Path = BENCHMARKS.parent,
    limit: float = LIMIT,
    env: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Runs ``python -m module arguments``; gives what it told.

    Args:
        module: of the benchmarks of this tree.
        arguments: of the module.
        python: the interpreter.
        tree: whose Python and jar are measured.
        limit: seconds after which it is ended.
        env: variables of its environment, beside those of this process.

    Raises:
        WorkerError: it told nothing.
    """
    command = [python, "-m", module, *arguments]
    paths = [str(tree / "python"), str(BENCHMARKS), str(BENCHMARKS.parent / "tests")]
    ran = subprocess.run(
        command,
        env={
            **os.environ,
            **(env or {}),
            "PYTHONPATH": os.pathsep.join(paths),
            "PYSPARK_PYTHON": python,  # else Spark's own Python processes are any python3
        },
        capture_output=True,
        text=True,
        timeout=limit,
    )
    for line in ran.stdout.splitlines():
        if line.startswith(MARK):
            found: dict[str, Any] = json.loads(line.removeprefix(MARK))
            return found
    raise WorkerError(command, ran.returncode, ran.stderr)


def measured(module: str, *arguments: str, tree: Path = BENCHMARKS.parent) -> dict[str, Any]:
    """As :func:`run`, for a program that cannot go on without: it ends with what went wrong."""
    try:
        return run(module, *arguments, tree=tree)
    except WorkerError as error:
        raise SystemExit(str(error)) from error


class Watched:
    """What processes use that this one starts while it lasts, and those that they start.

    Each is looked at twice a second. ``cpu`` are the seconds of processor time of all of them, of
    which ``python`` are those of Python: Spark's workers read some sources. ``peak`` are the bytes
    that the largest JVM had in memory at most.
    """

    def __init__(self) -> None:
        self.cpu = 0.0
        self.python = 0.0
        self.peak = 0
        self._seconds: dict[int, tuple[bool, float]] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self.cpu = sum(seconds for _, seconds in self._seconds.values())
        self.python = sum(seconds for java, seconds in self._seconds.values() if not java)

    def _look(self) -> None:
        while not self._ended.wait(0.5):
            for pid in _descendants(os.getpid()):
                try:
                    stat = Path(f"/proc/{pid}/stat").read_text()
                    java = stat.partition("(")[2].startswith("java)")
                    used = stat.rpartition(")")[2].split()
                    ticks = os.sysconf("SC_CLK_TCK")
                    self._seconds[pid] = java, (int(used[11]) + int(used[12])) / ticks
                    if java:
                        self.peak = max(self.peak, peak_memory(pid))
                except (OSError, StopIteration):  # it has ended meanwhile
                    continue


def _descendants(pid: int) -> list[int]:
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [pid]
    for of in found:
        found += [child for child, parent in parents.items() if parent == of]
    return found[1:]


def peak_memory(pid: int) -> int:
    """Bytes that a running process has had in memory at most."""
    return _of_status(pid, "VmHWM")


def memory(pid: int) -> int:
    """Bytes that a running process has in memory."""
    return _of_status(pid, "VmRSS")


def _of_status(pid: int, name: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def cpu_seconds(pid: int) -> float:
    """CPU time of a running process so far, in user and system mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
