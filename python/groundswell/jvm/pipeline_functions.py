"""Functions of pipelines as temporary functions of a session, which Spark finds and checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspark.cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from groundswell.errors import IllegalState
from groundswell.jvm import list_arguments, returned_values
from groundswell.jvm.errors import JavaPackage, engine_errors

_SCALARS = {
    "rows": PythonEvalType.SQL_BATCHED_UDF,
    "pandas": PythonEvalType.SQL_SCALAR_PANDAS_UDF,
    "arrow": PythonEvalType.SQL_SCALAR_ARROW_UDF,
}
_AGGREGATES = {
    "rows": PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF,
    "pandas": PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF,
    "arrow": PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF,
}


def is_builtin(spark: SparkSession, name: str) -> bool:
    """Whether Spark has a function of that name."""
    return bool(JavaPackage(spark, "io.groundswell.spark.sql").CalledFunctions.isBuiltin(name))


def has_temporary(spark: SparkSession, temporary: str) -> bool:
    """Whether the session has a temporary function of that name."""
    found = JavaPackage(spark, "io.groundswell.spark.sql").CalledFunctions
    return bool(found.has(spark._jsparkSession, temporary))


def has_temporary_view(spark: SparkSession, *name: str) -> bool:
    """Whether a name of one part is that of a temporary view of the session."""
    catalog = spark._jsparkSession.sessionState().catalog()
    return len(name) == 1 and bool(catalog.getTempView(name[0]).isDefined())


def register_python(
    spark: SparkSession,
    temporary: str,
    name: str,
    function: Callable[..., Any],
    returns: DataType,
    style: str,
    aggregate: bool,
) -> None:
    """Makes a Python function a temporary function of the session.

    Args:
        spark: the session.
        temporary: what the session calls it.
        name: what columns are called after.
        function: of values, lists, Series or arrays, as ``style`` says.
        returns: the type of what it gives.
        style: ``rows``, ``pandas`` or ``arrow``.
        aggregate: whether it gives one value for a group.

    Raises:
        PySparkException: it cannot give that type.
    """
    kind = (_AGGREGATES if aggregate else _SCALARS)[style]
    if style == "rows":
        of_lists = list_arguments.OfLists(function) if aggregate else None
        function = of_lists or returned_values.OfType(function, name, returns)
    cloudpickle: Any = pyspark.cloudpickle
    ours = (list_arguments, returned_values)
    for module in ours:
        cloudpickle.register_pickle_by_value(module)  # workers may have Spark only
    try:
        made = UserDefinedFunction(function, returnType=returns, name=name, evalType=kind)._judf
    finally:
        for module in ours:
            cloudpickle.unregister_pickle_by_value(module)
    with engine_errors():
        spark._jsparkSession.udf().registerPython(temporary, made)


def register_sql(spark: SparkSession, temporary: str, signature: str, body: str) -> None:
    """Makes an expression a temporary function of the session.

    Args:
        spark: the session.
        temporary: what the session calls it.
        signature: parameters, and what it gives, as SQL.
        body: the expression.

    Raises:
        PySparkException: Spark does not take it.
    """
    found = spark.sql(
        f"CREATE OR REPLACE TEMPORARY FUNCTION `{temporary}`{signature} RETURN {body}"
    )
    if found.columns:
        raise IllegalState(f"function {temporary} gave columns")
