"""Stream-stream joins of every kind, in every format of their state."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from provider.events import two
from provider.replay import Case

FORMAT = "spark.sql.streaming.join.stateFormatVersion"

WINDOW = "at BETWEEN {0} - INTERVAL 30 SECONDS AND {0} + INTERVAL 30 SECONDS"


def watermarked(streams: dict[str, DataFrame], name: str) -> DataFrame:
    return streams[name].withWatermark("at", "30 seconds")


def joined(kind: str, version: int = 2) -> Case:
    def build(streams: dict[str, DataFrame]) -> DataFrame:
        left = watermarked(streams, "left").alias("l")
        right = watermarked(streams, "right").alias("r")
        same = F.expr(f"l.k = r.k AND r.{WINDOW.format('l.at')}")
        both = left.join(right, same, kind)
        if kind == "left_semi":
            return both
        return both.select("l.k", "l.v", "r.k", "r.v", "l.at", "r.at")

    return Case(two(), build, confs={FORMAT: str(version)})


def without_time(version: int = 2) -> Case:
    """Nothing bounds its state: no watermark, and keys that are often null."""

    def build(streams: dict[str, DataFrame]) -> DataFrame:
        left, right = streams["left"].alias("l"), streams["right"].alias("r")
        return left.join(right, F.expr("l.k = r.k AND l.v = r.v")).select("l.k", "l.v")

    return Case(two(), build, confs={FORMAT: str(version)})


KINDS = {
    "inner": "inner",
    "left outer": "left_outer",
    "right outer": "right_outer",
    "full outer": "full_outer",
    "left semi": "left_semi",
}

# Spark 4.2 and 4.3 start no query in format 1: see test_refusals.py.
JOINS: dict[str, Case] = {
    f"{name} join, state format {version}": joined(kind, version)
    for name, kind in KINDS.items()
    for version in (2, 3, 4)
} | {f"join without time, state format {version}": without_time(version) for version in (3, 4)}
