"""The tables that change events make: queries that the planner keeps incrementally.

What a table has depends on the set of events alone, not on the order in which they come. Of one
key, events apply in the order of ``(sequence, delete, tie)``: at one sequence a delete comes last,
and of several upserts the one whose columns have the greatest hash.

*Current rows.* The last event of a key. Over append-only events the state is that event alone
(``row_number() = 1``); a delete ends when the watermark of the sequence has passed it, if the
events have one. Where nulls leave the value of before, the state of a column is its last
value that is not null, with its sequence (``max(struct(sequence, tie, value))``).

*History.* One event of each sequence; then, by neighbours of a key's events: which begin a run of
equal tracked columns, and which are the last of their run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from groundswell.api.cdc_flow import (
    DELETED,
    END_AT,
    LEAD,
    PREFIX,
    SEQUENCE,
    START_AT,
    Flow,
    checked_events,
)
from groundswell.columns import by_name
from groundswell.plan.unread import ENDS_AT

_TIE = f"{PREFIX}tie"
_RANK = f"{PREFIX}rank"
_LAST = f"{PREFIX}last"
_DELETE_AT, _UPSERT_AT, _TRUNCATE_AT = (f"{PREFIX}{at}_at" for at in ("delete", "upsert", "empty"))
_BUCKET = f"{PREFIX}bucket"
_FOLLOWS_DELETE, _BEGINS, _HEAD, _START, _NEXT, _RUN_ENDS = (
    f"{PREFIX}{word}" for word in ("follows_delete", "begins", "head", "start", "next", "ends")
)

BUCKETS = 64
"""Into how many parts the rows are divided that an event which empties the table meets."""


def current_rows(events: DataFrame, flow: Flow) -> DataFrame:
    """The newest row of each key (SCD type 1)."""
    rows = checked_events(events, flow)
    if flow.ignores_nulls:
        return _merged(events, rows, flow)
    found = _first(_ready(rows, flow), flow.keys, *_sequence(flow), DELETED, _TIE)
    if flow.truncates:
        found = _with_truncates(found, events, flow)
        found = found.where(_after(F.col(SEQUENCE), F.col(_TRUNCATE_AT)))
    return found.where(~F.col(DELETED)).select(*map(by_name, flow.columns))


def history(events: DataFrame, flow: Flow) -> DataFrame:
    """Every version of each key's row, with the sequences that it begins and ends at (type 2)."""
    rows = _ready(checked_events(events, flow), flow)
    known = _first(rows, (*flow.keys, SEQUENCE), DELETED, _TIE).drop(_TIE)
    if flow.ignores_nulls:
        known = _filled(known, flow)
    order = Window.partitionBy(*map(by_name, flow.keys)).orderBy(SEQUENCE)
    before = known.select(
        "*", F.lag(DELETED).over(order).alias(_FOLLOWS_DELETE), *_lagged(flow, order)
    )
    differs = [~by_name(name).eqNullSafe(by_name(_lag(name))) for name in flow.tracked]
    new = F.coalesce(F.col(_FOLLOWS_DELETE), F.lit(True))
    begins = reduce(or_, differs, F.col(DELETED) | new)
    runs = before.select(*map(by_name, flow.columns), SEQUENCE, DELETED, begins.alias(_BEGINS))
    runs = runs.select("*", F.when(F.col(_BEGINS), F.col(SEQUENCE)).alias(_HEAD))
    so_far = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    ends = runs.select(
        *map(by_name, flow.columns), DELETED,
        F.last(_HEAD, ignorenulls=True).over(so_far).alias(_START),
        F.lead(SEQUENCE).over(order).alias(_NEXT),
        F.lead(_BEGINS).over(order).alias(_RUN_ENDS),
    )  # fmt: skip
    last = F.coalesce(F.col(_RUN_ENDS), F.lit(True))
    return ends.where(~F.col(DELETED) & last).select(
        *map(by_name, flow.columns), F.col(_START).alias(START_AT), F.col(_NEXT).alias(END_AT)
    )


