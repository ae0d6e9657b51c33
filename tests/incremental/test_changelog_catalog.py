"""``readStream.changes``: tables of a catalog that gives their changes."""

from pathlib import Path

import groundswell as gs
from conftest import SparkFactory
from incremental.harness import bag


def test_changes_of_a_table_are_a_changelog(
    jar: Path, test_tools: Path, spark_factory: SparkFactory, tmp_path: Path
) -> None:
    spark = spark_factory({"spark.jars": f"{jar},{test_tools}"})
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
        p = gs.pipeline(spark, str(tmp_path / "c")).view("t", rows)
        p.view("n", rows.groupBy("v").count()).start(availableNow=True).awaitTermination()
        views = gs.read_views(spark, str(tmp_path / "c"))
        found.append((set(bag(views["t"])), set(bag(views["n"]))))
    assert found == [({(1, "a"), (2, "a")}, {("a", 2)}), ({(1, "b")}, {("b", 1)})]
