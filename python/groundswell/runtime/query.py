"""A running pipeline, as users hold it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException

from groundswell import jvm
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.change import Change
from groundswell.errors import (
    ConfigurationError,
    EngineError,
    Fenced,
    GroundswellError,
    IllegalState,
    JavaFailed,
    PipelineFailed,
    ViewError,
)
from groundswell.listing import Listed
from groundswell.runtime.backfill import unfinished
from groundswell.runtime.backfill.beside import OnlineBackfill
from groundswell.runtime.barriers.progress import Progress
from groundswell.runtime.barriers.shown import Shown
from groundswell.runtime.barriers.view_states import view_states
from groundswell.runtime.gc.fills import forget
from groundswell.runtime.live import LiveChanges
from groundswell.runtime.program import Program
from groundswell.runtime.reading.views import Snapshot, read_view
from groundswell.runtime.recovering import Recovering
from groundswell.runtime.request import Started
from groundswell.runtime.starting import Prepared, Starter
from groundswell.runtime.transactions import Transaction
from groundswell.runtime.turns import Turns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


_log = logging.getLogger("groundswell")
_PATIENCE = 5.0
"""Seconds that a change leaves to who waits for a barrier."""


class IncrementalQuery(Listed, Shown, LiveChanges, Recovering):
    """Views being kept up to date: PySpark's StreamingQuery, with what views add.

    Examples:
        >>> votes = p.table("votes", "story bigint, user string")
        >>> query = p.view("counts", votes.df.groupBy("story").count()).start()
        >>> votes.insert([(1, "ann"), (2, "bob")])
        >>> query.processAllAvailable()
        >>> query.lastProgress["inputRows"]
        2
        >>> query.addView("stories", p.read("counts").select("story"))
        >>> sorted(row.story for row in query.view("stories").collect())
        [1, 2]
        >>> query.views
        ('counts', 'stories')
        >>> query.stop()
    """

    INSIDE = frozenset({"apply", "drawn_by", "runs"})

    def __init__(self, program: Program, starter: Starter) -> None:
        self._program = program
        self._starter = starter
        self._spark = program.spark
        self._location = program.location
        self._ending = threading.Lock()
        self._changing = program.lock
        self._one_change = threading.RLock()
        self._turns = Turns()
        self._filling: OnlineBackfill | None = None
        self._overtakings = 3
        self._switches = False
        self._was_stopped = False
        self._number = 0
        self._judged = set[int]()
        """Runs of Spark's of which it is known that nothing comes after them."""
        starter.first(self)

    def _set(self, started: Started) -> None:
        self._views = started.views
        self._query = started.query
        self._callback = started.callback
        self._progress = started.progress
        self._progress.filling = self._filling
        self._explanation = started.explanation
        self._drain = started.drain
        self._finish = started.finish
        self._on_end = started.end
        self._tick = started.tick
        self._has_unfinished = started.unfinished
        self._ownership = started.ownership
        self._ended = False
        self._lost: PipelineFailed | None = None
        self._loads = started.loads
        self._bounded = started.bounded
        self._number += 1
        of = (started.query, self._number)
        threading.Thread(target=self._watch, args=of, daemon=True).start()

    def _watch(self, waited: StreamingQuery, number: int) -> None:
        """Goes on behind a first load, and after failures that it can, though nobody waits."""
        with suppress(Exception):  # of a session that ends: nothing goes on
            with suppress(StreamingQueryException):
                waited.awaitTermination()
            if self.loads or waited.exception() or self._callback.failure:
                self._is_over(waited)
        self._judged.add(number)

    @property
    def id(self) -> str:
        """Spark's id of the query; the same after a restart."""
        return str(self._query.id)

    @property
    def name(self) -> str | None:
        """The query's name, if it was given one."""
        name: str | None = self._query.name
        return name

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the views that are kept."""
        return self._views

    @property
    def ownerToken(self) -> int:
        """The number of this run's claim on its location: a later run has a greater one.

        What is written elsewhere as of an epoch can note both and refuse a smaller number.
        """
        return self._ownership.token

    @property
    def isActive(self) -> bool:
        """Whether it runs; it does while a change, or what it does after a failure, starts it."""
        return jvm.has_session(self._spark) and (self._runs() or self._may_go_on())

    def _runs(self) -> bool:
        return any((self._query.isActive, self.loads, self._switches, self._query.isActive))

    def _may_go_on(self) -> bool:
        """Whether it has failed, and is yet to find out if it goes on after that."""
        query, judged = self._query, self._number in self._judged or self._was_stopped
        return not judged and (query.exception() is not None or self._query is not query)

    @property
    def loads(self) -> bool:
        """Whether it still reads what its sources had when it began; no view can be read then."""
        return self._loads and not self._callback.stopping

    @property
    def lastProgress(self) -> Progress | None:
        """The newest barrier: epoch, rows by source, counters by operator, times; or None."""
        return self._progress.last

    @property
    def recentProgress(self) -> list[Progress]:
        """The last barriers of this run, oldest first."""
        return self._progress.recent

    def _last_trigger(self) -> tuple[int, float] | None:
        """Epoch of the last batch that Spark has reported, and when it began to ask the sources."""
        return self._progress.trigger(self._query.lastProgress)

    @property
    def status(self) -> dict[str, Any]:
        """What it is doing now, and what its location has: Spark's status, with more.

        Returns:
            Beside Spark's own keys:

            - ``epoch``: the newest epoch of the location; None: there is none yet.
            - ``views``: by name of a view, its ``state`` (``running``, ``loading 35 %``,
              ``backfilling 35 %``, ``suspended``, or ``stopped`` once the query has ended), its
              ``epoch``, and its ``rows`` then.
            - ``loading``: how many per cent are read of a first load that comes in several
              barriers; None: there is none, or it is over.
            - ``barrier``: the barrier that is computed now: its ``epoch``, for how many
              ``seconds``, and ``percent`` (None on a cluster); None: none is.
            - ``filling``: what is filled beside the barriers, see ``lastProgress``.
            - ``sinks``: by name, the last ``epoch`` of its target, why it ``stopped`` (None: it
              goes on), and the ``rowsAside`` of this run; known before the first barrier.
            - ``unfinished``: the fills that were cut off before this run began. They go on if their
              views are added again with the same queries.
        """
        filling = self._filling
        return {
            **self._query.status,
            "epoch": self._progress.epoch,
            "views": view_states(
                self._views,
                self.isActive,
                self._progress,
                self._program.catalog.suspended,
                filling.fill.plan.views if filling is not None else (),
            ),
            "barrier": self._progress.barrier() if self.isActive else None,
            "loading": self._progress.loading,
            "filling": filling.status() if filling is not None else None,
            "sinks": self._progress.sinks,
            "unfinished": self._unfinished(),
        }

    def _unfinished(self) -> list[dict[str, Any]]:
        return unfinished.told(self._starter.journal(self)) if self._has_unfinished else []

    def awaitTermination(self, timeout: int | None = None) -> bool | None:
        """Waits for the end; with a timeout in seconds, returns whether it has ended.

        Raises:
            GroundswellError: what ended it, if it failed.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            waited, ended = self._query, None
            with suppress(StreamingQueryException):
                ended = waited.awaitTermination(timeout)
            if ended is False:
                return ended
            left = -1 if until is None else max(until - time.monotonic(), 0)
            if not self._changing.acquire(timeout=left):  # a change takes longer
                return False
            try:
                if self._is_over(waited):
                    self._end()
                    return ended
            finally:
                self._changing.release()
            if until is not None:
                timeout = max(round(until - time.monotonic()), 1)

    def processAllAvailable(self) -> None:
        """Waits until everything the sources have now is in the views."""
        over = False
        while not over:
            waited, drain = self._query, self._drain
            with suppress(StreamingQueryException):
                if self._loads:
                    waited.awaitTermination()
                waited.processAllAvailable()
            with suppress(Exception):  # what it fails with ends the query
                drain()
            over = self._is_over(waited)

    def _is_over(self, waited: StreamingQuery) -> bool:
        """A view that comes or goes ends one query, and starts the next.

        Raises:
            GroundswellError: what ended it, if it failed.
        """
        with self._changing:
            if self._query is not waited:
                return False
            failure = self.exception()
            new = self._number not in self._judged
            if failure is not None and new and self._goes_on_after(failure):
                return False
            if failure is not None:
                self._judged.add(self._number)
                self._loads = False
                raise failure from failure.__cause__ or self._query.exception()
            return not self._go_on_loaded()

    def _go_on_loaded(self) -> bool:
        """Shows a first load that is whole, and goes on with the trigger of the user."""
        if not self.loads:
            return False
        before, self._switches = self._progress, True
        self._loads = False  # after that: it is active all the time
        self._advance((), loaded=before.epoch)
        self._progress.follows(before)
        return True

    def tick(self) -> None:
        """Asks for a barrier now, though no source may have news; ``processAllAvailable`` waits.

        Raises:
            ConfigurationError: if the pipeline was started without ``tickInterval``.
            GroundswellError: what ended it, if it failed.
        """
        with self._changing:  # a query that is started again has no clock meanwhile
            ticks = self._tick()
        if not ticks and not self._may_go_on():
            if (failure := self.exception()) is not None:
                raise failure
            raise ConfigurationError(
                "the pipeline has no clock: start it with option tickInterval, in seconds"
            )

    def stop(self) -> None:
        """Stops now; a barrier at work is given up, and run again by the next start.

        Barriers since the last checkpoint are made durable and delivered before it returns. A view
        that is being filled is not added; its fill goes on when it is added again in time.
        """
        self._was_stopped = True
        if (fill := self._filling) is not None:
            fill.cancel("the query was stopped")
        if not jvm.has_session(self._spark):  # it went with it
            self._settle()
            return
        self._halt()

    def _halt(self) -> None:
        with self._changing:
            self._callback.stopping = True
            self._query.stop()
            self._end()

    def _end(self) -> None:
        """Once: by the second time another run may have the location."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            try:
                self._finish()
            finally:
                self._on_end()
                self._starter.ended(self)

    def _settle(self) -> None:
        """As far as it goes: what cannot be made durable any more, the next start repeats."""
        with suppress(Exception):  # of a stopped session: what it does last is not in the way
            self._query.stop()
        with suppress(Exception):
            self._query.awaitTermination(10)
        with suppress(Exception):
            self._end()

    def _forget(self, view: str) -> bool:
        return forget(self._spark, self._starter.journal(self), view, self._ownership.check)

    def runs(self, program: Program) -> bool:
        """Whether it keeps what a program has made."""
        return self._program is program

    def apply(self, *changes: Change) -> None:
        """Carries changes out with one pause, all of them or none.

        What can be is filled before, beside the running barriers. Of several calls one waits for
        the other. Without changes the pipeline is started again, as its program has it now.

        Args:
            changes: see :mod:`groundswell.catalog.change`.

        Raises:
            GroundswellError: one of them cannot be; the query goes on as before.
            IllegalState: the query was stopped; a change does not start it again.
        """
        with self._one_change:
            self._check_not_stopped()
            ready = self._prepared(changes) if self._runs() else None
            fill = ready.fill if ready is not None else None
            try:
                if fill is not None:
                    self._set_filling(fill)
                    self._fill(fill)
                if ready is not None:
                    self._turns.give_way(_PATIENCE)
                with self._changing:
                    if fill is not None:
                        self._check_runs(fill)
                    self._check_not_stopped()
                    self._advance(changes, ready)
            except BaseException:
                self._has_unfinished |= fill is not None
                raise
            finally:
                if fill is not None:
                    self._set_filling(None)
                    fill.close()

    def _fill(self, fill: OnlineBackfill) -> None:
        query = self._query
        try:
            fill.run()
        except EngineError as e:
            if self._query is not query and not isinstance(e, ViewError):
                raise fill.broken_off("the query was started again meanwhile") from e
            raise

    def _prepared(self, changes: Sequence[Change]) -> Prepared:
        """What is to run after some changes."""
        with self._changing:
            return self._starter.prepared(self._program.catalog.apply(*changes), self)

    def _set_filling(self, fill: OnlineBackfill | None) -> None:
        with self._changing:
            self._filling = self._progress.filling = fill

    def _check_not_stopped(self) -> None:
        if self._was_stopped:
            raise IllegalState(
                f"the query of {self._location} was stopped, and no change starts it again: make "
                "the change on the pipeline, and use the query that its start() returns"
            )

    def _check_runs(self, fill: OnlineBackfill) -> None:
        if self._callback.stopping:
            raise fill.broken_off("the query was stopped")
        if (failure := self.exception()) is not None:
            raise fill.broken_off("the query failed") from failure

    def _advance(
        self,
        changes: Sequence[Change],
        ready: Prepared | None = None,
        loaded: int | None = None,
        less: bool = False,
    ) -> None:
        """Starts again with another catalog; if that fails, with the one before."""
        with self._changing:
            old, ran = self._program.catalog, self._runs()
            new = old.apply(*changes)
            self._switches = ran
            try:
                self._restart(new, ready, loaded, less)
            except BaseException:
                self._program.catalog = old.giving_up(new)
                if ran and self._callback.stopping:
                    self._go_back()
                raise
            finally:
                self._switches = False

    def _go_back(self) -> None:
        try:
            self._restart(self._program.catalog)
        except Exception as e:
            self._lost = PipelineFailed(
                f"views {', '.join(self._views)} were stopped for a view to come or go, and cannot "
                f"be started again: {jvm.summary(e)}"
            )
            raise self._lost from e

    def _restart(
        self,
        new: Catalog,
        ready: Prepared | None = None,
        loaded: int | None = None,
        less: bool = False,
    ) -> None:
        self._starter.again(self, new, self._halt, ready, loaded, less)
        jvm.release_unused()  # a stopped query of Spark's keeps its session, sources and plans

    def exception(self) -> GroundswellError | None:
        """What ended it, or None."""
        beside = None if self._callback.stopping else self._callback.failure
        error: Any = self._query.exception() or beside  # of what goes on beside the barriers
        return self._failed(error) if error is not None else self._lost

    def view(self, name: str | None = None, epoch: int | None = None) -> DataFrame:
        """One of its views as a DataFrame, at the newest or a named epoch."""
        return read_view(self._spark, self._location, name or self._views[0], epoch)

    def snapshot(self, epoch: int | None = None) -> Snapshot:
        """All views at one epoch: what is read of it agrees."""
        return Snapshot(self._spark, self._location, epoch)

    def transaction(self) -> Transaction:
        """Begins writes to several tables that one barrier takes, all of them or none."""
        return Transaction(self._spark, self._location)

    def _failed(self, error: Any) -> GroundswellError:
        try:
            self._ownership.check()
        except Fenced as fenced:  # whatever it failed with
            self._settle()
            fenced.__cause__ = self._callback.failure or error
            return fenced
        self._settle()
        failure = self._callback.failure
        if isinstance(failure, GroundswellError) and not isinstance(failure, JavaFailed):
            return failure
        cause = error if failure is None else failure
        return jvm.translate(cause) or jvm.pipeline_failure(self._views, cause)

    def __repr__(self) -> str:
        epoch = self._progress.epoch
        state = "running" if self.isActive else "stopped"
        at = "before its first epoch" if epoch is None else f"epoch {epoch}"
        if (percent := self._progress.loading) is not None:
            at += f", {percent:.0f} % of the first load"
        more = f", {filling}" if (filling := self._filling) is not None else ""
        return f"IncrementalQuery({', '.join(self._views)}: {state}, {at}{more}, {self._location})"
