"""Carries out one statement. Gives the rows that it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.api.rewrite import explain_rewrite
from groundswell.catalog.change import Change, Resume, rescaled
from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError
from groundswell.runtime.backfill.rescale import check_partitions
from groundswell.runtime.program import Program
from groundswell.sql import refreshing
from groundswell.sql.defining.altering import is_needed
from groundswell.sql.defining.building import CATALOG
from groundswell.sql.defining.masking import masked
from groundswell.sql.defining.pipeline_options import check_options_of_pipeline
from groundswell.sql.exporting import script
from groundswell.sql.history import log as logs
from groundswell.sql.owning.owner import OwnedElsewhereError
from groundswell.sql.owning.requests import Request
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.grammar import Head, head
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.registry import Registry
from groundswell.sql.showing import epoch_of, shown
from groundswell.sql.writing import transactions
from groundswell.sql.writing.rows import delete, insert, merge, update

Rows = list[list[Any]]


@dataclass(frozen=True)
class Context:
    """Where a statement is run.

    Attributes:
        spark: the session.
        catalog: its current catalog.
        namespace: its current namespace.
        by: who asked for the statement, if another process did.
    """

    spark: SparkSession
    catalog: str
    namespace: tuple[str, ...]
    by: str | None = None

    def place(self, name: s.Name) -> tuple[str, str] | None:
        """Pipeline and object that a name means; None: it is not in our catalog."""
        parts = list(name)
        if len(parts) == 3 and parts[0].lower() == CATALOG:
            return parts[1], parts[2]
        if self.catalog != CATALOG:
            return None
        if len(parts) == 2:
            return parts[0], parts[1]
        if len(parts) == 1 and len(self.namespace) == 1:
            return self.namespace[0], parts[0]
        return None

    def pipeline_of(self, name: s.Name) -> tuple[SqlPipeline, str]:
        """Pipeline and object that a name means.

        Raises:
            ConfigurationError: there is no such pipeline.
        """
        found = self.place(name)
        if found is None:
            raise ConfigurationError(
                f"{'.'.join(name)} is not the name of anything in a pipeline: write "
                f"{CATALOG}.<pipeline>.{name[-1]}, or USE {CATALOG}.<pipeline> before"
            )
        return self.pipeline(found[0]), found[1]

    def pipeline(self, name: str) -> SqlPipeline:
        """A pipeline by name.

        Raises:
            ConfigurationError: there is none.
        """
        known = REGISTRY.find(self.spark, name)
        if known is None:
            names = ", ".join(p.name for p in REGISTRY.all(self.spark)) or "none"
            raise ConfigurationError(
                f"there is no pipeline {name!r} in this session; there are {names}. Make it known "
                f"with CREATE PIPELINE IF NOT EXISTS {name} LOCATION '...'"
            )
        return known


def ours(context: Context, text: str) -> Head | None:
    """How a statement begins, if it is one of ours."""
    found = head(text)
    if found is None or (found.target is not None and context.place(found.target) is None):
        return None
    if found.temporary and jvm.has_temporary_view(context.spark, *(found.target or ())):
        return None
    return found


NO_ROWS = ""
_NAMES = "name string, statement string, created_by string, created_at string"


def columns(statement: s.Statement) -> str:
    """The columns of what a statement shows, as DDL."""
    match statement:
        case s.Show("pipelines"):
            return "name string, location string, state string, epoch long"
        case s.Show("jobs"):
            return "name string, kind string, state string, epoch long, rows_in long"
        case s.Show("pipeline"):
            return "option string, value string, said_by string, takes_effect string"
        case s.Show("views"):
            return "namespace string, viewName string, isTemporary boolean"  # as Spark's
        case s.Show():
            return _NAMES
        case s.ShowCreate():
            return "create_statement string"
        case s.Explain() | s.ExplainView():
            return "plan string"
        case s.ExplainRewrite():
            return "view string, used boolean, reason string"
        case s.Refresh():
            return refreshing.COLUMNS
        case s.Flush():
            return "pipeline string, epoch long"
        case _:
            return NO_ROWS


def label(statement: s.Statement) -> str:
    """What the plan of a statement shows; without its options, which may be secret."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(statement).__name__)
    match statement:
        case s.Create():
            words = f"create {logs.kind_of(statement)}"
        case s.Drop() | s.Rename():
            words = f"{'drop' if isinstance(statement, s.Drop) else 'alter'} {statement.kind}"
        case s.AlterTable():
            words = "alter table"
        case s.SetParallelism() | s.AlterPipeline():
            words = "alter pipeline"
        case s.Suspend() | s.Resume():
            words = "alter materialized view"
        case s.Refresh():
            words = "refresh materialized view"
    name = getattr(statement, "name", ())
    return " ".join([words.upper(), ".".join(name)]).rstrip()


