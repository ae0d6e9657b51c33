"""Sketches that keep values by chance: what is taken back must be what was given."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.errors import NotIncremental

SKETCH = "kll_sketch_agg_bigint(v)"
QUANTILE = f"kll_sketch_get_quantile_bigint({SKETCH}, 0.5D)"
ROWS = 1_500
"""More than a sketch keeps: of 200 it has to drop some, and draws which."""


def test_a_group_takes_back_the_sketch_that_it_gave(session: SparkSession, tmp_path: Path) -> None:
    """Its state keeps the value, so views over it never see another one go than came."""
    chance = random.Random(4)
    location = str(tmp_path / "c")
    pipeline = gs.pipeline(session, location)
    table = pipeline.table("points", "id long, k int, v long", key="id")
    table.df.createOrReplaceTempView("points")
    sketches = session.sql(f"SELECT k, {SKETCH} s, {QUANTILE} q FROM points GROUP BY k")
    pipeline.view("sketches", sketches)
    medians = f"SELECT k, {QUANTILE} q FROM points GROUP BY k"
    spread = f"SELECT q, count(*) n, max(k) k FROM ({medians}) GROUP BY q"
    pipeline.view("spread", session.sql(spread))
    query = pipeline.start()
    alive: dict[int, tuple[int, int]] = {}
    try:
        for step in range(3):
            new = {
                i: (i % 3, chance.randrange(10**6)) for i in range(step * ROWS, (step + 1) * ROWS)
            }
            table.insert(session.createDataFrame(
                [(i, k, v) for i, (k, v) in new.items()], table.df.schema))  # fmt: skip
            alive |= new
            query.processAllAvailable()
            gone = chance.sample(sorted(alive), ROWS // 3)
            table.delete(session.createDataFrame([(i,) for i in gone], "id long"))
            for i in gone:
                del alive[i]
            query.processAllAvailable()
            found = {r.k: r.q for r in query.view("sketches").collect()}
            assert sorted(found) == [0, 1, 2]
            for k, median in found.items():
                values = [v for g, v in alive.values() if g == k]
                rank = sum(v <= median for v in values) / len(values)
                assert abs(rank - 0.5) < 0.1, (k, rank)
            rows = query.view("spread").collect()
            assert sum(r.n for r in rows) == 3, "nothing was left behind, nothing taken twice"
    finally:
        query.stop()


def test_a_window_would_draw_another_sketch_before_and_after(session: SparkSession) -> None:
    session.readStream.format("rate").load().selectExpr(
        "value v", "value % 3 k"
    ).createOrReplaceTempView("rates")
    for over in ("PARTITION BY k", "PARTITION BY k ORDER BY v"):
        with pytest.raises(NotIncremental, match="kll_sketch_agg_bigint"):
            session.sql(f"SELECT v, {SKETCH} OVER ({over}) s FROM rates").incremental()
