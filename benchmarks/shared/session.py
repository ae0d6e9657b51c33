"""A Spark session with our jar, and what its process used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs

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


def session(name: str, confs: Mapping[str, str] | None = None) -> SparkSession:
    """Two cores of this machine, quiet; ``confs`` win over those above."""
    builder = SparkSession.builder.master("local[2]").appName(name)
    for key, value in {**CONFS, **(confs or {})}.items():
        builder = builder.config(key, value)
    spark: SparkSession = gs.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def peak_memory(spark: SparkSession) -> int:
    """Bytes that the JVM's process has had in memory at most."""
    jvm: Any = spark.sparkContext._jvm
    status = Path(f"/proc/{jvm.java.lang.ProcessHandle.current().pid()}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def size(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
