"""Messages of JSON by Spark alone, with no code of ours."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, DataFrameReader
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamReader


def rows(
    reader: DataStreamReader | DataFrameReader,
    servers: str,
    topic: str,
    schema: str,
    **options: Any,
) -> DataFrame:
    """A topic from its first message on, as a stream or at once; ``options`` are Spark's."""
    named = {"kafka.bootstrap.servers": servers, "subscribe": topic}
    messages = reader.format("kafka").options(startingOffsets="earliest", **named, **options)
    row = F.from_json(F.col("value").cast("string"), schema)
    return messages.load().select(row.alias("row")).select("row.*")
