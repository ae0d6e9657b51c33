"""One engine, one query, in a process of its own; says as JSON what it measured.

Cold: the first query of a fresh process. Warm: the same query again, on all data, after it has run
on a small input in this process.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from nexmark.queries import QUERIES
from views import engines


def session(memory: str) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("views")
    for key, value in {
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.numRecentProgressUpdates": "1000",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
    }.items():
        builder = builder.config(key, value)
    return gs.configure(builder).getOrCreate()


def main(engine: str, name: str, data: str, small: str, memory: str) -> None:
    """Runs cold on the small input and warm on the large one, prints what that took."""
    spark = session(memory)
    spark.sparkContext.setLogLevel("ERROR")
    query, run = QUERIES[name], engines.ENGINES[engine]
    said: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="views-") as folder:
        cold = run(spark.newSession(), query, Path(small), Path(folder) / "small")
        said["cold_seconds"] = cold.seconds
        work = Path(folder) / "large"
        warm = run(spark.newSession(), query, Path(data), work)
        said |= {"seconds": warm.seconds, "barriers": warm.barriers, "state": warm.state}
        said["peak_memory"] = peak_memory(spark)
        if engine == "ours":
            said["differences"] = engines.differences(spark.newSession(), query, Path(data), work)
    print("RESULT " + json.dumps(said), flush=True)
    spark.stop()


def peak_memory(spark: SparkSession) -> int:
    """Bytes that the JVM's process has had in memory at most."""
    jvm: Any = spark.sparkContext._jvm
    status = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
