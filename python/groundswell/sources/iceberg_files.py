"""Which files hold the rows of an Iceberg snapshot, and which of them differ between two. Pure.

A row of a data file is deleted by its position in the file, or by values that it equals. Which
delete files apply to a data file is a rule of the format: a delete by position reaches the rows of
its own snapshot, one by values those of older ones only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from groundswell.errors import SourceError
from groundswell.sources.first_files import DataFile

POSITIONS, VALUES = "positions", "values"
_PATH = 2147483546
"""Id of the column of a delete file that has the data file's path."""


@dataclass(frozen=True)
class DeleteFile:
    """A file that says which rows are deleted.

    Attributes:
        path: of the file.
        kind: how it names rows.
        fields: ids of the columns whose values it has.
    """

    path: str
    kind: str
    fields: tuple[int, ...] = ()


@dataclass(frozen=True)
class LiveFile:
    """A data file of a snapshot, with what is deleted of it.

    Attributes:
        file: where its rows are.
        constants: values of columns that may be only in its partition, by id.
        deletes: what applies to it.
    """

    file: DataFile
    constants: tuple[tuple[int, Any], ...] = ()
    deletes: tuple[DeleteFile, ...] = ()


@dataclass(frozen=True)
class Changed:
    """A data file whose live rows differ between two snapshots.

    Attributes:
        before: the file in the older one; None: it was not there.
        after: the file in the newer one; None: it is not there.
    """

    before: LiveFile | None
    after: LiveFile | None

    @property
    def live(self) -> LiveFile:
        """The file in one of the two."""
        found = self.after or self.before
        assert found is not None
        return found


Manifests = Mapping[str, Any]
"""pyiceberg's entries of a snapshot's list, by path."""
Entries = Callable[[Any], Iterable[Any]]
"""Reads the live entries of a manifest."""


class SnapshotFiles:
    """Reads manifests of a table.

    Args:
        called: the table, for messages.
        specs: pyiceberg's partition specs of the table, by id.
        entries: reads a manifest.
    """

    def __init__(self, called: str, specs: Mapping[int, Any], entries: Entries) -> None:
        self._called = called
        self._specs = specs
        self._entries = entries

    def changed(self, before: Manifests, after: Manifests) -> list[Changed]:
        """The data files whose live rows may differ between two snapshots, by path."""
        old, new = (_Deletes(self._called, self._of(each, True)) for each in (before, after))
        if old.paths == new.paths:  # only manifests that one of them has can make a difference
            shared = before.keys() & after.keys()
            before = {path: m for path, m in before.items() if path not in shared}
            after = {path: m for path, m in after.items() if path not in shared}
        was = {entry.data_file.file_path: entry for entry in self._of(before)}
        now = {entry.data_file.file_path: entry for entry in self._of(after)}
        found = []
        for path in sorted(was.keys() | now.keys()):
            one = self._live(was[path], old) if path in was else None
            other = self._live(now[path], new) if path in now else None
            if one != other:
                found.append(Changed(one, other))
        return found

    def live(self, manifests: Manifests) -> list[LiveFile]:
        """The data files of a snapshot, by path."""
        return [each.live for each in self.changed({}, manifests)]

    def _of(self, manifests: Manifests, deletes: bool = False) -> Iterator[Any]:
        for manifest in manifests.values():
            if bool(manifest.content) == deletes:
                yield from self._entries(manifest)

    def _live(self, entry: Any, deletes: _Deletes) -> LiveFile:
        file = entry.data_file
        _check_format(self._called, file)
        return LiveFile(
            DataFile(file.file_path, int(file.file_size_in_bytes), int(file.record_count)),
            self._constants(file),
            deletes.of(entry),
        )

    def _constants(self, file: Any) -> tuple[tuple[int, Any], ...]:
        fields = self._specs[file.spec_id].fields
        pairs = zip(fields, file.partition, strict=True)
        return tuple((f.source_id, value) for f, value in pairs if str(f.transform) == "identity")


class _Deletes:
    """The delete files of a snapshot, found by the data file that they apply to."""

    def __init__(self, called: str, entries: Iterable[Any]) -> None:
        self._called = called
        self.paths: set[str] = set()
        self._by_path: dict[str, list[tuple[int, DeleteFile]]] = defaultdict(list)
        self._in_range: list[tuple[int, Any, DeleteFile]] = []
        self._by_values: dict[Any, list[tuple[int, DeleteFile]]] = defaultdict(list)
        for entry in entries:
            self._add(entry)

    def _add(self, entry: Any) -> None:
        file = entry.data_file
        sequence = int(entry.sequence_number or 0)
        _check_format(self._called, file)
        if file.content.name == "EQUALITY_DELETES":
            made = DeleteFile(file.file_path, VALUES, tuple(file.equality_ids or ()))
            where = _partition(file) if len(file.partition) else None
            self._by_values[where].append((sequence, made))
        else:
            made = DeleteFile(file.file_path, POSITIONS)
            bounds = _bounds(file)
            if bounds is not None and bounds[0] == bounds[1]:
                self._by_path[bounds[0].decode("utf-8", "replace")].append((sequence, made))
            else:
                self._in_range.append((sequence, bounds, made))
        self.paths.add(made.path)

    def of(self, entry: Any) -> tuple[DeleteFile, ...]:
        """What applies to a data file, by path."""
        file = entry.data_file
        sequence, path = int(entry.sequence_number or 0), file.file_path.encode()
        found = {made for at, made in self._by_path.get(file.file_path, ()) if sequence <= at}
        for at, bounds, made in self._in_range:
            if sequence <= at and (bounds is None or bounds[0] <= path <= bounds[1]):
                found.add(made)
        for where in (None, _partition(file)):
            found |= {made for at, made in self._by_values.get(where, ()) if sequence < at}
        return tuple(sorted(found, key=lambda each: each.path))


def _check_format(called: str, file: Any) -> None:
    kind = file.file_format.value.lower()
    if kind == "parquet":
        return
    if kind == "puffin":
        raise SourceError(
            f"{called} deletes rows by deletion vectors (format 3), which are not read here. Have "
            "its writers copy on write: ALTER TABLE ... SET TBLPROPERTIES ('write.delete.mode' = "
            "'copy-on-write', 'write.update.mode' = 'copy-on-write', 'write.merge.mode' = "
            "'copy-on-write'), and rewrite its files once"
        )
    raise SourceError(
        f"{called} has files in the format {kind}, and only Parquet is read here. Set its property "
        "write.format.default to parquet, and rewrite its files"
    )


def _partition(file: Any) -> tuple[Any, ...]:
    return (file.spec_id, *file.partition)


def _bounds(file: Any) -> tuple[bytes, bytes] | None:
    lower, upper = file.lower_bounds or {}, file.upper_bounds or {}
    return (lower[_PATH], upper[_PATH]) if _PATH in lower and _PATH in upper else None
