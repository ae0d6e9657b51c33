"""An Iceberg table through the ``pyiceberg`` package: what is checked, and its snapshots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from pyspark.sql.types import StringType, StructType

from groundswell.errors import GroundswellError, SourceError, SourceLost
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.runtime.planning.sources import Size
from groundswell.sinks.extras import optional
from groundswell.sinks.options import mask_text
from groundswell.sources.iceberg_files import Manifests, SnapshotFiles
from groundswell.sources.iceberg_types import has_default, spark_type
from groundswell.sources.new_columns import ADD, IGNORE

AGAIN = (
    "The snapshots before it are in the views, and nothing is lost. To go on, start at a new "
    "location: it begins with all rows of the table as it is then"
)
_FILE = re.compile(r"\.metadata\.json(\.gz)?$")


@dataclass(frozen=True)
class IcebergPlan:
    """All that reads a table; goes to the processes that read.

    Attributes:
        table: its name in the catalog, its folder, or one of its metadata files.
        catalog: name of the catalog in pyiceberg's settings; None: ``table`` is a path.
        branch: that is followed.
        uuid: of the table.
        schema_text: Iceberg's schema of the columns that are read, as JSON.
        rows: the same columns as Spark has them.
        appends: whether only new rows are read.
        all_columns: whether these are all columns of the table.
        seen: ids of the snapshots that there were when the columns were looked at.
        max_snapshots: that one barrier takes; None: all that there are.
        new_columns: what a column does that the table gets later.
        properties: of the catalog and its storage; they may be secret.
    """

    table: str
    catalog: str | None = None
    branch: str = "main"
    uuid: str = ""
    schema_text: str = ""
    rows: StructType = field(default_factory=StructType)
    appends: bool = False
    all_columns: bool = True
    seen: frozenset[int] = frozenset()
    max_snapshots: int | None = None
    new_columns: str = ADD
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def called(self) -> str:
        """The table, for messages."""
        return f"the Iceberg table {self.table}"

    @property
    def schema(self) -> StructType:
        """Of the rows that are read."""
        rows = StructType(list(self.rows.fields))
        return rows if self.appends else rows.add(CHANGE_TYPE, StringType())

    @property
    def columns(self) -> Any:
        """Iceberg's schema of the columns that are read."""
        return _schema(self.schema_text)


@lru_cache(maxsize=64)
def _schema(text: str) -> Any:
    return optional("pyiceberg.schema", "iceberg").Schema.model_validate_json(text)


def inspect(wanted: IcebergPlan, columns: Sequence[str] | None) -> IcebergPlan:
    """Looks at a table, and checks all that reading needs. Writes nothing.

    Args:
        wanted: what the user said.
        columns: names of those to read; None: all.

    Returns:
        The same with what the table says.

    Raises:
        SourceError: with what is missing, and what helps.
    """
    with named_errors(wanted):
        table = opened(wanted)
        schema = table.schema()
        _head(wanted, table)
    there = {each.name.lower(): each for each in schema.fields}
    for column in columns or ():
        if column.lower() not in there:
            raise SourceError(
                f"{wanted.called} has no column {column!r}; it has "
                f"{', '.join(each.name for each in schema.fields)}"
            )
    fields = [there[name.lower()] for name in columns] if columns else list(schema.fields)
    rows = StructType()
    for each in fields:
        type_ = spark_type(each.field_type)
        wrong = (
            f"is of type {each.field_type}, which Spark does not have here"
            if type_ is None
            else "has an initial default, which is not read here"
            if has_default(each)
            else f"has the name {CHANGE_TYPE}, which the source takes"
            if each.name.lower() == CHANGE_TYPE
            else ""
        )
        if wrong or type_ is None:
            raise SourceError(
                f"column {each.name} of {wanted.called} {wrong}. Leave it out: name the others in "
                "columns="
            )
        rows.add(each.name, type_)
    text = optional("pyiceberg.schema", "iceberg").Schema(*fields).model_dump_json()
    return replace(
        wanted,
        uuid=str(table.metadata.table_uuid),
        schema_text=text,
        rows=rows,
        all_columns=columns is None,
        seen=frozenset(each.snapshot_id for each in table.metadata.snapshots),
    )


def opened(plan: IcebergPlan) -> Any:
    """The table as it is now."""
    if plan.catalog is not None:
        catalogs = optional("pyiceberg.catalog", "iceberg")
        return catalogs.load_catalog(plan.catalog, **plan.properties).load_table(plan.table)
    tables = optional("pyiceberg.table", "iceberg")
    return tables.StaticTable.from_metadata(_metadata_file(plan), dict(plan.properties))


