"""A Spark session with our jar, and what its process used."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

import groundswell as gs
from shared import process

CONFS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session(name: str, confs: Mapping[str, str] | None = None, ours: bool = True) -> SparkSession:
    """Two cores of this machine, quiet; ``confs`` win over those above.

    ``ours=False`` gives Spark alone: no jar, no plugin, no extensions of ours.
    """
    builder = SparkSession.builder.master("local[2]").appName(name)
    for key, value in {**CONFS, **(confs or {})}.items():
        builder = builder.config(key, value)
    spark: SparkSession = (gs.configure(builder) if ours else builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def pid(spark: SparkSession) -> int:
    """The JVM's process."""
    jvm: Any = spark.sparkContext._jvm
    return int(jvm.java.lang.ProcessHandle.current().pid())


def peak_memory(spark: SparkSession) -> int:
    """Bytes that the JVM's process has had in memory at most."""
    return process.peak_memory(pid(spark))


def live_heap(spark: SparkSession) -> int:
    """Bytes of the heap that are in use after a full collection."""
    jvm: Any = spark.sparkContext._jvm
    jvm.java.lang.System.gc()
    heap = jvm.java.lang.management.ManagementFactory.getMemoryMXBean().getHeapMemoryUsage()
    return int(heap.getUsed())


class Cpu(StreamingQueryListener):
    """CPU time of the JVM by batch: what else runs on the machine moves it less than the clock."""

    def __init__(self, spark: SparkSession) -> None:
        self._stat = Path(f"/proc/{pid(spark)}/stat")
        self._ends: list[int] = []
        spark.streams.addListener(self)

    def of_batches(self, count: int) -> list[int]:
        """Milliseconds of the first so many batches, each from the end of the one before."""
        until = time.monotonic() + 10  # reports come a little after their batches
        while len(self._ends) < count and time.monotonic() < until:
            time.sleep(0.05)
        return [b - a for a, b in itertools.pairwise([0, *self._ends[:count]])]

    def onQueryStarted(self, event: Any) -> None: ...

    def onQueryProgress(self, event: Any) -> None:
        if "addBatch" in event.progress.durationMs:
            fields = self._stat.read_text().rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12])  # user, system
            self._ends.append(1000 * ticks // os.sysconf("SC_CLK_TCK"))

    def onQueryIdle(self, event: Any) -> None: ...

    def onQueryTerminated(self, event: Any) -> None: ...


def size(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
