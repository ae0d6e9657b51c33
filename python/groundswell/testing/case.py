"""What a test of a view is, as values. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.sql.parsing.statements import CreateFunction, CreateRelation, CreateView

Rows = Sequence[Any]
"""Rows as they are written: mappings by column, or sequences in the order of the columns."""
Query = str | Callable[..., Any]
"""SQL, or a function that takes tables as DataFrames by the names of its parameters."""

VIEW = "view"
"""What a view of a query is called, if nobody named it."""


@dataclass(frozen=True)
class Place:
    """Where something is written, for messages.

    Attributes:
        file: its path; "" in a program.
        line: from 1; None: unknown.
    """

    file: str = ""
    line: int | None = None

    def at(self, written: Any) -> Place:
        """The place of a part of the document; this one if it has none."""
        line = getattr(written, "line", None)
        return self if line is None else Place(self.file, line)

    def error(self, what: str) -> ConfigurationError:
        """An error that begins with the place."""
        where = f"{self.file}:{self.line}" if self.line is not None else self.file
        return ConfigurationError(f"{where}: {what}" if where else what)


@dataclass(frozen=True)
class Step:
    """Writes that one barrier takes, and what the view has after it.

    Attributes:
        deletes: rows by table; they come first.
        inserts: likewise.
        upserts: likewise.
        expect: the view's rows; None: nobody looks.
    """

    deletes: Mapping[str, Rows] = field(default_factory=dict)
    inserts: Mapping[str, Rows] = field(default_factory=dict)
    upserts: Mapping[str, Rows] = field(default_factory=dict)
    expect: Rows | None = None

    @property
    def tables(self) -> set[str]:
        """The names of the tables that it writes to."""
        return {*self.deletes, *self.inserts, *self.upserts}

    @property
    def has_rows(self) -> bool:
        """Whether it writes anything."""
        return any(any(rows.values()) for rows in (self.deletes, self.inserts, self.upserts))

    def first_row(self, table: str | None = None) -> Any:
        """The first row that it writes, to one table or any; None: there is none."""
        written = (self.deletes, self.inserts, self.upserts)
        found = (rows for by in written for name, rows in by.items() if table in (None, name))
        return next((row for rows in found for row in rows), None)


@dataclass(frozen=True)
class Case:
    """A test of one view.

    Attributes:
        name: what the test is called.
        view: name of the view.
        query: of the view; None: it is among ``views``.
        tables: by name in lower case.
        views: of a file of statements, by name in lower case, in order.
        functions: of the file, by name in lower case.
        steps: the first has the rows that are given.
        place: where it is written.
        query_place: likewise its query, or the name of its view.
        table_places: likewise the columns of tables, by name in lower case; those that are known.
    """

    name: str
    view: str
    query: Query | None
    tables: Mapping[str, CreateRelation]
    views: Mapping[str, CreateView]
    functions: Mapping[str, CreateFunction]
    steps: tuple[Step, ...]
    place: Place = Place()
    query_place: Place = Place()
    table_places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """What is tested, for messages."""
        return "the view of the query" if self.view == VIEW else f"view {self.view}"

    def step(self, number: int) -> str:
        """What a step is called in messages."""
        return "after the given rows" if number == 0 else f"after change {number}"
