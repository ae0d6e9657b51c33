"""What is to be moved from one checkpoint of a stateful query to another, and what was moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundswell.contract.codec import Int, SparkType


@dataclass(frozen=True)
class FamilyPlan:
    """A table of a store.

    Attributes:
        name: its name.
        key: its key columns.
        value: its value columns.
        encoder: how Spark reads its keys: its class's simple name; None for plain keys.
        numbers: what that encoder asks for: the number of prefix columns, or the ordering ones.
        multiple: whether a key has a list of values.
        distribution: key columns that the operator is distributed by: of each the positions on the
            way to it, more than one if it stands in a struct.
    """

    name: str
    key: SparkType
    value: SparkType
    encoder: str | None
    numbers: tuple[Int, ...]
    multiple: bool
    distribution: tuple[tuple[Int, ...], ...]


@dataclass(frozen=True)
class StorePlan:
    """A store of an operator.

    Attributes:
        name: its name.
        ids: by old partition, which attempt at the version counts; None where nobody says.
        use_families: whether Spark keeps several tables in it.
        families: its tables.
    """

    name: str
    ids: tuple[str | None, ...]
    use_families: bool
    families: tuple[FamilyPlan, ...]


@dataclass(frozen=True)
class OperatorPlan:
    """One stateful operator.

    Attributes:
        id: its number.
        partitions: their number before.
        new_partitions: and after.
        schema_files: of Spark's, oldest first, with every schema that its rows ever had; none where
            schemas cannot change.
        stores: its stores.
    """

    id: int
    partitions: Int
    new_partitions: Int
    schema_files: tuple[str, ...]
    stores: tuple[StorePlan, ...]


@dataclass(frozen=True)
class MigrationPlan:
    """What is to be moved.

    Attributes:
        origin: state folder of the old checkpoint, ``.../state``.
        target: state folder of the new one.
        version: of all stores, as the newest committed batch left them.
        confs: pinned by the old checkpoint, provider class included.
        operators: all of them.
    """

    origin: str
    target: str
    version: int
    confs: Mapping[str, str]
    operators: tuple[OperatorPlan, ...]


@dataclass(frozen=True)
class MovedOperator:
    """What was moved of an operator.

    Attributes:
        rows: how many.
        ids: by new partition, the commit of each store.
    """

    rows: int
    ids: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class MigrationResult:
    """What was moved.

    Attributes:
        operators: by number.
    """

    operators: Mapping[str, MovedOperator]
