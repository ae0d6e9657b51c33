"""Walks planned streams and makes the dataflow of a pipeline."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.contract.dataflow.indexes import ArrangeSpec
from groundswell.contract.dataflow.operators import HiddenColumn, OperatorSpec, StatefulSpec
from groundswell.contract.dataflow.sources import ConstantSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.optimizer.delta import DeltaJoin
from groundswell.physical import (
    aggregate,
    constant,
    delta,
    divert,
    generate,
    join,
    materialize,
    recursion,
    source,
    stateless,
    temporal,
    top_n,
    union,
    watermark,
    window,
)
from groundswell.physical.builder import Builder, Built, Place
from groundswell.physical.prune import pruned
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.explain import describe
from groundswell.plan.indexes import Index
from groundswell.plan.required import required_of_inputs, source_columns, view_columns
from groundswell.plan.sources import Mode
from groundswell.plan.stream import Hidden, Stream, scans, sources_of


@dataclass(frozen=True)
class Dataflow:
    """What one pipeline runs.

    Attributes:
        operators: in topological order, as the JVM takes them.
        hidden: the columns that the planner made up, by ref.
        sources: the struct that each source must deliver: source id -> column names; the order of
            the sources is that of their tags.
    """

    operators: tuple[OperatorSpec, ...]
    hidden: Mapping[str, n.Column]
    sources: Mapping[str, tuple[str, ...]]

    def spec(
        self,
        root: str,
        partitions: int,
        begun: Collection[str] = (),
        tasks: int = 0,
        states: str = "",
    ) -> DataflowSpec:
        """The message for the JVM.

        Args:
            root: the pipeline's folder.
            partitions: of every state.
            begun: the states that have a folder already.
            tasks: how many a stage may have, for it runs beside another dataflow; 0: it does not.
            states: what the states' folder is in, if they had another number of partitions before;
                default: ``root``.
        """
        return DataflowSpec(
            root=root,
            states=states or root,
            rescaled=states not in ("", root),
            partitions=partitions,
            tasks=tasks,
            refs={ref: HiddenColumn(c.name, c.type, c.nullable) for ref, c in self.hidden.items()},
            operators=tuple(
                replace(op, anew=True) if isinstance(op, StatefulSpec) and op.state in begun else op
                for op in self.operators
            ),
        )

    @property
    def states(self) -> tuple[str, ...]:
        """Names of all states."""
        return tuple(op.state for op in self.operators if isinstance(op, StatefulSpec))

    @property
    def has_constants(self) -> bool:
        """Whether some rows come from the queries themselves."""
        return any(isinstance(op, ConstantSpec) for op in self.operators)

    @property
    def indexes(self) -> dict[str, str]:
        """The state of each index."""
        return {op.name: op.state for op in self.operators if isinstance(op, ArrangeSpec)}

    @property
    def views(self) -> dict[str, str]:
        """The state of each view."""
        return {op.view: op.state for op in self.operators if isinstance(op, MaterializeSpec)}


def lower(
    views: Mapping[str, Stream],
    hidden: Hidden,
    changelogs: Iterable[str],
    columns: Mapping[str, Iterable[str]] | None = None,
    snapshots: Mapping[str, str] | None = None,
    taken: Iterable[str] = (),
    indexes: Mapping[str, Index] | None = None,
    deltas: Mapping[int, DeltaJoin] | None = None,
    kept: Iterable[str] | None = None,
    unread: Collection[Stream] = (),
    two_stages: frozenset[str] = frozenset(),
    source_states: Mapping[str, str] | None = None,
) -> Dataflow:
    """Lowers all views of a pipeline; sources and equal stateful parts are shared between them.

    Args:
        views: planned streams by view name; a view comes after those that it reads.
        hidden: the factory that planned them.
        changelogs: names of the views whose changes a sink takes.
        columns: by source name, columns to read even if no view needs them.
        snapshots: by id of a view or source, the state to read in place of its changes.
        taken: states that exist and must be left alone.
        indexes: shared indexes by name.
        deltas: the joins that look them up, by ``id`` of their topmost stream.
        kept: names of the indexes to keep even if no join needs them; default: all.
        unread: tables to keep though no view reads them.
        two_stages: digests of the top-N that have a stage in each partition, too.
        source_states: by name of a source, the state of its rows, if it was given another one.
    """
    wanted = set(changelogs)
    indexes = indexes or {}
    roots = [*views.values(), *(index.root for index in indexes.values()), *unread]
    builder = Builder(
        hidden,
        source_columns(roots, columns),
        _row_ids(roots),
        outputs=_outputs(roots),
        source_states=source_states or {},
        snapshots=snapshots or {},
        taken=frozenset(taken),
        places=_places(views.values()),
        read=frozenset(
            s.source.name
            for stream in roots
            for s in scans(stream)
            if s.source is not None and s.view is not None
        ),
        indexes=indexes,
        deltas=deltas or {},
        two_stages=two_stages,
        strict=_strict(views.values()),
    )
    for name, stream in views.items():
        built = _build(builder, stream, view_columns(stream))
        materialize.lower(builder, name, stream, built, name in wanted)
    for name in indexes if kept is None else kept:
        delta.arrange(builder, indexes[name])
    for table in (s for stream in unread for s in scans(stream)):
        source.read(builder, table)
    tables = {s.id: s for stream in roots for s in sources_of(stream)}
    fields = {
        source: names + tables[source].hidden for source, names in builder.source_columns.items()
    }
    return Dataflow(pruned(builder.operators), {c.ref: c for c in hidden.columns}, fields)


def lower_tables(
    hidden: Hidden, tables: Iterable[tuple[Stream, Sequence[str], str, str]]
) -> Dataflow:
    """Writes the rows of tables into other states, as queries over them say.

    Args:
        hidden: the factory that planned them.
        tables: of each the query, the columns that its rows have, the state that they are in, and
            the one that they get.
    """
    operators: list[OperatorSpec] = []
    for stream, names, reads, state in tables:
        (source,) = sources_of(stream)
        builder = Builder(
            hidden,
            {source.id: tuple(names)},
            _row_ids([stream]),
            outputs=_outputs([stream]),
            operators=operators,
            snapshots={source.id: reads},
        )
        wanted = view_columns(stream)
        below = builder.narrow(_build(builder, stream, wanted), wanted)
        fields = tuple(c.ref for c in stream.node.output)
        materialize.lower_table(builder, source, below, stream.key or (), fields, state)
    return Dataflow(pruned(operators), {c.ref: c for c in hidden.columns}, {})


def _build(builder: Builder, stream: Stream, required: frozenset[str]) -> Built:
    """Builds a stream, or takes what was built for an equal one that keeps state."""
    place = _place(stream, required)
    if builder.places.get(place, 0) < 2:
        return _lower(builder, stream, required)
    if place in builder.shared:
        twin, built = builder.shared[place]
        pairs = zip(stream.columns, twin.columns, strict=True)
        to = {given.ref: own.ref for own, given in pairs}
        # in the order that the stream itself would give: it is that of the states above
        return builder.rename(built, {to[ref]: ref for ref in built.columns if ref in to})
    built = _lower(builder, stream, required)
    if builder.named == digest(stream):
        builder.shared[place] = (stream, built)
        builder.sealed.add(built.id)
    return built


def _place(stream: Stream, required: frozenset[str]) -> Place:
    """Equal places hold equal rows; a constant is only equal to itself, whatever its text."""
    positions = frozenset(_positions(stream, required))
    return " ".join([digest(stream), *map(str, _constants(stream))]), positions


def _positions(stream: Stream, required: frozenset[str]) -> list[int]:
    return [i for i, c in enumerate(stream.columns) if c.ref in required]


def _part(stream: Stream, required: frozenset[str]) -> str:
    """Two states of one plan of which other columns are needed hold other rows."""
    needed = _positions(stream, required)
    if len(needed) == len(stream.columns):
        return ""
    return "-" + hashlib.sha256(str(needed).encode()).hexdigest()[:8]


def _constants(stream: Stream) -> list[int]:
    own = [stream.node.id] if isinstance(stream.node, n.Constant) else []
    return own + [found for below in stream.inputs for found in _constants(below)]


def _places(views: Iterable[Stream]) -> Counter[Place]:
    """How often each part is needed; what is below equal parts counts as often."""
    found: Counter[Place] = Counter()

    def visit(stream: Stream, required: frozenset[str]) -> None:
        if stream.inputs:
            found[_place(stream, required)] += 1
        if isinstance(stream.node, n.Aggregate) and not aggregate.is_plain(stream):
            groups = aggregate.groups(stream)
            found[_place(groups, _all(groups))] += 1
        for below, refs in zip(stream.inputs, required_of_inputs(stream, required), strict=True):
            visit(below, refs)

    for view in views:
        visit(view, view_columns(view))
    return found


def _lower(builder: Builder, stream: Stream, required: frozenset[str]) -> Built:
    if id(stream) in builder.deltas:
        built = delta.lower(builder, stream, builder.deltas[id(stream)], required, _build)
        builder.named = digest(stream)  # it has no state, and yet is worth sharing
        return built
    if isinstance(stream.node, n.Aggregate) and not aggregate.is_plain(stream):
        groups = aggregate.groups(stream)
        built = _build(builder, groups, _all(groups))
        builder.text = describe(stream)
        return aggregate.lower_results(builder, stream, divert.good_groups(builder, stream, built))
    if isinstance(stream.node, n.Recursion):
        built = recursion.lower(builder, stream, _build)
        builder.named = digest(stream)
        return built
    needs = required_of_inputs(stream, required)
    inputs = tuple(
        _build(builder, below, refs) for below, refs in zip(stream.inputs, needs, strict=True)
    )
    builder.digest, builder.text = digest(stream), describe(stream)
    builder.part = _part(stream, required)
    inputs = divert.good(builder, stream, inputs)
    match stream.node:
        case n.Placeholder():
            return source.lower(builder, stream, required)
        case n.Feedback():
            return recursion.lower_feedback(builder, stream)
        case n.Project():
            return stateless.lower_project(builder, stream, *inputs)
        case n.Filter():
            return stateless.lower_filter(builder, stream, *inputs)
        case n.Expect():
            return stateless.lower_expect(builder, stream, *inputs)
        case n.Present():
            return stateless.lower_present(builder, stream, *inputs)
        case n.Failures():
            return divert.lower(builder, stream, *inputs)
        case n.Evaluate():
            return stateless.lower_evaluate(builder, stream, *inputs)
        case n.Expand():
            return stateless.lower_expand(builder, stream, *inputs)
        case n.Constant():
            return constant.lower(builder, stream, required)
        case n.Generate():
            return generate.lower(builder, stream, inputs[0], required)
        case n.Join():
            return join.lower(builder, stream, inputs, required)
        case n.TemporalJoin():
            return join.lower_temporal(builder, stream, inputs, required)
        case n.Aggregate():
            return aggregate.lower(builder, stream, *inputs)
        case n.Union():
            return union.lower(builder, stream, inputs)
        case n.Window():
            return window.lower(builder, stream, inputs[0], required)
        case n.Temporal():
            return temporal.lower(builder, stream, inputs[0], required)
        case n.Expire():
            return temporal.lower_expire(builder, stream, inputs[0], required)
        case n.WindowClose():
            return watermark.lower(builder, stream, inputs[0], required)
        case n.TopN():
            return top_n.lower(builder, stream, inputs[0], required)
        case _:
            raise AssertionError(type(stream.node).__name__)


def _strict(views: Iterable[Stream]) -> frozenset[str]:
    """What operators compute that divert no rows, if any other does."""
    found = [s for view in views for s in _below(view)]
    if not any(s.node.divert for s in found):
        return frozenset()
    return frozenset(digest(s) for s in found if not s.node.divert)


def _below(stream: Stream) -> Iterator[Stream]:
    yield stream
    if isinstance(stream.node, n.Aggregate) and not aggregate.is_plain(stream):
        yield aggregate.groups(stream)
    for below in stream.inputs:
        yield from _below(below)


def _all(stream: Stream) -> frozenset[str]:
    return frozenset(c.ref for c in stream.columns)


def _outputs(streams: Iterable[Stream]) -> dict[str, dict[str, n.Column]]:
    """By source, the columns of all its occurrences, by name.

    A view may read a table as it was before it got columns.
    """
    found: dict[str, dict[str, n.Column]] = {}
    for scan in (s for stream in streams for s in scans(stream)):
        assert scan.source is not None
        columns = found.setdefault(scan.source.id, {})
        for column in scan.node.output:
            if column.name in scan.source.hidden or scan.source.has(column.name, column.type):
                columns.setdefault(column.name, column)
    return found


def _row_ids(streams: Iterable[Stream]) -> frozenset[str]:
    """Append-only sources of which some occurrence has a row id."""
    return frozenset(
        s.source.id
        for stream in streams
        for s in scans(stream)
        if s.source and s.source.mode is Mode.APPEND and s.hidden
    )
