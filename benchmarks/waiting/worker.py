"""One query, small and then large; says what the tasks of the large run took, and waited."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from peers import ours
from peers.inputs import Topics, parsed
from peers.queries import QUERIES
from shared import process
from shared.session import pid, session
from systems.jars import connector


def main(name: str, large: str, small: str) -> None:
    """Seconds of all tasks.

    ``run``: in all; ``cpu``: of the processor; ``collecting``: while the JVM collected garbage;
    ``delay``: waiting for a core.
    """
    query, much = QUERIES[name], parsed(large)
    with tempfile.TemporaryDirectory(prefix="waiting-") as folder:
        home = Path(folder)
        logs = home / "logs"
        logs.mkdir()
        confs = {
            "spark.driver.memory": "4g",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": logs.as_uri(),
            "spark.eventLog.compress": "false",
        }
        if isinstance(much, Topics):
            confs["spark.jars"] = connector()
        spark = session("waiting", confs)
        ours.run(spark.newSession(), query, parsed(small), home / "small")
        began, before = time.time(), delays(spark)
        ours.run(spark.newSession(), query, much, home / "large")
        after = delays(spark)
        spark.stop()
        delay = sum(waited - before.get(thread, 0.0) for thread, waited in after.items())
        process.tell({**tasks(logs, began), "delay": delay})


def delays(spark: SparkSession) -> dict[str, float]:
    """Seconds that threads of tasks have waited for a core so far, as the kernel counts them."""
    found = {}
    for thread in Path(f"/proc/{pid(spark)}/task").iterdir():
        try:
            if (thread / "comm").read_text().startswith("Executor task"):
                found[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
        except OSError:  # it has ended
            continue
    return found


def tasks(logs: Path, since: float) -> dict[str, float]:
    """What Spark's log of events says of the tasks that began after ``since``."""
    found = {"run": 0.0, "cpu": 0.0, "collecting": 0.0}
    for path in (path for path in logs.rglob("*") if path.is_file()):
        for line in path.read_text().splitlines():
            event: dict[str, Any] = json.loads(line) if '"SparkListenerTaskEnd"' in line else {}
            if event and event["Task Info"]["Launch Time"] >= since * 1000:
                metrics = event["Task Metrics"]
                for step, time_of in (("Deserialize ", "Deserialize"), ("", "Run")):
                    found["run"] += metrics[f"Executor {time_of} Time"] / 1e3
                    found["cpu"] += metrics[f"Executor {step}CPU Time"] / 1e9
                found["collecting"] += metrics["JVM GC Time"] / 1e3
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
