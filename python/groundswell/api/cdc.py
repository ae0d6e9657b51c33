"""Tables kept by change events that come in any order (AUTO CDC)."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame

from groundswell import jvm
from groundswell.api.cdc_flow import (
    DELETED,
    END_AT,
    PREFIX,
    SEQUENCE,
    START_AT,
    TRUNCATES,
    ChangeFeed,
    Expression,
    Flow,
    Names,
    check_ordered,
    computed,
    key_columns,
    picked,
    with_lead,
)
from groundswell.api.cdc_tables import current_rows, history
from groundswell.api.sources import appends
from groundswell.errors import SourceError
from groundswell.plan.sources import Mode
from groundswell.runtime.planning.recursions import sources_in
from groundswell.runtime.planning.sources import declared

_TYPES = (1, 2, "1", "2")


@jvm.classic_only("gs.auto_cdc", "CREATE FLOW ... AS AUTO CDC INTO ...")
def auto_cdc(
    source: DataFrame,
    keys: Names,
    sequence_by: Expression,
    *,
    apply_as_deletes: Expression | None = None,
    apply_as_truncates: Expression | None = None,
    ignore_null_updates: bool = False,
    ignore_null_updates_column_list: Names = None,
    ignore_null_updates_except_column_list: Names = None,
    column_list: Names = None,
    except_column_list: Names = None,
    stored_as_scd_type: int | str = 1,
    track_history_column_list: Names = None,
    track_history_except_column_list: Names = None,
    name: str | None = None,
) -> DataFrame:
    """A table kept by change events, which may come late, twice and in any order.

    Each event has the key of a row and a sequence. Events of a key count in the order of their
    sequences, so the table depends on the events that have come, not on the order in which they
    came. At one sequence a delete counts last; of several upserts of one key and one sequence one
    counts, always the same.

    Type 1 has the newest row of each key. Its state is that row, and the sequence of the last
    delete of each key: for ever, or until the watermark has passed it, if the column of
    ``sequence_by`` has one (``events.withWatermark("at", "7 days")``). Type 2 has every version of
    a row, with the sequence that it began at, ``__START_AT``, and the one that ended it,
    ``__END_AT``, null in the newest. Its state are all events.

    Args:
        source: the events: a streaming DataFrame, or a query over append-only sources.
        keys: names of the columns that identify a row; null in no event.
        sequence_by: SQL expression or Column that orders the events of a key, and is never null:
            ``struct(at, number)`` compares ``at`` first. Its type must have an order.
        apply_as_deletes: SQL condition or Column, true for events that remove their row.
        apply_as_truncates: the same for events that remove all rows whose sequence is not greater
            than theirs. Type 1 only.
        ignore_null_updates: True: a null in an event leaves the value of before, in fields of
            structs too.
        ignore_null_updates_column_list: names of the only columns of which that is so.
        ignore_null_updates_except_column_list: names of the columns of which it is not so.
        column_list: names of the table's columns; default: all columns of the events.
        except_column_list: names of columns of the events that the table leaves out.
        stored_as_scd_type: 1: the newest row of each key; 2: every version.
        track_history_column_list: names of the columns whose change begins a new version; a change
            of others alters the version that there is. Type 2 only; default: all but the keys.
        track_history_except_column_list: names of the columns whose change begins none.
        name: what the checkpoint calls the source; default: the name given to readStream.

    Returns:
        A DataFrame to build views on. It stands for the table; it has no rows of its own.

    Raises:
        SourceError: if an argument does not fit the events, or they are no stream.

    Examples:
        >>> feed = "id bigint, name string, version bigint, op string"
        >>> events = spark.readStream.schema(feed).json(folder)
        >>> people = gs.auto_cdc(
        ...     events, keys=["id"], sequence_by="version", name="people",
        ...     apply_as_deletes="op = 'DELETE'", except_column_list=["op"])
        >>> people.columns
        ['id', 'name', 'version']
    """
    feed = ChangeFeed(
        keys,
        sequence_by,
        apply_as_deletes,
        apply_as_truncates,
        ignore_null_updates,
        ignore_null_updates_column_list,
        ignore_null_updates_except_column_list,
        column_list,
        except_column_list,
        stored_as_scd_type,
        track_history_column_list,
        track_history_except_column_list,
    )
    return table_of(_events(source, name), feed)


def table_of(events: DataFrame, feed: ChangeFeed) -> DataFrame:
    """The table that events make, as a query over them.

    Args:
        events: one a row.
        feed: what is done with them.

    Raises:
        SourceError: see :func:`auto_cdc`.
    """
    _check_events(events)
    schema = events.schema
    if feed.stored_as_scd_type not in _TYPES:
        raise SourceError(f"stored_as_scd_type must be 1 or 2, got {feed.stored_as_scd_type!r}")
    whole = int(feed.stored_as_scd_type) == 2
    reserved = (START_AT, END_AT) if whole else ()
    for column in schema.names:
        if column.lower().startswith(PREFIX) or column.upper() in reserved:
            raise SourceError(
                f"column {column} of the events has a name that the table needs: rename it"
            )
    key = key_columns(schema, feed.keys)
    columns = picked("column_list", schema, feed.column_list, feed.except_column_list, schema.names)
    if missing := [column for column in key if column not in columns]:
        raise SourceError(f"the table lacks {', '.join(missing)}, which keys names: add it")
    rest = tuple(column for column in columns if column not in key)
    if not whole and (feed.track_history_column_list or feed.track_history_except_column_list):
        raise SourceError("track_history_column_list is of history: it needs stored_as_scd_type=2")
    if whole and feed.apply_as_truncates is not None:
        raise SourceError("apply_as_truncates would empty history: it needs stored_as_scd_type=1")
    tracked = picked(
        "track_history_column_list",
        schema,
        feed.track_history_column_list,
        feed.track_history_except_column_list,
        rest,
    )
    flow = Flow(
        key,
        str(feed.sequence_by),
        columns,
        ignores_nulls=picked(
            "ignore_null_updates_column_list",
            schema,
            feed.ignore_null_updates_column_list,
            feed.ignore_null_updates_except_column_list,
            rest,
        )
        if feed.ignore_null_updates
        or feed.ignore_null_updates_column_list
        or feed.ignore_null_updates_except_column_list
        else (),
        tracked=tracked if whole else (),
        history=whole,
        truncates=feed.apply_as_truncates is not None,
    )
    rows = computed(events, "sequence_by", feed.sequence_by, SEQUENCE, boolean=False)
    if not whole and feed.apply_as_deletes is not None and _may_be_timed(events):
        rows, lead = with_lead(rows, feed.sequence_by)
        flow = replace(flow, lead=lead)
    rows = computed(rows, "apply_as_deletes", feed.apply_as_deletes, DELETED)
    rows = computed(rows, "apply_as_truncates", feed.apply_as_truncates, TRUNCATES)
    check_ordered(
        f"sequence_by={feed.sequence_by}", rows.schema[SEQUENCE].dataType, "Give a number or a time"
    )
    _check_types(rows, flow)
    return history(rows, flow) if whole else current_rows(rows, flow)


def _events(source: DataFrame, name: str | None) -> DataFrame:
    if not isinstance(source, DataFrame) or not jvm.is_classic(source):
        raise SourceError(f"gs.auto_cdc needs a DataFrame of events, got {type(source).__name__}")
    if source.isStreaming:
        return appends(source, name=name)
    if not sources_in(source):
        raise SourceError(
            "gs.auto_cdc needs a streaming DataFrame (spark.readStream...), or a query over "
            "append-only sources; this one is a batch DataFrame"
        )
    if name is not None:
        raise SourceError(f"name={name!r} is for streams; this query reads sources that have names")
    return source


def _check_events(events: DataFrame) -> None:
    """Refuses tables that keep the newest row of a key only: events would be missing."""
    jvm_id = jvm.jvm_id(events.sparkSession)
    for table in (declared(jvm_id, each) for each in sources_in(events)):
        if table is not None and table.mode in (Mode.UPSERT, Mode.CHANGELOG):
            raise SourceError(
                f"AUTO CDC needs every event, and rows of {table.name} replace each other: give it "
                "the stream, or a table whose rows are only added (in SQL APPEND ONLY)"
            )


def _may_be_timed(events: DataFrame) -> bool:
    """Whether a source of the events has a watermark, which ends what is remembered."""
    jvm_id = jvm.jvm_id(events.sparkSession)
    tables = (declared(jvm_id, each) for each in sources_in(events))
    marked = any(table is not None and table.event_time is not None for table in tables)
    return marked or jvm.may_have_watermark(events)


def _check_types(events: DataFrame, flow: Flow) -> None:
    """Refuses columns whose values cannot be compared where they must be."""
    kinds = {f.name: f.dataType for f in events.schema.fields}
    for column in flow.tracked:
        check_ordered(
            f"tracked column {column}",
            kinds[column],
            "Name it in track_history_except_column_list",
        )
    for column in () if flow.history or not flow.ignores_nulls else flow.columns:
        check_ordered(
            f"column {column}, with ignore_null_updates,",
            kinds[column],
            "Leave it out with except_column_list, or give it as text",
        )
