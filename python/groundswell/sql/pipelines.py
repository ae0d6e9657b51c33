"""Pipelines as SQL has them: built from their statements, and changed while they run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.catalog.change import Change, rescaled
from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError
from groundswell.jvm.sql import lives
from groundswell.runtime import held_back
from groundswell.runtime.filling.rescale import check_partitions
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record import definition
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.tables import Table, home, open_table
from groundswell.sql import log as logs
from groundswell.sql import of_python, requests
from groundswell.sql import statements as s
from groundswell.sql.building import CATALOG, TRIGGER, Build
from groundswell.sql.masking import check_statement
from groundswell.sql.ownership import Ownership
from groundswell.sql.refreshing import Refreshed, refreshed

_ASK_AGAIN = 1.0
"""A batch that was being put together may have answered the clock, and be none that begins now.

So the clock is asked again after each barrier that is none, and after so many seconds."""

_TICK = 86_400
"""A clock that never ticks by itself within a day, but does when it is asked: FLUSH asks."""


class SqlPipeline:
    """A pipeline, its statements, and its run in this process if there is one.

    Attributes:
        name: what SQL calls it.
        location: qualified.
        pending: whether something was defined that the run does not have yet.
        eager: whether a new view is to run at once; a file of statements starts at its end.
        lease: ``ownerLease`` of the runs of this process, in the place of the statement's option.
    """

    def __init__(self, spark: SparkSession, name: str, location: str) -> None:
        self.name = check_name("pipeline", name)
        self.location = jvm.qualify(spark, location)
        self.spark = spark
        self.eager = True
        self.trigger: dict[str, Any] = {}
        self.lease: str | None = None
        self.pending = False
        self._home = jvm.JvmFolder.open(spark, self.location).child(FOLDER)
        self.log = logs.StatementLog(self._home)
        self.query: IncrementalQuery | None = None
        self._build: Build | None = None
        self._built_of = 0
        self._ownership = Ownership(
            self._home,
            self.name,
            self._carry_out,
            self._keeps_running,
            lambda: lives(spark),
        )
        self._lock = threading.RLock()

    @property
    def contents(self) -> logs.Contents:
        """What it consists of, as the location says now."""
        entries = self.log.read()
        return logs.fold(entries) if entries else of_python.contents(self._home)

    @property
    def in_python(self) -> bool:
        """Whether a Python program defines it: statements only read its views."""
        return not self.log.read() and bool(of_python.contents(self._home).objects)

    @property
    def called(self) -> str | None:
        """Its name as it was made; None: nothing was ever made there."""
        made = self.contents.pipeline
        statement = made.statement if made else None
        return statement.name[-1] if isinstance(statement, s.CreatePipeline) else None

    @property
    def options(self) -> Mapping[str, str]:
        """Those of ``CREATE PIPELINE``."""
        made = self.contents.pipeline
        statement = made.statement if made else None
        given = statement.options if isinstance(statement, s.CreatePipeline) else {}
        return {key: value for key, value in given.items() if key != "takeover"}

    @property
    def running(self) -> bool:
        """Whether this process runs it."""
        return self.query is not None and self.query.isActive

    def find(self, name: str, *kinds: str) -> logs.Object:
        """An object by its name.

        Raises:
            ConfigurationError: there is none, or it is of another kind.
        """
        contents = self.contents
        found = contents.objects.get(name.lower())
        if found is None:
            known = ", ".join(
                o.name for o in contents.objects.values() if o.kind in kinds or not kinds
            )
            what = kinds[0] if len(kinds) == 1 else "table, source or materialized view"
            raise ConfigurationError(
                f"pipeline {self.name} has no {what} {name!r}; it has {known or 'none'}"
            )
        if kinds and found.kind not in kinds:
            raise ConfigurationError(f"{name} is a {found.kind}, not a {' or '.join(kinds)}")
        return found

    def hand_over(
        self, text: str, catalog: str, namespace: tuple[str, ...]
    ) -> requests.Rows | None:
        """Has the process that runs the pipeline carry a statement out; see ``Ownership``."""
        return self._ownership.hand_over(text, catalog, namespace)

    def _carry_out(self, request: requests.Request) -> requests.Rows:
        from groundswell.sql.executor import carry_out

        return carry_out(self.spark, request)

    def _keeps_running(self) -> bool:
        ends = self._trigger().get("availableNow", False)
        return self.query is not None and (self.query.isActive or not ends)

    def make(
        self, text: str, catalog: str, namespace: tuple[str, ...], by: str | None = None
    ) -> None:
        """Runs a statement that defines something: logged first, then applied.

        Args:
            text: the statement.
            catalog: the current catalog of who asks.
            namespace: the current namespace of who asks.
            by: who asks, if it is another process.

        Raises:
            GroundswellError: it cannot be; the pipeline is as it was.
        """
        self._check_not_in_python()
        with self._lock, self._ownership.held():
            built = self._built() if self.contents.pipeline else None
            entries = self.log.read()
            number = entries[-1].number + 1 if entries else 1
            entry = logs.entry(number, text, catalog, namespace, by)
            check_statement(entry.statement)
            after = logs.fold([*entries, entry])
            if built is not None:
                built.streams.check(entry.statement, self._begun())
            self.log.append(entry)
            self._built_of = number
            if built is None:  # the pipeline itself
                return
            try:
                if not after.of(s.TABLE, s.VIEW, s.SINK):
                    self._halt()  # nothing is left to run
                at_once = not isinstance(entry.statement, s.CreateRelation | s.CreatePipeline)
                if built.streams.grows(entry.statement):
                    self._build_again()
                else:
                    self._change(built, lambda: self._apply(built, entry, after), at_once)
            except BaseException:
                self.log.take_back(entry)
                self._built_of = number - 1
                raise
            if isinstance(entry.statement, s.Drop) and not (self.running and self.pending):
                self._delete_rows(entry)

    def _delete_rows(self, drop: logs.Entry) -> None:
        """What a dropped table had been given, and no barrier had taken; nothing reads it now."""
        assert isinstance(drop.statement, s.Drop)
        gone = self._before(drop.number).objects[drop.statement.name[-1].lower()]
        if gone.kind == s.TABLE:
            rows = jvm.FileTree(self.spark, home(self.spark, self.location, gone.stored).location)
            rows.delete(rows.files())
            rows.prune()

    def _change(self, built: Build, define: Callable[[], None], at_once: bool) -> None:
        """A table alone waits for what needs it: each change is a pause of the run."""
        at_once = at_once and self.eager
        try:
            program = built.pipeline.program
            changes = program.changes_of(define)
            if self.query is not None and self.running and at_once:
                self.query.apply(*changes)
                self.pending = False
            else:
                program.apply(*changes)
                self.pending = True
                if at_once:
                    self.start()
        except BaseException:
            if not self.running:
                self._build = None  # built again, from what is logged
            raise

    def _build_again(self) -> None:
        """With what is logged now; a run goes on with it."""
        before, self._build = self._build, None
        try:
            self._built()
        except BaseException:
            self._build = before
            raise
        ran = self.running
        self._halt()
        self.pending = True
        if ran:
            self.start()

    def _begun(self) -> set[str]:
        """Names of the streams in the checkpoint that a run has begun."""
        owner = definition.load(self._home)
        known = owner.sources.values() if owner else ()
        return {stream for source in known for stream in source.get("streams", ())}

    def start(self) -> None:
        """Runs what is defined, if that is anything and it does not run.

        A run that lacks something goes on with it. Views whose fills were cut off are filled beside
        its barriers.
        """
        with self._lock:
            if not self.contents.of(s.TABLE, s.VIEW, s.SINK):
                return
            if self.query is not None and self.running:
                if self.pending:
                    self.query.apply()
            else:
                with self._ownership.held():
                    self.query, late = held_back.start(self._built().pipeline, self._trigger())
                self.pending = False
                self._add(self.query, late)
            self.pending = False

    def _add(self, query: IncrementalQuery, late: Sequence[Sequence[Change]]) -> None:
        try:
            for changes in late:
                query.apply(*changes)
        except BaseException:
            self._build = None  # built again, from what is logged
            self._halt()
            raise

    def _trigger(self) -> dict[str, Any]:
        if self.trigger:
            return self.trigger
        given = self.options.get(TRIGGER, "")
        if given.replace(" ", "").lower() in ("availablenow", "once"):
            return {"availableNow": True}
        return {"processingTime": given} if given else {}

    def rescale(self, partitions: int) -> None:
        """Gives its states another number of partitions, while it runs; or starts it so.

        Raises ConfigurationError: there cannot be so many, or it has nothing that could run.
        """
        check_partitions(partitions)
        self._check_not_in_python()
        with self._lock, self._ownership.held():
            if not self.contents.of(s.TABLE, s.VIEW, s.SINK):
                raise ConfigurationError(f"pipeline {self.name} has no states: create a view first")
            if self.query is not None and self.running:
                self.query.rescale(partitions)
                return
            self._built().pipeline.program.apply(rescaled(partitions))
            try:
                self.start()
            except BaseException:
                self._build = None  # built again, from what is logged
                raise

    def flush(self) -> None:
        """Waits for a barrier that begins now: it has what was written before.

        A pipeline whose trigger is ``availableNow`` reads what is there, and ends.

        Raises:
            GroundswellError: what ended the run.
        """
        if self.in_python:
            return
        if self._trigger().get("availableNow"):
            self.start()
            if self.query is not None:
                self.query.awaitTermination()
            return
        if self.query is None or self.pending:
            self.start()
        if self.query is not None:
            _wait_for_barrier(self.query)

    def refresh(self, views: Sequence[logs.Object]) -> list[Refreshed]:
        """Catches up once: waits for a barrier if it runs, else reads what is there and ends.

        Returns:
            What was done for each of ``views``.
        """
        with self._lock:
            before = self.newest()
            had = self._views_at(before)
            begun = time.monotonic()
            if self.running:
                self.flush()
                query = self.query
            else:
                with self._ownership.held():
                    query = self._built().pipeline.start(availableNow=True)
                    query.awaitTermination()
                self.pending = False
            seconds = time.monotonic() - begun
            barriers = [
                b
                for b in (query.recentProgress if query else ())
                if before is None or b["epoch"] > before
            ]
            return [
                refreshed(view.name, view.stored, barriers, view.stored in had, seconds)
                for view in views
            ]

    def _views_at(self, epoch: int | None) -> Collection[str]:
        if epoch is None:
            return ()
        return EpochLog(self._home.child(EPOCHS)).get(epoch).views

    def make_ready(self) -> None:
        """Runs what is defined, and waits for the epoch that has it.

        A view that is being filled holds nobody up who reads another one.
        """
        if self.pending or (self.query is not None and self.newest() is None):
            with self._lock:
                if self.pending or (self.query is not None and self.newest() is None):
                    self.flush()

    def settle(self) -> None:
        """Sees to it that statements before this one are in the newest epoch, if it runs."""
        if self.query is not None or self.pending:
            self.flush()
        else:
            self.catch_up()

    def catch_up(self) -> bool:
        """Waits for a barrier in the process that runs the pipeline; False: no other one does."""
        return self.hand_over("FLUSH", CATALOG, (self.name,)) is not None

    def newest(self) -> int | None:
        """The newest epoch that is published; None: there is none."""
        epochs = EpochLog(self._home.child(EPOCHS)).epochs()
        return epochs[-1] if epochs else None

    def stop(self) -> None:
        """Stops the run of this process."""
        self._halt()
        self._ownership.release()
        self._halt()  # a statement of another process may have begun another run

    def _halt(self) -> None:
        if self.query is not None:
            self.query.stop()
            self.query = None

    def take_over(self) -> None:
        """Makes the pipeline nobody's: a process that ran it is gone."""
        self._ownership.take_over()

    def table(self, name: str) -> tuple[Table, logs.Object]:
        """A table to write to."""
        found = self.find(name, s.TABLE)
        statement = found.made.statement
        assert isinstance(statement, s.CreateRelation)
        if statement.options.get("connector"):
            raise ConfigurationError(
                f"table {name} is fed by its connector {statement.options['connector']!r}; rows "
                "are written to tables without one"
            )
        return open_table(self.spark, self.location, found.stored), found

    def schema(self, name: str) -> Any:
        """The columns of an object that has no rows yet."""
        with self._lock:
            return self._built().frame_of(self.find(name)).schema

    def readers(self, read: logs.Object) -> list[logs.Object]:
        """The objects that read one, directly or not, in order of creation."""
        with self._lock:
            return self._built().readers(read, self.contents)

    def indexes_of(self, read: logs.Object) -> list[logs.Object]:
        """The indexes on a table or view."""
        return [
            each
            for each in self.contents.of(s.INDEX)
            if (on := _indexed(each, self._before(each.made.number))) and on.stored == read.stored
        ]

    def explain(
        self, view: s.CreateView, name: str, catalog: str, namespace: tuple[str, ...]
    ) -> str:
        """The plan of a view that the pipeline does not have."""
        with self._lock:
            return self._built().explain(view, name, catalog, namespace, self.contents)

    def _check_not_in_python(self) -> None:
        if self.in_python:
            raise ConfigurationError(
                f"the pipeline in {self.location} is defined by a Python program: change and run "
                "it there. Statements can read its views"
            )

    def _built(self) -> Build:
        self._check_not_in_python()
        entries = self.log.read()
        newest = entries[-1].number if entries else 0
        if self._built_of != newest and not self.running:
            self._build = None  # another process has changed it since
        if self._build is None:
            self._built_of = newest
            options = {k: v for k, v in self.options.items() if k != TRIGGER}
            if self.lease is not None:
                options["ownerLease"] = self.lease
            options.setdefault("tickInterval", str(_TICK))
            if self.newest() is not None:
                options.pop("partitions", None)  # of the first start
            contents = self.contents
            made = Build(self.spark, self.name, self.location, options, contents)
            for each in contents.objects.values():
                made.add(each, self._before(each.made.number))
            for name in contents.dropped:
                made.pipeline.drop(name)
            self._build = made
        return self._build

    def _before(self, number: int) -> logs.Contents:
        """What was there before a statement."""
        return logs.fold(entry for entry in self.log.read() if entry.number < number)

    def _apply(self, built: Build, entry: logs.Entry, after: logs.Contents) -> None:
        before = self._before(entry.number)
        statement = entry.statement
        match statement:
            case s.Drop():
                built.drop(before.objects[statement.name[-1].lower()])
            case s.CreateView() | s.CreateRelation() | s.CreateIndex() | s.CreateSink():
                old = before.objects.get(statement.name[-1].lower())
                if old is not None:
                    built.drop(old)
                built.add(after.objects[statement.name[-1].lower()], before)
            case _:
                return


def _indexed(index: logs.Object, before: logs.Contents) -> logs.Object | None:
    statement = index.made.statement
    assert isinstance(statement, s.CreateIndex)
    return before.objects.get(statement.on[-1].lower())


def _wait_for_barrier(query: IncrementalQuery) -> None:
    """Until one is published whose sources Spark has asked for news from now on.

    When a batch was put together does not tell: Spark asks one source after the other before. It
    reports a batch a little after its barrier is published; until then no other one is asked for.
    """
    since = time.time() * 1000
    asked, seen = 0.0, None
    while query.isActive:
        newest = last["epoch"] if (last := query.lastProgress) else None
        trigger = query._last_trigger()
        if trigger and newest is not None and trigger[0] <= newest and trigger[1] >= since:
            return
        reported = newest is None or (trigger is not None and trigger[0] >= newest)
        if (newest != seen and reported) or time.monotonic() - asked > _ASK_AGAIN:
            query.tick()
            asked, seen = time.monotonic(), newest
        time.sleep(0.02)
    query.awaitTermination()
