"""Which views of rows set aside a start begins with, and which it cannot go on with. Pure."""

from __future__ import annotations

from groundswell.physical.lower import Dataflow
from groundswell.plan.definition import diverts
from groundswell.plan.divert import SUFFIX, expects
from groundswell.plan.sources import Mode
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochManifest


def without_rows(planned: PlannedViews, dataflow: Dataflow, last: EpochManifest) -> set[str]:
    """Views of rows set aside by views that are there and failed on such rows so far.

    The last epoch tells, not the definition: a barrier that failed had another one.
    """
    return {
        name
        for name, of in planned.diverted.items()
        if name not in last.views
        and dataflow.views[of] in last.commits
        and not expects(planned.streams[name].node)  # its rows are in the view, and did not fail
    }


def incomplete(
    planned: PlannedViews, owner: Definition, wanted: Definition, last: EpochManifest
) -> set[str]:
    """Views that are to fail on rows from now on, but set rows aside in the last epoch.

    Those that the definition has as they are wanted were begun again since.
    """
    found: set[str] = set()
    for name in planned.streams:
        aside = name + SUFFIX
        diverted = aside in last.views and aside not in planned.streams
        if aside in owner.views and not diverts(owner.views[aside]):
            diverted = False  # what expectations set aside is not a part of the view's states
        begun_again = owner.views.get(name) == wanted.views[name]
        below = {table.name for table in planned.inputs(name) if table.mode is Mode.VIEW}
        if (diverted and not begun_again) or below & found:
            found.add(name)
    return found
