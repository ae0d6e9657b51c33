"""Orders: four top-5 rankings kept in PostgreSQL, read by a Django dashboard through its ORM.

    make demo-systems                          all demos, or
    PYTHONPATH=python:tests python examples/systems/orders.py [FOLDER]

It starts a PostgreSQL server and a Django server of its own on 127.0.0.1, and ends them. Each
ranking is a view on a view: totals by state or item, and the five at the top. Orders come and are
cancelled, and the page shows it without being loaded again. At the end the tables in PostgreSQL
are compared with what batch Spark makes of the orders; FOLDER/orders.png shows the race of the
states, and FOLDER/dashboard.png the page in Chromium, where that is installed.
"""

from __future__ import annotations

import random
import sys
import tempfile
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from dashboard.server import Dashboard
from pyspark.sql import SparkSession

import groundswell as gs
from systems.chromium import chromium, screenshot
from systems.servers import MissingError, Postgres

# The text has float; sums of money are equal to the cent with decimals. An order may have many
# lines, so a line is known by the order and the item.
LINE = "orderid int, itemid int, qty int, price decimal(10,2), dt date, state string"
FIRST = [
    (1000001, 100001, 3, Decimal("993.99"), date(2020, 6, 25), "FM"),
    (1000001, 100002, 3, Decimal("751.99"), date(2020, 6, 25), "FM"),
    (1000001, 100003, 4, Decimal("433.99"), date(2020, 6, 25), "FM"),
]
ITEMS = {
    100001: ("Espresso machine", "993.99"),
    100002: ("Road bicycle", "751.99"),
    100003: ("Office chair", "433.99"),
    100004: ("Desk lamp", "39.90"),
    100005: ("Headphones", "129.00"),
    100006: ("Coffee beans", "14.50"),
    100007: ("Notebook", "4.20"),
    100008: ("Backpack", "89.00"),
}
STATES = ("CA", "TX", "NY", "FL", "WA", "FM", "OH")
WEIGHTS = (9, 8, 7, 6, 4, 1, 4)
Line = tuple[int, int, int, Decimal, date, str]
VIEWS = {
    "by_state": "SELECT state, sum(qty * price) AS turnover FROM {orders} GROUP BY state",
    "averages": "SELECT itemid, avg(qty) AS quantity FROM {orders} GROUP BY itemid",
    "sold": "SELECT itemid, sum(qty) AS quantity FROM {orders} GROUP BY itemid",
    "by_item": "SELECT itemid, sum(qty * price) AS turnover FROM {orders} GROUP BY itemid",
}
TOPS = {
    "top_states": ("by_state", "turnover", "state"),
    "top_averages": ("averages", "quantity", "itemid"),
    "top_sold": ("sold", "quantity", "itemid"),
    "top_items": ("by_item", "turnover", "itemid"),
}
TOP = "SELECT {key}, {value} FROM {of} ORDER BY {value} DESC, {key} LIMIT 5"


class Shop:
    """The pipeline, its sinks, and the dashboard over them."""

    def __init__(self, spark: SparkSession, folder: Path, postgres: Postgres) -> None:
        self.spark = spark
        self.dashboard = Dashboard(postgres, "orders")
        p = gs.pipeline(spark, str(folder / "checkpoint"))
        self.orders = p.table("orders", LINE, key=["orderid", "itemid"])
        p.keep(self.orders)
        assert self.orders.df is not None
        self.orders.df.createOrReplaceTempView("orders_in")
        for name, query in VIEWS.items():
            p.view(name, spark.sql(query.format(orders="orders_in")))
            p.read(name).createOrReplaceTempView(f"{name}_in")
        for name, (of, value, key) in TOPS.items():
            p.view(name, spark.sql(TOP.format(of=f"{of}_in", value=value, key=key)))
            p.sink(name, name, "postgres", **self.dashboard.sink(name, key))
        self.run = p.start()
        self.dashboard.start()
        with self.database(self.dashboard.shop) as connection:
            for number, (name, _) in ITEMS.items():
                connection.execute("INSERT INTO dashboard_item VALUES (%s, %s)", (number, name))

    def database(self, name: str) -> Any:
        import psycopg

        postgres = self.dashboard.postgres
        return psycopg.connect(
            host="127.0.0.1", port=postgres.port, dbname=name, user="owner",
            password=postgres.PASSWORD, autocommit=True,
        )  # fmt: skip

    def rows(self, name: str) -> list[tuple[Any, Any]]:
        """A ranking, as it stands in PostgreSQL."""
        _, value, key = TOPS[name]
        query = f"SELECT {key}, {value} FROM {name} ORDER BY {value} DESC, {key}"
        with self.database(self.dashboard.views) as connection:
            return list(connection.execute(query).fetchall())

    def put(self, *lines: Line) -> None:
        self.orders.upsert(self.spark.createDataFrame(list(lines), LINE))
        self.run.processAllAvailable()

    def cancel(self, *lines: Line) -> None:
        keys = [(line[0], line[1]) for line in lines]
        self.orders.delete(self.spark.createDataFrame(keys, "orderid int, itemid int"))
        self.run.processAllAvailable()

    def show(self, what: str) -> None:
        print(f"\n{what}. PostgreSQL has:")
        for state, turnover in self.rows("top_states"):
            print(f"  {state}  {turnover:12,.2f}")

    def check(self) -> int:
        """Compares each ranking with batch Spark's over the orders; gives the orders' lines."""
        lines = self.run.view("orders")
        lines.createOrReplaceTempView("orders_batch")
        for name, (of, value, key) in TOPS.items():
            totals = VIEWS[of].format(orders="orders_batch")
            wanted = self.spark.sql(TOP.format(of=f"({totals})", value=value, key=key)).collect()
            found = self.rows(name)
            assert found == [tuple(row) for row in wanted], f"{name}: {found}, wanted {wanted}"
        return lines.count()

    def close(self) -> None:
        self.run.stop()
        self.dashboard.close()


