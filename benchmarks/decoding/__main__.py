"""``make bench-json``: streams of JSON read into nothing, beside Spark's own, by CPU time.

Bids like Nexmark's, as lines of files and as messages (a binary column of Parquet, as Kafka gives
them). Four ways, in turns in one process: Spark's stream into a sink that does nothing, the same
with a filter that holds for no row, and a view with that filter, by Spark's parser
(``spark.groundswell.fastJson=false``) and by ours. CPU is what the whole process used, driver,
compiler and collector included; the least of all turns but the first counts.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from shared.process import cpu_seconds
from shared.session import pid, session

BID = (
    "auction bigint, bidder bigint, price bigint, channel string, url string, "
    "dateTime timestamp, extra string"
)
NOTHING = "price < 0 OR auction < 0"
SWITCH = "spark.groundswell.fastJson"


def line(draw: random.Random) -> str:
    """A bid of about 250 bytes."""
    extra = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(60, 80)))
    return (
        f'{{"auction":{draw.randrange(100_000)},"bidder":{draw.randrange(50_000)},'
        f'"price":{draw.randrange(10**7)},"channel":"channel-{draw.randrange(1000)}",'
        f'"url":"https://www.nexmark.com/item.htm?query=1&channel_id={draw.randrange(10_000)}",'
        f'"dateTime":"2024-01-01 00:{draw.randint(10, 59)}:{draw.randint(10, 59)}.123",'
        f'"extra":"{extra}"}}\n'
    )


def write(spark: SparkSession, home: Path, rows: int, files: int) -> None:
    """The same bids as lines and as messages."""
    draw = random.Random(7)
    block = [line(draw) for _ in range(10_000)]
    (home / "lines").mkdir()
    for number in range(files):
        text = "".join(block) * (rows // files // len(block))
        (home / "lines" / f"{number}.json").write_text(text)
    lines = spark.read.text(str(home / "lines")).select(F.col("value").cast("binary"))
    lines.repartition(files).write.parquet(str(home / "messages"))


def source(spark: SparkSession, home: Path, kind: str) -> DataFrame:
    """A stream of bids."""
    if kind == "lines":
        return spark.readStream.schema(BID).json(str(home / "lines"))
    messages = spark.readStream.schema("value binary").parquet(str(home / "messages"))
    parsed = messages.select(F.from_json(F.col("value").cast("string"), BID).alias("v"))
    return parsed.select("v.*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_600_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--turns", type=int, default=4)
    args = parser.parse_args()
    spark = session("json")
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        write(spark, home, args.rows, args.files)
        for kind in ("lines", "messages"):
            show(spark, home, kind, args.turns)


def show(spark: SparkSession, home: Path, kind: str, turns: int) -> None:
    """One line for each way of reading."""
    runs = 0

    def native(query: Callable[[DataFrame], DataFrame]) -> None:
        writer = query(source(spark, home, kind)).writeStream.format("noop")
        checkpoint = str(home / f"{kind}-{runs}")
        run = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
        run.awaitTermination()

    def ours(fast: str) -> None:
        spark.conf.set(SWITCH, fast)
        view = source(spark, home, kind).where(NOTHING)
        pipeline = gs.pipeline(spark, str(home / f"{kind}-{runs}")).view("v", view)
        pipeline.start(availableNow=True).awaitTermination()

    ways: dict[str, Callable[[], None]] = {
        "Spark, two columns": lambda: native(lambda s: s.select("price", "auction")),
        "Spark, filtered": lambda: native(lambda s: s.where(NOTHING)),
        "view, Spark's parser": lambda: ours("false"),
        "view": lambda: ours("true"),
    }
    least: dict[str, float] = {}
    for turn in range(turns):
        for name, way in ways.items():
            runs += 1
            before = cpu_seconds(pid(spark))
            way()
            spent = cpu_seconds(pid(spark)) - before
            if turn > 0:
                least[name] = min(spent, least.get(name, spent))
    for name, seconds in least.items():
        ratio = seconds / least["Spark, two columns"]
        print(f"{kind:10} {name:22} {seconds:6.2f} CPU s  {ratio:5.2f} x", flush=True)


if __name__ == "__main__":
    main()
