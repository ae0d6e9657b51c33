"""``make bench-latency``: empty barriers and barriers of 1,000 rows, p50 and p99.

Both sides read the same files, one a batch, in one process, one after the other: a view (filter,
aggregate, materialisation) and Spark's own streaming aggregation in update mode with the RocksDB
provider and a sink that does nothing. The time of a batch is Spark's ``triggerExecution``: from
looking for news to the commit log. The first ``--warm`` batches are left out.
``--checkpoint-every 10`` runs the view again with a checkpoint at every tenth barrier,
``--partitions 16 64`` both sides again with so many state partitions.

``--steady`` has no files: rows that are made, barrier after barrier, and what Spark's own
micro-batch takes for the same rows is told apart.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

from pyspark.sql import DataFrame

import groundswell as gs
from latency import steady
from shared.arguments import positive_int
from shared.session import session

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def write(folder: Path, batches: int, rows: int, groups: int) -> None:
    """Every other file is empty."""
    for number in range(2 * batches):
        count = rows if number % 2 == 0 else 0
        lines = [
            json.dumps({"id": i, "g": (i * 7919 + number) % groups, "w": i / 7})
            for i in range(count)
        ]
        path = folder / f"{number:06d}.json"
        path.write_text("\n".join(lines) + "\n")
        os.utime(path, (number + 1, number + 1))


def query(source: DataFrame) -> DataFrame:
    """The query of both sides."""
    return source.where("w >= 0").groupBy("g").agg({"w": "sum", "id": "count"})


def batches(progress: list[Any], rows: int, warm: int) -> dict[str, list[dict[str, int]]]:
    """Durations by kind, without the first ``warm`` of each."""
    found: dict[str, list[dict[str, int]]] = {"empty": [], "full": []}
    for p in progress:
        p = json.loads(p.json) if hasattr(p, "json") else p
        kind = "full" if p["numInputRows"] == rows else "empty"
        if "addBatch" in p["durationMs"]:
            found[kind].append(p["durationMs"])
    return {kind: list_[warm:] for kind, list_ in found.items()}


def report(name: str, found: dict[str, list[dict[str, int]]]) -> dict[str, Any]:
    """One line a kind; where the time goes is a mean."""
    result: dict[str, Any] = {}
    for kind, durations in found.items():
        total = [d["triggerExecution"] for d in durations]
        cuts = quantiles(total, n=100, method="inclusive")
        parts = {
            part: round(sum(d.get(part, 0) for d in durations) / len(durations), 1)
            for part in ("latestOffset", "queryPlanning", "walCommit", "addBatch", "commitOffsets")
        }
        result[kind] = {"p50": cuts[49], "p99": cuts[98], "batches": len(total), **parts}
        text = ", ".join(f"{part} {value}" for part, value in parts.items())
        print(f"{name:12} {kind:6} p50 {cuts[49]:6.0f} ms  p99 {cuts[98]:6.0f} ms  ({text})")
    return result


def parts(barriers: list[Any], rows: int) -> None:
    """Where the barriers' own time goes, as means; checkpoints apart from those between them."""
    for kind, wanted in (("empty", 0), ("full", rows)):
        for durable in (True, False):
            some = [b for b in barriers if b["inputRows"] == wanted and b["durable"] == durable]
            if some:
                print(
                    f"  {kind}{'' if durable else ', not durable'}: "
                    f"compute {fmean(b['computeMillis'] for b in some):.1f} "
                    f"(build {fmean(b['millis']['build'] for b in some):.1f}, "
                    f"job {fmean(b['millis']['job'] for b in some):.1f}), "
                    f"deliver {fmean(b['deliverMillis'] for b in some):.1f}, "
                    f"all {fmean(b['barrierMillis'] for b in some):.1f} ms"
                )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=positive_int, default=60)
    parser.add_argument("--warm", type=int, default=20)
    parser.add_argument("--rows", type=positive_int, default=1000)
    parser.add_argument("--groups", type=positive_int, default=500)
    parser.add_argument("--checkpoint-every", type=int, nargs="*", default=[])
    parser.add_argument("--partitions", type=positive_int, nargs="*", default=[])
    parser.add_argument(
        "--steady", type=int, nargs="*", help="barriers after which to look (300 10000), no files"
    )
    parser.add_argument("--base", type=Path, help="another tree beside this one, with --steady")
    args = parser.parse_args()
    if args.steady is not None:
        steady.show(args.steady or [300, 10_000], args.base)
        return
    spark = session("latency")
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "in"
        folder.mkdir()
        write(folder, args.batches, args.rows, args.groups)

        def source() -> DataFrame:
            return (
                spark.readStream.schema("id bigint, g bigint, w double")
                .option("maxFilesPerTrigger", 1)
                .json(str(folder))
            )

        def ours(name: str, **options: int) -> None:
            p = gs.pipeline(spark, f"{home}/{'-'.join(name.split())}", **options)
            p.view("v", query(source()))
            run = p.start(availableNow=True)
            run.awaitTermination()
            report(name, batches(run._query.recentProgress, args.rows, args.warm))
            parts(run.recentProgress[-args.batches :], args.rows)

        def native(name: str) -> None:
            stream = (
                query(source())
                .writeStream.outputMode("update")
                .format("noop")
                .option("checkpointLocation", f"{home}/{'-'.join(name.split())}")
                .trigger(availableNow=True)
                .start()
            )
            stream.awaitTermination()
            report(name, batches(stream.recentProgress, args.rows, args.warm))

        spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
        ours("groundswell")
        for every in args.checkpoint_every:
            ours(f"  every {every}", checkpointEvery=every)
        native("spark")
        for count in args.partitions:
            spark.conf.set("spark.sql.shuffle.partitions", count)
            ours(f"ours, {count}", partitions=count)
            native(f"spark, {count}")
    spark.stop()


if __name__ == "__main__":
    main()
