"""Tasks that run again: their first attempt may have committed already."""

from collections import Counter
from pathlib import Path

import pyspark.sql.functions as F
import pytest

from bridge.flows import Flow
from conftest import SparkFactory
from groundswell.format import open_folder
from groundswell.format.epoch_packs import EpochPacks

pytestmark = pytest.mark.rest


def test_a_task_that_committed_and_then_failed_runs_again(
    spark_factory: SparkFactory, tmp_path: Path
) -> None:
    spark = spark_factory({"spark.master": "local[2,3]"})
    flow = Flow(spark, tmp_path)
    flow.source("t", "id long, g int", key=["id"])
    failed = tmp_path / "failed"

    def fails_once(n: int) -> int:
        if n == 3 and not failed.exists():
            failed.touch()
            raise ValueError("told to fail once")
        return n

    # Python gets all groups of the task before it answers: by then the aggregate has committed.
    groups = spark.sql("SELECT g, count(*) n FROM t GROUP BY g")
    flow.start({"v": groups.select("g", F.udf(fails_once, "long")("n").alias("n"))})
    flow.barrier(t=[(i, i % 2) for i in range(6)])
    assert failed.exists()
    packs = EpochPacks(open_folder(tmp_path / "root" / "state" / "_packs"))
    attempts = Counter(
        (store, commit.version)
        for name in packs.names()
        for store, commit in packs.commits(name).items()
    )
    assert set(attempts.values()) == {1}, "what the first attempt had packed is gone with it"
    assert flow.view("v") == [(0, 3), (1, 3)]
    assert flow.counters("aggregate")["rowsOut"] == 2, "counted once"
    flow.barrier(t=[(0, 1)])
    assert flow.view("v") == [(0, 2), (1, 4)]
