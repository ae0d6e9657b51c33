"""Python functions as the JVM has them: what they are, and those over groups and tables wrapped."""

from __future__ import annotations

import base64
import io
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyspark.cloudpickle
from pyspark.sql import SparkSession
from pyspark.sql.types import _parse_datatype_json_value
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from groundswell.contract.capture.functions import FunctionDescription
from groundswell.errors import NotIncremental
from groundswell.jvm import commands, groups, table_functions

_BY_NAME = "spark.sql.legacy.execution.pandas.groupedMap.assignColumnsByName"
_SAFE = "spark.sql.execution.pandas.convertToArrowArraySafely"
_ZONE = "spark.sql.session.timeZone"


def scalar_function(spark: SparkSession, described: FunctionDescription) -> Any:
    """The JVM's handle of a scalar function for one that the JVM's ``WrappedFunctions`` describes.

    Raises:
        NotIncremental: what it gives depends on more than the rows that it is given.
    """
    command = base64.b64decode(described.command)
    returns: Any = _parse_datatype_json_value(described.returns)
    if described.kind in table_functions.KINDS:
        _check_table_function(described.name, command)
        names = [column.name for column in described.columns[0]]
        table = table_functions.TableFunction(command, returns, names)
        return _handle(table, PythonEvalType.SQL_BATCHED_UDF)
    group = groups.GroupFunction(
        command,
        described.kind,
        returns,
        described.keys,
        [[(column.at, column.name) for column in side] for side in described.columns],
        str(spark.conf.get(_ZONE)),
        str(spark.conf.get(_BY_NAME)).lower() == "true",
        str(spark.conf.get(_SAFE)).lower() == "true",
    )
    return _handle(group, PythonEvalType.SQL_SCALAR_ARROW_UDF)


def _handle(function: Any, kind: int) -> Any:
    # Workers may have Spark only, not this package.
    cloudpickle: Any = pyspark.cloudpickle
    modules = (commands, groups, table_functions)
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return UserDefinedFunction(function, returnType=function.result, evalType=kind)._judf
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _check_table_function(name: str, command: bytes) -> None:
    made = _Unpickler(command, {}).load()
    if hasattr(made, "terminate"):
        raise NotIncremental(
            [
                (
                    name,
                    "Spark calls terminate() of a table function once for all rows that a task "
                    "has, so what it gives depends on how rows are spread; give rows in eval()",
                )
            ]
        )


def function_of(command: bytes, broadcasts: Mapping[str, str]) -> Any:
    """The Python function behind what Spark pickled; the user's own if it was wrapped here.

    Only for what this process has put into the JVM itself; None if that cannot be told.

    Args:
        command: what Spark pickled.
        broadcasts: by id of a broadcast variable, the file that its value is in.
    """
    made = _Unpickler(command, broadcasts).load()
    if isinstance(made, bytes):  # what is large is broadcast itself
        return function_of(made, broadcasts)
    if isinstance(made, type):  # a table function
        return made
    if not isinstance(made, tuple):
        return None
    function = made[0]
    if hasattr(function, "command"):
        return function_of(function.command, broadcasts)
    return function


class _Unpickler(pickle.Unpickler):
    """Broadcast variables are for workers: here each is its value, if its file can be read."""

    def __init__(self, command: bytes, broadcasts: Mapping[str, str]) -> None:
        super().__init__(io.BytesIO(command))
        self._broadcasts = broadcasts

    def find_class(self, module: str, name: str) -> Any:
        if module == "pyspark.core.broadcast" and name == "_from_id":
            return self._value
        return super().find_class(module, name)

    def _value(self, number: int) -> Any:
        path = self._broadcasts.get(str(number))
        if path is None:
            return Ellipsis
        try:
            with Path(path).open("rb") as file:
                return pickle.load(file)  # noqa: S301 - this process has written it
        except (OSError, pickle.UnpicklingError, EOFError, ValueError):  # gone, or encrypted
            return Ellipsis
