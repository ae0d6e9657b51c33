"""What the JVM throws, as errors of this package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from groundswell.errors import ENGINE_ERRORS, ConfigurationError, EngineError, GroundswellError

JVM_ERRORS = (Py4JError, PySparkException)
"""What a call of the JVM may raise."""

_ENGINE_MESSAGE = re.compile(r"EngineException: \[(\w+)\] ([^\n]*)")


def jvm_of(spark: SparkSession) -> Any:
    """The JVM behind a session, as py4j shows it."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return jvm


class JavaPackage:
    """Classes of one package, by attribute.

    Each is found in one step; py4j's own way asks for every step of a dotted name, and for each of
    them the JVM searches all jars of the class path.
    """

    def __init__(self, spark: SparkSession, name: str) -> None:
        self._name = name
        self._client = jvm_of(spark)._gateway_client

    def __getattr__(self, name: str) -> Any:
        return JavaClass(f"{self._name}.{name}", self._client)


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turns what the JVM throws into errors of this package, where it is one of ours."""
    try:
        yield
    except GroundswellError:
        raise
    except JVM_ERRORS as e:
        translated = translate(e)
        if translated is None:
            raise
        raise translated from e


def translate(error: BaseException) -> GroundswellError | None:
    """The error of this package behind an exception of Spark or py4j, or None."""
    found = _ENGINE_MESSAGE.search(text_of(error))
    if found:
        return ENGINE_ERRORS.get(found[1], EngineError)(f"[{found[1]}] {found[2]}")
    if "'JavaPackage' object is not callable" in str(error):
        return ConfigurationError(
            "the groundswell jar is not on Spark's class path; make the session with "
            "gs.configure(SparkSession.builder), or pass --jars $(python -m groundswell jar)"
        )
    return None


def text_of(error: BaseException) -> str:
    """Everything an exception of Spark or py4j says, with its JVM causes."""
    parts = [str(error)]
    java = _java_exception(error)
    for _ in range(20):
        if java is None:
            break
        parts.append(str(java.toString()))
        java = java.getCause()
    return "\n".join(parts)


def _java_exception(error: BaseException) -> Any:
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)


def java_class(error: BaseException) -> str:
    """The class of the Java exception behind it; empty if there is none."""
    java = _java_exception(error)
    return str(java.getClass().getName()) if java is not None else ""
