"""Each cell: a process of its own that runs one query under one engine, small and then whole.

Nothing here fails for being slow; a view that differs from its query fails.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nexmark.queries import QUERIES
from views.report import Cell, Results

BENCHMARKS = Path(__file__).resolve().parents[1]
LIMIT = 3600


def test_view(
    query: str,
    engine: str,
    benchmark: Any,
    data: tuple[Path, Path],
    results: Results,
    pytestconfig: pytest.Config,
) -> None:
    if engine == "native" and QUERIES[query].native == "":
        results.add(query, engine, Cell(refused="refused"))
        pytest.skip("Spark's own streaming refuses this query")
    benchmark.group = query
    heap = pytestconfig.getoption("--heap")
    done = benchmark.pedantic(lambda: work(engine, query, *map(str, data), heap))
    if "refused" in done:
        results.add(query, engine, Cell(refused=done["refused"]))
        pytest.skip(done["refused"])
    assert done.pop("differences", 0) == 0, "the view differs from its query"
    results.add(query, engine, Cell(**done))


def work(*arguments: str) -> dict[str, Any]:
    """Runs a worker; what it printed last, or why the query was refused."""
    command = [sys.executable, "-m", "views.worker", *arguments]
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
    for kind in ("NotIncremental: ", "AnalysisException: "):
        if kind in ran.stderr:
            return {"refused": ran.stderr.rsplit(kind, 1)[1].splitlines()[0][:200]}
    raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr[-3000:]}")
