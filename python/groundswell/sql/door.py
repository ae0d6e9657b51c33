"""Answers the JVM: which statements are ours, what they give, and where views' rows are.

Also the one place where ``spark.sql`` is wrapped: it makes this process the one that answers, and
gives back the errors that statements raised as they were raised.
"""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from collections.abc import Mapping
from functools import wraps
from typing import Any
from weakref import WeakSet

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import errors
from groundswell.errors import GroundswellError
from groundswell.jvm import jvm_id
from groundswell.jvm.sql import answer_statements, failed_statement, takes_statements
from groundswell.sql import executor
from groundswell.sql.changelog import changes
from groundswell.sql.reading import MISSING, load
from groundswell.sql.registry import REGISTRY

_KEPT = 100
_NUMBER = re.compile(r"^\[GROUNDSWELL\.(\w+)\] (.*?)(?: \(failure (\d+)\))?$")
_failures: OrderedDict[int, Exception] = OrderedDict()
_numbers = itertools.count(1)
_asked: WeakSet[SparkContext] = WeakSet()
_answering: set[str] = set()


def answer(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    """One request of the JVM; a failure is an answer, too."""
    try:
        return _ANSWERS[request["ask"]](spark, request)
    except Exception as e:  # noqa: BLE001 - it goes on in the caller of spark.sql
        number = next(_numbers)
        _failures[number] = e
        while len(_failures) > _KEPT:
            _failures.popitem(last=False)
        line = " ".join(str(e).split())
        return {"error": f"[GROUNDSWELL.{type(e).__name__}] {line} (failure {number})"}


def _parse(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    found = executor.ours(_context(spark, request), request["text"])
    if found is None:
        return {"ours": False}
    statement = found.read()
    schema = (
        StructType.fromDDL(executor.columns(statement))
        if executor.columns(statement)
        else (StructType())
    )
    return {"ours": True, "label": executor.label(statement), "schema": schema.jsonValue()}


def _run(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    return {"rows": executor.run(_context(spark, request), request["text"])}


def _context(spark: SparkSession, request: Mapping[str, Any]) -> executor.Context:
    return executor.Context(spark, request["catalog"], tuple(request["namespace"]))


def _load(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    pipeline = _pipeline(spark, request)
    return MISSING if pipeline is None else load(spark, pipeline, request["name"], request)


def _changes(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    pipeline = _pipeline(spark, request)
    return MISSING if pipeline is None else changes(spark, pipeline, request["name"], request)


def _tables(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    pipeline = _pipeline(spark, request)
    if pipeline is None:
        return MISSING
    kinds = ("table", "materialized view")
    return {"names": [each.name for each in pipeline.contents.of(*kinds)]}


def _one_pipeline(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    pipeline = _pipeline(spark, request)
    return MISSING if pipeline is None else {"location": pipeline.location}


def _pipelines(spark: SparkSession, request: Mapping[str, Any]) -> dict[str, Any]:
    del request
    return {"names": [pipeline.name for pipeline in REGISTRY.all(spark)]}


def _pipeline(spark: SparkSession, request: Mapping[str, Any]) -> Any:
    namespace = request["namespace"]
    return REGISTRY.find(spark, namespace[0]) if len(namespace) == 1 else None


_ANSWERS = {
    "parse": _parse,
    "run": _run,
    "load": _load,
    "changes": _changes,
    "tables": _tables,
    "pipeline": _one_pipeline,
    "pipelines": _pipelines,
}


def raised(error: BaseException) -> Exception | None:
    """The error that a statement raised, behind what ``spark.sql`` raises; None: none of ours."""
    text = failed_statement(error)
    found = _NUMBER.match(text) if text else None
    if found is None:
        return None
    if found[3] and int(found[3]) in _failures:
        return _failures[int(found[3])]
    kind = getattr(errors, found[1], GroundswellError)
    try:
        made: Exception = kind(found[2])
    except TypeError:
        made = GroundswellError(found[2])
    return made


def answer_for(spark: SparkSession) -> None:
    """Makes this process the one that answers for the session's JVM, once."""
    context = spark.sparkContext
    if context in _asked:
        return
    _asked.add(context)
    jvm = jvm_id(spark)
    # A JVM may have had a context without our extensions before.
    if jvm not in _answering and takes_statements(spark):
        answer_statements(spark, answer)
        _answering.add(jvm)


def install() -> None:
    """Wraps ``SparkSession.sql``, and what reads a table by name."""
    session: Any = SparkSession
    session.sql = _with_statements(session.sql)
    session.table = _with_statements(session.table)


def _with_statements(method: Any) -> Any:
    @wraps(method)
    def called(self: SparkSession, *args: Any, **kwargs: Any) -> Any:
        answer_for(self)
        try:
            return method(self, *args, **kwargs)
        except Exception as e:
            found = raised(e)
            if found is None:
                raise
            raise found from None

    return called
