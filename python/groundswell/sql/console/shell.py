"""A shell: statements that are typed, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from uuid import uuid4

from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from groundswell.columns import quoted
from groundswell.errors import GroundswellError, SqlSyntaxError
from groundswell.jvm.errors import JVM_ERRORS, summary
from groundswell.jvm.process import cancel_jobs
from groundswell.sql.bridge import answer_for
from groundswell.sql.console.hints import told
from groundswell.sql.console.printing import table
from groundswell.sql.defining.building import CATALOG
from groundswell.sql.executor import REGISTRY, Context, label, ours
from groundswell.sql.parsing.statements import CreatePipeline, Statement
from groundswell.sql.parsing.tokens import split

_ENDS = ("exit", "quit", "\\q")
_COMMANDS = (
    "error: there are no commands with a backslash but \\q. SHOW TABLES, SHOW MATERIALIZED VIEWS, "
    "SHOW JOBS and DESCRIBE t say what there is"
)
_CANCELLED_WITHIN = 10.0
"""Seconds that a statement has to end after Ctrl-C."""
_GOES_ON = (
    "interrupted, but the statement goes on: SHOW JOBS, SHOW MATERIALIZED VIEWS and SHOW TABLES "
    "say what it has made"
)
_HELP = """Statements end with a semicolon; docs/sql.md has them all. exit, quit or \\q ends."""


class Shell:
    """Reads lines, runs the statements in them, and prints what they show.

    Args:
        spark: a session with our extensions.
        read: gives the next line for a prompt; raises EOFError at the end.
        out: takes the lines that are printed.
    """

    def __init__(
        self, spark: SparkSession, read: Callable[[str], str], out: Callable[[str], None]
    ) -> None:
        self._spark = spark
        self._read = read
        self._out = out

    def run(self) -> None:
        """Until the end; a statement that fails says why, and the next one may come."""
        answer_for(self._spark)
        self._out(_HELP)
        text = ""
        while True:
            try:
                line = self._read(self._prompt() if not text else "    -> ")
            except EOFError:
                break
            except KeyboardInterrupt:
                text = ""
                continue
            if not text and line.strip().rstrip(";").lower() in _ENDS:
                break
            if not text and line.lstrip().startswith("\\"):
                self._out(_COMMANDS)
                continue
            text = self._take(f"{text}\n{line}" if text else line)
        if text.strip():
            self._execute(text)

    def stop(self) -> None:
        """Stops the pipelines that run in this process."""
        for pipeline in REGISTRY.all(self._spark):
            pipeline.stop()

    def _prompt(self) -> str:
        catalog = self._spark.catalog.currentCatalog()
        return f"{catalog}.{self._spark.catalog.currentDatabase()}> "

    def _take(self, text: str) -> str:
        """Runs the whole statements of a text, and gives what comes after."""
        try:
            found, rest = split(text)
        except SqlSyntaxError:
            return text  # a quote that a later line closes
        for each in found:
            self._execute(each.text)
        return rest.text if rest else ""

    def _execute(self, text: str) -> None:
        """Runs a statement on a thread of its own: Ctrl-C cancels its jobs, and no others.

        An exception in the thread that waits for the JVM would leave half an answer unread, and
        the next call would get the other half.
        """
        group, answer = f"groundswell-shell-{uuid4()}", Future[list[str]]()
        context = self._spark.sparkContext

        def run() -> None:
            try:
                context.setJobGroup(group, text, interruptOnCancel=True)
                answer.set_result(self._lines(text))
            except BaseException as e:  # noqa: BLE001 - who waits raises it
                answer.set_exception(e)

        InheritableThread(target=run, daemon=True).start()
        try:
            lines = answer.result()
        except KeyboardInterrupt:
            cancel_jobs(self._spark, group)
            lines = _after_interrupt(answer)
        for line in lines:
            self._out(line)

    def _lines(self, text: str) -> list[str]:
        try:
            result = self._spark.sql(text)
            if result.columns:
                return list(table(result.columns, result.collect()))
            statement = self._statement(text)
            if isinstance(statement, CreatePipeline):
                self._spark.sql(f"USE {CATALOG}.{quoted(statement.name[-1])}")
            return [label(statement) if statement else "OK"]
        except (GroundswellError, PySparkException) as e:
            return [f"error: {told(self._spark, e, text)}"]
        except JVM_ERRORS as e:
            return [f"error: {summary(e)}"]

    def _statement(self, text: str) -> Statement | None:
        catalog = self._spark.catalog
        here = (catalog.currentDatabase(),)
        found = ours(Context(self._spark, catalog.currentCatalog(), here), text)
        return found.read() if found else None


def _after_interrupt(answer: Future[list[str]]) -> list[str]:
    """What a statement shows whose jobs were cancelled; a second Ctrl-C waits no longer for it."""
    try:
        lines = answer.result(_CANCELLED_WITHIN)
    except (TimeoutError, KeyboardInterrupt):
        return [_GOES_ON]
    return ["interrupted"] if lines[0].startswith("error: ") else lines
