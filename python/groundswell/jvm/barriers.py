"""How micro-batches of Spark reach a pipeline of this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell.jvm.callbacks import port_of
from groundswell.jvm.errors import JVM_ERRORS, engine_errors
from groundswell.jvm.owners import Ownership
from groundswell.jvm.process import entry

SINK = "io.groundswell.spark.views.entry.BarrierSinkProvider"
TABLE_SOURCE = "io.groundswell.spark.views.entry.TableSourceProvider"
CLOCK = "io.groundswell.spark.views.entry.ClockProvider"

BarrierFunction = Callable[[int, Any], None]
"""Takes (epoch, batch); the batch is a handle for :meth:`Dataflow.run`."""

_FAILURE_LENGTH = 2000
_HANDLER = "io.groundswell.spark.views.entry.BarrierHandler"
_CALLBACKS: dict[str, str] = {}
"""Pipeline -> name of its callback behind the port."""


class BarrierCallback:
    """Python's end of the JVM's BarrierHandler.

    Attributes:
        failure: the exception that ended the query, as Python raised it; the JVM only sees text.
        stopping: set before the query is stopped, which interrupts the barrier at work.
    """

    def __init__(self, function: BarrierFunction) -> None:
        self._function = function
        self.failure: BaseException | None = None
        self.stopping = False

    def onBarrier(self, epoch: int, batch: Any) -> str | None:
        """Called by the JVM on the stream's thread; what BarrierHandler says it returns."""
        try:
            with engine_errors():
                self._function(epoch, batch)
        except BaseException as e:  # noqa: BLE001 - the query ends with it, and keeps it
            if self.stopping:
                return ""
            self.failure = e
            return f"{type(e).__name__}: {e}"[:_FAILURE_LENGTH]
        return None


def register_pipeline(spark: SparkSession, pipeline: str, callback: BarrierCallback) -> None:
    """Makes ``pipeline`` a sink of this process; its barriers go to ``callback``."""
    bridge = entry(spark)
    with engine_errors():
        port = port_of(spark)
        _CALLBACKS[pipeline] = port.put(callback)
        handler = port.java_object(spark, _CALLBACKS[pipeline], _HANDLER)
        bridge.BarrierSinkProvider.register(pipeline, handler)


def clock_source(spark: SparkSession, pipeline: str, seconds: float) -> DataFrame:
    """A stream without rows that has news when no barrier has run for so many seconds."""
    with engine_errors():
        entry(spark).ClockProvider.register(pipeline, float(seconds))
        return spark.readStream.format(CLOCK).option("pipeline", pipeline).load()


def ask_for_barrier(spark: SparkSession, pipeline: str) -> bool:
    """Makes the clock source have news now; False if the pipeline has none."""
    return bool(entry(spark).ClockProvider.ask(pipeline))


def tables_within(sources: DataFrame, pipeline: str, home: str, ownership: Ownership) -> DataFrame:
    """The sources of a pipeline, whose tables this run reads: it takes transactions in, too.

    Args:
        sources: all of them as one stream.
        pipeline: as it was registered.
        home: location of the pipeline's folder in the checkpointLocation.
        ownership: the claim of this run.
    """
    spark = sources.sparkSession
    provider = entry(spark).TableSourceProvider
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    with engine_errors():
        provider.register(pipeline, home, ownership.handle, conf)
        return DataFrame(provider.within(sources._jdf, pipeline), spark)


def unregister_pipeline(spark: SparkSession, pipeline: str) -> None:
    """Forgets a pipeline; quietly, also when the JVM is gone."""
    with suppress(*JVM_ERRORS, OSError, AttributeError):
        entry(spark).BarrierSinkProvider.unregister(pipeline)
        entry(spark).TableSourceProvider.unregister(pipeline)
        port_of(spark).remove(_CALLBACKS.pop(pipeline, ""))
