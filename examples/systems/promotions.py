"""Promotions: PostgreSQL's tables by change capture, and the weights written back into them.

    make demo-systems                          all demos, or
    PYTHONPATH=python:tests python examples/systems/promotions.py [FOLDER]

It starts a PostgreSQL server of its own on 127.0.0.1, and ends it. A shop sells each product
through several promotions, and ``weight_percent`` says how much of the budget each gets. Views give
sales in windows, return and volatility of each promotion, and from these the weights with the best
ratio of return to risk, which go back into ``promotions``. That changes the returns: they are sales
by weight. So the new odds of two promotions are K divided by the old ones, and the plain formula
swings between two values for ever. The geometric mean of the old and the new odds does not depend
on the old ones any more: it comes to rest. FOLDER/promotions.png shows both. With three
promotions a Python function solves for the weights. At the end the weights are compared with what
batch Spark makes of PostgreSQL's tables.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from systems.servers import Postgres

START = datetime(2024, 6, 1, 10, 0, tzinfo=UTC)
TABLES = """
    CREATE SCHEMA {schema};
    CREATE TABLE {schema}.promotions (
        id bigint PRIMARY KEY, product_id text, ad_type text, weight_percent int NOT NULL);
    CREATE TABLE {schema}.sale_events (
        id bigint PRIMARY KEY, created_at timestamptz, product_id text, promotion_id bigint,
        quantity bigint, discount_price_cents bigint);
    CREATE TABLE {schema}.weights_over_time (
        number bigserial, transaction xid8 DEFAULT pg_current_xact_id(), id bigint, weight int);
    CREATE FUNCTION {schema}.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO {schema}.weights_over_time (id, weight) VALUES (NEW.id, NEW.weight_percent);
        RETURN NULL;
    END $$;
    CREATE TRIGGER note AFTER INSERT OR UPDATE ON {schema}.promotions
        FOR EACH ROW EXECUTE FUNCTION {schema}.note();
"""
SEQUENCES = """
    SELECT product_id, promotion_id, window.start AS window_start, window.end AS window_end,
           sum(discount_price_cents * quantity) AS sales_amount
    FROM (SELECT *, window(created_at, '5 minutes') AS window FROM sale_events)
    GROUP BY window, product_id, promotion_id
"""
STATISTICS = """
    SELECT p.product_id, p.id, max(p.weight_percent) AS weight_percent,
           sum(s.sales_amount) / sum(p.weight_percent) AS roi, stddev_samp(s.sales_amount) AS vol
    FROM sequences s JOIN promotions p ON s.promotion_id = p.id AND s.product_id = p.product_id
    GROUP BY p.product_id, p.id
"""
# The share with the largest Sharpe ratio: roi / vol ^ 2 of each, by the sum over both.
PLAIN = "o2.vol * o2.vol * o1.roi / (o1.vol * o1.vol * o2.roi)"
MEAN = f"sqrt({PLAIN} * o1.weight_percent / o2.weight_percent)"
PAIRS = """
    SELECT id, CAST(greatest(1, least(99, round(100 * odds / (1 + odds)))) AS int) AS weight_percent
    FROM (SELECT o1.id, {odds} AS odds FROM statistics o1
          JOIN statistics o2 ON o1.product_id = o2.product_id AND o1.id <> o2.id)
    WHERE odds IS NOT NULL
"""
TRIPLES = """
    SELECT o1.id, share(array(o1.roi, o2.roi, o3.roi), array(o1.vol, o2.vol, o3.vol),
                        array(o1.weight_percent, o2.weight_percent, o3.weight_percent))
                  AS weight_percent
    FROM statistics o1
    JOIN statistics o2 ON o1.product_id = o2.product_id AND o1.id <> o2.id
    JOIN statistics o3 ON o1.product_id = o3.product_id AND o1.id <> o3.id AND o2.id < o3.id
    WHERE o1.vol + o2.vol + o3.vol IS NOT NULL
