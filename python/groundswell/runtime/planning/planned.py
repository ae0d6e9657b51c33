"""From captured queries to planned views and their dataflow: all that comes before the start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from groundswell.catalog.view import View
from groundswell.errors import ConfigurationError, NotIncremental
from groundswell.jvm import Capture, jvm_id
from groundswell.optimizer.automatic import Automatic
from groundswell.optimizer.delta import DeltaJoin
from groundswell.optimizer.delta_planner import Choices, delta_joins, equi_joins
from groundswell.optimizer.reorder import Choice, Ordering, expected, reorder
from groundswell.optimizer.rules import is_on
from groundswell.optimizer.stages import told, two_stages
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan import capture, explain
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.indexes import Index, Statistics
from groundswell.plan.nodes import Constant, Node, Placeholder
from groundswell.plan.recursion import expanded, is_recursive
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Hidden, Stream, derive, scans
from groundswell.runtime.planning.deriving import (
    DerivedViews,
    check_columns,
    is_free,
    later_columns,
    narrowed_roots,
    whole_leaves,
)
from groundswell.runtime.planning.functions import codes
from groundswell.runtime.planning.recursions import captured_loops, recursions_in
from groundswell.runtime.planning.sources import fields_of, resolve
from groundswell.runtime.planning.unfilled import INDEX
from groundswell.runtime.record.watermarks import WatermarkRules

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


LATER = "it has the columns that it began with, without "
"""Begins the note of a view of all columns whose source has got others."""


@dataclass(frozen=True)
class PlannedViews:
    """Views that can be kept together under one barrier.

    Attributes:
        capture: the queries, in the order of the streams.
        streams: their plans, by view name.
        notes: what was left out on purpose, by view name.
        tables: all their sources, and the views they read, by id.
        indexes: by name.
        joins: the option of that name.
        statistics: of the indexes that are there already, by name.
        states: what the newest epoch has.
        kept_views: names of the views that it has.
        partitions: of every state.
        diverted: by the name of the view that has the rows which another sets aside, the other.
        unread: the tables that are kept though no view reads them.
        orders: by view, what was chosen of the order of its joins.
        ordering: how it was chosen.
    """

    capture: Capture
    streams: Mapping[str, Stream]
    notes: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, SourceTable]
    hidden: Hidden
    pinned: Mapping[str, Any]
    indexes: Mapping[str, Index] = field(default_factory=dict)
    joins: str = "auto"
    automatic: Mapping[str, Automatic] = field(default_factory=dict)
    statistics: Mapping[str, Statistics] = field(default_factory=dict)
    states: frozenset[str] = frozenset()
    kept_views: frozenset[str] = frozenset()
    partitions: int = 0
    diverted: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[Stream, ...] = ()
    orders: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    ordering: Ordering = field(default_factory=Ordering)
    _made: dict[Any, Dataflow] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def roots(self) -> list[Stream]:
        """All that reads sources: views, indexes, and the tables that are kept without."""
        indexes = (index.root for index in self.indexes.values())
        return [*self.streams.values(), *indexes, *self.unread]

    @property
    def source_types(self) -> dict[str, Any]:
        """The types of the columns of sources and views, by ref."""
        found = [scan for root in self.roots for scan in scans(root)]
        return {c.ref: c.type for scan in found for c in scan.node.output}

    def deltas(self, view: str) -> dict[int, DeltaJoin]:
        """The joins of a view that use indexes, by ``id`` of their stream.

        Raises:
            ConfigurationError: if all were to, and one cannot.
        """
        found = self._choices(view).deltas
        if self.joins == "delta":
            root = self.streams[view]
            covered = {
                id(s) for top in equi_joins(root) if id(top) in found for s in equi_joins(top)
            }
            for stream in equi_joins(root):
                if id(stream) not in covered:
                    raise ConfigurationError(
                        f"view {view}: {explain.describe(stream)} cannot be a delta join: each of "
                        "its inputs must be a table or view below filters and projections, with an "
                        "index on columns that it is joined by; add them with pipeline.index(...) "
                        'or CREATE INDEX, or set joins="auto"'
                    )
        return found

    def reasons(self, view: str) -> list[str]:
        """Why its joins use indexes, or do not."""
        return list(self._choices(view).reasons.values())

    def _choices(self, view: str) -> Choices:
        if self.joins == "hash" or not is_on("indexes"):
            return Choices({}, {})
        if view in {**self.diverted, **dict.fromkeys(self.diverted.values())}:
            why = "rows of it that fail are told from others above joins that keep both sides"
            return Choices({}, {id(top): why for top in equi_joins(self.streams[view])})
        kept = view in self.kept_views
        return delta_joins(
            self.streams[view],
            self._indexes_for(view),
            self.statistics,
            always=self.joins == "delta",
            has_state=lambda join: not kept or self._has_state(f"join-{digest(join)}"),
        )

    def _indexes_for(self, view: str) -> Mapping[str, Index]:
        """Those that were asked for, and those that were made for it."""
        return {
            name: index
            for name, index in self.indexes.items()
            if name not in self.automatic or view in self.automatic[name].views
        }

    def using(self) -> dict[str, Automatic]:
        """The indexes that were made without being asked for, with the views that do use them."""
        users: dict[str, list[str]] = {}
        for view in self.streams if self.automatic else ():
            for join in self.deltas(view).values():
                for index in join.indexes:
                    users.setdefault(index, []).append(view)
        return {
            name: replace(made, views=tuple(dict.fromkeys(users[name])))
            for name, made in self.automatic.items()
            if name in users
        }

    def _has_state(self, name: str) -> bool:
        return any(state == name or state.startswith(f"{name}-") for state in self.states)

    def _deltas(self, views: Iterable[str]) -> dict[int, DeltaJoin]:
        return {top: join for view in views for top, join in self.deltas(view).items()}

    def dataflow(
        self,
        changelogs: Iterable[str] = (),
        columns: Mapping[str, Iterable[str]] | None = None,
        kept: Mapping[str, str] | None = None,
    ) -> Dataflow:
        """What the JVM runs; the same again if it is asked for again.

        Args:
            changelogs: names of the views whose changes a sink takes.
            columns: by source name, columns to read even if no view needs them.
            kept: by source name, the state of its rows, if it has been given another one.
        """
        wanted = {name: tuple(names) for name, names in (columns or {}).items()}
        key = frozenset(changelogs), tuple(wanted.items()), tuple((kept or {}).items())
        if key not in self._made:
            self._made[key] = lower(
                self.streams,
                self.hidden,
                key[0],
                wanted,
                indexes=self.indexes,
                deltas=self._deltas(self.streams),
                unread=self.unread,
                two_stages=two_stages(self.streams.values(), self.states, self.partitions),
                source_states=kept,
            )
        return self._made[key]

    def filling(
        self,
        views: Iterable[str],
        columns: Mapping[str, Iterable[str]],
        snapshots: Mapping[str, str],
        taken: Iterable[str],
    ) -> Dataflow:
        """What fills views and indexes from the states of views and sources; see ``lower``."""
        views = list(views)
        streams = {name: self.streams[name] for name in views if not name.startswith(INDEX)}
        return lower(
            streams,
            self.hidden,
            (),
            columns,
            snapshots,
            taken,
            self.indexes,
            self._deltas(streams),
            [name.removeprefix(INDEX) for name in views if name.startswith(INDEX)],
            two_stages=two_stages(self.streams.values(), self.states, self.partitions),
        )

    def inputs(self, view: str) -> tuple[SourceTable, ...]:
        """The sources and views that a view, or an index, reads itself.

        Late rows are an append-only source of their own, which nobody keeps.
        """
        if view.startswith(INDEX):
            root = self.indexes[view.removeprefix(INDEX)].root
        else:
            root = self.streams[view]
        found: dict[tuple[str, bool], SourceTable] = {}
        for scan in scans(root):
            assert scan.source is not None
            late = isinstance(scan.node, Placeholder) and scan.node.use == "late"
            table = replace(scan.source, key=(), kept=False) if late else scan.source
            found[table.id, late] = table
        return tuple(found.values())

    def visible_key(self, view: str) -> tuple[str, ...]:
        """The columns that identify a row of a view; empty if some of them are hidden."""
        stream = self.streams[view]
        names = {c.ref: c.name for c in stream.node.output}
        key = tuple(names.get(ref, "") for ref in stream.key or ())
        return key if all(key) else ()

    def cleaning(self) -> list[str]:
        """Names of the sources that delete or move what has been read."""
        described = self.capture.description.sources
        return [self.tables[s.key].name for s in described if s.cleans]

    def recursive(self) -> list[str]:
        """Names of the views that have a recursion."""
        return [name for name, stream in self.streams.items() if is_recursive(stream.node)]

    def watermarks(self, idle_seconds: int | None) -> WatermarkRules:
        """How the watermarks of the sources move."""
        delays = {t.name: t.delay_millis for t in self.tables.values() if t.event_time is not None}
        return WatermarkRules(delays, None if idle_seconds is None else idle_seconds * 1000)

    def explain(self, *, cost: bool = False, only: str | None = None) -> str:
        """All views as trees, with their delta joins, and the indexes with who shares them.

        Args:
            cost: also the orders of joins that were considered, and what they cost.
            only: the one view that is to be shown, with the indexes that it uses.
        """
        users: dict[str, list[str]] = {name: [] for name in self.indexes}
        texts = {}
        for name, stream in self.streams.items():
            deltas, reasons = self.deltas(name), self._choices(name).reasons
            joins = list(equi_joins(stream))
            looked_up = {id(s) for top in joins if id(top) in deltas for s in equi_joins(top)}
            text = explain.tree(name, stream, self.notes[name], looked_up)
            for top in joins:
                if id(top) in deltas:
                    join = deltas[id(top)]
                    text += f"\nDelta join for {explain.describe(top)}: {reasons[id(top)]}"
                    text += "".join(f"\n  {line}" for line in join.text())
                    for index in join.indexes:
                        users[index] += [name] if name not in users[index] else []
                elif id(top) in reasons:
                    text += f"\nHash joins for {explain.describe(top)}: {reasons[id(top)]}"
            text += "".join(f"\n{line}" for line in told(stream, self.states, self.partitions))
            if cost:
                text += "".join(f"\n{line}" for line in self._costs(name))
            texts[name] = text
        if only is not None:
            texts = {only: texts[only]}
        indexes = [
            f"Index {name} on {index.table} by ({', '.join(index.columns)})  "
            f"state: {index.state}  used by: {', '.join(users[name]) or 'no view'}"
            f"{'  made by itself: several joins need it' if name in self.automatic else ''}"
            for name, index in self.indexes.items()
            if only is None or only in users[name]
        ]
        decoding = self.capture.description.decoding if only is None else ()
        return "\n\n".join(filter(None, [*texts.values(), *indexes, "\n".join(decoding)]))

    def _costs(self, view: str) -> Iterator[str]:
        for choice in self.orders.get(view, ()):
            yield from choice.lines()
        root = self.streams[view]
        sizes, kept = self.ordering.sizes or {}, self.ordering.kept or {}
        rows = expected(root.node, self.tables, sizes)
        for join in equi_joins(root):
            if id(join.node) in rows:
                state = f"join-{digest(join)}"
                there = [n for name, n in kept.items() if f"{name}-".startswith(f"{state}-")]
                real = f"{sum(there):,.0f} are there" if there else "it has none yet"
                yield (
                    f"{explain.describe(join)} ({state}): "
                    f"~{rows[id(join.node)]:,.0f} rows expected, {real}"
                )


def plan_views(
    views: Mapping[str, View],
    indexes: Mapping[str, tuple[DataFrame, Sequence[str]]] | None = None,
    joins: str = "auto",
    unread: Sequence[DataFrame] = (),
    ordering: Ordering | None = None,
    begun: Mapping[str, Sequence[str]] | None = None,
    earlier: Mapping[str, str] | None = None,
    keep_columns: bool = True,
) -> PlannedViews:
    """Plans views together; raises NotIncremental with everything that stands in the way.

    Args:
        views: by name; a view comes after those that it reads.
        indexes: by name: what is indexed, and the names of the index columns.
        joins: the option of that name.
        unread: tables to keep though no view reads them.
        ordering: how the orders of joins are found; default: they stay as written.
        begun: the definitions of the views that are there, by name.
        earlier: by key of a placeholder that a table had before its columns changed, the key of
            the one that it has now, which is among ``unread``.
        keep_columns: whether a view of all columns keeps those that it began with.
    """
    indexes = indexes or {}
    frames, recursions = recursions_in([view.frame for view in views.values()])
    others = [*(frame for frame, _ in indexes.values()), *unread]
    captured = Capture([*frames, *others, *(each.derivations for each in recursions)])
    read = capture.read(captured.description, codes(captured.description))
    read = tuple(replace(q, root=q.root and meant(q.root, earlier or {})) for q in read)
    queries = dict(zip(views, read[: len(views)], strict=True))
    indexed = dict(zip(indexes, read[len(frames) :], strict=False))
    refusals = [refusal for query in read for refusal in query.refusals]
    if refusals:
        raise NotIncremental(refusals)
    loops = captured_loops(recursions, read[len(frames) + len(others) :])
    keys = {*(earlier or ()), *(key for each in loops for key in (each.result, each.feedback))}
    sources = tuple(s for s in captured.description.sources if s.key not in keys)
    captured.description = replace(captured.description, sources=sources, nodes=())
    tables = resolve(jvm_id(captured.spark), sources)
    roots: dict[str, n.Node] = {}
    orders: dict[str, tuple[Choice, ...]] = {}
    for name, query in queries.items():
        assert query.root is not None
        _check_columns(name, [c.name for c in query.output])
        roots[name] = _with_owner(expanded(query.root, loops), name)
        if is_free(views[name]) and not is_recursive(roots[name]):
            roots[name], orders[name] = reorder(name, roots[name], tables, ordering or Ordering())
    arranged = {
        name: (expanded(q.root, loops), indexes[name][1]) for name, q in indexed.items() if q.root
    }
    planned = DerivedViews.of(views, tables, roots, arranged)
    whole = whole_leaves(roots.values(), tables)
    narrow, unread_columns = narrowed_roots(planned, roots, begun or {}, keep_columns)
    if narrow:
        roots |= narrow
        planned = DerivedViews.of(views, tables, roots, arranged)
    notes = {name: query.notes for name, query in queries.items()}
    columns = {each.key: [f["name"] for f in fields_of(each)] for each in sources}
    for name in roots.keys() - unread_columns:
        if later := later_columns(planned.streams[name], columns):
            notes[name] += (f"{LATER}{later}: replace the view to take it in",)
    hidden, streams, diverted = planned.hidden, planned.streams, planned.diverted
    check_columns(planned)
    return PlannedViews(
        captured,
        streams,
        {**dict.fromkeys(diverted, ()), **notes},
        tables,
        hidden,
        captured.description.pinned,
        planned.indexes,
        joins,
        diverted=diverted,
        unread=tuple(
            derive(root, tables, hidden, streams)
            for root in [
                *(q.root for q in read[len(frames) + len(indexes) : len(frames) + len(others)]),
                *(whole if narrow else ()),
            ]
            if root is not None
        ),
        orders=orders,
        ordering=ordering or Ordering(),
    )


def meant(node: Node, earlier: Mapping[str, str]) -> Node:
    """The plan with each source under the key that it has now."""
    children = tuple(meant(child, earlier) for child in node.children)
    if isinstance(node, Placeholder) and node.source in earlier:
        return replace(node, source=earlier[node.source])
    return replace(node, children=children) if children != node.children else node


def _with_owner(node: Node, view: str) -> Node:
    """Rows of the query itself are told from others by the view that has them."""
    if isinstance(node, Constant):
        return replace(node, view=view)
    return replace(node, children=tuple(_with_owner(child, view) for child in node.children))


def _check_columns(view: str, names: list[str]) -> None:
    doubles = sorted({n for n in names if [m.lower() for m in names].count(n.lower()) > 1})
    if doubles:
        raise ConfigurationError(
            f"view {view or 'of this query'} has several columns named {', '.join(doubles)}; "
            "give each its own name with alias(...)"
        )
