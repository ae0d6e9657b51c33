"""Tables whose kept rows get other columns: which, and the dataflow that writes the rows again.

Rows of a state do not say which columns they have. So a table with other columns keeps its rows in
another state, named after what it holds. That is filled from the one before, as a view would be:
beside the barriers, part by part. No state of a view is touched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.errors import DefinitionChanged
from groundswell.physical.lower import Dataflow, lower_tables
from groundswell.plan import capture
from groundswell.plan.required import source_columns
from groundswell.plan.sources import SourceTable, source_state
from groundswell.plan.stream import Hidden, derive
from groundswell.runtime.planning.recorded import column_types

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from groundswell.runtime.planning.planned import PlannedViews
    from groundswell.runtime.record.definition import Definition

TABLE = "table "
"""Begins what a table is called among what is filled."""
Columns = tuple[tuple[str, Any], ...]
"""Names and types, as ``DataType.json`` has them, in the order of the rows."""


@dataclass(frozen=True)
class Reshape:
    """A table whose rows are to be written with other columns.

    Attributes:
        table: as it is to be.
        reads: the state of its rows.
        state: the one that they get.
        old: the columns that they have.
        new: the columns that they get.
    """

    table: SourceTable
    reads: str
    state: str
    old: Columns
    new: Columns


@dataclass(frozen=True)
class Shapes:
    """Where the rows of all sources are, and which of them are to be written again.

    Attributes:
        states: by name of a source, the state of its rows, if it is not its first one.
        reshapes: what is to be written before the next barrier.
    """

    states: Mapping[str, str]
    reshapes: tuple[Reshape, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the tables that are to be written are called among what is filled."""
        return tuple(TABLE + each.table.name for each in self.reshapes)

    @property
    def made(self) -> frozenset[str]:
        """The states that are to be written."""
        return frozenset(each.state for each in self.reshapes)


def shapes_of(
    planned: PlannedViews,
    owner: Definition | None,
    there: Iterable[str],
    known: Mapping[str, Sequence[str]],
) -> Shapes:
    """Tells which tables have other columns than their rows.

    Args:
        planned: what is to run.
        owner: what the location belongs to.
        there: names of the states of the last epoch.
        known: by name of a source, the columns that were read so far.

    Raises:
        DefinitionChanged: the rows of one cannot be written again.
    """
    if owner is None:
        return Shapes({})
    there = {*there}
    types = column_types(planned)
    states: dict[str, str] = {}
    reshapes: list[Reshape] = []
    for source, names in source_columns(planned.roots, known).items():
        table = planned.tables[source]
        if table.name not in owner.sources:
            continue
        reads = owner.state_of(table.name)
        old: Columns = tuple(owner.sources[table.name]["columns"].items())
        new: Columns = tuple((name, types[source, name]) for name in names)
        if old == new or reads not in there or not table.keeps_rows:
            if reads != source_state(table.name):
                states[table.name] = reads
            continue
        come = sorted({*dict(new)} - {*dict(old)})
        had = owner.sources[table.name].get("offers")
        if come and not table.whole and (had is None or {*come} & {*had}):
            continue  # what it had in them nobody has kept: refused where a view reads them
        if come and table.whole and not (table.columns or owner.sources[table.name].get("whole")):
            raise DefinitionChanged(
                f"of source {table.name} the columns {', '.join(come)} were not kept, so its rows "
                "cannot be kept with all columns: give it another name, or start with another "
                "checkpointLocation to read it from its beginning"
            )
        each = Reshape(table, reads, _name(table, reads, new), old, new)
        states[table.name] = each.state
        if each.state not in there:
            _check(each)
            reshapes.append(each)
    return Shapes(states, tuple(reshapes))


def _name(table: SourceTable, reads: str, new: Columns) -> str:
    """Two states of one name hold the same: rows of the same state, in the same columns."""
    defaults = [pair for pair in table.defaults if pair[0] in dict(new)]
    told = json.dumps([reads, new, defaults], sort_keys=True)
    return f"{source_state(table.name)}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"


def _check(each: Reshape) -> None:
    if each.table.life_micros:
        raise DefinitionChanged(
            f"table {each.table.name} has a ttl, and when its rows were written would be lost with "
            f"other columns ({_told(each)}): make a table of another name with them"
        )


def _told(each: Reshape) -> str:
    old, new = dict(each.old), dict(each.new)
    come = [f"{name} is new" for name in new if name not in old]
    gone = [f"{name} is gone" for name in old if name not in new]
    return ", ".join([*come, *gone]) or "their types are others"


def flow_of(spark: SparkSession, reshapes: Sequence[Reshape]) -> tuple[jvm.Capture, Dataflow]:
    """What writes the rows of tables again, and the queries behind it."""
    frames, sources = [], []
    for each in reshapes:
        key, rows = jvm.view_placeholder(spark.createDataFrame([], _struct(each.old)))
        old, defaults = dict(each.old), dict(each.table.defaults)
        columns = []
        for field in _struct(each.new).fields:
            if field.name in old:
                column = by_name(field.name)
            else:
                column = F.expr(defaults.get(field.name, "NULL"))
            columns.append(column.cast(field.dataType).alias(field.name))
        frames.append(rows.select(*columns))
        sources.append(key)
    captured = jvm.Capture(frames)
    queries = capture.read(captured.description, {})
    hidden = Hidden()
    tables = []
    for each, source, query in zip(reshapes, sources, queries, strict=True):
        assert query.root is not None, query.refusals
        table = SourceTable(
            source, each.table.name, each.table.mode, each.table.key, kept=each.table.kept
        )
        stream = derive(query.root, {source: table}, hidden)
        names = tuple(name for name, _ in each.old)
        tables.append((stream, names, each.reads, each.state))
    return captured, lower_tables(hidden, tables)


def _struct(columns: Columns) -> StructType:
    fields = [
        {"name": name, "type": type_, "nullable": True, "metadata": {}} for name, type_ in columns
    ]
    struct = StructType.fromJson({"type": "struct", "fields": fields})
    return StructType([StructField(f.name, f.dataType) for f in struct.fields])
