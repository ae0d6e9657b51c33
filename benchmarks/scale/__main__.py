"""``make bench-scale``: what a barrier costs with many partitions and many views.

Each cell of the grid is a process of its own. ``--base FOLDER`` names another tree of this project
(``git worktree add FOLDER COMMIT``, then ``make jar`` there): it runs beside this one, cell by
cell, as *before*. Goals stand beside what they are about.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from scale import manifests, sizing
from scale.model import Cell
from shared import process
from shared.arguments import positive_int
from shared.process import BENCHMARKS

PLACES = ("2x1", "4x2", "16x4")
GRID = "2x1,16x1,2x16,16x16,64x16"
ROWS = [
    ("empty: wall ms", "empty", "wall"),
    ("empty: CPU ms, driver", "empty", "driver"),
    ("empty: CPU ms, tasks", "empty", "tasks"),
    ("1,000 rows: wall ms", "full", "wall"),
    ("1,000 rows: CPU ms, driver", "full", "driver"),
    ("1,000 rows: CPU ms, tasks", "full", "tasks"),
    ("1,000 rows: objects", "full", "objects"),
    ("empty: objects", "empty", "objects"),
    ("manifest bytes", "full", "manifest"),
]


def cell(tree: Path, size: str, args: argparse.Namespace) -> dict[str, Any]:
    """What one process measured with the Python and the jar of a tree."""
    partitions, views = size.split("x")
    numbers = [partitions, views, *map(str, (args.barriers, args.warm, args.rows))]
    return process.measured("scale.worker", *numbers, tree=tree)


def cell_of(wanted: Cell, args: argparse.Namespace) -> dict[str, Any]:
    """The same for a cell of the model."""
    asked = argparse.Namespace(**{**vars(args), "rows": wanted.rows})
    return cell(BENCHMARKS.parent, f"{wanted.partitions}x{wanted.views}", asked)


def shown(found: dict[str, Any] | None, kind: str, figure: str) -> str:
    """Median, and the greatest in brackets."""
    if found is None:
        return "-"
    values = [
        b[figure]
        for b in found["barriers"]
        if b["full"] == (kind == "full") and b.get(figure) is not None
    ]
    return f"{median(values):,.0f} ({max(values):,.0f})" if values else "-"


def compiled(found: dict[str, Any] | None) -> str:
    """Mean CPU of compilers and collectors a barrier."""
    if found is None:
        return "-"
    used = [b["compiling"] + b["collecting"] for b in found["barriers"]]
    return f"{sum(used) / len(used):,.0f}"


def show_greatest(found: dict[str, Any], count: int) -> None:
    """What the longest barriers did: CPU by kind of thread, and how long their parts took."""
    cpu = ("driver", "tasks", "retiring", "compiling", "collecting")
    print(f"\n| epoch | rows | wall ms | {' | '.join(cpu)} | parts, ms |")
    print(f"|--:|--|--:|{'--:|' * len(cpu)}--|")
    for full in (False, True):
        of_kind = [b for b in found["barriers"] if b["full"] == full]
        for b in sorted(of_kind, key=lambda b: -b["wall"])[:count]:
            used = " | ".join(f"{b[kind]:,.0f}" for kind in cpu)
            parts = ", ".join(f"{k} {v:,.0f}" for k, v in b["parts"].items() if v >= 1)
            print(f"| {b['epoch']} | {full} | {b['wall']:,.0f} | {used} | {parts} |")


def goal(figure: str, kind: str, size: str, smallest: dict[str, Any] | None) -> str:
    """What is wanted there."""
    if size == "64x16" and figure == "wall":
        return "max ≤ 3 × median"
    if size == "64x16" and kind == "empty" and figure in ("driver", "tasks") and smallest:
        return f"≤ 2 × 2x1: {shown(smallest, kind, figure)}"
    if size == "64x16" and kind == "full" and figure in ("driver", "tasks"):
        return "≤ 500 together"
    if kind == "empty" and figure == "objects":
        return "1"
    return ""


def show_places(args: argparse.Namespace) -> None:
    """Two executors, of which one is killed in the middle."""
    trees = [args.base.resolve()] if args.base else []
    print("| partitions x views | tree | | written | where it is open | goal | barrier, ms |")
    print("|--|--|--|--:|--:|--:|--:|")
    for size in PLACES:
        for tree in [*trees, BENCHMARKS.parent]:
            found = process.run("scale.places", *size.split("x"), str(args.barriers), tree=tree)
            for kind, told in (("steady", "steady"), ("after", "one executor is new")):
                each = found[kind]
                hits = f"{each['hits']:.1%}" if each["written"] else "-"
                print(
                    f"| {size} | {'after' if tree == BENCHMARKS.parent else 'before'} | {told} "
                    f"| {each['written']:,} | {hits} | ≥ 95 % | {each['millis']:,.0f} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", default=GRID, help=f"partitions x views ({GRID})")
    parser.add_argument("--barriers", type=positive_int, default=50, help="half of them empty (50)")
    parser.add_argument("--warm", type=int, default=14, help="of these, not counted (14)")
    parser.add_argument(
        "--rows", type=positive_int, default=1000, help="a barrier that has some (1000)"
    )
    parser.add_argument("--manifests", action="store_true", help="only what epochs' documents cost")
    parser.add_argument(
        "--model", action="store_true", help="unit costs, and what larger clusters would take"
    )
    parser.add_argument(
        "--places", action="store_true", help="on two executors: what is done where it is open"
    )
    parser.add_argument(
        "--greatest", type=int, default=0, help="so many of the longest barriers one by one (0)"
    )
    parser.add_argument("--base", type=Path, help="another tree, to be set beside this one")
    args = parser.parse_args()
    if args.manifests:
        manifests.main()
        return
    if args.model:
        raise SystemExit(sizing.main(lambda c: cell_of(c, args)))
    if args.places:
        show_places(args)
        return
    print("median (greatest) of each figure; compiling and collecting garbage apart", flush=True)
    smallest: dict[str, Any] | None = None
    for size in args.grid.split(","):
        before = cell(args.base.resolve(), size, args) if args.base else None
        after = cell(BENCHMARKS.parent, size, args)
        smallest = smallest or after
        print(f"\n| {size} | before | after | goal |\n|--|--:|--:|--|")
        for name, kind, figure in ROWS:
            told = goal(figure, kind, size, smallest)
            both = f"{shown(before, kind, figure)} | {shown(after, kind, figure)}"
            print(f"| {name} | {both} | {told} |")
        jit = f"{compiled(before)} | {compiled(after)}"
        print(f"| CPU ms a barrier, compiling and collecting | {jit} | |")
        late = f"{before['behind'] if before else '-'} | {after['behind']}"
        print(f"| versions that deletes are behind at the end | {late} | ≤ 20 |")
        retire = " | ".join(str(f["retire"]) if f and f["retire"] else "-" for f in (before, after))
        print(f"| retirement, as the last barrier tells | {retire} | |", flush=True)
        if args.greatest:
            show_greatest(after, args.greatest)


if __name__ == "__main__":
    main()
