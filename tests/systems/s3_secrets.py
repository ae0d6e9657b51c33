"""A pipeline on S3 that logs, explains and fails: ``s3_secrets.py CONFS EVENTS GOOD BAD``."""

from __future__ import annotations

import json
import sys


def main(given: dict[str, str], events: str, good: str, bad: str) -> None:
    from pyspark.sql import SparkSession

    import groundswell as gs

    builder = SparkSession.builder
    for key, value in given.items():
        builder = builder.config(key, value)
    spark = gs.configure(builder).getOrCreate()
    for location in (good, bad):
        try:
            stream = spark.readStream.schema("id long, product int, n long").json(events)
            pipeline = gs.pipeline(spark, location)
            pipeline.view("totals", stream.groupBy("product").sum("n"))
            run = pipeline.start(queryName="secrets", availableNow=True)
            print("the plan is")
            run.explain()
            run.awaitTermination()
            print(run.lastProgress)
            gs.read_view(spark, location, "totals").explain(True)
        except Exception as e:  # noqa: BLE001 - its text is what is looked at
            print(f"{type(e).__name__}: {e}")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), *sys.argv[2:])