def run(context: Context, text: str) -> Rows:
    """Carries a statement of ours out, or has the pipeline's owner do so.

    Raises:
        GroundswellError: it cannot be.
    """
    found = ours(context, text)
    assert found is not None, text
    statement = found.read()
    within = transactions.find(context.spark) if context.by is None else None
    if within is not None and not isinstance(statement, s.Begin | s.Commit | s.Rollback):
        with within.statement(statement, label(statement)):
            return _run(context, statement, text, within)
    if _allows_for_nothing(context, statement):
        return []
    while True:
        pipeline = _defined_in(context, statement)
        rows = pipeline.hand_over(text, context.catalog, context.namespace) if pipeline else None
        if rows is not None:
            return rows
        with suppress(OwnedElsewhereError):  # another process was faster: it is asked
            if pipeline is not None:
                pipeline.finish_cut_off()
            return _run(context, statement, text)


def _allows_for_nothing(context: Context, statement: s.Statement) -> bool:
    """Whether an ``ALTER ... IF EXISTS`` is of what is not there."""
    kinds = s.Rename | s.AlterTable | s.SetParallelism | s.AlterPipeline | s.Suspend | s.Resume
    if not isinstance(statement, kinds) or not statement.if_exists:
        return False
    if isinstance(statement, s.SetParallelism | s.AlterPipeline):
        return REGISTRY.find(context.spark, statement.name[-1]) is None
    pipeline, name = context.pipeline_of(statement.name)
    return name.lower() not in pipeline.contents.objects


def _defined_in(context: Context, statement: s.Statement) -> SqlPipeline | None:
    """The pipeline whose owner carries a statement out; None: every process does so itself."""
    match statement:
        case s.CreateIndex() if len(statement.name) == 1:
            return context.pipeline_of(statement.on)[0]
        case s.Drop(s.PIPELINE):
            return None
        case s.SetParallelism() | s.AlterPipeline():
            return context.pipeline(statement.name[-1])
        case s.Create():
            return context.pipeline_of(statement.name)[0]
        case s.Drop() | s.Rename() | s.AlterTable() | s.Suspend() | s.Resume() | s.Refresh():
            return context.pipeline_of(statement.name)[0]
        case _:
            return None


def carry_out(spark: SparkSession, request: Request) -> Rows:
    """Runs a statement of another process, in the process that runs the pipeline."""
    return run(Context(spark, request.catalog, request.namespace, request.by), request.text)


REGISTRY = Registry(carry_out)
"""The pipelines of this process that statements may name."""


def _run(
    context: Context,
    statement: s.Statement,
    text: str,
    within: transactions.SessionTransaction | None = None,
) -> Rows:
    match statement:
        case s.Begin():
            transactions.begin(context.spark)
        case s.Commit() | s.Rollback():
            transactions.end(context.spark, commit=isinstance(statement, s.Commit))
        case s.CreatePipeline():
            create_pipeline(context, statement, text)
        case s.Drop(s.PIPELINE):
            _drop_pipeline(context, statement)
        case s.Create() | s.Drop() | s.Rename() | s.AlterTable():
            if (found := _changes(context, statement)) is not None:
                pipeline, also = found
                pipeline.make(text, context.catalog, context.namespace, context.by, also)
        case s.SetParallelism():
            check_partitions(statement.partitions)
            with context.pipeline(statement.name[-1]).altered() as query:
                query.rescale(statement.partitions)
        case s.Suspend() | s.Resume():
            pipeline, name = context.pipeline_of(statement.name)
            view = pipeline.find(name, s.VIEW).stored
            with pipeline.altered() as query:
                (query.suspend if isinstance(statement, s.Suspend) else query.resume)(view)
        case s.AlterPipeline():
            pipeline = context.pipeline(statement.name[-1])
            pipeline.make(text, context.catalog, context.namespace, context.by)
        case s.Show():
            return shown(_pipelines_of(context, statement), statement)
        case s.ShowCreate(s.PIPELINE):
            pipeline = context.pipeline(statement.name[-1])
            return [[script(pipeline.name, pipeline.log.read())]]
        case s.ShowCreate():
            pipeline, name = context.pipeline_of(statement.name)
            return [[masked(pipeline.find(name, statement.kind).text)]]
        case s.Explain():
            return [[_explain(context, statement)]]
        case s.ExplainView():
            pipeline, name = context.pipeline_of(statement.name)
            view = pipeline.find(name, s.VIEW).stored
            return [[pipeline.program.planned().explain(only=view)]]
        case s.ExplainRewrite():
            uses = explain_rewrite(context.spark.sql(statement.query))
            return [[each.view, each.used, each.reason] for each in uses]
        case s.Flush():
            return _flush(context)
        case s.Refresh():
            pipeline, name = context.pipeline_of(statement.name)
            return [done.row() for done in pipeline.refresh([pipeline.find(name, s.VIEW)])]
        case s.Insert():
            pipeline, name = context.pipeline_of(statement.name)
            insert(pipeline, name, statement, context.spark, within)
        case s.Update():
            pipeline, name = context.pipeline_of(statement.name)
            update(pipeline, name, statement, context.spark, within)
        case s.Delete():
            pipeline, name = context.pipeline_of(statement.name)
            delete(pipeline, name, statement, context.spark, within)
        case s.Merge():
            pipeline, name = context.pipeline_of(statement.name)
            merge(pipeline, name, statement, context.spark, within)
    return []


