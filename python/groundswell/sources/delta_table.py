"""A Delta table through the ``deltalake`` package: what is checked, and what tasks read of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from pyspark.sql.types import BinaryType, StringType, StructType

from groundswell.errors import SourceError, SourceLost
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.runtime.planning.sources import Size
from groundswell.sinks.extras import optional
from groundswell.sources.delta_log import (
    Commit,
    TableFacts,
    commit_of,
    turn_on,
    why_features,
)
from groundswell.sources.first_files import DataFile, Groups
from groundswell.sources.new_columns import ADD

FEED_COLUMNS = (CHANGE_TYPE, "_commit_version", "_commit_timestamp")
_GONE = re.compile(r"(?i)not found|no such file|nosuchkey|does not exist")


@dataclass(frozen=True)
class DeltaPlan:
    """All that reads a table; goes to the processes that read.

    Attributes:
        path: folder or URI of the table.
        facts: the table when the pipeline was started.
        appends: whether only new rows are read.
        max_versions: that one barrier takes; None: all that there are.
        new_columns: what a column does that the table gets later.
        storage: options of the object store; they may be secret.
    """

    path: str
    facts: TableFacts
    appends: bool
    max_versions: int | None = None
    new_columns: str = ADD
    storage: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def schema(self) -> StructType:
        """Of the rows that are read."""
        rows = StructType(list(self.facts.schema.fields))
        return rows if self.appends else rows.add(CHANGE_TYPE, StringType())


def inspect(
    path: str,
    appends: bool | None,
    max_versions: int | None,
    storage: Mapping[str, str],
    new_columns: str = ADD,
) -> DeltaPlan:
    """Looks at a table, and checks all that reading needs. Writes nothing.

    Raises:
        SourceError: with what is missing, and the statement that helps.
    """
    lake = optional("deltalake", "delta")
    with named_errors(path):
        if not lake.DeltaTable.is_deltatable(path, dict(storage) or None):
            raise SourceError(
                f"there is no Delta table at {path}: the folder or its _delta_log is not there. "
                "Give the folder of a table, as an absolute path or a URI"
            )
        table = opened(lake, path, storage)
        facts = TableFacts(
            str(table.metadata().id),
            StructType.fromJson(json.loads(table.schema().to_json())),
            table.metadata().configuration,
            tuple(table.metadata().partition_columns),
        )
        features = table.protocol().reader_features
    if unread := why_features(features or ()):
        raise SourceError(f"the Delta table {path} {unread}")
    _check_columns(path, facts)
    only_new = facts.append_only if appends is None else appends
    if not only_new and not facts.feed:
        raise SourceError(
            f"the Delta table {path} writes no change data feed, so its updates and deletes cannot "
            f"be read. Turn it on: {turn_on(path)}. Or, if rows are only ever added to the table, "
            "read it with appends=True"
        )
    return DeltaPlan(path, facts, only_new, max_versions, new_columns, dict(storage))


def _check_columns(path: str, facts: TableFacts) -> None:
    schema = facts.schema
    taken = [name for name in schema.names if name in FEED_COLUMNS]
    variants = [f.name for f in schema.fields if "variant" in f.dataType.simpleString()]
    binary = [n for n in facts.partitions if isinstance(schema[n].dataType, BinaryType)]
    mapped = any("delta.columnMapping.id" in f.metadata for f in schema.fields)
    if taken or variants or binary or mapped:
        why = (
            f"has a column {taken[0]}, whose name the change data feed takes"
            if taken
            else f"has a column of type variant: {variants[0]}"
            if variants
            else f"is partitioned by {binary[0]}, whose bytes deltalake does not read as written"
            if binary
            else "maps the names of its columns (delta.columnMapping)"
        )
        raise SourceError(f"the Delta table {path} cannot be read here: it {why}")


def schema_at(plan: DeltaPlan, version: int) -> StructType:
    """The columns that a table had at a version."""
    lake = optional("deltalake", "delta")
    with named_errors(plan.path):
        table = opened(lake, plan.path, plan.storage, version)
        return StructType.fromJson(json.loads(table.schema().to_json()))


def opened(lake: Any, path: str, storage: Mapping[str, str], version: int | None = None) -> Any:
    """The table, as of a version or the newest one."""
    return lake.DeltaTable(path, version=version, storage_options=dict(storage) or None)


class DeltaLog:
    """Reads the table's commits, one by one."""

    def __init__(self, plan: DeltaPlan) -> None:
        self._plan = plan
        self._table: Any = None
        self._files: Any = None
        self._known: dict[int, Commit] = {}

    def newest(self) -> int:
        """The newest version."""
        lake = optional("deltalake", "delta")
        with named_errors(self._plan.path):
            if self._table is None:
                self._table = opened(lake, self._plan.path, self._plan.storage)
            else:
                self._table.update_incremental()
            return int(self._table.version())

    def commit(self, version: int) -> Commit:
        """What a version says.

        Raises:
            SourceLost: its commit is not there any more.
        """
        if version not in self._known:
            text = self._read(f"_delta_log/{version:020}.json")
            if text is None:
                raise SourceLost(
                    f"the commit of version {version} of the Delta table {self._plan.path} is "
                    "gone: the table's log was cleaned up before the pipeline had read it. Start "
                    "at a new location, which begins with all rows of the table. A longer "
                    "delta.logRetentionDuration keeps the commits for a pipeline that rests"
                )
            self._known[version] = commit_of(text)
        return self._known[version]

    def forget(self, version: int) -> None:
        """Versions up to this one are not asked for again."""
        self._known = {v: commit for v, commit in self._known.items() if v > version}

    def _read(self, path: str) -> str | None:
        fs = optional("pyarrow.fs", "delta")
        if self._files is None:
            handler = optional("deltalake.fs", "delta").DeltaStorageHandler
            made = handler(self._plan.path, dict(self._plan.storage) or None)
            self._files = fs.PyFileSystem(made)
        with named_errors(self._plan.path):
            if self._files.get_file_info(path).type == fs.FileType.NotFound:
                return None
            with self._files.open_input_file(path) as file:
                return bytes(file.read()).decode()


