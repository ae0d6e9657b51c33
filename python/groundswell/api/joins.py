"""Joins in time, and the rows that came too late: what SQL has no word for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.errors import SourceError
from groundswell.plan.sources import Mode
from groundswell.runtime.planning.sources import resolve
from groundswell.runtime.tables import Table

On = str | Sequence[str] | Column


@jvm.classic_only(
    "gs.as_of_now",
    "there is no SQL for it; run this part in a classic session",
)
def as_of_now(table: DataFrame | Table) -> DataFrame:
    """A table as it is when it is looked up; only to be joined, see :func:`temporal_join`.

    In SQL: a temp view of it, as the other side of an ``INNER`` join or the optional side of a
    ``LEFT`` or ``RIGHT`` one, by any condition; without an equality in one partition.

    Args:
        table: what stands for a source (``gs.upserts(...)``, ``pipeline.table(...)``) or for a view
            (``pipeline.read(name)``).

    Raises:
        SourceError: if it is another query; make it a view of the pipeline first.

    Examples:
        >>> carts = p.table("carts", "cart bigint, item string").df
        >>> prices = p.table("prices", "item string, price double", key="item")
        >>> gs.as_of_now(prices).createOrReplaceTempView("prices_now")
        >>> carts.createOrReplaceTempView("carts")
        >>> gs.why(spark.sql("SELECT * FROM carts JOIN prices_now USING (item)"))
        []
    """
    frame = table.df if isinstance(table, Table) else table
    return _meant(frame, "now", "gs.as_of_now", "gs.upserts(...), a table or pipeline.read(view)")


@jvm.classic_only(
    "gs.temporal_join",
    "there is no SQL for it; run this part in a classic session",
)
def temporal_join(
    stream: DataFrame, table: DataFrame | Table, on: On, how: str = "inner"
) -> DataFrame:
    """Each row of a stream beside the rows of a table as they are at its barrier, once and for all.

    A later change of the table does not change what was given; a row that the stream takes back is
    taken back as it was given. A row of the barrier sees what the same barrier does to the table.

    Args:
        stream: any query.
        table: see :func:`as_of_now`.
        on: as in ``DataFrame.join``: column names, or a condition; without an equality every row is
            compared with the whole table, in one partition. Of a condition, columns of the table
            are ``F.col("t.name")``-like, by an alias given before.
        how: ``inner`` or ``left``.

    Raises:
        SourceError: if the table is another query, or ``how`` another kind.

    Examples:
        >>> carts = p.table("carts", "cart bigint, item string").df
        >>> prices = p.table("prices", "item string, price double", key="item")
        >>> gs.temporal_join(carts, prices, "item", how="left").columns
        ['item', 'cart', 'price']
    """
    if how not in ("inner", "left"):
        raise SourceError(f"a temporal join is inner or left, got how={how!r}")
    keys: Any = on if isinstance(on, Column | str) else list(on)
    return stream.join(as_of_now(table), keys, how)


@jvm.classic_only(
    "gs.late_rows",
    "there is no SQL for it; run this part in a classic session",
)
def late_rows(source: DataFrame) -> DataFrame:
    """The rows of a source that came behind its watermark, which no other view has.

    They are a stream of their own, append-only: make a view of them, count them, deliver them.

    Args:
        source: ``gs.appends(df.withWatermark(...))``.

    Raises:
        SourceError: if it is something else, or has no watermark.

    Examples:
        >>> stream = spark.readStream.schema("ts timestamp, v bigint").json(folder)
        >>> marked = stream.withWatermark("ts", "10 seconds")
        >>> events = gs.appends(marked, name="events")
        >>> gs.late_rows(events).columns
        ['ts', 'v']
    """
    frame = _meant(source, "late", "gs.late_rows", "gs.appends(df.withWatermark(...))")
    described = jvm.Capture([frame]).description.sources
    (table,) = resolve(jvm.jvm_id(frame.sparkSession), described).values()
    if table.event_time is None:
        raise SourceError(
            "gs.late_rows: the source has no watermark, so none of its rows is late; make it with "
            "gs.appends(df.withWatermark(column, delay))"
        )
    if table.mode is not Mode.APPEND:
        raise SourceError(
            f"gs.late_rows: {table.name} has a key, and a late change of it is not a row of its "
            "own; take a source or table that rows are only added to"
        )
    return frame


@jvm.classic_only(
    "gs.asof_join",
    "there is no SQL for it; run this part in a classic session",
)
def asof_join(
    left: DataFrame,
    right: DataFrame,
    *,
    left_time: str,
    right_time: str,
    on: str | Sequence[str],
    how: str = "left",
) -> DataFrame:
    """Each left row beside the newest right row of its key that is not newer than it.

    It is an ordinary query, so it follows changes of both sides, and batch Spark gives the same.
    Of right rows with one key and time any one is taken, the same for all left rows. A change reads
    its neighbours, from the right row before it to the one after.

    Args:
        left: any query.
        right: any query; its columns, but for the key, come last and must have other names.
        left_time: name of a column of left that can be ordered.
        right_time: the same of right, of the same type.
        on: names of the key columns, on both sides.
        how: ``left`` or ``inner``: without the left rows that have no such right row.

    Raises:
        SourceError: if names are missing or ambiguous, or ``how`` is another kind.

    Examples:
        >>> rows = [("a", 3), ("a", 7)]
        >>> trades = spark.createDataFrame(rows, "symbol string, t int")
        >>> schema = "symbol string, qt int, price double"
        >>> quotes = spark.createDataFrame([("a", 1, 2.0)], schema)
        >>> joined = gs.asof_join(
        ...     trades, quotes, left_time="t", right_time="qt", on="symbol")
        >>> sorted((row.t, row.price) for row in joined.collect())
        [(3, 2.0), (7, 2.0)]
    """
    keys = [on] if isinstance(on, str) else list(on)
    _check_asof(left, right, left_time, right_time, keys, how)
    others = [c for c in right.columns if c not in keys]
    matched = _columns(keys)
    empty = F.lit(None).cast(left.select(F.struct(*_columns(left.columns))).schema[0].dataType)
    seen = F.struct(*_columns(others))
    nothing = F.lit(None).cast(right.select(seen).schema[0].dataType)
    lefts = left.select(
        *matched,
        by_name(left_time).alias("_time"),
        F.lit(1).alias("_side"),
        F.struct(*_columns(left.columns)).alias("_left"),
        nothing.alias("_right"),
    )
    rights = right.where(by_name(right_time).isNotNull()).select(
        *matched,
        by_name(right_time).alias("_time"),
        F.lit(0).alias("_side"),
        empty.alias("_left"),
        seen.alias("_right"),
    )
    order = [F.col("_time").asc_nulls_first(), F.col("_side").asc()]
    order += [F.to_json("_right").asc()]
    so_far = Window.partitionBy(*matched).orderBy(*order)
    so_far = so_far.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    met = F.last("_right", ignorenulls=True).over(so_far)
    known = reduce(Column.__and__, (key.isNotNull() for key in matched))
    rows = lefts.unionByName(rights).withColumn("_met", F.when(known, met))
    rows = rows.where("_side = 1")
    if how == "inner":
        rows = rows.where(F.col("_met").isNotNull())
    return rows.select(
        *(by_name("_left", c).alias(c) for c in left.columns),
        *(by_name("_met", c).alias(c) for c in others),
    )


def _columns(names: Sequence[str]) -> list[Column]:
    return [by_name(name) for name in names]


def _check_asof(
    left: DataFrame, right: DataFrame, left_time: str, right_time: str, keys: list[str], how: str
) -> None:
    if how not in ("left", "inner"):
        raise SourceError(f"an as-of join is left or inner, got how={how!r}")
    if wrong := [name for name in (left_time, right_time, *keys) if not isinstance(name, str)]:
        raise SourceError(
            f"gs.asof_join: columns are given by their names, got {wrong[0]!r}. A key that has two "
            "names needs one: rename it on one side with withColumnRenamed"
        )
    for side, frame, names in (
        ("left", left, [left_time, *keys]),
        ("right", right, [right_time, *keys]),
    ):
        missing = [name for name in names if name not in frame.columns]
        if missing or not keys:
            raise SourceError(
                f"gs.asof_join: the {side} side has no column {', '.join(missing) or 'to join on'};"
                f" it has {', '.join(frame.columns)}"
            )
    both = [c for c in right.columns if c not in keys and c in left.columns]
    types = left.schema[left_time].dataType, right.schema[right_time].dataType
    if both or types[0] != types[1]:
        raise SourceError(
            f"gs.asof_join: both sides have {', '.join(both)}; rename one"
            if both
            else f"gs.asof_join: {left_time} is {types[0].simpleString()}, {right_time} is "
            f"{types[1].simpleString()}; cast one"
        )


def _meant(frame: Any, use: str, what: str, wanted: str) -> DataFrame:
    if not isinstance(frame, DataFrame):
        raise SourceError(f"{what} takes {wanted}, got {type(frame)}")
    try:
        return jvm.placeholder_as(frame, use)
    except ValueError as e:
        columns = ", ".join(frame.columns)
        raise SourceError(
            f"{what} takes {wanted}, not another query or stream; got one of ({columns})"
        ) from e
