"""Commits that wait in memory: one object an executor and batch, and nothing lost when it dies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

import groundswell
from checkpoints import workload
from groundswell.cli.main import main
from groundswell.errors import VersionUnavailable
from groundswell.format import Store, open_folder
from groundswell.format.envelope import seal
from groundswell.migrate.run import rescale
from groundswell.state.checkpoint import Checkpoint

pytestmark = pytest.mark.rest

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
        found = groundswell.read_state(tmp_path / "checkpoint", batch=batch).to_pylist()
        assert len(found) == len(state)
    partition = Store(tmp_path / "checkpoint" / "state" / "0" / "1")
    assert list(partition.versions()) == list(range(1, 9))


def test_one_store_is_shown_at_the_version_that_the_query_is_at(
    spark_factory: Factory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the first of its versions is an object of the store's own folder."""
    run(spark_factory(workload.PLUGIN), tmp_path, 4)
    checkpoint = tmp_path / "checkpoint"
    live = groundswell.read_state(checkpoint, partition=1).num_rows
    for words in (["--store", "0/1"], []):
        own = [] if words else ["state", "0", "1"]
        assert main(["inspect", str(checkpoint.joinpath(*own)), *words]) == 0
        report = capsys.readouterr().out
        assert ": version 4, id " in report
        assert "4 versions can be opened, 1 to 4" in report
        assert f"table default: {live:,} live keys" in report


def test_what_is_in_packs_moves_as_a_whole_and_leaves_them(
    spark_factory: Factory, tmp_path: Path
) -> None:
    spark = spark_factory(workload.PLUGIN)
    run(spark, tmp_path, 3)
    old, new = tmp_path / "checkpoint", tmp_path / "new"
    assert rescale(spark, str(old), str(new), 2).partitions == {0: 2}
    found = groundswell.read_state(new).to_pylist()
    assert sum(row["value"]["count"] for row in found) == 90
    assert not (new / "state" / "_packs").exists()
    with pytest.raises(VersionUnavailable):  # of other partitions, if it were found
        groundswell.read_state(new, batch=1)
    run(spark, tmp_path, 5, checkpoint=str(new))


def test_partitions_that_are_in_packs_alone_are_counted(
    spark_factory: Factory, tmp_path: Path
) -> None:
    """On an object store there is no folder without an object in it."""
    run(spark_factory(workload.PLUGIN), tmp_path, 2)
    checkpoint = tmp_path / "checkpoint"
    for partition in (1, 2, 3):
        shutil.rmtree(checkpoint / "state" / "0" / str(partition))
    assert Checkpoint(open_folder(checkpoint)).operator(None).partitions == 4


def test_a_file_manager_that_the_user_had_is_asked(spark_factory: Factory, tmp_path: Path) -> None:
    theirs = (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    )
    spark = spark_factory({**workload.PLUGIN, "spark.groundswell.checkpointFileManager": theirs})
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
    owners = tmp_path / "checkpoint" / "groundswell" / "owners"

    def taken_over(epoch: int) -> None:
        if epoch == 2:
            claim = {"token": 2, "run": "run 7", "host": "another", "pid": 7, "sinceMillis": 0}
            (owners / f"{2:020d}.json").write_bytes(seal("owner", claim))

    workload.add_files(tmp_path, 4)
    query = workload.start(spark_factory(workload.PLUGIN), tmp_path, before=taken_over)
    with pytest.raises(
        StreamingQueryException, match=r"FENCED.*run 7 .process 7 on another, since 1970"
    ):
        query.awaitTermination()
    assert not (tmp_path / "checkpoint" / "commits" / "2").exists()


def launch(folder: Path, *words: str) -> subprocess.Popen:
    command = [sys.executable, str(Path(workload.__file__)), str(folder), "drive", *words]
    log = (folder / f"{words[0]}.log").open("w")
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def outcome(driver: subprocess.Popen, folder: Path, name: str) -> str | None:
    """How a driver's query ended; None is well."""
    assert driver.wait(240) == 0, (folder / f"{name}.log").read_text()[-4000:]
    return json.loads((folder / f"{name}.json").read_text())