@contextmanager
def named_errors(path: str, what: str = "") -> Iterator[None]:
    """What the package or the storage says, as errors of ours.

    Args:
        path: of the table.
        what: is read, for a message that says that it is gone.
    """
    import pyarrow as pa

    errors = optional("deltalake.exceptions", "delta")
    try:
        yield
    except (errors.DeltaError, pa.ArrowException, OSError, ValueError) as e:
        text = " ".join(str(e).split())[:500]
        if what and _GONE.search(text):
            raise SourceLost(
                f"files of {what} of the Delta table {path} are gone: they were vacuumed before "
                "the pipeline had read them. Start at a new location, which begins with all rows "
                "of the table. A longer delta.deletedFileRetentionDuration keeps them for a "
                f"pipeline that rests ({text})"
            ) from None
        raise SourceError(
            f"the Delta table {path} cannot be read: {type(e).__name__}: {text}"
        ) from None


def data_files(plan: DeltaPlan, version: int) -> list[DataFile]:
    """The files that hold a version's rows, by path."""
    import pyarrow as pa

    lake = optional("deltalake", "delta")
    with named_errors(plan.path, f"version {version}"):
        table = opened(lake, plan.path, plan.storage, version)
        added = pa.RecordBatchReader.from_stream(table.get_add_actions())
        found = added.read_all()  # pa.table() would import pandas: a third of a second
    paths, sizes = found["path"].to_pylist(), found["size_bytes"].to_pylist()
    known = "num_records" in found.column_names
    rows = found["num_records"].to_pylist() if known else [None] * len(paths)
    files = zip(paths, sizes, rows, strict=True)
    return sorted((DataFile(p, int(s), int(n or 0)) for p, s, n in files), key=lambda f: f.path)


