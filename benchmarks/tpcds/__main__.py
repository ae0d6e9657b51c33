"""``make bench-tpcds``: TPC-DS's 99 queries as views, compared with batch Spark at every epoch.

DuckDB's extension writes the tables and has the texts of the queries. Pipelines of ``--group``
views each are filled, and then get the same random changes of all 24 tables, ``--share`` of the
rows an epoch. After each, batch Spark computes the queries over the tables as they are, and every
view is compared with it. CPU seconds are those of the JVM and of Python.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from shared import process
from shared.arguments import positive_float, positive_int
from shared.session import pid, session
from tpcds import changes, comparing
from tpcds.generate import KEYS

CONFS = {
    "spark.driver.memory": "3g",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",  # AS "30 days"
    "spark.sql.streaming.pollingDelay": "1s",  # idle sources take no time of the batch queries
}

PLAIN = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""How batch Spark computes a query once over a few rows at the least cost."""


class Group:
    """Some of the queries as views of one pipeline."""

    def __init__(
        self,
        spark: SparkSession,
        texts: dict[str, str],
        data: Path,
        place: Path,
        options: dict[str, str],
    ) -> None:
        self._spark, self._texts, self._data, self._place = spark, texts, data, place
        self._options = options
        self.refused: dict[str, str] = {}
        self.wrong: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.views: list[tuple[float, float]] = []  # seconds, CPU seconds of each epoch
        self.batch: list[tuple[float, float]] = []

    def run(self, epochs: int, quick: bool) -> None:
        changes.arrive(self._data, self._place / "stream", 0)
        self._declare()
        pipeline = gs.pipeline(self._spark, str(self._place / "views"), **self._options)
        for name, text in self._texts.items():
            frame = self._spark.sql(text)
            reasons = gs.why(frame)
            if reasons:
                self.refused[name] = "; ".join(f"{what}: {why}" for what, why in reasons)
            else:
                pipeline.view(name, frame)
        if len(self.refused) == len(self._texts):
            return
        begun = self._clock()
        query = pipeline.start()
        try:
            for epoch in range(epochs):
                if epoch:
                    begun = self._clock()
                    changes.arrive(self._data, self._place / "stream", epoch)
                query.processAllAvailable()
                self.views.append(self._since(begun))
                if not quick:
                    self._compare(epoch)
                elif epoch == epochs - 1:
                    self._compare_plainly(epoch)
                else:
                    self.batch.append((0.0, 0.0))
                self._declare()
        finally:
            query.stop()

    def _clock(self) -> tuple[float, float]:
        return time.monotonic(), process.cpu_seconds(pid(self._spark)) + time.process_time()

    def _since(self, begun: tuple[float, float]) -> tuple[float, float]:
        now = self._clock()
        return now[0] - begun[0], now[1] - begun[1]

    def _declare(self) -> None:
        for name, key in KEYS.items():
            folder = str(self._place / "stream" / name)
            schema = self._spark.read.parquet(folder).schema
            stream = self._spark.readStream.schema(schema).parquet(folder)
            upserts = gs.upserts(stream, key=list(key), delete=changes.DELETED, name=name)
            upserts.createOrReplaceTempView(name)

    def _compare_plainly(self, epoch: int) -> None:
        conf = self._spark.conf
        before = {name: conf.get(name, None) for name in PLAIN}
        for name, value in PLAIN.items():
            conf.set(name, value)
        self._compare(epoch)
        for name, old in before.items():
            conf.unset(name) if old is None else conf.set(name, old)

    def _compare(self, epoch: int) -> None:
        spark = self._spark
        for name in KEYS:
            path = self._data / "tables" / f"{epoch:03d}" / f"{name}.parquet"
            spark.read.parquet(str(path)).createOrReplaceTempView(name)
        there = [name for name in self._texts if name not in self.refused]
        begun = self._clock()
        wanted = {name: (f := spark.sql(self._texts[name]), _rows(f)) for name in there}
        self.batch.append(self._since(begun))
        found = gs.read_views(spark, str(self._place / "views"), there)
        for name in there:
            frame, batch = wanted[name]
            self.rows[name] += sum(any(v not in (None, 0) for v in row) for row in batch)
            other = f"types {found[name].dtypes}, batch {frame.dtypes}"
            if found[name].dtypes == frame.dtypes:
                text = self._texts[name]
                view = _rows(found[name])
                other = comparing.difference(text, frame.columns, view, batch, self._compute) or ""
            if other:
                self.wrong[name] += 1
                print(f"WRONG {name}, epoch {epoch}: {other}", flush=True)

    def _compute(self, text: str) -> comparing.Rows:
        return _rows(self._spark.sql(text))


