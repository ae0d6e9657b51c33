"""Events of the binlog as rows of the tagged source, and as ends of transactions."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundswell.errors import SourceError
from groundswell.sinks.extras import optional
from groundswell.sources.mysql_gtid import Position
from groundswell.sources.mysql_server import (
    SILENT,
    MyPlan,
    MyTable,
    stream_of,
)
from groundswell.sources.mysql_types import BINLOG, Column, array, read_value
from groundswell.sources.new_columns import ADD, IGNORE, STOP
from groundswell.sources.tagged import tagged_batch

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[list[Any], bool]
"""The values of a row's columns, and whether it was deleted."""
_NEW = "Start at a new location: it begins with a snapshot of the table as it is"
_HARMLESS = frozenset({3, 5, 13, 14, 15, 16, 26, 27, 28, 34, 35, 36, 37, 41, 160, 161, 163, 164})
"""Numbers of events that hold no rows."""
_NAME = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_NAMED = re.compile(rf"(?:({_NAME})\s*\.\s*)?({_NAME})")
_RUN = re.compile(r"/\*M?!\d*(.*?)\*/", re.DOTALL)
"""A comment that the server runs."""
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*|#[^\n]*", re.DOTALL)
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD", "CALL")


@dataclass(frozen=True)
class Begin:
    """The begin of a transaction.

    Attributes:
        gtid: its number.
    """

    gtid: str


@dataclass(frozen=True)
class End:
    """The end of a transaction.

    Attributes:
        gtid: its number.
    """

    gtid: str


def events(plan: MyPlan, after: Position, end: Position) -> Iterator[tuple[int, Row] | Begin | End]:
    """What transactions behind a position do to the tables, and where each begins and ends.

    It goes on until all of ``end`` were there: the server is not asked to say where its binlog
    ends, for mysql-replication sends it one byte too many then, and what is under way may be lost.

    Raises:
        SourceError: a table's definition does not fit, or an event cannot be applied.
        pymysql.MySQLError: the server is away, or has not got the binlog any more.
    """
    known = optional("pymysqlreplication.event", "mysql")
    rows = optional("pymysqlreplication.row_event", "mysql")
    errors = optional("pymysql.err", "mysql")
    wanted = {(table.schema, table.name): i for i, table in enumerate(plan.tables)}
    seen, done = Position.parse(plan.flavor, plan.seen), after
    if done.covers(end):
        return
    gtid, inside, readers = "", False, dict[tuple[str, str], _Reader]()
    beat, since = False, 0.0
    with closing(stream_of(plan, after)) as stream:
        while not done.covers(end):
            since = since if beat else time.monotonic()
            event = stream.fetchone()
            beat = isinstance(event, known.HeartbeatLogEvent)
            if beat:
                if time.monotonic() - since > SILENT:
                    raise errors.OperationalError(2013, f"no event of the binlog for {SILENT} s")
                continue
            if isinstance(event, known.GtidEvent | known.MariadbGtidEvent):
                gtid, readers = event.gtid, {}
                inside = not getattr(event, "flags", 1) & 1  # MariaDB has no BEGIN of its own
                yield Begin(gtid)
            elif isinstance(event, known.XidEvent):
                yield End(gtid)
                done = done.also(gtid)
            elif isinstance(event, known.QueryEvent):
                word = event.query.strip().split(None, 1)[0].upper().rstrip(";")
                if word == "BEGIN":
                    inside = True
                    continue
                if word != "COMMIT":
                    _check_statement(plan, event)
                if word == "COMMIT" or not inside:
                    yield End(gtid)
                    done = done.also(gtid)
            elif isinstance(event, rows.TableMapEvent):
                place = event.schema, event.table
                if place in wanted:
                    table = plan.tables[wanted[place]]
                    readers[place] = _Reader(plan, table, event.table_obj, seen.has(gtid))
            elif isinstance(event, rows.RowsEvent):
                place = event.schema, event.table
                if place in readers:
                    for row in readers[place].rows(event):
                        yield wanted[place], row
            elif event.event_type not in _HARMLESS:
                raise SourceError(
                    f"the binlog has an event of type {event.event_type}, which is not read here: "
                    "it may hold compressed rows or a prepared transaction (XA). "
                    f"Turn that off at the server. {_NEW} now"
                )


