"""Watermarks that statements give to tables and sources."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit
from pyspark.sql.types import StructType

from groundswell.errors import ConfigurationError
from groundswell.sql.parsing import statements as s


def with_watermark(rows: DataFrame, relation: s.CreateRelation) -> DataFrame:
    """A stream with the watermark that a statement gives it, if it does.

    Raises:
        ConfigurationError: the column is not a time, or the delay is not one.
    """
    mark = relation.watermark
    if mark is None:
        return rows
    try:
        return rows.withWatermark(mark.column, mark.delay)
    except PySparkException as error:
        said = str(error).strip().splitlines()[0].partition(" SQLSTATE")[0]
        raise ConfigurationError(
            f"{relation.name[-1]}: WATERMARK FOR {mark.column} with the delay {mark.delay!r} does "
            f"not fit: {said} Give a TIMESTAMP column and a delay such as INTERVAL 5 MINUTES"
        ) from None


def check_watermark(spark: SparkSession, relation: s.CreateRelation, schema: StructType) -> None:
    """Refuses what :func:`with_watermark` would, while nothing of the table is written.

    Args:
        spark: the session.
        relation: the statement.
        schema: the columns of the table.
    """
    if relation.watermark is not None:
        mark = relation.watermark.column
        kind = schema[mark].dataType
        empty = spark.readStream.format("rate").load()
        with_watermark(empty.select(lit(None).cast(kind).alias(mark)), relation)
