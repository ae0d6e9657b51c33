"""What a change feed says: whose changes, in which order, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    MapType,
    StructType,
    TimestampType,
    VariantType,
)

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.errors import SourceError
from groundswell.plan.refusals import why_key_type

PREFIX = "_groundswell_cdc_"
SEQUENCE = f"{PREFIX}sequence"
LEAD = f"{PREFIX}lead"
DELETED = f"{PREFIX}deleted"
TRUNCATES = f"{PREFIX}truncates"
START_AT, END_AT = "__START_AT", "__END_AT"

Names = Sequence[str | Column] | str | Column | None
Expression = str | Column


@dataclass(frozen=True)
class ChangeFeed:
    """What is done with change events, by the names of :func:`~groundswell.auto_cdc`."""

    keys: Names
    sequence_by: Expression
    apply_as_deletes: Expression | None = None
    apply_as_truncates: Expression | None = None
    ignore_null_updates: bool = False
    ignore_null_updates_column_list: Names = ()
    ignore_null_updates_except_column_list: Names = ()
    column_list: Names = ()
    except_column_list: Names = ()
    stored_as_scd_type: int | str = 1
    track_history_column_list: Names = ()
    track_history_except_column_list: Names = ()


@dataclass(frozen=True)
class Flow:
    """A change feed's rules, checked against the columns of its events.

    Attributes:
        keys: names of the columns that identify a row.
        sequence: what gives the sequence, for messages.
        columns: names of the columns that the table has, keys included.
        ignores_nulls: names of the columns whose nulls leave the value of before.
        tracked: names of the columns whose change begins a row of history.
        history: whether the table has every version of a row (SCD type 2).
        truncates: whether some events empty the table.
        lead: names of the fields, from the outside in, that lead to the part of the sequence that
            is compared first, a time that may have a watermark; none: the sequence is that time.
            None: deletes are remembered for ever.
    """

    keys: tuple[str, ...]
    sequence: str
    columns: tuple[str, ...]
    ignores_nulls: tuple[str, ...] = ()
    tracked: tuple[str, ...] = ()
    history: bool = False
    truncates: bool = False
    lead: tuple[str, ...] | None = None


def names_of(what: str, given: Names) -> tuple[str, ...] | None:
    """Names of columns, as strings or as ``col("name")``; None: none were given.

    Raises:
        SourceError: something else than the name of a column.
    """
    if given is None:
        return None
    found = [given] if isinstance(given, str | Column) else list(given)
    return tuple(_name(what, each) for each in found)


def _name(what: str, given: str | Column) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, Column) and (plain := _identifier(given)) is not None:
        return plain
    raise SourceError(f"{what} must be names of columns, got {given!r}")


def _identifier(column: Column) -> str | None:
    """The name in ``col("name")``; None: the column is more than a name."""
    text = str(column).removeprefix("Column<'").removesuffix("'>")
    plain = text.replace("`", "")
    return plain if plain and plain.replace("_", "").isalnum() else None


def found_in(what: str, schema: StructType, given: Sequence[str]) -> tuple[str, ...]:
    """The columns of these names, which may differ in case.

    Raises:
        SourceError: there is no such column.
    """
    by_lower = {name.lower(): name for name in schema.names}
    found: dict[str, None] = {}
    for name in given:
        plain = name if name in schema.names else by_lower.get(name.lower())
        if plain is None:
            raise SourceError(
                f"{what}: there is no column {name!r}; the columns are {', '.join(schema.names)}"
            )
        found[plain] = None
    return tuple(found)


def picked(
    what: str, schema: StructType, only: Names, but: Names, of: Sequence[str]
) -> tuple[str, ...]:
    """The columns that a list names, or all except those that the other one names.

    Args:
        what: the parameter of the list, for messages; that of the other is called alike.
        schema: of the events.
        only: the columns.
        but: the columns that are left out.
        of: what can be picked.

    Raises:
        SourceError: both lists are given, or one names a column that cannot be picked.
    """
    named, left_out = names_of(what, only), names_of(what, but)
    other = f"{what.removesuffix('column_list')}except_column_list"
    if named and left_out:
        raise SourceError(f"give {what} or {other}, not both")
    if named:
        chosen = found_in(what, schema, named)
        if wrong := [name for name in chosen if name not in of]:
            raise SourceError(f"{what}: {', '.join(wrong)} cannot be among {', '.join(of)}")
        return tuple(name for name in of if name in chosen)
    gone = found_in(other, schema, left_out or ())
    return tuple(name for name in of if name not in gone)


def key_columns(schema: StructType, keys: Names) -> tuple[str, ...]:
    """The columns that identify a row.

    Raises:
        SourceError: none are given, one is unknown, or its type cannot be a key's.
    """
    named = names_of("keys", keys)
    if not named:
        raise SourceError("keys must name at least one column that identifies a row")
    found = found_in("keys", schema, named)
    for name in found:
        if reason := why_key_type(json.loads(schema[name].dataType.json())):
            raise SourceError(f"keys: column {name}: {reason}")
    return found


def computed(
    df: DataFrame, what: str, given: Expression | None, name: str, boolean: bool = True
) -> DataFrame:
    """The events with one more column.

    Raises:
        SourceError: Spark cannot compute it from their columns, or its type is wrong.
    """
    try:
        value = (
            F.lit(False) if given is None else F.expr(given) if isinstance(given, str) else given
        )
        rows = df.withColumn(name, value)
    except AnalysisException as e:
        said = jvm.first_line(e)
        raise SourceError(f"{what}={_shown(given)} does not fit the events: {said}") from None
    kind = rows.schema[name].dataType
    if boolean and kind.simpleString() != "boolean":
        raise SourceError(f"{what}={_shown(given)} must be boolean, it is {kind.simpleString()}")
    return (
        rows.withColumn(name, F.coalesce(name, F.lit(False)))
        if boolean and given is not None
        else rows
    )


def with_lead(rows: DataFrame, sequence_by: Expression) -> tuple[DataFrame, tuple[str, ...] | None]:
    """The events with the part of the sequence that is compared first, and where it is in there.

    Of ``struct(at, number)`` that is ``at``. The column :data:`LEAD` is computed beside the
    sequence and not out of it, so that the planner sees the column of the events in it.

    Args:
        rows: events with the column :data:`SEQUENCE`.
        sequence_by: what it was computed of.

    Returns:
        The events, and the names of the fields that lead to it; None: it is not a time.
    """
    value = F.expr(sequence_by) if isinstance(sequence_by, str) else sequence_by
    kind, path = rows.schema[SEQUENCE].dataType, list[str]()
    while isinstance(kind, StructType) and kind.fields:
        first = kind.fields[0]
        if [name.lower() for name in kind.names].count(first.name.lower()) > 1:
            return rows, None  # Spark cannot tell its fields apart by name
        path.append(first.name)
        value, kind = value.getField(first.name), first.dataType
    if not isinstance(kind, TimestampType):
        return rows, None
    return (rows.withColumn(LEAD, value) if path else rows), tuple(path)


def _shown(given: Expression | None) -> str:
    return repr(given) if isinstance(given, str) else str(given)


def check_ordered(what: str, kind: DataType, instead: str) -> None:
    """Refuses a type whose values have no order.

    Raises:
        SourceError: with what to do instead.
    """
    if found := _unordered(kind):
        raise SourceError(f"{what} has the type {kind.simpleString()}: {found}. {instead}")


def _unordered(kind: DataType) -> str | None:
    if isinstance(kind, StructType):
        return next((why for f in kind.fields if (why := _unordered(f.dataType))), None)
    if isinstance(kind, ArrayType):
        return _unordered(kind.elementType)
    if isinstance(kind, MapType | VariantType | CalendarIntervalType):
        return f"values of the type {kind.typeName()} have no order"
    return None


def checked_events(df: DataFrame, flow: Flow, truncates: bool = False) -> DataFrame:
    """The events that empty the table, or all others; what cannot be applied is a row that fails.

    Args:
        df: events with the columns :data:`SEQUENCE` and :data:`TRUNCATES`.
        flow: what their key is. It is null in no event, but in those that empty the table.
        truncates: gives the events that empty the table.
    """
    rows = df.where(F.col(TRUNCATES) if truncates else ~F.col(TRUNCATES))
    keys = () if truncates else flow.keys
    told = F.lit(f"sequence_by ({flow.sequence}) is null in a change event")
    sequence = (SEQUENCE, LEAD) if flow.lead else (SEQUENCE,)
    without = reduce(or_, (F.col(name).isNull() for name in sequence))
    if keys:
        named = [
            F.concat(F.lit(f"{name}="), F.coalesce(by_name(name).cast("string"), F.lit("null")))
            for name in keys
        ]
        told = F.concat(
            F.when(without, F.lit(f"sequence_by ({flow.sequence}) is null"))
            .otherwise(F.lit("a column of keys is null")),
            F.lit(" in the change event of "),
            F.concat_ws(", ", *named),
        )  # fmt: skip
    present = (*map(F.col, sequence), *map(by_name, keys))
    fine = reduce(and_, (column.isNotNull() for column in present))
    return rows.where(fine | F.raise_error(told).cast("boolean"))
