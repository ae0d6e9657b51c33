"""SQL's way through the JVM: the handler of statements, and queries over a pipeline's relations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pyspark import SparkConf, SparkContext
from pyspark.sql import DataFrame, SparkSession

from groundswell.contract.codec import decode, encode
from groundswell.contract.sql.answers import FunctionAt, RewriteUses, SqlAnswer
from groundswell.contract.sql.requests import SqlRequest
from groundswell.errors import JavaFailed
from groundswell.jvm.callbacks import port_of
from groundswell.jvm.errors import JVM_ERRORS, JavaPackage, engine_errors, text_of

_PACKAGE = "io.groundswell.spark.sql"
_HANDLER = f"{_PACKAGE}.StatementHandler"
_EXTENSIONS = "spark.sql.extensions"
_OURS = "io.groundswell.GroundswellExtensions"

Answer = Callable[[SparkSession, SqlRequest], SqlAnswer]
"""Takes (session, request), both of ``StatementHandler``."""


class StatementCallback:
    """Python's end of the JVM's StatementHandler."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def ask(self, session: Any, request: str) -> str:
        """Called by the JVM, on any thread."""
        # Of all contexts that the JVM had since this was registered, the one that lives now.
        context = cast("SparkContext", SparkContext._active_spark_context)
        spark = SparkSession(context, session)
        return encode(self._answer(spark, decode(SqlRequest, request)))


def takes_statements(spark: SparkSession) -> bool:
    """Whether the session was made with our extensions."""
    return _OURS in str(spark.sparkContext.getConf().get(_EXTENSIONS, "") or "")


def answer_statements(spark: SparkSession, answer: Answer) -> None:
    """Has ``answer`` asked about statements and views of all sessions of this JVM."""
    with engine_errors():
        port = port_of(spark)
        handler = port.java_object(spark, port.put(StatementCallback(answer)), _HANDLER)
        JavaPackage(spark, _PACKAGE).Statements.register(handler)


def attach() -> SparkSession:
    """The session of the JVM that started this process, see ``PythonHelper``."""
    from pyspark.java_gateway import launch_gateway

    gateway: Any = launch_gateway()  # type: ignore[no-untyped-call]
    session = gateway.jvm.io.groundswell.spark.sql.PythonHelper.session()
    java = gateway.jvm.org.apache.spark.api.java.JavaSparkContext
    context = java.fromSparkContext(session.sparkContext())
    conf = SparkConf(_jvm=gateway.jvm, _jconf=context.getConf())
    return SparkSession(SparkContext(gateway=gateway, jsc=context, conf=conf), session)


def definition(
    spark: SparkSession,
    query: str,
    relations: Mapping[str, DataFrame],
    pipeline: str,
    depth: int,
    functions: Mapping[str, FunctionAt] | None = None,
) -> DataFrame:
    """A query in which relations and functions stand for their names, see ``Definitions.query``."""
    handles = JavaPackage(spark, "java.util").HashMap()
    for name, frame in relations.items():
        handles.put(name, frame._jdf)
    called = JavaPackage(spark, "java.util").HashMap()
    for name, function in (functions or {}).items():
        called.put(name, encode(function))
    with engine_errors():
        made = JavaPackage(spark, _PACKAGE).Definitions.query(
            spark._jsparkSession, query, handles, called, pipeline, depth
        )
        return DataFrame(made, spark)


def keep_query(key: str, frame: DataFrame) -> None:
    """Gives the JVM the query of a view, to answer others from it; see ``ViewQueries.put``."""
    with engine_errors():
        JavaPackage(frame.sparkSession, _PACKAGE).ViewQueries.put(key, frame._jdf)


def explained_views(frame: DataFrame) -> RewriteUses:
    """The views that would answer a query, and by name of others why they would not."""
    with engine_errors():
        found = JavaPackage(frame.sparkSession, _PACKAGE).UseViews.explained(frame._jdf)
        return decode(RewriteUses, found)


def failed_statement(error: BaseException) -> str | None:
    """What a ``StatementException`` behind an error says; None: there is none behind it."""
    if isinstance(error, JavaFailed) and error.__cause__ is not None:
        error = error.__cause__
    if not isinstance(error, JVM_ERRORS):
        return None
    for line in text_of(error).splitlines():
        if "[GROUNDSWELL." in line:
            return line[line.index("[GROUNDSWELL.") :]
    return None
