"""What the optimizer rule ``UseViews`` is told: the queries of views that may answer others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.view import View
from groundswell.contract.sql.answers import QueriesAt, QueryAt
from groundswell.contract.sql.requests import LoadQueries
from groundswell.jvm.sql import keep_query
from groundswell.physical.materialize import state_of
from groundswell.plan.divert import DROP, FAIL
from groundswell.plan.sources import SourceTable
from groundswell.plan.watermarks import WINDOW_CLOSE
from groundswell.runtime.program import Program
from groundswell.runtime.reading.views import held
from groundswell.runtime.record import definition
from groundswell.runtime.record.location import FOLDER
from groundswell.runtime.starting import running
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.writing import transactions


@dataclass(frozen=True)
class _Prepared:
    """What is the same at each epoch, as long as nobody changes the pipeline.

    Attributes:
        catalog: what was prepared; no longer in memory than its program has it.
        aside: the views that were suspended.
        settings: of the session that the views are computed with.
        views: by name, the state that has the rows of its query, why it cannot be used, and by key
            of a placeholder in its query the table or view that this stands for.
    """

    catalog: ReferenceType[Catalog]
    aside: frozenset[str]
    settings: Mapping[str, Any]
    views: Mapping[str, tuple[str, str | None, Mapping[str, str]]]


_prepared: WeakKeyDictionary[Program, _Prepared] = WeakKeyDictionary()
"""To plan views takes longer than most queries. What is here goes with its program."""


def queries(spark: SparkSession, pipeline: SqlPipeline, request: LoadQueries) -> QueriesAt:
    """The views of a pipeline at an epoch, with their queries, or why these cannot be used.

    Args:
        spark: the session that reads.
        pipeline: whose views they are.
        request: at which epoch.
    """
    program = _program(pipeline)
    if program is None or transactions.find(spark) is not None:
        return QueriesAt({}, ())
    home = jvm.JvmFolder.open(spark, pipeline.location).child(FOLDER)
    published = held(home, pipeline.location, request.epoch, jvm.jvm_id(spark))
    prepared = _prepare(program, home)
    visible = {each.stored: name for name, each in pipeline.contents.objects.items()}
    found = []
    for name, (expected, refused, relations) in prepared.views.items():
        if name not in visible:
            continue  # it is of a sink
        state = published.views.get(name)
        why = refused
        if why is None and state is None:
            why = f"epoch {published.epoch} does not have it"
        elif why is None and state != expected:
            why = f"its rows at epoch {published.epoch} are those of another query"
        if why is not None:
            found.append(QueryAt(visible[name], why))
            continue
        shown = {key: visible[stored] for key, stored in relations.items() if stored in visible}
        found.append(QueryAt(visible[name], None, _key(program, name), shown))
    return QueriesAt(prepared.settings, tuple(found))


def refusal(views: Mapping[str, View], tables: list[SourceTable]) -> str | None:
    """Why rows of a view are not those of its query, by settings; None: they are.

    Args:
        views: the view, and the views that it reads.
        tables: that these read.
    """
    for name, view in views.items():
        if view.emit == WINDOW_CLOSE:
            return f"{name} emits rows on window close, later than its query"
        if view.ttl is not None:
            return f"{name} has a ttl, so rows leave it that its query has"
        if view.errors != FAIL:
            return f"{name} has errors = '{view.errors}', so rows that fail are not in it"
        if any(each.on_violation == DROP for each in view.expect):
            return f"{name} has an expectation that drops rows"
    for table in tables:
        if table.event_time is not None:
            return f"table {table.name} has a watermark: rows that come late are not in every view"
        if table.life_micros:
            return f"table {table.name} has a ttl, so rows leave it without a write"
    return None


def _program(pipeline: SqlPipeline) -> Program | None:
    """What defines the pipeline, if this process knows it."""
    query = running.get(pipeline.location)
    if query is not None:
        return query._program
    return None if pipeline.in_python else pipeline.program


def _prepare(program: Program, home: jvm.JvmFolder) -> _Prepared:
    owner = definition.load(home)
    suspended = owner.aside if owner else {}
    catalog, aside = program.catalog, frozenset(suspended)
    known = _prepared.get(program)
    if known is not None and known.catalog() is catalog and known.aside == aside:
        return known
    located = catalog.located(suspended)
    planned = program.planned(located) if located.going else None
    views: dict[str, tuple[str, str | None, Mapping[str, str]]] = {}
    for name, view in catalog.views.items():
        if planned is None or name not in planned.streams:
            views[name] = "", "it is set aside, so its rows are those of an older epoch", {}
            continue
        below = catalog.needed_by([name])
        why = refusal(below, [table for each in below for table in planned.inputs(each)])
        views[name] = state_of(name, planned.streams[name]), why, program.relations(view)
        keep_query(_key(program, name), view.frame)
    settings = dict(planned.pinned) if planned else {}
    known = _prepared[program] = _Prepared(ref(catalog), aside, settings, views)
    return known


def _key(program: Program, view: str) -> str:
    """The key under which the JVM has the query of a view."""
    return f"{program.location}#{view}"
