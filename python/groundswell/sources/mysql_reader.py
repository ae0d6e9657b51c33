"""Spark's side of the source: positions (GTID) as offsets, rows in tasks.

An offset is the set of transactions that were read. The server can neither hold a snapshot for
several connections nor say which transactions it has. So a load begins with the server's position,
reads the tables, in one transaction each part, and then all that the binlog has behind that
position: the same rows again, or newer ones, over those that were read. That is one barrier, and it
goes on to what the server has by then, which is behind every part. Only then is the load over.

A first load in parts goes by ranges of the primary key; an offset has the table and the key of the
last row. What a part reads when it is read again is newer, and the binlog goes over it likewise.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    SupportsTriggerAvailableNow,
)

from groundswell.errors import SourceError
from groundswell.runtime.planning.sources import Size
from groundswell.sinks.extras import optional
from groundswell.sources.mysql_binlog import Batches, Begin, End, Row, between, events
from groundswell.sources.mysql_gtid import Position
from groundswell.sources.mysql_server import (
    MyPlan,
    MyTable,
    connected,
    patience_of,
    position_of,
    rows_of,
    text_of,
)
from groundswell.sources.mysql_types import PAGED, quoted, read_value
from groundswell.sources.patience import Connection
from groundswell.sources.tagged import batched

BEGIN: dict[str, Any] = {"gtid": ""}
SNAPSHOT, TABLE, AFTER = "snapshot", "table", "after"
QUIET_TRANSACTIONS, QUIET_SECONDS = 1000, 600.0
"""After so many transactions of others, or so long, a barrier without rows moves the position."""
_SNAPSHOT_ROWS = 10_000
Place = tuple[int, list[str] | None]
"""A table's number, and the key of its last row that was read; None: none was."""


@dataclass
class SnapshotPart(InputPartition):
    """Rows of the tables behind one place, up to another; None: to the end."""

    start: Place
    end: Place | None


@dataclass
class StreamPart(InputPartition):
    """The transactions between two positions."""

    start: str
    end: str


class MySqlReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Tells offsets and parts; :meth:`read` runs in tasks."""

    def __init__(self, plan: MyPlan, most: Size = Size()) -> None:  # noqa: B008 - a value
        self._plan = plan
        self._most = most
        self._server = Connection(
            lambda: connected(plan),
            patience_of(plan.retry_seconds),
            (optional("pymysql.err", "mysql").MySQLError, OSError),
        )
        self._target: Position | None = None
        self._quiet = ""
        self._moved = time.monotonic()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_server": None}

    def initialOffset(self) -> dict[str, Any]:
        """Before the snapshot."""
        return BEGIN

    def getDefaultReadLimit(self) -> ReadLimit:
        """``max_rows`` of the plan, and the size of a snapshot's parts, bound a barrier."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """What is committed by now is all that this run reads."""
        self._target = self._now()

    def latestOffset(
        self,
        start: dict[str, Any],
        limit: ReadLimit,  # noqa: ARG002
    ) -> dict[str, Any]:
        """The position behind the last transaction of the next barrier."""
        if start != BEGIN:
            self._check_columns(start)
        if start == BEGIN or TABLE in start:
            return self._snapshot_from(start)
        after, now = self._position(start["gtid"]), self._now()
        if SNAPSHOT in start:  # its rows may be newer than the target: all goes over them
            return self._offset(now.text)
        if self._target is not None:
            now = self._target
        if after.covers(now) or now.text == self._quiet:
            return start
        found, rows, passed = self._server.ask(lambda _: self._newest(after, now))
        quiet = time.monotonic() - self._moved < QUIET_SECONDS
        if not rows and passed < QUIET_TRANSACTIONS and quiet:
            self._quiet = now.text
            return start
        self._moved = time.monotonic()
        return self._offset(found.text)

    def _newest(self, after: Position, now: Position) -> tuple[Position, int, int]:
        """Where the next barrier ends, how many rows it has, and how many transactions."""
        found, rows, passed, taken = after, 0, 0, False
        for each in events(self._plan, after, now):
            if isinstance(each, Begin):
                taken = now.has(each.gtid) and not found.has(each.gtid)
            elif isinstance(each, End):
                if taken:
                    found, passed, taken = found.also(each.gtid), passed + 1, False
                if rows >= self._plan.max_rows:
                    return found, rows, passed
            elif taken:
                rows += 1
        return now, rows, passed

    def _now(self) -> Position:
        found = self._server.ask(lambda c: position_of(c, self._plan.flavor))
        assert isinstance(found, Position)
        return found

    def _position(self, text: str) -> Position:
        return Position.parse(self._plan.flavor, text)

    def _offset(self, gtid: str, **more: Any) -> dict[str, Any]:
        columns = {t.qualified: [c.name for c in t.fields] for t in self._plan.tables}
        return {"gtid": gtid, "columns": columns, **more}

    def _check_columns(self, start: Mapping[str, Any]) -> None:
        """Refuses a column that came since, if rows of before have something else than null."""
        for table in self._plan.tables:
            known = start["columns"].get(table.qualified)
            for column in table.fields:
                if known is not None and column.name not in known and not column.plain:
                    raise SourceError(
                        f"column {column.name} of table {table.qualified} is new, and rows of "
                        "before have its default, which the binlog does not say. Start at a new "
                        "location, with another name=: it begins with a snapshot of the table"
                    )

    def stop(self) -> None:
        """Closes the connection, and begins nothing more."""
        self._server.stop()

    def _snapshot_from(self, start: dict[str, Any]) -> dict[str, Any]:
        """The offset behind some more rows of the tables."""
        gtid = self._now().text if start == BEGIN else start["gtid"]
        end = self._server.ask(lambda c: self._behind(c, _place(start)))
        if end is None:
            return self._offset(gtid, **{SNAPSHOT: "true"})
        table, after = end
        return self._offset(gtid, **{TABLE: table, AFTER: after})

    def _behind(self, connection: Any, at: Place) -> Place | None:
        """Where a part ends that begins at a place; None: at the end of the last table."""
        if not (self._most.rows or self._most.bytes):
            return None
        number, after = at
        left = self._most.rows or 1 << 62
        bytes_ = self._most.bytes or 1 << 62
        while number < len(self._plan.tables):
            table = self._plan.tables[number]
            rows, size = _sizes(connection, table)
            width = max(size // max(rows, 1), 1)
            count = max(min(left, bytes_ // width), 1)
            end = _key_behind(connection, table, after, count)
            if end is not None:
                return number, end
            read = rows if after is None else min(rows, count)
            left, bytes_ = left - read, bytes_ - read * width
            number, after = number + 1, None
            if left <= 0 or bytes_ <= 0:
                break
        return (number, None) if number < len(self._plan.tables) else None

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Rows of the tables, or the transactions up to an offset."""
        if start == BEGIN or TABLE in start:
            return [SnapshotPart(_place(start), _place(end) if TABLE in end else None)]
        return [StreamPart(start["gtid"], end["gtid"])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a part, as Arrow batches."""
        if isinstance(partition, SnapshotPart):
            return _snapshot(self._plan, partition)
        assert isinstance(partition, StreamPart)
        return _stream(self._plan, partition)


def _place(offset: Mapping[str, Any]) -> Place:
    return int(offset.get(TABLE, 0)), offset.get(AFTER)


def backlog(plan: MyPlan) -> Size:
    """About what the tables of a plan have now."""
    with closing(connected(plan)) as connection:
        return sum((Size(*_sizes(connection, table)) for table in plan.tables), Size())


def _sizes(connection: Any, table: MyTable) -> tuple[int, int]:
    """About how many rows a table has, and bytes."""
    ((rows, size),) = rows_of(
        connection,
        "SELECT table_rows, data_length FROM information_schema.tables WHERE table_schema = %s "
        "AND table_name = %s",
        [table.schema, table.name],
    )
    return int(rows or 0), int(size or 0)


def _key_behind(
    connection: Any, table: MyTable, after: list[str] | None, count: int
) -> list[str] | None:
    """The key of the row that is so many behind a place; None: there is none behind that."""
    kinds = {c.name: c.kind for c in table.fields}
    if any(kinds[name] not in PAGED for name in table.key):
        return None
    names = ", ".join(map(quoted, table.key))
    where, given = _condition(table, after, None)
    found = rows_of(
        connection,
        f"SELECT {', '.join(_as_text(table, name) for name in table.key)} FROM {table.qualified}"
        f"{where} ORDER BY {names} LIMIT 2 OFFSET {count - 1}",
        given,
    )
    return list(found[0]) if len(found) == 2 else None


def _as_text(table: MyTable, name: str) -> str:
    """A key's value as a text that an offset can have."""
    kind = next(c.kind for c in table.fields if c.name == name)
    if kind.endswith(("binary", "blob")):
        return f"hex({quoted(name)})"
    return f"cast({quoted(name)} AS char CHARACTER SET utf8mb4)"


def _condition(
    table: MyTable, after: list[str] | None, upto: list[str] | None
) -> tuple[str, list[Any]]:
    """A condition for keys behind one, up to another, and its values."""
    parts, given = [], list[Any]()
    for key, operator in ((after, ">"), (upto, "<=")):
        if key is None:
            continue
        values = [_value(table, name, text) for name, text in zip(table.key, key, strict=True)]
        ways = []
        for i in range(len(values)):
            last = i == len(values) - 1
            sign = operator if last else operator[0]
            names = [
                *(f"{quoted(n)} = %s" for n in table.key[:i]),
                f"{quoted(table.key[i])} {sign} %s",
            ]
            ways.append(" AND ".join(names))
            given += values[: i + 1]
        parts.append(f"({' OR '.join(f'({way})' for way in ways)})")
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), given


def _value(table: MyTable, name: str, text: str) -> Any:
    column = next(c for c in table.fields if c.name == name)
    if column.kind.endswith(("binary", "blob")):
        return bytes.fromhex(text)
    return Decimal(text) if column.kind.endswith("int") or column.kind == "decimal" else text


def _snapshot(plan: MyPlan, part: SnapshotPart) -> Iterator[Any]:
    """Rows of the tables, all in one transaction."""
    errors = optional("pymysql.err", "mysql")
    try:
        with closing(connected(plan)) as connection:
            rows_of(connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            rows_of(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
            batches = Batches(plan)
            (first, after), (last, upto) = part.start, part.end or (len(plan.tables), None)
            for number in range(first, min(last + 1, len(plan.tables))):
                if number == last and upto is None:
                    break  # it ends before this table
                bounds = (after if number == first else None, upto if number == last else None)
                for rows in _selected(connection, plan.tables[number], *bounds):
                    yield batches.of(number, rows)
    except errors.MySQLError as e:
        raise SourceError(
            f"the snapshot broke off: {text_of(e)}. Start the pipeline again: it goes on"
        ) from None


def _selected(
    connection: Any, table: MyTable, after: list[str] | None, upto: list[str] | None
) -> Iterator[list[Row]]:
    cursors = optional("pymysql.cursors", "mysql")
    where, given = _condition(table, after, upto)
    names = ", ".join(column.selected for column in table.fields)
    with connection.cursor(cursors.SSCursor) as cursor:
        cursor.execute(f"SELECT {names} FROM {table.qualified}{where}", given or None)
        while found := cursor.fetchmany(_SNAPSHOT_ROWS):
            yield [
                ([read_value(c, v) for c, v in zip(table.fields, row, strict=True)], False)
                for row in found
            ]


def _stream(plan: MyPlan, part: StreamPart) -> Iterator[Any]:
    """Reads again from the beginning when the server was away: the batches are the same."""
    errors = optional("pymysql.err", "mysql")
    patience = patience_of(plan.retry_seconds)
    start, end = (Position.parse(plan.flavor, text) for text in (part.start, part.end))
    given = 0
    while True:
        try:
            for i, batch in enumerate(batched(Batches(plan), between(plan, start, end))):
                if i >= given:
                    yield batch
                    given += 1
                    patience.reset()
            return
        except (errors.MySQLError, OSError) as e:
            patience.wait(e)
