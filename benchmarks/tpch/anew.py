"""Spark alone computes TPC-H's 22 queries, in a process of its own; compares views with them.

Arguments: the folder of the tables, the views' checkpoint location, the heap, how often.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import deltalake

import groundswell as gs
from shared import process
from shared.session import peak_memory, pid, session
from tpch import lake, tables
from tpch.queries import QUERIES


def main(folder: str, location: str, memory: str, turns: str) -> None:
    """Says the seconds and the seconds of processor time of each turn, and names other views.

    Processor time is that of the JVM and of this process; of the first turn, from their start on.
    """
    spark = session("anew", {"spark.driver.memory": memory}, ours=False)
    seconds, cpu, before = [], [], 0.0
    with tempfile.TemporaryDirectory() as out:
        for turn in range(int(turns)):
            begun = time.monotonic()
            for name in tables.KEYS:
                files = deltalake.DeltaTable(str(Path(folder) / name)).file_uris()
                spark.read.parquet(*files).createOrReplaceTempView(name)
            for name, query in QUERIES.items():
                spark.sql(query).write.parquet(f"{out}/{turn}/{name}")
            seconds.append(time.monotonic() - begun)
            used = process.cpu_seconds(pid(spark)) + time.process_time()
            cpu.append(used - before)
            before = used
        peak = peak_memory(spark)
        different = []
        for name in QUERIES:
            anew = lake.rows(spark.read.parquet(f"{out}/0/{name}").toArrow())
            if lake.rows(gs.view_to_arrow(location, name)) != anew:
                different.append(name)
    process.tell({"seconds": seconds, "cpu": cpu, "peak": peak, "different": different})
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