def _tied(events: DataFrame, flow: Flow) -> DataFrame:
    """The events with what decides between two upserts of one sequence."""
    return events.withColumn(_TIE, _hash(events, flow))


def _ready(events: DataFrame, flow: Flow) -> DataFrame:
    """What must be known of events; of those that delete the key and the sequence alone."""
    kept = [
        by_name(name) if name in flow.keys else F.when(~F.col(DELETED), by_name(name)).alias(name)
        for name in flow.columns
    ]
    return _tied(events, flow).select(*kept, *_sequence(flow), DELETED, _TIE)


def _sequence(flow: Flow) -> tuple[str, ...]:
    """The columns of the sequence, in the order in which they are compared.

    The part that is compared first stands alone where a watermark may be on it.
    """
    return (LEAD, SEQUENCE) if flow.lead else (SEQUENCE,)


def _hash(events: DataFrame, flow: Flow) -> Column:
    """A number that differs where columns do.

    Spark's hash passes over nulls, so which values are null is hashed, too.
    """
    kinds = {f.name: f.dataType for f in events.schema.fields}
    return F.xxhash64(*(part for n in flow.columns for part in _hashed(by_name(n), kinds[n])))


def _hashed(column: Column, kind: DataType) -> list[Column]:
    if isinstance(kind, StructType):
        fields = [_hashed(column.getField(f.name), f.dataType) for f in kind.fields]
        return [column.isNull(), *(part for each in fields for part in each)]
    nested = isinstance(kind, ArrayType | MapType | VariantType)
    return [column.isNull(), F.to_json(column) if nested else column]


def _first(rows: DataFrame, of: Sequence[str], *order: str) -> DataFrame:
    """The row of each group that comes last in an order.

    No value of the order is null. Nulls stand first, so that the planner need not know that: a row
    without a time would never be late, see :mod:`groundswell.plan.unread`.
    """
    newest = (F.col(name).desc_nulls_first() for name in order)
    last = Window.partitionBy(*map(by_name, of)).orderBy(*newest)
    ranked = rows.select("*", F.row_number().over(last).alias(_RANK))
    return ranked.where(F.col(_RANK) == 1).drop(_RANK)


def _after(sequence: Column, other: Column) -> Column:
    """Whether a sequence is greater than another one, which may be null."""
    return other.isNull() | (sequence > other)


def _with_truncates(rows: DataFrame, events: DataFrame, flow: Flow) -> DataFrame:
    """The rows with the sequence of the last event that emptied the table; null: none.

    An event that empties the table meets all rows; they are met in :data:`BUCKETS` parts.
    """
    buckets = F.explode(F.sequence(F.lit(0), F.lit(BUCKETS - 1)))
    last = (
        checked_events(events, flow, truncates=True)
        .select(buckets.alias(_BUCKET), F.col(SEQUENCE).alias(_TRUNCATE_AT))
        .groupBy(_BUCKET)
        .agg(F.max(_TRUNCATE_AT).alias(_TRUNCATE_AT))
    )
    bucket = F.pmod(F.hash(*map(by_name, flow.keys)), F.lit(BUCKETS))
    return rows.withColumn(_BUCKET, bucket).join(last, _BUCKET, "left")


