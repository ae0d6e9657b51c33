"""Keeps views at a location and changes their table all the time, until it is killed."""

from __future__ import annotations

import argparse
import time

import groundswell as gs
from shared.arguments import positive_int
from shared.session import session

SCHEMA = "id bigint, customer bigint, amount bigint, word string"
MADE = (
    "id",
    "pmod(hash(id), 50000) customer",
    "id * 31 % 999 amount",
    "concat(sha2(cast(id as string), 512), id % 20011) word",
)
QUERIES = {
    "sums": "SELECT customer, count(*) n, sum(amount) s, max(amount) m FROM t GROUP BY customer",
    "large": "SELECT id, word FROM t WHERE amount > 100",
}
LEASE = "2 seconds"
PART = 500_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("location")
    parser.add_argument("--fill", type=positive_int, help="so many rows, then end")
    parser.add_argument("--standby", action="store_true", help="wait for the end of another run")
    args = parser.parse_args()
    spark = session("recovery", {"spark.driver.memory": "3g"})
    print("SESSION", flush=True)
    p = gs.pipeline(
        spark, args.location, partitions=2, ownerLease=LEASE, retainEpochs=2, retireEvery=5
    )
    table = p.table("t", SCHEMA, key="id")
    table.df.createOrReplaceTempView("t")
    for name, text in QUERIES.items():
        p.view(name, spark.sql(text))
    run = p.start(standby=args.standby)
    for first in range(0, args.fill or 0, PART):
        rows = spark.range(first, min(args.fill, first + PART))
        table.insert(rows.selectExpr(*MADE))
        run.processAllAvailable()
    if args.fill:
        run.stop()
        return
    number = 0
    while True:
        number += 1
        rows = spark.range(1000).selectExpr(f"id * {number} % 100000 id").distinct()
        table.upsert(rows.selectExpr(*MADE))
        run.processAllAvailable()
        time.sleep(0.1)


if __name__ == "__main__":
    main()
