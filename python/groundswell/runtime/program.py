"""What a program makes of a pipeline: its catalog in this process, and the plans of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell import config, jvm
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.change import AddIndex, AddView, Change, ReplaceView, Suspend
from groundswell.catalog.names import check_name
from groundswell.catalog.parts import Index
from groundswell.catalog.suspended import Suspended, with_readers
from groundswell.catalog.view import SETTINGS, View, view_of
from groundswell.errors import ConfigurationError
from groundswell.plan.sources import Mode
from groundswell.runtime.backfill.reoptimize import Replanned, replanned
from groundswell.runtime.barriers.refreshing import explained
from groundswell.runtime.launch import Launch
from groundswell.runtime.planning.automatic import with_automatic
from groundswell.runtime.planning.orders import check_forms, orders_of
from groundswell.runtime.planning.partitions import partitions_of
from groundswell.runtime.planning.placeholders import Placeholders, differences
from groundswell.runtime.planning.planned import PlannedViews, plan_views
from groundswell.runtime.planning.recursions import sources_in
from groundswell.runtime.planning.unfilled import unread_tables
from groundswell.runtime.reading.indexes import with_statistics
from groundswell.runtime.record import definition
from groundswell.runtime.record.aside import at_epoch
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.record.seen import Seen
from groundswell.runtime.request import Request
from groundswell.runtime.tables import Table
from groundswell.runtime.transition import Transition


class Program:
    """The catalog of one pipeline, as its program and its running query share it.

    Attributes:
        spark: the session.
        location: the checkpointLocation, qualified.
        catalog: what the pipeline is now; a change puts another one in its place.
        lock: held while that is done.
        of_statements: whether statements of SQL define it. Their log says what views and tables
            are: a view of all columns keeps those that it began with, whatever ``onChange`` says.
    """

    def __init__(self, spark: SparkSession, location: str, options: dict[str, Any]) -> None:
        values = config.check({**options, "checkpointLocation": location})
        self.spark = spark
        self.location = jvm.location_of(spark, values["checkpointLocation"])
        self.catalog = Catalog(values)
        self._placeholders = Placeholders(spark)
        self.lock = threading.RLock()
        self.of_statements = False
        self._changes: list[Change] = []

    def apply(self, *changes: Change) -> None:
        """Changes the catalog; a start, or a change of the running query, carries it out.

        Raises:
            ConfigurationError: one of the changes cannot be; none is made.
        """
        with self.lock:
            self.catalog = self.catalog.apply(*changes)
            self._changes += changes

    def changes_of(self, define: Callable[[], Any]) -> tuple[Change, ...]:
        """The changes that a function makes; the catalog stays as it was."""
        with self.lock:
            before, self._changes = self.catalog, []
            try:
                define()
                return tuple(self._changes)
            finally:
                self.catalog, self._changes = before, []

    def home(self) -> jvm.JvmFolder:
        """The pipeline's folder in the location."""
        return jvm.JvmFolder.open(self.spark, self.location).child(FOLDER)

    def look(self) -> Seen:
        """What the location holds, each thing asked for once."""
        return Seen(jvm.JvmFolder.open(self.spark, self.location))

    def located(self, seen: Seen) -> Catalog:
        """The catalog, with what the location says is suspended.

        Args:
            seen: the location.
        """
        owner = definition.load(seen.child(FOLDER))
        return self.catalog if owner is None else self.catalog.located(owner.aside)

    def read(self, name: str) -> DataFrame:
        """The placeholder of a view.

        Raises:
            ConfigurationError: there is no such view.
        """
        self.catalog.need_view(name)
        return self._placeholders.of(self.catalog, name)

    def planned_apart(self, name: str, view: View) -> PlannedViews:
        """The plan of a view that the catalog does not have, with the views that it reads.

        Raises:
            NotIncremental: there is none.
        """
        return self._planned_apart(*self._inputs(view.frame), {name: view})

    def _inputs(self, frame: DataFrame) -> tuple[frozenset[str], frozenset[str]]:
        """The keys of what a query reads, and the views among that."""
        sources = frozenset(sources_in(frame))
        return sources, self._placeholders.read(self.catalog, sources)

    def _planned_apart(
        self,
        sources: frozenset[str],
        read: frozenset[str],
        views: Mapping[str, View],
        indexes: Mapping[str, tuple[DataFrame, Sequence[str]]] | None = None,
    ) -> PlannedViews:
        """The plan of a view or index that has these inputs, with the views that it reads."""
        needed = self.catalog.needed_by(read)
        below = (view.sources for view in needed.values())
        earlier, tables = self.catalog.earlier(sources.union(*below))
        return plan_views({**needed, **views}, indexes, unread=tables, earlier=earlier)

    def relations(self, view: View) -> dict[str, str]:
        """By key of a placeholder in a view's query, the table or view that it stands for.

        A table that has other columns since is not among them.
        """
        found = self._placeholders.views(self.catalog)
        for name, table in self.catalog.tables.items():
            shown = table.frame if table.shown is None else table.shown
            found |= dict.fromkeys(sources_in(shown), name)
        return {key: found[key] for key in view.sources if key in found}

    def add_view(self, name: str, frame: Any, **settings: Any) -> AddView:
        """A view as the user gave it, checked against the plan of its query.

        Args:
            name: of the view.
            frame: its query.
            settings: see :func:`~groundswell.catalog.view.view_of`.

        Raises:
            NotIncremental, ConfigurationError: it cannot be.
        """
        self.catalog.need_no_view(name)
        return AddView(name, self._view(name, frame, settings))

    def replace_view(self, name: str, frame: Any, **settings: Any) -> ReplaceView:
        """Another query, with the settings given, of a view that is there.

        What reads the view goes on reading it: call :meth:`check_readers`, or replace that too.

        Raises:
            NotIncremental, ConfigurationError: it cannot be.
        """
        self.catalog.need_replaceable(name)
        return ReplaceView(name, self._view(name, frame, settings))

    def check_readers(self, change: ReplaceView) -> None:
        """Refuses a view without the columns that its readers were written for.

        Raises:
            ConfigurationError: with the readers and the columns that differ.
        """
        old, name = self.catalog.views[change.name].frame.schema, change.name
        readers = [each for each in self.catalog.readers_of(name) if not each.startswith("sink ")]
        if readers and (differs := differences(old, change.view.frame.schema)):
            raise ConfigurationError(
                f"view {name!r} cannot be replaced: {', '.join(readers)} read it, and its columns "
                f"would be others: {'; '.join(differs)}. Give it the same columns, or drop the "
                "readers first"
            )

    def _view(self, name: str, frame: Any, settings: Mapping[str, Any]) -> View:
        if unknown := settings.keys() - {*SETTINGS, "foreachBatch"}:
            raise ConfigurationError(
                f"a view has no setting {sorted(unknown)[0]!r}; it has {', '.join(SETTINGS)}"
            )
        view = view_of(name, frame, **settings)
        sources, read = self._inputs(view.frame)
        needed = self.catalog.needed_by(read)
        if name in needed:
            raise ConfigurationError(f"view {name!r} would read itself, by {', '.join(needed)}")
        planned = self._planned_apart(sources, read, {name: view})
        fails = name in planned.diverted.values()
        return replace(view, reads=read, sources=sources, has_error_rows=fails)

    def add_index(self, what: Any, columns: Sequence[str], name: str | None) -> AddIndex:
        """An index of a table or view, checked against its plan.

        Args:
            what: see :meth:`Pipeline.index`; so are the others.
            columns: names of the index columns.
            name: of the index; None: made of the names of table and columns.

        Raises:
            ConfigurationError: it is of another query, or there is no such column.
        """
        frame = what.df if isinstance(what, Table) else getattr(what, "frame", what)
        if not isinstance(frame, DataFrame):
            raise ConfigurationError(f"an index is of a DataFrame, a view or a table, got {what!r}")
        if other := [column for column in columns if not isinstance(column, str)]:
            raise ConfigurationError(f"an index is of names of columns, got {other[0]!r}")
        asked = check_name("index", name or "_".join(("index", *columns)))
        sources, read = self._inputs(frame)
        planned = self._planned_apart(sources, read, {}, {asked: (frame, columns)})
        table = planned.indexes[asked].table
        name = check_name("index", name or "_".join(("index", table, *columns)))
        return AddIndex(name, Index(frame, tuple(columns), read, sources))

    def suspend(self, views: Collection[str], reason: str) -> Suspend:
        """Views that are to stop, with those that read them; not those that are suspended already.

        Args:
            views: names of views, or of the rows that failed in them.
            reason: the error's message, or who wants it.
        """
        because = with_readers(self.catalog.failed(views), self.catalog.reads)
        rows = self.catalog.error_rows
        because |= {name: because[of] for name, of in rows.items() if of in because}
        now = round(time.time() * 1000)
        stop = {view: of for view, of in because.items() if view not in self.catalog.suspended}
        return Suspend({view: Suspended(of, reason, now) for view, of in stop.items()})

    def pause(self, view: str) -> Suspend:
        """A view that somebody wants to stop, with those that read it.

        Raises:
            ConfigurationError: there is no such view, it is suspended, or it could not be resumed.
        """
        self.catalog.need_view(view)
        if (one := self.catalog.suspended.get(view)) is not None:
            raise ConfigurationError(one.text(view))
        change, before = self.suspend([view], "somebody has suspended it"), self.planned()
        after = self.planned(self.catalog.apply(change))
        kept = {table.name for table in after.tables.values() if table.keeps_rows}
        for name in change.views:
            for source in before.inputs(name):
                if source.mode is not Mode.VIEW and source.name not in kept:
                    raise ConfigurationError(
                        f"view {name} cannot be suspended: it could not be resumed, as the rows of "
                        f"source {source.name} would not be kept. dropView gives it up"
                    )
        return change

    def stopped(self, catalog: Catalog, reached: Mapping[str, int]) -> Catalog:
        """A catalog whose suspended views have the epoch at which they stopped, that is, now.

        Args:
            catalog: of which views are suspended.
            reached: by sink that goes on, the epoch up to which it got all.
        """
        if all(one.state for one in catalog.suspended.values()):
            return catalog
        log = EpochLog(self.home().child(EPOCHS))
        last = log.newest() if log.epochs() else None
        return replace(
            catalog, suspended=at_epoch(catalog.suspended, last, reached, catalog.sinks_of)
        )

    def replanned(self, names: Sequence[str]) -> tuple[Replanned, ...]:
        """What it would be to plan views again; the catalog stays as it is.

        Args:
            names: of the views; none: all.

        Raises:
            ConfigurationError: there is no such view, or it is suspended.
        """
        known = list(self.catalog.going)
        for name in names:
            if name not in known:
                raise ConfigurationError(
                    f"view {name!r} cannot be planned again: the query keeps "
                    f"{', '.join(known) or 'no view'}"
                )
        before = self.planned()
        wanted = list(names or known)
        while True:
            after = self.planned(replace(self.catalog, replanned=frozenset(wanted)))
            found = replanned(before, after, names or known, wanted)
            better = [each.view for each in found if each.changed]
            if better == wanted or not better:
                return found
            wanted = better

    def planned(
        self, catalog: Catalog | None = None, seen: Seen | None = None, shown: bool = False
    ) -> PlannedViews:
        """One dataflow for all that goes on.

        Args:
            catalog: what to plan; default: what the pipeline is now.
            seen: the location, if somebody has looked at it.
            shown: whether the orders of joins that were not taken are wanted, too.
        """
        catalog = self.catalog if catalog is None else catalog
        catalog.check_goes()
        owner = definition.load((seen or self.look()).child(FOLDER))
        self._check_suspended(catalog)
        planned = self._plan(catalog, owner, shown) if catalog.views else None
        read = {table.name for table in planned.tables.values()} if planned else set()
        unread = unread_tables(read, catalog.tables, owner)
        if unread or planned is None:
            planned = self._plan(catalog, owner, shown, unread)
        options, again = catalog.options, catalog.replanned
        return with_statistics(self.spark, self.location, planned, options, again)

    def _check_suspended(self, catalog: Catalog) -> None:
        """Refuses other columns of a table that would leave a suspended view for good.

        Raises:
            ConfigurationError: a suspended view reads a column that is gone, or another one now.
        """
        suspended = catalog.views.keys() & catalog.suspended.keys()
        if not suspended:
            return
        all_go = catalog.located({})
        earlier, tables = all_go.earlier()
        if any(catalog.views[name].sources & earlier.keys() for name in suspended):
            plan_views(all_go.views, unread=tables, earlier=earlier)

    def _plan(
        self,
        catalog: Catalog,
        owner: Definition | None,
        shown: bool,
        unread: Sequence[DataFrame] = (),
    ) -> PlannedViews:
        indexes = {
            name: (index.frame, index.columns)
            for name, index in catalog.indexes.items()
            if not index.reads & catalog.suspended.keys()
        }
        # a view that was replaced begins again
        given = owner, catalog.dropped | catalog.replaced, catalog.options, catalog.replanned
        check_forms(*given[:3])
        ordering = orders_of(self.spark, self.location, *given, shown)
        views, joins = catalog.going, catalog.options["joins"]
        earlier, tables = catalog.earlier()
        unread = [*unread, *(each for each in tables if each not in unread)]
        gone = catalog.dropped | catalog.replaced
        begun = {} if owner is None else {n: d for n, d in owner.views.items() if n not in gone}
        keep = self.of_statements or catalog.options["onChange"] != "rebuild"

        def plan(indexes: Mapping[str, Any]) -> PlannedViews:
            return plan_views(views, indexes, joins, unread, ordering, begun, earlier, keep)

        return with_automatic(plan, indexes, *given)

    def explained(self, catalog: Catalog, planned: PlannedViews, *, cost: bool = False) -> str:
        """The plan, the sinks, what is suspended, and how views are refreshed, for people."""
        sinks = ["\n".join(map(str, catalog.sinks.values()))] if catalog.sinks else []
        sinks += [one.text(name) for name, one in catalog.suspended.items()]
        if policies := catalog.policies:
            sinks.append("\n".join(explained(planned.dataflow().operators, policies)))
        return "\n\n".join([planned.explain(cost=cost), *sinks])

    def transition(self, catalog: Catalog | None = None) -> Transition:
        """What a start would make of the states of the location; nothing is written.

        Args:
            catalog: what would be started; default: what the pipeline is now.

        Raises:
            GroundswellError: what the start would raise.
        """
        seen = self.look()
        catalog = self.located(seen) if catalog is None else catalog
        return self.launch(catalog, self.planned(catalog, seen), seen).transition()

    def launch(self, catalog: Catalog, planned: PlannedViews, seen: Seen | None = None) -> Launch:
        """A start of what was planned of a catalog."""
        partitions = partitions_of(self.spark, catalog.options["partitions"])
        request = Request(planned, self.location, catalog, partitions)
        return Launch(self.spark, request, seen)
