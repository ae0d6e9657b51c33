"""Operators that look at rows or keys alone."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.dataflow.operators import KeyedSpec, OperatorSpec, StatefulSpec
from groundswell.contract.dataflow.steps import AttemptSpec


@dataclass(frozen=True, kw_only=True)
class UnionSpec(OperatorSpec, kind="union"):
    """The rows of all its inputs, which have its columns."""


@dataclass(frozen=True, kw_only=True)
class ConsolidateSpec(KeyedSpec, kind="net"):
    """Changes netted by key. Has no state."""


@dataclass(frozen=True, kw_only=True)
class AffectedKeysSpec(KeyedSpec, kind="touched"):
    """The keys that changes have, each once. Has no state."""


@dataclass(frozen=True, kw_only=True)
class StoredResultsSpec(StatefulSpec, KeyedSpec, kind="remember"):
    """Keeps what Python functions gave, for as long as their rows.

    Attributes:
        given: refs of the columns that are not kept: the functions' input.
    """

    given: tuple[str, ...]


@dataclass(frozen=True)
class LabelledColumn:
    """A column as people call it.

    Attributes:
        ref: of the column.
        label: its name.
    """

    ref: str
    label: str


@dataclass(frozen=True, kw_only=True)
class DivertedSpec(OperatorSpec, kind="diverted"):
    """Says of each row which expression fails, how, and what the row is. Has no state.

    Attributes:
        attempts: the expressions.
        row: the columns to show.
        constraint: the expectation whose failing rows it finds among all rows that it is given;
            "": it is given only rows that fail.
        owner: the view of that.
    """

    attempts: tuple[AttemptSpec, ...]
    row: tuple[LabelledColumn, ...]
    constraint: str = ""
    owner: str = ""
