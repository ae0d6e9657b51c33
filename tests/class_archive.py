"""Spark's classes, parsed and verified once, for all JVMs that tests start.

A JVM that starts Spark spends much of its time on loading classes. Run as a program, this runs a
small query and writes the classes that it loaded to ``build/class-archive/<digest>.jsa`` (class
data sharing of the JDK). The digest names the JVM and Spark's jars, so a new one makes a new
archive. The JVM compares both again, and starts without the archive where they differ.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark

FOLDER = Path(__file__).resolve().parents[1] / "build" / "class-archive"
JARS = Path(pyspark.__file__).parent / "jars"

# Tests are short: the second compiler would cost them more than it gives, and so would threads
# that collect garbage beside them. With one compiler there is room for 48 MB of code, which two
# minutes of random queries fill. Huge pages are Linux's only.
OPTIONS = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:+UseTransparentHugePages",
]
QUIET = "-Xlog:cds*=off"
"""Children's output is compared, so a JVM that refuses the archive says nothing."""

PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false") \\
    .config("spark.sql.shuffle.partitions", "2").getOrCreate()
frame = spark.range(100).selectExpr("id % 7 AS k", "CAST(id AS STRING) AS v")
frame.groupBy("k").count().join(frame, "k").orderBy("k").collect()
frame.createOrReplaceTempView("t")
spark.sql("SELECT k, max(v) OVER (PARTITION BY k) FROM t").toArrow()
stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "5").load()
query = stream.writeStream.foreachBatch(lambda rows, epoch: rows.count()) \\
    .option("checkpointLocation", __import__("tempfile").mkdtemp()).start()
while not query.recentProgress:
    query.awaitTermination(0.1)
query.stop()
spark.stop()
"""


def java() -> str:
    """The JVM that Spark starts; empty if there is none."""
    home = os.environ.get("JAVA_HOME")
    found = f"{home}/bin/java" if home else shutil.which("java")
    return os.path.realpath(found) if found else ""


def archive() -> Path:
    """Where the archive for this JVM and these jars is, or would be."""
    digest = hashlib.sha256(java().encode())
    for file in [Path(java()), *sorted(JARS.glob("*.jar"))]:
        if file.is_file():
            known = file.stat()
            digest.update(f"{file}\0{known.st_size}\0{known.st_mtime_ns}\0".encode())
    return FOLDER / f"{digest.hexdigest()[:32]}.jsa"


def jvm_options() -> str:
    """What JVMs of tests are started with; with the archive, where it is made."""
    shared = [f"-XX:SharedArchiveFile={archive()}", QUIET] if archive().is_file() else []
    return " ".join([*OPTIONS, *shared])


def main() -> None:
    """Makes the archive, unless it is there; without one tests are slower, and no less."""
    target = archive()
    if target.is_file():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    draft = target.with_suffix(".tmp")
    options = " ".join([*OPTIONS, f"-XX:ArchiveClassesAtExit={draft}", QUIET])
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "SPARK_SUBMIT_OPTS": options},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if ran.returncode == 0 and draft.is_file():
        draft.replace(target)
    else:
        print(f"no class archive, JVMs start slowly: {ran.stderr[-500:]}", file=sys.stderr)


if __name__ == "__main__":
    main()
