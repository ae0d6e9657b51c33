"""Runs a file of statements as a job.

The statements before the first that needs rows define the pipeline, which then starts once with all
of them. What follows runs in order; ``SELECT`` prints its rows. At the end the job goes on until it
is stopped, with a line of progress for each barrier, or with ``once`` until everything that is
there has been read.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.errors import ParseException, PySparkException
from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.columns import quoted
from groundswell.errors import ConfigurationError, GroundswellError, SqlSyntaxError
from groundswell.runtime.ownership.standby import stand_by
from groundswell.runtime.record.location import FOLDER
from groundswell.sql import refreshing
from groundswell.sql.console import printing
from groundswell.sql.console.file import SqlFile
from groundswell.sql.console.hints import told
from groundswell.sql.console.printing import table
from groundswell.sql.defining.building import CATALOG
from groundswell.sql.executor import REGISTRY, Context, create_pipeline, label, ours
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.tokens import Statement, text_of
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.writing import transactions

Print = Callable[[str], None]


class Script:
    """One file, and how it is run.

    Args:
        spark: a session with our extensions.
        file: the statements.
        checkpoint: location of the pipeline, if the file does not create one; else it takes the
            place of the file's.
        trigger: the barrier interval, as ``"1 second"``.
        once: read what is there, and end.
        refresh: like ``once``, of the definitions alone; at the end it says what was done for each
            view.
        standby: the run's ``ownerLease``; it waits first until no other run has the pipeline.
        takeover: whether the pipeline is taken from a process that runs it.
        out: takes the lines that are printed.
        tell: takes a line now and then while a barrier takes long.
        tell_every: so many seconds.
    """

    def __init__(
        self,
        spark: SparkSession,
        file: SqlFile,
        checkpoint: str | None = None,
        trigger: str | None = None,
        once: bool = False,
        *,
        refresh: bool = False,
        standby: str | None = None,
        takeover: bool = False,
        out: Print,
        tell: Print = lambda _: None,
        tell_every: float = 5.0,
    ) -> None:
        self._spark = spark
        self._file = file
        self._checkpoint = checkpoint
        self._trigger: dict[str, Any] = {"processingTime": trigger} if trigger else {}
        if once:
            self._trigger = {"availableNow": True}
        self._once = once
        self._refresh = refresh
        self._standby = standby
        self._takeover = takeover or standby is not None
        self._out = out
        self._tell, self._tell_every = tell, tell_every
        self._pipeline: SqlPipeline | None = None
        self._shown = -1
        self._ran = False

    @property
    def path(self) -> str:
        """Of the file."""
        return self._file.path

    def run(self) -> None:
        """Runs the file, to its end; it may run again, and then what is there stays.

        Raises:
            SqlSyntaxError: what Spark cannot read, with file, line and column.
            GroundswellError: what a statement raised, with file and line.
        """
        if not self._file.creates_pipeline:
            self._implied()
        with self._telling():
            for each in self._file.statements:
                self._run(each)
            self._check_ended()
            if self._refresh:
                self._show_refresh()
            else:
                self._finish()
        self._ran = True
        if self._pipeline is not None:
            self._pipeline.stop()  # other processes, on other machines too, may have it at once

    def stop(self) -> None:
        """Stops what it runs; a barrier at work is given up, and run again by the next start."""
        if self._pipeline is not None:
            if self._pipeline.catching_up is not None:
                self._pipeline.catching_up.stop()
            self._pipeline.stop()

    def _check_ended(self) -> None:
        if transactions.find(self._spark) is not None:
            transactions.end(self._spark, commit=False)
            raise ConfigurationError(
                f"{self._file.path} ends in a transaction, which was rolled back: add COMMIT"
            )

    def _implied(self) -> None:
        """A file without CREATE PIPELINE is one, called like the file."""
        name = re.sub(r"\W", "_", Path(self._file.path).stem)
        check_name("pipeline", name)
        if self._checkpoint is None:
            raise ConfigurationError(
                f"{self._file.path} has no CREATE PIPELINE ... LOCATION '...': add it, or say "
                "where the pipeline's state is to be, with --checkpoint"
            )
        made = s.CreatePipeline((name,), self._checkpoint, {})
        self._enter(made, f"CREATE PIPELINE {name} LOCATION {text_of(self._checkpoint)}")

    def _enter(self, statement: s.CreatePipeline, text: str) -> None:
        """Makes the file's pipeline, or finds it as it is; ``--checkpoint`` is where it is."""
        location = self._checkpoint or statement.location
        made = replace(statement, location=location, if_not_exists=True)
        if self._standby is not None:
            where = jvm.qualify(self._spark, location)
            home = jvm.JvmFolder.open(self._spark, where).child(FOLDER)
            stand_by(home, self._standby, self._out)
        if self._takeover:
            made = replace(made, options={**made.options, "takeover": "true"})
        create_pipeline(Context(self._spark, CATALOG, ()), made, text)
        pipeline = REGISTRY.find(self._spark, statement.name[-1])
        assert pipeline is not None
        pipeline.eager = False
        pipeline.trigger = self._trigger
        pipeline.lease = self._standby
        pipeline.pending = True
        self._pipeline = pipeline
        self._spark.sql(f"USE {CATALOG}.`{pipeline.name}`")

    def _run(self, each: Statement) -> None:
        try:
            self._execute(each.text)
        except SqlSyntaxError as e:
            raise self._file.ours(each, e) from None
        except ParseException as e:
            raise self._file.spark(each, e) from None
        except GroundswellError as e:
            e.args = (f"{self._file.path}, line {self._file.line(each)}: {e}", *e.args[1:])
            raise
        except PySparkException as e:
            why = told(self._spark, e, each.text)
            what = f"{self._file.path}, line {self._file.line(each)}: {why}"
            raise ConfigurationError(what) from e

    def _execute(self, text: str) -> None:
        current = self._spark.catalog.currentCatalog()
        namespace = (self._pipeline.name,) if self._pipeline else ("default",)
        found = ours(Context(self._spark, current, namespace), text)
        statement = found.read() if found else None
        if isinstance(statement, s.CreatePipeline):
            self._enter(statement, text)
        elif self._refresh and not hasattr(statement, "if_not_exists"):
            return
        elif not self._is_there(statement, text):
            result = self._spark.sql(text)
            if result.columns:
                self._show(result)
        if statement is not None and not self._ran:
            self._out(label(statement))
        self._progress()

    def _is_there(self, statement: Any, text: str) -> bool:
        """A file may run again: what is there as the file says stays."""
        altered = isinstance(statement, s.AlterTable)
        if self._pipeline is None or not (altered or hasattr(statement, "if_not_exists")):
            return False
        before = self._pipeline.contents.objects.get(statement.name[-1].lower())
        if altered:
            return before is not None and text in [each.text for each in before.altered]
        return before is not None and before.made.text == text

    def _show(self, result: DataFrame) -> None:
        for line in table(result.columns, result.collect()):
            self._out(line)

    def _show_refresh(self) -> None:
        assert self._pipeline is not None
        pipeline, rows = self._pipeline, []
        for view in pipeline.contents.of(s.VIEW):
            text = f"REFRESH MATERIALIZED VIEW {quoted(view.name)}"
            there = pipeline.hand_over(text, CATALOG, (pipeline.name,))
            if there is None:
                rows = [each.row() for each in pipeline.refresh(pipeline.contents.of(s.VIEW))]
                break
            rows += there
        names = [column.split()[0] for column in refreshing.COLUMNS.split(", ")]
        for line in table(names, rows):
            self._out(line)

    def _finish(self) -> None:
        pipeline = self._pipeline
        assert pipeline is not None
        if self._once:
            if not pipeline.catch_up():
                pipeline.flush()
            self._progress()
            return
        pipeline.start()
        try:
            while pipeline.query is not None and pipeline.query.isActive:
                self._progress()
                time.sleep(0.2)
            if pipeline.query is not None:
                self._progress()
                pipeline.query.awaitTermination()
        finally:
            pipeline.stop()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Says every few seconds how far a first load is, or a barrier that takes long."""
        over = threading.Event()

        def tell() -> None:
            while not over.wait(self._tell_every):
                pipeline = self._pipeline
                query = (pipeline.query or pipeline.catching_up) if pipeline else None
                with suppress(GroundswellError):  # it ends, or ended
                    status = query.status if query else {}
                    loading, barrier = status.get("loading"), status.get("barrier")
                    if barrier is not None and barrier["seconds"] < self._tell_every:
                        barrier = None
                    if loading is not None or barrier is not None:
                        self._tell(printing.running(barrier, loading))

        thread = threading.Thread(target=tell, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _progress(self) -> None:
        """A line for each barrier that has none yet."""
        query = self._pipeline.query if self._pipeline else None
        for done in query.recentProgress if query else ():
            if done["epoch"] > self._shown:
                self._shown = done["epoch"]
                self._out(printing.barrier(done))
