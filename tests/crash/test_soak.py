"""Kill -9 of drivers and executors at named points and at any moment, under load, by seed.

``GROUNDSWELL_SEED`` replays what is random here (not the moment itself), ``GROUNDSWELL_KILLS`` says
how many (100).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crash import load, processes

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
KILLS = int(os.environ.get("GROUNDSWELL_KILLS", 100))
DRIVER, EXECUTOR = "driver", "executor"

# Where a process dies by itself, and whether with asynchronous commits.
ASYNCHRONOUS = [
    "claim.after",
    "seal.before-append",
    "seal.after-append",
    "register.before-ask",
    "register.after-ask",
    "release.before-flush",
    "upload.before-publish",
    "upload.after-publish",
    "index.before-publish",
    "index.after-publish",
    "release.after-flush",
    "retire.before-delete",
    "retire.after-delete",
]
SYNCHRONOUS = [
    "commit.before-publish",
    "commit.after-publish",
    "compaction.before-publish",
    "retirement.before-delete",
    "retirement.after-delete",
]
ONCE_A_RUN = {"claim.after"}
SECONDS = 180.0


class Driver:
    """A driver process with its executors, on the one checkpoint of the test."""

    def __init__(self, folder: Path, mode: str, point: str | None) -> None:
        self.marker = folder / "killed-at"
        self.marker.unlink(missing_ok=True)
        environment = dict(os.environ)
        if point:
            environment["GROUNDSWELL_FAILPOINT"] = point
            environment["GROUNDSWELL_FAILPOINT_MARKER"] = str(self.marker)
        self.folder = folder
        self.log = folder / "driver.log"
        self.started = False
        command = [sys.executable, str(Path(load.__file__)), str(folder), mode]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=subprocess.STDOUT
            )

    def is_up(self) -> bool:
        """Whether the driver's JVM lives, or has still to start."""
        if self.process.poll() is not None:
            return False
        alive = bool(processes.children(self.process.pid))
        self.started |= alive
        return alive or not self.started

    def epoch(self) -> int:
        try:
            return int((self.folder / "epoch").read_text() or -1)
        except FileNotFoundError:
            return -1

    def wait(self, done, what: str) -> None:
        """Until something is so, or the driver is dead."""
        deadline = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < deadline, f"{what}: not within {SECONDS} s; {self.tail()}"
            if not self.is_up() and not done():
                return
            time.sleep(0.1)

    def tail(self) -> str:
        return f"seed {SEED}\n{self.log.read_text()[-3000:]}"

    def kill(self) -> None:
        processes.kill(*processes.children(self.process.pid), self.process.pid)
        self.process.wait()


class Soak:
    """Kills until it is enough; counts what was hit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rng = random.Random(SEED)
        self.hits: dict[str, int] = {}
        self.files = 0

    def count(self, what: str) -> None:
        self.hits[what] = self.hits.get(what, 0) + 1

    def load(self, ahead: int) -> None:
        """Keeps so many files before the query."""
        try:
            done = int((self.folder / "epoch").read_text() or 0)
        except FileNotFoundError:
            done = 0
        if self.files < done + ahead:
            self.files = done + 2 * ahead
            load.add_files(self.folder, self.files, SEED)

    def at_a_point(self, mode: str, point: str) -> Driver:
        """Starts a driver and waits until somebody has died there."""
        self.load(60)
        passage = 1 if point in ONCE_A_RUN else self.rng.randint(1, 4)
        driver = Driver(self.folder, mode, f"{point}:{passage}")

        def hit() -> bool:
            self.load(30)
            return driver.marker.exists()

        driver.wait(hit, point)
        self.check()
        assert hit(), f"{point} was never reached; {driver.tail()}"
        assert driver.marker.read_text() == point
        self.count(point)
        return driver

    def at_any_moment(self, driver: Driver, victim: str) -> None:
        """Lets the query come some batches further, or not, and kills."""
        start = driver.epoch()
        batches = self.rng.choice([0, 1, 1, 2, 3])

        def further() -> bool:
            self.load(30)
            return driver.epoch() >= start + batches

        driver.wait(further, "some batches")
        time.sleep(self.rng.random() * 1.5)
        if victim == EXECUTOR:
            alive = processes.executors(driver.process.pid)
            if alive:
                processes.kill(self.rng.choice(sorted(alive)))
                self.count(EXECUTOR)
        else:
            driver.kill()
            self.count(DRIVER)

    def kills(self) -> int:
        return sum(self.hits.values())

    def check(self) -> None:
        """That no batch has given what is not right."""
        wrong = self.folder / "wrong"
        assert not wrong.exists(), f"seed {SEED}, after {self.hits}: {wrong.read_text()[:2000]}"

    def run(self, kills: int) -> None:
        points = [("plugin", point) for point in ASYNCHRONOUS]
        points += [("plain", point) for point in SYNCHRONOUS]
        self.rng.shuffle(points)
        rounds = 0
        while self.kills() < kills:
            driver = self.at_a_point(*points[rounds % len(points)])
            rounds += 1
            try:
                for _ in range(self.rng.randint(2, 4)):
                    if driver.is_up() and self.kills() < kills:
                        self.at_any_moment(driver, EXECUTOR)
                if driver.is_up() and self.kills() < kills:
                    self.at_any_moment(driver, DRIVER)
            finally:
                driver.kill()
            self.check()
            print(f"{self.kills()} kills, epoch {driver.epoch()}: {self.hits}", flush=True)
            if rounds % 5 == 0:
                self.finish()

    def finish(self) -> None:
        """Without kills to the end of the files."""
        (self.folder / "enough").touch()
        mode = self.rng.choice(["plugin", "plain"])
        driver = Driver(self.folder, mode, None)
        try:
            assert driver.process.wait(600) == 0, driver.tail()
        finally:
            driver.kill()
        (self.folder / "enough").unlink()
        self.check()
        read = load.files_until(self.folder, driver.epoch())
        assert read == self.files, f"{read} of {self.files} files; {driver.tail()}"


@pytest.mark.soak
def test_killed_at_any_moment(jar: Path, tmp_path: Path) -> None:
    print(f"seed {SEED}, {KILLS} kills", flush=True)
    soak = Soak(tmp_path)
    soak.run(KILLS)
    soak.finish()
    print(soak.hits)
    if KILLS >= 100:
        assert {*ASYNCHRONOUS, *SYNCHRONOUS, DRIVER, EXECUTOR} <= set(soak.hits), soak.hits
