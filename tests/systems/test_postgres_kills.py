"""The bank while pipeline and server are killed: the sum is the same at every epoch."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from crash.processes import children, kill
from systems import postgres_flow
from systems.bank import Bank, Transfers
from systems.servers import Postgres

SEED = int(os.environ.get("GROUNDSWELL_SEED", random.randrange(1 << 30)))
ACCOUNTS = 1000
PAUSE = 0.005
"""Seconds between two transfers: some 150 a second, which the pipeline keeps up with."""
MOST_KEPT = 64 << 20
"""Bytes of its log that the server may keep for the slot, some barriers after a fault."""


class Flow:
    """The process under test, started again when it was killed."""

    def __init__(self, folder: Path, bank: Bank, **more: str) -> None:
        self.folder = folder
        self.command = [sys.executable, postgres_flow.__file__, str(folder), bank.dsn]
        self.environment = {**os.environ, "PGPASSWORD": bank.server.PASSWORD, **more}
        self.start()

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, env=self.environment
            )

    def kill(self) -> None:
        kill(self.process.pid, *children(self.process.pid))
        self.process.wait()

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")[-4000:]

    def moves_on(self, by: int = 2) -> None:
        """Waits until some more epochs are noted."""
        begun, until = len(self.sums()), time.monotonic() + 240
        while len(self.sums()) < begun + by:
            assert time.monotonic() < until, self.failures() + self.log()
            time.sleep(0.2)

    def sums(self) -> list[list[int]]:
        """Epoch, sum and count, in the order in which they were delivered."""
        noted = self.folder / "sums.log"
        lines = noted.read_text().splitlines(keepends=True) if noted.exists() else []
        return [[int(word) for word in line.split()] for line in lines if line.endswith("\n")]

    def failures(self) -> str:
        noted = self.folder / "failures.log"
        return noted.read_text() if noted.exists() else ""

    def finish(self) -> None:
        (self.folder / "enough").touch()
        code = self.process.wait(300)
        assert code == 0, self.failures() + self.log()

    def rows(self) -> list[tuple[int, str, int]]:
        """The view of the accounts at the end."""
        lines = [
            json.loads(line)
            for part in (self.folder / "accounts").glob("*.json")
            for line in part.read_text().splitlines()
        ]
        return sorted((row["id"], row["owner"], row["balance"]) for row in lines)


class Slot(threading.Thread):
    """Looks how much of its log the server keeps for the slot."""

    def __init__(self, bank: Bank) -> None:
        super().__init__(daemon=True)
        self.bank = bank
        self.kept: list[int] = []
        self.over = threading.Event()

    def run(self) -> None:
        import psycopg

        while not self.over.wait(2):
            try:
                self.kept += self.now()
            except psycopg.OperationalError:
                continue

    def now(self) -> list[int]:
        query = (
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint "
            "FROM pg_replication_slots WHERE slot_name = 'groundswell_postgres'"
        )
        return [kept for (kept,) in self.bank.run(query)]


def check(flow: Flow, bank: Bank) -> None:
    wrong = [line for line in flow.sums() if line[1:] != [100 * ACCOUNTS, ACCOUNTS]]
    assert not wrong, f"GROUNDSWELL_SEED={SEED}: epoch, sum and count: {wrong[:5]}"
    assert flow.rows() == sorted(bank.run("SELECT * FROM accounts")), f"GROUNDSWELL_SEED={SEED}"
    assert flow.failures() == "", f"GROUNDSWELL_SEED={SEED}"


def run(
    server: Postgres, folder: Path, kills: int, restarts: int, seconds: float = 0, seed: int = SEED
) -> None:
    print(f"GROUNDSWELL_SEED={seed}")
    rng = random.Random(seed)
    bank = Bank(server)
    bank.fill(ACCOUNTS)
    [(begin,)] = bank.run("SELECT pg_current_wal_lsn()::text")
    faults = ["pipeline"] * kills + ["server"] * restarts
    rng.shuffle(faults)
    flow, transfers, slot = Flow(folder, bank), Transfers(bank, ACCOUNTS, seed, PAUSE), Slot(bank)
    transfers.start()
    slot.start()
    until = time.monotonic() + seconds
    try:
        for left in range(len(faults), 0, -1):
            flow.moves_on()
            pause = max(0.0, (until - time.monotonic()) / left) if seconds else 1.0
            time.sleep(rng.random() * pause * (2 if seconds else 1))
            if faults[left - 1] == "pipeline":
                flow.kill()
                flow.start()
            else:
                server.stop(signal.SIGQUIT)  # as a crash: nothing is written any more
                time.sleep(rng.random() * 2)
                server.start()
        flow.moves_on()
        time.sleep(max(0.0, until - time.monotonic()))
        transfers.over.set()
        transfers.join(60)
        assert not transfers.is_alive()
        bank.run("CHECKPOINT")
        for owner in ("first", "second", "third", "fourth"):  # the slot moves once a second
            bank.run(f"UPDATE accounts SET owner = '{owner}', balance = balance + 0 WHERE id = 1")
            time.sleep(1.5)
        slot.over.set()
        slot.join(60)
        [last] = slot.now()
        flow.finish()
    finally:
        transfers.over.set()
        slot.over.set()
        flow.kill()
    [(wrote,)] = bank.run(f"SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '{begin}')::bigint")
    print(
        f"{transfers.done} transfers, {len(flow.sums())} epochs, faults {faults}; {wrote >> 10} kB "
        f"of log, for the slot at most {max(slot.kept) >> 10} kB, at the end {last >> 10} kB"
    )
    check(flow, bank)
    assert last < MOST_KEPT, f"GROUNDSWELL_SEED={seed}: the slot keeps {last} bytes"


def test_the_pipeline_is_killed(postgres: Postgres, tmp_path: Path) -> None:
    run(postgres, tmp_path, kills=2, restarts=0)


def test_the_server_is_killed(postgres: Postgres, tmp_path: Path) -> None:
    run(postgres, tmp_path, kills=0, restarts=2)


@pytest.mark.parametrize("point", ["before_publish", "after_publish"])
def test_the_pipeline_is_killed_at_its_first_epoch(
    postgres: Postgres, tmp_path: Path, point: str
) -> None:
    """What is committed between the snapshot and the next start is not lost."""
    bank = Bank(postgres)
    bank.fill(ACCOUNTS)
    flow = Flow(tmp_path, bank, GROUNDSWELL_FAILPOINT=f"{point}:1")
    try:
        for left in (1, 0):  # each run dies at its first epoch that is not there yet
            assert flow.process.wait(180) == 137, flow.failures() + flow.log()
            bank.run("UPDATE accounts SET balance = balance - 1 WHERE id = 1")
            bank.run("UPDATE accounts SET balance = balance + 1 WHERE id = 2")
            if not left:
                flow.environment.pop("GROUNDSWELL_FAILPOINT")
            flow.start()
        flow.moves_on(1)
        flow.finish()
    finally:
        flow.kill()
    assert flow.rows() == sorted(bank.run("SELECT * FROM accounts"))
    assert flow.failures() == ""


@pytest.mark.soak
@pytest.mark.parametrize("number", range(10))
def test_many_kills(postgres: Postgres, tmp_path: Path, number: int) -> None:
    run(postgres, tmp_path, kills=3, restarts=2, seed=SEED + number)


@pytest.mark.soak
def test_ten_minutes_of_transfers(postgres: Postgres, tmp_path: Path) -> None:
    run(postgres, tmp_path, kills=10, restarts=5, seconds=600)
