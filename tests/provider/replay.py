"""Runs one streaming query over files that arrive in order, under any state store provider."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

OURS = "io.groundswell.EpochStateStoreProvider"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

PROVIDER = "spark.sql.streaming.stateStore.providerClass"

Row = dict[str, Any]
Batch = Sequence[Row]


@dataclass(frozen=True)
class Source:
    """One stream: a schema and the rows of each file, one file a micro-batch."""

    schema: str
    batches: Sequence[Batch]


@dataclass(frozen=True)
class Case:
    """A query to run: its sources by name, and how it is built from their DataFrames."""

    sources: dict[str, Source]
    build: Callable[[dict[str, DataFrame]], DataFrame]
    mode: str = "append"
    confs: dict[str, str] = field(default_factory=dict)


class Replay:
    """One query under one provider: files arrive, it runs until it has seen them, it restarts."""

    def __init__(self, spark: SparkSession, case: Case, provider: str, folder: Path) -> None:
        self.spark = spark.newSession()
        self.case = case
        self.folder = folder
        self.checkpoint = folder / "checkpoint"
        self.rows: dict[int, list[tuple[Any, ...]]] = {}
        self.progress: list[Any] = []
        for key, value in {**case.confs, PROVIDER: provider}.items():
            self.spark.conf.set(key, value)
        for name in case.sources:
            (folder / name).mkdir(parents=True)

    def arrive(self, start: int, end: int) -> None:
        """Lets the files of these batches arrive, in order of their times."""
        for name, source in self.case.sources.items():
            for number, rows in enumerate(source.batches[start:end], start):
                path = self.folder / name / f"{number:03d}.json"
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
                os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))

    def start(self) -> Any:
        streams = {
            name: self.spark.readStream.schema(source.schema)
            .option("maxFilesPerTrigger", 1)
            .json(str(self.folder / name))
            for name, source in self.case.sources.items()
        }
        return (
            self.case.build(streams)
            .writeStream.outputMode(self.case.mode)
            .option("checkpointLocation", str(self.checkpoint))
            .foreachBatch(self._keep)
            .trigger(availableNow=True)
            .start()
        )

    def _keep(self, rows: DataFrame, batch: int) -> None:
        self.rows[batch] = sorted((tuple(row) for row in rows.collect()), key=repr)

    def ended(self, query: Any) -> None:
        query.awaitTermination()
        self.progress += query.recentProgress

    def pinned_provider(self) -> str:
        """The class that the checkpoint is bound to."""
        return self.pinned_confs()[PROVIDER]

    def pinned_confs(self) -> dict[str, str]:
        """Confs that the checkpoint is bound to."""
        newest = max((self.checkpoint / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
        confs: dict[str, str] = json.loads(newest.read_text().splitlines()[1])["conf"]
        return confs

    def state_files(self, pattern: str) -> list[Path]:
        return sorted((self.checkpoint / "state").rglob(pattern))


def replay(spark: SparkSession, case: Case, folder: Path, *providers: str) -> list[Replay]:
    """Runs the case under each provider, side by side, with a restart in the middle."""
    runs = [
        Replay(spark, case, provider, folder / str(number))
        for number, provider in enumerate(providers)
    ]
    most = max(len(source.batches) for source in case.sources.values())
    for start, end in [(0, most // 2), (most // 2, most)]:
        for run in runs:
            run.arrive(start, end)
        for run, query in [(run, run.start()) for run in runs]:
            run.ended(query)
    return runs