class _Reader:
    """Rows of a table out of events about one form of it."""

    def __init__(self, plan: MyPlan, table: MyTable, form: Any, older: bool) -> None:
        """Compares the form that a transaction has with that of the plan.

        Args:
            plan: what reads it.
            table: as it was when the plan was made.
            form: the library's, of this transaction.
            older: whether the transaction was there before the plan, so it may be an older form.
        """
        self._table = table
        there = {c.name: c for c in form.columns}
        if None in there:
            raise SourceError(
                f"a transaction on table {table.qualified} does not name its columns: a session "
                f"has binlog_row_metadata that is not FULL. Set it everywhere. {_NEW} now"
            )
        self._words = {c.name: tuple(c.set_values or ()) for c in form.columns}
        missing = [c.name for c in table.fields if c.name not in there]
        changed = [c.name for c in table.fields if c.name in there and not _same(c, there[c.name])]
        keys = {c.name for c in form.columns if c.is_primary}
        added = [name for name in there if name not in {c.name for c in table.fields}]
        if older and plan.new_columns != STOP and not (missing and added):
            missing, added = [], []
        elif plan.new_columns == IGNORE and not missing:
            added = []
        if added and not (missing or changed) and plan.new_columns == ADD:
            raise SourceError(
                f"table {table.qualified} has got {', '.join(added)}. Nothing is lost: the server "
                "has the changes. Start again: the source has it then"
            )
        if keys and keys != set(table.key):
            changed += [f"the primary key ({', '.join(sorted(keys))})"]
        if missing or changed or added:
            what = [
                *(f"{n} is gone" for n in missing),
                *(f"{n} has another type" if " " not in n else f"{n} is another" for n in changed),
                *(f"{n} is new" for n in added),
            ]
            raise SourceError(
                f"table {table.qualified} was altered: {', '.join(what)}. Nothing is lost: what "
                f"came before is in the views. {_NEW} now"
                + ("" if missing or changed else "; or with new_columns='add', which takes it in")
            )

    def rows(self, event: Any) -> Iterator[Row]:
        """What an event does, row by row."""
        count = len(event.columns)
        masks = [event.columns_present_bitmap, getattr(event, "columns_present_bitmap2", None)]
        if any(mask is not None and not _full(mask, count) for mask in masks):
            raise SourceError(
                f"a transaction on table {self._table.qualified} leaves out columns: a session has "
                "binlog_row_image=MINIMAL or NOBLOB. Set binlog_row_image=FULL everywhere. "
                f"{_NEW} now"
            )
        deletes = type(event).__name__ == "DeleteRowsEvent"
        try:
            rows = event.rows
        except (ValueError, LookupError, NotImplementedError) as e:
            raise SourceError(
                f"a row of table {self._table.qualified} cannot be decoded: {e}. "
                f"Convert the table to utf8mb4 at the server. {_NEW} now"
            ) from None
        for row in rows:
            if "values" in row:
                yield self._values(row["values"], row["none_sources"]), deletes
                continue
            old = self._values(row["before_values"], row["before_none_sources"])
            new = self._values(row["after_values"], row["after_none_sources"])
            keys = [i for i, c in enumerate(self._table.fields) if c.name in self._table.key]
            if any(old[i] != new[i] for i in keys):
                yield old, True
            yield new, False

    def _values(self, values: dict[str, Any], none: dict[str, str]) -> list[Any]:
        found = []
        for column in self._table.fields:
            value = values.get(column.name)
            if isinstance(value, datetime.timedelta):
                value = _mended(value)
            why = none.get(column.name, "")
            found.append(read_value(column, value, why, self._words.get(column.name, ())))
        return found


