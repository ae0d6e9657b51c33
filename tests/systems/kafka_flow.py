"""From two topics through views to two topics, on two executor processes: what others kill.

``python kafka_flow.py FOLDER SERVERS JARS``: goes on, also after failures, until ``FOLDER/enough``
is there and a run has read all. Each failure's message is a line of ``FOLDER/failures.log``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

SCHEMA = "id bigint, n bigint"


def main(folder: Path, servers: str, jars: str) -> None:
    from pyspark.sql import SparkSession

    import groundswell as gs

    confs = {
        "spark.master": "local-cluster[2,1,1024]",
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "768m",
        "spark.jars": jars,
        "spark.deploy.maxExecutorRetries": "-1",  # executors die more often than Spark would bear
        "spark.task.maxFailures": "20",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder
    for key, value in confs.items():
        builder = builder.config(key, value)
    spark = gs.configure(builder).getOrCreate()
    while True:
        last = (folder / "enough").exists()
        try:
            table = gs.kafka(
                spark, servers, "keyed", "upsert", key="id", schema=SCHEMA, name="keyed",
                options={"maxOffsetsPerTrigger": 500},
            )  # fmt: skip
            events = gs.kafka(
                spark, servers, "events", "json", schema=SCHEMA, name="events",
                options={"maxOffsetsPerTrigger": 500},
            )  # fmt: skip
            p = gs.pipeline(spark, str(folder / "checkpoint"))
            p.view("keyed", table.selectExpr("id", "n"))
            p.view("events", events.selectExpr("id", "n"))
            for name, messages in (("keyed", "debezium"), ("events", "append")):
                p.sink(
                    name, name, "kafka", servers=servers, topic=f"{name}-out", messages=messages,
                    transaction_seconds=10,
                )  # fmt: skip
            run = p.start(**({"availableNow": True} if last else {}))
            if last:
                run.awaitTermination()
                return
            while not (folder / "enough").exists() and run.isActive:
                time.sleep(0.2)
            if run.isActive:
                run.stop()
            else:
                run.awaitTermination()  # raises what it failed with
        except Exception as e:  # noqa: BLE001 - whatever it is, it goes on
            with (folder / "failures.log").open("a") as log:
                log.write(f"{type(e).__name__}: {e}".replace("\n", " ")[:500] + "\n")
            time.sleep(0.5)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
