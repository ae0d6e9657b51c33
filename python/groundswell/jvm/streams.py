"""Streams that Python reads: offsets in this process, rows in tasks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession
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

Open = Callable[[int, int], Any]
"""Makes what tells the offsets of one run: an object with the methods of ``PythonReader`` in Java.

Takes the rows and bytes that a barrier has at most; 0: any number.
"""

Read = Callable[[Any], "Iterator[pa.RecordBatch]"]
"""Gives the rows of a part; it can be pickled."""


class _Open:
    """A reader that is behind the port until it is stopped."""

    def __init__(self, reader: Any, port: CallbackPort) -> None:
        self._reader = reader
        self._port = port
        self.id = port.put(self)

    def __getattr__(self, method: str) -> Any:
        return getattr(self._reader, method)

    def stop(self) -> None:
        self._port.remove(self.id)
        self._reader.stop()


class _Readers:
    """Python's end of the JVM's ``PythonReaders``."""

    def __init__(self, open_: Open, port: CallbackPort) -> None:
        self._open = open_
        self._port = port

    def open(self, rows: int, bytes_: int) -> str:
        return _Open(self._open(rows, bytes_), self._port).id


def python_stream(
    spark: SparkSession,
    name: str,
    columns: StructType,
    open_: Open,
    read: Read,
    shared: str | None = None,
) -> DataFrame:
    """The rows of a stream that Python reads.

    Spark's own interface for such streams starts a process for each at every start, one after the
    other. Here this process tells offsets; what it raises ends the query.

    Args:
        spark: a session of this process's JVM.
        name: that no other stream has.
        columns: of the stream.
        open_: makes what tells offsets.
        read: gives the rows of a part.
        shared: what the checkpoint calls it if several sources read it at one offset.
    """
    port = port_of(spark)

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
