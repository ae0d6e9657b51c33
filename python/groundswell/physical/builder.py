"""Numbers operators, names their states and fuses consecutive stateless steps into one operator.

A state is named after what it holds: the operator, the digest of the plan below it
(:mod:`groundswell.plan.definition`), and the columns that are needed of that. So it is found again
whatever other views come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from groundswell.contract.dataflow.operators import OperatorSpec, SortColumn, StatefulSpec
from groundswell.contract.dataflow.steps import (
    Compute,
    ComputedColumn,
    MappedColumn,
    Select,
    StatelessSpec,
    Step,
)
from groundswell.optimizer.delta import DeltaJoin
from groundswell.plan import nodes as n
from groundswell.plan.indexes import Index
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Hidden, Stream

Place = tuple[str, frozenset[int]]
"""A part of a plan: its digest, and the positions of the columns that are needed of it."""
SCRATCH = "scratch-"
"""Begins the names of states that are only needed while a new view is filled."""


def described(op: OperatorSpec) -> str:
    """What an operator does, in words; empty if it says nothing."""
    return "; ".join(op.texts)


@dataclass(frozen=True)
class Built:
    """An operator that was added: its id and the refs it outputs, in order."""

    id: int
    columns: tuple[str, ...]


@dataclass(frozen=True)
class SourceScan:
    """A source in the dataflow, shared by all its occurrences.

    Attributes:
        refs: name -> ref, of the columns that its changes have.
        row_id: refs of the hidden row id, if its changes have one.
    """

    source: SourceTable
    built: Built
    refs: Mapping[str, str]
    row_id: tuple[str, ...]


@dataclass
class Builder:
    """What one dataflow is made of so far.

    Attributes:
        hidden: makes up columns.
        source_columns: names that any view needs of a source, by source id; its order gives tags.
        outputs: by source id, the columns of all its occurrences, by name.
        source_states: by name of a source, the state of its rows, if it was given another one.
        row_ids: ids of the append-only sources whose rows must be told apart by some view.
        scans: how a source's rows become changes, by source id.
        views: the changes of each view so far: its plan and what was built for it.
        places: how often each part of the plans is needed.
        read: names of the views that other views read.
        shared: stateful parts that several views or branches need.
        snapshots: by id of a view or source, the state to read instead of its changes; used to
            fill new views (a view and a source may have one name).
        taken: states that exist; operators of the same content get scratch states.
        indexes: the shared indexes of the pipeline, by name.
        deltas: the joins that use them, by ``id`` of their topmost stream.
        arranged: what keeps an index, by its state.
        two_stages: digests of the top-N that have a stage in each partition, too.
        digest: of the stream that is being lowered.
        part: stands for the columns that are needed of it; empty for all.
        text: the stream that is being lowered, for messages.
        named: the digest that a state was last named after.
        strict: digests of what views compute that fail on rows that they cannot digest.
        recursions: by name, the refs of their rows and what gives them.
        sealed: operators that several others read, so no step may be added to them.
    """

    hidden: Hidden
    source_columns: Mapping[str, tuple[str, ...]]
    row_ids: frozenset[str] = frozenset()
    outputs: Mapping[str, Mapping[str, n.Column]] = field(default_factory=dict)
    source_states: Mapping[str, str] = field(default_factory=dict)
    operators: list[OperatorSpec] = field(default_factory=list)
    scans: dict[str, SourceScan] = field(default_factory=dict)
    views: dict[str, tuple[Stream, Built]] = field(default_factory=dict)
    shared: dict[Place, tuple[Stream, Built]] = field(default_factory=dict)
    places: Mapping[Place, int] = field(default_factory=dict)
    read: frozenset[str] = frozenset()
    snapshots: Mapping[str, str] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    indexes: Mapping[str, Index] = field(default_factory=dict)
    deltas: Mapping[int, DeltaJoin] = field(default_factory=dict)
    arranged: dict[str, Built] = field(default_factory=dict)
    two_stages: frozenset[str] = frozenset()
    digest: str = ""
    part: str = ""
    text: str = ""
    named: str = ""
    sealed: set[int] = field(default_factory=set)
    recursions: dict[str, tuple[list[str], Built]] = field(default_factory=dict)
    strict: frozenset[str] = frozenset()
    _states: set[str] = field(default_factory=set)

    def add(self, op: OperatorSpec) -> Built:
        """Adds an operator; a state without a name is named after what it holds."""
        built = Built(len(self.operators), op.columns)
        if isinstance(op, StatefulSpec):
            texts = (self.text,) if self.text else ()
            op = replace(op, state=self._state(op.KIND, op.state), texts=texts)
        self.operators.append(replace(op, id=built.id))
        return built

    def _state(self, op: str, wanted: str) -> str:
        if not wanted:
            self.named = self.digest
        base = wanted or f"{op}-{self.digest}{self.part}"
        name, number = base, 1
        while name in self._states:
            number += 1
            name = f"{base}-{number}"
        self._states.add(name)
        return f"{SCRATCH}{name}" if name in self.taken else name

    def step(self, below: Built, step: Step, columns: Iterable[str]) -> Built:
        """Adds a stateless step on top of ``below``, fused with the step below it."""
        columns = tuple(columns)
        texts = () if isinstance(step, Select) else (self.text,)
        last = self.operators[below.id]
        fusible = below.id == len(self.operators) - 1 and below.id not in self.sealed
        if isinstance(last, StatelessSpec) and fusible:
            more = tuple(text for text in texts if text not in last.texts)
            self.operators[below.id] = replace(
                last, steps=(*last.steps, step), texts=(*last.texts, *more), columns=columns
            )
            return Built(below.id, columns)
        return self.add(
            StatelessSpec(columns=columns, inputs=(below.id,), steps=(step,), texts=texts)
        )

    def rename(self, below: Built, renames: Mapping[str, str]) -> Built:
        """Keeps exactly the columns ``to: from``, in that order."""
        if tuple(renames) == below.columns == tuple(renames.values()):
            return below
        assert set(renames.values()) <= set(below.columns), f"{renames} of {below.columns}"
        mapped = tuple(MappedColumn(to, ref) for to, ref in renames.items())
        return self.step(below, Select(mapped), renames)

    def narrow(self, below: Built, refs: Iterable[str]) -> Built:
        """Drops all columns but ``refs``; keeps the input's order."""
        wanted = set(refs)
        assert wanted <= set(below.columns), f"{sorted(wanted)} of {below.columns}"
        return self.rename(below, {ref: ref for ref in below.columns if ref in wanted})

    def compute(
        self,
        below: Built,
        exprs: Sequence[n.Expression],
        when: Mapping[str, n.Expression] | None = None,
    ) -> tuple[Built, tuple[str, ...]]:
        """Makes every expression a column; returns the refs of the values.

        ``when``: by id of an expression, for which rows it is evaluated; for others it is null.
        """
        when = when or {}
        refs: list[str] = []
        added: list[ComputedColumn] = []
        known: dict[str, str] = {}
        for expr in exprs:
            if expr.column is not None:
                refs.append(expr.column)
                continue
            if expr.id not in known:
                only = when.get(expr.id)
                column = self.hidden.new("_expr", expr.type, expr.nullable or only is not None)
                known[expr.id] = column.ref
                added.append(ComputedColumn(column.ref, expr.id, only.id if only else None))
            refs.append(known[expr.id])
        if added:
            columns = below.columns + tuple(a.ref for a in added)
            below = self.step(below, Compute(tuple(added)), columns)
        return below, tuple(refs)


def sort_columns(refs: Iterable[str], order: Iterable[n.SortKey]) -> tuple[SortColumn, ...]:
    """An order, by the refs of its expressions."""
    return tuple(
        SortColumn(ref, ascending=key.ascending, nulls_first=key.nulls_first)
        for ref, key in zip(refs, order, strict=True)
    )
