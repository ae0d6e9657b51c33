"""A pipeline whose states another process merges."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from crash.processes import end
from groundswell.runtime.compactor import Compactor
from incremental.harness import bag

pytestmark = pytest.mark.rest

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("GROUNDSWELL_SEED", "") or random.randrange(1 << 31))


class Shop:
    """A table whose rows are written again and again, and two views of it."""

    def __init__(self, session: SparkSession, location: Path, **options: object) -> None:
        self._session = session
        self.location = str(location)
        self.pipeline = gs.pipeline(
            session, self.location, partitions=2, retainEpochs=4, retireEvery=2, **options
        )
        self._table = self.pipeline.table("items", "id bigint, kind bigint, v bigint", key="id")
        self.pipeline.view("kinds", self._table.df.groupBy("kind").sum("v"))
        self.pipeline.view("large", self._table.df.where("v % 3 = 0"))
        self.rows: dict[int, tuple[int, int]] = {}

    def write(self, rng: random.Random, count: int = 40) -> None:
        changed = {
            rng.randrange(500): (rng.randrange(20), rng.randrange(1000)) for _ in range(count)
        }
        self.rows.update(changed)
        self._table.upsert(
            self._session.createDataFrame(
                [(key, *row) for key, row in changed.items()], "id bigint, kind bigint, v bigint"
            )
        )

    def check(self) -> None:
        rows = [(key, *row) for key, row in self.rows.items()]
        sums: dict[int, int] = {}
        for _, kind, v in rows:
            sums[kind] = sums.get(kind, 0) + v
        assert dict(bag(gs.read_view(self._session, self.location, "kinds"))) == dict.fromkeys(
            sums.items(), 1
        )
        large = [row for row in rows if row[2] % 3 == 0]
        assert self._view("large") == dict.fromkeys(large, 1)

    def _view(self, name: str) -> dict[object, int]:
        return dict(bag(gs.read_view(self._session, self.location, name)))


def test_what_another_process_merges_is_taken_in(session: SparkSession, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    shop = Shop(session, tmp_path / "c", compaction="elsewhere")
    query = shop.pipeline.start()
    compactor = Compactor(session, shop.location)
    merges = 0
    try:
        for _ in range(14):
            shop.write(rng)
            query.processAllAvailable()
            merges += compactor.once().merges
        assert merges >= 2
        assert compactor.once().merges == 0, "what it has told of is not merged again"
        assert Compactor(session, shop.location).once().merges == 0, "nor by another process"
        with pytest.raises(gs.Fenced, match="another process merges for"):
            compactor.once()
        merged = set((tmp_path / "c").rglob("*.sst"))
        assert merged
        time.sleep(1.1)  # the log is looked at once a second
        for _ in range(12):
            shop.write(rng)
            query.processAllAvailable()
        left = [p for p in merged if p.exists()]
        assert left, "what was taken in is what versions refer to"
        shop.check()
    finally:
        query.stop()


def test_a_pipeline_that_merges_itself_refuses_it(session: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(gs.ConfigurationError, match="is not the checkpointLocation of any view"):
        Compactor(session, str(tmp_path / "nothing")).once()
    shop = Shop(session, tmp_path / "c")
    query = shop.pipeline.start()
    try:
        shop.write(random.Random(1))
        query.processAllAvailable()
        with pytest.raises(gs.ConfigurationError, match='with the option compaction="elsewhere"'):
            Compactor(session, shop.location).once()
    finally:
        query.stop()
    assert not (tmp_path / "c" / "groundswell" / "merges").exists()


def start(location: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "groundswell", "compact", location, "--master", "local[1]"]
    return subprocess.Popen(
        [*command, "--every", "0.05"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.soak
def test_processes_that_merge_are_killed_and_run_beside_each_other(
    session: SparkSession, tmp_path: Path
) -> None:
    """Every view at every epoch that is kept, and no file too many in the end."""
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    shop = Shop(session, tmp_path / "c", compaction="elsewhere")
    query = shop.pipeline.start()
    running: list[subprocess.Popen[str]] = []
    said = ""
    try:
        until = time.monotonic() + 150
        latest = until + 300
        kill_at, patience = 0.0, 1.0
        # On a slow machine a process may be killed before it has merged anything, time and again.
        while (now := time.monotonic()) < until or (" merges, " not in said and now < latest):
            shop.write(rng)
            query.processAllAvailable()
            if time.monotonic() > kill_at:
                while len(running) < 2:
                    running.append(start(shop.location))
                victim = running.pop(rng.randrange(2))
                if rng.random() < 0.7:
                    time.sleep(rng.random() * 3)
                end(victim)
                said += victim.communicate()[0]
                running.append(start(shop.location))
                patience = patience if " merges, " in said else 1.3 * patience
                kill_at = time.monotonic() + patience * (6 + rng.random() * 6)
            if rng.random() < 0.02:
                query.stop()
                query = shop.pipeline.start()
        shop.check()
        for epoch in range(query.lastProgress["epoch"] - 3, query.lastProgress["epoch"] + 1):
            gs.read_view(session, shop.location, "large", epoch=epoch).count()
    finally:
        for process in running:
            end(process)
            said += process.communicate()[0]
        query.stop()
    assert " merges, " in said, said[-2000:]
    assert "Traceback" not in said, said[-4000:]
