"""Each cell: a process of its own that runs one query with one state store.

Nothing here fails for being slow; stores that end with another number of rows fail.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from queries.report import Cell, Results
from queries.workload import WORKLOADS

BENCHMARKS = Path(__file__).resolve().parents[1]
LIMIT = 3600


def test_query(
    name: str, mode: str, provider: str, benchmark: Any, data: list[Path], results: Results
) -> None:
    benchmark.group = f"{WORKLOADS[name].label}, {mode}"
    done = benchmark.pedantic(lambda: work(name, provider, mode, *map(str, data)))
    results.add(name, mode, provider, Cell(**done))
    others = {c.state_rows for (n, _, _), c in results.cells.items() if n == name}
    assert len(others) == 1, f"state rows differ between stores: {others}"


def work(*arguments: str) -> dict[str, Any]:
    """Runs a worker; what it printed last."""
    command = [sys.executable, "-m", "queries.worker", *arguments]
    paths = [str(BENCHMARKS.parent / "python"), str(BENCHMARKS)]
    ran = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    for line in ran.stdout.splitlines():
        if line.startswith("RESULT "):
            found: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
            return found
    pytest.fail(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr[-3000:]}")
