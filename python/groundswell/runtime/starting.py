"""Starts the catalog of a pipeline: the first time, and again after each change of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from groundswell.catalog.catalog import Catalog
from groundswell.catalog.change import Change
from groundswell.errors import ConfigurationError
from groundswell.runtime.backfill.beside import OnlineBackfill
from groundswell.runtime.backfill.journal import JournalSettings, journal_settings
from groundswell.runtime.planning.planned import LATER, PlannedViews
from groundswell.runtime.program import Program
from groundswell.runtime.request import Started

if TYPE_CHECKING:
    from groundswell.runtime.query import IncrementalQuery

_log = logging.getLogger("groundswell")
running: dict[str, IncrementalQuery] = {}
"""By location: the queries of this process that have it."""
_lock = threading.Lock()

_LESS = 4
_LEAST = _LESS**6
"""Of what a barrier may take it takes one in so many at least, where memory is short."""
_TRIGGERS = ("processingTime", "availableNow", "once")


def carry_out(program: Program, *changes: Change) -> None:
    """Makes changes of a pipeline, by its query if one of this process runs.

    Raises:
        GroundswellError: one of them cannot be; none is made.
    """
    query = running.get(program.location)
    if query is not None and query.isActive and query.runs(program):
        query.apply(*changes)
    else:
        program.apply(*changes)


@dataclass(frozen=True)
class Prepared:
    """A catalog that was planned and checked, and that a start may take.

    Attributes:
        catalog: what was planned.
        planned: its views.
        fill: what can be filled beside the running barriers; None: nothing is to be filled, or the
            query must stand still meanwhile.
        starts: how often the query was started when it was planned.
    """

    catalog: Catalog
    planned: PlannedViews
    fill: OnlineBackfill | None
    starts: int


class Starter:
    """Starts a pipeline under one name and trigger, as often as its catalog changes.

    Args:
        program: has the catalog.
        name: ``queryName``.
        trigger: see :meth:`Pipeline.start`.

    Raises:
        ConfigurationError: there is no such trigger.
    """

    def __init__(self, program: Program, name: str | None, trigger: Mapping[str, Any]) -> None:
        if trigger.keys() - {*_TRIGGERS} or len(trigger) > 1:
            raise ConfigurationError(
                f"trigger {dict(trigger)} is not supported; use one of {', '.join(_TRIGGERS)}"
            )
        self._program = program
        self._name = name
        self._trigger = trigger
        self._starts = 0
        self._share = 1
        self._told: set[tuple[str, str]] = set()
        self._reached: Callable[[], Mapping[str, int]] = dict

    def first(self, query: IncrementalQuery) -> None:
        """Starts what the program has made, with what the location says is suspended."""
        program = self._program
        seen = program.look()
        program.catalog = catalog = program.located(seen)
        planned = program.planned(catalog, seen)
        launch = program.launch(catalog, planned, seen)
        with _lock:
            _vacate(program.location, None)
            self._begun(query, catalog, planned, launch.start(self._name, self._trigger))

    def again(
        self,
        query: IncrementalQuery,
        catalog: Catalog,
        stop: Callable[[], None],
        ready: Prepared | None,
        loaded: int | None = None,
        less: bool = False,
    ) -> None:
        """Checks a catalog, stops what runs, and starts the catalog in its place.

        Args:
            query: that goes on.
            catalog: what it is to keep.
            stop: stops what runs.
            ready: what was prepared; its plan counts if it is of this catalog and nothing was
                started since, what it has filled always.
            loaded: the epoch that has all of a first load, if what ran has read it.
            less: whether barriers take a quarter of what they did; the planned one is planned anew.
        """
        self._share *= _LESS if less else 1
        program = self._program
        fill = ready.fill.fill if ready is not None and ready.fill is not None else None
        if ready is None or (ready.starts, ready.catalog) != (self._starts, catalog):
            ready = self.prepared(catalog, query)
        with _lock:
            _vacate(program.location, query)
            stop()
            catalog = program.stopped(catalog, self._reached())
            launch = program.launch(catalog, ready.planned)
            started = launch.start(self._name, self._trigger, fill, loaded, self._share, less)
            self._begun(query, catalog, ready.planned, started)

    @property
    def may_take_less(self) -> bool:
        """Whether barriers can be made smaller still."""
        return self._share < _LEAST

    def prepared(self, catalog: Catalog, query: IncrementalQuery) -> Prepared:
        """Plans a catalog and checks that it can be started; nothing is written.

        Raises:
            GroundswellError: it cannot be started.
        """
        program = self._program
        seen = program.look()
        planned = program.planned(catalog, seen)
        plan = program.launch(catalog, planned, seen).check()
        fill = None if plan is None else OnlineBackfill(program.spark, plan, self.journal(query))
        return Prepared(catalog, planned, fill, self._starts)

    def _begun(
        self, query: IncrementalQuery, catalog: Catalog, planned: PlannedViews, started: Started
    ) -> None:
        program = self._program
        self._starts += 1
        self._reached = started.reached
        program.catalog = catalog.begun()
        for view, notes in planned.notes.items():
            for note in notes:
                if note.startswith(LATER) and (view, note) not in self._told:
                    _log.warning("view %s: %s", view, note)
                    self._told.add((view, note))
        explanation = program.explained(catalog, planned)
        query._set(replace(started, views=tuple(planned.streams), explanation=explanation))
        running[program.location] = query

    def ended(self, query: IncrementalQuery) -> None:
        """Notes that a query has let its location go; it may be started again."""
        location = self._program.location
        if running.get(location) is query:
            running.pop(location, None)

    def journal(self, query: IncrementalQuery) -> JournalSettings:
        """The run for which fills are logged."""
        program = self._program
        return journal_settings(program.home(), lambda: query.ownerToken, program.catalog.options)


def _vacate(location: str, query: IncrementalQuery | None) -> None:
    """Sees that no run of this process but ``query`` has a location."""
    other = running.get(location)
    if other is None or other is query:
        return
    if other.isActive:
        raise ConfigurationError(f"{location} is in use by {other!r}; stop it first")
    other._settle()
