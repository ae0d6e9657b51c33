"""All 22 questions of TPC-H as views of one pipeline, with more and more that the optimizer may do.

All rows come in one barrier, then updates of one row in a hundred of each table, a barrier each.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.optimizer.reorder import Ordering
from groundswell.runtime import program
from tpch.queries import QUERIES

WAYS: Mapping[str, Mapping[str, str]] = {
    "as written": {},
    "order by cost": {"joinOrder": "cost"},
    "and indexes": {"joinOrder": "cost", "indexes": "auto"},
    "indexes alone": {"indexes": "auto"},
}
INDEX = "arrange"


def run(spark: SparkSession, read: Callable[[], None], way: str, ordering: Ordering) -> Any:
    """Bytes by kind of state, milliseconds a barrier, and the rows of all views."""
    read()
    options = WAYS[way]
    search = "joinOrder" in options
    with tempfile.TemporaryDirectory() as location:
        # sizes of a location that has the tables
        program.orders_of = lambda *_: ordering if search else Ordering()  # type: ignore[attr-defined]
        p = gs.pipeline(spark, location, **options)
        for name, text in QUERIES.items():
            p.view(name, spark.sql(text))
        query = p.start(availableNow=True)
        query.awaitTermination()
        progress = [b for b in query.recentProgress if b["inputRows"]]
        kinds: dict[str, int] = {}
        for op in progress[-1]["operators"]:
            kinds[op["op"]] = kinds.get(op["op"], 0) + op.get("stateBytes", 0)
        batches = [json.loads(b.json) for b in query._query.recentProgress if b.numInputRows]
        millis = statistics.median(b["durationMs"]["triggerExecution"] for b in batches[3:])
        rows = {
            name: sorted(map(str, gs.read_view(spark, location, name).collect()))
            for name in QUERIES
        }
        return kinds, millis, rows


def table(spark: SparkSession, read: Callable[[], None], sizes: Mapping[str, float]) -> None:
    """Prints one line for each way."""
    ordering = Ordering(True, sizes)
    run(spark, read, "as written", ordering)  # warms the process up
    first: Any = None
    print(
        "| | joins and indexes, bytes | ratio | all states, bytes | ratio | barrier, ms | ratio |"
    )
    print("|--|--:|--:|--:|--:|--:|--:|")
    for way in WAYS:
        kinds, millis, rows = run(spark, read, way, ordering)
        joins = kinds.get("join", 0) + kinds.get(INDEX, 0)
        found = joins, sum(kinds.values()), millis
        first = first or (found, rows)
        differ = [name for name in QUERIES if rows[name] != first[1][name]]
        assert not differ, f"{way}: {', '.join(differ)} have other rows"
        cells = " | ".join(
            f"{each:,.0f} | {each / base:.2f}" for each, base in zip(found, first[0], strict=True)
        )
        print(f"| {way} | {cells} |", flush=True)
