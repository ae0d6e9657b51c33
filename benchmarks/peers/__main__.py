"""``make bench-peers``: the table, and the answers compared."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from peers import data, dbsp_engine
from peers.inputs import Files, Input, topics
from peers.queries import QUERIES
from shared import page, process
from shared.arguments import positive_int
from shared.names import named
from systems.jars import jars
from systems.servers import MissingError

SMALL, SMALL_BARRIERS = 20_000, 4
SOURCES = {"files": "lines of JSON in files", "kafka": "messages of JSON from one Kafka broker"}
FLINK_KAFKA = "org.apache.flink:flink-sql-connector-kafka:5.0.0-2.2"
"""Flink's package for Kafka; none is released for 2.3 yet."""


class Engine(NamedTuple):
    """How to run one; ``python`` names the option with its interpreter.

    ``queries`` are those that it is asked; all unless named.
    """

    label: str
    module: str
    python: str | None = None
    arguments: tuple[str, ...] = ()
    queries: tuple[str, ...] = tuple(QUERIES)


ENGINES = {
    "ours": Engine("groundswell, durable each barrier", "peers.ours"),
    "flink": Engine("Flink, heap, no checkpoints", "peers.flink", "flink", ("heap",)),
    "flink-rocksdb": Engine("Flink, RocksDB, checkpoints", "peers.flink", "flink", ("rocksdb",)),
    "pathway": Engine("Pathway, not persisted", "peers.pathway_engine", "pathway"),
    "dbsp": Engine("Feldera's dbsp, in memory", "peers.dbsp_engine", queries=dbsp_engine.QUERIES),
}


def main() -> None:
    """Prints the table."""
    options = parsed()
    load = os.getloadavg()[0]
    try:
        cells = measured(options)
    except MissingError as e:
        raise SystemExit(f"error: {e}") from None
    cold = "the same in a fresh process" if options.cold else "that first run"
    head = (
        f"{options.events:,} events in {options.barriers} barriers, {SOURCES[options.source]}, "
        f"seconds warm (cold): after the same query on {SMALL:,} events in the same process "
        f"({cold}). Reading alone, of the same columns into nothing, comes after it, in the order "
        f"of the engines. {page.where()}, "
        f"Flink 2.3, Pathway 0.33; load average {load:.1f} before the run."
    )
    text = "\n".join([head, "", *table(cells)])
    print(text)
    if options.write:
        page.FOLDER.mkdir(parents=True, exist_ok=True)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        (page.FOLDER / "peers.md").write_text(f"Run of {today}. {text}\n", "utf-8")


def measured(options: argparse.Namespace) -> dict[tuple[str, str], dict[str, Any]]:
    """Runs every query under every engine, each in a process of its own.

    Raises:
        MissingError: no broker, or no connector of Flink's, can be had.
    """
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    with events(options) as inputs:
        large, small = str(inputs["large"]), str(inputs["small"])
        for query in options.queries:
            for name in options.engines:
                engine = ENGINES[name]
                if query not in engine.queries:
                    continue
                said = run(engine, options, query, large, small)
                if options.cold:
                    said |= run(engine, options, query, large, "")
                cells[query, name] = said
                print(f"{query} {name}: {said['seconds']:.1f} s ({said['cold']:.1f})", flush=True)
            compare(query, {n: c for (q, n), c in cells.items() if q == query})
    return cells


@contextmanager
def events(options: argparse.Namespace) -> Iterator[Mapping[str, Input]]:
    """The ``large`` input and the ``small`` one, as long as the block runs."""
    many = {"large": (options.events, options.barriers), "small": (SMALL, SMALL_BARRIERS)}
    with tempfile.TemporaryDirectory(prefix="peers-") as home:
        folders = {name: Path(home) / name for name in many}
        for name, folder in folders.items():
            data.write(folder, *many[name])
        if options.source == "kafka":
            connector()
            with topics(folders) as inputs:
                yield inputs
        else:
            yield {name: Files(str(folder)) for name, folder in folders.items()}


def run(
    engine: Engine, options: argparse.Namespace, query: str, large: str, small: str
) -> dict[str, Any]:
    """What a process of its own tells of one query; the large input cold if there is no small."""
    python = getattr(options, engine.python) if engine.python else sys.executable
    arguments = (options.dbsp,) if engine.module == "peers.dbsp_engine" else engine.arguments
    if engine.module == "peers.flink" and options.source == "kafka":
        arguments += (connector(),)
    return process.run(engine.module, query, large, small, *arguments, python=python)


