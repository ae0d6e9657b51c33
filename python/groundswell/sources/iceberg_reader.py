"""Spark's side of the source: snapshots as offsets, data files in tasks.

An offset is a snapshot that was read in full, with the ids of the columns that were read of it. The
first barriers read all rows of the snapshot that is the newest then; the next ones read what later
snapshots made of it. If the files of the first snapshot come in parts, an offset has the place in
them, as of :mod:`groundswell.sources.first_files`.

Only the sum of what a barrier reads counts: the rows of the newest snapshot, less those of the last
one. So a branch that is set back, or snapshots that were expired between the two, change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pyspark.sql.datasource import InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from groundswell.errors import SourceError, SourceLost
from groundswell.runtime.planning.sources import Size
from groundswell.sources.admission import fitting, grouped
from groundswell.sources.first_files import FILES, FirstFiles, Groups, Place, place
from groundswell.sources.iceberg_files import Changed, LiveFile
from groundswell.sources.iceberg_rows import read, row_groups
from groundswell.sources.iceberg_table import (
    IcebergPlan,
    Snapshots,
    operation_of,
    size_of,
    why_not,
)
from groundswell.sources.lake_reader import UNLIMITED, LakeReader
from groundswell.sources.new_columns import STOP


@dataclass
class ChangesPart(InputPartition):
    """Some data files that differ between two snapshots."""

    files: list[Changed]
    groups: Groups | None = None


@dataclass
class LostPart(InputPartition):
    """What cannot be read any more; a barrier that is durable does not ask for it."""

    said: str


class IcebergReader(LakeReader):
    """Tells offsets and parts; :meth:`read` runs in tasks."""

    BEGIN: ClassVar[dict[str, Any]] = {"snapshot": -1}

    def __init__(self, plan: IcebergPlan, most: Size = UNLIMITED) -> None:
        super().__init__(plan, most)
        self._snapshots = Snapshots(plan)
        self._first: tuple[int, FirstFiles, dict[str, LiveFile]] | None = None
        self._target: int | None = None

    def prepareForTriggerAvailableNow(self) -> None:
        """The newest snapshot by now is the last that this run reads."""
        self._snapshots.refresh()
        self._target = self._snapshots.head()

    def latestOffset(
        self,
        start: dict[str, Any],
        limit: ReadLimit,  # noqa: ARG002
    ) -> dict[str, Any]:
        """The last snapshot of the next barrier.

        Raises:
            SourceError: the next snapshot cannot be read; those before it have been.
        """
        self._snapshots.refresh()
        newest = self._snapshots.head() if self._target is None else self._target
        if start == self.BEGIN:
            return self._files_from(newest, (0, 0))
        self._check_same(start)
        after = int(start["snapshot"])
        if FILES in start:
            return self._files_from(after, place(start))
        if after not in (0, newest):
            self._snapshots.get(after)
        steps = self._within(self._snapshots.steps(after, newest))
        for number, step in enumerate(steps):
            if (wrong := why_not(self._plan, self._snapshots.table, step)) is None:
                continue
            if number == 0:
                raise SourceError(wrong)
            return self._offset(step[0])
        return self._offset(steps[-1][1]) if steps else start

    def _within(self, steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those that a barrier takes: one at least, if there is one."""
        steps = steps[: self._plan.max_snapshots]
        if not steps or not (self._most.rows or self._most.bytes):
            return steps
        sizes = (size_of(self._snapshots.get(snapshot)) for _, snapshot in steps)
        return steps[: fitting(sizes, self._most)]

    def _files(self, snapshot: int) -> tuple[FirstFiles, dict[str, LiveFile]]:
        """The files of the snapshot that is read first."""
        if self._first is None or self._first[0] != snapshot:
            found = self._snapshots.files.live(self._snapshots.manifests(snapshot))
            by_path = {each.file.path: each for each in found}
            files = FirstFiles(
                [each.file for each in found],
                lambda file: row_groups(self._plan, self._snapshots.table, by_path[file.path]),
            )
            self._first = snapshot, files, by_path
        return self._first[1:]

    def _files_from(self, snapshot: int, at: Place) -> dict[str, Any]:
        files, _ = self._files(snapshot)
        return self._offset(snapshot) | files.behind(at, self._most)

    def _offset(self, snapshot: int) -> dict[str, Any]:
        fields = {each.name: each.field_id for each in self._plan.columns.fields}
        return {"table": self._plan.uuid, "snapshot": snapshot, "fields": fields}

    def _check_same(self, start: dict[str, Any]) -> None:
        called, begin = self._plan.called, "Start at a new location, which begins with its rows"
        if start["table"] != self._plan.uuid:
            raise SourceError(
                f"{called} was recreated: the pipeline has read another table. {begin}"
            )
        for each in self._plan.columns.fields:
            if start["fields"].get(each.name, each.field_id) != each.field_id:
                raise SourceError(
                    f"column {each.name} of {called} is another one than the pipeline has read: "
                    f"it was dropped or renamed, and a new one has its name. {begin}"
                )
            if self._plan.new_columns == STOP and each.name not in start["fields"]:
                raise SourceError(
                    f"column {each.name} of {called} is new. {begin}; or start again with "
                    "new_columns='add', which takes it in"
                )

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Files of the first snapshot, or those that later ones changed."""
        try:
            return self._parts(start, end) or [ChangesPart([])]
        except SourceLost as e:
            return [LostPart(str(e))]

    def _parts(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        last = int(end["snapshot"])
        if start == self.BEGIN or FILES in start:
            files, live = self._files(last)
            return [
                ChangesPart([Changed(None, live[file.path]) for file in some], groups)
                for some, groups in files.between(
                    place(start), place(end) if FILES in end else None
                )
            ]
        found: list[Changed] = []
        for before, after in self._snapshots.steps(int(start["snapshot"]), last):
            snapshot = self._snapshots.get(after)
            if (snapshot.parent_snapshot_id or 0) == before and operation_of(snapshot) == "replace":
                continue
            manifests = self._snapshots.manifests
            found += self._snapshots.files.changed(manifests(before), manifests(after))
        sizes = [(each, each.live.file.bytes) for each in found]
        return [ChangesPart(files) for files in grouped(sizes)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a part, as Arrow batches."""
        if isinstance(partition, LostPart):
            raise SourceLost(partition.said)
        assert isinstance(partition, ChangesPart)
        return read(self._plan, partition.files, partition.groups)

    def commit(self, end: dict[str, Any]) -> None:  # noqa: ARG002
        """Forgets the manifests that were read."""
        self._snapshots.forget()


def backlog(plan: IcebergPlan) -> Size:
    """What the newest snapshot has."""
    snapshots = Snapshots(plan)
    found = snapshots.files.live(snapshots.manifests(snapshots.head()))
    return sum((each.file.size for each in found), Size())
