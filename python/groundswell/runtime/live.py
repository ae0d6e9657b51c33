"""The changes that a running query takes, by what they are called."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from groundswell.catalog.change import (
    AddSink,
    Change,
    DropIndex,
    DropSink,
    DropView,
    Replan,
    Resume,
    rescaled,
)
from groundswell.catalog.expectation import Expectation
from groundswell.catalog.view import STOP_PIPELINE, BatchFunction
from groundswell.runtime.backfill.reoptimize import Replanned
from groundswell.runtime.backfill.rescale import check_partitions
from groundswell.runtime.program import Program
from groundswell.runtime.transition import Transition
from groundswell.sinks.registry import sink_spec

if TYPE_CHECKING:
    from datetime import timedelta

    from groundswell.runtime.backfill.beside import OnlineBackfill
    from groundswell.sinks.sink import Sink


class LiveChanges:
    """What changes a pipeline while it runs, with one pause each."""

    _changing: threading.RLock
    _one_change: threading.RLock
    _program: Program
    _filling: OnlineBackfill | None
    _views: tuple[str, ...]
    _has_unfinished: bool

    @abstractmethod
    def apply(self, *changes: Change) -> None:
        """Carries changes out with one pause, all of them or none."""

    @abstractmethod
    def _forget(self, view: str) -> bool:
        """Gives up what an earlier run has filled of a view; whether there was something."""

    def addView(
        self,
        name: str,
        frame: Any,
        foreachBatch: BatchFunction | None = None,
        emit: str | None = None,
        *,
        ttl: str | timedelta | None = None,
        ttl_column: str | None = None,
        errors: str | None = None,
        onFailure: str = STOP_PIPELINE,
        maxStateBytes: int | None = None,
        policy: str | None = None,
        expect: Iterable[Expectation] | None = None,
    ) -> None:
        """Adds a view while the pipeline runs, filled from the views and keyed sources it has.

        The barriers of the other views go on while it is filled (``status`` and ``lastProgress``
        say how far it is), and pause for the switch. Where what a view holds depends on when rows
        came, or on watermarks, they pause until it is filled. Returns when the view is there.

        Args:
            name: see :meth:`Pipeline.view`; so are the others.
            frame: a DataFrame, or what ``incremental()`` made of one.
            foreachBatch: takes (changelog DataFrame, epoch).
            emit: ``update`` (default) or ``window_close``.
            ttl: how long a row stays; default: for ever.
            ttl_column: since when; default: since it last changed.
            errors: what a row does that cannot be digested; ``fail`` by default.
            onFailure: ``stop_pipeline`` (default) or ``set_aside``.
            maxStateBytes: how many bytes its states may take; default: as many as it will.
            policy: ``AUTO``, ``INCREMENTAL`` (default), ``FULL`` or ``STRICT``.
            expect: what its rows are to meet, as :class:`groundswell.Expectation`.

        Raises:
            NotIncremental, DefinitionChanged, RowFailed: if it cannot be kept or filled; the query
                goes on with the views that it had.
            IllegalState: it was dropped, or the query stopped, while it was filled.
        """
        view = self._program.add_view(
            name,
            frame,
            foreachBatch=foreachBatch,
            emit=emit,
            ttl=ttl,
            ttl_column=ttl_column,
            errors=errors,
            onFailure=onFailure,
            maxStateBytes=maxStateBytes,
            policy=policy,
            expect=expect,
        )
        self.apply(view)

    def replaceView(
        self,
        name: str,
        frame: Any,
        foreachBatch: BatchFunction | None = None,
        emit: str | None = None,
        **settings: Any,
    ) -> None:
        """Gives a view another query while the pipeline runs; what reads the view goes on.

        The new view is filled beside the barriers, and takes the place of the old one at one
        barrier, with the views that read it. Until then readers see the old rows. A sink gets the
        exact difference. A state whose plan is the same is not computed again.

        Args:
            name: of a view of the pipeline.
            frame: its new query. If a view or index reads the view, its columns must stay.
            foreachBatch: takes (changelog DataFrame, epoch).
            emit: ``update`` (default) or ``window_close``.
            settings: see :meth:`addView`; one that is left out has its default, whatever it was.

        Raises:
            ConfigurationError: there is no such view, a reader needs other columns, or the query
                reads a view that reads this one; the query goes on as before.
            NotIncremental, DefinitionChanged, RowFailed: it cannot be kept or filled; the query
                goes on as before.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> _ = p.view("counts", votes.df.groupBy("story").count())
            >>> liked = p.read("counts").where("count > 1").select("story")
            >>> _ = p.view("liked", liked)
            >>> votes.insert([(1, "ann"), (1, "ann")])
            >>> query = p.start()
            >>> users = F.approx_count_distinct("user")
            >>> by_user = votes.df.groupBy("story").agg(users)
            >>> query.replaceView("counts", by_user.toDF("story", "count"))
            >>> query.processAllAvailable()
            >>> query.view("counts").collect(), query.view("liked").collect()
            ([Row(story=1, count=1)], [])
            >>> query.stop()
        """
        given = {"foreachBatch": foreachBatch, "emit": emit, **settings}
        change = self._program.replace_view(name, frame, **given)
        self._program.check_readers(change)
        self.apply(change)

    def dropView(self, name: str) -> None:
        """Gives a view up while the pipeline runs; the epochs that it had stay readable.

        If it is still being filled, that ends, and what it has filled is given up; so is what an
        earlier run has filled of it. If the query cannot be started without it, it goes on with the
        views that it had.

        Raises:
            ConfigurationError: there is no such view, or another one reads it.
        """
        if (fill := self._filling) is not None and fill.fills(name) and name not in self._views:
            fill.cancel(f"view {name} was dropped", unwanted=True)
            with self._one_change:
                if name not in self._views:
                    return
        if self._has_unfinished and name not in self._views and self._forget(name):
            return
        self._program.catalog.need_view(name)
        self.apply(DropView(name))

    def addIndex(self, what: Any, *columns: str, name: str | None = None) -> None:
        """Adds an index while the pipeline runs; it is filled as a view is. See Pipeline.index.

        Raises:
            ConfigurationError: if there can be no such index; the query goes on without it.
        """
        self.apply(self._program.add_index(what, columns, name))

    def dropIndex(self, name: str) -> None:
        """Gives an index up while the pipeline runs; views that used it are backfilled again."""
        self.apply(DropIndex(name))

    def addSink(
        self,
        name: str,
        view: str,
        format: str | Sink,  # noqa: A002
        **options: Any,
    ) -> None:
        """Adds a sink while the pipeline runs; it gets the view's rows first. See Pipeline.sink.

        Raises:
            ConfigurationError, SinkError: if it cannot be; the query goes on without it.
        """
        self.apply(AddSink(sink_spec(name, view, format, options)))

    def dropSink(self, name: str) -> None:
        """Gives a sink up while the pipeline runs; what its target has stays there."""
        self.apply(DropSink(name))

    def change(self, define: Callable[[], Any]) -> None:
        """Changes several things of the pipeline while it runs, with one pause.

        Args:
            define: calls what the pipeline has to define its parts (``view``, ``drop``, ``index``,
                ``table``, ...); if it raises, or the query cannot go on as it says, nothing of it
                is done.
        """
        with self._one_change:
            self.apply(*self._program.changes_of(define))

    def plan(self, define: Callable[[], Any]) -> Transition:
        """What :meth:`change` would make of the states, if it were called now; nothing is done.

        Args:
            define: see :meth:`change`.

        Raises:
            GroundswellError: what the change would raise.
        """
        program = self._program
        with self._changing:
            return program.transition(program.catalog.apply(*program.changes_of(define)))

    def suspend(self, name: str) -> None:
        """Stops keeping a view up to date, and those that read it, until ``resume(name)``.

        Readers see the rows of the newest epoch until then. All other state behind the views is
        given up, so they cost nothing, and are filled again when they are resumed.

        Raises:
            ConfigurationError: there is no such view, it is suspended, it is the last one that is
                not, or it reads a source whose rows are not kept; nothing is done.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> _ = p.view("counts", votes.df.groupBy("story").count())
            >>> query = p.view("fans", votes.df.groupBy("user").count()).start()
            >>> query.suspend("fans")
            >>> votes.insert([(1, "ann")])
            >>> query.processAllAvailable()
            >>> aside = query.lastProgress["aside"]
            >>> query.view("counts").count(), aside["fans"]["reason"]
            (1, 'somebody has suspended it')
            >>> query.resume("fans")
            >>> query.view("fans").collect()
            [Row(user='ann', count=1)]
            >>> query.stop()
        """
        self.apply(self._program.pause(name))

    def resume(self, name: str) -> None:
        """Fills a view again that was suspended, and with it those that stood still for it.

        Raises:
            ConfigurationError: if it is not set aside, or stands still for another view.
            DefinitionChanged, RowFailed: if it cannot be filled; it stays set aside, and the query
                goes on.
        """
        self.apply(Resume(name))

    def rescale(self, partitions: int) -> None:
        """Gives the states of all views another number of partitions while the pipeline runs.

        The query stands still meanwhile. The new partitions refer to the files of those before;
        merges write them anew later. Epochs before it stay readable as long as they are kept. The
        next start of the pipeline keeps the number, unless it names another one.

        Args:
            partitions: 1 to 4,096.

        Raises:
            ConfigurationError: there cannot be so many, or a view is set aside; the query goes on
                as before.
            IllegalState: a state cannot be rescaled; the query goes on as before.
        """
        check_partitions(partitions)
        self.apply(rescaled(partitions))

    def reoptimize(self, *views: str) -> tuple[Replanned, ...]:
        """Plans views again by the rows that there are now, and fills those that get another plan.

        The inner joins of a view get the order that costs least by the rows of tables, sources and
        views in the newest epoch, if it costs at most 0.8 of what it has; indexes are used where
        that costs less. A new plan is filled beside the barriers, from what
        the pipeline keeps, and takes the place of the old one at one barrier; views that read the
        view are filled with it. The old states go with the last epoch that has them.

        Args:
            views: names of the views; default: all that the query keeps.

        Returns:
            For each view whether it has another plan now, and why, or why not. Where all plans
            stay as they are, nothing is done.

        Raises:
            ConfigurationError: there is no such view, or it is set aside.
            DefinitionChanged, RowFailed: if a view cannot be filled again, as its sources are not
                kept; all views go on as they are.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> query = p.view("counts", votes.df.groupBy("story").count()).start()
            >>> print(*query.reoptimize("counts"))
            view counts: as it was
              it has no joins whose order, form or indexes could be others
            >>> query.stop()
        """
        with self._one_change:
            with self._changing:
                found = self._program.replanned(views)
            if changed := frozenset(each.view for each in found if each.changed):
                self.apply(Replan(changed))
            return found
