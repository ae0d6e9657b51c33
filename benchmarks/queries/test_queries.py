"""Each cell: a process of its own that runs one query with one state store.

Nothing here fails for being slow; stores that end with another number of rows fail.
"""

from pathlib import Path
from typing import Any

from queries.report import Cell, Results
from queries.workload import WORKLOADS
from shared import process


def test_query(
    name: str, mode: str, provider: str, benchmark: Any, data: list[Path], results: Results
) -> None:
    benchmark.group = f"{WORKLOADS[name].label}, {mode}"
    done = benchmark.pedantic(
        lambda: process.run("queries.worker", name, provider, mode, *map(str, data))
    )
    results.add(name, mode, provider, Cell(**done))
    others = {c.state_rows for (n, _, _), c in results.cells.items() if n == name}
    assert len(others) == 1, f"state rows differ between stores: {others}"
