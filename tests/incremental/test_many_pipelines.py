"""Pipelines of one driver share its threads and its memory, and do not wait for each other."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs

pytestmark = pytest.mark.rest

COUNT = 5
BARRIERS = 4
KEYS = 50


def write(folder: Path, number: int) -> None:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": key, "n": number}) for key in range(KEYS)]
    (folder / f".{number}").write_text("\n".join(lines), "utf-8")
    (folder / f".{number}").rename(folder / f"{number}.json")


def threads(spark: SparkSession) -> Counter[str]:
    """Names of the engine's threads, without their numbers."""
    java: Any = spark._jvm
    names = [str(t.getName()) for t in java.java.lang.Thread.getAllStackTraces().keySet()]
    return Counter(re.sub(r"-\d+$", "", name) for name in names if name.startswith("groundswell"))


def test_a_stuck_one_holds_up_no_other_and_all_share_the_threads(
    session: SparkSession, tmp_path: Path
) -> None:
    released = threading.Event()

    def stuck(_: DataFrame, epoch: int) -> None:
        if epoch > 0:
            released.wait(300)

    runs = []
    for number in range(COUNT):
        folder = tmp_path / f"events-{number}"
        write(folder, 0)
        stream = session.readStream.schema("id int, n long").option("maxFilesPerTrigger", 1)
        p = gs.pipeline(session, str(tmp_path / f"pipeline-{number}"), partitions=2)
        totals = stream.json(str(folder)).groupBy("id").agg({"n": "sum"}).toDF("id", "total")
        p.view("totals", totals, foreachBatch=stuck if number == 0 else None)
        runs.append(p.start())
        runs[-1].processAllAvailable()
        if number == 0:
            alone = threads(session)
    for number in range(COUNT):
        for barrier in range(1, BARRIERS + 1):
            write(tmp_path / f"events-{number}", barrier)
    try:
        for run in runs[1:]:
            run.processAllAvailable()
        progress = [run.lastProgress for run in runs]
        assert [p["epoch"] for p in progress if p] == [0] + [BARRIERS] * (COUNT - 1)
        together = threads(session)
        # Both are the JVM's; what deletes files is each pipeline's own, and ends when it is idle.
        assert together["groundswell-requests"] <= 16, together
        assert together["groundswell-compaction"] <= max(alone["groundswell-compaction"], 4)
    finally:
        released.set()
    runs[0].processAllAvailable()
    wanted = {(key, sum(range(BARRIERS + 1))) for key in range(KEYS)}
    for number, run in enumerate(runs):
        view = gs.read_view(session, str(tmp_path / f"pipeline-{number}"), "totals")
        assert {tuple(row) for row in view.collect()} == wanted, f"pipeline {number}"
        run.stop()
