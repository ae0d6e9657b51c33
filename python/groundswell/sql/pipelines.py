"""Pipelines as SQL has them: built from their statements, and changed while they run."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pyspark.sql import SparkSession

from groundswell import config, jvm
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.change import Change, Revise
from groundswell.errors import ConfigurationError
from groundswell.runtime import postponed
from groundswell.runtime.gc import trees
from groundswell.runtime.program import Program
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record import definition
from groundswell.runtime.tables import Table, home, open_table
from groundswell.runtime.transactions import Transaction
from groundswell.runtime.transition import Transition
from groundswell.sql.defining.building import CATALOG, Build
from groundswell.sql.defining.functions import checked
from groundswell.sql.defining.masking import check_statement, masked
from groundswell.sql.defining.pipeline_options import TRIGGER, shown, trigger_of, values_of
from groundswell.sql.defining.rebuilding import build
from groundswell.sql.defining.set_aside import check_names_apart
from groundswell.sql.defining.table_columns import stored_names, table_schema
from groundswell.sql.history import log as logs
from groundswell.sql.history.recorded import Recorded
from groundswell.sql.owning import requests
from groundswell.sql.owning.ownership import Ownership
from groundswell.sql.owning.waiting import wait_for_barrier
from groundswell.sql.parsing import statements as s
from groundswell.sql.refreshing import Refreshed, refreshed

_log = logging.getLogger("groundswell")


class SqlPipeline(Recorded):
    """A pipeline, its statements, and its run in this process if there is one.

    Args:
        run: carries out what other processes ask for while this one has the pipeline.

    Attributes:
        pending: whether something was defined that the run does not have yet.
        eager: whether a new view is to run at once; a file of statements starts at its end.
        lease: ``ownerLease`` of the runs of this process, in the place of the statement's option.
    """

    def __init__(
        self, spark: SparkSession, name: str, location: str, run: requests.CarryOut
    ) -> None:
        super().__init__(spark, name, location)
        self.eager = True
        self.trigger: dict[str, Any] = {}
        self.lease: str | None = None
        self.pending = False
        self.query: IncrementalQuery | None = None
        self.catching_up: IncrementalQuery | None = None
        self._build: Build | None = None
        self._built_of = 0
        self._takes_over = False
        self._ownership = Ownership(
            self._home,
            self.name,
            lambda request: run(spark, request),
            self._keeps_running,
            lambda: jvm.has_session(spark),
        )
        self._lock = threading.RLock()

    @property
    def running(self) -> bool:
        """Whether this process runs it."""
        return self.query is not None and self.query.isActive

    def hand_over(
        self, text: str, catalog: str, namespace: tuple[str, ...]
    ) -> requests.Rows | None:
        """Has the process that runs the pipeline carry a statement out; see ``Ownership``."""
        return self._ownership.hand_over(text, catalog, namespace)

    def _keeps_running(self) -> bool:
        ends = self._trigger().get("availableNow", False)
        return self.query is not None and (self.query.isActive or not ends)

    def make(
        self,
        text: str,
        catalog: str,
        namespace: tuple[str, ...],
        by: str | None = None,
        also: Sequence[str] = (),
    ) -> None:
        """Runs a statement that defines something: logged first, then applied.

        Args:
            text: the statement.
            catalog: the current catalog of who asks.
            namespace: the current namespace of who asks.
            by: who asks, if it is another process.
            also: names of the objects that it drops beside its own, readers first.

        Raises:
            GroundswellError: it cannot be; the pipeline is as it was.
        """
        self._check_not_in_python()
        with self._lock, self._ownership.held(), self.names_told():
            self._settle_cut_off()
            built = self._built() if self.contents.pipeline else None
            entries = self.log.read()
            number = entries[-1].number + 1 if entries else 1
            entry = logs.entry(number, text, catalog, namespace, by, also)
            check_statement(entry.statement)
            if built is None:  # the pipeline itself
                self.log.append(replace(entry, pending=False))
                self._built_of = number
                return
            if isinstance(entry.statement, s.CreateFunction):
                checked(self.spark, self.name, entry.statement)
            if isinstance(entry.statement, s.AlterPipeline):
                self._check_starts(built, entry)
            built.streams.check(entry.statement, self._begun())
            self.log.append(entry)
            self._carry(entry)

    def transition(
        self, text: str, catalog: str, namespace: tuple[str, ...], also: Sequence[str] = ()
    ) -> Transition:
        """What :meth:`make` would make of the states, with what it raises; nothing is done."""
        with self._lock:
            number = self.log.read()[-1].number + 1
            entry = logs.entry(number, text, catalog, namespace, None, also)
            program, changed = self._changed(self._built().apart(), entry)
            return program.transition(changed)

    def _check_starts(self, built: Build, entry: logs.Entry) -> None:
        """Refuses options that a start would refuse, for none may follow at once."""
        program, changed = self._changed(built, entry)
        if changed.can_run:
            program.transition(changed)

    def _changed(self, built: Build, entry: logs.Entry) -> tuple[Program, Catalog]:
        """What a statement would make of the pipeline, and the program to plan it with."""
        entries = [*self._entries(), entry]
        after = logs.fold(entries)
        if self._is_anew(built, after):
            program = build(self, entries, self.lease).pipeline.program
            return program, program.located(program.look())
        program = built.pipeline.program
        changes = program.changes_of(lambda: self._apply(built, entry, after))
        check_names_apart(self.name, entry, after, changed := program.catalog.apply(*changes))
        return program, changed

    def _is_anew(self, built: Build, after: logs.Contents) -> bool:
        """Whether what stands for tables has to be made again, with other options."""
        now, wanted = built.catalog.options, config.check(self._values(after))
        return config.deletes_writes(now) and not config.deletes_writes(wanted)

    def _values(self, contents: logs.Contents) -> dict[str, Any]:
        return values_of(contents.options, self.lease)

    def _carry(self, entry: logs.Entry) -> None:
        """Carries the last statement of the log out, and confirms it.

        Raises:
            GroundswellError: it cannot be; the log and the pipeline are as before it.
        """
        built, before, self._making = self._built(), self._built_of, entry.number
        self._built_of = entry.number
        try:
            contents = self.contents
            if not contents.of(s.TABLE, s.VIEW, s.SINK):
                self._halt()  # nothing is left to run
            waits = isinstance(entry.statement, s.CreateRelation | s.CreatePipeline)
            if isinstance(entry.statement, s.AlterTable | s.AlterPipeline | s.CreateFunction):
                waits = not self.running
            if built.streams.grows(entry.statement) or self._is_anew(built, contents):
                check_names_apart(self.name, entry, contents, built.pipeline.program.catalog)
                self._build_again()
            else:
                self._change(built, entry, contents, not waits)
        except BaseException:
            self.log.take_back(entry)
            self._built_of = before
            raise
        else:
            self.log.confirm(entry)
        finally:
            self._making = None
        if isinstance(entry.statement, s.Drop) and not (self.running and self.pending):
            self._delete_rows(entry)
        if self.running and trigger_of(self._before(entry.number).options) != self._trigger():
            self._halt()
            self.start()

    def finish_cut_off(self) -> None:
        """Ends a statement that a crash has cut off: it is carried out now, or removed."""
        with self._lock:
            if self._cut_off() is not None:
                with self._ownership.held():
                    self._settle_cut_off()

    def _settle_cut_off(self) -> None:
        """A file of statements says by itself what there is to be; else it is carried out again."""
        entry = self._cut_off()
        if entry is None:
            return
        if not (self.eager or isinstance(entry.statement, s.Drop | s.Rename | s.AlterTable)):
            self.log.take_back(entry)
            return
        try:
            self._carry(entry)
        except Exception as e:  # noqa: BLE001 - nobody waits for the statement any more
            _log.warning(
                "pipeline %s: statement %d was cut off by a crash. It is refused now, so it was "
                "removed from the log: %s (%s)",
                self.name,
                entry.number,
                masked(entry.text),
                jvm.summary(e),
            )

    def _delete_rows(self, drop: logs.Entry) -> None:
        """What dropped tables had been given, and no barrier had taken; nothing reads it now."""
        for gone in self._dropped_by(drop):
            if gone.kind == s.TABLE:
                place = home(self.spark, self.location, gone.stored).location
                trees.clear(self.spark, place)

    def _change(self, built: Build, entry: logs.Entry, after: logs.Contents, at_once: bool) -> None:
        """A table alone waits for what needs it: each change is a pause of the run."""
        at_once = at_once and self.eager
        program = built.pipeline.program
        try:
            made = program.changes_of(lambda: self._apply(built, entry, after))
            check_names_apart(self.name, entry, after, program.catalog.apply(*made))
            changes = (*made, Revise(entry.number))
            if self.query is not None and self.running and at_once and made:
                self.query.apply(*changes)
                self.pending = False
            else:
                program.apply(*changes)
                self.pending |= bool(made) or not self.running
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
            try:
                self.start()
            except BaseException:
                self._build = None  # built again, from what is logged
                raise

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
            entry = None if self.running else self._cut_off()
            if entry is not None and self._is_in_location(entry):
                with self._ownership.held():
                    self._settle_cut_off()
                if self.running:
                    return
            self._start()
            if entry is not None:
                with self._ownership.held():
                    self._settle_cut_off()

    def _start(self) -> None:
        if not self.contents.of(s.TABLE, s.VIEW, s.SINK):
            return
        if self.query is not None and self.running:
            if self.pending:
                self.query.apply()
        else:
            with self._ownership.held():
                self.query, late = postponed.start(
                    self._built().pipeline, self._trigger(), self._takes_over
                )
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
        return self.trigger or trigger_of(self.options)

    def shown_options(self) -> list[list[Any]]:
        """For ``SHOW PIPELINE``: see :func:`~groundswell.sql.defining.pipeline_options.shown`."""
        here = {"ownerLease": self.lease} if self.lease is not None else {}
        if self.trigger:
            here[TRIGGER] = " ".join(map(str, self.trigger.values()))
        return shown(self.created_with, self.options, here)

    @contextmanager
    def altered(self) -> Iterator[IncrementalQuery]:
        """Its run, for a change that the location keeps, not the log; started if there is none.

        Raises ConfigurationError: it has nothing that could run.
        """
        self._check_not_in_python()
        with self._lock, self._ownership.held(), self.names_told():
            self.start()
            if self.query is None:
                raise ConfigurationError(f"pipeline {self.name} has no states: create a view first")
            yield self.query

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
            wait_for_barrier(self.query)

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
                    query = self._built().pipeline.start(
                        takeover=self._takes_over, availableNow=True
                    )
                    self.catching_up = query
                    query.awaitTermination()
                    self.catching_up = None
                self.pending = False
            seconds = time.monotonic() - begun
            recent = query.recentProgress if query else ()
            barriers = [b for b in recent if before is None or b["epoch"] > before]
            return [
                refreshed(view.name, view.stored, barriers, view.stored in had, seconds)
                for view in views
            ]

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
        """Makes the pipeline nobody's; its next start ends the run of a process that lives."""
        self._takes_over = True
        self._ownership.take_over()

    def table(self, name: str, within: Transaction | None = None) -> tuple[Table, logs.Object]:
        """A table to write to; ``within``: a transaction."""
        found = self.find(name, s.TABLE)
        statement = found.statement
        assert isinstance(statement, s.CreateRelation)
        if statement.options.get("connector"):
            raise ConfigurationError(
                f"table {name} is fed by its connector {statement.options['connector']!r}; rows "
                "are written to tables without one"
            )
        # what the last statement says counts, also if no run has taken it yet
        schema, names = table_schema(statement), stored_names(statement)
        return open_table(self.spark, self.location, found.stored, schema, names, within), found

    @property
    def program(self) -> Program:
        """What its statements make."""
        with self._lock:
            return self._built().pipeline.program

    def schema(self, name: str) -> Any:
        """The columns of an object that has no rows yet."""
        with self._lock:
            return self._built().frame_of(self.find(name)).schema

    def readers(self, read: logs.Object) -> list[logs.Object]:
        """The objects that read one, directly or not, in order of creation."""
        with self._lock:
            return self._built().readers(read, self.contents)

    def explain(
        self, view: s.CreateView, name: str, catalog: str, namespace: tuple[str, ...]
    ) -> str:
        """The plan of a view that the pipeline does not have."""
        with self._lock:
            return self._built().explain(view, name, catalog, namespace, self.contents)

    def _built(self) -> Build:
        self._check_not_in_python()
        newest = max((entry.number for entry in self._entries()), default=0)
        if self._built_of != newest and not self.running:
            self._build = None  # another process has changed it since
        if self._build is None:
            self._built_of = newest
            self._build = build(self, self._entries(), self.lease)
        return self._build

    def _apply(self, built: Build, entry: logs.Entry, after: logs.Contents) -> None:
        before = self._before(entry.number)
        statement = entry.statement
        match statement:
            case s.AlterPipeline():
                built.set_options(self._values(after))
            case s.AlterTable():
                built.alter(after.objects[statement.name[-1].lower()], self._before, after)
            case s.Drop():
                for gone in self._dropped_by(entry):
                    built.drop(gone)
            case s.Create():
                made = after.objects[statement.name[-1].lower()]
                if statement.name[-1].lower() in before.objects:
                    built.replace(made, self._before, after)
                else:
                    built.add(made, before)
            case _:
                return
