"""Who ran which statement, and when; and what a pipeline consists of after all of them.

Layout: ``<location>/groundswell/sql/<20 digits>.json``, a statement each, numbered from 1. What is
there never changes, but for the last one: it is pending while it is carried out. Then it is
confirmed, or it goes. One that a crash has left pending is no part of the pipeline: the next start
carries it out again, or removes it if it is refused.
"""

from __future__ import annotations

import getpass
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from groundswell.catalog.names import free_name
from groundswell.errors import ConfigurationError, Corruption
from groundswell.format.envelope import seal
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    number_of,
    numbered_name,
    read_document,
    write_document,
)
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.grammar import head

FOLDER = "sql"
KIND = "statement"


@dataclass(frozen=True)
class Entry:
    """A statement that was run.

    Attributes:
        number: from 1.
        text: as it was written.
        by: the user, and the machine.
        at: ISO time.
        catalog: the current catalog then, which says what plain names mean.
        namespace: the current namespace then.
        pending: whether it is still carried out, or a crash has cut that off.
        also: names of the objects that a ``DROP ... CASCADE`` takes along, readers first.
    """

    number: int
    text: str
    by: str
    at: str
    catalog: str
    namespace: tuple[str, ...]
    pending: bool = False
    also: tuple[str, ...] = ()

    @property
    def drops(self) -> tuple[str, ...]:
        """Names of the objects that it drops, in lower case, readers first."""
        statement = self.statement
        own = (statement.name[-1],) if isinstance(statement, s.Drop) else ()
        return tuple(name.lower() for name in (*self.also, *own))

    @cached_property
    def statement(self) -> s.Statement:
        """What it says; read once, for all statements are gone through again and again."""
        found = head(self.text)
        if found is None:
            raise Corruption(f"statement {self.number} is none of this release: {self.text[:80]!r}")
        return found.read()


def entry(
    number: int,
    text: str,
    catalog: str,
    namespace: Iterable[str],
    by: str | None = None,
    also: Iterable[str] = (),
) -> Entry:
    """A statement that this process carries out now.

    Args:
        number: of the statement.
        text: the statement.
        catalog: the current catalog.
        namespace: the current namespace.
        by: who asked for it, if another process did.
        also: see :class:`Entry`.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    who = here() if by is None else f"{by}, carried out by {here()}"
    return Entry(number, text, who, now, catalog, tuple(namespace), True, tuple(also))


def here() -> str:
    """This user, process and machine, for messages."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = f"user {os.getuid()}"
    return f"{user} (process {os.getpid()} on {platform.node()})"


class StatementLog:
    """The statements of one location, oldest first."""

    def __init__(self, home: Folder) -> None:
        self._folder = home.child(FOLDER)
        self._known: dict[int, Entry] = {}

    def read(self) -> list[Entry]:
        """All of them."""
        numbers = sorted(n for name in self._folder.names() if (n := number_of(name)) is not None)
        found = [self._known.get(number) or self._load(number) for number in numbers]
        self._known = {each.number: each for each in found if not each.pending}
        return found

    def _load(self, number: int) -> Entry:
        name = numbered_name(number)
        document = read_document(self._folder, name, KIND)
        where = f"{self._folder.location}/{name}"
        if document is None:
            raise Corruption(f"{where} is listed and is not there; restore the file")
        try:
            return Entry(
                number,
                document["statement"],
                document["by"],
                document["at"],
                document["catalog"],
                tuple(document["namespace"]),
                document.get("pending", False),
                tuple(document.get("also", ())),
            )
        except KeyError as e:
            raise Corruption(f"{where} lacks {e}; restore the file") from e

    def append(self, made: Entry) -> None:
        """Notes a statement, before it is applied.

        Raises:
            ConfigurationError: another process has noted one of that number.
        """
        name = numbered_name(made.number)
        if not self._folder.put_new(name, seal(KIND, _content(made))):
            raise ConfigurationError(
                f"{self._folder.location}/{name} was written by another process meanwhile: run "
                "the statement again"
            )

    def confirm(self, made: Entry) -> None:
        """Notes that the last statement was carried out."""
        content = _content(replace(made, pending=False))
        write_document(self._folder, numbered_name(made.number), KIND, content)

    def take_back(self, made: Entry) -> None:
        """Removes the last statement: it could not be carried out."""
        removal.numbered(self._folder, [made.number])


def _content(made: Entry) -> dict[str, Any]:
    return {
        "statement": made.text,
        "by": made.by,
        "at": made.at,
        "catalog": made.catalog,
        "namespace": list(made.namespace),
        **({"pending": True} if made.pending else {}),
        **({"also": list(made.also)} if made.also else {}),
    }