def row_groups(plan: DeltaPlan, version: int, file: DataFile) -> list[Size]:
    """The row groups of a file: their rows, and their share of its bytes."""
    with named_errors(plan.path, f"version {version}"):
        whole = dataset(plan, version)
        (fragment,) = (
            f for f in whole.get_fragments() if f.path in (file.path, unquote(file.path))
        )
        rows = [group.num_rows for group in fragment.row_groups]
    return [Size(n, file.bytes * n // max(sum(rows), 1)) for n in rows]


def dataset(plan: DeltaPlan, version: int) -> Any:
    """The rows of a version, file by file."""
    lake = optional("deltalake", "delta")
    return opened(lake, plan.path, plan.storage, version).to_pyarrow_dataset()


def backlog(plan: DeltaPlan) -> Size:
    """What the newest version has."""
    lake = optional("deltalake", "delta")
    with named_errors(plan.path):
        newest = int(opened(lake, plan.path, plan.storage).version())
    return sum((f.size for f in data_files(plan, newest)), Size())


def read_files(
    plan: DeltaPlan,
    version: int,
    paths: Sequence[str],
    groups: Groups | None = None,
) -> Iterator[Any]:
    """The rows of some files of a version, as inserts.

    Args:
        plan: what is read.
        version: of the table.
        paths: of the files, as the log writes them.
        groups: the first row group of each that is read and the one behind the last; None: the end,
            or all of them.
    """
    import pyarrow as pa
    from pyarrow.dataset import FileSystemDataset

    if not paths:
        return
    wanted = {*paths, *map(unquote, paths)}  # the log writes a path as a part of a URL
    with named_errors(plan.path, f"version {version}"):
        whole = dataset(plan, version)
        parts = [f for f in whole.get_fragments() if f.path in wanted]
        if len(parts) != len(paths):
            raise SourceError(
                f"{len(paths) - len(parts)} files of version {version} of the Delta table "
                f"{plan.path} are not where its log says"
            )
        if groups is not None:
            parts = [f.subset(row_group_ids=range(f.num_row_groups)[slice(*groups)]) for f in parts]
        some = FileSystemDataset(parts, whole.schema, whole.format, whole.filesystem)
        cast = Cast(plan)
        for batch in some.to_batches():
            rows = pa.Table.from_batches([batch])
            yield from cast.of(rows, pa.array(["insert"] * len(batch), pa.string()))


def read_feed(plan: DeltaPlan, first: int, last: int) -> Iterator[Any]:
    """The changes of some versions, in any order; the sum of them counts."""
    import pyarrow as pa

    lake = optional("deltalake", "delta")
    with named_errors(plan.path, f"versions {first} to {last}"):
        table = opened(lake, plan.path, plan.storage, last)
        feed = pa.RecordBatchReader.from_stream(
            table.load_cdf(starting_version=first, ending_version=last)
        )
        cast = Cast(plan)
        for batch in feed:
            rows = pa.Table.from_batches([batch])
            yield from cast.of(rows, rows[CHANGE_TYPE].cast(pa.string()))


class Cast:
    """Gives rows the columns and types that Spark was told."""

    def __init__(self, plan: DeltaPlan) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        self._plan = plan
        self._schema = to_arrow_schema(plan.schema, timezone="UTC")

    def of(self, rows: Any, kinds: Any) -> Iterator[Any]:
        """Rows, and what each does."""
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = []
        for wanted in self._schema:
            if wanted.name == CHANGE_TYPE and not self._plan.appends:
                columns.append(kinds)
            elif wanted.name in rows.column_names:
                column = rows[wanted.name].cast(wanted.type)
                if wanted.name in self._plan.facts.partitions and wanted.type == pa.string():
                    # Delta writes null as an empty text: deltalake reads one or the other.
                    column = pc.if_else(pc.equal(column, ""), None, column)
                columns.append(column)
            else:
                columns.append(pa.nulls(len(rows), wanted.type))
        yield from pa.Table.from_arrays(columns, schema=self._schema).to_batches()
