"""One view over rows that come in one barrier or in several, in a heap of fixed size."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import groundswell as gs
from large import inputs
from shared import process
from shared.digest import digest
from shared.session import peak_memory, pid, session, size
from views.engines import durations


def main(name: str, data: str, memory: str) -> None:
    """Runs the case to its end; says what it took, and whether batch Spark has the same rows."""
    spark = session("large", {"spark.driver.memory": memory})
    case = inputs.CASES[name]
    with tempfile.TemporaryDirectory(prefix="large-") as folder:
        location = str(Path(folder) / "view")
        case.streams(spark, Path(data))
        before, began = process.cpu_seconds(pid(spark)), time.perf_counter()
        run = (
            spark.sql(case.sql)
            .incremental()  # type: ignore[operator]
            .writeStream.trigger(availableNow=True)
            .option("checkpointLocation", location)
            .toView("answer")
        )
        run.awaitTermination()
        seconds = time.perf_counter() - began
        said: dict[str, Any] = {
            "seconds": seconds,
            "cpu": process.cpu_seconds(pid(spark)) - before,
            "peak": peak_memory(spark),
            "barriers": len(durations(run._query)),
            "disk": size(Path(location)),
        }
        found = digest(gs.read_view(spark, location, "answer"))
        batch = spark.newSession()
        case.tables(batch, Path(data))
        said |= {"rows": found[0], "equal": found == digest(batch.sql(case.sql))}
    process.tell(said)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
