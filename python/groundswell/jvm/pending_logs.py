"""Spark's logs of a checkpoint, written beside the micro-batches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pyspark.sql import SparkSession

from groundswell.jvm.errors import JVM_ERRORS, JavaPackage, engine_errors


class PendingLogs:
    """The logs of one checkpoint: Spark goes on before storage has an entry.

    Args:
        spark: the session that runs the pipeline.
        location: the checkpointLocation, qualified.
    """

    def __init__(self, spark: SparkSession, location: str) -> None:
        self._spark = spark
        self._location = location
        self._handle: Any = None

    def open(self) -> None:
        """Has entries written beside the micro-batches from now on, until it is closed."""
        logs = JavaPackage(self._spark, "io.groundswell.spark.store.checkpoint").PendingLogs
        conf = self._spark._jsparkSession.sessionState().newHadoopConf()
        with engine_errors():
            self._handle = logs.open(self._location, conf)

    def await_planned(self, batch: int) -> None:
        """Returns when storage has the offsets of a batch, and what they refer to."""
        with engine_errors():
            self._handle.awaitPlanned(batch)

    def release(self, batch: int) -> None:
        """Lets the commit log say that batches up to that one are done; it does so soon."""
        with engine_errors():
            self._handle.release(batch)

    def await_recorded(self, batch: int) -> None:
        """Returns when the commit log in storage says that a batch is done, if it was released."""
        with engine_errors():
            self._handle.awaitRecorded(batch)

    def await_all(self) -> None:
        """Returns when storage has all entries that may be written."""
        with engine_errors():
            self._handle.awaitAll()

    def close(self) -> None:
        """Writes entries at once from now on; quietly, also when the JVM is gone."""
        if self._handle is None:
            return
        with suppress(*JVM_ERRORS, OSError):
            self._handle.close()
