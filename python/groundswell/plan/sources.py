"""What planning must know of a source: how its rows become changes, and what identifies them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from groundswell.errors import SourceError

CONFLICTS = ("overwrite", "ignore", "update-if-not-null")
"""The new row; the old row; the new row's values that are not null over the old row's."""

INCONSISTENT = ("error", "tolerate")
"""What a changelog's change that contradicts its table does."""

MALFORMED = "_groundswell_malformed"
"""Why a row could not be read; null in all others. Views fail on it; readers of a kept source see
neither the row nor the column. The JVM's ``ViewState`` has the name, too."""

UNREAD = "_groundswell_unread"
"""The last column of a key whose other columns could not be read: which text it is. Null in all
other rows, and above the filter that reads it, which fails on what is not null."""

CHANGE_TYPE = "_change_type"
"""What a row of a changelog does, in the words of Delta's change data feed."""

GONE = "_groundswell_delete"
"""Whether a row of upserts deletes what has its key."""

HIDDEN = (MALFORMED, UNREAD)
"""Columns of a kept source that readers do not see."""


def check_conflict(conflict: str) -> None:
    """Refuses a conflict mode that there is not."""
    if conflict not in CONFLICTS:
        raise SourceError(f"conflict must be one of {', '.join(CONFLICTS)}, got {conflict!r}")


class Mode(Enum):
    """How the rows of a source are meant."""

    APPEND = "append"
    """Every row is one more row."""
    UPSERT = "upsert"
    """A row replaces the row of its key, or removes it."""
    CHANGELOG = "changelog"
    """A row says itself what it does (``_change_type``)."""
    VIEW = "view"
    """Another view of the pipeline: its changes, at the same barrier."""


Version = str | Sequence[str] | None


def version_columns(version: Version) -> tuple[str, ...]:
    """Names of the columns, as a user gives them or a document has them."""
    return () if version is None else (version,) if isinstance(version, str) else tuple(version)


def version_text(version: tuple[str, ...]) -> str | list[str] | None:
    """The same for a document."""
    return version[0] if len(version) == 1 else list(version) or None


@dataclass(frozen=True)
class SourceTable:
    """A named source of a pipeline.

    Attributes:
        id: what placeholders of the source carry; differs between two sources of one process.
        name: its name in the checkpoint.
        key: names of its key columns; empty for append-only sources.
        delete: name of the hidden boolean column that says "remove this key", or None.
        change_type: name of the column with the kind of change, or None.
        whole: keep all columns, whether a view needs them or not.
        readable: its rows can be read at an epoch, as a view's can; they are kept whether a view
            reads it or not.
        conflict: what an upsert of a key that is there does, one of :data:`CONFLICTS`.
        event_time: name of the column that has a watermark, or None.
        delay_millis: how late its rows may be.
        life_micros: how long a row stays after it was last written; 0: for ever.
        version: names of the columns that only grow, compared in this order: an upsert below the
            row kept does nothing.
        tolerate: make changes fit that contradict a changelog's table, instead of failing.
        numbered: the user gave it no name; it is called by its place among such sources.
        kept: of an append-only source: its rows stay in a state, for views that come later.
        unchanged: name of the hidden column that names the columns that an upsert leaves as they
            are in the row that is there, or None.
        columns: of a table that people write to, names and types of those that it has now:
            queries of before may have others. All were kept from the beginning. Empty: it is none.
        names: of columns that were renamed, the name that they began with and the one of now.
        defaults: what rows of before a column was there have in it, as SQL; others have null.
    """

    id: str
    name: str
    mode: Mode
    key: tuple[str, ...] = ()
    delete: str | None = None
    change_type: str | None = None
    whole: bool = False
    readable: bool = False
    conflict: str = "overwrite"
    version: tuple[str, ...] = ()
    tolerate: bool = False
    event_time: str | None = None
    delay_millis: int = 0
    life_micros: int = 0
    numbered: bool = False
    kept: bool = False
    unchanged: str | None = None
    columns: tuple[tuple[str, Any], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()

    def has(self, column: str, type_: Any) -> bool:
        """Whether there still is a column that a query names, of the type that it had."""
        return not self.columns or (column, type_) in self.columns

    @property
    def hidden(self) -> tuple[str, ...]:
        """Names of the columns that say what a row does; they are no columns of the table."""
        names = (self.delete, self.change_type, self.unchanged)
        return tuple(name for name in names if name is not None)

    @property
    def keeps_rows(self) -> bool:
        """Whether a state has its rows, from which a new view is filled."""
        return bool(self.key or self.kept)


def source_state(source: str) -> str:
    """Name of the state that keeps a source's rows, until they get other columns."""
    return f"source-{source}"
