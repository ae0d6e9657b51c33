"""Spark's side of the source: versions as offsets, files and feeds in tasks.

An offset is a version that was read in full, with the id of its table. The first barriers read all
rows of the version that is the newest then; the next ones read the change data feed behind it. If
the files of the first version come in parts, an offset has the number of files that were read, in
the order of their paths, and of row groups of the next one: a file that is larger than a part is
read by its row groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from pyspark.sql.datasource import InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from groundswell.errors import SourceError
from groundswell.runtime.planning.sources import Size
from groundswell.sources.admission import fitting, grouped
from groundswell.sources.delta_log import differences, why_not
from groundswell.sources.delta_table import (
    DeltaLog,
    DeltaPlan,
    data_files,
    read_feed,
    read_files,
    row_groups,
    schema_at,
)
from groundswell.sources.first_files import FILES, FirstFiles, Groups, Place, place
from groundswell.sources.lake_reader import UNLIMITED, LakeReader
from groundswell.sources.new_columns import STOP


@dataclass
class FilesPart(InputPartition):
    """Some files of a version."""

    version: int
    paths: list[str]
    groups: Groups | None = None


@dataclass
class FeedPart(InputPartition):
    """The changes of some versions."""

    first: int
    last: int


class DeltaReader(LakeReader):
    """Tells offsets and parts; :meth:`read` runs in tasks."""

    BEGIN: ClassVar[dict[str, Any]] = {"version": -1}

    def __init__(self, plan: DeltaPlan, most: Size = UNLIMITED) -> None:
        super().__init__(plan, most)
        self._log = DeltaLog(plan)
        self._first: tuple[int, FirstFiles] | None = None
        self._target: int | None = None
        self._seen_columns = plan.new_columns != STOP

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
        if start == self.BEGIN:
            return self._files_from(newest, (0, 0))
        self._check_same(start, newest)
        if FILES in start:
            return self._files_from(int(start["version"]), place(start))
        after = int(start["version"])
        last = newest
        if self._plan.max_versions is not None:
            last = min(last, after + self._plan.max_versions)
        last = self._within(after, last)
        for version in range(after + 1, last + 1):
            wrong = why_not(
                self._plan.path,
                version,
                self._log.commit(version),
                self._plan.facts,
                self._plan.appends,
                self._plan.new_columns,
            )
            if wrong is None:
                continue
            if version == after + 1:
                raise SourceError(wrong)
            return self._offset(version - 1)
        return self._offset(last) if last > after else start

    def _files(self, version: int) -> FirstFiles:
        """The files of the version that is read first."""
        if self._first is None or self._first[0] != version:
            files = data_files(self._plan, version)
            groups = partial(row_groups, self._plan, version)
            self._first = version, FirstFiles(files, groups)
        return self._first[1]

    def _files_from(self, version: int, at: Place) -> dict[str, Any]:
        """The offset behind some more of the first version."""
        return self._offset(version) | self._files(version).behind(at, self._most)

    def _within(self, after: int, last: int) -> int:
        """The last version of those behind ``after`` that a barrier takes: one at least."""
        if last <= after or not self._most.bytes:
            return last
        sizes = (Size(bytes=self._log.commit(v).bytes) for v in range(after + 1, last + 1))
        return after + fitting(sizes, self._most)

    def _offset(self, version: int) -> dict[str, Any]:
        return {"table": self._plan.facts.id, "version": version}

    def _check_same(self, start: dict[str, Any], newest: int) -> None:
        if start["table"] != self._plan.facts.id or newest < start["version"]:
            raise SourceError(
                f"the Delta table {self._plan.path} was recreated: the pipeline has read up to "
                f"version {start['version']} of another table, and this one is at version "
                f"{newest}. Start at a new location, which begins with its rows"
            )
        if not self._seen_columns:
            before = schema_at(self._plan, int(start["version"]))
            if altered := differences(before, self._plan.facts.schema):
                raise SourceError(
                    f"the Delta table {self._plan.path} has other columns than at version "
                    f"{start['version']}, up to which it was read: {', '.join(altered)}. Start at "
                    "a new location, or start again with new_columns='add', which takes new ones in"
                )
            self._seen_columns = True

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Files of the first version, or the feed of the versions behind an offset."""
        last = int(end["version"])
        if start == self.BEGIN or FILES in start:
            return _some(self._between(last, place(start), place(end) if FILES in end else None))
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

    def _between(self, version: int, start: Place, end: Place | None) -> list[InputPartition]:
        """What is between two places in the first version; no end: all that is left."""
        return [
            FilesPart(version, [file.path for file in files], groups)
            for files, groups in self._files(version).between(start, end)
        ]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a part, as Arrow batches."""
        if isinstance(partition, FilesPart):
            return read_files(self._plan, partition.version, partition.paths, partition.groups)
        assert isinstance(partition, FeedPart)
        return read_feed(self._plan, partition.first, partition.last)

    def commit(self, end: dict[str, Any]) -> None:
        """Forgets the commits that were read."""
        self._log.forget(int(end["version"]))


def _some(parts: Sequence[InputPartition]) -> Sequence[InputPartition]:
    """Spark wants one at least."""
    return parts or [FilesPart(0, [])]
