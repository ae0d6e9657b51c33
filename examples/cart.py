"""A shop: carts, and a catalogue whose prices change.

    python examples/cart.py [FOLDER]

What is put into a cart is charged at the price of that moment (a temporal join: later prices do not
touch it), while the shop window shows what the open carts would cost today (an ordinary join, which
follows every price). Single keys are looked up without a Spark job.
"""

import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs


def main(spark: SparkSession, folder: str) -> list[tuple[str, dict[str, tuple[float, float]]]]:
    """Runs it; gives what was printed."""
    pipeline = gs.pipeline(spark, folder)
    catalogue = pipeline.table("catalogue", "item string, price double", key="item")
    carts = pipeline.table("carts", "line bigint, customer string, item string, n int", key="line")
    assert catalogue.df is not None
    assert carts.df is not None
    charged = gs.temporal_join(carts.df, catalogue, "item")
    today = carts.df.join(catalogue.df, "item")
    cost = F.round(F.sum(F.col("n") * F.col("price")), 2)
    pipeline.view("charged", charged.groupBy("customer").agg(cost.alias("cost")))
    pipeline.view("today", today.groupBy("customer").agg(cost.alias("cost")))
    run = pipeline.start()
    printed = []

    def prices(*rows: tuple[str, float]) -> None:
        catalogue.upsert(spark.createDataFrame(list(rows), "item string, price double"))

    def put(*rows: tuple[int, str, str, int]) -> None:
        schema = "line bigint, customer string, item string, n int"
        carts.upsert(spark.createDataFrame(list(rows), schema))

    def show(what: str) -> None:
        run.processAllAvailable()
        at = run.snapshot()
        today = dict(at["today"].collect())
        costs = {c: (cost, today[c]) for c, cost in sorted(at["charged"].collect())}
        print(f"{what}:")
        for customer, (was, now) in costs.items():
            print(f"  {customer} is charged {was:.2f}; at today's prices it would be {now:.2f}")
        printed.append((what, costs))

    prices(("tea", 4.0), ("cup", 7.5))
    run.processAllAvailable()
    put((1, "ann", "tea", 2), (2, "ann", "cup", 1), (3, "bob", "tea", 1))
    show("Two carts")
    prices(("tea", 5.0))
    show("Tea has become dearer")
    put((3, "bob", "tea", 3))
    show("Bob takes three teas in place of one")
    carts.delete(spark.createDataFrame([(2,)], "line bigint"))
    show("Ann puts the cup back")
    found = gs.lookup(spark, folder, "charged", "ann")
    print(f"Looked up by key: {found[0].customer} {found[0].cost:.2f}")
    run.stop()
    return printed


if __name__ == "__main__":
    home = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="cart-")
    main(gs.configure(SparkSession.builder.appName("cart")).getOrCreate(), home)
