"""Queries with more than one stateful operator, and streaming limits."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from provider.events import one, two
from provider.joins import WINDOW, watermarked
from provider.replay import Case


def deduplicated_windows(streams: dict[str, DataFrame]) -> DataFrame:
    return (
        watermarked(streams, "events")
        .dropDuplicatesWithinWatermark(["k", "v"])
        .groupBy(F.window("at", "40 seconds"))
        .agg(F.count("*"), F.sum("v"))
    )


def windows_of_windows(streams: dict[str, DataFrame]) -> DataFrame:
    short = (
        watermarked(streams, "events").groupBy(F.window("at", "20 seconds"), "k").agg(F.count("*"))
    )
    return short.groupBy(F.window("window", "60 seconds")).agg(F.count("*"), F.sum("count(1)"))


def windows_of_a_join(streams: dict[str, DataFrame]) -> DataFrame:
    left = watermarked(streams, "left").alias("l")
    right = watermarked(streams, "right").alias("r")
    both = left.join(right, F.expr(f"l.k = r.k AND r.{WINDOW.format('l.at')}"))
    pairs = both.select(F.col("l.at").alias("at"), F.col("r.v").alias("v"))
    return pairs.groupBy(F.window("at", "60 seconds")).agg(F.count("*"), F.sum("v"))


def first_rows(streams: dict[str, DataFrame]) -> DataFrame:
    return streams["events"].select("k", "v").limit(50)


CHAINS: dict[str, Case] = {
    "windows over deduplication": Case(one(), deduplicated_windows),
    "aggregation over aggregation": Case(one(), windows_of_windows),
    "aggregation over a join": Case(two(), windows_of_a_join),
    "limit": Case(one(batches=4), first_rows),
}
