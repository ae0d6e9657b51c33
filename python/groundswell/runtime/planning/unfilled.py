"""Which views must be filled before the next barrier, and from what. Pure decisions.

A view is ready if every state that feeds it is in the last epoch. One that is not, because it is
new or is another query now, is computed once from what the last epoch holds: the rows of the views,
tables and keyed sources that it reads. What another append-only source has delivered is nowhere any
more, so a view over one can only be added together with the source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from groundswell.catalog.parts import Kept, Table
from groundswell.contract.dataflow.clock import ExpireSpec, WindowCloseSpec
from groundswell.contract.dataflow.indexes import ArrangeSpec, LookupSpec
from groundswell.contract.dataflow.joins import TemporalJoinSpec
from groundswell.contract.dataflow.operators import OperatorSpec, StatefulSpec
from groundswell.contract.dataflow.rows import StoredResultsSpec
from groundswell.contract.dataflow.sources import KeepSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.errors import DefinitionChanged
from groundswell.physical.builder import SCRATCH, described
from groundswell.physical.watermark import is_bounded
from groundswell.plan.sources import Mode, SourceTable, source_state
from groundswell.runtime.record.definition import Definition


@dataclass(frozen=True)
class Filling:
    """What to compute before the next barrier.

    Attributes:
        views: in order; a view comes after those that it reads.
        snapshots: by id of a view or source, the state to read.
    """

    views: tuple[str, ...]
    snapshots: Mapping[str, str]


def unread_tables(
    read: Collection[str], tables: Mapping[str, Table], owner: Definition | None
) -> list[DataFrame]:
    """Tables to materialize though no view reads them now.

    Args:
        read: names of the tables that views read.
        tables: those of the pipeline, by name.
        owner: what the location belongs to.
    """
    begun = owner.sources if owner is not None else {}
    return [
        table.frame
        for name, table in tables.items()
        if name not in read
        and (table.kept is Kept.ALWAYS or (table.kept is Kept.ONCE_READ and name in begun))
    ]


INDEX = "index "
"""Begins what an index is called among the views to fill."""


def usable(
    operators: Sequence[OperatorSpec], there: Collection[str], incomplete: Collection[str]
) -> set[str]:
    """The states of the last epoch without those that only incomplete views have.

    Args:
        operators: of the whole dataflow.
        there: names of the states of the last epoch.
        incomplete: names of the views whose states lack rows.
    """
    needed: set[int] = set()
    lacking: set[str] = set()
    for op in reversed(operators):
        complete = isinstance(op, MaterializeSpec) and op.view not in incomplete
        if complete or isinstance(op, ArrangeSpec | KeepSpec) or op.id in needed:
            needed.update(op.inputs)
        elif isinstance(op, StatefulSpec):
            lacking.add(op.state)
    return set(there) - lacking


def unfilled(
    operators: Sequence[OperatorSpec],
    there: Collection[str],
    empty: Collection[str] = (),
) -> list[str]:
    """Names of the views that some state is missing for, and of the indexes that are missing.

    A view that is there does not depend on the indexes that it is kept with.

    Args:
        operators: of the whole dataflow.
        there: names of the states of the last epoch.
        empty: names of the views that would have no rows in it: they lack nothing but their own.
    """
    missing: dict[int, bool] = {}
    views: list[str] = []
    for op in operators:
        if isinstance(
            op, KeepSpec
        ):  # of a table that is new: it starts with the views that read it
            continue
        below = op.inputs[:1] if isinstance(op, LookupSpec) else op.inputs
        lacks = isinstance(op, StatefulSpec) and op.state not in there
        if isinstance(op, ArrangeSpec):
            missing[op.id] = any(missing[i] for i in below)
            if lacks:
                views.append(INDEX + op.name)
            continue
        if isinstance(op, MaterializeSpec) and op.view in empty:
            lacks = False
        missing[op.id] = lacks or any(missing[i] for i in below)
        if isinstance(op, MaterializeSpec) and missing[op.id]:
            views.append(op.view)
    return views


def shown(
    before: Mapping[str, str], wanted: Mapping[str, str], there: Collection[str]
) -> dict[str, str]:
    """The views that the last epoch has to show from another state than it did, with that state.

    A view that got its earlier query back has nothing to fill: the state of that query is there.

    Args:
        before: state by view, as the last epoch shows them.
        wanted: state by view of the definition to come.
        there: names of the states of the last epoch.
    """
    return {v: s for v, s in wanted.items() if s in there and before.get(v) != s}


def plan_filling(
    views: Sequence[str],
    inputs: Mapping[str, Iterable[SourceTable]],
    states: Mapping[str, str],
    known: Mapping[str, Collection[str]],
    needed: Mapping[str, Collection[str]],
    gone: Collection[str] = (),
    kept: Mapping[str, str] | None = None,
    diverted: Mapping[str, str] | None = None,
    committed: Collection[str] = (),
) -> Filling:
    """Decides what each of ``views`` is filled from.

    Args:
        views: what is unfilled.
        inputs: the sources and views that each of them reads.
        states: state by name of each view that is there, or has no rows and so no state yet.
        known: the columns that were read so far of each source, by name.
        needed: the columns that views need now.
        gone: names of sources that no view has read for a while, so that what they delivered before
            is nowhere any more.
        kept: by name of a source, the state of its rows, if it was given another one.
        diverted: by view of rows that failed, the view in which they failed: people know that one.
        committed: names of the states of the last epoch. A source that keeps its rows, and has none
            there, was not read yet: it was told of after that epoch.

    Raises:
        DefinitionChanged: if a view reads what is not kept.
    """
    snapshots: dict[str, str] = {}
    problems: list[str] = []
    for view in views:
        what = view if view.startswith(INDEX) else f"view {(diverted or {}).get(view, view)}"
        for table in inputs[view]:
            if table.mode is Mode.VIEW:
                if table.name not in views:
                    snapshots[table.id] = states[table.name]
                continue
            if table.name in gone:
                problems.append(
                    f"{what} cannot be filled: the rows of {table.name} were given up with the "
                    "last view that read it (add a new view before the old one is dropped, or give "
                    "a stream that can be read from its beginning another name)"
                )
                continue
            state = (kept or {}).get(table.name) or source_state(table.name)
            if table.name not in known or (table.keeps_rows and state not in committed):
                continue  # it starts with the view
            if reason := _not_kept(table, known[table.name], needed.get(table.name, ())):
                problems.append(f"{what} cannot be filled: {reason}")
            else:
                snapshots[table.id] = state
    if problems:
        raise DefinitionChanged(
            "\n".join(dict.fromkeys(problems))
            + "\nStart with another checkpointLocation to read it from its "
            "beginning, or build the view on views that this pipeline has."
        )
    return Filling(tuple(views), snapshots)


def check_shared_streams(
    known: Mapping[str, Mapping[str, Any]],
    wanted: Mapping[str, Mapping[str, Any]],
    shared: Collection[str],
) -> None:
    """Refuses a source whose stream others have read before: it would begin without its rows.

    Args:
        known: sources of the definition that is there, by name.
        wanted: those of the definition to come.
        shared: names of the streams that several sources may read.

    Raises:
        DefinitionChanged: with the source, and the ones that it shares the stream with.
    """
    for name in sorted(wanted.keys() - known.keys()):
        streams = {*wanted[name].get("streams", ())} & {*shared}
        others = [other for other in sorted(known) if streams & {*known[other].get("streams", ())}]
        if others:
            raise DefinitionChanged(
                f"no view has read {name} so far, and its stream, which it shares with "
                f"{', '.join(others)}, has passed its earlier rows. Read {name} as a stream of "
                "its own (another name=), or start with another checkpointLocation"
            )


PART_ROWS = 200_000
"""About so many rows are filled at a time."""
MOST_PARTS = 256


def parts_of(rows: int) -> int:
    """In how many parts so many rows are filled."""
    return min(MOST_PARTS, max(1, -(-rows // PART_ROWS)))


def may_run_beside(fill: Sequence[OperatorSpec]) -> bool:
    """Whether a filling may take an older epoch's rows, and then what changed.

    It must come to what the newest epoch's rows alone would give. Not so what depends on when rows
    came, and what watermarks have ended.

    Args:
        fill: the operators that fill views.
    """
    return not any(isinstance(op, HISTORIC) or is_bounded(op) for op in fill)


HISTORIC = (ExpireSpec, StoredResultsSpec, TemporalJoinSpec, WindowCloseSpec)
"""Operators whose rows depend on when their input came."""
_UNLIKE = (ExpireSpec, StoredResultsSpec, TemporalJoinSpec)
"""Those of which a fill leaves another state than the barriers did.