def _metadata_file(plan: IcebergPlan) -> str:
    """The newest metadata file of a table that is given by its path.

    Of a folder only versions with a plain number can be told to be committed: they are made by a
    rename. Files that have an id in their names may be left from commits that a catalog refused.
    """
    if _FILE.search(plan.table):
        return plan.table
    folder = f"{plan.table.rstrip('/')}/metadata"
    io = optional("pyiceberg.io", "iceberg").load_file_io(dict(plan.properties), folder)
    hint = io.new_input(f"{folder}/version-hint.text")
    if not hint.exists():
        raise SourceError(
            f"there is no Iceberg table at {plan.table} that can be read without a catalog: "
            f"{folder}/version-hint.text is not there. Which of the metadata files counts, only "
            "the catalog knows: give the table's name and catalog=, or one metadata file"
        )
    with hint.open() as stream:
        version = stream.read().decode().strip()
    if not version.isdecimal():
        return (
            f"{folder}/{version}" if _FILE.search(version) else f"{folder}/{version}.metadata.json"
        )
    number, found = int(version), ""
    while True:  # the hint may be older than the newest version
        names = (f"{folder}/v{number}{end}" for end in (".metadata.json", ".gz.metadata.json"))
        newer = next((name for name in names if io.new_input(name).exists()), "")
        if not newer:
            break
        found, number = newer, number + 1
    if not found:
        raise SourceError(f"{folder}/version-hint.text names version {version}, which is not there")
    return found


def _head(plan: IcebergPlan, table: Any) -> Any:
    """The newest snapshot of the branch; None: the table has had none."""
    found = table.metadata.snapshot_by_name(plan.branch)
    if found is None and plan.branch != "main":
        names = sorted(table.metadata.refs)
        raise SourceError(
            f"{plan.called} has no branch {plan.branch!r}; it has {', '.join(names) or 'none'}. "
            "Make the branch again where it was, or start at a new location with another branch="
        )
    return found


class Snapshots:
    """The snapshots of a table, and what they changed."""

    def __init__(self, plan: IcebergPlan) -> None:
        self._plan = plan
        self._table: Any = None
        self._entries: dict[str, list[Any]] = {}

    def refresh(self) -> None:
        """Looks at the table again.

        Raises:
            SourceError: it is another table.
        """
        with named_errors(self._plan):
            if self._table is None or self._plan.catalog is None:
                self._table = opened(self._plan)
            else:
                self._table.refresh()
        if str(self._table.metadata.table_uuid) != self._plan.uuid:
            raise SourceError(
                f"{self._plan.called} was recreated. Start at a new location, which begins with "
                "its rows"
            )

    @property
    def table(self) -> Any:
        """As of the last look."""
        if self._table is None:
            self.refresh()
        return self._table

    def head(self) -> int:
        """Id of the branch's newest snapshot; 0: there is none."""
        found = _head(self._plan, self.table)
        return 0 if found is None else int(found.snapshot_id)

    def get(self, snapshot: int) -> Any:
        """A snapshot.

        Raises:
            SourceLost: it is not there any more.
        """
        found = self.table.metadata.snapshot_by_id(snapshot)
        if found is None:
            raise SourceLost(
                f"snapshot {snapshot} of {self._plan.called} is gone: it was expired before the "
                "pipeline had read what came after it. Start at a new location, which begins with "
                "all rows of the table. A larger history.expire.max-snapshot-age-ms, or a tag on "
                "the snapshot, keeps it for a pipeline that rests"
            )
        return found

    def steps(self, start: int, end: int) -> list[tuple[int, int]]:
        """Pairs of snapshots that lead from one to another, each a parent and its child.

        A branch that was set back, or to another line, leads there in one step.
        """
        if start == end:
            return []
        line, known = [end], self.table.metadata.snapshot_by_id
        while line[-1] != start:
            found = known(line[-1])
            if found is None:  # an expired one is between them
                return [(start, end)]
            parent = int(found.parent_snapshot_id or 0)
            if parent == 0 != start:
                return [(start, end)]
            line.append(parent)
        line.reverse()
        return list(pairwise(line))

    def manifests(self, snapshot: int) -> Manifests:
        """What lists the files of a snapshot."""
        if snapshot == 0:
            return {}
        found = self.get(snapshot)
        with named_errors(self._plan, f"snapshot {snapshot}"):
            return {each.manifest_path: each for each in found.manifests(self.table.io)}

    @property
    def files(self) -> SnapshotFiles:
        """Tells which files snapshots have."""
        return SnapshotFiles(self._plan.called, self.table.specs(), self._read)

    def _read(self, manifest: Any) -> list[Any]:
        path = manifest.manifest_path
        if path not in self._entries:
            with named_errors(self._plan, "a snapshot"):
                self._entries[path] = manifest.fetch_manifest_entry(self.table.io)
        return self._entries[path]

    def forget(self) -> None:
        """What was read of manifests is not needed again."""
        self._entries.clear()


