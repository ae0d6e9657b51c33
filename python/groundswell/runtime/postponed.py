"""Views whose fills were cut off, and a start that does not wait for them.

A start fills before its first barrier. Where a fill was cut off beside the barriers, all other
views would wait for the rest of it. So the pipeline starts without that view, and with those that
need it, and gets them as changes of the running query: that fills them beside its barriers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from groundswell.catalog.catalog import Catalog
from groundswell.catalog.change import AddIndex, AddView, Change
from groundswell.catalog.suspended import with_readers
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning.unfilled import INDEX
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.fills import BackfillLog
from groundswell.runtime.record.location import EPOCHS, Folder


def cut_off(home: Folder) -> list[tuple[str, ...]]:
    """What was being filled, and no epoch has; by fill.

    Args:
        home: the pipeline's folder in the checkpointLocation.
    """
    noted = [fill.key.views for fill in BackfillLog(home).read() if fill.done]
    there = EpochLog(home.child(EPOCHS)).newest().views if noted else {}
    return [views for views in noted if not {*views} & there.keys()]


def postpone(
    catalog: Catalog, fills: Sequence[Collection[str]]
) -> tuple[Catalog, list[tuple[Change, ...]]]:
    """Take views out of a catalog, with what reads them.

    A fill goes on only if it is of the same views as before. So each is put back by itself, and
    then what reads them.

    Args:
        catalog: of a pipeline that has not started.
        fills: names of the views of each, and of indexes as :data:`INDEX` begins them.

    Returns:
        The catalog without them, and what puts them back, one after the other. There is nothing
        of the latter if nothing is to be taken out, or nothing would be left.
    """
    names = {name for fill in fills for name in fill}
    held = with_readers([name for name in catalog.views if name in names], catalog.reads)
    on_them = [
        name
        for name, index in catalog.indexes.items()
        if INDEX + name in names or index.reads & held.keys()
    ]
    views = {name: view for name, view in catalog.views.items() if name not in held}
    indexes = {name: index for name, index in catalog.indexes.items() if name not in on_them}
    rest = replace(catalog, views=views, indexes=indexes)
    if not (held or on_them) or not rest.can_run:
        return catalog, []
    late: dict[str, Change] = {name: AddView(name, catalog.views[name]) for name in held}
    late |= {INDEX + name: AddIndex(name, catalog.indexes[name]) for name in on_them}
    order = list(late)
    steps = [[name for name in late if name in fill] for fill in fills]
    steps = sorted(filter(None, steps), key=lambda step: order.index(step[0]))
    steps.append([name for name in late if name not in names])
    changes = [tuple(late[name] for name in step) for step in steps if step]
    return rest, changes


def start(
    pipeline: Pipeline, trigger: Mapping[str, Any], takeover: bool = False
) -> tuple[IncrementalQuery, list[tuple[Change, ...]]]:
    """Starts a pipeline, without the views whose fills were cut off.

    Args:
        pipeline: that has not started.
        trigger: see :meth:`Pipeline.start`; a query that ends by itself does not wait for changes,
            so it starts with all views.
        takeover: see :meth:`Pipeline.start`.

    Returns:
        The query, and what it is to be changed by, one after the other.
    """
    program, whole = pipeline.program, pipeline.program.catalog
    late: list[tuple[Change, ...]] = []
    if not trigger.keys() & {"availableNow", "once"}:
        program.catalog, late = postpone(whole, cut_off(program.home()))
    try:
        return pipeline.start(takeover=takeover, **trigger), late
    except BaseException:
        program.catalog = whole
        raise
