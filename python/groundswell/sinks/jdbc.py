"""Any database with a driver of JDBC: the rows and the number of an epoch in one transaction.

The rows of an epoch go to the JVM as Arrow's stream, and from there in batches of the dialect's
upsert. The table ``groundswell_epochs`` beside the target holds, by sink, the last epoch and the
token; its row is changed first, so that an owner that was overtaken waits, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from groundswell import sqlstate
from groundswell.errors import SinkError, SinkRowRefused, SinkUnavailable
from groundswell.jvm.jdbc import JdbcError, JdbcTarget, Write
from groundswell.sinks.changes import Changes
from groundswell.sinks.columns import NOT_IN_ARROW, check_types, shown_row
from groundswell.sinks.jdbc_dialects import OTHER, Dialect, Names, dialect_of
from groundswell.sinks.jdbc_table import Place, Table, names_of
from groundswell.sinks.narrowing import NARROWING, Narrowing
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import APPEND, Sink, SinkProgress, SinkStart

if TYPE_CHECKING:
    import pyarrow as pa

UPSERT = "upsert"
_CODES_AGAIN = {"MySQL": (1205, 1213), "SQLite": (5, 6)}
_CODES_OF_ROWS = {"SQLite": (18, 19, 20)}
_NO_DRIVER = "GS001"
_REFUSED = ("ArrayType", "MapType", "StructType", "DayTimeIntervalType", "TimeType", *NOT_IN_ARROW)


class JdbcSink(Sink):
    """Keeps a table of a database equal to a view."""

    OPTIONS = (
        SinkOption("url", "URL of JDBC: `jdbc:mariadb://host/shop`", required=True),
        SinkOption("table", "name of the table, perhaps with its schema", required=True),
        SinkOption(
            "driver",
            "name of the driver's class; default: the first on the class path that takes the URL",
        ),
        SinkOption("user", "name of the user"),
        SinkOption("password", "password of the user", secret=True),
        SinkOption(
            "mode",
            "upsert: inserts, updates and deletes rows; append: only inserts, and needs no key, "
            "but a view that only grows",
            choices=(UPSERT, APPEND),
        ),
        SinkOption("create_table", "makes the table if it is not there", bool, False),
        NARROWING,
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._target: JdbcTarget | None = None
        self._dialect: Dialect = OTHER

    def open(self, start: SinkStart) -> None:
        """Connects, and checks table, columns and key."""
        self.close()
        self._start = start
        self._mode = start.mode(self._options["mode"], UPSERT)
        self._key: Sequence[str] = () if self._mode == APPEND else start.key
        self._dialect = dialect_of(self._options["url"])
        check_types(start, "a table of JDBC", _REFUSED)
        fields = list(start.schema.fields)
        self._narrowing = Narrowing(self._options["narrowing"])
        with self._errors():
            self._target = self._connect()
            for statement in self._dialect.session:
                self._target.run(statement)
            table = Table(self._target, self._dialect, self._options["table"], start.name)
            if self._options["create_table"]:
                table.create(fields, self._key, start.view)
            self._places = table.check(fields, self._key, self._narrowing)
            table.create_progress()
            self._target.commit()
        self._table = table
        self._names = names_of(table, self._places, self._key)

    def _connect(self) -> JdbcTarget:
        url, driver = self._options["url"], self._options["driver"] or ""
        given = {n: self._options[n] for n in ("user", "password") if self._options.given(n)}
        try:
            return JdbcTarget(self._start.spark, url, driver, given)
        except JdbcError as e:
            if e.state != _NO_DRIVER:
                raise
            raise SinkError(
                f"{e.text}: give Spark the driver's jar, with --jars, spark.jars or "
                "spark.jars.packages, as spark.jars.packages=org.mariadb.jdbc:mariadb-java-client:"
                "3.5.1; a driver that does not register itself is named with option driver"
            ) from None

    @property
    def _open(self) -> JdbcTarget:
        assert self._target is not None
        return self._target

    def recover(self) -> SinkProgress | None:
        """The last epoch that was committed."""
        with self._errors():
            self._open.rollback()
            found = self._progress()
            self._open.rollback()
        return found

    def _progress(self) -> SinkProgress | None:
        rows = self._open.query(
            f"SELECT token, epoch FROM {self._table.progress} WHERE sink = ?", self._start.id
        )
        return SinkProgress(int(str(rows[0][0])), int(str(rows[0][1]))) if rows else None

    def write(self, epoch: int, changes: Changes) -> None:
        """Writes the epoch in a transaction that stays open."""
        gone: pa.Table | None = None
        if self._mode == APPEND:
            rows = changes.inserts()
        else:
            rows, gone = changes.net(self._key)
        keys = [place for place in self._places if place.field.name in self._key]
        for given, places in ((rows, self._places), (gone, keys)):
            if given is not None:
                self._check_values(given, places)
        with self._errors():
            self._open.rollback()
            self._lock()
            # first: a new row may have what a deleted one had in another unique column
            if gone is not None and gone.num_rows:
                same = " AND ".join(f"{place.name} = ?" for place in keys)
                delete = Write(f"DELETE FROM {self._names.table} WHERE {same}", range(len(keys)))
                self._send(delete, gone, keys)
            if rows.num_rows:
                self._send(self._merging(), rows, [*keys, *self._others()])

    def _others(self) -> list[Place]:
        return [place for place in self._places if place.field.name not in self._key]

    def _lock(self) -> None:
        progress, start = self._table.progress, self._start
        if not self._open.update(
            f"UPDATE {progress} SET name = ? WHERE sink = ?", start.name, start.id
        ):
            self._open.update(
                f"INSERT INTO {progress} (sink, name, token, epoch) VALUES (?, ?, ?, ?)",
                *(start.id, start.name, start.token, -1),
            )
        start.check_owner(self._progress())

    def _merging(self) -> Write:
        """The statement for a row; its parameters are the key, and then the other columns."""
        names = self._names
        width, keys = len(names.all), len(names.key)
        insert = f"INSERT INTO {names.table} ({names.listed}) VALUES ({names.marks})"
        if self._mode == APPEND:
            return Write(insert, range(width))
        if self._dialect.upsert is not None:
            return Write(self._dialect.upsert(names), range(width))
        return Write(*_update(names, keys, width), insert, range(width))

    def _send(self, made: Write, rows: pa.Table, places: Sequence[Place]) -> None:
        import pyarrow as pa

        columns = [place.values(rows) for place in places]
        sent = pa.table(columns, names=[str(i) for i in range(len(places))])
        self._open.write(made, sent, [place.kind for place in places])

    def _check_values(self, rows: pa.Table, places: Sequence[Place]) -> None:
        """Refuses values that the database would change without a word."""
        import pyarrow.compute as pc

        self._narrowing.check(rows, self._key)
        for place in places:
            wrong, why = self._dialect.changed(rows[place.field.name], place.text)
            found = pc.index(wrong, True).as_py() if wrong is not None else -1
            if found >= 0:
                raise SinkRowRefused(
                    f"{self._dialect.name} does not keep {why}, which column {place.field.name} "
                    f"has in the row {shown_row(rows, found, self._key)}: take a null in the query"
                )

    def commit(self, epoch: int) -> None:
        """Commits rows and number together."""
        with self._errors():
            self._open.update(
                f"UPDATE {self._table.progress} SET token = ?, epoch = ? WHERE sink = ?",
                *(self._start.token, epoch, self._start.id),
            )
            self._open.commit()

    def close(self) -> None:
        """Closes the connection; an open transaction is rolled back."""
        target, self._target = self._target, None
        if target is not None:
            with suppress(Exception):
                target.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except JdbcError as e:
            name, text = self._dialect.name, self._options.mask(e.text)
            told = f"{name}, table {self._options['table']}: {text} (SQLSTATE {e.state or 'none'})"
            self._give_up()
            raise _kind_of(name, e)(told) from None
        except BaseException:
            self._give_up()
            raise

    def _give_up(self) -> None:
        if self._target is not None:
            with suppress(Exception):
                self._target.rollback()


def _update(names: Names, keys: int, width: int) -> tuple[str, Any]:
    """``UPDATE`` of the row of a key, and the columns that its parameters are."""
    same = " AND ".join(f"{c} = ?" for c in names.key)
    if not names.values:  # there is nothing to change: it says whether the row is there
        first = names.key[0]
        return f"UPDATE {names.table} SET {first} = {first} WHERE {same}", range(keys)
    changed = ", ".join(f"{c} = ?" for c in names.values)
    return (
        f"UPDATE {names.table} SET {changed} WHERE {same}",
        [*range(keys, width), *range(keys)],
    )


def _kind_of(database: str, error: JdbcError) -> type[SinkError]:
    if error.code in _CODES_OF_ROWS.get(database, ()) or sqlstate.of_a_value(error.state):
        return SinkRowRefused
    known = sqlstate.passes(error.state) or error.code in _CODES_AGAIN.get(database, ())
    if error.passes or known:
        return SinkUnavailable
    return SinkError
