"""What publishing an epoch costs with many states, of which a barrier changes one."""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from groundswell.contract.barrier import OperatorTotals
from groundswell.contract.commits import CommitRef
from groundswell.runtime.record.epochs import BASE_EVERY, EpochLog, EpochManifest

VIEWS, PARTITIONS = 1000, 50
EPOCHS = BASE_EVERY + 6


class Files:
    """A folder of this machine, as the runtime wants one."""

    def __init__(self, path: Path) -> None:
        self.location = str(path)
        self._path = path
        self.reads = 0

    def read(self, name: str) -> bytes | None:
        self.reads += 1
        path = self._path / name
        return path.read_bytes() if path.exists() else None

    def put(self, name: str, data: bytes) -> None:
        (self._path / name).write_bytes(data)

    def put_new(self, name: str, data: bytes) -> bool:
        with (self._path / name).open("xb") as file:
            file.write(data)
        return True

    def names(self, prefix: str = "") -> list[str]:
        return sorted(f.name for f in self._path.iterdir() if f.name.startswith(prefix))

    def delete(self, name: str) -> bool:
        (self._path / name).unlink()
        return True

    def child(self, name: str) -> Files:
        return Files(self._path / name)


class Claim:
    """The only owner."""

    token = 1

    def check(self) -> None:
        """Nobody else is there."""


def _commits(rng: random.Random, version: int) -> tuple[CommitRef, ...]:
    ids = (f"{rng.getrandbits(44):011x}{rng.getrandbits(52):013x}" for _ in range(PARTITIONS))
    return tuple(CommitRef(version, each, 100, 12_345) for each in ids)


def measure(small: int) -> dict[str, Any]:
    """Milliseconds of CPU and bytes of each epoch; what opening the last one takes.

    Args:
        small: up to so many commits an epoch is one document.
    """
    rng = random.Random(1)
    states = [f"view-{n:04d}-0123456789ab" for n in range(VIEWS)]
    idle = OperatorTotals(state_rows=100 * PARTITIONS, state_bytes=12_345 * PARTITIONS)
    operators = {str(n): idle for n in range(2 * VIEWS)}
    commits = {state: _commits(rng, 7) for state in states}
    views = {f"view_{n}": state for n, state in enumerate(states)}
    manifest = EpochManifest(0, commits, "0" * 32, operators, {"t": 1000}, 1, 2, 3, views)
    with tempfile.TemporaryDirectory(prefix="manifests-") as home:
        files = Files(Path(home))
        log = EpochLog(files, Claim(), small)
        log.publish(manifest)
        millis, sizes, known = [], [], set(files.names())
        for epoch in range(1, EPOCHS):
            did = replace(idle, rows_in=1000, rows_out=50, state_writes=50, millis=40)
            changed = {**manifest.commits, states[5]: _commits(rng, 7 + epoch)}
            manifest = replace(
                manifest, epoch=epoch, commits=changed, operators={**operators, "5": did}
            )
            begun = time.process_time()
            log.publish(manifest)
            millis.append((time.process_time() - begun) * 1000)
            names = set(files.names())
            sizes.append(sum((Path(home) / name).stat().st_size for name in names - known))
            known = names
        files.reads = 0
        begun = time.process_time()
        assert EpochLog(files).newest().commits == manifest.commits
        opening = (time.process_time() - begun) * 1000
        return {"millis": millis, "bytes": sizes, "open": opening, "reads": files.reads}


def main() -> None:
    """Prints a table; *before* writes each epoch as a whole, as releases before."""
    before, after = measure(1 << 60), measure(0)
    print(f"\n| {VIEWS:,} views x {PARTITIONS}, one changes | before | after | goal |")
    print("|--|--:|--:|--|")
    for name, key, goal in (
        ("publishing: CPU ms, median (greatest)", "millis", "≤ 20"),
        ("bytes, median (greatest)", "bytes", "≤ 50,000"),
    ):
        both = (f"{median(f[key]):,.0f} ({max(f[key]):,.0f})" for f in (before, after))
        print(f"| {name} | {' | '.join(both)} | {goal} |")
    for name, key, goal in (("CPU ms", "millis", "≤ 20"), ("bytes", "bytes", "≤ 50,000")):
        both = (f"{sum(f[key]) / len(f[key]):,.0f}" for f in (before, after))
        print(
            f"| {name}, mean of {EPOCHS - 1} epochs, bases included | {' | '.join(both)} | {goal} |"
        )
    print(f"| opening the newest: CPU ms | {before['open']:,.0f} | {after['open']:,.0f} | |")
    print(f"| opening the newest: reads | {before['reads']} | {after['reads']} | ≤ 3 |", flush=True)
