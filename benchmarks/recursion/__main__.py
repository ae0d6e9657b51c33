"""``python -m recursion``: what is reached in a graph, and its components, as its edges change.

*reached*: the nodes that one node leads to. *components*: of each node the least number of a node
that it hangs together with. A barrier takes some edges away and adds as many. Beside it: batch
Spark over all edges, by a loop of joins over what the last round has found, and the first barrier,
which computes everything in our engine.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import groundswell as gs
from shared import process
from shared.arguments import positive_int
from shared.process import tell
from shared.session import session

KINDS = ("reached", "components")
EDGE = "src long, dst long"


def view(kind: str, edges: DataFrame, nodes: DataFrame) -> DataFrame:
    """What is kept."""
    if kind == "reached":
        return gs.fixpoint(
            nodes.where("node = 0"), lambda r: r.join(edges, r.node == edges.src).select("dst")
        )
    both = edges.union(edges.select("dst", "src"))
    return gs.fixpoint(
        nodes.selectExpr("node", "node AS least"),
        lambda r: r.join(both, r.node == both.src).select("dst", "least"),
        least="least",
    )


def batch(kind: str, edges: DataFrame, nodes: DataFrame) -> DataFrame:
    """The same by Spark alone: each round joins the rows that the round before has found."""
    if kind == "reached":
        found = new = nodes.where("node = 0").localCheckpoint()
        while not new.isEmpty():
            step = new.join(edges, new.node == edges.src).select(F.col("dst").alias("node"))
            new = step.distinct().join(found, "node", "left_anti").localCheckpoint()
            found = found.union(new).localCheckpoint()
        return found
    both = edges.union(edges.select("dst", "src"))
    labels = nodes.selectExpr("node", "node AS least").localCheckpoint()
    new = labels
    while not new.isEmpty():
        of_node = new.join(both, new.node == both.src).groupBy(F.col("dst").alias("node"))
        better = of_node.agg(F.min("least").alias("other"))
        both_ = labels.join(better, "node", "left").localCheckpoint()
        new = both_.where("other < least").selectExpr("node", "other AS least").localCheckpoint()
        labels = both_.selectExpr("node", "least(least, other) AS least").localCheckpoint()
    return labels


def same(kind: str, run: Any, expected: DataFrame) -> bool:
    """Whether the view has the rows of batch Spark."""
    given = run.view(kind)
    return bool(given.exceptAll(expected).isEmpty() and expected.exceptAll(given).isEmpty())


def worker(args: argparse.Namespace) -> None:
    kind, rng = args.kind, random.Random(args.seed)
    spark = session("recursion", {"spark.driver.memory": "6g"})
    spark.conf.set("spark.sql.shuffle.partitions", str(args.partitions))
    with tempfile.TemporaryDirectory(prefix="recursion-") as home:
        p = gs.pipeline(spark, str(Path(home) / "checkpoint"), partitions=args.partitions)
        edges = p.table("edges", EDGE, key=["src", "dst"])
        nodes = p.table("nodes", "node long", key="node")
        p.view(kind, view(kind, edges.df, nodes.df))
        there = {(rng.randrange(args.nodes), rng.randrange(args.nodes)) for _ in range(args.edges)}
        nodes.upsert(spark.range(args.nodes).toDF("node"))
        edges.upsert(spark.createDataFrame(sorted(there), EDGE).repartition(4))
        begun = time.perf_counter()
        run = p.start()
        run.processAllAvailable()
        first = time.perf_counter() - begun
        millis = []
        for _ in range(args.barriers):
            gone = rng.sample(sorted(there), args.changes // 2)
            new = {(rng.randrange(args.nodes), rng.randrange(args.nodes)) for _ in gone} - there
            changes = [(*edge, True) for edge in gone] + [(*edge, False) for edge in sorted(new)]
            edges.change(spark.createDataFrame(changes, f"{EDGE}, gone boolean"), "gone")
            there = (there - set(gone)) | new
            before = run.lastProgress["epoch"]
            run.processAllAvailable()
            of_change = [e for e in run.recentProgress if e["epoch"] > before]
            millis.append(sum(e["barrierMillis"] for e in of_change))
        all_edges = spark.createDataFrame(sorted(there), EDGE).repartition(4).localCheckpoint()
        all_nodes = spark.range(args.nodes).toDF("node").localCheckpoint()
        anew = []
        for _ in range(2):  # the second is warm
            begun = time.perf_counter()
            expected = batch(kind, all_edges, all_nodes)
            anew.append(time.perf_counter() - begun)
        right = same(kind, run, expected)
        run.stop()
    tell(
        {
            "first": first,
            "change": median(millis[len(millis) // 3 :]) / 1000,
            "worst": max(millis[len(millis) // 3 :]) / 1000,
            "anew": min(anew),
            "right": right,
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="recursion", description=__doc__)
    parser.add_argument("--kind", help="runs one cell in this process")
    parser.add_argument("--nodes", type=positive_int, default=300_000)
    parser.add_argument("--edges", type=positive_int, default=1_000_000)
    parser.add_argument(
        "--changes", type=positive_int, default=1_000, help="edges a barrier (1000)"
    )
    parser.add_argument("--barriers", type=positive_int, default=12)
    parser.add_argument("--partitions", type=positive_int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    if args.kind:
        worker(args)
        return
    print(
        f"{args.nodes:,} nodes, {args.edges:,} edges, {args.changes:,} of them other ones a "
        "barrier; seconds\n"
    )
    print(
        "| | first barrier | a change | the longest | batch Spark, all anew | ratio (≤ 0.1) "
        "| equal |"
        "\n|--|--:|--:|--:|--:|--:|--|"
    )
    names = ("nodes", "edges", "changes", "barriers", "partitions", "seed")
    given = [part for name in names for part in (f"--{name}", str(getattr(args, name)))]
    for kind in KINDS:
        found = process.run("recursion", "--kind", kind, *given)
        ratio = found["change"] / found["anew"]
        print(
            f"| {kind} | {found['first']:.1f} | {found['change']:.2f} | {found['worst']:.2f} | "
            f"{found['anew']:.1f} | {ratio:.3f} | {'yes' if found['right'] else 'NO'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
