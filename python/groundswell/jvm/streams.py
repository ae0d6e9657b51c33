"""Streams that Python reads: offsets in this process, rows in tasks."""

from __future__ import annotations

import json
import pickle
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType
from pyspark.sql.udf import _wrap_function

from groundswell.jvm.callbacks import CallbackPort, port_of
from groundswell.jvm.errors import JavaPackage, engine_errors

if TYPE_CHECKING:
    import pyarrow as pa

_PROVIDER = "io.groundswell.spark.views.entry.PythonStreamProvider"
_READER = "groundswell.reader"
_SHARED = "groundswell.stream"
"""Options that the JVM knows: which stream is read, and its name in the checkpoint."""

Open = Callable[[int, int], DataSourceStreamReader]
"""Makes the reader of one run, of the rows and bytes that a barrier takes at most; 0: any number.

Its ``read`` gives batches of Arrow, and it can be pickled.
"""


class _Reader:
    """Python's end of the JVM's ``PythonReader``."""

    def __init__(self, reader: DataSourceStreamReader, port: CallbackPort) -> None:
        self._reader = reader
        self._port = port
        self.id = port.put(self)

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
        self._port.remove(self.id)
        self._reader.stop()


class _Readers:
    """Python's end of the JVM's ``PythonReaders``."""

    def __init__(self, open_: Open, port: CallbackPort) -> None:
        self._open = open_
        self._port = port

    def open(self, rows: int, bytes_: int) -> str:
        return _Reader(self._open(rows, bytes_), self._port).id


def python_stream(
    spark: SparkSession, name: str, columns: StructType, open_: Open, shared: str | None = None
) -> DataFrame:
    """The rows of a stream that Python reads.

    Spark's own interface for such streams starts a process for each at every start, one after the
    other. Here this process tells offsets; what it raises ends the query.

    Args:
        spark: a session of this process's JVM.
        name: that no other stream has.
        columns: of the stream.
        open_: makes what reads it.
        shared: what the checkpoint calls it if several sources read it at one offset.
    """
    port = port_of(spark)
    read = open_(0, 0).read

    def rows(parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in parts:
            for part in batch.column(0):
                yield from read(pickle.loads(part.as_py()))  # noqa: S301 - of the driver

    with engine_errors():
        provider = JavaPackage(spark, _PROVIDER.rpartition(".")[0]).PythonStreamProvider
        function = _wrap_function(spark.sparkContext, rows, columns)
        readers = port.put(_Readers(open_, port))
        provider.register(name, port.java_port, readers, columns.json(), function)
        reader = spark.readStream.format(_PROVIDER).option(_READER, name)
        return (reader if shared is None else reader.option(_SHARED, shared)).load()
