"""Results, as clients take them: all at once, or some rows at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from groundswell.serve.commands import Copy
from groundswell.serve.engine import Column, Query, Row
from groundswell.serve.pgtypes import codec_of

TEXT_COLUMN = codec_of("VARCHAR")
LEAST_SECONDS = 0.001


class Portal(Protocol):
    """A statement that has begun.

    Attributes:
        columns: of its rows; None: it gives none.
        forms: of these columns, text or binary; none: text.
        copies: whether its rows go out by COPY.
        live: whether it may wait for rows: what it gave goes out at once.
    """

    columns: list[Column] | None
    forms: Sequence[int]
    copies: Copy | None
    live: bool

    def take(self, most: int) -> list[Row]:
        """The next rows; fewer than ``most`` only at the end. 0: some, none at the end."""
        ...

    def tag(self, rows: int) -> str:
        """The command tag, once so many rows were given."""
        ...

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own, for FETCH; None: all."""
        ...

    def cancel(self) -> None:
        """Stops it, from another thread."""
        ...

    def close(self) -> None:
        """Lets go of what it holds."""
        ...


class Listed:
    """Rows that are at hand."""

    copies: Copy | None = None
    live = False

    def __init__(
        self,
        tag: str,
        name: str,
        rows: Sequence[Row],
        forms: Sequence[int] = (),
        more: Sequence[str] = (),
    ) -> None:
        self.columns: list[Column] | None = [Column(n, TEXT_COLUMN) for n in (name, *more)]
        self.forms = forms
        self._tag = tag
        self._rows: Iterator[Row] = iter(rows)

    @staticmethod
    def shown(name: str) -> list[Column]:
        """The columns of a list of that name."""
        names = ("name", "setting") if name == "all" else (name,)
        return [Column(each, TEXT_COLUMN) for each in names]

    def take(self, most: int) -> list[Row]:
        """The next rows."""
        return list(islice(self._rows, most or None))

    def tag(self, rows: int) -> str:  # noqa: ARG002
        """The command tag."""
        return self._tag

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own."""
        return Part(self, tag, most, forms)

    def cancel(self) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """Nothing is held."""


class Done(Listed):
    """A statement that gave no rows."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag, "", ())
        self.columns = None


class Rows:
    """The rows of a SELECT.

    Args:
        tag: before their number.
        query: that has begun.
        seconds: that all steps together may take, what the client takes to read them aside; None:
            as long as they like.
        owns: whether the query ends with it.
    """

    copies: Copy | None = None
    live = False

    def __init__(self, tag: str, query: Query, seconds: float | None, owns: bool = True) -> None:
        self.columns: list[Column] | None = query.columns
        self.forms = query.forms
        self._tag = tag
        self._query = query
        self._left = seconds
        self._owns = owns

    def take(self, most: int) -> list[Row]:
        """The next rows."""
        began = time.monotonic()
        rows = self._query.take(most, self._left)
        if self._left is not None:
            self._left = max(self._left - (time.monotonic() - began), LEAST_SECONDS)
        return rows

    def tag(self, rows: int) -> str:
        """The command tag."""
        return f"{self._tag} {rows}"

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own."""
        return Part(self, tag, most, forms)

    def cancel(self) -> None:
        """Stops the query."""
        self._query.cancel()

    def close(self) -> None:
        """Ends the query."""
        if self._owns:
            self._query.close()


class Part:
    """The next rows of a portal, for FETCH and MOVE.

    Args:
        portal: whose.
        tag: FETCH or MOVE.
        most: None: all.
        forms: asked for; those of the portal count.
    """

    copies: Copy | None = None
    live = False

    def __init__(self, portal: Portal, tag: str, most: int | None, forms: Sequence[int]) -> None:
        self._moves = tag == "MOVE"
        self.columns = None if self._moves else portal.columns
        self.forms = portal.forms or forms
        self._portal = portal
        self._tag = tag
        self._left = most
        self._moved = 0
        if self._moves:
            while rows := self._next(0):
                self._moved += len(rows)

    def take(self, most: int) -> list[Row]:
        """The next rows."""
        return [] if self._moves else self._next(most)

    def _next(self, most: int) -> list[Row]:
        if self._left is None:
            return self._portal.take(most)
        wanted = min(most or self._left, self._left)
        rows = self._portal.take(wanted) if wanted else []
        self._left -= len(rows)
        if len(rows) < wanted:
            self._left = 0
        return rows

    def tag(self, rows: int) -> str:
        """The command tag."""
        return f"{self._tag} {self._moved if self._moves else rows}"

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own."""
        return Part(self, tag, most, forms)

    def cancel(self) -> None:
        """Stops the portal."""
        self._portal.cancel()

    def close(self) -> None:
        """Nothing: the cursor stays open."""


class Copied:
    """The rows of a portal as lines of COPY.

    Args:
        portal: whose.
        copies: how the lines are written.
    """

    def __init__(self, portal: Portal, copies: Copy) -> None:
        self.columns = portal.columns
        self.forms: Sequence[int] = ()
        self.copies: Copy | None = copies
        self.live = portal.live
        self._portal = portal

    def take(self, most: int) -> list[Row]:
        """The next rows."""
        return self._portal.take(most)

    def tag(self, rows: int) -> str:
        """The command tag."""
        return f"COPY {rows}"

    def part(self, tag: str, most: int | None, forms: Sequence[int]) -> Portal:
        """The next rows as a result of their own."""
        return Part(self, tag, most, forms)

    def cancel(self) -> None:
        """Stops the portal."""
        self._portal.cancel()

    def close(self) -> None:
        """Ends the portal."""
        self._portal.close()


_ESCAPES = {
    b"\\": b"\\\\", b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b"\b": b"\\b", b"\f": b"\\f",
    b"\v": b"\\v",
}  # fmt: skip


def line(row: Row, how: Copy) -> bytes:
    """A row as a line of COPY."""
    delimiter, null = how.delimiter.encode(), how.null.encode()
    if how.csv:
        cells = [null if cell is None else _csv(cell, delimiter, null) for cell in row]
    else:
        cells = [null if cell is None else _escaped(cell, delimiter) for cell in row]
    return delimiter.join(cells) + b"\n"


def _csv(cell: bytes, delimiter: bytes, null: bytes) -> bytes:
    if cell == null or any(mark in cell for mark in (b'"', b"\n", b"\r", delimiter)):
        return b'"' + cell.replace(b'"', b'""') + b'"'
    return cell


def _escaped(cell: bytes, delimiter: bytes) -> bytes:
    for mark, replacement in _ESCAPES.items():
        if mark in cell:
            cell = cell.replace(mark, replacement)
    return cell if delimiter in _ESCAPES else cell.replace(delimiter, b"\\" + delimiter)
