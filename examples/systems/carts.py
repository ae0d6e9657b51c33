"""Carts: events from Kafka, enriched with a catalogue that changes, live in ClickHouse.

    make demo-systems                          all demos, or
    PYTHONPATH=python:tests python examples/systems/carts.py [FOLDER]

It starts a Kafka broker and a ClickHouse server of its own on 127.0.0.1, and ends them. Two views
follow the carts. ``charged`` has each event with the price of its moment: it only grows, and fits a
table of yours as it is. ``enriched`` has each event with the product as it is called and priced
now: when the catalogue changes, rows that are in ClickHouse already change, too. At the end both
are compared with what batch Spark makes of the topic, and FOLDER/carts.png shows the day.
"""

from __future__ import annotations

import random
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.sinks.clickhouse_http import Client
from systems.jars import connector
from systems.servers import ClickHouse, Kafka
from systems.topics import Input

EVENT = "cust_id string, event_time timestamp, item_id string"
PRODUCT = "item_id string, name string, price double, category string"
CATALOGUE = [
    ("P001", "Red T-Shirt", 9.99, "Apparel"),
    ("P002", "Blue Jeans", 39.95, "Apparel"),
    ("P003", "Smart Watch", 199.99, "Electronics"),
    ("P004", "Yoga Mat", 29.95, "Fitness"),
    ("P005", "Wireless Headphones", 99.99, "Electronics"),
    ("P006", "Coffee Mug", 5.99, "Kitchen"),
]
FIRST = [("1234", "10:01", "P001"), ("1232", "10:05", "P002"), ("1235", "10:10", "P003")]
SECOND = [
    ("1236", "10:15", "P001"),
    ("1237", "10:20", "P004"),
    ("1238", "10:25", "P002"),
    ("1239", "10:30", "P005"),
    ("1240", "10:35", "P003"),
    ("1241", "10:40", "P006"),
    ("1242", "10:45", "P007"),
]
BEGIN = datetime(2023, 2, 1)
# The table of the text that this demo follows; the server decides how fine its times are.
CHARGED = """
    CREATE TABLE enriched_cart_events (
        cust_id String, event_time {time}, name String, price Float64, category String
    ) ENGINE = ReplacingMergeTree() ORDER BY (cust_id, event_time)
"""
WORTH = """
    SELECT category, count(), sum(price) FROM enriched FINAL WHERE deleted = 0
    GROUP BY category ORDER BY category
"""
Totals = dict[str, tuple[int, float]]


class Shop:
    """The topic, the pipeline and the two tables in ClickHouse."""

    def __init__(
        self, spark: SparkSession, folder: Path, kafka: Kafka, house: ClickHouse, topic: str
    ) -> None:
        self.spark, self.kafka, self.house = spark, kafka, house
        self.topic = Input(kafka, 2, topic)
        self.user = {"user": "default", "password": house.PASSWORD} if house.PASSWORD else {}
        self.select(CHARGED.format(time="DateTime" if house.PASSWORD else "DateTime64"))
        p = gs.pipeline(spark, str(folder / "checkpoint"))
        self.catalogue = p.table("catalogue", PRODUCT, key="item_id")
        p.keep(self.catalogue)
        carts = gs.kafka(spark, kafka.servers, topic, "json", schema=EVENT, name="carts")
        columns = ["cust_id", "event_time", "name", "price", "category"]
        assert self.catalogue.df is not None
        charged = gs.temporal_join(carts, self.catalogue, "item_id")
        p.view("charged", charged.select(*columns))
        p.view("enriched", carts.join(self.catalogue.df, "item_id").select(*columns))
        common = {"url": house.url, **self.user}
        p.sink("charged", "charged", "clickhouse", table="enriched_cart_events", **common)
        p.sink(
            "enriched", "enriched", "clickhouse", table="enriched", create_table=True,
            key=["cust_id", "event_time"], **common,
        )  # fmt: skip
        self.run = p.start()

    def products(self, *rows: tuple[str, str, float, str]) -> None:
        self.catalogue.upsert(self.spark.createDataFrame(list(rows), PRODUCT))
        self.run.processAllAvailable()

    def put(self, *events: tuple[str, str, str]) -> None:
        for customer, at, item in events:
            row = {"cust_id": customer, "event_time": f"2023-02-01 {at}", "item_id": item}
            self.topic.send((customer, row), partition=int(customer) % 2)
        self.run.processAllAvailable()

    def select(self, query: str) -> list[list[str]]:
        client = Client(self.house.url, "default", self.house.PASSWORD or None)
        try:
            if query.lstrip().startswith("CREATE"):
                client.run(query)
                return []
            return client.rows(query)
        finally:
            client.close()

    def totals(self) -> Totals:
        return {category: (int(n), float(worth)) for category, n, worth in self.select(WORTH)}

    def show(self, what: str) -> None:
        print(f"\n{what}. ClickHouse has:")
        for category, (n, worth) in self.totals().items():
            print(f"  {category:12} {n:5} in carts, worth {worth:10,.2f}")


