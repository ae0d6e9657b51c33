"""Runs SELECTs by DuckDB over arrow tables, which are not copied.

One database in memory serves all sessions. It may touch no file and no network, its settings are
locked, and it sees no object of Python's that was not given to it by name.
"""

from __future__ import annotations

import heapq
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import duckdb
import pyarrow as pa

from groundswell.errors import ConfigurationError
from groundswell.serve.errors import (
    CANCELED,
    ServeError,
    left_out,
    no_relation,
    timed_out,
    translated,
)
from groundswell.serve.lexer import identifier
from groundswell.serve.pgtypes import BINARY, TEXT, Codec, codec_of
from groundswell.serve.statement import Select, counted, parsed, result_names

UTC = "UTC"
_QUOTED = re.compile(r'"([^"]+)"')
MOST_OVER = 100
BATCH = 1000
"""Rows that are taken from DuckDB at a time."""


Check = Callable[[], None]
"""Raises if whoever waits for rows is to wait no longer."""


@dataclass(frozen=True)
class Relation:
    """What a name stands for.

    Attributes:
        schema: of its columns.
        table: gives its rows, all or those that a statement can see; called only if they are read,
            and asks now and then whether to go on.
        shown: expressions for the columns that are not shown as they are stored, by name.
        count: how many rows it has, if that is known without them; else None.
        gaps: types of the columns that it leaves out, by name.
    """

    schema: pa.Schema
    table: Callable[[Select | None, Check], pa.Table]
    shown: Mapping[str, str]
    count: Callable[[], int | None] = lambda: None
    gaps: Mapping[str, str] = field(default_factory=dict)


class Relations(Protocol):
    """What names stand for, at one epoch."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the views and tables."""
        ...

    def find(self, name: str) -> Relation | None:
        """The relation of a name, in whatever case; None: there is none."""
        ...


@dataclass(frozen=True)
class Column:
    """A column of a result."""

    name: str
    codec: Codec


Row = tuple[bytes | None, ...]


