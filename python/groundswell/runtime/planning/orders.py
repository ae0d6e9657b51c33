"""In which order the joins of a pipeline's views are: what its location says of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.errors import DefinitionChanged
from groundswell.optimizer.reorder import Ordering
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def orders_of(
    spark: SparkSession,
    location: str,
    owner: Definition | None,
    dropped: Collection[str],
    options: Mapping[str, Any],
    anew: Collection[str] = (),
    shown: bool = False,
) -> Ordering:
    """How the orders of joins are found.

    Args:
        spark: the session to read with.
        location: the pipeline's checkpointLocation.
        owner: what the location belongs to.
        dropped: names of views that were given up: they begin again if they are there.
        options: of the pipeline.
        anew: names of views that are planned again.
        shown: whether what an order costs is to be shown in any case.
    """
    search = options["joinOrder"] == "cost"
    if owner is None:
        return Ordering(search, shown=shown)
    there = {*owner.views, *owner.aside} - set(dropped)
    begun = {name: owner.orders.get(name, ()) for name in there}
    if not (search or anew or shown):
        return Ordering(search, begun=begun)
    log = EpochLog(jvm.JvmFolder.open(spark, location).child(FOLDER).child(EPOCHS))
    epochs = log.epochs()
    if not epochs:
        return Ordering(search, begun=begun, anew=anew, shown=shown)
    newest = log.get(epochs[-1])
    states = {**{name: owner.state_of(name) for name in owner.sources}, **newest.views}
    kept = {s: float(sum(entry.rows for entry in of)) for s, of in newest.commits.items()}
    sizes = {name: kept[state] for name, state in states.items() if kept.get(state)}
    return Ordering(search, sizes, begun, kept, anew, shown)


def check_forms(
    owner: Definition | None, dropped: Collection[str], options: Mapping[str, Any]
) -> None:
    """Refuses views whose states have a form that this release does not make.

    Args:
        owner: what the location belongs to.
        dropped: names of views that were given up, or begin again.
        options: of the pipeline.

    Raises:
        DefinitionChanged: there are such views, and they are not to be rebuilt.
    """
    found = [name for name in (owner.forms if owner else ()) if name not in dropped]
    if found and options["onChange"] != "rebuild":
        raise DefinitionChanged(
            f"views {', '.join(sorted(found))} began with sharing='canonical', which is gone: "
            "their joins have states of a form that this release does not make. Start once with "
            "onChange='rebuild': they are backfilled again from the tables that are kept. Or drop "
            "them and add them again"
        )
