"""What a user submits: it prints one line of JSON about the session that it got.

Arguments: the folder to work in, and ``plain`` for a session that is not configured.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import confs


def view(spark: SparkSession, folder: Path) -> list[list[int]]:
    """A view that calls a function of the user's jar, on executors."""
    (folder / "in").mkdir()
    (folder / "in" / "1.json").write_text('{"id": 1}\n{"id": 2}\n{"id": 3}\n')
    rows = spark.readStream.schema("id long").json(str(folder / "in"))
    gs.appends(rows, name="numbers").createOrReplaceTempView("numbers")
    spark.udf.registerJavaFunction("plus_one", "example.PlusOne", "long")
    query = (
        spark.sql("SELECT plus_one(id) AS n, count(*) AS c FROM numbers GROUP BY plus_one(id)")
        .incremental()
        .writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        .option("partitions", 2)
        .trigger(availableNow=True)
        .toView("counts")
    )
    query.awaitTermination()
    found = gs.read_view(spark, str(folder / "checkpoint"), "counts")
    return sorted([row.n, row.c] for row in found.collect())


def main(folder: Path, plain: bool) -> None:
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    spark = (builder if plain else gs.configure(builder)).getOrCreate()
    said = {key: spark.conf.get(key, "") for key in confs.CLASSES}
    said["delegate"] = spark.conf.get("spark.groundswell.checkpointFileManager", "")
    said["jars"] = [Path(jar).name for jar in spark.conf.get("spark.jars").split(",")]
    said["rows"] = view(spark, folder)
    print("SAID", json.dumps(said), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), "plain" in sys.argv[2:])