def size_of(snapshot: Any) -> Size:
    """About how much a snapshot changed, as its summary says."""
    said = snapshot.summary.additional_properties if snapshot.summary else {}

    def total(*names: str) -> int:
        return sum(int(said.get(name, 0)) for name in names)

    return Size(
        total("added-records", "deleted-records", "added-position-deletes"),
        total("added-files-size", "removed-files-size"),
    )


def operation_of(snapshot: Any) -> str:
    """What a snapshot did: append, replace, overwrite or delete."""
    return snapshot.summary.operation.value if snapshot.summary else "overwrite"


def why_not(plan: IcebergPlan, table: Any, step: tuple[int, int]) -> str | None:
    """Why a pipeline cannot read a snapshot; None: it can.

    Args:
        plan: what reads it.
        table: as it is now.
        step: the snapshot before it, and itself.
    """
    snapshot = table.metadata.snapshot_by_id(step[1])
    on = f"snapshot {step[1]} of {plan.called}"
    did = operation_of(snapshot)
    follows = (snapshot.parent_snapshot_id or 0) == step[0]
    if plan.appends and not (follows and did in ("append", "replace")):
        what = f"deletes or updates rows ({did})" if follows else "does not follow the one before"
        return f"{on} {what}, and appends=True reads new rows only. Leave appends out. {AGAIN}"
    if step[1] in plan.seen or snapshot.schema_id is None:
        return None
    schema = next(s for s in table.metadata.schemas if s.schema_id == snapshot.schema_id)
    altered = differences(plan, schema)
    if not altered:
        return None
    again = AGAIN
    if all(each.endswith(" is new") for each in altered) and plan.new_columns == ADD:
        again = (
            "The snapshots before it are in the views, and nothing is lost. Start again: the "
            "source has it then, and views that do not read it go on. A view that groups by all "
            "columns has to begin at a new location"
        )
    return f"{on} altered the columns: {', '.join(altered)}. {again}"


def differences(plan: IcebergPlan, schema: Any) -> list[str]:
    """How a schema differs from the columns that are read: ids, names and types count."""
    now = {each.field_id: each for each in schema.fields}
    found = []
    for was in plan.columns.fields:
        other = now.get(was.field_id)
        if other is None:
            found.append(f"{was.name} is gone")
        elif other.name != was.name:
            found.append(f"{was.name} is called {other.name}")
        elif other.field_type != was.field_type:
            found.append(f"{was.name} was {was.field_type} and is {other.field_type}")
    if plan.all_columns and (plan.new_columns != IGNORE or found):
        known = {each.field_id for each in plan.columns.fields}
        found += [f"{each.name} is new" for i, each in now.items() if i not in known]
    return found


@contextmanager
def named_errors(plan: IcebergPlan, what: str = "") -> Iterator[None]:
    """What the package, the catalog or the storage says, as errors of ours.

    Args:
        plan: what is read.
        what: is read, for a message that says that its files are gone.
    """
    errors = optional("pyiceberg.exceptions", "iceberg")
    try:
        yield
    except GroundswellError:
        raise
    except FileNotFoundError as e:
        if not what:
            raise SourceError(
                f"there is no Iceberg table at {plan.table}: {_text(e)}. Give its name in a "
                "catalog, its folder, or a metadata file"
            ) from None
        raise SourceLost(
            f"files of {what} of {plan.called} are gone: the snapshot was expired, or the files "
            "were removed, before the pipeline had read them. Start at a new location, which "
            f"begins with all rows of the table ({_text(e)})"
        ) from None
    except (errors.NoSuchTableError, errors.NoSuchNamespaceError) as e:
        raise SourceError(
            f"the catalog {plan.catalog} has no table {plan.table}: {_text(e)}"
        ) from None
    except Exception as e:  # noqa: BLE001 - catalogs raise what their own libraries do
        raise SourceError(f"{plan.called} cannot be read: {type(e).__name__}: {_text(e)}") from None


def _text(error: Exception) -> str:
    return mask_text(" ".join(str(error).split()))[:500]
