"""Tables and indexes of a catalog."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from pyspark.sql import DataFrame


class Kept(IntEnum):
    """When a pipeline materializes the rows of a table that no view reads."""

    NEVER = 0
    ONCE_READ = 1
    """From when a view has read it."""
    ALWAYS = 2


@dataclass(frozen=True)
class Table:
    """A table or source of a pipeline.

    Attributes:
        frame: stands for its rows.
        kept: when its rows are materialized though no view reads it.
        shown: stands for it in queries that name it; None: ``frame`` does.
    """

    frame: DataFrame
    kept: Kept = Kept.NEVER
    shown: DataFrame | None = None


@dataclass(frozen=True)
class Index:
    """An index of a pipeline.

    Attributes:
        frame: what is indexed.
        columns: names of the index columns, in order.
        reads: names of the views that ``frame`` reads.
        sources: keys of the placeholders of sources and views in ``frame``.
    """

    frame: DataFrame
    columns: tuple[str, ...]
    reads: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
