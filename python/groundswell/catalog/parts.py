"""Tables and indexes of a catalog."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from pyspark.sql import DataFrame

from groundswell.catalog.table_spec import TableSpec


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
        source: the key of the placeholder in ``frame``; "": nobody has to know.
        earlier: the keys of placeholders that it had with other columns; queries over them read it.
        spec: what a table is that people write to; None: it is a source.
        noted: whether the location says so; else the next start notes it.
        drops: whether columns that its rows have, and it has not, are given up.
    """

    frame: DataFrame
    kept: Kept = Kept.NEVER
    shown: DataFrame | None = None
    source: str = ""
    earlier: frozenset[str] = frozenset()
    spec: TableSpec | None = None
    noted: bool = True
    drops: bool = False

    def after(self, before: Table) -> Table:
        """This table in the place of an earlier one of its name."""
        source = self.source or before.source
        earlier = before.earlier | self.earlier | ({before.source} - {"", source})
        return replace(
            self,
            kept=max(self.kept, before.kept),
            source=source,
            earlier=earlier,
            spec=self.spec or before.spec,
            noted=self.noted and (before.noted or self.spec is not None),
            drops=self.drops or before.drops,
        )


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
