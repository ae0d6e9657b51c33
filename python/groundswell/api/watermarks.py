"""Watermarks that are given beside a source: judged before anything is made of it."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.errors import ConfigurationError

Mark = tuple[str, str]
"""A column of event time, and how late it may be."""


def with_watermark(rows: DataFrame, mark: Mark | None, what: str) -> DataFrame:
    """A stream with a watermark, if one is given.

    Args:
        rows: the stream.
        mark: the watermark.
        what: whose it is, for messages.

    Raises:
        ConfigurationError: the column is not there or not a time, or the delay is not one.
    """
    if mark is None:
        return rows
    column, delay = mark
    try:
        return rows.withWatermark(column, delay)
    except PySparkException as error:
        said = jvm.first_line(error).partition(" SQLSTATE")[0].rstrip(".")
        raise ConfigurationError(
            f"{what}: a watermark of column {column} with the delay {delay!r} does not fit: {said}."
            " Give a TIMESTAMP column and a delay such as '5 minutes', in SQL INTERVAL 5 MINUTES"
        ) from None


def check_watermark(spark: SparkSession, mark: Mark | None, columns: StructType, what: str) -> None:
    """Refuses what :func:`with_watermark` would, while there is no stream yet.

    Args:
        spark: the session.
        mark: the watermark.
        columns: of the source.
        what: whose it is, for messages.
    """
    if mark is None:
        return
    empty = spark.readStream.format("rate").load()
    typed = [lit(None).cast(f.dataType).alias(f.name) for f in columns.fields]
    with_watermark(empty.select(*typed), mark, what)
