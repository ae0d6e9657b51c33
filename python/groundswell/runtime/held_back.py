"""Views whose fills were cut off, and a start that does not wait for them.

A start fills before its first barrier. Where a fill was cut off beside the barriers, all other
views would wait for the rest of it. So the pipeline starts without that view, and with those that
need it, and gets them as a change of the running query: that fills them beside its barriers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from groundswell.runtime.declared import Declared
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning.unfilled import INDEX
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record.aside import with_readers
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.fills import FillLog
from groundswell.runtime.record.location import EPOCHS, Folder

Change = Callable[[], None]


def cut_off(home: Folder) -> list[tuple[str, ...]]:
    """What was being filled, and no epoch has; by fill.

    Args:
        home: the pipeline's folder in the checkpointLocation.
    """
    noted = [fill.key.views for fill in FillLog(home).read() if fill.done]
    there = EpochLog(home.child(EPOCHS)).newest().views if noted else {}
    return [views for views in noted if not {*views} & there.keys()]


def hold_back(declared: Declared, fills: Sequence[Collection[str]]) -> list[Change]:
    """Takes views out of a pipeline, with what reads them.

    A fill goes on only if it is of the same views as before. So each is put back by itself, and
    then what reads them.

    Args:
        declared: of a pipeline that has not started.
        fills: names of the views of each, and of indexes as :data:`INDEX` begins them.

    Returns:
        What puts them back, one after the other; none if nothing was taken out, for there is
        nothing to take out, or nothing would be left.
    """
    views, indexes = declared.views, declared.indexes
    names = {name for fill in fills for name in fill}
    held = with_readers([name for name in views if name in names], declared.reads())
    on_them = [
        name
        for name, index in indexes.items()
        if INDEX + name in names or declared.read_by(index[0]) & held.keys()
    ]
    rest = {name: view for name, view in views.items() if name not in held}
    if not (held or on_them) or not (rest or declared.kept):
        return []
    declared.views = rest
    declared.indexes = {name: index for name, index in indexes.items() if name not in on_them}
    late = [*held, *(INDEX + name for name in on_them)]
    steps = [[name for name in late if name in fill] for fill in fills]
    steps = sorted(filter(None, steps), key=lambda step: late.index(step[0]))
    steps.append([name for name in late if name not in names])
    return [
        partial(
            _put_back,
            declared,
            {name: view for name, view in views.items() if name in step},
            {name: index for name, index in indexes.items() if INDEX + name in step},
        )
        for step in filter(None, steps)
    ]


def _put_back(declared: Declared, views: Mapping[str, Any], indexes: Mapping[str, Any]) -> None:
    declared.views |= views
    declared.indexes |= indexes


def start(pipeline: Pipeline, trigger: Mapping[str, Any]) -> tuple[IncrementalQuery, list[Change]]:
    """Starts a pipeline, without the views whose fills were cut off.

    Args:
        pipeline: that has not started.
        trigger: see :meth:`Pipeline.start`; a query that ends by itself does not wait for changes,
            so it starts with all views.

    Returns:
        The query, and what it is to be changed by, one after the other.
    """
    late: list[Change] = []
    if not trigger.keys() & {"availableNow", "once"}:
        late = hold_back(pipeline.declared, cut_off(pipeline.declared.home()))
    try:
        return pipeline.start(**trigger), late
    except BaseException:
        for change in late:
            change()
        raise
