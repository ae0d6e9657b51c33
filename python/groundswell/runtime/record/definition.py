"""What a checkpoint location belongs to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from groundswell.catalog.suspended import Suspensions
from groundswell.errors import Corruption, IllegalState
from groundswell.format.envelope import COLUMNS_VERSION, FORMAT_VERSION
from groundswell.plan.sources import source_state
from groundswell.runtime.record import aside
from groundswell.runtime.record.location import (
    DEFINITION,
    EPOCHS,
    Folder,
    owned_name,
    read_owned,
    write_document,
)
from groundswell.runtime.record.slots import slot_of

KIND = "definition"
COPYING = "copying"
"""In the place of a definition: the location is a copy that is not finished; of what."""


@dataclass(frozen=True)
class Definition:
    """The part of a pipeline that its state depends on.

    Attributes:
        views: plan text by view name, without ids that differ from run to run.
        sources: by name: mode, key and the columns that the views read; of those that are called by
            their number, the views and indexes that read them, too; whether all columns are kept,
            or else which ones a keyed source has;
            the state of the rows that are kept, if they were given another one since they have
            other columns.
        pinned: session settings that expressions depend on.
        partitions: of every state; after a rescale the last epoch says it, too.
        layouts: by the state of a view: names and types of the columns, for readers in other
            processes.
        past: names of sources that it read once and reads no more.
        aside: the views that failed and stand still.
        shown: by view: its operators in SQL's words, to tell people what has changed; nothing
            depends on it, and older releases did not write it.
        orders: by view whose joins are not in the order of its query: for each part of it whose
            joins may be in any order, outermost first, the order as nested pairs of the positions
            of its inputs, or None. It is chosen when a view begins; older releases wrote none.
        forms: by view, the form of its joins, where an older release had given them another than
            that of the query (``sharing="canonical"``). Such views have to begin anew.
        automatic: indexes that the pipeline has made by itself: of each its ``table``, ``columns``,
            what it ``keeps``, and the ``views`` that use it.
        sinks: names of all that the record of sinks has or had; older releases wrote none.
        revision: number of the last SQL statement that is in it; 0: none, or an older release.
    """

    views: Mapping[str, list[str]]
    sources: Mapping[str, Mapping[str, Any]]
    pinned: Mapping[str, Any]
    partitions: int
    layouts: Mapping[str, Any]
    past: Collection[str] = ()
    aside: Suspensions = field(default_factory=dict)
    shown: Mapping[str, list[str]] = field(default_factory=dict)
    orders: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    forms: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    automatic: Sequence[Mapping[str, Any]] = ()
    sinks: Collection[str] = ()
    revision: int = 0

    def state_of(self, source: str) -> str:
        """Name of the state that has the rows of a source, if they are kept."""
        return str(self.sources[source].get("state") or source_state(source))


def load(folder: Folder) -> Definition | None:
    """The definition that a location belongs to, or None if it is fresh."""
    document = read_owned(folder, DEFINITION, KIND)
    if document is None:
        slots = list(filter(None, map(slot_of, folder.child(EPOCHS).names())))
        if not slots:
            return None
        name = owned_name(DEFINITION, max(token for _, token in slots))
        raise Corruption(
            f"{folder.location}/{name} is missing, but epochs are there; restore the file, or "
            "start with another checkpointLocation"
        )
    if COPYING in document:
        raise IllegalState(
            f"{folder.location} is a copy of {document[COPYING]} that was not finished: wait for "
            "the copy to end; if it was broken off, delete the folder and copy again"
        )
    try:
        return Definition(
            document["views"],
            document["sources"],
            document["pinned"],
            document["partitions"],
            document["layouts"],
            tuple(document.get("past", ())),
            {name: aside.suspended_of(noted) for name, noted in document.get("aside", {}).items()},
            document.get("shown", {}),
            document.get("orders", {}),
            document.get("forms", {}),
            document.get("automatic", ()),
            tuple(document.get("sinks", ())),
            document.get("revision", 0),
        )
    except KeyError as e:
        raise Corruption(f"{folder.location}/{DEFINITION} lacks {e}; restore the file") from e


def store(folder: Folder, definition: Definition, token: int) -> None:
    """Notes what a location belongs to from now on.

    Args:
        folder: the pipeline's, in the location.
        definition: what it is.
        token: of the owner who says so.
    """
    write_document(
        folder,
        owned_name(DEFINITION, token),
        KIND,
        {
            "views": dict(definition.views),
            "sources": dict(definition.sources),
            "pinned": dict(definition.pinned),
            "partitions": definition.partitions,
            "layouts": dict(definition.layouts),
            "past": sorted(definition.past),
            "aside": {name: aside.document(one) for name, one in definition.aside.items()},
            "shown": dict(definition.shown),
            **({"orders": dict(definition.orders)} if definition.orders else {}),
            **({"forms": dict(definition.forms)} if definition.forms else {}),
            **({"automatic": list(definition.automatic)} if definition.automatic else {}),
            **({"sinks": sorted(definition.sinks)} if definition.sinks else {}),
            **({"revision": definition.revision} if definition.revision else {}),
        },
        COLUMNS_VERSION if _has_moved(definition) else FORMAT_VERSION,
    )


def _has_moved(definition: Definition) -> bool:
    """Whether a release that does not know of it would look for rows in the wrong state."""
    return any("state" in source for source in definition.sources.values())


def after(old: Definition, new: Definition) -> Definition:
    """The new definition, with what it must remember of the old one."""
    past = {*old.past, *old.sources} - new.sources.keys()
    # those of now come last: of two indexes that had a name, it is the later one's
    layouts = {state: at for state, at in old.layouts.items() if state not in new.layouts}
    # a view that is set aside has no plan now, and yet an order
    orders = {view: order for view, order in old.orders.items() if view not in new.views}
    forms = {view: form for view, form in old.forms.items() if view not in new.views}
    return replace(
        new,
        layouts={**layouts, **new.layouts},
        past=tuple(sorted(past)),
        orders={**orders, **new.orders},
        forms={**forms, **new.forms},
        sinks=tuple(sorted({*old.sinks, *new.sinks})),
    )
