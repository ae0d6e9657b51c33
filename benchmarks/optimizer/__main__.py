"""``make bench-optimizer``: what the order of joins of TPC-H's 22 questions takes, and gives.

For each question: the time to find the regions, guess sizes and search the orders (the median of
many runs in one warm process, Python only), and the cost that is expected of the order as Spark's
optimizer leaves it and of the one taken. The optimizer is given the rows of each table, as a
location that has the tables gives them.

``--run``: each question whose order changes is also run in both orders: all rows in one barrier,
then updates of one row in a hundred of each table, a barrier each. Reported: bytes of the newest
states of the joins, and the time of a barrier (the median, the first three left out), each as a
ratio of the order taken to the order as written. The views of both are compared.

``--together``: all of them as views of one pipeline, with more and more that the optimizer may do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.jvm import Capture, jvm_id
from groundswell.optimizer.model import Graph, Tree
from groundswell.optimizer.order import best_tree
from groundswell.optimizer.reorder import Choice, Ordering, reorder
from groundswell.plan import capture
from groundswell.runtime import program
from groundswell.runtime.planning.sources import resolve
from optimizer import together
from shared.arguments import positive_float, positive_int
from shared.session import session
from tpch import tables
from tpch.queries import QUERIES


def write(folder: Path, scale: float, barriers: int) -> dict[str, float]:
    """All rows, then one in a hundred with another row's values; gives the rows of each table."""
    random = np.random.default_rng(3)
    whole = tables.generate(scale)
    for name, table in whole.items():
        for i in range(barriers + 1):
            part = table if i == 0 else _changed(table, tables.KEYS[name], random)
            part = part.append_column(tables.DELETED, pa.array([False] * part.num_rows, pa.bool_()))
            path = folder / name / f"{i:03d}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(part, path)
            os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))
    return {name: float(table.num_rows) for name, table in whole.items()}


def _changed(table: pa.Table, key: tuple[str, ...], random: np.random.Generator) -> pa.Table:
    count = table.num_rows // 100
    at, other = (pa.array(random.permutation(table.num_rows)[:count]) for _ in range(2))
    values, keys = table.take(other), table.take(at)
    for name in key:
        values = values.set_column(values.schema.get_field_index(name), name, keys.column(name))
    return values


def read(spark: SparkSession, folder: Path) -> None:
    """Each table as a temp view, one file a barrier."""
    for name, key in tables.KEYS.items():
        path = str(folder / name)
        stream = spark.readStream.schema(spark.read.parquet(path).schema)
        gs.upserts(
            stream.option("maxFilesPerTrigger", 1).parquet(path),
            key=list(key),
            delete=tables.DELETED,
            name=name,
        ).createOrReplaceTempView(name)


def median_ms(work: Callable[[], Any], runs: int = 50) -> float:
    """Of one call, in a warm process."""
    taken = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken) * 1000


def search_all(choices: Sequence[Choice]) -> list[Tree | None]:
    """The search alone, of each region."""
    return [best_tree(Graph(choice.tables)) for choice in choices]


def plan(spark: SparkSession, sizes: Mapping[str, float]) -> list[str]:
    """Prints the table of planning; gives the questions whose order changes."""
    ordering = Ordering(search=True, sizes=sizes)
    changed = []
    print(f"{'':5}{'ms':>7}{'search ms':>11}{'inputs':>9}{'written':>10}{'taken':>10}{'ratio':>7}")
    for name, text in QUERIES.items():
        captured = Capture([spark.sql(text)])
        (query,) = capture.read(captured.description)
        assert query.root is not None
        sources = resolve(jvm_id(spark), captured.description.sources)
        root = query.root
        _, choices = reorder(name, root, sources, ordering)
        whole = median_ms(partial(reorder, name, root, sources, ordering))
        search = median_ms(partial(search_all, choices))
        written = sum(c.cost(c.written).total for c in choices)
        taken = sum(c.cost(c.taken).total for c in choices)
        inputs = "+".join(str(len(c.tables)) for c in choices) or "-"
        costs = f"{written:>10.3g}{taken:>10.3g}{taken / written:>7.2f}" if choices else ""
        print(f"{name:5}{whole:>7.2f}{search:>11.2f}{inputs:>9}{costs}", flush=True)
        if any(c.order is not None for c in choices):
            changed.append(name)
    return changed


def run(
    spark: SparkSession, folder: Path, question: str, ordering: Ordering
) -> tuple[int, float, list[str]]:
    """Bytes of the joins' states, milliseconds a barrier, and the view's rows."""
    read(spark, folder)
    with tempfile.TemporaryDirectory() as location:
        # sizes of a location that has the tables
        program.orders_of = lambda *_: ordering  # type: ignore[attr-defined]
        p = gs.pipeline(spark, location).view(question, spark.sql(QUERIES[question]))
        query = p.start(availableNow=True)
        query.awaitTermination()
        progress = [b for b in query.recentProgress if b["inputRows"]]
        state = sum(
            op.get("stateBytes", 0) for op in progress[-1]["operators"] if op["op"] == "join"
        )
        batches = [json.loads(b.json) for b in query._query.recentProgress if b.numInputRows]
        millis = statistics.median(b["durationMs"]["triggerExecution"] for b in batches[3:])
        rows = sorted(map(str, gs.read_view(spark, location, question).collect()))
        return state, millis, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scale", type=positive_float, default=0.002, help="1 has 6,000,000 line items"
    )
    parser.add_argument("--together", action="store_true", help="only all as one pipeline")
    parser.add_argument("--run", action="store_true", help="run both orders, too")
    parser.add_argument("--barriers", type=positive_int, default=8)
    parser.add_argument("--only", help="questions to run, with commas between")
    args = parser.parse_args()
    spark = session("optimizer")
    with tempfile.TemporaryDirectory() as data:
        folder = Path(data)
        sizes = write(folder, args.scale, args.barriers)
        read(spark, folder)
        if args.together:
            together.table(spark, partial(read, spark, folder), sizes)
            return
        changed = plan(spark, sizes)
        print(f"another order: {', '.join(changed) or 'none'}")
        if args.run:
            asked = args.only.split(",") if args.only else changed
            print(f"\n{'':5}{'join bytes':>23}{'ratio':>7}{'ms a barrier':>19}{'ratio':>7}")
            for name in (q for q in changed if q in asked):
                run(spark, folder, name, Ordering())  # warms the process up
                a_state, a_ms, a_rows = run(spark, folder, name, Ordering())
                b_state, b_ms, b_rows = run(spark, folder, name, Ordering(True, sizes))
                assert a_rows == b_rows, f"{name}: the orders give different rows"
                print(
                    f"{name:5}{a_state:>11,} {b_state:>11,}{b_state / a_state:>7.2f}"
                    f"{a_ms:>9.0f} {b_ms:>9.0f}{b_ms / a_ms:>7.2f}",
                    flush=True,
                )
    spark.stop()


if __name__ == "__main__":
    main()
