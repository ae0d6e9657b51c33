"""``make bench-store-beside``: the store of two trees, in turns, by the processor time of each JVM.

Each turn loads a store of one tree and runs figures on it in processes of their own, then does the
same with the other tree. The machine may be loaded: processor time counts, and the least of all
turns, for other work only ever adds to it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from shared.arguments import positive_int

ROOT = Path(__file__).resolve().parents[2]
TURN = """
import json, sys, tempfile
from store.cases import OURS
from store.worker import Worker
rows, found = int(sys.argv[1]), {}
with tempfile.TemporaryDirectory() as folder:
    for name in ["load", *(name for name in sys.argv[2:] if name != "load")]:
        version = 0 if name == "load" else -(-rows // 20_000)
        warm = f"{folder}/warm-{name}"
        with Worker(name, f"{folder}/store", rows, version, OURS.confs, "1g", warm) as worker:
            rounds = [worker.round() for _ in range(1 if name == "load" else 20)]
        found[name] = rounds[-1].cpu_nanos / sum(each.operations for each in rounds)
print(json.dumps(found))
"""


FIGURES = ("load", "get-present", "get-absent", "update")


def turn(tree: Path, rows: int, figures: Sequence[str]) -> dict[str, float]:
    """Nanoseconds of processor time by operation, of one tree."""
    done = subprocess.run(
        [sys.executable, "-c", TURN, str(rows), *figures],
        cwd=tree,
        env=_paths(tree),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _paths(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{tree}/python:{tree}/benchmarks"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="the other tree, with its jar")
    parser.add_argument("--rows", type=positive_int, default=200_000)
    parser.add_argument("--figures", nargs="*", choices=FIGURES, default=FIGURES)
    parser.add_argument("--turns", type=positive_int, default=5)
    args = parser.parse_args()
    trees = {"base": args.base.resolve(), "now": ROOT}
    for tree in trees.values():
        compiled = "from store.worker import compile_classes; compile_classes()"
        subprocess.run([sys.executable, "-c", compiled], cwd=tree, env=_paths(tree), check=True)
    found: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in trees}
    for number in range(args.turns):
        for name in list(trees) if number % 2 else list(trees)[::-1]:
            for figure, nanos in turn(trees[name], args.rows, args.figures).items():
                found[name][figure].append(nanos)
        print(f"after turn {number + 1} of {args.turns}")
        show(found)


def show(found: dict[str, dict[str, list[float]]]) -> None:
    """The least of all turns so far."""
    print(f"{'ns of processor time by row':30}{'base':>10}{'now':>10}{'ratio':>8}")
    for figure in found["now"]:
        base, now = (min(found[name][figure]) for name in ("base", "now"))
        print(f"{figure:30}{base:10.0f}{now:10.0f}{now / base:8.3f}", flush=True)


if __name__ == "__main__":
    main()
