"""Which views can be recomputed within a barrier, and the two dataflows that do it. Pure.

All is told from the operators of the dataflow that follows changes, and keeps their ids and states.
Views that share a state with each other, through what reads what or through equal parts, form a
*unit*: they are recomputed together or not at all. In a barrier that computes units anew

- *the rest* takes the batch: it keeps the tables of all sources, and follows the other views;
- then *the anew* flow reads these tables as they are after the barrier, begins the states of the
  units' operators again, and replaces the rows of their views: what differs is written and told.

Operators fold what comes, so a state that took all rows of its inputs in one barrier is one that
may be followed from. Where that is not so, or the rows of an input are not kept, a unit says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from groundswell.contract.dataflow.groups import AggregateSpec
from groundswell.contract.dataflow.indexes import ArrangeSpec, LookupSpec
from groundswell.contract.dataflow.joins import JoinSpec
from groundswell.contract.dataflow.operators import OperatorSpec, StatefulSpec
from groundswell.contract.dataflow.order import FirstOfOrderSpec, FirstRowsSpec, WindowSpec
from groundswell.contract.dataflow.recursion import FixpointSpec, RecursiveReferenceSpec, ResultSpec
from groundswell.contract.dataflow.rows import AffectedKeysSpec, ConsolidateSpec, UnionSpec
from groundswell.contract.dataflow.sources import (
    KeepSpec,
    NormalizeSpec,
    SnapshotSpec,
    SourceSpec,
    WeightsSpec,
)
from groundswell.contract.dataflow.steps import StatelessSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.physical.builder import described
from groundswell.physical.source import whole_table
from groundswell.physical.watermark import is_bounded
from groundswell.plan.sources import source_state

Operators = Sequence[OperatorSpec]
_ById = Mapping[int, OperatorSpec]
_Kinds = tuple[type[OperatorSpec], ...]

FOLDING: _Kinds = (
    StatelessSpec,
    UnionSpec,
    ConsolidateSpec,
    JoinSpec,
    AggregateSpec,
    WindowSpec,
    FirstRowsSpec,
    FirstOfOrderSpec,
)
"""Operators that may begin again with all rows of their inputs."""
OF_SOURCES: _Kinds = (SourceSpec, NormalizeSpec, KeepSpec, WeightsSpec)
"""What is done to the rows of a source, whatever views read it."""
TABLES: _Kinds = (SourceSpec, NormalizeSpec)
"""Where the rows of a source are kept; what fills these is no part of a view."""
ROOTS: _Kinds = (MaterializeSpec, ArrangeSpec)
LOOKING_UP: _Kinds = (LookupSpec, AffectedKeysSpec)
RECURSIVE: _Kinds = (FixpointSpec, RecursiveReferenceSpec, ResultSpec)


@dataclass(frozen=True)
class Unit:
    """Views that are recomputed together.

    Attributes:
        views: their names, in order.
        operators: ids of what they need, down to the tables of the sources.
        sources: by id of the source: its name, of those that they read.
        tables: the states that hold the rows of their sources.
        states: the states that must be there before they can be recomputed.
        cannot: why they cannot be; empty: they can.
    """

    views: tuple[str, ...]
    operators: frozenset[int]
    sources: Mapping[str, str]
    tables: tuple[str, ...]
    states: tuple[str, ...]
    cannot: str = ""


def units(operators: Operators) -> tuple[Unit, ...]:
    """The units of a dataflow, in the order of their first views."""
    by_id = {op.id: op for op in operators}
    kept = {op.inputs[0] for op in operators if isinstance(op, KeepSpec)}
    roots = [op for op in operators if isinstance(op, ROOTS)]
    below = {root.id: _below(root, by_id, TABLES) for root in roots}
    made: list[list[OperatorSpec]] = []
    for root in roots:
        own = _stateful(below[root.id], by_id)
        joined = [root]
        for unit in [u for u in made if any(own & _stateful(below[r.id], by_id) for r in u)]:
            made.remove(unit)
            joined = [*unit, *joined]
        made.append(joined)
    return tuple(
        _unit(sorted(unit, key=lambda r: r.id), below, by_id, kept)
        for unit in sorted(made, key=lambda unit: min(r.id for r in unit))
        if any(isinstance(root, MaterializeSpec) for root in unit)
    )


def rest_of(operators: Operators, anew: Iterable[Unit]) -> tuple[OperatorSpec, ...]:
    """What takes the batch while units are recomputed: all but what only they need."""
    by_id = {op.id: op for op in operators}
    gone = {view for unit in anew for view in unit.views}
    wanted: set[int] = set()
    for op in operators:
        is_gone = isinstance(op, MaterializeSpec) and op.view in gone
        if (isinstance(op, ROOTS) and not is_gone) or isinstance(op, OF_SOURCES):
            wanted |= _below(op, by_id)
    return tuple(op for op in operators if op.id in wanted)


def anew_of(
    operators: Operators, anew: Iterable[Unit], types: Mapping[str, Any]
) -> tuple[OperatorSpec, ...]:
    """What computes units from the tables of their sources.

    Args:
        operators: of the whole dataflow.
        anew: the units; all of them can be recomputed.
        types: of the columns of the sources, by ref, as ``DataType.json`` has them.
    """
    wanted = {id_ for unit in anew for id_ in unit.operators}
    tables = _tables(operators)
    return tuple(_anew(op, types, tables) for op in operators if op.id in wanted)


def _tables(operators: Iterable[OperatorSpec]) -> dict[int, str]:
    """By id of what reads an append-only source, the state that keeps its rows."""
    return {op.inputs[0]: op.state for op in operators if isinstance(op, KeepSpec)}


def _anew(op: OperatorSpec, types: Mapping[str, Any], tables: Mapping[int, str]) -> OperatorSpec:
    """An operator that begins again; the table of a source in the place of what keeps it."""
    if isinstance(op, NormalizeSpec):
        return _snapshot(op, op.state, op.key, (), types)
    if isinstance(op, SourceSpec):
        return _snapshot(op, tables[op.id], (), op.row_id, types)
    if isinstance(op, MaterializeSpec):
        return replace(op, replace=True, anew=True)
    return replace(op, anew=True) if isinstance(op, StatefulSpec) else op


def _snapshot(
    op: OperatorSpec,
    state: str,
    key: Sequence[str],
    row_id: Sequence[str],
    types: Mapping[str, Any],
) -> SnapshotSpec:
    """Reads the table of a source in the place of what keeps it."""
    fields = [ref for ref in op.columns if ref not in row_id]
    return SnapshotSpec(
        id=op.id,
        columns=(*fields, *row_id),
        reads=state,
        parts=whole_table(len(fields), len(row_id)),
        key_types=tuple(types[ref] for ref in key) or ("long",) * len(row_id),
        row_types=tuple(types[ref] for ref in fields),
    )


def _below(root: OperatorSpec, by_id: _ById, ends: _Kinds = ()) -> frozenset[int]:
    """What a root needs, itself included; of operators of the kinds ``ends`` no inputs."""
    found: set[int] = set()
    waiting = [root.id]
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting += [] if isinstance(by_id[id_], ends) else by_id[id_].inputs
    return frozenset(found)


def _stateful(ids: Iterable[int], by_id: _ById) -> set[int]:
    """What of it makes views a unit if they share it."""
    return {i for i in ids if _keeps(by_id[i])}


def _keeps(op: OperatorSpec) -> bool:
    return isinstance(op, StatefulSpec) and not isinstance(op, OF_SOURCES)


def _unit(
    roots: Sequence[OperatorSpec],
    below: Mapping[int, frozenset[int]],
    by_id: _ById,
    kept: set[int],
) -> Unit:
    wanted = frozenset(i for root in roots for i in below[root.id])
    ops = [by_id[i] for i in sorted(wanted)]
    sources: dict[str, str] = {}
    tables, kept_in = [], _tables(by_id.values())
    for op in ops:
        if isinstance(op, OF_SOURCES):
            read = by_id[op.inputs[0]] if isinstance(op, NormalizeSpec | WeightsSpec) else op
            assert isinstance(read, SourceSpec)
            sources[read.source] = read.name
            tables.append(
                op.state
                if isinstance(op, NormalizeSpec)
                else kept_in.get(read.id) or source_state(read.name)
            )
    return Unit(
        tuple(root.view for root in roots if isinstance(root, MaterializeSpec)),
        wanted,
        sources,
        tuple(tables),
        tuple(op.state for op in ops if isinstance(op, StatefulSpec) and _keeps(op)),
        next((why for op in ops if (why := _why_not(op, kept))), ""),
    )


def _why_not(op: OperatorSpec, kept: set[int]) -> str:
    """Why what has this operator cannot be recomputed; empty: it can."""
    text = described(op) or op.KIND
    if isinstance(op, SourceSpec):
        if op.event_time or op.late:
            return f"source {op.name} has a watermark, which ends rows of it"
        return "" if op.id in kept else f"the rows of source {op.name} are not kept"
    if isinstance(op, NormalizeSpec):
        if op.watermark or op.life:
            return f"rows of source {op.source} end by a watermark or ttl"
        return ""
    if isinstance(op, MaterializeSpec):
        if op.append_only or op.anywhere:
            return f"view {op.view} keeps its rows in the order in which they came"
        return ""
    if isinstance(op, ArrangeSpec):
        return f"index {op.name} is kept of it"
    if isinstance(op, LOOKING_UP):
        return "it joins by indexes"
    if isinstance(op, RECURSIVE):
        return f"it is recursive ({text})"
    if not isinstance(op, FOLDING):
        return f"what {op.KIND.replace('_', ' ')} gives depends on when rows came ({text})"
    return f"a watermark ends state of it ({text})" if is_bounded(op) else ""
