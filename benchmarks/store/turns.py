"""``make bench-store-turns``: one figure of several stores, their processes taking turns.

Each variant loads a store of its own (or finds it in ``--folder``, from an earlier run). Then all
processes run at once and get one round each in turn, so what else the machine does meets all of
them. Wall and processor time by operation are shown as least, median and greatest of the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from shared.arguments import positive_int
from store import worker
from store.cases import OURS, ROCKSDB, SAME_FILES, Provider
from store.stores import BATCH

SETTING = "spark.sql.streaming.stateStore.groundswell."


class Turns(NamedTuple):
    """What rounds took, in microseconds by operation."""

    cpu: list[float]
    wall: list[float]
    commits: list[float]
    """Milliseconds by commit; empty if the figure does not write."""


def variant(text: str) -> Provider:
    """A provider by name: ``rocksdb``, or ``groundswell`` with settings as ``,blockBytes=2048``.

    Raises:
        ValueError: neither of these.
    """
    name, *settings = text.split(",")
    if name == ROCKSDB.name and not settings:
        return Provider(text, ROCKSDB.label, {**ROCKSDB.confs, **SAME_FILES.for_others})
    if name != OURS.name or not all("=" in setting for setting in settings):
        raise ValueError(
            f"unknown variant {text!r}; expected 'rocksdb', or 'groundswell' with settings as in "
            "'groundswell,blockBytes=2048'"
        )
    pairs = (setting.split("=", 1) for setting in settings)
    return Provider(text, OURS.label, {**OURS.confs, **{SETTING + k: v for k, v in pairs}})


def load(folder: Path, provider: Provider, rows: int, heap: str) -> None:
    """Loads a store, unless it is there."""
    if not folder.is_dir():
        with worker.Worker("load", str(folder), rows, 0, provider.confs, heap) as process:
            process.round()


def turns(processes: Sequence[worker.Worker], rounds: int, warm: int) -> list[Turns]:
    """Gives each process one round in turn; the first ones only warm them up."""
    found = [Turns([], [], []) for _ in processes]
    before = [0] * len(processes)
    for number in range(-warm, rounds):
        for place in range(len(processes)):
            i = (place + number) % len(processes)
            done = processes[i].round()
            cpu, before[i] = done.cpu_nanos - before[i], done.cpu_nanos
            if number >= 0:
                found[i].cpu.append(cpu / done.operations / 1e3)
                found[i].wall.append(done.nanos / done.operations / 1e3)
                found[i].commits.extend(nanos / 1e6 for nanos in done.commit_nanos)
    return found


def spread(values: Sequence[float]) -> str:
    """Least, median, greatest."""
    return f"{min(values):.2f}, {statistics.median(values):.2f}, {max(values):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figure", default="get-present", help="as the worker calls it")
    parser.add_argument("--variants", nargs="+", type=variant, default=[OURS, variant("rocksdb")])
    parser.add_argument("--rows", type=positive_int, default=10_000_000)
    parser.add_argument("--rounds", type=positive_int, default=30)
    parser.add_argument("--warm", type=int, default=20, help="rounds that do not count")
    parser.add_argument("--heap", default="2g")
    parser.add_argument("--folder", type=Path, help="where the loaded stores stay")
    args = parser.parse_args()
    worker.compile_classes()
    version = -(-args.rows // BATCH)
    with ExitStack() as stack:
        root = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        processes = []
        for provider in args.variants:
            folder = root / provider.name
            load(folder, provider, args.rows, args.heap)
            started = worker.Worker(
                args.figure, str(folder), args.rows, version, provider.confs, args.heap
            )
            processes.append(stack.enter_context(started))
        print("| variant | CPU µs an operation | wall µs | commit ms |\n|--|--|--|--|")
        for provider, took in zip(
            args.variants, turns(processes, args.rounds, args.warm), strict=True
        ):
            commits = spread(took.commits) if took.commits else ""
            print(f"| {provider.name} | {spread(took.cpu)} | {spread(took.wall)} | {commits} |")


if __name__ == "__main__":
    main()
