"""State of window functions, first rows and sessions that a watermark has passed."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

import groundswell as gs
from incremental.events import SCHEMA, marked, row
from incremental.harness import Table, bag

pytestmark = pytest.mark.rest


def test_state_behind_window_functions_and_sessions_stays_flat(
    session: SparkSession, tmp_path: Path
) -> None:
    """A minute a barrier; the views, which keep all rows, equal batch Spark at the end."""
    events = Table(session, tmp_path, "events", SCHEMA)
    location = str(tmp_path / "c")

    def views(source: DataFrame) -> dict[str, DataFrame]:
        minutes = source.withColumn("w", F.window("ts", "1 minute"))
        by_minute = Window.partitionBy("w").orderBy("ts", "k")
        newest = Window.partitionBy("w", "k").orderBy(F.desc("ts"))
        return {
            "ranks": minutes.select("w", "ts", "k", F.row_number().over(by_minute).alias("n")),
            "neighbours": minutes.select("ts", "k", F.lag("v", 2).over(by_minute).alias("n")),
            "first": minutes.withColumn("n", F.row_number().over(newest)).where("n <= 2"),
            "sessions": source.groupBy("k", F.session_window("ts", "20 seconds").alias("s")).agg(
                F.count("*").alias("n"), F.max("v").alias("m")
            ),
        }

    pipeline = gs.pipeline(session, location, retainEpochs=2, retireEvery=1)
    for name, view in views(gs.appends(marked(events), name="events")).items():
        pipeline.view(name, view)
    run = pipeline.start()
    rows, sizes = [], []
    for step in range(30):
        # ann's sessions run on and on, bob's are of some seconds, some begin near a minute's end
        new = [row(60 * step + 15 * i, "ann", i) for i in range(4)]
        new += [row(60 * step + i, f"bob {i}", step) for i in range(0, 60, 2)]
        new = [r for r in new if not (r["k"] == "ann" and step % 10 == 0)]
        rows += new
        events.put(new)
        run.processAllAvailable()
        found = [o for o in run.lastProgress["operators"] if o["op"] in ("window", "first_rows")]
        assert len(found) == 4
        sizes.append(sum(o["stateBytes"] for o in found))
    assert run.lastProgress["lateRows"] == 0
    assert max(sizes[20:]) < 1.5 * max(sizes[5:15]), sizes
    batch = views(session.createDataFrame(rows).selectExpr("cast(ts as timestamp) ts", "k", "v"))
    for name, view in gs.read_views(session, location).items():
        assert bag(view) == bag(batch[name]), name
    run.stop()
