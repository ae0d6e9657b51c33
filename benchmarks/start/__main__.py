"""``make bench-start``: fresh processes in turns, on each Java, with and without what it learned.

A process makes a session, and keeps a view over twenty barriers of CSV, twice: the second time is
the warm one. Another one declares TPC-H's 22 views over Delta tables and fills them, by
``python -m groundswell refresh``. All ratios are of the same turn: to the first column, of seconds
and, in brackets, of processor time. Spark's own streaming aggregation stands beside. ``--apart``
takes the restart of a pipeline apart instead, see :mod:`start.apart`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from groundswell import archive, archiving, jar
from shared import process
from shared.page import where
from start.apart import compare
from tpch import lake, tables
from tpch.commands import refresh

sys.path.insert(0, str(process.BENCHMARKS.parent / "tools"))

from jdk import installed
from shared.arguments import positive_float, positive_int

FIGURES = {
    "session": "a session is there",
    "first": "its first barrier has ended, from the query on",
    "both": "both together",
    "run": "twenty barriers have ended, from the query on",
    "warm": "the same in a process that is warm",
    "tpch": "TPC-H's 22 views are declared and filled, the whole command",
}
Taken = dict[str, tuple[float, float]]


class Kind(NamedTuple):
    """A column of the table."""

    name: str
    home: Path
    trained: bool
    query: str = "view"


def kinds(spark: bool) -> list[Kind]:
    found = []
    for major, home in sorted(installed().items()):
        learned = "AOT cache" if major >= 25 else "class archive"
        found += [Kind(f"JDK {major}", home, False), Kind(f"{major}, {learned}", home, True)]
    return [*found, Kind("Spark's own", found[0].home, False, "spark")] if spark else found


def measured(kind: Kind, statements: Path) -> Taken:
    taken: Taken = process.run("start.worker", kind.query)
    session, first = taken["session"], taken["first"]
    taken["both"] = (session[0] + first[0], session[1] + first[1])
    if kind.query == "view":
        found = refresh(statements, "2g", show=False)
        taken["tpch"] = (found.whole, found.cpu)
    return taken


def show(found: dict[Kind, list[Taken]]) -> None:
    base, *others = found
    print(f"| seconds until | {' | '.join(kind.name for kind in found)} |")
    print(f"|--|{'--:|' * len(found)}")
    for figure, said in FIGURES.items():
        cells = []
        for kind, turns in found.items():
            if figure not in turns[0]:
                cells.append("")
                continue
            text = f"{median(turn[figure][0] for turn in turns):.1f}"
            if kind in others:
                pairs = list(zip(turns, found[base], strict=True))
                time, cpu = (median(a[figure][i] / b[figure][i] for a, b in pairs) for i in (0, 1))
                text += f", {time:.2f} × ({cpu:.2f})"
            cells.append(text)
        print(f"| {said} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=positive_int, default=3, help="of each kind, in turns")
    options.add_argument("--rows", type=positive_int, default=50_000, help="rows a barrier")
    options.add_argument("--scale", type=positive_float, default=0.01, help="of TPC-H's tables")
    options.add_argument("--spark", action="store_true", help="Spark's own aggregation, too")
    options.add_argument("--apart", action="store_true", help="where a restart's time goes")
    options.add_argument("--beside", type=Path, help="with --apart: another tree, with its jar")
    given = options.parse_args()
    if given.apart:
        compare(given.scale, given.runs, given.beside)
        return
    os.environ["ROWS"] = str(given.rows)
    found: dict[Kind, list[Taken]] = {kind: [] for kind in kinds(given.spark)}
    for kind in found:
        if kind.trained:
            with archive.applied({"JAVA_HOME": str(kind.home)}):
                setup = archive.setup(jar.PATH)
                assert setup is not None
                print(f"{kind.name}: {archiving.make(setup)}", flush=True)
    learned = str(archive.cache().parent)
    with tempfile.TemporaryDirectory() as made:
        work, empty = Path(made), Path(made) / "empty"
        lake.write(work / "lake", tables.generate(given.scale))
        for turn in range(given.runs):
            for at, kind in enumerate(found):
                location = work / f"views-{turn}-{at}"
                statements = work / f"{turn}-{at}.sql"
                statements.write_text(lake.statements(work / "lake", location))
                cache = learned if kind.trained else str(empty)
                with archive.applied({"JAVA_HOME": str(kind.home), "XDG_CACHE_HOME": cache}):
                    found[kind].append(measured(kind, statements))
                said = {name: round(taken[0], 2) for name, taken in found[kind][-1].items()}
                print(f"{kind.name}: {said}", flush=True)
            print(f"\n{where()}; {turn + 1} turns, {given.rows} rows a barrier; medians\n")
            show(found)


if __name__ == "__main__":
    main()
