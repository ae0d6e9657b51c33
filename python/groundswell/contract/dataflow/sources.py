"""Where rows come from: sources, kept tables, batch queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from groundswell.contract.codec import Int
from groundswell.contract.dataflow.operators import (
    BoundedSpec,
    KeyedSpec,
    OperatorSpec,
    StatefulSpec,
    StoredSpec,
)


@dataclass(frozen=True, kw_only=True)
class SourceSpec(OperatorSpec, kind="source"):
    """The rows of a source in a barrier, each with weight +1.

    Attributes:
        source: its id.
        name: its name.
        tag: which of the branches of a batch it is.
        row_id: refs of the columns that get the epoch and the row's position in the barrier: files
            by time of modification, then by path; else by split. Empty: nobody asks.
        event_time: ref of the column with a watermark; None: it has none.
        late: whether just the rows behind the watermark are wanted.
    """

    source: str
    name: str
    tag: Int
    row_id: tuple[str, ...] = ()
    event_time: str | None = None
    late: bool = False


@dataclass(frozen=True, kw_only=True)
class SnapshotSpec(StoredSpec, kind="snapshot"):
    """All rows of a kept table as of the base, each with weight +1; fills views."""


@dataclass(frozen=True, kw_only=True)
class ConstantSpec(StatefulSpec, kind="constant"):
    """The rows of a batch query, in the first barrier that does not find its state.

    Attributes:
        node: of the captured plan.
        fields: refs of the columns that are wanted.
        row_id: ref of the column that gets the row's number; empty: nobody asks.
    """

    node: Int
    fields: tuple[str, ...]
    row_id: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NormalizeSpec(StatefulSpec, KeyedSpec, BoundedSpec, kind="normalize"):
    """Rows of a source with a key as changes of a kept table.

    Attributes:
        mode: whether rows are upserts, or say themselves what they change. A changelog is checked
            against the table and netted.
        delete: ref of the column that is true in deletes, if there are any.
        change_type: ref of the column that says what a row of a changelog is.
        position: the source's row id: orders the rows of a barrier.
        source: name of the source.
        conflict: what an upsert does to a row that is there.
        version: refs of the columns by which older rows lose; none: the last one wins.
        life: microseconds after which a row ends; 0: never.
        tolerate: whether a changelog that contradicts itself is made to fit.
        unchanged: ref of the column that names what an upsert leaves as it is in the row that is
            there, if there is one; None: upserts are whole rows.
        names: by which it names the columns, in their order.
    """

    mode: Literal["upsert", "changelog"]
    delete: str | None
    change_type: str | None
    position: tuple[str, ...]
    source: str
    conflict: str = "overwrite"
    version: tuple[str, ...] = ()
    life: int = 0
    tolerate: bool = False
    unchanged: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WeightsSpec(OperatorSpec, kind="signs"):
    """A changelog without a key: each row is an insert or a delete of itself.

    Attributes:
        change_type: ref of the column that says which.
    """

    change_type: str


@dataclass(frozen=True, kw_only=True)
class KeepSpec(StatefulSpec, KeyedSpec, kind="keep"):
    """Keeps an append-only table's rows by row id; only the filling of new views reads them.

    Attributes:
        table: its name.
        fields: refs of its own columns.
    """

    table: str
    fields: tuple[str, ...]
