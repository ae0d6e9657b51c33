"""The class that Spark is given for a stream that Python reads."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql.datasource import DataSource, DataSourceStreamReader
from pyspark.sql.types import StructType

from groundswell.runtime.planning.sources import Size

_ROWS, _BYTES = "groundswell.maxRows", "groundswell.maxBytes"
"""Options by which the JVM limits readers of ours (``StreamLimits``)."""


def data_source(
    format_: str, columns: StructType, reader: Callable[[Size], DataSourceStreamReader]
) -> type[DataSource]:
    """A class for Spark; what the reader needs is no option, which Spark would show.

    Args:
        format_: its name, as ``spark.readStream.format`` takes it.
        columns: of the stream.
        reader: makes what tells offsets and reads parts, of the most that a barrier takes; it is
            sent to Spark's Python processes.
    """

    class PythonStream(DataSource):
        @classmethod
        def name(cls) -> str:
            return format_

        def schema(self) -> StructType:
            return columns

        def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: ARG002
            most = (int(self.options.get(key, 0)) for key in (_ROWS, _BYTES))
            return reader(Size(*most))

    return PythonStream