def _mended(time: datetime.timedelta) -> datetime.timedelta:
    """A time of the binlog, of which mysql-replication takes the fraction off where it belongs on.

    A negative time is one two's complement: its seconds are one less, and its fraction is negative.
    The library negates the seconds alone: of -1.25 s it makes -(2 - 0.25) s.
    """
    if time >= datetime.timedelta() or not time.microseconds:
        return time
    second = datetime.timedelta(seconds=1)
    up = -(time // second)  # seconds of its size, rounded up
    return -time - second * (2 * up - 1)


def _same(column: Column, form: Any) -> bool:
    """Whether a column has the type that it had."""
    if form.type not in BINLOG.get(column.kind, ()):
        return False
    if column.kind == "decimal":
        return bool((form.precision, form.decimals) == (column.precision, column.scale))
    if column.kind.endswith("int"):
        return bool(form.unsigned) == column.unsigned
    return column.kind != "bit" or bool(form.bits == column.length)


def _full(mask: bytes, count: int) -> bool:
    return all(bool(mask[i // 8] >> (i % 8) & 1) for i in range(count))


def _check_statement(plan: MyPlan, event: Any) -> None:
    """Refuses a statement that changes a table's rows, and does not say which.

    Raises:
        SourceError: names the table.
    """
    text = _COMMENT.sub(" ", _RUN.sub(r" \1 ", event.query))
    here = event.schema.decode("utf-8", "replace")
    found = [(_plain(schema), _plain(name)) for schema, name in _NAMED.findall(text)]
    if not found:
        return
    upper = [name.upper() for _, name in found]
    names = {((schema or here).lower(), name.lower()) for schema, name in found}
    for table in plan.tables:
        if upper[:2] in (["DROP", "DATABASE"], ["DROP", "SCHEMA"]):
            if table.schema.lower() in {name.lower() for _, name in found[2:]}:
                raise SourceError(_gone(table, "was dropped with its database"))
            continue
        if (table.schema.lower(), table.name.lower()) not in names:
            continue
        cut = upper[0] == "TRUNCATE" or (
            upper[:2] == ["ALTER", "TABLE"]
            and "PARTITION" in upper
            and {"DROP", "TRUNCATE", "EXCHANGE"} & set(upper)
        )
        if cut and plan.truncate == "error":
            raise SourceError(
                f"table {table.qualified} was truncated, and the binlog does not say which rows "
                "are gone. Use DELETE in its place; to go on, start at a new location, or give "
                "truncate='ignore', which keeps the rows"
            )
        if upper[0] in _WRITES and upper[0] != "CALL":
            raise SourceError(
                f"{upper[0]} on table {table.qualified} is in the binlog as a statement, which "
                "does not say which rows it changed: a session has a binlog_format other than ROW. "
                f"{_NEW} now"
            )
        if upper[:2] in (["DROP", "TABLE"], ["RENAME", "TABLE"]):
            raise SourceError(_gone(table, "was dropped or renamed"))
        if upper[:2] == ["CREATE", "OR"] and "TABLE" in upper[:5]:
            raise SourceError(_gone(table, "was dropped, and recreated"))
        if upper[:2] == ["ALTER", "TABLE"] and _renames(upper):
            raise SourceError(_gone(table, "was renamed"))


def _plain(name: str) -> str:
    """A name without its quotes."""
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _renames(upper: Sequence[str]) -> bool:
    pairs = zip(upper, [*upper[1:], ""], strict=True)
    return any(a == "RENAME" and b not in ("COLUMN", "INDEX", "KEY") for a, b in pairs)


def _gone(table: MyTable, what: str) -> str:
    return (
        f"table {table.qualified} {what}: its views stay as they were at the last epoch. Start at "
        "a new location without it, or with the table as it is now"
    )


class Batches:
    """Makes batches of the tagged schema."""

    def __init__(self, plan: MyPlan) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        self._plan = plan
        self._schema = to_arrow_schema(plan.schema, timezone="UTC")

    def of(self, number: int, rows: list[Row]) -> pa.RecordBatch:
        """Rows of one table, in order."""
        table = self._plan.tables[number]
        struct = self._schema.field(1 + number).type
        columns = [
            array(
                column,
                [row[i] for row, _ in rows],
                struct.field(i).type,
                column.name in table.key,
            )
            for i, column in enumerate(table.fields)
        ]
        return tagged_batch(self._schema, number, table, columns, [gone for _, gone in rows])


def between(plan: MyPlan, start: Position, end: Position) -> Iterator[tuple[int, Row]]:
    """The rows of the transactions behind one position, up to another."""
    taken = False
    for each in events(plan, start, end):
        if isinstance(each, Begin):
            taken = end.has(each.gtid) and not start.has(each.gtid)
        elif taken and not isinstance(each, End):
            yield each
