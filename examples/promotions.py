"""Which advertisement of a product pays, computed while it sells.

    python examples/promotions.py [FOLDER]

A shop's database has the tables ``sale_events`` and ``promotions``; each product is promoted in two
ways, and a promotion's ``weight_percent`` says how much of the budget it gets. Kept up to date:

1. ``promotions_sequences_60mins``: sales per product, promotion and five minutes of the last sixty
   (a tumbling window and a temporal filter: what is older goes by itself);
2. ``promotions_stat_60mins``: return on investment, sales by weight, and volatility, the standard
   deviation of the sales between windows, by promotion;
3. ``new_weights``: of the two promotions of a product, the shares with the largest Sharpe ratio
   (the view before, joined with itself).

Every epoch's changes of the weights are upserted into the shop, here a dict in place of a
database. The shop follows them at the end only: a weight that grows lowers its own return, so a
loop without a pause would swing between two values.
"""

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs

START = datetime(2024, 6, 1, 10, 0, tzinfo=UTC)

SEQUENCES = """
    SELECT product_id, promotion_id, window.start AS window_start, window.end AS window_end,
           sum(discount_price_cents * quantity) AS sales_amount
    FROM (SELECT *, window(created_at, '5 minutes') AS window FROM sale_events)
    WHERE window.start > now() - INTERVAL 60 MINUTES
    GROUP BY window, product_id, promotion_id
"""
STATISTICS = """
    SELECT p.product_id, p.id AS promotion_id, p.ad_type,
           sum(s.sales_amount) / sum(p.weight_percent) AS roi,
           stddev_samp(s.sales_amount) AS vol
    FROM promotions_sequences_60mins s
    JOIN promotions p ON s.promotion_id = p.id AND s.product_id = p.product_id
    GROUP BY p.product_id, p.id, p.ad_type
"""
WEIGHTS = """
    SELECT o1.promotion_id, o1.product_id, o1.ad_type,
           round(100 * pow(o2.vol, 2) * o1.roi
                 / (o1.roi * pow(o2.vol, 2) + o2.roi * pow(o1.vol, 2))) AS weight_percent
    FROM promotions_stat_60mins o1
    JOIN promotions_stat_60mins o2
      ON o1.product_id = o2.product_id AND o1.promotion_id <> o2.promotion_id
"""
PROMOTIONS = [
    (1, "headphones", "search result", 50),
    (2, "headphones", "video ad", 50),
    (3, "guitar", "search result", 50),
    (4, "guitar", "video ad", 50),
]
PROMOTION = "id bigint, product_id string, ad_type string, weight_percent bigint"
SALE = (
    "id bigint, created_at timestamp, product_id string, promotion_id bigint, quantity bigint, "
    "discount_price_cents bigint"
)
STEADY, WILD = [2, 3, 2, 3, 2, 3], [1, 6, 2, 9, 1, 4]
QUANTITIES = {1: STEADY, 2: WILD, 3: WILD, 4: STEADY}
CENTS = {"headphones": 6600, "guitar": 19900}


def sales(step: int) -> list[tuple[Any, ...]]:
    """What is sold in the five minutes from ``5 * step`` on: a sale a promotion."""
    return [
        (
            10 * step + promotion,
            START + timedelta(minutes=5 * step + 2),
            product,
            promotion,
            QUANTITIES[promotion][step % 6],
            CENTS[product],
        )
        for promotion, product, _, _ in PROMOTIONS
    ]


class Shop:
    """The database on the other side, and the clock of the example."""

    def __init__(self) -> None:
        self.weights: dict[int, tuple[str, str, float]] = {}
        self.now = START

    def upsert(self, changes: DataFrame, epoch: int) -> None:
        """Takes an epoch's changes; the same ones again do no harm."""
        rows = changes.collect()
        for row in rows:
            if row["_change_type"] == "delete":
                self.weights.pop(row["promotion_id"], None)
        for row in rows:
            if row["_change_type"] in ("insert", "update_postimage"):
                self.weights[row["promotion_id"]] = (
                    row["product_id"],
                    row["ad_type"],
                    row["weight_percent"],
                )

    def show(self, what: str) -> dict[int, float | None]:
        """Prints the weights."""
        print(f"{self.now:%H:%M} {what}")
        for _, (product, ad, weight) in sorted(self.weights.items()):
            share = "not known yet" if weight is None else f"{weight:.0f} %"
            print(f"  {product:>10}  {ad:<13}  {share}")
        return {promotion: weight for promotion, (_, _, weight) in self.weights.items()}


def main(spark: SparkSession, folder: str) -> list[dict[int, float | None]]:
    """Runs it; gives the weights that were printed, by promotion."""
    shop = Shop()
    pipeline = gs.pipeline(spark, folder, clock=lambda: shop.now, tickInterval=3600)
    promotions = pipeline.table("promotions", PROMOTION, key="id")
    events = pipeline.table("sale_events", SALE, key="id")
    for table in (promotions, events):
        assert table.df is not None
        table.df.createOrReplaceTempView(table.name)
    for name, text, sink in (
        ("promotions_sequences_60mins", SEQUENCES, None),
        ("promotions_stat_60mins", STATISTICS, None),
        ("new_weights", WEIGHTS, shop.upsert),
    ):
        pipeline.view(name, spark.sql(text), foreachBatch=sink)
        pipeline.read(name).createOrReplaceTempView(name)
    run = pipeline.start()
    promotions.insert(spark.createDataFrame(PROMOTIONS, PROMOTION))
    printed = []
    for steps, what in ((range(3), "after a quarter of an hour"), (range(3, 6), "half an hour")):
        for step in steps:
            shop.now = START + timedelta(minutes=5 * step + 5)
            events.insert(spark.createDataFrame(sales(step), SALE))
            run.processAllAvailable()
        printed.append(shop.show(what))
    shop.now += timedelta(minutes=45)  # nobody buys: the oldest windows leave without new data
    run.tick()
    run.processAllAvailable()
    printed.append(shop.show("three quarters of an hour without a sale"))
    adopted = [(i, p, ad, int(w)) for i, (p, ad, w) in shop.weights.items() if w is not None]
    promotions.upsert(spark.createDataFrame(adopted, PROMOTION))
    run.processAllAvailable()
    print("The shop adopts these weights; returns are now")
    for row in sorted(run.view("promotions_stat_60mins").collect()):
        print(f"  {row.product_id:>10}  {row.ad_type:<13}  {row.roi:8.1f} per % of the budget")
    run.stop()
    return printed


if __name__ == "__main__":
    home = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="promotions-")
    builder = SparkSession.builder.appName("promotions")
    main(gs.configure(builder.config("spark.sql.session.timeZone", "UTC")).getOrCreate(), home)