def _merged(events: DataFrame, rows: DataFrame, flow: Flow) -> DataFrame:
    """Current rows, where a null leaves the value of before in some columns."""
    kinds = {f.name: f.dataType for f in rows.schema.fields}
    deleted = F.col(DELETED)
    calls: list[Column] = []

    def last(there: Column, content: Column) -> Column:
        """The content of the last upsert in which something is there, if no delete came after."""
        name = f"{_LAST}_{len(calls)}"
        at = (F.col(SEQUENCE).alias("at"), F.col(_TIE).alias("tie"))
        calls.append(F.max(F.when(~deleted & there, F.struct(*at, content.alias("value"))))
            .alias(name))  # fmt: skip
        alive = F.col(name).isNotNull() & _after(F.col(name)["at"], F.col(_DELETE_AT))
        return F.when(alive, F.col(name)["value"])

    values = [
        (
            _rebuilt(by_name(name), kinds[name], last)
            if name in flow.ignores_nulls
            else last(F.lit(True), by_name(name))
        ).alias(name)
        for name in flow.columns
        if name not in flow.keys
    ]
    lead = F.col(LEAD if flow.lead else SEQUENCE)
    ends = [] if flow.lead is None else [F.max(F.when(deleted, lead)).alias(ENDS_AT)]
    made = (
        _tied(rows, flow)
        .groupBy(*map(by_name, flow.keys))
        .agg(
            F.max(F.when(~deleted, F.col(SEQUENCE))).alias(_UPSERT_AT),
            F.max(F.when(deleted, F.col(SEQUENCE))).alias(_DELETE_AT),
            *ends,
            *calls,
        )
    )
    if flow.lead is not None:
        made = made.where(_is_alive() & _is_known(flow.lead))
    if flow.truncates:
        last_delete = F.greatest(F.col(_DELETE_AT), F.col(_TRUNCATE_AT))
        made = _with_truncates(made, events, flow).withColumn(_DELETE_AT, last_delete)
    found = made.where(_is_alive()).select(*map(by_name, flow.keys), *values)
    return found.select(*map(by_name, flow.columns))


def _is_alive() -> Column:
    """Whether an upsert of the key came after its last delete."""
    return F.col(_UPSERT_AT).isNotNull() & _after(F.col(_UPSERT_AT), F.col(_DELETE_AT))


def _is_known(lead: Sequence[str]) -> Column:
    """True for keys that are alive; names when the others may end, so that the planner knows."""
    newest = reduce(lambda value, field: value[field], lead, F.col(_UPSERT_AT))
    return F.col(ENDS_AT).isNull() | (newest >= F.col(ENDS_AT))


def _filled(known: DataFrame, flow: Flow) -> DataFrame:
    """The events of each key, with the last values since its last delete where theirs are null."""
    order = Window.partitionBy(*map(by_name, flow.keys)).orderBy(SEQUENCE)
    so_far = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    kinds = {f.name: f.dataType for f in known.schema.fields}
    given: list[Column] = []

    def last(there: Column, content: Column) -> Column:
        """The content of the last event in which something is there; of a delete it is null."""
        name = f"{_LAST}_{len(given)}"
        value = F.when(~F.col(DELETED), content).alias("value")
        given.append(F.when(F.col(DELETED) | there, F.struct(value)).alias(name))
        return F.last(name, ignorenulls=True).over(so_far)["value"]

    values = [
        _rebuilt(by_name(name), kinds[name], last).alias(name)
        if name in flow.ignores_nulls
        else by_name(name)
        for name in flow.columns
    ]
    return known.select("*", *given).select(*values, SEQUENCE, DELETED)


def _rebuilt(column: Column, kind: DataType, last: Callable[[Column, Column], Column]) -> Column:
    """A column of the last values that are not null, those of a struct's fields one by one.

    Args:
        column: the column of the events.
        kind: its type.
        last: gives a content as it is in the last event that meets a condition.
    """
    if not isinstance(kind, StructType):
        return last(column.isNotNull(), column)
    fields = [
        _rebuilt(column.getField(f.name), f.dataType, last).alias(f.name) for f in kind.fields
    ]
    return F.when(last(column.isNotNull(), F.lit(True)), F.struct(*fields))


def _lag(name: str) -> str:
    return f"{PREFIX}lag_{name}"


def _lagged(flow: Flow, order: WindowSpec) -> list[Column]:
    return [F.lag(by_name(name)).over(order).alias(_lag(name)) for name in flow.tracked]
