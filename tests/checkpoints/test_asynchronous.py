"""Commits that wait in memory: one object an executor and batch, and nothing lost when it dies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from checkpoints import workload

Factory = Callable[..., SparkSession]
# Confs of the first context stay with the process: what is not wanted must be said.
PLAIN = {"spark.plugins": ""}


def run(spark: SparkSession, folder: Path, files: int, **options) -> None:
    workload.add_files(folder, files)
    workload.start(spark, folder, **options).awaitTermination()
    assert workload.result(folder) == workload.expected(folder)


def versions(folder: Path, pattern: str) -> list[int]:
    """The versions of all state objects of that name, each once."""
    found = (folder / "checkpoint" / "state").rglob(pattern)
    return sorted({int(path.name.split("-")[0]) for path in found})


def test_either_mode_goes_on_where_the_other_stopped(
    spark_factory: Factory, tmp_path: Path
) -> None:
    run(spark_factory(workload.PLUGIN), tmp_path, 4)
    assert versions(tmp_path, "*.commit") == [1], "the first batch of a run is not deferred"
    assert versions(tmp_path, "*.pack") == versions(tmp_path, "*.index") == [2, 3, 4]
    packs = list((tmp_path / "checkpoint" / "state" / "_packs").glob("*.pack"))
    assert len(packs) == 3, "all partitions of a batch share one object"
    run(spark_factory(PLAIN), tmp_path, 6)
    assert versions(tmp_path, "*.commit") == [1, 5, 6]
    run(spark_factory(workload.PLUGIN), tmp_path, 8)
    assert versions(tmp_path, "*.pack") == [2, 3, 4, 8]
    # Any version is found without the plugin, by who reads state, too.
    plain = spark_factory(PLAIN)
    for batch in (2, 4, 7):
        rows = plain.read.format("statestore").option("batchId", batch)
        state = rows.load(str(tmp_path / "checkpoint")).collect()
        assert sum(row.value[0] for row in state) == 30 * (batch + 1)


def test_a_file_manager_that_the_user_had_is_asked(spark_factory: Factory, tmp_path: Path) -> None:
    theirs = (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    )
    key = "spark.sql.streaming.checkpointFileManagerClass"
    spark = spark_factory({**workload.PLUGIN, key: theirs})
    run(spark, tmp_path, 2)
    assert versions(tmp_path, "*.pack") == [2]
    assert (tmp_path / "checkpoint" / "commits" / ".1.crc").exists(), "Hadoop's, not ours, wrote it"


def test_nothing_is_deferred_past_a_file_manager_that_does_not_wait(
    spark_factory: Factory, tmp_path: Path
) -> None:
    spark = spark_factory(workload.PLUGIN)
    spark.conf.set(
        "spark.sql.streaming.checkpointFileManagerClass",
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager",
    )
    run(spark, tmp_path, 3)
    assert versions(tmp_path, "*.commit") == [1, 2, 3]
    assert versions(tmp_path, "*.pack") == []


def test_the_older_of_two_drivers_is_fenced(spark_factory: Factory, tmp_path: Path) -> None:
    owner = tmp_path / "checkpoint" / "state" / "_packs" / "owner"

    def taken_over(epoch: int) -> None:
        if epoch == 2:
            owner.write_text("f" * 20 + "\nrun 7 on another host\n")

    workload.add_files(tmp_path, 4)
    query = workload.start(spark_factory(workload.PLUGIN), tmp_path, before=taken_over)
    with pytest.raises(StreamingQueryException, match=r"FENCED.*run 7 on another host"):
        query.awaitTermination()
    assert not (tmp_path / "checkpoint" / "commits" / "2").exists()


def test_stop_ends_the_wait_for_an_upload(
    spark_factory: Factory, slow_storage: dict[str, str], tmp_path: Path
) -> None:
    spark = spark_factory({**workload.PLUGIN, **slow_storage})
    storage = spark._jvm.io.groundswell.testing
    injector = storage.FaultyFileSystem.injector("slow")
    uploading = threading.Event()
    puts: list[int] = []

    def slow_down(epoch: int) -> None:
        if epoch == 2:
            puts.append(injector.calls(storage.Op.PUT))
            injector.latency(storage.Latency.parse("PUT=20000"))
            uploading.set()

    workload.add_files(tmp_path, 4)
    where = f"slow:{tmp_path}/checkpoint"
    query = workload.start(spark, tmp_path, where, slow_down)
    try:
        assert uploading.wait(120), query.exception()
        while injector.calls(storage.Op.PUT) == puts[0]:  # of the pack; the batch waits for it
            assert query.isActive, query.exception()
            time.sleep(0.05)
        query.stop()
    finally:
        injector.latency(storage.Latency.parse(""))
    assert query.exception() is None, "to be stopped is no failure"
    assert not (tmp_path / "checkpoint" / "commits" / "2").exists()
    run(spark, tmp_path, 4, checkpoint=where)
    assert versions(tmp_path, "*.pack")[-1] == 4


def test_an_executor_killed_before_its_upload_costs_one_run_of_its_batch(tmp_path: Path) -> None:
    workload.add_files(tmp_path, 4)
    environment = {
        **os.environ,
        "GROUNDSWELL_FAILPOINT": "upload.before-publish:2",
        "GROUNDSWELL_FAILPOINT_MARKER": str(tmp_path / "killed-at"),
    }
    program = [sys.executable, str(Path(workload.__file__)), str(tmp_path)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "killed-at").exists(), "the point was never reached"
    failures = json.loads((tmp_path / "failures.json").read_text())
    assert len(failures) == 1, failures
    assert "CHECKPOINT_LOST" in failures[0] and "executor" in failures[0]
    assert workload.result(tmp_path) == workload.expected(tmp_path)