def _rows(frame: Any) -> comparing.Rows:
    return [tuple(row) for row in frame.collect()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--scale", type=positive_float, default=0.02, help="0.01 has 28,810 store sales"
    )
    parser.add_argument("--queries", help="numbers of queries, as 1,14,64 (default: all)")
    parser.add_argument("--group", type=positive_int, default=15, help="views of a pipeline")
    parser.add_argument("--epochs", type=positive_int, default=4, help="the first fill among them")
    parser.add_argument(
        "--share", type=positive_float, default=0.01, help="of the rows that change"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="compares after the last epoch only, with batch Spark without compiled code",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of the pipelines, as joinOrder=cost",
    )
    parser.add_argument("--seed", type=int, help="of the changes (default: another each time)")
    parser.add_argument("--lake", type=Path, help="folder that keeps the tables for the next run")
    parser.add_argument("--python", default=sys.executable, help="with DuckDB and its extension")
    args = parser.parse_args()
    options = dict(option.split("=", 1) for option in args.option)
    seed = time.time_ns() % 1_000_000 if args.seed is None else args.seed
    print(f"--scale {args.scale} --seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as made:
        folder, data = args.lake or Path(made) / "lake", Path(made) / "data"
        if not folder.exists():
            generate = str(Path(__file__).with_name("generate.py"))
            subprocess.run([args.python, generate, str(folder), str(args.scale)], check=True)
        texts = json.loads((folder / "queries.json").read_text())
        numbers = args.queries.split(",") if args.queries else list(texts)
        queries = {f"q{n}": texts[n].strip().rstrip(";") for n in numbers}
        counts = changes.write(folder, data, args.epochs, args.share, seed)
        print(f"rows of the epochs: {', '.join(f'{n:,}' for n in counts)}", flush=True)
        spark = session("tpcds", CONFS)
        names = list(queries)
        groups = []
        for i in range(0, len(names), args.group):
            some = {name: queries[name] for name in names[i : i + args.group]}
            place = Path(made) / str(i)
            groups.append(group := Group(spark, some, data, place, options))
            group.run(args.epochs, args.quick)
            shutil.rmtree(place)
            print(f"{', '.join(some)}: {_times(group)}", flush=True)
        spark.stop()
    sys.exit(_report(groups, args.epochs))


def _times(group: Group) -> str:
    pairs = zip(group.views, group.batch, strict=True)
    return "; ".join(
        f"{a:.1f} s ({b:.1f} CPU), batch {c:.1f} s ({d:.1f})" for (a, b), (c, d) in pairs
    )


def _report(groups: list[Group], epochs: int) -> int:
    rows = {name: count for group in groups for name, count in group.rows.items()}
    wrong = [name for group in groups for name in group.wrong]
    refused = {name: why for group in groups for name, why in group.refused.items()}
    print(f"accepted {len(rows)}, refused {len(refused)}, wrong {len(wrong)} {wrong}")
    for name, why in refused.items():
        print(f"  {name}: {why}")
    empty = [name for name, count in rows.items() if not count]
    print(f"without rows, or with zeros and nulls only, at every epoch: {len(empty)} {empty}\n")
    print("| | views (s) | CPU (s) | batch (s) | CPU (s) | batch : views, CPU |")
    print("|--|--:|--:|--:|--:|--:|")
    for epoch in range(epochs):
        sums = [
            sum(of[epoch][i] for g in groups if (of := getattr(g, side)))
            for side in ("views", "batch")
            for i in (0, 1)
        ]
        name = f"changes {epoch}" if epoch else "fill"
        figures = " | ".join(f"{figure:.1f}" for figure in sums)
        print(f"| {name} | {figures} | {sums[3] / max(sums[1], 0.01):.2f} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    main()
