"""``make bench-start``: fresh processes with and without the archive of classes, in turns."""

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
    "first": "the first barrier",
    "twenty": "the first twenty barriers",
    "run": "from the query to the end of twenty barriers",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5, help="of each kind, after one that warms")
    options.add_argument("--rows", type=int, default=50_000, help="rows a barrier")
    given = options.parse_args()
    os.environ["ROWS"] = str(given.rows)
    made = class_archive.make(jar.PATH)
    kept = str(made.parents[2])
    found: dict[str, list[dict[str, float]]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as empty:
        for _ in range(given.runs + 1):
            for kind, cache in (("without", empty), ("with", kept)):
                with class_archive.applied({"XDG_CACHE_HOME": cache}):
                    found[kind].append(process.run("start.worker"))
    print(f"{where()}; {given.runs} runs of each, {given.rows} rows a barrier; medians, seconds\n")
    print("| until | without | with the archive | ratio of pairs |\n|--|--|--|--|")
    for figure, said in FIGURES.items():
        pairs = [(a[figure], b[figure]) for a, b in zip(*found.values(), strict=True)][1:]
        without, with_ = median(a for a, _ in pairs), median(b for _, b in pairs)
        ratio = median(a / b for a, b in pairs)
        print(f"| {said} | {without:.2f} | {with_:.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
