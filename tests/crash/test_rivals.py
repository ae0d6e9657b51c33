"""Two drivers on one location: the older one, stopped inside a barrier and continued later, harms
nothing and ends with an error that says who has the location now."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crash import rivals, workload
from crash.needed import named_files, needed_files
from crash.processes import children, end, send
from crash.storage import LocalStorage, Storage
from groundswell.runtime.ownership.leases import low_water_marks_of

pytestmark = pytest.mark.rest

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
SEEDS = int(os.environ.get("GROUNDSWELL_SEEDS", 50))
LONG = 300  # seconds; the machine may be busy


class Driver:
    """A process that runs pipelines one after the other."""

    def __init__(self, folder: Path, name: str, confs: dict[str, str]) -> None:
        self.folder, self.name, self.runs = folder, name, 0
        self.log = folder / f"{name}.log"
        command = [sys.executable, str(Path(rivals.__file__)), json.dumps(confs)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log.open("w"),
            text=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n", self.tail()

    def begin(self, source: Path, location: str, every: int, overlap: int) -> Path:
        self.runs += 1
        report = self.folder / f"{self.name}-{self.runs}.json"
        told = {"input": str(source), "location": location, "report": str(report)}
        told |= {"every": every, "overlap": overlap}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        return report

    def outcome(self, report: Path) -> dict[str, Any]:
        self.wait(report.exists)
        return json.loads(report.read_text())

    def wait(self, until: Callable[[], Any]) -> None:
        deadline = time.monotonic() + LONG
        while not until():
            assert self.process.poll() is None and time.monotonic() < deadline, self.tail()
            time.sleep(0.02)

    def tail(self) -> str:
        return self.log.read_text()[-4000:]


@pytest.fixture(scope="module")
def storage(jar: Path, tmp_path_factory: Any) -> Storage:
    return LocalStorage(tmp_path_factory.mktemp("rivals"))


@pytest.fixture(scope="module")
def drivers(storage: Storage, tmp_path_factory: Any) -> Iterator[tuple[Driver, Driver]]:
    folder = tmp_path_factory.mktemp("drivers")
    pair = tuple(Driver(folder, name, storage.confs) for name in ("one", "other"))
    yield pair
    for driver in pair:
        end(driver.process)


def slots(storage: Storage, location: str) -> list[tuple[int, int]]:
    """Epochs and tokens of what is or was published, closed slots included."""
    names = [Path(name).stem for name in storage.files(location) if "/epochs/" in f"/{name}"]
    return sorted((int(name[:20]), int(name[21:])) for name in names if not name.startswith("."))


def compete(
    drivers: tuple[Driver, Driver], storage: Storage, folder: Path, seed: int, finish: bool
) -> None:
    """``finish``: the older driver is continued when the newer one has ended, else in between."""
    print(f"seed {seed}, {'after' if finish else 'beside'} the newer one")
    rng = random.Random(seed)
    older, newer = rng.sample(drivers, 2)
    every, overlap = rng.choice([(1, 0), (1, 2), (3, 0)])
    source, location = folder / f"in-{seed}", storage.location(f"c-{seed}")
    workload.prepare(source, seed, 16)
    report = older.begin(source, location, every, overlap)
    older.wait(lambda: len(slots(storage, location)) > rng.randint(0, 2))
    time.sleep(rng.random() * 1.5)
    send(signal.SIGSTOP, older.process.pid)
    try:
        before = slots(storage, location)
        begun = newer.begin(source, location, every, overlap)
        if finish:
            check(newer.outcome(begun), seed)
            place = storage.folder(location)
            needed, named = needed_files(place), named_files(place)
        else:
            newer.wait(lambda: begun.exists() or len(slots(storage, location)) > len(before) + 3)
        files = storage.files(location)
    finally:
        send(signal.SIGCONT, older.process.pid)
    ended = older.outcome(report)
    if ended["error"] is None:  # it was stopped between its last barrier and its end
        assert max(epoch for epoch, _ in before) >= 15, f"seed {seed}"
        return
    assert ended["error"] == "Fenced", f"seed {seed}: {ended}"
    assert f"(process {jvm_of(newer)} on " in ended["message"], f"seed {seed}: {ended}"
    if finish:
        assert needed <= files.keys(), f"seed {seed}: not there {needed - files.keys()}"
        unharmed(files, storage.files(location), named, seed)
    else:
        check(newer.outcome(begun), seed)
    mine = min(token for _, token in slots(storage, location))
    assert mine >= 1
    more = folder / f"more-{seed}"
    workload.prepare(more, seed + 1, 19)
    for name in ("customers", "orders"):
        for number in range(16, 19):
            path = more / name / f"{number:03d}.json"
            path.rename(source / name / path.name)
    check(newer.outcome(newer.begin(source, location, every, overlap)), seed)


def unharmed(before: dict[str, str], after: dict[str, str], named: set[str], seed: int) -> None:
    """Nothing is gone or changed; what is new are states that no epoch names.

    A run may remove what it made itself and nobody names: the file that it was writing when it was
    stopped, and what a merge made that it did not take in. It may create its own floor, too: no
    claim guards it, for it only tells readers what they may not find.
    """
    own = {name for name in before if re.fullmatch(r".*/\.[^/]+\.(gs)?tmp", name)}
    own |= {name for name in before if name.endswith(".sst") and name not in named}
    changed = {name for name, tag in before.items() if after.get(name) != tag}
    assert not changed - own, f"seed {seed}: deleted or changed {changed - own}"
    assert not changed & after.keys(), f"seed {seed}: changed {changed & after.keys()}"
    newest = max(int(Path(name).stem) for name in before if "/owners/" in f"/{name}")
    new = [name for name in after.keys() - before.keys() if "/state/" not in name]
    foreign = [name for name in new if not is_floor_of_an_older(name, newest)]
    assert not foreign, f"seed {seed}: written {foreign}"


def is_floor_of_an_older(name: str, newest: int) -> bool:
    floors = low_water_marks_of([Path(name).name])
    return any(floor.token < newest for floor in floors)


def check(outcome: dict[str, Any], seed: int) -> None:
    assert outcome["error"] is None, f"seed {seed}: {outcome}"
    assert outcome["views"] == outcome["batch"], f"seed {seed}"


def jvm_of(driver: Driver) -> int:
    (jvm,) = [pid for pid in children(driver.process.pid) if b"java" in command(pid)]
    return jvm


def command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]


@pytest.mark.parametrize("number", range(2))
def test_the_older_driver_harms_nothing(
    drivers: tuple[Driver, Driver], storage: Storage, tmp_path: Path, number: int
) -> None:
    compete(drivers, storage, tmp_path, SEED + number, finish=number % 2 == 0)


@pytest.mark.soak
def test_fifty_seeds(drivers: tuple[Driver, Driver], storage: Storage, tmp_path: Path) -> None:
    for number in range(SEEDS):
        compete(drivers, storage, tmp_path, SEED + 100 + number, finish=number % 2 == 0)
