"""Spark's side of the source: versions as offsets, files and feeds in tasks.

An offset is a version that was read in full, with the id of its table. The first barrier reads all
rows of the version that is the newest then; the next ones read the change data feed behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    SupportsTriggerAvailableNow,
)

from groundswell.errors import SourceError
from groundswell.sources.delta_log import grouped, why_not
from groundswell.sources.delta_table import (
    DeltaLog,
    DeltaPlan,
    data_files,
    read_feed,
    read_files,
)

BEGIN: dict[str, Any] = {"version": -1}


@dataclass
class FilesPart(InputPartition):
    """Some files of a version."""

    version: int
    paths: list[str]


@dataclass
class FeedPart(InputPartition):
    """The changes of some versions."""

    first: int
    last: int


class DeltaReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Tells offsets and parts; :meth:`read` runs in tasks."""

    def __init__(self, plan: DeltaPlan) -> None:
        self._plan = plan
        self._log = DeltaLog(plan)
        self._target: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_plan": self._plan, "_log": DeltaLog(self._plan), "_target": None}

    def initialOffset(self) -> dict[str, Any]:
        """Before the first version that is read."""
        return BEGIN

    def getDefaultReadLimit(self) -> ReadLimit:
        """``max_versions`` of the plan bounds a barrier."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """The newest version by now is the last that this run reads."""
        self._target = self._log.newest()

    def latestOffset(
        self,
        start: dict[str, Any],
        limit: ReadLimit,  # noqa: ARG002
    ) -> dict[str, Any]:
        """The last version of the next barrier.

        Raises:
            SourceError: the next version cannot be read; those before it have been.
        """
        newest = self._log.newest() if self._target is None else self._target
        if start == BEGIN:
            return self._offset(newest)
        after = int(start["version"])
        self._check_same(start, newest)
        last = newest
        if self._plan.max_versions is not None:
            last = min(last, after + self._plan.max_versions)
        for version in range(after + 1, last + 1):
            wrong = why_not(
                self._plan.path,
                version,
                self._log.commit(version),
                self._plan.facts,
                self._plan.appends,
            )
            if wrong is None:
                continue
            if version == after + 1:
                raise SourceError(wrong)
            return self._offset(version - 1)
        return self._offset(last) if last > after else start

    def _offset(self, version: int) -> dict[str, Any]:
        return {"table": self._plan.facts.id, "version": version}

    def _check_same(self, start: dict[str, Any], newest: int) -> None:
        if start["table"] != self._plan.facts.id or newest < start["version"]:
            raise SourceError(
                f"the Delta table {self._plan.path} was made anew: the pipeline has read up to "
                f"version {start['version']} of another table, and this one is at version "
                f"{newest}. Start at a new location, which begins with its rows"
            )

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Files of the first version, or the feed of the versions behind an offset."""
        last = int(end["version"])
        if start == BEGIN:
            files = data_files(self._plan, last)
            return _some([FilesPart(last, paths) for paths in grouped(files)])
        versions = range(int(start["version"]) + 1, last + 1)
        if self._plan.appends:
            return _some(
                [
                    FilesPart(version, paths)
                    for version in versions
                    for paths in grouped(self._log.commit(version).added)
                ]
            )
        sizes = [(version, self._log.commit(version).bytes) for version in versions]
        return _some([FeedPart(part[0], part[-1]) for part in grouped(sizes)])

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a part, as Arrow batches."""
        if isinstance(partition, FilesPart):
            return read_files(self._plan, partition.version, partition.paths)
        assert isinstance(partition, FeedPart)
        return read_feed(self._plan, partition.first, partition.last)

    def commit(self, end: dict[str, Any]) -> None:
        """Forgets the commits that were read."""
        self._log.forget(int(end["version"]))


def _some(parts: Sequence[InputPartition]) -> Sequence[InputPartition]:
    """Spark wants one at least."""
    return parts or [FilesPart(0, [])]
