"""One incremental pipeline in a process of its own, to be killed from inside at a named point.

Run as ``python workload.py FOLDER MASTER K``, with a checkpoint at every K-th barrier; the input
files are there already (see ``prepare``). Every file of a source is one barrier. The sink writes
one file per epoch and logs each delivery.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

BARRIERS = 8
KEYS = 12

QUERY = """
    SELECT c.region, count(*) AS orders, sum(o.amount) AS amount, count(DISTINCT o.item) AS items
    FROM orders o JOIN customers c ON o.customer = c.id
    GROUP BY c.region
"""
CUSTOMERS = "id int, region string, gone boolean"
ORDERS = "customer int, item string, amount long"


def prepare(folder: Path, seed: int, barriers: int = BARRIERS) -> None:
    """Writes the input: customers that move between regions and vanish, and a stream of orders."""
    rng = random.Random(seed)
    for name in ("customers", "orders"):
        (folder / name).mkdir(parents=True)
    for barrier in range(barriers):
        customers = [
            {"id": key, "region": rng.choice("NESW"), "gone": rng.random() < 0.2}
            for key in range(KEYS)
            if barrier == 0 or rng.random() < 0.3
        ]
        orders = [
            {
                "customer": rng.randrange(KEYS),
                "item": f"i{rng.randrange(6)}",
                "amount": rng.randrange(100),
            }
            for _ in range(40)
        ]
        for name, rows in (("customers", customers), ("orders", orders)):
            path = folder / name / f"{barrier:03d}.json"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            os.utime(path, (1e9 + barrier, 1e9 + barrier))  # Spark takes files by age


def expected(folder: Path) -> list[list]:
    """The view's rows, computed from the files in plain Python."""
    regions: dict[int, str] = {}
    for path in sorted((folder / "customers").iterdir()):
        for row in map(json.loads, path.read_text().splitlines()):
            if row["gone"]:
                regions.pop(row["id"], None)
            else:
                regions[row["id"]] = row["region"]
    groups: dict[str, list[dict]] = {}
    for path in sorted((folder / "orders").iterdir()):
        for row in map(json.loads, path.read_text().splitlines()):
            if row["customer"] in regions:
                groups.setdefault(regions[row["customer"]], []).append(row)
    return sorted(
        [region, len(rows), sum(r["amount"] for r in rows), len({r["item"] for r in rows})]
        for region, rows in groups.items()
    )


def run(folder: Path, master: str, every: int) -> None:
    from pyspark.sql import SparkSession

    import groundswell as gs

    builder = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executorEnv.PYTHONPATH", ":".join(sys.path))
        .config("spark.groundswell.packs", os.environ.get("GROUNDSWELL_PACKS", ""))
    )
    spark = gs.configure(builder).getOrCreate()

    def read(name: str, schema: str):
        source = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return source.json(str(folder / name))

    customers = gs.upserts(read("customers", CUSTOMERS), key="id", delete="gone", name="customers")
    customers.createOrReplaceTempView("customers")
    gs.appends(read("orders", ORDERS), name="orders").createOrReplaceTempView("orders")

    out = folder / "sink"
    out.mkdir(exist_ok=True)

    def sink(changes, epoch: int) -> None:
        rows = [row.asDict() for row in changes.collect()]
        with (folder / "deliveries.log").open("a") as log:
            log.write(f"{epoch}\n")
        (out / f"{epoch:03d}.json").write_text(json.dumps(rows))

    query = (
        spark.sql(QUERY)
        .incremental()
        .writeStream.trigger(availableNow=True)
        .option("checkpointLocation", str(folder / "checkpoint"))
        .option("checkpointEvery", every)
        .option("checkpointOverlap", os.environ.get("GROUNDSWELL_OVERLAP", "0"))
        .foreachBatch(sink)
        .toView("regions")
    )
    query.awaitTermination()
    view = gs.read_view(spark, str(folder / "checkpoint"), "regions")
    rows = sorted([list(row) for row in view.collect()])
    (folder / "result.json").write_text(json.dumps(rows))
    spark.stop()


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
