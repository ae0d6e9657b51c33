"""ClickHouse, over HTTP: growing rows into any table, changes into a ReplacingMergeTree.

ClickHouse has no transactions. The table ``groundswell_epochs`` holds by sink the last epoch.

- Changes carry the epoch as the version of a row: rows that are inserted twice count once. The
  number is noted after the rows.
- Rows that grow must not be inserted twice. So what is to be inserted is noted before, with the
  number of rows that the target has then. A start that finds such a note counts again. Servers that
  have insert tokens leave a second insert out by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from groundswell.errors import SinkError
from groundswell.sinks.changes import Changes
from groundswell.sinks.clickhouse_http import Client
from groundswell.sinks.clickhouse_names import literal, quoted
from groundswell.sinks.clickhouse_table import Table
from groundswell.sinks.clickhouse_text import Encoder
from groundswell.sinks.narrowing import NARROWING, Narrowing
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import APPEND, Sink, SinkProgress, SinkStart

REPLACE = "replace"
PROGRESS = "groundswell_epochs"
STAGED = "groundswell_staged"
"""A temporary table of one session."""


@dataclass(frozen=True)
class _Note:
    """The row of a sink in the table of epochs.

    Attributes:
        token: of the owner.
        epoch: the last that the target has; -1: none.
        pending: the epoch that is being appended; -1: none.
        rows: how many rows that one has.
        had: how many rows the target had before it.
    """

    token: int
    epoch: int = -1
    pending: int = -1
    rows: int = 0
    had: int = 0


class ClickHouseSink(Sink):
    """Inserts rows or changes into a table."""

    OPTIONS = (
        SinkOption("url", "of the HTTP interface: `http://host:8123`", required=True),
        SinkOption("table", "name of the table, perhaps with its database", required=True),
        SinkOption("user", "name of the user"),
        SinkOption("password", "of the user", secret=True),
        SinkOption(
            "mode",
            "append: the rows of a view that only grows, into a table of the MergeTree family; "
            "replace: changes, into a ReplacingMergeTree(epoch) with columns epoch and deleted",
            choices=(APPEND, REPLACE),
        ),
        SinkOption("create_table", "makes the table if it is not there", bool, False),
        SinkOption("epoch_column", "holds the epoch, in mode replace", str, "epoch"),
        SinkOption("deleted_column", "is 1 in deleted rows, in mode replace", str, "deleted"),
        NARROWING,
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._client: Client | None = None

    def open(self, start: SinkStart) -> None:
        """Checks server, table and columns."""
        self._start, options = start, self._options
        self._mode = start.mode(options["mode"], REPLACE)
        self._extra: tuple[str, ...] = ()
        if self._mode != APPEND:
            self._extra = (options["epoch_column"], options["deleted_column"])
        taken = [name for name in self._extra if name in start.columns]
        if taken:
            raise SinkError(
                f"view {start.view} has a column {taken[0]} of its own; give the sink's another "
                "name with option epoch_column or deleted_column"
            )
        self._client = Client(options["url"], options["user"], options["password"])
        self._table = Table(self._client, options["table"])
        if options["create_table"]:
            self._table.create(start.schema, start.key if self._extra else (), self._extra)
        self._narrowing = Narrowing(options["narrowing"])
        types = self._table.check(start.schema, start.key, self._extra, self._narrowing)
        self._encoder = Encoder(
            types, self._client.timezone, self._client.version, self._table.name, start.key
        )
        self._progress = f"{quoted(self._table.database)}.{PROGRESS}"
        self._client.run(
            f"CREATE TABLE IF NOT EXISTS {self._progress} (sink String, name String, "
            "token UInt64, epoch Int64, pending Int64, rows UInt64, had UInt64, seq UInt64) "
            "ENGINE = ReplacingMergeTree(seq) ORDER BY sink"
        )
        self._staged: tuple[Any, Any] | None = None

    def recover(self) -> SinkProgress | None:
        """The last epoch whose rows the table has."""
        note = self._read_note()
        if note is None:
            return None
        if note.pending >= 0 and self._has_pending(note):
            note = _Note(note.token, note.pending)
            self._write_note(note)
        return SinkProgress(note.token, note.epoch) if note.epoch >= 0 else None

    def _has_pending(self, note: _Note) -> bool:
        if self._table.replaces:
            return False  # its merges spoil the count, and take out rows that come again
        count = self._count()
        if count == note.had + note.rows:
            return True
        if count == note.had or self._table.takes_tokens:
            return False
        raise SinkError(
            f"table {self._table.name} had {note.had} rows before epoch {note.pending} was "
            f"inserted, which has {note.rows}, and has {count} rows now: whether the epoch is in "
            "it cannot be told, for others write to it, too, and it takes no insert tokens. See "
            f"which rows are there; then ALTER TABLE {self._progress} DELETE WHERE sink = "
            f"{literal(self._start.id)} AND pending = {note.pending}, and add the rest by hand"
        )

    def _count(self) -> int:
        return int(self._rows(f"SELECT count() FROM {self._table.name}")[0][0])

    def _rows(self, query: str) -> list[list[str]]:
        assert self._client is not None
        return self._client.rows(query)

    def _read_note(self) -> _Note | None:
        rows = self._rows(
            f"SELECT token, epoch, pending, rows, had FROM {self._progress} "
            f"WHERE sink = {literal(self._start.id)} ORDER BY seq DESC LIMIT 1"
        )
        return _Note(*map(int, rows[0])) if rows else None

    def _write_note(self, note: _Note) -> None:
        assert self._client is not None
        # Counts up: by owner, by epoch, and what is done after what is pending.
        seq = (self._start.token << 42) + (max(note.epoch, note.pending) << 1) + (note.pending < 0)
        values = ", ".join(
            map(str, (note.token, note.epoch, note.pending, note.rows, note.had, seq))
        )
        self._client.run(
            f"INSERT INTO {self._progress} (sink, name, token, epoch, pending, rows, had, seq) "
            f"VALUES ({literal(self._start.id)}, {literal(self._start.name)}, {values})"
        )

    def _check_owner(self) -> _Note:
        note = self._read_note() or _Note(self._start.token)
        self._start.check_owner(SinkProgress(note.token, note.epoch))
        return note

    def write(self, epoch: int, changes: Changes) -> None:
        """Checks and keeps the rows; they are inserted by the commit."""
        if self._mode == APPEND:
            rows, gone = changes.inserts(), None
        else:
            rows, gone = changes.net(self._start.key)
            self._check(gone)
        self._check(rows)
        self._staged = rows, gone

    def _check(self, rows: Any) -> None:
        self._encoder.check(rows)
        self._narrowing.check(rows, self._start.key)

    def commit(self, epoch: int) -> None:
        """Inserts the rows, and notes the epoch."""
        assert self._client is not None
        assert self._staged is not None
        note = replace(self._check_owner(), token=self._start.token)
        rows, gone = self._staged
        self._staged = None
        if self._mode == APPEND and rows.num_rows:
            self._write_note(replace(note, pending=epoch, rows=rows.num_rows, had=self._count()))
        token = f"{self._start.id}-{epoch}" if self._mode == APPEND else None
        if rows.num_rows:
            more = dict(zip(self._extra, (epoch, 0), strict=False))
            self._insert(rows, more, token)
        if gone is not None and gone.num_rows:
            self._insert(gone, dict(zip(self._extra, (epoch, 1), strict=True)), None)
        self._write_note(_Note(self._start.token, epoch))

    def _insert(self, rows: Any, more: dict[str, int], token: str | None) -> None:
        assert self._client is not None
        columns = [*rows.column_names, *more]
        into = f"INSERT INTO {self._table.name} ({', '.join(map(quoted, columns))})"
        lines = self._encoder.lines(rows, more)
        token = token if self._table.takes_tokens else None
        carried = self._encoder.carried(columns)
        if not carried:
            self._client.insert(f"{into} FORMAT JSONEachRow", lines, token)
            return
        types = [f"{quoted(name)} {kind}" for name, (kind, _) in carried.items()]
        made = [
            how.expression(quoted(name)) if how else quoted(name)
            for name, (_, how) in carried.items()
        ]
        with self._client.session():
            self._client.run(f"CREATE TEMPORARY TABLE {STAGED} ({', '.join(types)})")
            self._client.insert(f"INSERT INTO {STAGED} FORMAT JSONEachRow", lines, None)
            self._client.insert(f"{into} SELECT {', '.join(made)} FROM {STAGED}", (), token)
            self._client.run(f"DROP TEMPORARY TABLE {STAGED}")

    def close(self) -> None:
        """Closes the connection."""
        if self._client is not None:
            self._client.close()
