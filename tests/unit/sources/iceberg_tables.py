"""Iceberg tables for tests: pyiceberg's, and delete files, which it does not write."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyiceberg", reason="not installed: pip install '.[iceberg]'")

from pyiceberg.catalog import load_catalog
from pyiceberg.conversions import to_bytes
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate
from pyiceberg.typedef import Record
from pyiceberg.types import StringType

_numbers = itertools.count()
PATH_ID, POS_ID = 2147483546, 2147483545


def properties(folder: Path) -> dict[str, str]:
    """Of a catalog in a folder."""
    return {
        "type": "sql",
        "uri": f"sqlite:///{folder}/catalog.db",
        "warehouse": f"file://{folder}",
    }


def catalog(folder: Path) -> Any:
    folder.mkdir(exist_ok=True, parents=True)
    found = load_catalog("test", **properties(folder))
    found.create_namespace_if_not_exists("shop")
    return found


def create(folder: Path, schema: Any, name: str = "shop.orders", **more: Any) -> Any:
    return catalog(folder).create_table(name, schema=schema, **more)


class _Deletes(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


def live_entries(table: Any) -> Iterator[Any]:
    """The data files of the newest snapshot."""
    snapshot = table.refresh().current_snapshot()
    for manifest in snapshot.manifests(table.io) if snapshot else ():
        if manifest.content == ManifestContent.DATA:
            yield from manifest.fetch_manifest_entry(table.io)


def delete_positions(table: Any, places: list[tuple[str, int]], bounds: bool = True) -> None:
    """Commits a snapshot that deletes rows by position, as Flink and Spark write it."""
    places = sorted(places)
    schema = pa.schema(
        [
            pa.field("file_path", pa.string(), False, {"PARQUET:field_id": str(PATH_ID)}),
            pa.field("pos", pa.int64(), False, {"PARQUET:field_id": str(POS_ID)}),
        ]
    )
    rows = pa.table([[p for p, _ in places], [n for _, n in places]], schema=schema)
    ends = [to_bytes(StringType(), places[i][0]) for i in (0, -1)] if bounds else []
    _commit(table, rows, DataFileContent.POSITION_DELETES, ends=ends)


def delete_values(table: Any, rows: pa.Table, ids: list[int], add: pa.Table | None = None) -> None:
    """Commits a snapshot that deletes rows by value, and may add some in the same one."""
    fields = [
        field.with_metadata({"PARQUET:field_id": str(i)})
        for field, i in zip(rows.schema, ids, strict=True)
    ]
    rows = pa.table(rows.columns, schema=pa.schema(fields))
    _commit(table, rows, DataFileContent.EQUALITY_DELETES, ids=ids, add=add)


def _commit(
    table: Any,
    rows: pa.Table,
    content: Any,
    ids: list[int] | None = None,
    ends: list[bytes] | None = None,
    add: pa.Table | None = None,
) -> None:
    number = next(_numbers)
    added: list[Any] = []
    if add is not None:  # a data file of the same snapshot: written by pyiceberg, on its own line
        side = table.metadata
        with table.transaction() as transaction:
            transaction.append(add)
        added = [
            e for e in live_entries(table) if e.snapshot_id == table.metadata.current_snapshot_id
        ]
        assert side.current_snapshot_id != table.metadata.current_snapshot_id
    table.refresh()
    parent = table.current_snapshot()
    if added:
        parent = table.snapshot_by_id(parent.parent_snapshot_id)
    path = f"{table.location()}/data/deletes-{number}.parquet"
    with table.io.new_output(path).create() as out:
        pq.write_table(rows, out)
    lower, upper = ({PATH_ID: end} for end in ends) if ends else (None, None)
    file = DataFile.from_args(
        _table_format_version=2,
        content=content,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=rows.num_rows,
        file_size_in_bytes=len(table.io.new_input(path)),
        equality_ids=ids,
        lower_bounds=lower,
        upper_bounds=upper,
    )
    file.spec_id = table.spec().spec_id
    snapshot_id = 10**9 + number
    sequence = table.metadata.last_sequence_number + 1
    manifests = []
    for name, writer, files in (
        ("deletes", _Deletes, [file]),
        ("data", ManifestWriterV2, [e.data_file for e in added]),
    ):
        if not files:
            continue
        out = table.io.new_output(f"{table.location()}/metadata/{name}-{number}.avro")
        with writer(table.spec(), table.schema(), out, snapshot_id, "deflate") as manifest:
            for each in files:
                manifest.add(
                    ManifestEntry.from_args(
                        status=ManifestEntryStatus.ADDED,
                        snapshot_id=snapshot_id,
                        sequence_number=None,
                        file_sequence_number=None,
                        data_file=each,
                    )
                )
        manifests.append(manifest.to_manifest_file())
    where = f"{table.location()}/metadata/snap-{number}.avro"
    with write_manifest_list(
        2, table.io.new_output(where), snapshot_id, parent.snapshot_id, sequence, "deflate"
    ) as listed:
        listed.add_manifests([*parent.manifests(table.io), *manifests])
    snapshot = Snapshot(
        snapshot_id=snapshot_id,
        parent_snapshot_id=parent.snapshot_id,
        sequence_number=sequence,
        manifest_list=where,
        summary=Summary(Operation.OVERWRITE),
        schema_id=table.schema().schema_id,
    )
    _point(table, snapshot)


def relabel(table: Any, operation: Any, parent: int) -> None:
    """Puts a snapshot in the place of those behind a parent, with the files of the newest."""
    now = table.refresh().current_snapshot()
    sequence = table.metadata.last_sequence_number + 1
    snapshot_id = 10**9 + next(_numbers)
    snapshot = now.model_copy(
        update={
            "snapshot_id": snapshot_id,
            "parent_snapshot_id": parent,
            "sequence_number": sequence,
            "summary": Summary(operation),
        }
    )
    _point(table, snapshot)


def _point(table: Any, snapshot: Any) -> None:
    """Adds a snapshot, and has the main branch end there."""
    table._do_commit(
        (
            AddSnapshotUpdate(snapshot=snapshot),
            SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=snapshot.snapshot_id),
        ),
        (),
    )


def quietly(act: Any, *args: Any, **more: Any) -> None:
    """Without the warning that a delete found no row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        act(*args, **more)


def summed(reader: Any, start: Any, end: Any) -> Counter[Any]:
    """The sum of the changes between two offsets, by row."""
    found: Counter[Any] = Counter()
    for part in reader.partitions(start, end):
        for batch in reader.read(part):
            for row in batch.to_pylist():
                come = row.pop("_change_type", "insert") == "insert"
                found[repr(row)] += 1 if come else -1
    return Counter({k: n for k, n in found.items() if n})
