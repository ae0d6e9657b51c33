"""Frames that stand for sources and views in queries, and the sources of a pipeline as one."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from groundswell.jvm.errors import JVM_ERRORS, engine_errors, text_of
from groundswell.jvm.lists import items, java_list
from groundswell.jvm.process import entry


def placeholder(streaming: DataFrame, name: str | None = None) -> tuple[str, DataFrame]:
    """A batch DataFrame that stands for a stream in any query, and its source's key.

    Args:
        streaming: the stream.
        name: of the source, for whoever tries to run the frame; None: it has none yet.
    """
    spark = streaming.sparkSession
    with engine_errors():
        placeholders = entry(spark).Placeholders
        handle = placeholders.of(streaming._jdf, name)
        return placeholders.key(handle), DataFrame(handle, spark)


def may_have_watermark(frame: DataFrame) -> bool:
    """Whether a source that a query reads has a watermark; a view that it reads may have one."""
    with engine_errors():
        return bool(entry(frame.sparkSession).Placeholders.mayHaveWatermark(frame._jdf))


def is_limited(streaming: DataFrame) -> bool:
    """Whether a stream has a LIMIT of its own."""
    with engine_errors():
        return bool(entry(streaming.sparkSession).Placeholders.isLimited(streaming._jdf))


def stream_names(streaming: DataFrame) -> list[str]:
    """The names that the streams which a frame reads were given, each stream once."""
    with engine_errors():
        return items(entry(streaming.sparkSession).Placeholders.names(streaming._jdf))


def view_placeholder(view: DataFrame, name: str | None = None) -> tuple[str, DataFrame]:
    """A DataFrame with the columns of a view, for other views to read, and its key.

    Args:
        view: has the columns.
        name: of the view, for whoever tries to run it; None: nobody can.
    """
    with engine_errors():
        placeholders = entry(view.sparkSession).Placeholders
        handle = placeholders.ofView(view._jdf, name)
        return placeholders.key(handle), DataFrame(handle, view.sparkSession)


def source_key(frame: DataFrame) -> str | None:
    """The key of the source that a frame stands for; None: it is another query."""
    with engine_errors():
        placeholders = entry(frame.sparkSession).Placeholders
        return placeholders.key(frame._jdf) if placeholders.isPlaceholder(frame._jdf) else None


def reads_placeholder(frame: DataFrame) -> bool:
    """Whether a frame reads what stands for a source or a view."""
    with engine_errors():
        return bool(entry(frame.sparkSession).Placeholders.isOver(frame._jdf))


def placeholder_as(standing: DataFrame, use: str) -> DataFrame:
    """What stands for a source or view, meant in another way: ``now`` or ``late``.

    Raises:
        ValueError: if the frame is another query.
    """
    spark = standing.sparkSession
    try:
        with engine_errors():
            return DataFrame(entry(spark).Placeholders.meant(standing._jdf, use), spark)
    except JVM_ERRORS as e:
        raise ValueError(text_of(e)) from e


def source_union(
    sources: Sequence[DataFrame], names: Sequence[str], limits: Sequence[tuple[int, int]] = ()
) -> DataFrame:
    """All sources as one streaming DataFrame of structs, named for the checkpoint.

    Args:
        sources: streaming DataFrames.
        names: what the checkpoint calls each.
        limits: of each source, the rows and bytes that one micro-batch takes; 0: any number.
            Default: no limits.
    """
    spark = sources[0].sparkSession
    most = limits or [(0, 0)] * len(sources)
    with engine_errors():
        frames = java_list(spark, [frame._jdf for frame in sources])
        given = java_list(spark, [java_list(spark, each) for each in most])
        union = entry(spark).SourceUnion.of(frames, java_list(spark, names), given)
        return DataFrame(union, spark)
