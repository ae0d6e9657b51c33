"""``make bench-freshness``: from the send of a change to the row in the target, p50 and p99.

The change is sent to Kafka, or with ``--source postgres`` committed in Postgres and read by change
capture. A broker and a Postgres server of its own, on 127.0.0.1. Both jobs keep the same running
totals of 1,000 accounts in a target: a table of Postgres, or with ``--target kafka`` a topic. One
is a view with our sink. The other is Spark's own aggregation, with foreachBatch into the table or
with Spark's sink into the topic. They run in one process, one after the other; each repetition
turns the order round. A reader asks the target every 5 ms which changes it has, so the age of every
single change is measured. The clock starts ``--warm`` seconds after the first batch. ``--rates``,
``--triggers`` (ms), ``--seconds``, ``--repeats`` and ``--jobs`` choose what is run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import quantiles
from typing import Any

from freshness.jobs import Native, Ours
from freshness.load import LANES
from freshness.sources import SOURCES
from freshness.targets import TARGETS
from freshness.watch import Watch, ages
from shared.arguments import positive_float, positive_int
from shared.page import where
from shared.session import session
from systems.jars import connector
from systems.servers import Kafka, MissingError, Postgres

JOBS = {job.name: job for job in (Ours, Native)}
FIRST = 180
"""Seconds for the first batch of a job: its code is made and compiled in it."""
DRAIN = 60
"""Seconds after the last send in which all must be seen; else the job cannot keep up."""


def measure(
    job: Any, source: Any, target: Any, trigger: int, warm: float, seconds: float
) -> list[float]:
    """The age of every change that was sent after the warm time, in milliseconds.

    Raises:
        TimeoutError: the job did not keep up.
    """
    watch = target.watch()
    job.start(f"{trigger} milliseconds")
    try:
        watch.start()
        source.load.first()
        await_all(watch, source.load.sent, FIRST)
        source.load.start()
        begin = time.monotonic() + warm
        time.sleep(warm + seconds)
        source.load.stop()
        sent = source.load.sent
        await_all(watch, sent, DRAIN)
    finally:
        source.load.stop()
        watch.stop()
        job.stop()
    found, wanted = target.counted(), sum(map(len, sent))
    assert found == wanted, f"{found} changes are counted, {wanted} were sent"
    end = begin + seconds
    lanes = (ages(sent[i], watch.times, watch.seen[i], begin, end) for i in range(LANES))
    return [age for lane in lanes for age in lane]


def await_all(watch: Watch, sent: Sequence[Sequence[float]], seconds: float) -> None:
    """Returns when the target has every change that was sent."""
    until = time.monotonic() + seconds
    while any(watch.highest(lane) < len(sent[lane]) - 1 for lane in range(LANES)):
        if watch.error is not None:
            raise watch.error
        if time.monotonic() > until:
            raise TimeoutError(f"not all changes were seen {seconds:g} s after the last was sent")
        time.sleep(0.02)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench-freshness")
    parser.add_argument("--rates", type=positive_int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--triggers", type=int, nargs="+", default=[100, 1_000], metavar="MS")
    parser.add_argument("--seconds", type=positive_float, default=60)
    parser.add_argument("--warm", type=float, default=15)
    parser.add_argument("--jobs", nargs="+", choices=sorted(JOBS), default=list(JOBS))
    parser.add_argument("--repeats", type=positive_int, default=2)
    parser.add_argument("--source", choices=sorted(SOURCES), default="kafka")
    parser.add_argument("--target", choices=sorted(TARGETS), default="postgres")
    args = parser.parse_args()
    ways = f"from {args.source} to {args.target}"
    print(f"{where()}; {args.seconds:g} s a run after {args.warm:g} s, {ways}")
    try:
        kafka = Kafka()
    except MissingError as e:
        parser.exit(1, f"error: {e}\n")
    try:
        try:
            postgres = Postgres()
        except MissingError as e:
            parser.exit(1, f"error: {e}\n")
        try:
            run(args, kafka, postgres)
        finally:
            postgres.close()
    finally:
        kafka.close()


def run(args: argparse.Namespace, kafka: Kafka, postgres: Postgres) -> None:
    """Prints the table, a row as it is measured."""
    spark = session("freshness", {"spark.jars": connector()})
    print("| changes/s | trigger (ms) | run | job | p50 (ms) | p99 (ms) | changes |")
    print("|--:|--:|--:|--|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as home:
        for rate, trigger, repeat in product(args.rates, args.triggers, range(args.repeats)):
            for place, name in enumerate(args.jobs if repeat % 2 == 0 else args.jobs[::-1]):
                table = f"{name}_{rate}_{trigger}_{repeat}"
                source = SOURCES[args.source](kafka, postgres, table, rate)
                target = TARGETS[args.target](kafka, postgres, table)
                job = JOBS[name](spark, Path(home), source, target, table)
                line = (
                    f"| {rate:,} | {trigger:,} | {len(args.jobs) * repeat + place + 1} | {name} |"
                )
                try:
                    found = measure(job, source, target, trigger, args.warm, args.seconds)
                except TimeoutError as e:
                    print(f"{line} {e} | | |", flush=True)
                    continue
                cuts = quantiles(found, n=100, method="inclusive")
                print(f"{line} {cuts[49]:,.0f} | {cuts[98]:,.0f} | {len(found):,} |", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