@dataclass(frozen=True)
class Object:
    """A table, source, view, index, sink or function that a pipeline has.

    Attributes:
        kind: one of the kinds of :mod:`~groundswell.sql.parsing.statements`.
        name: as it was written; found in any case of letters.
        made: the statement that made it.
        stored: what the pipeline calls it. It stays when the object is renamed. A table, source or
            sink that was dropped is not the same as the next one of its name: that one has a
            number.
        since: number of the statement that made it first: another one has another number, whatever
            it is called. Of a view that was replaced, ``made`` is a later one.
        altered: the statements that gave it other columns since, in order.
    """

    kind: str
    name: str
    made: Entry
    stored: str
    since: int
    altered: tuple[Entry, ...] = ()

    @property
    def statement(self) -> s.Statement:
        """What it is: the statement that made it, with the columns that it has now."""
        made = self.made.statement
        for each in self.altered:
            change = each.statement
            if isinstance(made, s.CreateRelation):
                made = replace(made, columns=_altered(made.columns, change))
        return made

    @property
    def text(self) -> str:
        """The statements that make it."""
        return ";\n".join(each.text for each in (self.made, *self.altered))


@dataclass(frozen=True)
class Contents:
    """What a pipeline consists of.

    Attributes:
        pipeline: the statement that made it; None: nothing was ever run there.
        objects: by name in lower case, in order of creation.
        dropped: what the pipeline called those that were given up.
        options: of the pipeline, as statements say them.
    """

    pipeline: Entry | None
    objects: Mapping[str, Object]
    dropped: frozenset[str]
    options: Mapping[str, str] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Object]:
        """The objects of these kinds, in order."""
        return [each for each in self.objects.values() if each.kind in kinds]


def fold(entries: Iterable[Entry]) -> Contents:
    """What is there after all statements."""
    pipeline: Entry | None = None
    objects: dict[str, Object] = {}
    used: set[str] = set()
    dropped: set[str] = set()
    options: Mapping[str, str] = {}
    for each in entries:
        statement = each.statement
        match statement:
            case s.CreatePipeline():
                pipeline, options = each, statement.options
            case s.AlterPipeline():
                options = _with_options(options, statement)
            case s.Create():
                kind, name = kind_of(statement), statement.name[-1]
                before = objects.pop(name.lower(), None)
                taken = {o.stored.lower() for o in objects.values()} | used
                stored = before.stored if before else free_name(name, taken)
                since = before.since if before else each.number
                objects[name.lower()] = Object(kind, name, each, stored, since)
                # sources and sinks are known by their names for ever
                if kind in (s.TABLE, s.SOURCE, s.SINK):
                    used.add(stored.lower())
                dropped.discard(stored)
            case s.Drop():
                gone = [objects.pop(name) for name in each.drops if name in objects]
                dropped.update(one.stored for one in gone)
            case s.AlterTable():
                old = objects.get(statement.name[-1].lower())
                if old is not None:
                    more = replace(old, altered=(*old.altered, each))
                    objects[statement.name[-1].lower()] = more
            case s.Rename():
                old = objects.pop(statement.name[-1].lower(), None)
                if old is not None:
                    objects[statement.to.lower()] = replace(old, name=statement.to)
            case _:
                continue
    return Contents(pipeline, objects, frozenset(dropped), options)


def _with_options(options: Mapping[str, str], change: s.AlterPipeline) -> dict[str, str]:
    """The options of a pipeline after ``ALTER PIPELINE``; a name counts in any case of letters."""
    gone = {name.lower() for name in (*change.options, *change.reset)}
    kept = {name: value for name, value in options.items() if name.lower() not in gone}
    return {**kept, **change.options}


def _altered(columns: tuple[s.Column, ...], change: s.Statement) -> tuple[s.Column, ...]:
    """The columns of a table after a statement."""
    match change:
        case s.AddColumns():
            known = {column.name.lower() for column in columns}
            new = [column for column in change.columns if column.name.lower() not in known]
            taken = {(column.stored or column.name).lower() for column in columns}
            names = [column.name for column in new]
            for column in new:
                free = free_name(column.name, taken, names)
                taken.add(free.lower())
                made = column if free == column.name else replace(column, stored=free)
                columns = (*columns, made)
            return columns
        case s.RenameColumn(_, name, to):
            return tuple(
                replace(column, name=to, stored=column.stored or column.name)
                if column.name.lower() == name.lower()
                else column
                for column in columns
            )
        case s.DropColumns():
            gone = {name.lower() for name in change.columns}
            return tuple(column for column in columns if column.name.lower() not in gone)
        case s.WidenColumn(_, name, type_):
            return tuple(
                replace(column, type=type_) if column.name.lower() == name.lower() else column
                for column in columns
            )
        case _:
            return columns


def kind_of(statement: Any) -> str:
    """What a CREATE makes."""
    match statement:
        case s.CreateRelation():
            return statement.kind
        case s.CreateView():
            return s.VIEW
        case s.CreateIndex():
            return s.INDEX
        case s.CreateFunction():
            return s.FUNCTION
        case _:
            return s.SINK
