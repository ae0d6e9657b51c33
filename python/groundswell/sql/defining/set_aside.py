"""Names of the rows that a view sets aside: they fail in it, or do not meet its expectations."""

from __future__ import annotations

from dataclasses import replace

from groundswell.catalog.catalog import Catalog
from groundswell.catalog.names import is_of_rows, named_like_rows
from groundswell.plan.divert import SUFFIX
from groundswell.sql.history.log import Contents, Entry, Object
from groundswell.sql.parsing import statements as s

_READ = (s.TABLE, s.SOURCE, s.VIEW)  # what a query finds by its name


def readable(contents: Contents, name: str) -> tuple[Object | None, bool]:
    """What a query finds by a name, and whether it is the rows that a view would set aside."""
    if (found := contents.objects.get(name.lower())) is not None:
        return found, False
    view = contents.objects.get(name.lower().removesuffix(SUFFIX))
    if view is None or view.kind != s.VIEW or not name.lower().endswith(SUFFIX):
        return None, False
    return replace(view, name=view.name + SUFFIX, stored=view.stored + SUFFIX), True


def check_names_apart(pipeline: str, entry: Entry, contents: Contents, catalog: Catalog) -> None:
    """Refuse a statement after which something has the name of rows that a view sets aside.

    Args:
        pipeline: its name, for the message.
        entry: the statement; what was there before it stays as it is.
        contents: of the pipeline after the statement.
        catalog: with the views that set rows aside.

    Raises:
        ConfigurationError: with both names.
    """
    match entry.statement:
        case s.Create() as statement:
            new = contents.objects.get(statement.name[-1].lower())
        case s.Rename(to=to):
            new = contents.objects.get(to.lower())
        case _:
            return
    if new is None or new.kind not in _READ:
        return
    for view in contents.of(s.VIEW):
        if view.stored not in catalog.error_rows.values():
            continue
        for other in contents.of(*_READ):
            if new in (view, other) and _is_called(other, view):
                was = "" if other.stored == other.name else f" (made as {other.stored})"
                what = f"pipeline {pipeline}: {other.kind} {other.name}{was}"
                raise named_like_rows(what, view.name, "it" if new is other else "the view")


def _is_called(other: Object, view: Object) -> bool:
    return is_of_rows(other.name, view.name) or is_of_rows(other.stored, view.stored)
