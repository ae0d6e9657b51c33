"""What the JVM throws, as errors of this package."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from py4j.java_gateway import JavaClass, is_instance_of
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from groundswell.errors import (
    ENGINE_ERRORS,
    ConfigurationError,
    EngineError,
    GroundswellError,
    IllegalState,
    JavaFailed,
    PipelineFailed,
    SourceError,
    SourceLost,
    StorageFailed,
    ViewError,
)
from groundswell.jvm.jars import check_jar

JVM_ERRORS = (Py4JError, PySparkException)
"""What a call of the JVM may raise."""

_IO = ("java.io.IOException", "org.apache.hadoop.fs.FSError")

_ENGINE = "io.groundswell.error.EngineException"

_STACK = re.compile(r"\s+at |\s*\.\.\. \d+ more|Caused by: |=== |(JVM|Driver) stacktrace:")
"""The first line of what only says where in Spark it was, or how the query looks."""

_CHILD = re.compile(r"[: ]*[+:]- ")
"""A line of a plan, but its first."""

_WRITE = "cannot write "
"""Begins what our own files say that cannot be stored."""

AGAIN = "start again: what was published before is not lost"
"""What to do once a storage is mended."""

_PLAN = re.compile(r"(SQLSTATE: \w+(?:; line \d+,? pos \d+)?);\n.*", re.DOTALL)
"""Where the plan begins that Spark shows behind what is wrong with a statement."""

_MOST_LINES = 8
_MOST_LETTERS = 500

_ENGINE_MESSAGE = re.compile(r"(?:Engine|Fenced|Unanswered)Exception: \[(\w+)\] ([^\n]*)")

_KAFKA_LOSS = re.compile(r"KafkaIllegalStateException: .*?Reason: *([^\n]+)", re.DOTALL)
_KAFKA_GONE = re.compile(r"UnknownTopicOrPartitionException: ([^\n]+)")
"""How Spark's Kafka source says that it did not find what it wanted."""

_NO_SESSION = "Cannot call methods on a stopped SparkContext"
_STOPPED = (
    "the Spark session has been stopped: make another one, and start the pipeline with it, at the "
    "same location"
)

_ELSEWHERE = re.compile(r"Wrong basePath (\S+) for the root path: (\S+)")
"""How Spark says that a file source's log is of another folder."""

_SOURCE = re.compile(r"groundswell\.errors\.(SourceError|SourceLost): ([^\n]+)")
"""What a source in Python raised, as Spark shows its traceback."""


class _NoRows(logging.Filter):
    """Leaves out rows that fail: PySpark logs the stack when it makes an error of a query's text.

    The JVM has logged the row, and the caller gets the error.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is not about a failing row."""
        error = record.exc_info[1] if record.exc_info else None
        return error is None or "EngineException: [ROW_FAILED]" not in str(error)


_QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

for _name in _QUERY_LOGGERS:
    PySparkLogger.getLogger(_name).addFilter(_NoRows())


def leave_errors_to_the_caller() -> None:
    """Has PySpark log no errors of queries: in a command, who catches one prints it."""
    for name in _QUERY_LOGGERS:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)


def has_session(spark: SparkSession) -> bool:
    """Whether a session has not been stopped."""
    return getattr(spark.sparkContext, "_jsc", None) is not None


def is_gone(error: BaseException) -> bool:
    """Whether an exception says that the JVM has ended."""
    return isinstance(error, Py4JNetworkError | ConnectionError)


def check_session(spark: SparkSession) -> None:
    """Refuses a session that has been stopped.

    Raises:
        IllegalState: it has.
    """
    if not has_session(spark):
        raise IllegalState(_STOPPED)


def jvm_of(spark: SparkSession) -> Any:
    """The JVM behind a session, as py4j shows it.

    Raises:
        IllegalState: the session has been stopped.
    """
    check_session(spark)
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return jvm


class JavaPackage:
    """Classes of one package, by attribute.

    Each is found in one step; py4j's own way asks for every step of a dotted name, and for each of
    them the JVM searches all jars of the class path.
    """

    def __init__(self, spark: SparkSession, name: str) -> None:
        jvm = jvm_of(spark)
        if name.startswith("io.groundswell"):
            check_jar(jvm)
        self._name = name
        self._client = jvm._gateway_client

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
        if translated is None and isinstance(e, Py4JJavaError):
            translated = JavaFailed(summary(e))
        if translated is None:
            raise
        raise translated from e


