"""Sources whose rows are more than one more row each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import expr
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.api.event_values import PLACEHOLDER, Reading
from groundswell.api.events import (
    UNCHANGED,
    Texts,
    checked,
    debezium_rows,
    key_names,
    row_type,
)
from groundswell.api.watermarks import Mark, with_watermark
from groundswell.catalog.names import check_name
from groundswell.columns import by_name
from groundswell.errors import SourceError
from groundswell.plan.expiry import check_life
from groundswell.plan.refusals import why_key_type
from groundswell.plan.sources import (
    CHANGE_TYPE,
    GONE,
    INCONSISTENT,
    UNREAD,
    Mode,
    SourceTable,
    Version,
    check_conflict,
    version_columns,
)
from groundswell.runtime.planning.sources import declare, declared


@jvm.classic_only(
    "gs.upserts",
    "CREATE SOURCE or CREATE TABLE ... WITH (connector = ...)",
)
def upserts(
    df: DataFrame,
    key: str | Sequence[str],
    *,
    delete: str | Column | None = None,
    conflict: str = "overwrite",
    version: Version = None,
    ttl: str | timedelta | None = None,
    name: str | None = None,
) -> DataFrame:
    """A table kept by upserts: a row replaces the row of its key.

    Args:
        df: a streaming DataFrame; within a barrier, the order of its rows counts.
        key: name or names of the columns that identify a row.
        delete: SQL condition, or Column, that is true for rows that remove their key.
        conflict: what a row does whose key is there: ``overwrite`` the row, ``ignore`` the new one,
            or ``update-if-not-null``: write those of its values that are not null.
        version: name of a column that only grows, or names of several that are compared in this
            order: a row, or a delete, whose version is below that of the row kept does nothing.
            Null is below all others.
        ttl: how long a row stays after it was last written, be it as it was, by the barriers'
            clock, as ``"1 hour"``; default: until it is removed.
        name: what the checkpoint calls the source; default: the name given to readStream.

    Returns:
        A DataFrame to build views on. It stands for the table; it has no rows of its own.

    Raises:
        SourceError: if df is not streaming, or a column is unknown or cannot be a key.
        ConfigurationError: if ttl is no such time.

    Examples:
        >>> schema = "id bigint, title string, gone boolean"
        >>> stream = spark.readStream.schema(schema).json(folder)
        >>> stories = gs.upserts(stream, key="id", delete="gone", name="stories")
        >>> gs.why(stories.groupBy("title").count())
        []
    """
    life = check_life(ttl)
    _check_streaming(df, "gs.upserts")
    columns = _key_columns(df, key)
    if not columns:
        raise SourceError("gs.upserts needs a key: the column or columns that identify a row")
    rows = df
    if delete is not None:
        rows = _with_delete(df, delete)
    check_conflict(conflict)
    return _declared(
        rows,
        Mode.UPSERT,
        columns,
        name,
        delete=None if delete is None else GONE,
        conflict=conflict,
        version=_key_columns(df, version_columns(version)),
        life_micros=life,
    )


@jvm.classic_only(
    "gs.debezium",
    "CREATE SOURCE or CREATE TABLE ... WITH (connector = ...)",
)
def debezium(
    df: DataFrame,
    key: str | Sequence[str],
    *,
    schema: str | None = None,
    column: str = "value",
    timestamps: str | Mapping[str, str] | None = None,
    decimals: str = "plain",
    unavailable_value: str | None = PLACEHOLDER,
    name: str | None = None,
) -> DataFrame:
    """A table kept by Debezium's change events, JSON envelopes with ``op``, ``before``, ``after``.

    ``op`` c, r and u put the row ``after`` in the place of the one of its key, d removes the row
    ``before``. Null values (tombstones), messages (op m), heartbeats, changes of the schema, and
    BEGIN and END of transactions do nothing. An update whose ``before`` has another key deletes
    that key's row. The envelope may be wrapped in ``payload``, as with schemas enabled; then its
    ``schema`` says what numbers and texts in columns of type timestamp, date and decimal mean.

    An update may have a placeholder for a value that it does not know, as PostgreSQL's of a large
    text that it leaves alone. The value comes from ``before``, else it stays as it is.

    An event whose text is no such JSON is a row on which every view of the source fails, as
    ``errors=`` of the view says, until another event of its key comes. An event whose key cannot be
    read is such a row for ever, and so is op t (truncate), whose rows nobody can tell.

    Args:
        df: a streaming DataFrame; the events of one key in one file or partition, in order.
        key: name or names of the columns that identify a row.
        schema: DDL of the row's columns.
        column: the string or binary column of df that holds the event.
        timestamps: what numbers in columns of type timestamp count, in events without a schema:
            ``micros``, ``millis``, ``nanos`` or ``seconds``, or a dict of these by column. Without
            it, and outside of the years 1 to 9999, an event with such a number cannot be read.
            Texts are read as ISO. Numbers in columns of type date are days.
        decimals: what texts in decimal columns are, in events without a schema: ``plain`` numbers,
            or ``base64``, as Debezium writes them unless ``decimal.handling.mode`` says otherwise.
        unavailable_value: Debezium's ``unavailable.value.placeholder``; None: there is none, and
            every text is one.
        name: what the checkpoint calls the source.

    Raises:
        SourceError: as :func:`upserts`, and if the column is not there, or an option unknown.

    Examples:
        >>> stream = spark.readStream.text(folder)
        >>> schema = "id bigint, title string"
        >>> stories = gs.debezium(stream, key="id", schema=schema)
        >>> stories.columns
        ['id', 'title']
    """
    _check_streaming(df, "gs.debezium")
    if schema is None or column not in df.columns:
        raise SourceError(
            f"gs.debezium needs schema= (the row's columns, as DDL) and the column {column!r} with "
            f"the events; the DataFrame has {', '.join(df.columns)}"
        )
    texts = Texts(by_name(column).cast("string"))
    reading = Reading(timestamps, decimals, unavailable_value)
    row = row_type("gs.debezium", schema)
    reading.check("gs.debezium", row)
    names = key_names("gs.debezium", row, key)
    return debezium_table(debezium_rows(df, texts, row, names, reading), row, names, name=name)


def debezium_table(
    rows: DataFrame,
    row: StructType,
    key: Sequence[str],
    *,
    watermark: Mark | None = None,
    name: str | None = None,
) -> DataFrame:
    """The table that the rows of change events make; ``row``: its columns."""
    rows = with_watermark(rows, watermark, f"source {name or 'of change events'}")
    _check_streaming(rows, "gs.debezium")
    columns = _key_columns(rows, (*key, UNREAD))
    unchanged = UNCHANGED if UNCHANGED in rows.columns else None
    made = _declared(rows, Mode.UPSERT, columns, name, delete=GONE, unchanged=unchanged)
    return checked(made, row)


@jvm.classic_only(
    "gs.changelog",
    "CREATE SOURCE or CREATE TABLE ... WITH (connector = ...)",
)
def changelog(
    df: DataFrame,
    key: str | Sequence[str] | None = None,
    *,
    inconsistent: str = "error",
    name: str | None = None,
) -> DataFrame:
    """A table kept by change rows, which say themselves what they do.

    ``_change_type`` is insert, delete, update_preimage or update_postimage.

    Args:
        df: a streaming DataFrame with a string column ``_change_type``.
        key: name or names of the columns that identify a row; without it the rows can only feed
            aggregates.
        inconsistent: what a barrier's change does that contradicts the table: the delete of a row
            that is not there, the insert of a key that is. ``error`` (default) ends the query with
            InconsistentChangelog; ``tolerate`` makes it fit and counts it in the progress as the
            operator's ``contradictions``: a key that is inserted at all has an inserted row then,
            one that is only deleted is gone.
        name: what the checkpoint calls the source; default: the name given to readStream.

    Returns:
        A DataFrame to build views on, without ``_change_type``.

    Raises:
        SourceError: if df is not streaming, has no ``_change_type``, or the key does not fit.

    Examples:
        >>> columns = "id bigint, v bigint, _change_type string"
        >>> stream = spark.readStream.schema(columns).json(folder)
        >>> gs.changelog(stream, key="id", name="rows").columns
        ['id', 'v']
    """
    _check_streaming(df, "gs.changelog")
    if inconsistent not in INCONSISTENT:
        raise SourceError(
            f"inconsistent must be one of {', '.join(INCONSISTENT)}, got {inconsistent!r}"
        )
    if inconsistent == "tolerate" and key is None:
        raise SourceError(
            "inconsistent='tolerate' needs key=: rows without a key are not compared with a table"
        )
    types = {f.name: f.dataType.simpleString() for f in df.schema.fields}
    if types.get(CHANGE_TYPE) != "string":
        raise SourceError(
            f"gs.changelog needs a string column {CHANGE_TYPE}; the DataFrame has "
            f"{', '.join(df.columns)}"
        )
    columns = _key_columns(df, key) if key is not None else ()
    if CHANGE_TYPE in columns:
        raise SourceError(f"{CHANGE_TYPE} cannot be a key column")
    tolerate = inconsistent == "tolerate"
    return _declared(df, Mode.CHANGELOG, columns, name, change_type=CHANGE_TYPE, tolerate=tolerate)


@jvm.classic_only(
    "gs.appends",
    "CREATE SOURCE or CREATE TABLE ... WITH (connector = ...)",
)
def appends(df: DataFrame, *, name: str | None = None) -> DataFrame:
    """An append-only stream as a DataFrame that any query may use, subqueries too.

    An ordinary streaming DataFrame is append-only anyway; Spark refuses some SQL over it already
    when it is analysed, but not over what this returns. What stands for an append-only source or
    table already is returned as it is.

    Examples:
        >>> schema = "story bigint, user string"
        >>> stream = spark.readStream.schema(schema).json(folder)
        >>> votes = gs.appends(stream, name="votes")
        >>> votes.createOrReplaceTempView("votes")
        >>> newest = "SELECT max(story) FROM votes"
        >>> query = f"SELECT * FROM votes WHERE story = ({newest})"
        >>> gs.why(spark.sql(query))
        []
    """
    if jvm.is_classic(df) and not df.isStreaming and _is_append_only(df, name):
        return df
    _check_streaming(df, "gs.appends")
    return _declared(df, Mode.APPEND, (), name)


def _is_append_only(df: DataFrame, name: str | None) -> bool:
    """Whether a frame stands for an append-only source, of that name if one is given."""
    key = jvm.source_key(df)
    known = declared(jvm.jvm_id(df.sparkSession), key) if key else None
    return known is not None and known.mode is Mode.APPEND and name in (None, known.name)


def _check_streaming(df: Any, what: str) -> None:
    if not isinstance(df, DataFrame) or not jvm.is_classic(df):
        raise SourceError(f"{what} needs a DataFrame of a classic Spark session, got {type(df)}")
    if not df.isStreaming:
        raise SourceError(
            f"{what} needs a streaming DataFrame (spark.readStream...), this one is "
            "a batch DataFrame or already a source"
        )
    if jvm.is_limited(df):
        raise SourceError(
            f"{what} cannot take the first rows of a stream, which Spark counts over all batches: "
            f"leave limit() out of the stream, and say it of what {what} returns"
        )
    names = [n.lower() for n in df.columns]
    doubles = sorted({n for n in df.columns if names.count(n.lower()) > 1})
    if doubles:
        raise SourceError(f"{what}: several columns are named {', '.join(doubles)}; rename them")


def _key_columns(df: DataFrame, key: str | Sequence[str]) -> tuple[str, ...]:
    wanted = (key,) if isinstance(key, str) else tuple(key)
    fields = {f.name: f for f in df.schema.fields}
    by_lower = {name.lower(): name for name in fields}
    found: list[str] = []
    for name in wanted:
        exact = name if name in fields else by_lower.get(str(name).lower())
        if exact is None:
            raise SourceError(
                f"key column {name!r} is not there; the columns are {', '.join(fields)}"
            )
        if reason := why_key_type(json.loads(fields[exact].dataType.json())):
            raise SourceError(f"key column {exact}: {reason}")
        if exact not in found:
            found.append(exact)
    return tuple(found)


def _with_delete(df: DataFrame, delete: str | Column) -> DataFrame:
    condition = expr(delete) if isinstance(delete, str) else delete
    try:
        rows = df.withColumn(GONE, condition)
    except AnalysisException as e:
        raise SourceError(
            f"delete={delete!r} does not fit the columns {', '.join(df.columns)}: {e}"
        ) from e
    kind = rows.schema[GONE].dataType.simpleString()
    if kind != "boolean":
        raise SourceError(f"delete={delete!r} must be boolean, it is {kind}")
    return rows


def _declared(
    rows: DataFrame,
    mode: Mode,
    key: tuple[str, ...],
    name: str | None,
    delete: str | None = None,
    change_type: str | None = None,
    conflict: str = "overwrite",
    version: tuple[str, ...] = (),
    tolerate: bool = False,
    life_micros: int = 0,
    unchanged: str | None = None,
) -> DataFrame:
    if name is not None:
        check_name("source", name)
    given = jvm.stream_names(rows)
    if name is None and len(given) == 1:
        name = given[0]
    source, placeholder = jvm.placeholder(rows, name)
    table = SourceTable(
        source,
        name or "",
        mode,
        key,
        delete,
        change_type,
        conflict=conflict,
        version=version,
        tolerate=tolerate,
        life_micros=life_micros,
        unchanged=unchanged,
    )
    declare(jvm.jvm_id(rows.sparkSession), table)
    return placeholder.drop(*table.hidden) if table.hidden else placeholder
