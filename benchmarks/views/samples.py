"""What a run of a view has used after each of its barriers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from shared import process
from shared.barriers import after_each
from shared.session import pid

OLD = "G1 Old Gen"


class Samples:
    """A figure of each kind after each barrier, in order.

    Attributes:
        series: by name. ``barrier (ms)`` and ``CPU (ms)`` are of the barrier, from the end of the
            one before. ``state (MB)`` and ``files`` count what is below the checkpoint location.
            ``process (MB)`` is resident memory. ``heap (MB)`` is what the last collections have
            left in the old generation.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._pid = pid(spark)
        jvm: Any = spark.sparkContext._jvm
        beans = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        self._old = next((bean for bean in beans if bean.getName() == OLD), None)
        self._location: Path | None = None
        self.series: dict[str, list[float]] = {}
        after_each(lambda _: self._take())

    def begin(self, location: Path) -> None:
        """Forgets what was before; what comes is of the view at this checkpoint location."""
        self._location, self.series = location, {}
        self._at, self._cpu = time.perf_counter(), process.cpu_seconds(self._pid)

    def _take(self) -> None:
        if self._location is None:
            return
        at, cpu = time.perf_counter(), process.cpu_seconds(self._pid)
        sizes = list(_sizes(self._location))
        found = {
            "barrier (ms)": 1000 * (at - self._at),
            "CPU (ms)": 1000 * (cpu - self._cpu),
            "state (MB)": sum(sizes) / 1e6,
            "files": len(sizes),
            "process (MB)": process.memory(self._pid) / 1e6,
        }
        if self._old is not None:
            left = self._old.getCollectionUsage()
            found["heap (MB)"] = 0 if left is None else left.getUsed() / 1e6
        for name, value in found.items():
            self.series.setdefault(name, []).append(round(value, 1))
        self._at, self._cpu = time.perf_counter(), process.cpu_seconds(self._pid)


def _sizes(folder: Path) -> list[int]:
    """Bytes of each file below; files that go meanwhile do not count."""
    found = []
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                found.append(path.stat().st_size)
        except OSError:
            continue
    return found
