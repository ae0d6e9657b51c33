"""``python -m rewrite``: batch queries answered from views, beside the same queries without.

Each query runs with ``spark.groundswell.useViews`` off and on, in turns, in one session. What
counts is the processor time of the JVM, of planning and of all tasks, for the machine may be busy.
"""

from __future__ import annotations

import argparse
import tempfile
from statistics import median

from pyspark.sql import SparkSession

from groundswell import confs
from shared import process
from shared.arguments import positive_int
from shared.session import pid, session

USE = "spark.groundswell.useViews"
MADE = (
    "CREATE TABLE shops (shop bigint PRIMARY KEY, city string)",
    "CREATE TABLE sales (id bigint PRIMARY KEY, shop bigint, day int, kind string, v bigint)",
    """CREATE MATERIALIZED VIEW totals AS
         SELECT shop, day, count(*) AS n, sum(v) AS s FROM sales GROUP BY shop, day""",
    """CREATE MATERIALIZED VIEW dear AS
         SELECT s.id, s.shop, s.v, h.city FROM sales s JOIN shops h ON s.shop = h.shop
         WHERE s.v >= 990""",
    "INSERT INTO shops SELECT id, concat('city ', id % 50) FROM range(1000)",
    """INSERT INTO sales SELECT id, pmod(xxhash64(id, 1), 1000), pmod(xxhash64(id, 2), 30),
         concat('kind ', pmod(xxhash64(id, 3), 9)), pmod(xxhash64(id, 4), 1000)
       FROM range({rows})""",
    "FLUSH",
)
QUERIES = {
    "the view": "SELECT shop, day, count(*) AS n, sum(v) AS s FROM sales GROUP BY shop, day",
    "larger groups": "SELECT day, count(*) AS n, sum(v) AS s FROM sales GROUP BY day",
    "some groups": "SELECT shop, sum(v) AS s FROM sales WHERE day = 7 GROUP BY shop",
    "a join of the groups": """SELECT city, sum(s) AS s FROM shops
        JOIN (SELECT shop, sum(v) AS s FROM sales GROUP BY shop) USING (shop) GROUP BY city""",
    "a join, more conditions": """SELECT city, max(v) AS v FROM sales JOIN shops USING (shop)
        WHERE v > 995 GROUP BY city""",
    "no view fits": "SELECT kind, avg(v) AS v FROM sales GROUP BY kind",
}


def cpu(spark: SparkSession, query: str) -> tuple[float, list[str]]:
    """Processor seconds of one run, and its rows."""
    begun = process.cpu_seconds(pid(spark))
    rows = sorted(str(tuple(row)) for row in spark.sql(query).collect())
    return process.cpu_seconds(pid(spark)) - begun, rows


def main() -> None:
    """Runs the queries in turns, and prints a table."""
    parser = argparse.ArgumentParser(prog="rewrite", description=__doc__)
    parser.add_argument(
        "--rows", type=positive_int, default=1_000_000, help="of the table (1000000)"
    )
    parser.add_argument("--turns", type=positive_int, default=5, help="of each query (5)")
    args = parser.parse_args()
    own = {"spark.driver.memory": "3g", confs.EXTENSIONS_KEY: confs.EXTENSIONS}
    spark = session("rewrite", own)
    with tempfile.TemporaryDirectory(prefix="rewrite-") as home:
        spark.sql(f"CREATE PIPELINE p LOCATION '{home}/p'")
        spark.sql("USE groundswell.p")
        for text in MADE:
            spark.sql(text.format(rows=args.rows))
        print(f"{args.rows:,} rows; medians of {args.turns} turns\n")
        print("| query | off, CPU ms | on, CPU ms | on / off |")
        print("|--|--:|--:|--:|")
        for name, query in QUERIES.items():
            taken: dict[str, list[float]] = {"false": [], "true": []}
            rows = {}
            for turn in range(args.turns + 2):  # the first two warm up
                for setting, seconds in taken.items():
                    spark.conf.set(USE, setting)
                    used, rows[setting] = cpu(spark, query)
                    if turn >= 2:
                        seconds.append(1000 * used)
            assert rows["true"] == rows["false"], name
            off, on = median(taken["false"]), median(taken["true"])
            print(f"| {name} | {off:.0f} | {on:.0f} | {on / off:.2f} |", flush=True)
        spark.sql("DROP PIPELINE p")
    spark.stop()


if __name__ == "__main__":
    main()
