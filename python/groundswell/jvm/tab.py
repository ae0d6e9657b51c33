"""The tab of Spark's UI, drawn by this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from pyspark.sql import SparkSession

from groundswell.jvm.callbacks import port_of
from groundswell.jvm.errors import JavaPackage, engine_errors

_PACKAGE = "io.groundswell.spark.ui"
_SOURCE = f"{_PACKAGE}.PageSource"
_ATTACHED: WeakSet[Any] = WeakSet()

Answer = Callable[[str, str], str]
"""Takes (path, query), gives type and content, as ``PageSource`` has it."""


class PageCallback:
    """Python's end of the JVM's PageSource."""

    def __init__(self, answer: Answer) -> None:
        self._given = answer

    def answer(self, path: str, query: str) -> str:
        """Called by the JVM, on any thread."""
        return self._given(path, query)


def attach_tab(spark: SparkSession, answer: Answer) -> None:
    """Adds the tab to the application's UI, once; does nothing if it has no UI."""
    context = spark.sparkContext
    if context in _ATTACHED or not context.uiWebUrl:
        return
    with engine_errors():
        port = port_of(spark)
        source = port.java_object(spark, port.put(PageCallback(answer)), _SOURCE)
        JavaPackage(spark, _PACKAGE).PipelineTab.attach(context._jsc.sc(), source)
    _ATTACHED.add(context)
