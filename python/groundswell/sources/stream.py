"""A stream that Python reads, as Spark reads streams."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.runtime.planning.sources import Size


def stream(
    spark: SparkSession,
    name: str,
    columns: StructType,
    reader: Callable[[Size], DataSourceStreamReader],
    shared: str | None = None,
) -> DataFrame:
    """The rows of a stream; what its reader needs is no option, which Spark would show.

    Args:
        spark: a session of this process's JVM.
        name: that no other stream has.
        columns: of the stream.
        reader: makes what tells offsets and reads parts, of the most that a barrier takes.
        shared: what the checkpoint calls it if several sources read it at one offset.
    """

    def open_(rows: int, bytes_: int) -> DataSourceStreamReader:
        return reader(Size(rows, bytes_))

    return jvm.python_stream(spark, name, columns, open_, shared)
