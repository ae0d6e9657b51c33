"""Answers the JVM: which statements are ours, what they give, and where views' rows are.

Also the one place where ``spark.sql`` is wrapped: it makes this process the one that answers, and
gives back the errors that statements raised as they were raised.
"""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from contextlib import suppress
from functools import wraps
from typing import Any
from weakref import WeakSet

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import errors
from groundswell.contract.sql.answers import (
    Failed,
    Missing,
    Names,
    NotOurs,
    PipelineAt,
    Rows,
    SqlAnswer,
    Statement,
)
from groundswell.contract.sql.requests import (
    FindFunction,
    FindPipeline,
    ListPipelines,
    ListViews,
    LoadChanges,
    LoadQueries,
    LoadView,
    ParseStatement,
    RunStatement,
    SqlRequest,
)
from groundswell.errors import GroundswellError, IllegalState
from groundswell.jvm import check_session, jvm_id
from groundswell.jvm.sql import answer_statements, failed_statement, takes_statements
from groundswell.sql import executor
from groundswell.sql.answering import queries
from groundswell.sql.defining.functions import function_at
from groundswell.sql.executor import REGISTRY
from groundswell.sql.parsing import statements as s
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.reading.changelog import changes
from groundswell.sql.reading.relations import load
from groundswell.sql.writing import transactions

_KEPT = 100
_NUMBER = re.compile(r"^\[GROUNDSWELL\.(\w+)\] (.*?)(?: \(failure (\d+)\))?$")
_STORED = re.compile(r"\b\w+__\d+\b")
_failures: OrderedDict[int, Exception] = OrderedDict()
_numbers = itertools.count(1)
_asked: WeakSet[SparkContext] = WeakSet()
_answering: set[str] = set()


def answer(spark: SparkSession, request: SqlRequest) -> SqlAnswer:
    """One request of the JVM; a failure is an answer, too."""
    try:
        return _answer(spark, request)
    except Exception as e:  # noqa: BLE001 - it goes on in the caller of spark.sql
        _name(spark, e)
        number = next(_numbers)
        _failures[number] = e
        while len(_failures) > _KEPT:
            _failures.popitem(last=False)
        line = " ".join(str(e).split())
        return Failed(f"[GROUNDSWELL.{type(e).__name__}] {line} (failure {number})")


def _name(spark: SparkSession, error: Exception) -> None:
    """Has a message of ours name what SQL names.

    What was made again under its name is stored under another, such as ``orders__2``.
    """
    if not isinstance(error, GroundswellError) or not _STORED.search(str(error)):
        return
    names: dict[str, str] = {}
    for pipeline in REGISTRY.all(spark):
        with suppress(Exception):  # the error itself is what counts
            names |= {o.stored: o.name for o in pipeline.contents.objects.values()}
    error.args = tuple(
        _STORED.sub(lambda found: names.get(found[0], found[0]), arg)
        if isinstance(arg, str)
        else arg
        for arg in error.args
    )


def _answer(spark: SparkSession, request: SqlRequest) -> SqlAnswer:
    match request:
        case ParseStatement(text, catalog, namespace):
            return _parse(executor.Context(spark, catalog, namespace), text)
        case RunStatement(text, catalog, namespace):
            rows = executor.run(executor.Context(spark, catalog, namespace), text)
            return Rows(tuple(map(tuple, rows)))
        case ListPipelines():
            return Names(tuple(pipeline.name for pipeline in REGISTRY.all(spark)))
        case (
            LoadView()
            | LoadChanges()
            | LoadQueries()
            | ListViews()
            | FindPipeline()
            | FindFunction()
        ):
            (name,) = request.namespace if len(request.namespace) == 1 else (None,)
            pipeline = REGISTRY.find(spark, name) if name is not None else None
            return Missing() if pipeline is None else _of(spark, pipeline, request)
    raise IllegalState(f"{request} is not a question that has an answer")


def _of(
    spark: SparkSession,
    pipeline: SqlPipeline,
    request: LoadView | LoadChanges | LoadQueries | ListViews | FindPipeline | FindFunction,
) -> SqlAnswer:
    match request:
        case LoadView():
            if (within := transactions.find(spark)) is not None:
                within.check_read(pipeline, request.name)
            return load(spark, pipeline, request)
        case LoadChanges():
            return changes(spark, pipeline, request)
        case LoadQueries():
            return queries(spark, pipeline, request)
        case ListViews():
            found = pipeline.contents.of("table", "materialized view")
            return Names(tuple(each.name for each in found))
        case FindFunction():
            return function_at(spark, pipeline.name, pipeline.find(request.name, s.FUNCTION))
        case FindPipeline():
            return PipelineAt(pipeline.location)


def _parse(context: executor.Context, text: str) -> SqlAnswer:
    found = executor.ours(context, text)
    if found is None:
        return NotOurs()
    statement = found.read()
    columns = executor.columns(statement)
    schema = StructType.fromDDL(columns) if columns else StructType()
    return Statement(executor.label(statement), schema.jsonValue())


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
        check_session(self)
        answer_for(self)
        try:
            return method(self, *args, **kwargs)
        except Exception as e:
            found = raised(e)
            if found is None:
                raise
            raise found from None

    return called
