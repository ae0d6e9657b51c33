"""``make bench-recovery``: seconds from ``kill -9`` of the driver to the next epoch.

Each size of state is filled once. Then a driver keeps it under small changes and is killed, and
another one takes its place: started when the first is dead, or a standby that waits for the end of
a lease of two seconds. What Spark's own session takes in the new process is told beside it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from groundswell.format import open_folder
from groundswell.runtime.record.epochs import EpochLog
from groundswell.state.documents import Documents
from shared.process import BENCHMARKS

LIMIT = 900


class Driver:
    """A worker that runs until it is killed."""

    def __init__(self, location: Path, *options: str) -> None:
        self.begun = time.monotonic()
        paths = [str(BENCHMARKS.parent / "python"), str(BENCHMARKS)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "recovery.worker", str(location), *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def session(self) -> float:
        """Waits for Spark's session; seconds since the process was started."""
        assert self.process.stdout is not None
        if "SESSION" not in self.process.stdout.readline():
            sys.exit(f"the worker ended with {self.process.wait()}")
        return time.monotonic() - self.begun

    def kill(self) -> None:
        """Python, its JVM, and what they have started."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def newest(location: Path) -> int:
    """The newest epoch; -1: none."""
    epochs = Documents(open_folder(location).child("groundswell")).child("epochs")
    return max(EpochLog(epochs).epochs(), default=-1)


def wait(location: Path, driver: Driver, epoch: int) -> None:
    """Until an epoch after that one is published."""
    until = time.monotonic() + LIMIT
    while newest(location) <= epoch:
        if driver.process.poll() is not None or time.monotonic() > until:
            sys.exit("the worker made no epoch")
        time.sleep(0.02)


def size_of(folder: Path) -> int:
    """Bytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(location: Path, standby: bool) -> tuple[float, float]:
    """Kills a driver; seconds of the next one's session, and until its first epoch."""
    first = Driver(location)
    first.session()
    wait(location, first, newest(location) + 3)
    second = Driver(location, "--standby") if standby else None
    ready = second.session() if second is not None else 0.0
    time.sleep(5 if standby else 0)
    first.kill()
    begun, last = time.monotonic(), newest(location)
    if second is None:
        second = Driver(location)
        ready = second.session()
    wait(location, second, last)
    seconds = time.monotonic() - begun
    second.kill()
    return ready, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="100000,1000000,4000000", help="of the table, by size")
    args = parser.parse_args()
    print("| rows | state MB | Spark's session s | next epoch s | with a standby s (lease 2 s) |")
    print("|--|--|--|--|--|")
    for rows in map(int, args.rows.split(",")):
        with tempfile.TemporaryDirectory(prefix="recovery-") as home:
            location = Path(home) / "c"
            fill = Driver(location, "--fill", str(rows))
            fill.session()
            if fill.process.wait(LIMIT):
                sys.exit(f"filling ended with {fill.process.returncode}")
            state = size_of(location / "groundswell" / "state") / 1e6
            ready, alone = measure(location, standby=False)
            _, followed = measure(location, standby=True)
        print(
            f"| {rows:,} | {state:,.0f} | {ready:.1f} | {alone:.1f} | {followed:.1f} |", flush=True
        )


if __name__ == "__main__":
    main()
