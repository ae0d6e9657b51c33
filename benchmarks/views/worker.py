"""One engine, one query, in a process of its own; says as JSON what it measured.

Cold: the first query of a fresh process. Warm: the same query again, on all data, after it has run
on a small input in this process.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from nexmark.queries import QUERIES
from shared import process
from shared.session import peak_memory, session
from views import engines


def main(engine: str, name: str, data: str, small: str, memory: str) -> None:
    """Runs cold on the small input and warm on the large one, prints what that took."""
    spark = session("views", {"spark.driver.memory": memory})
    query, run = QUERIES[name], engines.ENGINES[engine]
    said: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="views-") as folder:
        cold = run(spark.newSession(), query, Path(small), Path(folder) / "small")
        said["cold_seconds"] = cold.seconds
        work = Path(folder) / "large"
        warm = run(spark.newSession(), query, Path(data), work)
        said |= {"seconds": warm.seconds, "barriers": warm.barriers, "state": warm.state}
        said["peak_memory"] = peak_memory(spark)
        if engine == "ours":
            said["differences"] = engines.differences(spark.newSession(), query, Path(data), work)
    process.tell(said)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