"""
STEADY, WILD, MIDDLING = [2, 3, 2, 3, 2, 3], [2, 4, 2, 4, 1, 4], [2, 4, 3, 4, 2, 3]
Promotion = tuple[int, str, str, int]
PAIR: list[Promotion] = [(1, "headphones", "search result", 50), (2, "headphones", "video ad", 50)]
TRIPLE: list[Promotion] = [
    (1, "headphones", "search result", 34),
    (2, "headphones", "video ad", 33),
    (3, "headphones", "podcast", 33),
]
QUANTITIES = {1: STEADY, 2: WILD, 3: MIDDLING}
CENTS = 6600


def share(returns: list[float], risks: list[float], weights: list[int]) -> int:
    """The first promotion's share in percent, when others are given with it.

    Solves for the portfolio with the best ratio of return to risk, of promotions that do not depend
    on each other, and takes the geometric mean of it and the weights as they are.
    """
    import numpy as np

    best = np.linalg.solve(np.diag(np.square(risks)), np.array(returns))
    calm = np.sqrt(best * np.array(weights))
    return round(float(100 * calm[0] / calm.sum()))


@dataclass
class Shop:
    """The tables of one run, in a schema of their own, and the pipeline over them."""

    spark: SparkSession
    folder: Path
    postgres: Postgres
    schema: str
    promotions: list[Promotion]
    weights: str

    def __post_init__(self) -> None:
        self.execute(TABLES.format(schema=self.schema))
        for promotion in self.promotions:
            self.execute(f"INSERT INTO {self.schema}.promotions VALUES (%s, %s, %s, %s)", promotion)

    @property
    def dsn(self) -> str:
        return f"postgresql://owner@127.0.0.1:{self.postgres.port}/postgres"

    def execute(self, statement: str, values: tuple[Any, ...] | None = None) -> list[Any]:
        with self.postgres.connect() as connection:
            done = connection.execute(statement, values)
            return done.fetchall() if done.description else []

    def sell(self, first: int, last: int) -> None:
        """What is sold in some intervals of five minutes, in one transaction."""
        with self.postgres.connect() as connection, connection.transaction():
            for step in range(first, last):
                at = START + timedelta(minutes=5 * step + 2)
                for number, product, _, _ in self.promotions:
                    sale = (10 * step + number, at, product, number, QUANTITIES[number][step % 6])
                    connection.execute(
                        f"INSERT INTO {self.schema}.sale_events VALUES (%s, %s, %s, %s, %s, %s)",
                        (*sale, CENTS),
                    )

    def start(self) -> Any:
        names = [f"{self.schema}.promotions", f"{self.schema}.sale_events"]
        tables = gs.postgres(
            self.spark, self.dsn, names, name=self.schema, password=self.postgres.PASSWORD
        )
        p = gs.pipeline(self.spark, str(self.folder / self.schema))
        for name in names:
            tables[name].createOrReplaceTempView(name.partition(".")[2])
        for name, query in (
            ("sequences", SEQUENCES),
            ("statistics", STATISTICS),
            ("new_weights", self.weights),
        ):
            p.view(name, self.spark.sql(query))
            p.read(name).createOrReplaceTempView(name)
        p.sink(
            "back", "new_weights", "postgres", dsn=self.dsn, password=self.postgres.PASSWORD,
            table=names[0], mode="update", key=["id"], columns=["weight_percent"],
            on_delete="keep",
        )  # fmt: skip
        return p.start(queryName=self.schema)

    def history(self) -> list[dict[int, int]]:
        """The weights of all promotions after each transaction that changed some."""
        rows = self.execute(
            f"SELECT transaction::text, id, weight FROM {self.schema}.weights_over_time "
            "ORDER BY number"
        )
        now = {number: weight for number, _, _, weight in self.promotions}
        found, last = [dict(now)], ""
        for transaction, number, weight in rows[len(self.promotions) :]:
            if transaction != last:
                found.append(dict(now))
            found[-1][number] = now[number] = weight
            last = transaction
        return found

    def at_rest(self, run: Any) -> list[dict[int, int]]:
        """Waits until what is written back changes nothing any more."""
        before = -1
        while before != (before := len(self.history())):
            run.processAllAvailable()
        return self.history()

    def check(self, run: Any) -> None:
        """The weights at rest are what batch Spark makes of the tables in PostgreSQL."""
        columns = {
            "promotions": "id bigint, product_id string, ad_type string, weight_percent int",
            "sale_events": "id bigint, created_at timestamp, product_id string, "
            "promotion_id bigint, quantity bigint, discount_price_cents bigint",
        }
        for name, types in columns.items():
            rows = self.execute(f"SELECT * FROM {self.schema}.{name}")
            self.spark.createDataFrame(rows, types).createOrReplaceTempView(name)
        for name, query in (("sequences", SEQUENCES), ("statistics", STATISTICS)):
            self.spark.sql(query).createOrReplaceTempView(name)
        wanted = sorted(tuple(row) for row in self.spark.sql(self.weights).collect())
        found = sorted(tuple(row) for row in run.view("new_weights").collect())
        assert found == wanted, f"{self.schema}: {found}, wanted {wanted}"
        kept = self.execute(f"SELECT id, weight_percent FROM {self.schema}.promotions ORDER BY id")
        assert kept == wanted, f"{self.schema}: PostgreSQL has {kept}, wanted {wanted}"


def swinging(shop: Shop, rounds: int) -> list[dict[int, int]]:
    """The plain formula, written back some times."""
    shop.sell(0, 6)
    run = shop.start()
    try:
        until = time.monotonic() + 300
        while len(shop.history()) <= rounds and time.monotonic() < until:
            time.sleep(0.2)
    finally:
        run.stop()
    found = shop.history()[: rounds + 1]
    assert len(found) > rounds, f"{len(found)} rounds in five minutes"
    assert all(a != b for a, b in pairwise(found)), found
    assert all(a == b for a, b in zip(found, found[2:], strict=False)), found
    return found


def resting(shop: Shop) -> list[dict[int, int]]:
    """The geometric mean: it rests, moves when more is sold, and rests again."""
    shop.sell(0, 6)
    run = shop.start()
    try:
        shop.at_rest(run)
        shop.check(run)
        shop.sell(6, 9)
        found = shop.at_rest(run)
        shop.check(run)
    finally:
        run.stop()
    return found


def told(history: list[dict[int, int]]) -> str:
    """The first promotion's share, round by round."""
    return " ".join(str(weights[1]) for weights in history)