def translate(error: BaseException) -> GroundswellError | None:
    """The error of this package behind an exception of Spark or py4j, or None."""
    text = text_of(error)
    if found := _ENGINE_MESSAGE.search(text):
        if found[1] == "SOURCE":
            return SourceError(found[2])
        return _of_engine(error, found[1], f"[{found[1]}] {found[2]}")
    if found := _SOURCE.search(text):
        return {"SourceError": SourceError, "SourceLost": SourceLost}[found[1]](found[2].strip())
    if _NO_SESSION in text:
        return IllegalState(_STOPPED)
    if found := _ELSEWHERE.search(text):
        return ConfigurationError(
            f"this location was copied or moved: Spark's logs name {found[2]}, which is to be in "
            f"{found[1]}. Move it back, or copy it with python -m groundswell clone"
        )
    if found := _KAFKA_LOSS.search(text) or _KAFKA_GONE.search(text):
        return SourceLost(
            f"a Kafka topic lost messages that were still to be read: {found[1].strip()}. They "
            "were deleted by retention, or the topic was deleted. What was read before is kept. "
            "Start at a new location, or read on without them with option failOnDataLoss = false"
        )
    return None


def _of_engine(error: BaseException, code: str, message: str) -> EngineError:
    """The error of a code; names of views come from Java's exception, not from its text."""
    kind = ENGINE_ERRORS.get(code, EngineError)
    if not issubclass(kind, ViewError):
        return kind(message)
    gateway = SparkContext._gateway
    for java in _chain(error):
        if gateway is not None and is_instance_of(gateway, java, _ENGINE):
            place = java.place()
            if place is not None:
                return kind(message, _texts_in(place.views()), _texts_in(place.sources()))
    return kind(message)


def _texts_in(java_list: Any) -> list[str]:
    return [str(java_list.get(i)) for i in range(java_list.size())]


def is_io(error: BaseException) -> bool:
    """Whether an exception of Spark or py4j has one of the storage among its JVM causes."""
    gateway = SparkContext._gateway
    return gateway is not None and any(
        is_instance_of(gateway, java, kind) for java in _chain(error) for kind in _IO
    )


def summary(error: BaseException) -> str:
    """What an exception says, with its causes, but without Java's stacks and Spark's plans."""
    says: list[str] = []
    for text in _texts(error):
        head = _head(text)
        if head and not any(head in said or head.split(": ", 1)[-1] in said for said in says):
            says.append(head)
    return "; caused by ".join(says[:1] + says[-1:] if len(says) > 1 else says)


def first_line(error: BaseException) -> str:
    """The first line of what an exception says; Spark shows texts and plans below it."""
    text = summary(error) if isinstance(error, Py4JJavaError) else str(error)
    return text.strip().splitlines()[0]


def refusal(error: BaseException) -> str:
    """What Spark says against a statement, without its plan and without Java's stack."""
    text = str(error).split("JVM stacktrace:")[0]
    return _PLAN.sub(r"\1", text).strip()


def way_on(why: str) -> str | None:
    """What to do about a place that cannot be written to, by what its storage says.

    Args:
        why: as the storage says it.

    Returns:
        None if that is another matter.
    """
    if re.search(r"no space|quota", why, re.IGNORECASE):
        return "Make room there"
    if re.search(r"denied|permi|read-only", why, re.IGNORECASE):
        return "Let this process write there"
    return None


def pipeline_failure(views: Iterable[str], error: BaseException) -> GroundswellError:
    """What a query of views ended with that none of our errors names.

    Args:
        views: their names.
        error: of Spark, or of Java.

    Returns:
        With ``error`` as its cause.
    """
    says = summary(error)
    text = f"views {', '.join(views)} ended with {says}"
    made: GroundswellError = PipelineFailed(text)
    stored = _WRITE in says or is_io(error)  # what a query says of its end has no causes
    if (way := way_on(says)) is not None and stored:
        made = StorageFailed(f"{text}. {way}, and {AGAIN}")
    made.__cause__ = error
    return made


def _head(text: str) -> str:
    """Up to the stack or plan; of many lines the last ones, too: what Python says comes last."""
    read = list(takewhile(lambda line: not _STACK.match(line), text.splitlines()))
    child = next((i for i, line in enumerate(read) if _CHILD.match(line)), 0)
    read = read[: child - 1] if child else read
    lines = [line[:_MOST_LETTERS] for line in read if line.strip()]
    if len(lines) > _MOST_LINES:
        lines = [*lines[:2], "...", *lines[3 - _MOST_LINES :]]
    return "\n".join(lines)


def text_of(error: BaseException) -> str:
    """Everything an exception of Spark or py4j says, with its JVM causes."""
    return "\n".join([str(error), *_causes(error)])


def _texts(error: BaseException) -> list[str]:
    """As Java says it, if it is Java's: Python's text of it begins with the call that failed."""
    return list(_causes(error)) or [f"{type(error).__name__}: {error}"]


def _causes(error: BaseException) -> Iterator[str]:
    return (str(java.toString()) for java in _chain(error))


def _chain(error: BaseException) -> Iterator[Any]:
    java = _java_exception(error)
    for _ in range(20):
        if java is None:
            return
        yield java
        java = java.getCause()


def _java_exception(error: BaseException) -> Any:
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)
