"""One engine, one query, in a process of its own; says as JSON what it measured.

Of ours it says what each barrier used, too, and whether the view equals batch Spark's result.

Warm: after the same query has run on a small input in this process. Cold, if there is no small
input: the first query of a fresh process.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from nexmark.queries import QUERIES
from shared import process
from shared.session import peak_memory, pid, session
from views import engines
from views.samples import Samples


def main(engine: str, name: str, data: str, small: str, memory: str, limit: str) -> None:
    """Runs on the small input, if any, then on the large one, and says what the latter took."""
    spark = session("views", {"spark.driver.memory": memory})
    query, run = QUERIES[name], engines.ENGINES[engine]
    said: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="views-") as folder:
        if small:
            run(spark.newSession(), query, Path(small), Path(folder) / "small", int(limit))
        work = Path(folder) / "large"
        samples = Samples(spark)
        samples.begin(work)
        before = process.cpu_seconds(pid(spark))
        done = run(spark.newSession(), query, Path(data), work, int(limit))
        said |= {"seconds": done.seconds, "barriers": done.barriers, "state": done.state}
        said["done"] = done.done
        said["cpu"] = process.cpu_seconds(pid(spark)) - before
        said["series"] = samples.series
        said["peak_memory"] = peak_memory(spark)
        if engine == "ours" and small:
            fresh = spark.newSession()
            said["equal"] = engines.equal(fresh, query, Path(data), work, done.done)
    process.tell(said)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