def draw(plain: list[dict[int, int]], mean: list[dict[int, int]], path: Path) -> None:
    """The share of the first promotion, as often as it was written back."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 5), dpi=110)
    swings = [weights[1] for weights in plain]
    rests = [weights[1] for weights in mean]
    rests += rests[-1:] * (len(swings) - len(rests))
    axes.plot(range(len(swings)), swings, marker="o", color="#c0564a", linewidth=1.8)
    axes.plot(range(len(rests)), rests, marker="o", color="#2f6f9f", linewidth=1.8)
    place = {"xytext": (10, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate("plain formula", (len(swings) - 1, swings[-1]), color="#c0564a", **place)
    axes.annotate("geometric mean\nwith the old odds", (len(rests) - 1, rests[-1]),
                  color="#2f6f9f", **place)  # fmt: skip
    axes.set_xlim(-0.3, len(swings) + 1.6)
    axes.set_title("Share of the promotion 'search result', written back into PostgreSQL")
    axes.set_ylabel("weight_percent")
    axes.set_xlabel("times written back")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e8eb")
    figure.savefig(path)
    plt.close(figure)


def main(spark: SparkSession, folder: Path, postgres: Postgres, rounds: int = 10) -> Path:
    """Runs it; gives the picture."""
    spark.sparkContext.addPyFile(__file__)  # Python workers import it by its name
    spark.udf.register("share", share, "int")
    plain = swinging(Shop(spark, folder, postgres, "plain", PAIR, PAIRS.format(odds=PLAIN)), rounds)
    print(f"The plain formula swings: {told(plain)} % for 'search result'.")
    mean = resting(Shop(spark, folder, postgres, "mean", PAIR, PAIRS.format(odds=MEAN)))
    print(f"The geometric mean rests, and follows three more windows of sales: {told(mean)}.")
    three = resting(Shop(spark, folder, postgres, "three", TRIPLE, TRIPLES))
    shares = ", ".join(f"{name} {three[-1][number]} %" for number, _, name, _ in TRIPLE)
    print(f"Of three promotions, solved in Python: {shares}.")
    print("The weights at rest are what batch Spark makes of PostgreSQL's tables.")
    picture = folder / "promotions.png"
    draw(plain, mean, picture)
    print(f"Picture: {picture}")
    return picture


if __name__ == "__main__":
    from carts import session

    home = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="promotions-"))
    home.mkdir(parents=True, exist_ok=True)
    server = Postgres()
    try:
        main(session("promotions"), home, server)
    finally:
        server.close()
