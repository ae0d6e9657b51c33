"""``readStream.changes``: tables of a catalog that gives their changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import bag

pytestmark = pytest.mark.rest


def test_changes_of_a_table_are_a_changelog(jar: Path, test_tools: Path, tmp_path: Path) -> None:
    """In a process of its own, whose JVM begins with the catalog on its class path."""
    tests = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))
    command = [sys.executable, __file__, f"{jar},{test_tools}", str(tmp_path / "c")]
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-4000:]


def follow_a_table(jars: str, location: str) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.jars", jars)
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.conf.set("spark.sql.catalog.cdc", "io.groundswell.testing.ChangelogCatalog")
    change = spark._jvm.io.groundswell.testing.ChangelogCatalog.change
    steps = [
        [(1, "a", "insert"), (2, "a", "insert")],
        [(1, "a", "update_preimage"), (1, "b", "update_postimage"), (2, "a", "delete")],
    ]
    found = []
    for step in steps:
        for row in step:
            change(*row)
        stream = spark.readStream.option("startingVersion", "0").changes("cdc.ns.t")
        rows = gs.changelog(stream.drop("_commit_version", "_commit_timestamp"), key="id", name="t")
        p = gs.pipeline(spark, location).view("t", rows)
        p.view("n", rows.groupBy("v").count()).start(availableNow=True).awaitTermination()
        views = gs.read_views(spark, location)
        found.append((set(bag(views["t"])), set(bag(views["n"]))))
    assert found == [({(1, "a"), (2, "a")}, {("a", 2)}), ({(1, "b")}, {("b", 1)})]


if __name__ == "__main__":
    follow_a_table(*sys.argv[1:])
