"""``make bench-json``, ``make bench-csv``: streams read into nothing, beside Spark's, by CPU time.

Bids like Nexmark's, as lines of JSON, as messages of JSON (a binary column of Parquet, as Kafka
gives them) and as lines of CSV. Each way reads two of the seven columns, or all: Spark's stream
into a sink that does nothing, the same with a filter that holds for no row, and a view with that
filter, by Spark's parser (``spark.groundswell.fastJson=false``) and by ours; by ours also with a
filter that takes nulls, too, which the reader cannot ask. All run in turns in one process. CPU is
what the whole process used, driver, compiler and collector included; the least of all turns but the
first counts, beside Spark's stream of the same columns.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from shared.arguments import positive_int
from shared.process import cpu_seconds
from shared.session import pid, session

BID = (
    "auction bigint, bidder bigint, price bigint, channel string, url string, "
    "dateTime timestamp, extra string"
)
NOTHING = "price < 0 OR auction < 0"
NOTHING_AND_NULLS = f"{NOTHING} OR price IS NULL"
KINDS = ("lines", "messages", "csv")
SWITCHES = ("spark.groundswell.fastJson", "spark.groundswell.fastCsv")


def bid(draw: random.Random) -> dict[str, int | str]:
    """A bid, of about 250 bytes as JSON."""
    return {
        "auction": draw.randrange(100_000),
        "bidder": draw.randrange(50_000),
        "price": draw.randrange(10**7),
        "channel": f"channel-{draw.randrange(1000)}",
        "url": f"https://www.nexmark.com/item.htm?query=1&channel_id={draw.randrange(10_000)}",
        "dateTime": f"2024-01-01 00:{draw.randint(10, 59)}:{draw.randint(10, 59)}.123",
        "extra": "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(60, 80))),
    }


def write(spark: SparkSession, home: Path, rows: int, files: int) -> None:
    """The same bids in all ways."""
    draw = random.Random(7)
    block = [bid(draw) for _ in range(10_000)]
    lines_of_json = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in block)
    lines_of_csv = "".join(",".join(map(str, each.values())) + "\n" for each in block)
    for folder, text in (("lines", lines_of_json), ("csv", lines_of_csv)):
        (home / folder).mkdir()
        for number in range(files):
            (home / folder / str(number)).write_text(text * (rows // files // len(block)))
    lines = spark.read.text(str(home / "lines")).select(F.col("value").cast("binary"))
    lines.repartition(files).write.parquet(str(home / "messages"))


def source(spark: SparkSession, home: Path, kind: str) -> DataFrame:
    """A stream of bids."""
    if kind == "lines":
        return spark.readStream.schema(BID).json(str(home / "lines"))
    if kind == "csv":
        return spark.readStream.schema(BID).csv(str(home / "csv"))
    messages = spark.readStream.schema("value binary").parquet(str(home / "messages"))
    parsed = messages.select(F.from_json(F.col("value").cast("string"), BID).alias("v"))
    return parsed.select("v.*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=positive_int, default=1_600_000)
    parser.add_argument("--files", type=positive_int, default=8)
    parser.add_argument("--turns", type=positive_int, default=4)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS[:2])
    args = parser.parse_args()
    spark = session("decoding")
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        write(spark, home, args.rows, args.files)
        for kind in args.kinds:
            for columns in (["price", "auction"], ["*"]):
                show(spark, home, kind, columns, args.turns)


def show(spark: SparkSession, home: Path, kind: str, columns: list[str], turns: int) -> None:
    """One line for each way of reading those columns."""
    what = "7 of 7" if columns == ["*"] else f"{len(columns)} of 7"

    def bids() -> DataFrame:
        return source(spark, home, kind).select(*columns)

    def checkpoint() -> str:
        return tempfile.mkdtemp(dir=home)

    def native(query: DataFrame) -> None:
        writer = query.writeStream.format("noop").option("checkpointLocation", checkpoint())
        writer.trigger(availableNow=True).start().awaitTermination()

    def ours(fast: str, condition: str = NOTHING) -> None:
        for switch in SWITCHES:
            spark.conf.set(switch, fast)
        pipeline = gs.pipeline(spark, checkpoint()).view("v", bids().where(condition))
        pipeline.start(availableNow=True).awaitTermination()

    ways: dict[str, Callable[[], None]] = {
        "Spark": lambda: native(bids()),
        "Spark, filtered": lambda: native(bids().where(NOTHING)),
        "view, Spark's parser": lambda: ours("false"),
        "view, all lines": lambda: ours("true", NOTHING_AND_NULLS),
        "view": lambda: ours("true"),
    }
    least: dict[str, float] = {}
    for turn in range(turns):
        for name, way in ways.items():
            before = cpu_seconds(pid(spark))
            way()
            spent = cpu_seconds(pid(spark)) - before
            if turn > 0:
                least[name] = min(spent, least.get(name, spent))
    for name, seconds in least.items():
        ratio = seconds / least["Spark"]
        print(f"{kind:10} {what:8} {name:22} {seconds:6.2f} CPU s  {ratio:5.2f} x", flush=True)


if __name__ == "__main__":
    main()
