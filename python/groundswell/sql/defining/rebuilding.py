"""Makes a pipeline of all its statements, as a process finds them."""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.catalog.change import Revise
from groundswell.errors import ConfigurationError
from groundswell.sql.defining.building import Build
from groundswell.sql.defining.pipeline_options import values_of
from groundswell.sql.history import log as logs
from groundswell.sql.history.ordering import in_order
from groundswell.sql.history.recorded import Recorded


def build(recorded: Recorded, entries: Sequence[logs.Entry], lease: str | None) -> Build:
    """What statements make, carried out one after the other.

    Args:
        recorded: the pipeline.
        entries: its statements.
        lease: ``ownerLease`` of this process; None: the statements say it.

    Raises:
        GroundswellError: one of them cannot be carried out.
    """
    contents = logs.fold(entries)

    def before(number: int) -> logs.Contents:
        return logs.fold(entry for entry in entries if entry.number < number)

    options = values_of(recorded.kept(contents.options), lease)
    if recorded.newest() is not None:
        options.pop("partitions", None)  # of the first start
    made = Build(recorded.spark, recorded.name, recorded.location, options, contents)
    try:
        order = in_order(contents, before)
    except ConfigurationError:  # older releases replaced only what nothing read
        order = sorted(contents.objects.values(), key=lambda each: each.since)
    for each in order:
        made.add(each, before(each.made.number))
    catalog = made.catalog
    for name in sorted(contents.dropped | recorded.views_there() - catalog.views.keys()):
        if name not in catalog.error_rows:
            made.pipeline.drop(name)
    newest = max((entry.number for entry in entries), default=0)
    made.pipeline.program.apply(Revise(newest))
    return made
