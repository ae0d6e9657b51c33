"""``DataFrame.incremental()``."""

from __future__ import annotations

from datetime import timedelta
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from groundswell import jvm
from groundswell.api.writer import IncrementalWriter
from groundswell.catalog.view import View, check_emit
from groundswell.errors import InvalidArgument, NotIncremental, SourceError
from groundswell.plan.divert import FAIL, check_errors
from groundswell.plan.expiry import Ttl, check_ttl
from groundswell.runtime.planning.planned import plan_views

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class IncrementalFrame:
    """A query that was found to be incremental; nothing runs yet.

    Examples:
        >>> votes = p.table("votes", "story bigint, user string")
        >>> counts = votes.df.groupBy("story").count().incremental()
        >>> counts.columns
        ['story', 'count']
        >>> "key (story)" in counts.plan
        True
    """

    def __init__(
        self,
        frame: DataFrame,
        emit: str = "update",
        ttl: Ttl | None = None,
        errors: str = FAIL,
    ) -> None:
        self.frame = frame
        self.emit = check_emit(emit)
        self.ttl = ttl
        self.errors = check_errors(errors)
        self._planned = plan_views({"": View(frame, emit, ttl, errors)})

    @property
    def schema(self) -> StructType:
        """The view's columns."""
        return self.frame.schema

    @property
    def columns(self) -> list[str]:
        """Names of the view's columns."""
        return list(self.frame.columns)

    @property
    def plan(self) -> str:
        """What :meth:`explain` prints."""
        return self._planned.explain()

    def explain(self) -> None:
        """Prints operators as a tree, with changelog kind, stream key and state tables."""
        print(self.plan)  # noqa: T201

    @property
    def writeStream(self) -> IncrementalWriter:
        """Starts the view, in Spark's own way."""
        return IncrementalWriter(View(self.frame, self.emit, self.ttl, self.errors))

    def _repr_html_(self) -> str:
        columns = "".join(
            f"<tr><td>{escape(f.name)}</td><td>{escape(f.dataType.simpleString())}</td></tr>"
            for f in self.schema.fields
        )
        return f"<table>{columns}</table><pre>{escape(self.plan)}</pre>"

    def __repr__(self) -> str:
        return f"IncrementalFrame[{', '.join(self.columns)}]"


@jvm.classic_only(
    "gs.why",
    "EXPLAIN CREATE MATERIALIZED VIEW ... AS <query>",
)
def why(frame: DataFrame) -> list[tuple[str, str]]:
    """What of a query cannot be kept up to date, and why; empty if all of it can.

    Each is ``(what, reason)``, as in :class:`~groundswell.errors.NotIncremental`.

    Examples:
        >>> votes = p.table("votes", "story bigint, user string")
        >>> gs.why(votes.df.groupBy("story").count())
        []
        >>> [what for what, reason in gs.why(votes.df.selectExpr("*", "rand() r"))]
        ['rand()']

    Raises:
        InvalidArgument: it is not a DataFrame.
    """
    if not isinstance(frame, DataFrame):
        raise InvalidArgument(
            f"gs.why takes a query, as spark.sql('...'), got {type(frame).__name__}"
        )
    try:
        plan_views({"": View(frame)})
    except NotIncremental as e:
        return e.refusals
    return []


@jvm.classic_only(
    "DataFrame.incremental()",
    "CREATE MATERIALIZED VIEW <name> AS <query>",
)
def _incremental(
    self: DataFrame,
    emit: str = "update",
    *,
    ttl: str | timedelta | None = None,
    ttl_column: str | None = None,
    errors: str = FAIL,
) -> IncrementalFrame:
    """This query as a view that is kept up to date with changes.

    Args:
        self: the query.
        emit: ``update``: rows change as their inputs do; ``window_close``: a row is given once,
            when the watermark has passed it, and never changes.
        ttl: how long a row stays by the barriers' clock, as ``"1 hour"``; default: for ever.
        ttl_column: since when: a timestamp column of the query; default: since it last changed.
        errors: what a row does that an expression of the query cannot digest: ``fail``: it ends
            the barrier with a ``RowFailed``; ``divert``: it is set aside, as a row of the view
            ``NAME_diverted`` beside this one, until it changes or goes.

    Raises:
        NotIncremental: with every operator that cannot be kept, the reason, and a way round.

    Examples:
        >>> events = p.table("events", "ts timestamp, v bigint").df
        >>> events = events.withWatermark("ts", "10 seconds")
        >>> per_minute = events.groupBy(F.window("ts", "1 minute")).sum("v")
        >>> per_minute.incremental(emit="window_close")
        IncrementalFrame[window, sum(v)]
    """
    return IncrementalFrame(self, emit, check_ttl(ttl, ttl_column), errors)


def _with_watermark(self: ClassicDataFrame, eventTime: str, delayThreshold: str) -> DataFrame:
    if jvm.reads_placeholder(self):
        called = f"withWatermark({eventTime!r}, {delayThreshold!r})"
        raise SourceError(
            f"{called} must be called on the stream itself, gs.appends(df.{called}), or on the df "
            f"of a table, table.df.{called}: this DataFrame is a query over a source, and Spark "
            "would leave the watermark out without a word"
        )
    return _spark_with_watermark(self, eventTime, delayThreshold)


_spark_with_watermark = ClassicDataFrame.withWatermark


def install() -> None:
    """Gives every DataFrame its ``incremental()``, and a ``withWatermark`` that is not ignored."""
    frame: Any = DataFrame
    frame.incremental = _incremental
    classic: Any = ClassicDataFrame
    classic.withWatermark = wraps(_spark_with_watermark)(_with_watermark)