def create_pipeline(context: Context, statement: s.CreatePipeline, text: str) -> None:
    """``CREATE PIPELINE``.

    Args:
        context: where it is run.
        statement: what is to be made.
        text: what is kept of it.
    """
    name = statement.name[-1]
    options = dict(statement.options)
    takeover = options.pop("takeover", "false").lower() == "true"
    check_options_of_pipeline(options)
    if len(statement.name) > 1 and [n.lower() for n in statement.name[:-1]] != [CATALOG]:
        raise ConfigurationError(f"a pipeline is called {CATALOG}.{name}, or {name} alone")
    made = SqlPipeline(context.spark, name, statement.location, carry_out)
    known = REGISTRY.find(context.spark, name)
    if known is not None:
        if not statement.if_not_exists:
            raise ConfigurationError(f"pipeline {name} exists already, in {known.location}")
        if known.location != made.location:
            raise ConfigurationError(
                f"pipeline {name} is in {known.location}, not in {made.location}"
            )
        if known.contents.pipeline is None and not known.in_python:
            known.make(text, context.catalog, context.namespace)  # only a conf has named it so far
        return
    before = made.contents.pipeline
    if before is not None and not statement.if_not_exists:
        raise ConfigurationError(
            f"{made.location} holds a pipeline already, by {before.by} at {before.at}: CREATE "
            f"PIPELINE IF NOT EXISTS {name} LOCATION '...' makes it known here"
        )
    called = made.called
    if called is not None and called.lower() != name.lower():
        raise ConfigurationError(
            f"the pipeline in {made.location} is called {called}, and its statements speak of it so"
        )
    if before is None:
        jvm.location_of(context.spark, statement.location)
    if takeover:
        made.take_over()
    if before is None:
        made.make(text, context.catalog, context.namespace)
    REGISTRY.add(context.spark, made)


def _changes(context: Context, statement: s.Statement) -> tuple[SqlPipeline, Sequence[str]] | None:
    """The pipeline that a statement changes, and what it drops beside; None: it changes nothing.

    Raises:
        ConfigurationError: it cannot be.
    """
    match statement:
        case s.Create():
            created = _created_in(context, statement)
            return None if created is None else (created, ())
        case s.Drop():
            return _dropped(context, statement)
        case s.Alter() if _allows_for_nothing(context, statement):
            return None
        case s.Rename():
            pipeline, name = context.pipeline_of(statement.name)
            found = pipeline.find(name, statement.kind)
            if statement.to == found.name:
                return None
            check_name(statement.kind, statement.to)
            if statement.to.lower() != found.name.lower():
                _check_free(pipeline, statement.to)
            return pipeline, ()
        case s.AlterTable():
            pipeline, name = context.pipeline_of(statement.name)
            table = pipeline.find(name, s.TABLE, s.SOURCE)
            return (pipeline, ()) if is_needed(table, statement) else None
        case _:
            raise AssertionError(type(statement).__name__)