def stream(shop: Shop, rng: random.Random) -> tuple[list[tuple[datetime, Totals]], datetime]:
    """Eight hours of a busy day; the prices change in the middle. Gives what the table showed."""
    history = []
    number = 0
    changed = BEGIN + timedelta(hours=15)
    for half_hour in range(16):
        at = BEGIN + timedelta(hours=11, minutes=30 * half_hour)
        events = []
        for _ in range(40 + rng.randrange(60)):
            number += 1
            when = at + timedelta(seconds=rng.randrange(1800))
            item = f"P00{rng.choices(range(1, 9), (9, 5, 2, 4, 3, 8, 4, 6))[0]}"
            events.append((str(2000 + number), f"{when:%H:%M:%S}", item))
        if at == changed:
            shop.products(("P003", "Smart Watch", 149.99, "Electronics"))
            shop.products(("P008", "Picnic Rug", 44.5, "Outdoor"))
        shop.put(*events)
        history.append((at + timedelta(minutes=30), shop.totals()))
    return history, changed


def check(shop: Shop) -> int:
    """Compares ClickHouse with batch Spark over the topic and the catalogue; gives the rows."""
    spark = shop.spark
    rows = spark.read.format("kafka").option("kafka.bootstrap.servers", shop.kafka.servers)
    texts = rows.option("subscribe", shop.topic.name).load().selectExpr("CAST(value AS STRING) v")
    events: DataFrame = texts.select(F.from_json("v", EVENT).alias("e")).select("e.*")
    products = shop.run.view("catalogue")
    wanted = sorted(
        (row.cust_id, row.name, float(row.price), row.category)
        for row in events.join(products, "item_id").collect()
    )
    found = sorted(
        (c, name, float(price), category)
        for c, name, price, category in shop.select(
            "SELECT cust_id, name, price, category FROM enriched FINAL WHERE deleted = 0"
        )
    )
    assert found == wanted, "ClickHouse is not what batch Spark says"
    return len(wanted)


def draw(history: list[tuple[datetime, Totals]], changed: datetime, path: Path) -> None:
    """What the carts are worth by category over the day, and when the catalogue changed."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.dates as dates
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 5.5), dpi=110)
    times: Any = [at for at, _ in history]
    for category in sorted({c for _, totals in history for c in totals}):
        worth = [totals.get(category, (0, 0.0))[1] for _, totals in history]
        (line,) = axes.plot(times, worth, marker="o", markersize=3.5, linewidth=1.8)
        axes.annotate(
            category, (times[-1], worth[-1]), xytext=(7, 0), textcoords="offset points",
            va="center", color=line.get_color(),
        )  # fmt: skip
    line_at: Any = changed + timedelta(minutes=15)
    axes.axvline(line_at, color="#8a929c", linestyle="--", linewidth=1)
    axes.annotate(
        "smart watches get cheaper,\npicnic rugs join the catalogue", (line_at, axes.get_ylim()[1]),
        xytext=(-8, -4), textcoords="offset points", va="top", ha="right", color="#5b636d",
    )  # fmt: skip
    axes.set_title("What the carts are worth at today's prices, as ClickHouse showed it")
    axes.set_ylabel("dollars")
    axes.xaxis.set_major_formatter(dates.DateFormatter("%H:%M"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e8eb")
    axes.margins(x=0.02)
    figure.subplots_adjust(right=0.87)
    figure.savefig(path)
    plt.close(figure)


def main(
    spark: SparkSession,
    folder: Path,
    kafka: Kafka,
    house: ClickHouse,
    topic: str = "cart-events",
) -> Path:
    """Runs it; gives the picture."""
    shop = Shop(spark, folder, kafka, house, topic)
    shop.products(*CATALOGUE)
    shop.put(*FIRST)
    shop.show("Three events")
    for event in SECOND:
        shop.put(event)
    shop.show("Seven more, one at a time; nobody knows item P007 yet")
    shop.products(("P007", "Water Bottle", 14.5, "Outdoor"))
    shop.show("The catalogue learns of P007 too late, and its cart appears")
    shop.products(("P001", "Red T-Shirt", 7.99, "Apparel"))
    shop.show("T-shirts get cheaper, in carts that are there, too")
    history, changed = stream(shop, random.Random(7))  # noqa: S311 - a shop, no secret
    shop.show("A day of carts")
    rows = check(shop)
    charged = shop.select("SELECT count(), sum(price) FROM enriched_cart_events FINAL")[0]
    print(f"\n{rows} rows are what batch Spark makes of the topic and the catalogue.")
    print(
        f"At the prices of their moment, {charged[0]} of them were worth {float(charged[1]):,.2f}."
    )
    shop.run.stop()
    picture = folder / "carts.png"
    draw(history, changed, picture)
    print(f"Picture: {picture}")
    return picture


def session(name: str) -> SparkSession:
    """A session with Spark's Kafka package."""
    builder = (
        SparkSession.builder.appName(name)
        .master("local[2]")
        .config("spark.jars", connector())
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
    )
    return gs.configure(builder).getOrCreate()


if __name__ == "__main__":
    home = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="carts-"))
    home.mkdir(parents=True, exist_ok=True)
    broker = Kafka()
    try:
        clickhouse = ClickHouse()
        try:
            main(session("carts"), home, broker, clickhouse)
        finally:
            clickhouse.close()
    finally:
        broker.close()
