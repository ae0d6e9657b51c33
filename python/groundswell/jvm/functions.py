"""Python functions as the JVM has them: what they are, and those over groups wrapped."""

from __future__ import annotations

import base64
import io
import pickle
from collections.abc import Mapping
from typing import Any

import pyspark.cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.types import _parse_datatype_json_string
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from groundswell.jvm import groups

_BY_NAME = "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName"
_SAFE = "spark.sql.execution.pandas.convertToArrowArraySafely"
_ZONE = "spark.sql.session.timeZone"


def group_function(spark: SparkSession, described: Mapping[str, Any]) -> Any:
    """The JVM's handle of a scalar function for one that the JVM's ``GroupFunctions`` describes."""
    function = groups.GroupFunction(
        base64.b64decode(described["command"]),
        described["kind"],
        _parse_datatype_json_string(described["returns"]),
        described["keys"],
        described["columns"],
        str(spark.conf.get(_ZONE)),
        str(spark.conf.get(_BY_NAME)).lower() == "true",
        str(spark.conf.get(_SAFE)).lower() == "true",
    )
    # Workers may have Spark only, not this package.
    cloudpickle: Any = pyspark.cloudpickle
    cloudpickle.register_pickle_by_value(groups)
    try:
        return UserDefinedFunction(
            function, returnType=function.result, evalType=PythonEvalType.SQL_SCALAR_ARROW_UDF
        )._judf
    finally:
        cloudpickle.unregister_pickle_by_value(groups)


def function_of(command: bytes) -> Any:
    """The Python function behind what Spark pickled; the user's own if it was wrapped here.

    Only for what this process has put into the JVM itself; None if it is too large for that.
    """
    made = _Unpickler(io.BytesIO(command)).load()
    if not isinstance(made, tuple):
        return None
    function = made[0]
    return function_of(function.command) if hasattr(function, "command") else function


class _Unpickler(pickle.Unpickler):
    """Broadcast variables are for workers: here each is only a place where one was."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "pyspark.core.broadcast" and name == "_from_id":
            return lambda _: Ellipsis
        return super().find_class(module, name)