def _created_in(context: Context, statement: s.Create) -> SqlPipeline | None:
    """Where something is to be made; None: it is there, and may be."""
    if isinstance(statement, s.CreateIndex) and len(statement.name) == 1:
        pipeline, name = context.pipeline_of(statement.on)[0], statement.name[0]
    else:
        pipeline, name = context.pipeline_of(statement.name)
    before = pipeline.contents.objects.get(name.lower())
    kind = logs.kind_of(statement)
    check_name(kind, name)
    if before is not None:
        if statement.if_not_exists and before.kind == kind:
            return None
        if not getattr(statement, "or_replace", False):
            raise ConfigurationError(
                f"pipeline {pipeline.name} has a {before.kind} {before.name} already, by "
                f"{before.made.by} at {before.made.at}; drop it first"
                + (
                    f", or CREATE OR REPLACE {kind.upper()}"
                    if kind == before.kind and kind in (s.VIEW, s.FUNCTION)
                    else ""
                )
            )
        if before.kind != kind:
            raise ConfigurationError(f"{before.name} is a {before.kind}, and not to be replaced")
    return pipeline


def _check_free(pipeline: SqlPipeline, name: str) -> None:
    before = pipeline.contents.objects.get(name.lower())
    if before is not None:
        raise ConfigurationError(f"pipeline {pipeline.name} has a {before.kind} {before.name}")


def _check_readers(pipeline: SqlPipeline, gone: logs.Object) -> None:
    readers = pipeline.readers(gone)
    if readers:
        raise ConfigurationError(
            f"{gone.kind} {gone.name} cannot be dropped: it is read by "
            f"{', '.join(f'{r.kind} {r.name}' for r in readers)}; drop them first, or DROP ... "
            "CASCADE"
        )


def _drop_pipeline(context: Context, statement: s.Drop) -> None:
    name = statement.name[-1]
    if statement.if_exists and REGISTRY.find(context.spark, name) is None:
        return
    context.pipeline(name).stop()
    REGISTRY.remove(context.spark, name)


def _dropped(context: Context, statement: s.Drop) -> tuple[SqlPipeline, Sequence[str]] | None:
    """The pipeline, and the names of what goes with an object, readers first."""
    pipeline, name = context.pipeline_of(statement.name)
    if statement.if_exists and name.lower() not in pipeline.contents.objects:
        return None
    gone = pipeline.find(name, statement.kind)
    if not statement.cascade:
        _check_readers(pipeline, gone)
    return pipeline, [each.name for each in reversed(pipeline.readers(gone))]


def _pipelines_of(context: Context, statement: s.Show) -> list[SqlPipeline]:
    """Those that a ``SHOW`` is about."""
    if statement.what == "pipelines":
        return REGISTRY.all(context.spark)
    if statement.pipeline:
        return [context.pipeline(statement.pipeline[-1])]
    if context.catalog == CATALOG and context.namespace:
        return [context.pipeline(context.namespace[0])]
    return REGISTRY.all(context.spark)


def _flush(context: Context) -> Rows:
    rows: Rows = []
    pipelines = REGISTRY.all(context.spark)
    if context.catalog == CATALOG and context.namespace:
        pipelines = [context.pipeline(context.namespace[0])]
    for pipeline in pipelines:
        there = pipeline.hand_over("FLUSH", CATALOG, (pipeline.name,))
        if there is None:
            pipeline.flush()
            there = [[pipeline.name, epoch_of(pipeline)]]
        rows += there
    return rows


def _explain(context: Context, explained: s.Explain) -> str:
    statement = explained.statement
    found: tuple[SqlPipeline, Sequence[str]] | None
    if isinstance(statement, s.CreateView) and not statement.or_replace:
        pipeline, name = context.pipeline_of(statement.name)
        return pipeline.explain(statement, name, context.catalog, context.namespace)
    match statement:
        case s.Alter() if _allows_for_nothing(context, statement):
            return "it changes nothing"
        case s.SetParallelism():
            check_partitions(statement.partitions)
            program = context.pipeline(statement.name[-1]).program
            return _told(program, rescaled(statement.partitions))
        case s.Suspend() | s.Resume():
            pipeline, name = context.pipeline_of(statement.name)
            view, program = pipeline.find(name, s.VIEW).stored, pipeline.program
            suspends = isinstance(statement, s.Suspend)
            return _told(program, program.pause(view) if suspends else Resume(view))
        case s.AlterPipeline():
            found = context.pipeline(statement.name[-1]), ()
        case _:
            found = _changes(context, statement)
    if found is None:
        return "it changes nothing"
    pipeline, also = found
    told = pipeline.transition(explained.text, context.catalog, context.namespace, also)
    return str(told)


def _told(program: Program, change: Change) -> str:
    """What a change that no statement of the log says would make of the states."""
    return str(program.transition(program.located(program.look()).apply(change)))
