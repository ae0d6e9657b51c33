"""``SUBSCRIBE``: the changes of a view as rows that a client waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import pyarrow as pa

from groundswell.serve.changes import PROGRESS, Changes
from groundswell.serve.commands import Copy, Subscribe
from groundswell.serve.engine import Column, Engine, Query, Relation, Row
from groundswell.serve.errors import CANCELED, ServeError, timed_out
from groundswell.serve.lexer import identifier
from groundswell.serve.portals import Portal
from groundswell.serve.snapshots import Snapshots

LOOK_SECONDS = 0.1
_CHANGES = "changes"


class Feed:
    """A subscription, as a portal that has no end.

    Args:
        engine: that gives values their forms.
        snapshots: of the location.
        asked: the statement.
        zone: the session's time zone.
        gone: whether the client has left.
        forms: of the columns, text or binary; none: text.
    """

    copies: Copy | None = None
    live = True

    def __init__(
        self,
        engine: Engine,
        snapshots: Snapshots,
        asked: Subscribe,
        zone: str,
        gone: Callable[[], bool],
        forms: Sequence[int] = (),
    ) -> None:
        self._engine = engine
        self._zone = zone
        self._gone = gone
        self._progress = asked.progress
        self._changes = Changes(snapshots, asked.view, asked.epoch)
        self._canceled = threading.Event()
        self._query: Query | None = None
        self._begun = False
        self.forms = forms
        self.columns: list[Column] | None = self._of(self._changes.schema.empty_table()).describe()

    def take(self, most: int) -> list[Row]:
        """The next rows, once there are some. 0: as many as are at hand."""
        return self.wait(most, None, self.forms)

    def wait(
        self,
        most: int,
        seconds: float | None,
        forms: Sequence[int],
        limit: float | None = None,
    ) -> list[Row]:
        """The next rows, once there are some; none after so many seconds without.

        Args:
            most: rows; 0: as many as are at hand.
            seconds: to wait for the first; None: for ever.
            forms: of the columns.
            limit: seconds after which waiting is an error; None: there is none.

        Raises:
            ServeError: it was cancelled or has met its limit (57014), or the next epoch is not kept
                any more.
        """
        begun = time.monotonic()
        end = None if seconds is None else begun + seconds
        while True:
            if self._canceled.is_set():
                raise ServeError(CANCELED, "canceling statement due to user request")
            rows = self._at_hand(most, forms)
            if rows:
                return rows
            if end is not None and time.monotonic() >= end:
                return []
            if limit is not None and time.monotonic() >= begun + limit:
                raise timed_out()
            if self._gone():
                raise ConnectionResetError("the client has gone")
            if self._canceled.wait(LOOK_SECONDS):
                continue

    def tag(self, rows: int) -> str:
        """The command tag."""
        return f"SUBSCRIBE {rows}"

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own."""
        return Taken(self, tag, most, None, forms)

    def cancel(self) -> None:
        """Stops waiting, from another thread."""
        self._canceled.set()

    def resume(self) -> None:
        """Waits again after a cancel."""
        self._canceled.clear()

    def close(self) -> None:
        """Ends the subscription."""
        self._end_query()
        self._changes.close()

    def _at_hand(self, most: int, forms: Sequence[int]) -> list[Row]:
        """Rows that need no waiting."""
        while True:
            if self._query is not None:
                rows = self._query.take(most)
                if rows:
                    return rows
                self._end_query()
            following = self._following()
            if following is None:
                return []
            self._query = following
            self._query.start(forms)

    def _following(self) -> Query | None:
        """What comes next: the rows of the beginning, or the changes of an epoch."""
        whole = self._changes.whole()
        if whole is not None:
            view = identifier(self._changes.view)
            sql = f"SELECT {whole.epoch} AS epoch, 'insert' AS change_type, * FROM {view}"
            if self._progress:
                sql = f"SELECT * FROM ({sql}) {_progress_of(whole.epoch, self._names())}"
            self._changes.release(whole)
            return Query(self._engine, sql, whole, self._zone)
        while True:
            step = self._changes.next()
            if step is None:
                return None
            if step.rows.num_rows or self._progress:
                return self._of(step.rows, step.epoch)

    def _of(self, rows: pa.Table, epoch: int | None = None) -> Query:
        """Changes in the form that the view's rows have."""
        shown = self._changes.facts.shown
        schema = self._changes.schema
        columns = ", ".join(
            f"{shown.get(name, identifier(name))} AS {identifier(name)}" for name in schema.names
        )
        sql = f"SELECT {columns} FROM {_CHANGES}"
        if epoch is not None and self._progress:
            sql += _progress_of(epoch, self._names())
        return Query(self._engine, sql, _One(rows), self._zone)

    def _names(self) -> Sequence[str]:
        names: Sequence[str] = self._changes.facts.schema.names
        return names

    def _end_query(self) -> None:
        if self._query is not None:
            self._query.close()
            self._query = None


def _progress_of(epoch: int, names: Sequence[str]) -> str:
    """One more row: all changes of an epoch were told."""
    nulls = "".join(", NULL" for _ in names)
    return f" UNION ALL SELECT {epoch}, '{PROGRESS}'{nulls}"


class _One:
    """One relation: changes."""

    names = (_CHANGES,)

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def find(self, name: str) -> Relation | None:
        """The changes."""

        def table(*_: object) -> pa.Table:
            return self._rows

        return Relation(self._rows.schema, table, {}) if name == _CHANGES else None


class Taken:
    """The rows of one FETCH: some that are at hand, once there are some.

    Args:
        feed: whose.
        tag: FETCH or MOVE.
        most: None: as many as are at hand.
        seconds: to wait for the first; None: for ever.
        forms: of the columns.
        limit: seconds after which waiting is an error; None: there is none.
    """

    copies: Copy | None = None
    live = False

    def __init__(
        self,
        feed: Feed,
        tag: str,
        most: int | None,
        seconds: float | None,
        forms: Sequence[int],
        limit: float | None = None,
    ) -> None:
        self.columns = feed.columns
        self.forms = forms
        self._feed = feed
        self._tag = tag
        self._left = most
        self._seconds = seconds
        self._limit = limit
        self._over = most == 0
        feed.resume()

    def take(self, most: int) -> list[Row]:
        """The next rows; none at the end."""
        if self._over:
            return []
        limits = [n for n in (most, self._left) if n]
        rows = self._feed.wait(min(limits, default=0), self._seconds, self.forms, self._limit)
        self._seconds = 0.0
        if self._left is not None:
            self._left -= len(rows)
        self._over = not rows or self._left == 0
        return rows

    def tag(self, rows: int) -> str:
        """The command tag."""
        return f"{self._tag} {rows}"

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own."""
        return Taken(self._feed, tag, most, self._seconds, forms, self._limit)

    def cancel(self) -> None:
        """Stops waiting, from another thread."""
        self._feed.cancel()

    def close(self) -> None:
        """Nothing: the cursor stays open."""
