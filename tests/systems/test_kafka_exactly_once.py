"""From topic to topic while driver, executors and broker are killed: every change once."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crash.processes import children, executors, kill
from systems import kafka_flow
from systems.jars import connector
from systems.servers import Kafka
from systems.topics import Input, committed

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
KEYS = 25


class Load(threading.Thread):
    """Sends to both topics, 200 messages a second, until it is told to stop."""

    def __init__(self, kafka: Kafka) -> None:
        super().__init__(daemon=True)
        self.keyed, self.events = Input(kafka, 2, "keyed"), Input(kafka, 2, "events")
        self.enough = threading.Event()
        self.last: dict[int, int] = {}
        self.sent: Counter[tuple[int, int]] = Counter()
        self.rng = random.Random(SEED)

    def run(self) -> None:
        number = 0
        while not self.enough.wait(0.1):
            for _ in range(10):
                number += 1
                key = self.rng.randrange(KEYS)
                self.last[key] = number
                self.sent[key, number] += 1
                row = {"id": key, "n": number}
                for topic in (self.keyed, self.events):
                    topic.send((str(key), row), partition=key % 2)


class Flow:
    """The process under test, started again when it was killed."""

    def __init__(self, folder: Path, kafka: Kafka, jar: Path) -> None:
        self.folder = folder
        self.command = [sys.executable, kafka_flow.__file__, str(folder), kafka.servers]
        self.command.append(f"{jar},{connector()}")
        self.start()

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def kill_driver(self) -> None:
        kill(self.process.pid, *children(self.process.pid))
        self.process.wait()
        self.start()

    def kill_executor(self, rng: random.Random) -> None:
        until = time.monotonic() + 60
        while not (found := executors(self.process.pid)):
            assert time.monotonic() < until, "no executor has come up"
            time.sleep(0.2)
        kill(rng.choice(found))

    def finish(self) -> None:
        (self.folder / "enough").touch()
        code = self.process.wait(300)
        log = (self.folder / "log").read_text("utf-8", "replace")
        assert code == 0, log[-4000:]

    def end(self) -> None:
        kill(self.process.pid, *children(self.process.pid))


def epochs(folder: Path) -> int:
    """How many epochs are published."""
    numbers = [int(p.name) for p in (folder / "checkpoint" / "commits").glob("[0-9]*")]
    return max(numbers, default=-1)


def moves_on(flow: Flow, by: int = 2) -> None:
    """Waits until some more barriers are over."""
    begun, until = epochs(flow.folder), time.monotonic() + 180
    while epochs(flow.folder) < begun + by:
        assert time.monotonic() < until, (flow.folder / "log").read_text()[-4000:]
        time.sleep(0.2)


def check_once(load: Load, kafka: Kafka) -> None:
    sent = Counter((row["id"], row["n"]) for _, row, _ in committed(kafka, "events-out"))
    assert sent == load.sent, f"seed {SEED}: an event was lost or came twice"
    kept: dict[int, Any] = {}
    for key, value, _ in committed(kafka, "keyed-out"):
        before = kept.get(key["id"])
        assert value["before"] == before, f"seed {SEED}: {value} came after {before}"
        assert before is None or value["after"]["n"] > before["n"], f"seed {SEED}: {value}"
        kept[key["id"]] = value["after"]
    assert {key: row["n"] for key, row in kept.items()} == load.last, f"seed {SEED}"


def run(kafka: Kafka, folder: Path, jar: Path, kills: int, restarts: int) -> None:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    load = Load(kafka)
    for name in ("keyed-out", "events-out"):
        Input(kafka, 2, name)
    faults = ["driver", "executor"] + rng.choices(["driver", "executor"], k=kills - 2)
    faults += ["broker"] * restarts
    rng.shuffle(faults)
    flow = Flow(folder, kafka, jar)
    load.start()
    try:
        for fault in faults:
            moves_on(flow)
            time.sleep(rng.random())
            if fault == "driver":
                flow.kill_driver()
            elif fault == "executor":
                flow.kill_executor(rng)
            else:
                kafka.kill()
                time.sleep(2)
                kafka.start()
        moves_on(flow)
        load.enough.set()
        load.join(120)
        assert not load.is_alive()
        flow.finish()
    finally:
        load.enough.set()
        flow.end()
    print(f"{sum(load.sent.values())} messages a topic, {epochs(folder)} epochs, faults {faults}")
    check_once(load, kafka)


def test_three_kills_and_a_restart_of_the_broker(kafka: Kafka, tmp_path: Path, jar: Path) -> None:
    run(kafka, tmp_path, jar, kills=3, restarts=1)


@pytest.mark.soak
def test_thirty_kills_and_ten_restarts_of_the_broker(
    kafka: Kafka, tmp_path: Path, jar: Path
) -> None:
    run(kafka, tmp_path, jar, kills=30, restarts=10)
