"""Plans views with the indexes that a pipeline makes by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from groundswell.columns import by_name
from groundswell.optimizer.automatic import Automatic, automatic
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.record.definition import Definition

Indexed = Mapping[str, tuple[DataFrame, Sequence[str]]]
"""By name of the index what is indexed, and the names of the index columns."""


def with_automatic(
    plan: Callable[[Indexed], PlannedViews],
    asked: Indexed,
    owner: Definition | None,
    dropped: Collection[str],
    options: Mapping[str, Any],
    anew: Collection[str] = (),
) -> PlannedViews:
    """The plan of views, with indexes that nobody has asked for where they keep less.

    Args:
        plan: plans the views, with these indexes.
        asked: indexes that were asked for.
        owner: what the location belongs to.
        dropped: names of views that were given up: they begin again if they are there.
        options: of the pipeline.
        anew: names of views that are planned again.
    """
    planned, again = plan(asked), {*dropped, *anew}
    noted = _noted(owner, again, planned)
    search = options["indexes"] == "auto" and options["joins"] != "hash"
    there = owner.views.keys() - again if owner is not None else set()
    begin = [
        name
        for name in planned.streams
        if name not in there and name not in {*planned.diverted, *planned.diverted.values()}
    ]
    there_are = planned.indexes.values()
    found = automatic(planned.streams, begin, there_are, noted) if search and begin else []
    views = tuple(begin) if search else ()
    made = {
        each.name: each
        for each in [
            *(replace(each, views=(*each.views, *views)) for each in noted),
            *(replace(each, views=views) for each in found),
        ]
        if each.name not in planned.indexes
    }
    while made:
        tables = {table.name: table for table in planned.tables.values()}
        frames: dict[str, tuple[DataFrame, Sequence[str]]] = {}
        for name, each in made.items():
            whole = planned.capture.placeholder(tables[each.table].id)
            frames[name] = whole.select(*map(by_name, each.keeps)), each.columns
        tried = replace(plan({**asked, **frames}), automatic=made)
        used = tried.using()
        if used.keys() == made.keys():
            return replace(tried, automatic=used)
        made = {name: each for name, each in made.items() if name in used}
    return planned


def _noted(
    owner: Definition | None, again: Collection[str], planned: PlannedViews
) -> list[Automatic]:
    """Those that views which are there use."""
    names = {table.name for table in planned.tables.values()}
    found = []
    for noted in owner.automatic if owner is not None else ():
        made = Automatic.of(noted)
        views = tuple(v for v in made.views if v in planned.streams and v not in again)
        if views and made.table in names:
            found.append(replace(made, views=views))
    return found
