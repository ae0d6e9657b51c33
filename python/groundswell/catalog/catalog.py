"""The catalog of a pipeline, and what each change makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pyspark.sql import DataFrame

from groundswell import config
from groundswell.catalog import change as c
from groundswell.catalog.names import check_name, check_new, is_of_rows, named_like_rows
from groundswell.catalog.parts import Index, Kept, Table
from groundswell.catalog.suspended import Suspensions, first_of, resumed, with_readers
from groundswell.catalog.view import SET_ASIDE, View
from groundswell.errors import ConfigurationError
from groundswell.plan.divert import SUFFIX
from groundswell.sinks.registry import SinkSpec

Part = TypeVar("Part")


@dataclass(frozen=True)
class Catalog:
    """All that a pipeline is.

    Attributes:
        options: see :data:`groundswell.config.OPTIONS`; all of them, with values.
        views: by name; a view comes after those that it reads.
        tables: tables and sources, by name.
        indexes: by name.
        sinks: by name.
        suspended: the views that failed and are suspended; the program may lack some of them.
        dropped: names of views that were given up: the location may have them still.
        replanned: names of views that may get another plan than the location's.
        replaced: names of views that may be other queries than the location's.
        revision: number of the last statement of a log that it has; 0: it is of no log.
    """

    options: Mapping[str, Any]
    views: Mapping[str, View] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    indexes: Mapping[str, Index] = field(default_factory=dict)
    sinks: Mapping[str, SinkSpec] = field(default_factory=dict)
    suspended: Suspensions = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    replanned: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    revision: int = 0

    def apply(self, *changes: c.Change) -> Catalog:
        """The catalog after some changes, in order.

        Raises:
            ConfigurationError, SourceError: one of them cannot be; there is nothing to undo.
        """
        made = self
        for change in changes:
            made = _applied(made, change)
        return made

    def begun(self) -> Catalog:
        """The catalog once a run has it: the location says by now what its views are."""
        tables = {
            name: replace(table, noted=True, drops=False) for name, table in self.tables.items()
        }
        return replace(self, replanned=frozenset(), replaced=frozenset(), tables=tables)

    def located(self, suspended: Suspensions) -> Catalog:
        """The catalog in a location of which views are suspended; what was dropped is not."""
        still = {name: one for name, one in suspended.items() if name not in self.dropped}
        return replace(self, suspended=still)

    def giving_up(self, tried: Catalog) -> Catalog:
        """This catalog, after a start with another one has failed: the location may know that."""
        added = tried.views.keys() - self.views.keys()
        dropped = self.dropped | {made for name in added for made in _both(name)}
        tables = {
            name: replace(table, noted=False, drops=True)
            if table.spec is not None and tried.tables[name].spec != table.spec
            else table
            for name, table in self.tables.items()
            if name in tried.tables
        }
        return replace(
            self,
            dropped=dropped,
            replaced=self.replaced | tried.replaced,
            tables={**self.tables, **tables},
        )

    @property
    def error_rows(self) -> dict[str, str]:
        """By name of a view of rows that failed, the view in which they failed."""
        return {name + SUFFIX: name for name, view in self.views.items() if view.has_error_rows}

    def need_view(self, name: str, who: str = "") -> None:
        """Refuse a name that no view has; views of rows that failed count.

        Args:
            name: of the view.
            who: begins the message: who asks for it.

        Raises:
            ConfigurationError: with the names that there are.
        """
        there = (*self.views, *self.error_rows)
        if name not in there:
            known = ", ".join(there) or "none"
            raise ConfigurationError(f"{who}the pipeline has no view {name!r}; it has {known}")

    def need_no_view(self, name: str) -> None:
        """Refuse a name that cannot be a new view's.

        Raises:
            ConfigurationError: it is no name, or a view has it; views of rows that failed count.
        """
        check_new("view", name, self.views)
        self._need_not_of_rows(f"view {name}", name)

    def need_no_table(self, name: str, kind: str = "table") -> None:
        """Refuse a name that cannot be a new table's or source's. A view may have it, too.

        Raises:
            ConfigurationError: it is no name, a table has it, or it is of rows that a view diverts.
        """
        check_new(kind, name, self.tables)
        self._need_not_of_rows(f"{kind} {name}", name)

    def _need_not_of_rows(self, what: str, name: str) -> None:
        for view in self.error_rows.values():
            if is_of_rows(name, view):
                raise named_like_rows(what, view, "it")

    def need_rows_apart(self, name: str, view: View) -> None:
        """Refuse a view that sets rows aside under a name that something has.

        Raises:
            ConfigurationError: with both names.
        """
        tables = {n: "source" if t.spec is None else "table" for n, t in self.tables.items()}
        for other, kind in (*tables.items(), *((each, "view") for each in self.views)):
            if view.has_error_rows and is_of_rows(other, name):
                raise named_like_rows(f"{kind} {other}", name, "the view")

    def need_replaceable(self, name: str) -> None:
        """Refuse the name of no view that could be replaced.

        Raises:
            ConfigurationError: with the names that there are.
        """
        if name not in self.views:
            known = ", ".join(self.views) or "none"
            raise ConfigurationError(
                f"the pipeline has no view {name!r} to replace; it has {known}"
            )

    @property
    def reads(self) -> dict[str, frozenset[str]]:
        """By view, in order, the views that it reads itself."""
        return {name: view.reads for name, view in self.views.items()}

    def readers_of(self, view: str) -> list[str]:
        """What reads a view itself: views by name, then indexes and sinks, each with its kind."""
        return [
            *(name for name, read in self.reads.items() if view in read and name != view),
            *(f"index {name}" for name, index in self.indexes.items() if view in index.reads),
            *(f"sink {sink.name}" for sink in self.sinks.values() if sink.view == view),
        ]

    def needed_by(self, names: Iterable[str]) -> dict[str, View]:
        """Views by name, and those that they read, in order."""
        found: set[str] = set()
        new = set(names)
        while new:
            found |= new
            new = {below for name in new for below in self.views[name].reads} - found
        return {name: view for name, view in self.views.items() if name in found}

    @property
    def going(self) -> dict[str, View]:
        """The views that are not suspended."""
        return {name: view for name, view in self.views.items() if name not in self.suspended}

    @property
    def sinks_of(self) -> dict[str, list[str]]:
        """By view that has some, the names of its sinks."""
        found: dict[str, list[str]] = {}
        for sink in self.sinks.values():
            found.setdefault(sink.view, []).append(sink.name)
        return found

    def earlier(self, read: frozenset[str] | None = None) -> tuple[dict[str, str], list[DataFrame]]:
        """The tables that queries read as they were before their columns changed.

        Args:
            read: the keys of what the queries read; None: they are all that go.

        Returns:
            By key of a placeholder of theirs, the key of the one that counts; and their frames.
        """
        if read is None:
            views = (each.sources for each in self.going.values())
            indexes = (each.sources for each in self.indexes.values())
            read = frozenset[str]().union(*views, *indexes)
        tables = [table for table in self.tables.values() if table.earlier & read]
        keys = {key: table.source for table in tables for key in table.earlier}
        return keys, [table.frame for table in tables]

    @property
    def policies(self) -> dict[str, str]:
        """By view that is not suspended, the policy, if the user gave one."""
        return {name: view.policy for name, view in self.going.items() if view.policy is not None}

    @property
    def can_run(self) -> bool:
        """Whether there is a view, or a table that is always kept."""
        return bool(self.views) or any(t.kept is Kept.ALWAYS for t in self.tables.values())

    def check_goes(self) -> None:
        """Refuse a catalog of which nothing can run.

        Raises:
            ConfigurationError: there is no view; all are suspended; or one reads a suspended one.
        """
        if not self.can_run:
            raise ConfigurationError("the pipeline has no view; add one with view(name, df)")
        for name, because in with_readers(self.suspended, self.reads).items():
            if name not in self.suspended:
                why = self.suspended[because].text(because)
                raise ConfigurationError(f"view {name} cannot run: {why}")
        if self.views and not self.going:
            raise ConfigurationError(
                "every view of the pipeline is set aside, and one has to go on: "
                + "; ".join(one.text(name) for name, one in self.suspended.items())
            )

    def failed(self, views: Iterable[str]) -> list[str]:
        """Of views that share what failed, the first ones; error rows count as their view."""
        names = (name if name in self.views else name.removesuffix(SUFFIX) for name in views)
        return first_of(names, self.reads)

    def outlives(self, views: Iterable[str]) -> bool:
        """Whether the pipeline goes on when these views fail: all of them are to be suspended."""
        failed = self.failed(views)
        return bool(failed) and all(self.views[n].on_failure == SET_ASIDE for n in failed)

    @property
    def suspends(self) -> bool:
        """Whether some view is suspended when it fails."""
        return any(view.on_failure == SET_ASIDE for view in self.views.values())

    def __str__(self) -> str:
        return ", ".join(self.views) or "no view yet"


def _applied(old: Catalog, change: c.Change) -> Catalog:
    match change:
        case c.AddView(name, view):
            return _with_view(old, name, view)
        case c.ReplaceView(name, view):
            return _with_other_view(old, name, view)
        case c.DropView(name):
            return _without_view(old, name)
        case c.PutTable(name, table):
            before = old.tables.get(name)
            if before is None:
                old.need_no_table(name, "source" if table.spec is None else "table")
            made = table if before is None else table.after(before)
            return replace(old, tables={**old.tables, name: made})
        case c.DropTable(name):
            return replace(old, tables=_without(old.tables, name))
        case c.AddIndex(name, index):
            check_new(
                "index", name, old.indexes, "; give one another name with index(..., name=...)"
            )
            return replace(old, indexes={**old.indexes, name: index})
        case c.DropIndex(name):
            return replace(old, indexes=_gone("index", old.indexes, name))
        case c.AddSink(sink):
            check_new("sink", sink.name, old.sinks)
            old.need_view(sink.view, f"sink {sink.name}: ")
            return replace(old, sinks={**old.sinks, sink.name: sink})
        case c.DropSink(name):
            return replace(old, sinks=_gone("sink", old.sinks, name))
        case c.Suspend(views):
            return replace(old, suspended={**old.suspended, **views})
        case c.Resume(name):
            old.need_view(name)
            return replace(old, suspended=resumed(old.suspended, name))
        case c.Replan(views):
            return replace(old, replanned=old.replanned | views)
        case c.SetOption(key, value):
            return replace(old, options={**old.options, **config.checked(key, value)})
        case c.Revise(number):
            return replace(old, revision=number)


def _with_view(old: Catalog, name: str, view: View) -> Catalog:
    old.need_no_view(name)
    old.need_rows_apart(name, view)
    for read in sorted(view.reads - old.views.keys()):
        old.need_view(read, f"view {name}: ")
    views = {**old.views, name: view}
    return replace(old, views=views, dropped=old.dropped.difference(_both(name)))


def _with_other_view(old: Catalog, name: str, view: View) -> Catalog:
    old.need_replaceable(name)
    old.need_rows_apart(name, view)
    for read in sorted(view.reads - old.views.keys()):
        old.need_view(read, f"view {name}: ")
    circle = [read for read in sorted(view.reads) if name in old.needed_by([read])]
    if circle:
        raise ConfigurationError(
            f"view {name!r} cannot read {circle[0]!r}, which reads {name!r} itself"
        )
    views = _in_order({**old.views, name: view})
    one = old.suspended.get(name)
    own = one is not None and one.because == name
    suspended = resumed(old.suspended, name) if own else old.suspended
    return replace(old, views=views, suspended=suspended, replaced=old.replaced | {name})


def _in_order(views: Mapping[str, View]) -> dict[str, View]:
    """The same views, each after those that it reads; else as they were."""
    made: dict[str, View] = {}

    def put(name: str) -> None:
        if name not in made:
            for below in views:
                if below in views[name].reads:
                    put(below)
            made[name] = views[name]

    for name in views:
        put(name)
    return made


def _without_view(old: Catalog, name: str) -> Catalog:
    check_name("view", name)
    dropped = old.dropped.union(_both(name))
    if name not in old.views:
        return replace(old, dropped=dropped)
    if readers := old.readers_of(name):
        raise ConfigurationError(f"view {name!r} is read by {', '.join(readers)}: drop them first")
    views = _without(old.views, name)
    suspended = {n: one for n, one in old.suspended.items() if n not in _both(name)}
    return replace(old, views=views, suspended=suspended, dropped=dropped)


def _both(view: str) -> tuple[str, str]:
    """A view's name, and that of the view of its rows that failed."""
    return view, view + SUFFIX


def _without(parts: Mapping[str, Part], name: str) -> dict[str, Part]:
    return {key: part for key, part in parts.items() if key != name}


def _gone(what: str, parts: Mapping[str, Part], name: str) -> dict[str, Part]:
    if name not in parts:
        known = ", ".join(parts) or "none"
        raise ConfigurationError(f"the pipeline has no {what} {name!r}; it has {known}")
    return _without(parts, name)