@pytest.mark.parametrize("mode", ["plugin", pytest.param("plain", marks=pytest.mark.soak)])
def test_of_two_drivers_the_older_ends_with_a_named_error(
    jar: Path, tmp_path: Path, mode: str
) -> None:
    # Without the plugin Spark alone notices that commits/2 is there.
    error = "FENCED" if mode == "plugin" else "CONCURRENT_STREAM_LOG_UPDATE"
    workload.add_files(tmp_path, 5)
    older = launch(tmp_path, "older", mode, "2")
    try:
        deadline = time.monotonic() + 240
        while not (tmp_path / "older.paused").exists():
            assert older.poll() is None and time.monotonic() < deadline, (
                tmp_path / "older.log"
            ).read_text()[-4000:]
            time.sleep(0.05)
        # Batch 2 again, which the older one has begun, and the rest.
        assert outcome(launch(tmp_path, "newer", mode), tmp_path, "newer") is None
        assert workload.result(tmp_path) == workload.expected(tmp_path)
        (tmp_path / "older.go").touch()
        failure = outcome(older, tmp_path, "older")
    finally:
        older.kill()
    assert failure is not None and error in failure, failure
    # What the older one left behind changes nothing for who goes on.
    workload.add_files(tmp_path, 7)
    assert outcome(launch(tmp_path, "last", mode), tmp_path, "last") is None
    assert workload.result(tmp_path) == workload.expected(tmp_path)


def program(folder: Path, *words: str, **environment: str) -> None:
    """Runs the workload in a process of its own."""
    command = [sys.executable, str(Path(workload.__file__)), str(folder), *words]
    env = {**os.environ, **environment}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-4000:]


def test_state_below_views_is_not_deferred(spark_factory: Factory, tmp_path: Path) -> None:
    """Their epochs are public before Spark records the batch, and are not computed again."""
    spark = spark_factory(workload.PLUGIN)
    for key, value in workload.PROVIDER.items():
        spark.conf.set(key, value)
    workload.add_files(tmp_path, 4)
    reader = spark.readStream.schema("k long, v long").option("maxFilesPerTrigger", 1)
    once = reader.json(str(tmp_path / "in")).dropDuplicates(["k"])
    pipeline = groundswell.pipeline(spark, str(tmp_path / "checkpoint"))
    pipeline.view("v", groundswell.appends(once, name="once").select("k"))
    query = pipeline.start(availableNow=True)
    query.awaitTermination()
    assert query.view("v").count() == workload.KEYS
    assert versions(tmp_path, "*.pack") == []
    assert versions(tmp_path, "*.commit") == [1, 2, 3, 4]


def test_stop_ends_the_wait_for_an_upload(test_tools: Path, tmp_path: Path) -> None:
    workload.add_files(tmp_path, 4)
    program(tmp_path, "stop", str(test_tools))
    assert json.loads((tmp_path / "stopped.json").read_text()) == {"failure": None, "commits": 2}
    assert workload.result(tmp_path) == workload.expected(tmp_path)


def test_an_executor_killed_before_its_upload_costs_one_run_of_its_batch(tmp_path: Path) -> None:
    workload.add_files(tmp_path, 4)
    program(
        tmp_path,
        GROUNDSWELL_FAILPOINT="upload.before-publish:2",
        GROUNDSWELL_FAILPOINT_MARKER=str(tmp_path / "killed-at"),
    )
    assert (tmp_path / "killed-at").exists(), "the point was never reached"
    failures = json.loads((tmp_path / "failures.json").read_text())
    assert len(failures) == 1, failures
    assert "CHECKPOINT_LOST" in failures[0] and "executor" in failures[0]
    assert workload.result(tmp_path) == workload.expected(tmp_path)
