"""Each cell: a process of its own that runs one query under one engine, small and then whole.

Nothing here fails for being slow; a view that differs from its query fails.
"""

from pathlib import Path
from typing import Any

import pytest

from nexmark.queries import QUERIES
from shared import process
from views.report import Cell, Results


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
    limit = pytestconfig.getoption("--limit")
    done = benchmark.pedantic(lambda: work(engine, query, *map(str, data), heap, str(limit)))
    if "refused" in done:
        results.add(query, engine, Cell(refused=done["refused"]))
        pytest.skip(done["refused"])
    same = done.pop("equal", True)
    if pytestconfig.getoption("--cold"):
        done["cold_seconds"] = work(engine, query, str(data[0]), "", heap, str(limit))["seconds"]
    results.add(query, engine, Cell(**done))
    assert same, "the view differs from its query"


def test_change_of_one_percent(
    base_query: str,
    benchmark: Any,
    base: tuple[Path, Path],
    results: Results,
    pytestconfig: pytest.Config,
) -> None:
    """The base comes in the first barrier; what follows is timed."""
    benchmark.group = f"{base_query}, a change of 1 %"
    heap, limit = pytestconfig.getoption("--heap"), str(pytestconfig.getoption("--limit"))

    def both() -> dict[str, list[float]]:
        engines = ("ours", "recompute")
        done = {
            engine: work(engine, base_query, *map(str, base), heap, limit) for engine in engines
        }
        assert done["ours"]["equal"], "the view differs from its query"
        return {engine: done[engine]["barriers"][1:] for engine in engines}

    took = benchmark.pedantic(both)
    results.changes[base_query] = (took["ours"], took["recompute"])


def work(*arguments: str) -> dict[str, Any]:
    """Runs a worker; what it told, or why the query was refused."""
    try:
        return process.run("views.worker", *arguments, limit=2 * process.LIMIT)
    except process.WorkerError as failed:
        for kind in ("NotIncremental: ", "AnalysisException: "):
            if kind in failed.said:
                return {"refused": failed.said.rsplit(kind, 1)[1].splitlines()[0][:200]}
        raise
