"""A counting query over files, one file a batch: in this process, or in one to be killed.

As a program, ``python workload.py FOLDER``: runs on two executor processes until all files are
done, starts again after each failure, and writes what failed how to ``failures.json``. ``python
workload.py FOLDER stop TEST_TOOLS_JAR``: is stopped while an upload hangs, and runs again.
``python workload.py FOLDER drive NAME plugin|plain [PAUSE]``: one driver of several; before the
results of batch PAUSE are asked for it writes ``NAME.paused`` and waits for ``NAME.go``; how it
ended goes to ``NAME.json``.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

PROVIDER = {
    "spark.sql.streaming.stateStore.providerClass": "io.groundswell.EpochStateStoreProvider",
    "spark.sql.shuffle.partitions": "4",
}
PLUGIN = {"spark.plugins": "io.groundswell.GroundswellPlugin"}
KEYS = 9


def add_files(folder: Path, count: int) -> None:
    """Appends input files; what is in them depends on their number alone."""
    source = folder / "in"
    source.mkdir(parents=True, exist_ok=True)
    for number in range(len(list(source.iterdir())), count):
        rng = random.Random(number)
        rows = [{"k": rng.randrange(KEYS), "v": rng.randrange(100)} for _ in range(30)]
        path = source / f"{number:03d}.json"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (1e9 + number, 1e9 + number))  # Spark takes files by age


def expected(folder: Path) -> list[list[int]]:
    """The result, in plain Python."""
    groups: dict[int, list[int]] = {}
    for path in (folder / "in").iterdir():
        for row in map(json.loads, path.read_text().splitlines()):
            groups.setdefault(row["k"], []).append(row["v"])
    return sorted([key, len(values), sum(values)] for key, values in groups.items())


def result(folder: Path) -> list[list[int]]:
    """What the query put out last."""
    return json.loads((folder / "out.json").read_text())


def start(
    spark: SparkSession, folder: Path, checkpoint: str | None = None, before=None
) -> StreamingQuery:
    """Starts the query on what is there; ``before(epoch)`` runs inside of each batch."""

    def sink(rows, epoch: int) -> None:
        if before is not None:
            before(epoch)
        (folder / "out.json").write_text(json.dumps(sorted(list(row) for row in rows.collect())))

    for key, value in PROVIDER.items():
        spark.conf.set(key, value)
    source = spark.readStream.schema("k long, v long").option("maxFilesPerTrigger", 1)
    return (
        source.json(str(folder / "in"))
        .groupBy("k")
        .agg(F.count("*"), F.sum("v"))
        .writeStream.outputMode("complete")
        .trigger(availableNow=True)
        .option("checkpointLocation", checkpoint or str(folder / "checkpoint"))
        .foreachBatch(sink)
        .start()
    )


JAR = Path(__file__).parents[2] / "python" / "groundswell" / "jars" / "groundswell.jar"


def session(master: str, confs: dict[str, str]) -> SparkSession:
    builder = SparkSession.builder.master(master)
    for key, value in {"spark.jars": str(JAR), "spark.ui.enabled": "false", **confs}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def survive(folder: Path) -> None:
    """Runs on two executor processes, and again after a failure."""
    spark = session("local-cluster[2,1,1024]", PLUGIN)
    failures: list[str] = []
    for _ in range(3):
        query = start(spark, folder)
        try:
            query.awaitTermination()
            break
        except StreamingQueryException as error:
            failures.append(str(error))
    (folder / "failures.json").write_text(json.dumps(failures))
    spark.stop()


def stop_during_upload(folder: Path, tools: str) -> None:
    """Stops the query while its third batch waits for an upload, and runs it again."""
    confs = {
        "spark.jars": f"{JAR},{tools}",
        "spark.hadoop.fs.slow.impl": "io.groundswell.testing.FaultyFileSystem",
        "spark.hadoop.fs.slow.latency": "PUT=0",
    }
    spark = session("local[2]", {**PLUGIN, **confs})
    storage = spark._jvm.io.groundswell.testing
    injector = storage.FaultyFileSystem.injector("slow")
    puts: list[int] = []

    def slow_down(epoch: int) -> None:
        if epoch == 2:
            injector.latency(storage.Latency.parse("PUT=100000"))
            puts.append(injector.calls(storage.Op.PUT))

    where = f"slow:{folder}/checkpoint"
    query = start(spark, folder, where, slow_down)
    # The PUT after the one of the sink's batch is the pack's, and the batch waits for it.
    while not puts or injector.calls(storage.Op.PUT) == puts[0]:
        if not query.isActive:
            raise SystemExit(f"the query ended: {query.exception()}")
        time.sleep(0.05)
    query.stop()
    failure = query.exception()
    commits = [p for p in (folder / "checkpoint" / "commits").iterdir() if p.name.isdigit()]
    seen = {"failure": failure and str(failure), "commits": len(commits)}
    (folder / "stopped.json").write_text(json.dumps(seen))
    injector.latency(storage.Latency.parse(""))
    start(spark, folder, where).awaitTermination()
    spark.stop()


def drive(folder: Path, name: str, mode: str, pause: int) -> None:
    """Runs until all files are done or another driver is in the way."""

    def before(epoch: int) -> None:
        if epoch == pause:
            (folder / f"{name}.paused").touch()
            while not (folder / f"{name}.go").exists():
                time.sleep(0.05)

    spark = session("local[2]", PLUGIN if mode == "plugin" else {})
    query = start(spark, folder, before=before)
    try:
        query.awaitTermination()
    except StreamingQueryException as error:
        (folder / f"{name}.json").write_text(json.dumps(str(error)))
    else:
        (folder / f"{name}.json").write_text("null")
    spark.stop()


if __name__ == "__main__":
    if sys.argv[2:3] == ["stop"]:
        stop_during_upload(Path(sys.argv[1]), sys.argv[3])
    elif sys.argv[2:3] == ["drive"]:
        drive(Path(sys.argv[1]), *sys.argv[3:5], int((sys.argv[5:] or ["-1"])[0]))
    else:
        survive(Path(sys.argv[1]))
