"""A stream that Python reads, by the interface that Spark has for such readers."""

from __future__ import annotations

import json
import pickle
from base64 import b64encode
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.runtime.planning.sources import Size


class _Json:
    """A reader, with offsets as JSON and parts as pickles."""

    def __init__(self, reader: DataSourceStreamReader) -> None:
        self._reader = reader

    def initialOffset(self) -> str:
        return json.dumps(self._reader.initialOffset())

    def latestOffset(self, start: str) -> str:
        return json.dumps(self._reader.latestOffset(json.loads(start), ReadAllAvailable()))

    def partitions(self, start: str, end: str) -> str:
        parts = self._reader.partitions(json.loads(start), json.loads(end))
        return "\n".join(b64encode(pickle.dumps(part)).decode() for part in parts)

    def commit(self, end: str) -> None:
        self._reader.commit(json.loads(end))

    def prepareForTriggerAvailableNow(self) -> None:
        if isinstance(self._reader, SupportsTriggerAvailableNow):
            self._reader.prepareForTriggerAvailableNow()

    def stop(self) -> None:
        self._reader.stop()


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

    def open_(rows: int, bytes_: int) -> _Json:
        return _Json(reader(Size(rows, bytes_)))

    return jvm.python_stream(spark, name, columns, open_, reader(Size()).read, shared)
