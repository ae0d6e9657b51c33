"""Shared indexes, and lookups in them."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import Int, SparkType
from groundswell.contract.dataflow.joins import JoinKind
from groundswell.contract.dataflow.operators import KeyedSpec, ReadingSpec, StatefulSpec


@dataclass(frozen=True, kw_only=True)
class ArrangeSpec(StatefulSpec, KeyedSpec, kind="arrange"):
    """Keeps a shared index, and gives the net changes of what it keeps.

    Attributes:
        index: refs of the columns that it is looked up by.
        name: of the index.
    """

    index: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class IndexColumn:
    """A column of an index.

    Attributes:
        ref: what it is called beside the rows that look it up, or what it must equal.
        at: position in the rows of the index.
    """

    ref: str
    at: Int


@dataclass(frozen=True, kw_only=True)
class LookupSpec(ReadingSpec, kind="lookup"):
    """Looks rows up in an index: its first input; the second one is what changes in the index.

    Without a second input it sees the index as it was before the barrier. Has no state.

    Attributes:
        join_type: which rows it gives.
        flip: whether rows are wanted that the changes of the index give another result.
        keys: refs of the rows' columns, in the order of the index columns.
        delta_keys: refs of the index columns in the changes.
        key: positions of the index's stream key in its rows.
        row_types: of the columns of its rows.
        index: positions of the index columns in them.
        row: the columns to add.
        row_keys: refs of the index columns in what is given; empty: they are not all there.
        equal: what else must be equal.
        where: ids of what else must hold of a match.
        hot: hashes of the keys of which every task takes a slice.
    """

    join_type: JoinKind
    flip: bool = False
    keys: tuple[str, ...]
    delta_keys: tuple[str, ...] = ()
    key: tuple[Int, ...]
    row_types: tuple[SparkType, ...]
    index: tuple[Int, ...]
    row: tuple[IndexColumn, ...]
    row_keys: tuple[str, ...] = ()
    equal: tuple[IndexColumn, ...] = ()
    where: tuple[str, ...] = ()
    hot: tuple[Int, ...] = ()
