"""TPC-H's question 5 with each rule of the optimizer switched off.

Beside the question stands another view, as another hand would write it: the sides of its joins
exchanged, without the filter on the region, other columns, and the dates in another order. So the
rules about what views have in common have something to do.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.optimizer.reorder import Ordering
from groundswell.optimizer.rules import RULES, without
from groundswell.runtime import declared
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning.planned import PlannedViews
from tpch.queries import QUERIES

VIEWS = {
    "q5": QUERIES["q5"],
    "again": """SELECT r_name, n_name, count(*) AS items, max(l_shipdate) AS latest
      FROM orders JOIN customer ON o_custkey = c_custkey
        JOIN lineitem ON o_orderkey = l_orderkey
        JOIN supplier ON s_nationkey = c_nationkey AND s_suppkey = l_suppkey
        JOIN nation ON n_nationkey = s_nationkey
        JOIN region ON r_regionkey = n_regionkey
      WHERE o_orderdate < DATE '1997-01-01' AND o_orderdate >= DATE '1993-01-01'
      GROUP BY r_name, n_name""",
}


def cases() -> dict[str, tuple[AbstractContextManager[None], str]]:
    """By what it is called: what is switched off, and the option ``sharing``."""
    rules = [rule.name for rule in RULES if rule.name != "indexes"]  # there are none
    return {
        "all rules": (nullcontext(), "canonical"),
        **{f"without {name}": (without(name), "canonical") for name in rules},
        "as written, by cost": (nullcontext(), "written"),
        "no sharing, not by cost": (without("join order"), "written"),
    }


def table(
    spark: SparkSession,
    read: Callable[[], None],
    sizes: Mapping[str, float],
    timed: Callable[[Callable[[], Any]], float],
    *,
    run: bool,
) -> None:
    """Prints it.

    Args:
        spark: the session.
        read: makes the tables temp views, from their beginning.
        sizes: rows of the tables.
        timed: milliseconds that a call takes.
        run: whether all is run, too.
    """
    declared.orders_of = lambda *_: Ordering(True, sizes)
    print(f"\nq5 beside another view{'':7}{'ms to plan':>11}{'joins':>7}", end="")
    print(f"{'join bytes':>13}{'ms a barrier':>14}" if run else "")
    known: list[list[str]] = []
    if run:
        with tempfile.TemporaryDirectory() as location:  # warms the process up
            read()
            _run(spark, _pipeline(spark, location, "canonical"), location)
    for name, (off, sharing) in cases().items():
        with off, tempfile.TemporaryDirectory() as location:
            read()
            p = _pipeline(spark, location, sharing)
            millis = timed(p.declared.planned)
            states = _joins(p.declared.planned())
            print(f"{name:29}{millis:>11.0f}{len(states):>7}", end="", flush=True)
            if run:
                size, barrier, rows = _run(spark, p, location)
                known.append(rows)
                assert rows == known[0], f"{name}: other rows"
                print(f"{size:>13,}{barrier:>14.0f}", end="")
            print(flush=True)


def _pipeline(spark: SparkSession, location: str, sharing: str) -> Pipeline:
    p = gs.pipeline(spark, location, sharing=sharing)
    for view, text in VIEWS.items():
        p.view(view, spark.sql(text))
    return p


def _joins(planned: PlannedViews) -> list[str]:
    return [s for s in planned.dataflow().states if s.startswith("join-")]


def _run(spark: SparkSession, p: Pipeline, location: str) -> tuple[int, float, list[str]]:
    """Bytes of the joins' states, milliseconds a barrier, and the rows of both views."""
    query = p.start(availableNow=True)
    query.awaitTermination()
    progress = [b for b in query.recentProgress if b["inputRows"]]
    size = sum(op.get("stateBytes", 0) for op in progress[-1]["operators"] if op["op"] == "join")
    batches = [b for b in query._query.recentProgress if b.numInputRows]
    millis = statistics.median(b.durationMs["triggerExecution"] for b in batches[3:])
    rows = [
        str(row) for view in VIEWS for row in sorted(gs.read_view(spark, location, view).collect())
    ]
    return size, millis, rows