def connector() -> str:
    """The jar of Flink's package for Kafka."""
    return str(next(Path(jars(FLINK_KAFKA)).parent.glob("flink-sql-connector-kafka-*.jar")))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-peers ARGS='...'")
    parser.add_argument("--events", type=positive_int, default=1_000_000, help="in all (1,000,000)")
    parser.add_argument("--barriers", type=positive_int, default=20, help="they come in (20)")
    parser.add_argument("--source", choices=SOURCES, default="files", help="what all read (files)")
    parser.add_argument("--queries", default=",".join(QUERIES), help="names")
    usual = ",".join(name for name in ENGINES if name != "dbsp")
    parser.add_argument("--engines", default=usual, help=f"names, of {', '.join(ENGINES)}")
    parser.add_argument("--cold", action="store_true", help="whole runs in fresh processes, too")
    parser.add_argument("--flink", help="an interpreter that has apache-flink")
    parser.add_argument("--pathway", help="an interpreter that has pathway")
    parser.add_argument("--dbsp", help="a Cargo target folder with the program of peers/dbsp")
    parser.add_argument("--write", action="store_true", help="also to benchmarks/results/peers.md")
    options = parser.parse_args()
    options.queries = named(parser.error, "queries", options.queries, QUERIES)
    options.engines = named(parser.error, "engines", options.engines, ENGINES)
    if options.events < options.barriers:
        parser.error(f"--events {options.events} do not fill --barriers {options.barriers}")
    if "dbsp" in options.engines and options.source != "files":
        parser.error("dbsp reads files only: leave it out of --engines, or take --source files")
    if "dbsp" in options.engines and not options.dbsp:
        parser.error("dbsp needs --dbsp <target folder>; make bench-dbsp gives it")
    for name in options.engines:
        needed = ENGINES[name].python
        if needed and not getattr(options, needed):
            parser.error(f"{name} needs --{needed} <interpreter>; make bench-peers gives it")
    return options


def compare(query: str, cells: dict[str, dict[str, Any]]) -> None:
    """Ends the run if an engine's rows of the small input are not batch Spark's."""
    if "ours" not in cells:
        return
    expected = bag(cells["ours"]["expected"])
    for name, said in cells.items():
        found = bag(said["answer"])
        if found != expected:
            odd = [*(found - expected), *(expected - found)][:3]
            raise SystemExit(f"{query}: {name} differs from batch Spark, for one in {odd}")


def bag(rows: list[list[Any]]) -> Counter[tuple[str, ...]]:
    """Rows as text; averages to nine digits, as engines add up in other orders."""
    return Counter(tuple(text(value) for value in row) for row in rows)


def text(value: Any) -> str:
    plain = str(value)
    return f"{float(plain):.9g}" if "." in plain.strip(".") and number(plain) else plain


def number(plain: str) -> bool:
    try:
        float(plain)
    except ValueError:
        return False
    return True


def table(cells: dict[tuple[str, str], dict[str, Any]]) -> Iterator[str]:
    """Markdown: a line a query, an engine a column, ours as 1."""
    engines = list(dict.fromkeys(name for _, name in cells))
    others = [name for name in engines if name != "ours"] if "ours" in engines else []
    heads = [*(ENGINES[n].label for n in engines), *(f"× {n}" for n in others)]
    heads += ["reading alone, s", "peak memory, GB"]
    yield "| | " + " | ".join(heads) + " |"
    yield "|--|" + "--:|" * len(heads)
    for query in dict.fromkeys(query for query, _ in cells):
        row = {name: cells.get((query, name)) for name in engines}
        ours = row.get("ours")
        shown = [f"{c['seconds']:.1f} ({c['cold']:.1f})" if c else "" for c in row.values()]
        shown += [ratio(row[name], ours) for name in others]
        shown.append(" / ".join(f"{c['reading']:.1f}" if c else "" for c in row.values()))
        shown.append(" / ".join(f"{c['memory'] / 1e9:.1f}" if c else "" for c in row.values()))
        yield f"| {query} | " + " | ".join(shown) + " |"


def ratio(other: dict[str, Any] | None, ours: dict[str, Any] | None) -> str:
    return f"{other['seconds'] / ours['seconds']:.2f}" if other and ours else ""


if __name__ == "__main__":
    main()
