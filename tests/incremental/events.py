"""Views over tables of events, fed barrier by barrier."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from incremental.harness import Table, newest_stores, one_barrier

SCHEMA = "ts timestamp, k string, v long"
START = datetime(2024, 1, 1)


def at(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat(" ")


def row(seconds: float, k: str = "a", v: int = 1) -> dict[str, Any]:
    return {"ts": at(seconds), "k": k, "v": v}


class Run:
    """A view over one table of events, barrier by barrier."""

    def __init__(
        self,
        session: SparkSession,
        folder: Path,
        view: Any,
        *tables: Table,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.session, self.location, self.view, self.tables = (
            session,
            str(folder / "c"),
            view,
            tables,
        )
        self.changes: dict[int, list[tuple[Any, ...]]] = {}
        self.options: dict[str, Any] = {"retainEpochs": 5, "retireEvery": 1, **(options or {})}
        self.start()

    def start(self, **trigger: Any) -> None:
        def deliver(changes: DataFrame, epoch: int) -> None:
            self.changes[epoch] = [tuple(r) for r in changes.collect()]

        self.query = (
            self.view.writeStream.option("checkpointLocation", self.location)
            .options(**self.options)
            .foreachBatch(deliver)
            .trigger(**trigger)
            .toView("v")
        )

    def feed(self, *rows: Iterable[dict[str, Any]]) -> list[tuple[Any, ...]]:
        """Rows by table; the changes of the barriers that they bring about."""
        before = max(self.changes, default=-1)
        with one_barrier(self.query):
            for table, some in zip(self.tables, rows, strict=True):
                table.put(some)
        self.query.processAllAvailable()
        new = [c for epoch, some in self.changes.items() if epoch > before for c in some]
        return sorted(new, key=str)

    def tick(self) -> list[tuple[Any, ...]]:
        """A barrier without data; its changes."""
        before = self.progress()["epoch"]
        self.query.tick()
        self.query.processAllAvailable()
        assert self.progress()["epoch"] == before + 1
        return sorted(self.changes[before + 1])

    def wait(self, rows: int) -> None:
        """Until the view has so many rows."""
        for _ in range(600):
            if gs.read_view(self.session, self.location, "v").count() >= rows:
                return
            assert self.query.isActive, self.query.exception()
            time.sleep(0.1)
        raise AssertionError(f"the view does not get {rows} rows")

    def progress(self) -> dict[str, Any]:
        assert self.query.lastProgress is not None
        return self.query.lastProgress

    def state_rows(self, operator: str, *tables: str) -> int:
        """Rows of these tables that have not ended, in all partitions."""
        versions = [
            store.version(commit.version, commit.id)
            for _, store, commit in newest_stores(Path(self.location), f"{operator}-")
        ]
        return sum(1 for v in versions for table in tables for _ in v.scan(table))

    def state_bytes(self) -> int:
        """Of operators' own in storage, when deletes beside the barriers have come to rest."""
        home = Path(self.location) / "groundswell" / "state"
        seen: list[int] = []
        while len(seen) < 4 or len(set(seen[-4:])) > 1:
            time.sleep(0.03)
            total = 0
            for file in home.rglob("*"):
                with suppress(FileNotFoundError):  # deleted meanwhile
                    views = file.parent.name == "_packs" and "-000" in file.name
                    views |= file.relative_to(home).parts[0].startswith("view-")
                    if file.is_file() and not views:
                        total += file.stat().st_size
            seen.append(total)
        return seen[-1]


def marked(table: Table, delay: str = "10 seconds") -> DataFrame:
    return table.stream().withWatermark("ts", delay)
