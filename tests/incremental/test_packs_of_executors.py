"""On storage whose requests are slow each executor writes one object a barrier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs

pytestmark = pytest.mark.rest

EXECUTORS, CORES, PARTITIONS = 2, 2, 8
EDGE = "src bigint, dst bigint"


@pytest.fixture
def session(_contexts: Any, jar: Path, test_tools: Path) -> Iterator[SparkSession]:
    given = {
        "spark.master": f"local-cluster[{EXECUTORS},{CORES},1024]",
        "spark.jars": f"{jar},{test_tools}",
        "spark.hadoop.fs.slow.impl": "io.groundswell.testing.FaultyFileSystem",
        "spark.hadoop.fs.slow.latency": "PUT=0",
    }
    spark = _contexts.get(given, own_jvm=True).newSession()
    yield spark
    for query in spark.streams.active:
        query.stop()


def packs(location: Path) -> dict[int, list[str]]:
    """Names by epoch."""
    found: dict[int, list[str]] = {}
    for path in (location / "groundswell" / "state" / "_packs").glob("*.pack"):
        found.setdefault(int(path.name[:20]), []).append(path.name)
    return found


def test_a_barrier_writes_a_pack_an_executor(session: SparkSession, tmp_path: Path) -> None:
    """The fewest of several barriers: one that meets a busy executor may be run again."""
    p = gs.pipeline(session, f"slow:{tmp_path}/c", partitions=PARTITIONS)
    edges = p.table("edges", EDGE, key=["src", "dst"])
    for n in range(2):
        p.view(f"v{n}", edges.df.groupBy((F.col("dst") % (5 + n)).alias("k")).count())
    starts = edges.df.where("src < 0").select(F.col("dst").alias("node"))

    def step(rows: Any) -> Any:
        return rows.join(edges.df, rows.node == edges.df.src).select("dst")

    p.view("reached", gs.fixpoint(starts, step))
    run, rounds, made = p.start(), [], []
    try:
        for n in range(3):
            # A chain from n * 100 on, and one start for all of them.
            rows = [(n * 100 + i, n * 100 + i + 1) for i in range(6)]
            edges.upsert(session.createDataFrame([(-1 - n, n * 100), *rows], EDGE))
            run.processAllAvailable()
            rounds.append(run.lastProgress["rounds"])
            made.append(packs(tmp_path / "c")[run.lastProgress["epoch"]])
    finally:
        run.stop()
    assert min(rounds) >= 6, "each is a commit of its own"
    assert 1 <= min(len(names) for names in made) <= EXECUTORS
    assert all("-000" in name for names in made for name in names), "views' and operators' own"
    reached = gs.read_view(session, f"slow:{tmp_path}/c", "reached").collect()
    assert sorted(row.node for row in reached) == [n * 100 + i for n in range(3) for i in range(7)]
    wanted = Counter((n * 100 + i) % 5 for n in range(3) for i in range(7))
    counts = gs.read_view(session, f"slow:{tmp_path}/c", "v0").collect()
    assert {row.k: row["count"] for row in counts} == dict(wanted)
