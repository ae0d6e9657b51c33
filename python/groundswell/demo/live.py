"""Runs the demo: one pipeline, four sources, three views, a week of 2013 per delivery."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from datetime import date
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, Row, SparkSession

import groundswell as gs
from groundswell.demo import data, picture, verify
from groundswell.demo.feeder import Feeder
from groundswell.demo.views import VIEWS


def main(arguments: list[str] | None = None) -> None:
    """Runs the demo in a temporary folder of its own."""
    options = _options(arguments)
    work = Path(tempfile.mkdtemp(prefix="groundswell-demo-"))
    try:
        run(work, options.weeks, Path(options.picture))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def run(work: Path, weeks: int, png: Path) -> None:
    """Streams the weeks, compares every view with batch Spark, leaves the picture at ``png``."""
    began = time.monotonic()
    deliveries = data.prepare(work / "staging", weeks)
    flights = sum(delivery.flights for delivery in deliveries)
    print(f"{flights:,} flights of 2013 in {len(deliveries)} weekly deliveries; starting Spark ...")
    spark = start_spark()
    feeder = Feeder(work / "arriving")
    define_tables(spark, feeder.watched)
    pipeline = gs.pipeline(spark, str(work / "checkpoint"))
    for name, query in VIEWS.items():
        pipeline.view(name, spark.sql(query))
    running = pipeline.start(processingTime="0 seconds")
    history = []
    for delivery in deliveries:
        delivered = time.monotonic()
        feeder.deliver(delivery)
        running.processAllAvailable()
        freshness = time.monotonic() - delivered
        carriers = verify.frame(running.view("carriers"))
        history.append(carriers.assign(day=date.fromisoformat(delivery.last_day)))
        worst = running.view("worst_routes")
        progress = running.lastProgress or {"epoch": -1}
        top = worst.orderBy("mean_arrival_delay", ascending=False).first()
        _report(delivery, freshness, progress["epoch"], top)
    running.stop()
    print("\nthe ten worst routes at the end of the year:")
    running.view("worst_routes").orderBy("mean_arrival_delay", ascending=False).show(truncate=32)
    wrong = compare(spark, work)
    picture.draw(pd.concat(history), png)
    print(f"picture of view “carriers” over time: {png}")
    print(f"done in {time.monotonic() - began:.0f} s")
    spark.stop()
    if wrong:
        raise SystemExit("the views differ from their queries")


def start_spark() -> SparkSession:
    """A small local session with everything of ours switched on."""
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("groundswell demo")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "2g")
    )
    spark: SparkSession = gs.configure(builder).getOrCreate()
    return spark


def define_tables(spark: SparkSession, watched: Path) -> None:
    """Names the four streams; planes, airlines and airports are upsert tables."""

    def arriving(table: str) -> DataFrame:
        reader = spark.readStream.schema(verify.SCHEMAS[table])
        rows: DataFrame = reader.parquet(str(watched / table))
        return rows

    gs.appends(arriving("flights"), name="flights").createOrReplaceTempView("flights")
    airports = gs.upserts(arriving("airports"), key="faa", name="airports")
    planes = gs.upserts(arriving("planes"), key="tailnum", delete="deleted", name="planes")
    airlines = gs.upserts(arriving("airlines"), key="carrier", delete="deleted", name="airlines")
    airports.createOrReplaceTempView("airports")
    planes.createOrReplaceTempView("planes")
    airlines.createOrReplaceTempView("airlines")


def compare(spark: SparkSession, work: Path) -> bool:
    """Every view against batch Spark on the same files; true if any differs."""
    verify.final_tables(spark, work / "arriving")
    wrong = False
    for name, query in VIEWS.items():
        view = gs.read_view(spark, str(work / "checkpoint"), name)
        batch = spark.sql(query)
        found = verify.differences(view, batch)
        rows = view.count()
        print(
            f"{name}: {rows} rows, "
            + ("DIFFERS:" if found else "equal to batch Spark on the same input")
        )
        for line in found:
            print("   ", line)
        wrong = wrong or bool(found)
    return wrong


def _report(delivery: data.Delivery, seconds: float, epoch: int, worst: Row | None) -> None:
    top = (
        f"worst route {worst['origin']}-{worst['dest']}: {worst['mean_arrival_delay']:.1f} min late"
        f" over {worst['flown']} flights"
        if worst
        else "no route flown 100 times yet"
    )
    print(
        f"epoch {epoch:>3}  {delivery.first_day} to {delivery.last_day}"
        f"  {delivery.flights:>5,} flights  {delivery.flights / seconds:>7,.0f} rows/s"
        f"  fresh after {seconds:5.2f} s   {top}"
    )
    for line in delivery.news:
        print(f"           * {line}")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m groundswell.demo", description=__doc__)
    parser.add_argument(
        "--weeks", type=int, default=53, help="weeks to stream, 1 to 53 (default 53)"
    )
    parser.add_argument(
        "--picture",
        default="build/demo/carriers.png",
        help="where the PNG goes (default %(default)s)",
    )
    options = parser.parse_args(arguments)
    if not 1 <= options.weeks <= 53:
        parser.error(f"--weeks {options.weeks} is outside 1..53")
    return options