Rows that wait for their window are the same: a fill passes the watermark on, too.
"""


def shared_history(fill: Sequence[OperatorSpec], operators: Sequence[OperatorSpec]) -> list[str]:
    """What the operators of a filling have in common with what is there and has a history.

    Args:
        fill: the operators that fill views; those of which the state is there have another one.
        operators: of the whole dataflow.
    """
    states = (op.state for op in fill if isinstance(op, StatefulSpec))
    shared = {state.removeprefix(SCRATCH) for state in states if state.startswith(SCRATCH)}
    return [
        f"{op.KIND.replace('_', ' ')}, whose rows depend on when they came "
        f"({described(op) or op.state})"
        for op in operators
        if isinstance(op, _UNLIKE) and op.state in shared
    ]


def check_history(views: Sequence[str], shared: Sequence[str]) -> None:
    """Refuses views that are filled as of today, but would go on from what another view has seen.

    Args:
        views: what is filled.
        shared: see :func:`shared_history`.

    Raises:
        DefinitionChanged: with what they share.
    """
    if shared:
        raise DefinitionChanged(
            f"{', '.join(views)} cannot be filled: a view that is there has the same {shared[0]}. "
            "Build on that view, pipeline.read(name), or start with another checkpointLocation"
        )


def _not_kept(table: SourceTable, known: Collection[str], needed: Collection[str]) -> str:
    if not table.keeps_rows:
        return (
            f"source {table.name} has been read by this pipeline, and its rows are not kept "
            "(only tables are, but for those with keep=False, and sources with a key)"
        )
    new = sorted(set(needed) - set(known))
    if new:
        return f"of source {table.name} the columns {', '.join(new)} were not kept"
    return ""
