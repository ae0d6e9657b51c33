"""A view into a Delta table that does not hold all of its rows; the process dies where it is told.

Run as ``python refusing.py FOLDER ON_FAILURE``; every input file is one barrier. Prints the rows
that were set aside.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sinks.workload import put, session

SCHEMA = "id int, n bigint, gone boolean"
BIG = 3_000_000_000
BARRIERS: list[list[tuple[int, int | None]]] = [
    [(1, 1), (2, 2)],
    [(1, BIG), (3, 3), (4, BIG + 4)],
    [(2, 20), (5, BIG + 5)],
    [(1, BIG + 1), (3, BIG + 3), (6, 6)],
    [(1, 11), (5, None)],
    [(3, 33), (4, 44), (7, 7)],
]
"""Ids with their new numbers; None: the row is deleted. At the end every row fits."""


def prepare(folder: Path, first: int, last: int) -> None:
    """Gives the input of some barriers."""
    for number in range(first, last):
        rows = [{"id": i, "n": n or 0, "gone": n is None} for i, n in BARRIERS[number]]
        put(folder, number, rows)


def rows(barriers: int) -> dict[int, int]:
    """The view after some barriers."""
    view: dict[int, int] = {}
    for barrier in BARRIERS[:barriers]:
        for i, n in barrier:
            if n is None:
                view.pop(i, None)
            else:
                view[i] = n
    return view


def refused(barriers: int) -> set[tuple[int, int, int]]:
    """Epoch, id and number of every row that did not fit when it came."""
    return {
        (epoch, i, n)
        for epoch, barrier in enumerate(BARRIERS[:barriers])
        for i, n in barrier
        if n is not None and n >= BIG
    }


def main(folder: Path, on_failure: str) -> None:
    import groundswell as gs

    spark = session()
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    source = gs.upserts(stream.json(str(folder / "orders")), key="id", delete="gone", name="t")
    p = gs.pipeline(spark, str(folder / "checkpoint"))
    p.view("v", source.select("id", "n"))
    given = {"narrowing": "fail", "key": "id", "on_failure": on_failure}
    p.sink("out", "v", "delta", path=str(folder / "out"), **given)
    query = p.start()
    query.processAllAvailable()
    stopped = query.status["sinks"]["out"]["stopped"]
    query.stop()
    aside = gs.rows_aside(str(folder / "checkpoint"), "out")
    print("result", json.dumps({"aside": aside, "stopped": stopped}))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
