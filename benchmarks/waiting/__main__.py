"""``make bench-waiting``: what tasks of barriers wait for, reading files and one Kafka broker.

A task's time is processor time, time in which it waits for a core or for the garbage collector,
and the rest: waiting for its source, and for locks. Reading ahead of a barrier can win no more than
the rest. Each cell is a process of its own that has run the query on 20,000 events before.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from peers import data
from peers.inputs import Files, Input, topics
from peers.queries import QUERIES
from shared import process
from shared.arguments import positive_int
from shared.names import named
from systems.servers import MissingError

SOURCES = ("files", "kafka")
SMALL = 20_000, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", default="totals,q3,q20", help="names, with commas between")
    parser.add_argument("--sources", default=",".join(SOURCES), help="files, kafka")
    parser.add_argument("--events", type=positive_int, default=1_000_000, help="in all (1,000,000)")
    parser.add_argument("--barriers", type=positive_int, default=20, help="they come in (20)")
    args = parser.parse_args()
    names = named(parser.error, "queries", args.queries, QUERIES)
    sources = named(parser.error, "sources", args.sources, SOURCES)
    with tempfile.TemporaryDirectory(prefix="waiting-") as home:
        folders = {"large": Path(home) / "large", "small": Path(home) / "small"}
        data.write(folders["large"], args.events, args.barriers)
        data.write(folders["small"], *SMALL)
        print("| source | query | tasks (s) | CPU (s) | for a core (s) | GC (s) | rest (s) | % |")
        print("|--|--|--:|--:|--:|--:|--:|--:|", flush=True)
        for source in sources:
            try:
                with inputs(source, folders) as at:
                    for name in names:
                        cell(source, name, at)
            except MissingError as error:
                raise SystemExit(f"error: {error}") from None


@contextmanager
def inputs(source: str, folders: Mapping[str, Path]) -> Iterator[Mapping[str, Input]]:
    """The large input and the small one, as long as the block runs."""
    if source == "kafka":
        with topics(folders) as sent:
            yield sent
    else:
        yield {name: Files(str(folder)) for name, folder in folders.items()}


def cell(source: str, name: str, at: Mapping[str, Input]) -> None:
    """Prints the line of one query."""
    said = process.measured("waiting.worker", name, str(at["large"]), str(at["small"]))
    rest = max(0.0, said["run"] - said["cpu"] - said["delay"] - said["collecting"])
    print(
        f"| {source} | {name} | {said['run']:.2f} | {said['cpu']:.2f} | {said['delay']:.2f} "
        f"| {said['collecting']:.2f} | {rest:.2f} | {100 * rest / said['run']:.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
