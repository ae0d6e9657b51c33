"""What operators have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from groundswell.contract.codec import Int, SparkType, Tagged


@dataclass(frozen=True)
class HiddenColumn:
    """A column that the planner made up.

    Attributes:
        name: its name in plans.
        type: of its values.
        nullable: whether it may be null.
    """

    name: str
    type: SparkType
    nullable: bool


TimeKind = Literal["time", "end", "window", "session"]


@dataclass(frozen=True)
class WatermarkSpec:
    """A column by which rows are done when watermarks have passed.

    Attributes:
        column: its ref.
        kind: what it holds: a time, the end of a window, a window, or a session.
        sources: ids of those whose watermarks count; the earliest does.
        through: ids of the expressions that made the value, step by step; of several in a step
            the one with the smallest result counts.
        offset: microseconds to add to the watermark before these steps.
        shift: microseconds to add to what they give.
    """

    column: str
    kind: TimeKind
    sources: tuple[str, ...]
    through: tuple[tuple[str, ...], ...] = ()
    offset: int = 0
    shift: int = 0


@dataclass(frozen=True)
class UnreadRowsSpec:
    """Rows of a state that no one reads, and when they end.

    Attributes:
        shown: ids of conditions; a row that does not meet each of them is read by no one.
        watermark: that ends such rows.
    """

    shown: tuple[str, ...]
    watermark: WatermarkSpec


@dataclass(frozen=True)
class SortColumn:
    """A column to sort by.

    Attributes:
        ref: of the column.
        ascending: whether small values come first.
        nulls_first: whether nulls do.
    """

    ref: str
    ascending: bool
    nulls_first: bool


@dataclass(frozen=True, kw_only=True)
class OperatorSpec(Tagged):
    """One operator of a dataflow. Rows are its columns, and a weight.

    Attributes:
        id: its number in the dataflow.
        columns: refs of the columns that it gives.
        inputs: ids of the operators whose rows it takes; they stand before it.
        texts: what it does, in SQL's words, for people.
    """

    id: Int = -1
    columns: tuple[str, ...]
    inputs: tuple[Int, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StatefulSpec(OperatorSpec):
    """An operator that keeps a state.

    Attributes:
        state: name of its state.
        anew: whether the state is begun again, whatever is there.
    """

    state: str = ""
    anew: bool = False


@dataclass(frozen=True, kw_only=True)
class KeyedSpec(OperatorSpec):
    """An operator whose rows are told apart by a key.

    Attributes:
        key: refs of the columns that tell its rows apart.
    """

    key: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BoundedSpec(OperatorSpec):
    """An operator whose rows may be done at a time.

    Attributes:
        watermark: that ends rows; None: they are for ever.
    """

    watermark: WatermarkSpec | None = None


@dataclass(frozen=True, kw_only=True)
class ReadingSpec(OperatorSpec):
    """An operator that reads a state that another one writes.

    Attributes:
        reads: name of the state.
    """

    reads: str


@dataclass(frozen=True)
class StoredColumn:
    """Where a column stands in a table of a state.

    Attributes:
        in_key: whether in the keys; else in the rows.
        at: position there.
    """

    in_key: bool
    at: Int


@dataclass(frozen=True, kw_only=True)
class StoredSpec(ReadingSpec):
    """An operator that gives the rows of a table of a state, or what changed in it.

    Attributes:
        table: of the state.
        parts: where each column stands.
        key_types: types of the table's key columns.
        row_types: types of its other columns.
    """

    table: str = "rows"
    parts: tuple[StoredColumn, ...]
    key_types: tuple[SparkType, ...]
    row_types: tuple[SparkType, ...]
