"""Operators with state that are written in Java: compiled once a run, called through py4j."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import DataFrame, SparkSession

from provider.events import one
from provider.replay import Case

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from jdk import RELEASE, find_jdk

SOURCES = Path(__file__).with_name("java")


def compile_operators(folder: Path) -> Path:
    """A jar of what stands in ``java``."""
    classes = folder / "classes"
    classes.mkdir()
    jars = os.pathsep.join(map(str, (Path(pyspark.__file__).parent / "jars").glob("*.jar")))
    sources = sorted(map(str, SOURCES.glob("*.java")))
    command = [str(find_jdk().javac), "--release", str(RELEASE), "-proc:none"]
    subprocess.run([*command, "-cp", jars, "-d", str(classes), *sources], check=True)
    jar = folder / "operators.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes).as_posix())
    return jar


def call(method: str, frame: DataFrame, *arguments: Any) -> DataFrame:
    spark: SparkSession = frame.sparkSession
    found = loader(spark).loadClass("provider.StateOperators")
    java = spark._jvm.java.lang
    for candidate in found.getMethods():
        if candidate.getName() == method:
            values = spark._sc._gateway.new_array(java.Object, 1 + len(arguments))
            for i, value in enumerate([frame._jdf, *arguments]):
                values[i] = value
            return DataFrame(candidate.invoke(None, values), spark)
    raise AttributeError(method)


def loader(spark: SparkSession) -> Any:
    """A class loader that knows the operators' jar, made this thread's own.

    Only the first context of a JVM gets its ``spark.jars`` onto the driver's class path; streams
    inherit the loader of the thread that starts them.
    """
    thread = spark._jvm.java.lang.Thread.currentThread()
    known = thread.getContextClassLoader()
    jar = spark.sparkContext.getConf().get("spark.jars").split(",")[-1]
    url = spark._jvm.java.io.File(jar).toURI().toURL()
    if known.getResource("provider/StateOperators.class") is None:
        urls = spark._sc._gateway.new_array(spark._jvm.java.net.URL, 1)
        urls[0] = url
        known = spark._jvm.java.net.URLClassLoader.newInstance(urls, known)
        thread.setContextClassLoader(known)
    return known


def started(streams: dict[str, DataFrame]) -> DataFrame:
    spark = streams["events"].sparkSession
    before = spark.createDataFrame([(f"key-{i}", 1000 + i) for i in range(20)], "k string, n long")
    return call("transform", streams["events"], before._jdf, 0)


EVOLVED = ["total int", "total long, note string", "note string, extra string, total long"]
AVRO = {"spark.sql.streaming.stateStore.encodingFormat": "avro"}
NO_IDLE_BATCHES = {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}

JVM_OPERATORS: dict[str, Case] = {
    "mapGroupsWithState": Case(
        one(batches=4), lambda streams: call("mapGroups", streams["events"]), "update"
    ),
    "flatMapGroupsWithState, timeouts": Case(
        one(), lambda streams: call("flatMapGroups", streams["events"])
    ),
    "mapGroupsWithState, state format 1": Case(
        one(batches=4),
        lambda streams: call("mapGroups", streams["events"]),
        "update",
        {"spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion": "1"},
    ),
    "JVM transformWithState, timers": Case(
        one(), lambda streams: call("transform", streams["events"], None, 0), "update"
    ),
    "JVM transformWithState, timers, avro": Case(
        one(batches=4),
        lambda streams: call("transform", streams["events"], None, 0),
        "update",
        AVRO,
    ),
    "JVM transformWithState, time to live": Case(
        one(batches=4),
        lambda streams: call("transform", streams["events"], None, 3_600_000),
        "update",
        NO_IDLE_BATCHES,
    ),
    "JVM transformWithState, initial state": Case(one(batches=4), started, "update"),
}


def evolving(version: int) -> Case:
    return Case(
        one(batches=3),
        lambda streams: call("evolving", streams["events"], EVOLVED[version]),
        "update",
        AVRO,
    )
