"""``make bench-start``: fresh processes in turns: a view, with and without the archive of classes,
and Spark's own streaming aggregation.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from statistics import median

from groundswell import class_archive, jar
from shared import process
from shared.page import where

FIGURES = {
    "session": "a session is there",
    "first": "the first barrier has ended, from the query on",
    "run": "twenty barriers have ended, from the query on",
}
KINDS = ("spark", "without", "with")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5, help="of each kind, after one that warms")
    options.add_argument("--rows", type=int, default=50_000, help="rows a barrier")
    given = options.parse_args()
    os.environ["ROWS"] = str(given.rows)
    made = class_archive.make(jar.PATH)
    kept = str(made.parents[2])
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as empty:
        for _ in range(given.runs + 1):
            for kind in KINDS:
                with class_archive.applied({"XDG_CACHE_HOME": kept if kind == "with" else empty}):
                    query = "spark" if kind == "spark" else "view"
                    found[kind].append(process.run("start.worker", query))
    print(f"{where()}; {given.runs} runs of each, {given.rows} rows a barrier; medians, seconds\n")
    print("| until | Spark's own | a view | with the archive | × Spark's own, median of pairs |")
    print("|--|--:|--:|--:|--:|")
    for figure, said in FIGURES.items():
        times = [[run[figure] for run in found[kind]][1:] for kind in KINDS]
        ratio = median(own / ours for own, ours in zip(times[0], times[2], strict=True))
        print(f"| {said} | {' | '.join(f'{median(t):.2f}' for t in times)} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