class Deadlines:
    """Interrupts what runs too long. One thread for all sessions."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, threading.Event, Callable[[], None]]] = []
        self._changed = threading.Condition()
        self._number = self._over = 0
        threading.Thread(target=self._watch, name="serve deadlines", daemon=True).start()

    @contextmanager
    def within(self, seconds: float | None, stop: Callable[[], None]) -> Iterator[threading.Event]:
        """Calls ``stop`` if the block takes longer; the event says whether it did.

        Args:
            seconds: None: no limit.
            stop: interrupts the block.
        """
        passed, ended = threading.Event(), threading.Event()
        turn = threading.Lock()  # nothing is interrupted after the block
        if seconds is not None:

            def end() -> None:
                with turn:
                    if not ended.is_set():
                        passed.set()
                        stop()

            with self._changed:
                self._number += 1
                due = (time.monotonic() + seconds, self._number, ended, end)
                heapq.heappush(self._due, due)
                if self._due[0] is due:
                    self._changed.notify()
        try:
            yield passed
        finally:
            with turn:
                ended.set()
            if seconds is not None:
                self._forget()

    def _forget(self) -> None:
        """Drops what has ended, once that is most of what is noted."""
        with self._changed:
            self._over += 1
            if self._over > MOST_OVER and 2 * self._over > len(self._due):
                self._due = [due for due in self._due if not due[2].is_set()]
                heapq.heapify(self._due)
                self._over = 0

    @property
    def noted(self) -> int:
        """How many blocks are noted, those included that have ended."""
        return len(self._due)

    def _watch(self) -> None:
        while True:
            with self._changed:
                while not self._due or self._due[0][0] > time.monotonic():
                    wait = self._due[0][0] - time.monotonic() if self._due else None
                    self._changed.wait(wait)
                end = heapq.heappop(self._due)[-1]
            with suppress(duckdb.Error):  # its connection was closed meanwhile
                end()


class Engine:
    """DuckDB, locked.

    Args:
        memory: most memory that queries may use together, as ``2GB``; None: DuckDB's default, 80 %
            of the machine's.
        threads: that queries use together; None: all cores.
        macros: statements that define functions.

    Raises:
        ConfigurationError: DuckDB does not take a value.
    """

    def __init__(
        self, memory: str | None = None, threads: int | None = None, macros: Sequence[str] = ()
    ) -> None:
        self._database = duckdb.connect(":memory:")
        run = self._database.execute
        settings = {
            "python_enable_replacements": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "integer_division": "true",
            "temp_directory": "''",
            "TimeZone": f"'{UTC}'",
            "allowed_configs": "['TimeZone']",
        }
        if memory is not None:
            settings["memory_limit"] = f"'{memory.replace(chr(39), chr(39) * 2)}'"
        if threads is not None:
            settings["threads"] = str(threads)
        for name, value in settings.items():
            try:
                run(f"SET GLOBAL {name} = {value}")
            except duckdb.Error as error:
                said = str(error).splitlines()[0].partition(": ")[2]
                raise ConfigurationError(f"{name} cannot be {value}: {said}") from None
        for macro in macros:
            run(macro)
        run("SET GLOBAL enable_external_access = false")
        run("SET GLOBAL lock_configuration = true")
        self.deadlines = Deadlines()

    def connection(self, zone: str = "") -> Any:
        """A connection of its own; thousands cost nothing.

        Raises:
            ServeError: there is no such time zone (SQLSTATE 22023).
        """
        found = self._database.cursor()
        if zone not in ("", UTC):
            try:
                found.execute(f"SET TimeZone = '{zone.replace(chr(39), chr(39) * 2)}'")
            except duckdb.Error as error:
                text = f'invalid value for parameter "TimeZone": "{zone}"'
                raise ServeError("22023", text) from error
        return found

    def close(self) -> None:
        """Ends it."""
        self._database.close()


class Query:
    """One SELECT over the relations of an epoch.

    Args:
        engine: that runs it.
        sql: in DuckDB's dialect, without parameters.
        relations: what its names stand for.
        zone: the session's time zone.
    """

    def __init__(self, engine: Engine, sql: str, relations: Relations, zone: str = "") -> None:
        self._engine = engine
        self._sql = sql
        self._relations = relations
        self._connection = engine.connection(zone)
        self._reader: Any = None
        self._canceled = threading.Event()
        self.forms: Sequence[int] = ()
        self._rows: Iterator[Row] = iter(())
        self.columns: list[Column] = []

    def describe(self) -> list[Column]:
        """Its columns; nothing is read.

        Raises:
            ServeError: it is not a SELECT, or does not fit its relations.
        """
        try:
            select = parsed(self._connection, self._sql)
            self._register(select, lambda relation: relation.schema.empty_table())
            return self._columns(self._connection.sql(self._sql), select)
        except duckdb.Error as error:
            raise self._of_a_gap(error) or translated(error) from error

    def start(self, forms: Sequence[int] = (), seconds: float | None = None) -> list[Column]:
        """Begins to run it, and gives its columns.

        Args:
            forms: text or binary, one for all columns or one a column; none: text.
            seconds: that it may take.

        Raises:
            ServeError: it is not a SELECT, fails, or takes too long (57014).
        """
        with self._guarded(seconds) as check:
            select = parsed(self._connection, self._sql)
            sql = self._counted(select)
            if sql is None:
                sql = self._sql
                self._register(select, lambda relation: relation.table(select, check))
            self.columns = self._columns(self._connection.sql(sql), select)
            self.forms = _forms(forms, len(self.columns))
            outer = ", ".join(
                f"{column.codec.expression(f'#{at}', form)} AS c{at}"
                for at, (column, form) in enumerate(
                    zip(self.columns, self.forms, strict=True), start=1
                )
            )
            relation = self._connection.sql(f"SELECT {outer} FROM ({sql}\n) AS q")
            self._reader = relation.to_arrow_reader(BATCH)
        return self.columns

    def explain(self, seconds: float | None = None) -> list[Row]:
        """DuckDB's plan, a line a row."""
        with self._guarded(seconds):
            select = parsed(self._connection, self._sql)
            self._register(select, lambda relation: relation.schema.empty_table())
            found = self._connection.execute(f"EXPLAIN {self._sql}").fetchall()
        return [(line.encode(),) for _, text in found for line in text.splitlines()]

    def take(self, most: int, seconds: float | None = None) -> list[Row]:
        """The next rows; fewer than ``most`` only at the end. 0: a batch, empty at the end.

        Raises:
            ServeError: it fails, was cancelled, or takes too long (57014).
        """
        found: list[Row] = []
        while True:
            for row in self._rows:
                found.append(row)
                if most and len(found) == most:
                    return found
            if found and not most:
                return found
            with self._guarded(seconds):
                try:
                    batch = self._reader.read_next_batch() if self._reader else None
                except StopIteration:
                    batch = None
            if batch is None:
                return found
            self._rows = zip(
                *(
                    column.codec.values(array, form)
                    for column, form, array in zip(
                        self.columns, self.forms, batch.columns, strict=True
                    )
                ),
                strict=True,
            )

    def cancel(self) -> None:
        """Stops it, from another thread; nothing if it has ended."""
        self._canceled.set()
        with suppress(duckdb.ConnectionException):
            self._connection.interrupt()

    def close(self) -> None:
        """Lets go of all that it holds."""
        self._rows = iter(())
        self._reader = None
        self._connection.close()

    def _columns(self, relation: Any, select: Select) -> list[Column]:
        names = result_names(select.tree, relation.columns)
        return [
            Column(name, codec_of(kind)) for name, kind in zip(names, relation.types, strict=True)
        ]

    def _counted(self, select: Select) -> str | None:
        """The statement without its rows, if it counts rows whose number is known."""
        name = counted(select)
        relation = None if name is None else self._relations.find(name)
        count = None if relation is None else relation.count()
        alias = select.tree["node"]["select_list"][0]["alias"] if count is not None else ""
        return None if count is None else f"SELECT {count}::BIGINT AS {identifier(alias or 'n')}"

    def _of_a_gap(self, error: BaseException) -> ServeError | None:
        """What to say where a column is not found that its view has; None: it is another error."""
        if not isinstance(error, duckdb.BinderException):
            return None
        missing = {name.lower() for name in _QUOTED.findall(str(error).split("\n")[0])}
        for name in parsed(self._connection, self._sql).relations:
            relation = self._relations.find(name)
            for column, kind in relation.gaps.items() if relation is not None else ():
                if column.lower() in missing:
                    return left_out(column, kind)
        return None

    def _register(self, select: Select, table: Callable[[Relation], pa.Table]) -> None:
        for name in select.relations:
            relation = self._relations.find(name)
            if relation is None:
                raise no_relation(name, self._relations.names)
            if not relation.shown:
                self._connection.register(name, table(relation))
                continue
            stored = f"{name} as stored"
            self._connection.register(stored, table(relation))
            columns = ", ".join(
                f"{relation.shown.get(field.name, identifier(field.name))} "
                f"AS {identifier(field.name)}"
                for field in relation.schema
            )
            self._connection.execute(
                f"CREATE OR REPLACE TEMP VIEW {identifier(name)} AS "
                f"SELECT {columns} FROM {identifier(stored)}"
            )

    @contextmanager
    def _guarded(self, seconds: float | None) -> Iterator[Check]:
        with self._engine.deadlines.within(seconds, self._connection.interrupt) as passed:

            def check() -> None:
                if passed.is_set():
                    raise timed_out()
                if self._canceled.is_set():
                    raise ServeError(CANCELED, "canceling statement due to user request")

            try:
                check()
                yield check
                check()  # an interrupt that came too late would end the next step
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                check()
                raise self._of_a_gap(error) or translated(error) from error


def _forms(given: Sequence[int], columns: int) -> list[int]:
    if not given:
        return [TEXT] * columns
    if len(given) == 1:
        return [given[0]] * columns
    if len(given) != columns:
        raise ServeError("08P01", f"{len(given)} result formats for {columns} columns")
    return [BINARY if form else TEXT for form in given]
