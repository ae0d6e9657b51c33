"""What the commits of a Delta table say, and what of it can be read. Pure.

A commit is a file of JSON lines, one action each, as Delta's protocol has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pyspark.sql.types import StructType

from groundswell.sources.new_columns import ADD, IGNORE

FEED = "delta.enableChangeDataFeed"
APPEND_ONLY = "delta.appendOnly"
READABLE = frozenset({"timestampNtz", "variantType", "variantType-preview"})
"""The reader features of tables that are read; ``variantType`` stands on tables without one."""


@dataclass(frozen=True)
class Commit:
    """One version's actions, as far as they matter here.

    Attributes:
        table: what the version says of the table, if it says anything.
        features: of the reader, if the version says them.
        added: files with new rows, and their bytes.
        removed: how many files it took rows away with.
        bytes: of the files that its change feed consists of.
    """

    table: TableFacts | None = None
    features: frozenset[str] = frozenset()
    added: tuple[tuple[str, int], ...] = ()
    removed: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class TableFacts:
    """What a version says of its table.

    Attributes:
        id: given when the table was made.
        schema: as Spark has it.
        configuration: the table's properties.
        partitions: the columns whose values are in the log, as texts.
    """

    id: str
    schema: StructType
    configuration: Mapping[str, str] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()

    @property
    def feed(self) -> bool:
        """Whether a change data feed is written."""
        return self.configuration.get(FEED, "").lower() == "true"

    @property
    def append_only(self) -> bool:
        """Whether rows are only ever added."""
        return self.configuration.get(APPEND_ONLY, "").lower() == "true"


def commit_of(text: str) -> Commit:
    """The actions of a commit's file."""
    table: TableFacts | None = None
    features: frozenset[str] = frozenset()
    added: list[tuple[str, int]] = []
    removed = feed_bytes = 0
    for action in map(json.loads, filter(str.strip, text.splitlines())):
        if given := action.get("metaData"):
            table = TableFacts(
                given["id"],
                StructType.fromJson(json.loads(given["schemaString"])),
                given.get("configuration") or {},
                tuple(given.get("partitionColumns") or ()),
            )
        if given := action.get("protocol"):
            features = frozenset(given.get("readerFeatures") or ())
        if (given := action.get("add")) and given.get("dataChange", True):
            added.append((given["path"], int(given.get("size") or 0)))
        if (given := action.get("remove")) and given.get("dataChange", True):
            removed += 1
        if given := action.get("cdc"):
            feed_bytes += int(given.get("size") or 0)
    size = feed_bytes or sum(bytes_ for _, bytes_ in added)
    return Commit(table, features, tuple(added), removed, size)


def why_not(
    where: str,
    version: int,
    commit: Commit,
    known: TableFacts,
    appends: bool,
    new_columns: str = ADD,
) -> str | None:
    """Why a pipeline cannot read a version; None: it can.

    Args:
        where: the table, for messages.
        version: its number.
        commit: what it says.
        known: the table as the pipeline was started on.
        appends: whether only new rows are read.
        new_columns: one of :data:`~groundswell.sources.new_columns.OF_LAKES`.
    """
    on = f"version {version} of the Delta table {where}"
    again = (
        "The versions before it are in the views, and nothing is lost. To go on, start at a new "
        "location: it begins with all rows of the table as it is then"
    )
    if unread := why_features(commit.features):
        return f"{on} {unread}. {again}"
    if appends and commit.removed:
        return (
            f"{on} deletes or updates rows ({commit.removed} files were removed), and appends=True "
            f"reads new rows only. Leave appends out, and have the table write its changes: "
            f"{turn_on(where)}. {again}"
        )
    now = commit.table
    if now is None:
        return None
    if now.id != known.id:
        return (
            f"{on} is of another table: it was recreated. Start at a new location, which begins "
            "with its rows"
        )
    altered = differences(known.schema, now.schema)
    adds = all(each.endswith(" is new") for each in altered)
    if altered and not (adds and new_columns == IGNORE):
        if adds and new_columns == ADD:
            again = (
                "The versions before it are in the views, and nothing is lost. Start again: the "
                "source has it then, and views that do not read it go on. A view that groups by "
                "all columns has to begin at a new location"
            )
        return f"{on} altered the columns: {', '.join(altered)}. {again}"
    if not appends and not now.feed:
        return f"{on} turned its change data feed off. Turn it on: {turn_on(where)}. {again}"
    return None


def why_features(features: Iterable[str]) -> str | None:
    """What a table uses that is not read here, as the end of a sentence; None: nothing."""
    unread = sorted(set(features) - READABLE)
    if not unread:
        return None
    return (
        f"uses {', '.join(unread)}, which cannot be read here. Read it with another tool, or drop "
        "the feature: ALTER TABLE ... DROP FEATURE ..."
    )


def turn_on(where: str) -> str:
    """The statement that turns the change data feed on."""
    return f"ALTER TABLE delta.`{where}` SET TBLPROPERTIES ('{FEED}' = 'true')"


def differences(old: StructType, new: StructType) -> list[str]:
    """How the columns differ: names and types count, and nothing else."""
    before = {f.name: f.dataType.simpleString() for f in old.fields}
    after = {f.name: f.dataType.simpleString() for f in new.fields}
    return [
        *(f"{name} is gone" for name in before if name not in after),
        *(
            f"{name} was {type_} and is {after[name]}"
            for name, type_ in before.items()
            if after.get(name, type_) != type_
        ),
        *(f"{name} is new" for name in after if name not in before),
    ]