def day(rng: random.Random, number: int, count: int) -> list[Line]:
    """Orders of a day, of one to three items each."""
    at = date(2020, 6, 26) + timedelta(days=number)
    lines = []
    for order in range(count):
        state = rng.choices(STATES, WEIGHTS)[0]
        for item in rng.sample(sorted(ITEMS), rng.randint(1, 3)):
            price = Decimal(ITEMS[item][1])
            most = 3 if price > 100 else 9
            orderid = 1000002 + number * 1000 + order
            lines.append((orderid, item, rng.randint(1, most), price, at, state))
    return lines


def draw(history: list[dict[str, Decimal]], cancelled: int, path: Path) -> None:
    """The turnover of the states that were ever among the five, day by day."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 5.5), dpi=110)
    days = range(1, len(history) + 1)
    ends = []
    for state in sorted({s for tops in history for s in tops}):
        values = [float(tops[state]) / 1000 if state in tops else float("nan") for tops in history]
        (line,) = axes.plot(days, values, marker="o", markersize=4, linewidth=1.8)
        last = max(i for i, tops in enumerate(history) if state in tops)
        ends.append((values[last], last + 1, state, line.get_color()))
    gap = (axes.get_ylim()[1] - axes.get_ylim()[0]) / 28
    at = float("-inf")
    for value, number, state, colour in sorted(ends):
        at = max(value, at + gap) if number == len(history) else value
        axes.annotate(
            state, (number, at), xytext=(8, 0), textcoords="offset points", va="center",
            color=colour,
        )  # fmt: skip
    axes.axvline(cancelled, color="#8a929c", linestyle="--", linewidth=1)
    axes.annotate(
        "California cancels\nits bicycles", (cancelled, axes.get_ylim()[1]), xytext=(-8, -4),
        textcoords="offset points", va="top", ha="right", color="#5b636d",
    )  # fmt: skip
    axes.set_title("The five states with the most turnover, as PostgreSQL showed them")
    axes.set_ylabel("thousand dollars")
    axes.set_xlabel("day")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e8eb")
    figure.savefig(path)
    plt.close(figure)


def main(spark: SparkSession, folder: Path, postgres: Postgres) -> Path:
    """Runs it; gives the picture."""
    shop = Shop(spark, folder, postgres)
    try:
        shop.put(*FIRST)
        shop.show("The first order")
        rng = random.Random(11)  # noqa: S311 - a shop, no secret
        lines, history, cancelled = list(FIRST), [], 5
        for number in range(8):
            new = day(rng, number, 30)
            lines += new
            shop.put(*new)
            if number + 1 == cancelled:
                shop.show(f"{cancelled} days later")
                shop.cancel(*(x for x in lines if x[5] == "CA" and x[1] == 100002))
                shop.show("California cancels its bicycles")
            history.append(dict(shop.rows("top_states")))
        shop.show("Eight days of orders")
        print(f"\nThe dashboard is at {shop.dashboard.address}/orders/ while this runs.")
        try:
            chromium()
            page = folder / "dashboard.png"
            address = f"{shop.dashboard.address}/orders/"
            with tempfile.TemporaryDirectory() as profile:
                screenshot(Path(profile), address, page)
            print(f"The page in Chromium: {page}")
        except MissingError as e:
            print(f"No picture of the page: {e}")
        print(f"All four rankings of {shop.check()} lines are what batch Spark makes of them.")
    finally:
        shop.close()
    picture = folder / "orders.png"
    draw(history, cancelled, picture)
    print(f"Picture: {picture}")
    return picture


if __name__ == "__main__":
    from carts import session

    home = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="orders-"))
    home.mkdir(parents=True, exist_ok=True)
    server = Postgres()
    try:
        main(session("orders"), home, server)
    finally:
        server.close()
