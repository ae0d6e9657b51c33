"""Changelog kind, stream key and hidden columns of every operator, bottom-up.

Keys are only derived where somebody needs them: a view, a top-N and a join need the key of their
input, an aggregate does not (it counts rows as a multiset). So an append-only source gets row ids
only where they matter.

======================  ==========================================================
operator                stream key
======================  ==========================================================
append-only source      hidden (``_row_epoch``, ``_row_position``)
keyed source            its key
Filter, Failures, TopN, the input's; of ``row_number() <= 1`` over append-only rows, the
Window, Temporal,       columns of PARTITION BY
Expire
Project, Evaluate       the input's, mapped; key columns it drops are carried hidden
Expand                  the input's + a hidden branch number
Constant                hidden ``_row_number``; none if it has one row
Generate                the input's and the position
Aggregate               its grouping; none (one row) for a global aggregate
inner Join              left key + right key; only the left key if the right side is joined by
                        its whole key (a left row then has at most one partner), and mirrored
left outer Join         the same, not mirrored; the right key is null beside unmatched rows
full outer Join         left key + right key + hidden ``_side``
temporal Join           as an inner or left outer one
semi, anti, existence   the left key
Recursion, Feedback     all columns, but for a ranked one; of a bag and within it a level, too
Union all               hidden branch number + all key columns of all branches
======================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from groundswell.errors import NotIncremental
from groundswell.plan import nodes as n
from groundswell.plan.sources import UNREAD, Mode, SourceTable


class Kind(Enum):
    """What kinds of changes an operator emits."""

    APPEND_ONLY = "append-only"
    RETRACT = "retract"


@dataclass(frozen=True)
class Branch:
    """How one input of a union is brought to the union's columns: ``to`` -> input ref or None."""

    tag: int | None
    columns: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class Stream:
    """A node with what planning derived.

    Attributes:
        columns: all it outputs, hidden columns last.
        key: refs of its stream key; ``()`` for a single row, None where nobody needs a key.
        branches: for a union, one per input; for a view that is read, one: its columns.
        view: what the view that is read is.
    """

    node: n.Node
    inputs: tuple[Stream, ...]
    columns: tuple[n.Column, ...]
    key: tuple[str, ...] | None
    kind: Kind
    source: SourceTable | None = None
    branches: tuple[Branch, ...] = ()
    view: Stream | None = None

    @property
    def hidden(self) -> tuple[n.Column, ...]:
        """The columns that the query itself does not have."""
        visible = {c.ref for c in self.node.output}
        return tuple(c for c in self.columns if c.ref not in visible)

    @property
    def input(self) -> Stream:
        """The only input."""
        (only,) = self.inputs
        return only


def scans(stream: Stream) -> Iterator[Stream]:
    """All occurrences of sources and of other views below ``stream``, left to right."""
    if stream.source is not None:
        yield stream
    for below in stream.inputs:
        yield from scans(below)


def sources_of(stream: Stream) -> tuple[SourceTable, ...]:
    """The sources below ``stream``, each once; other views are none."""
    found = {
        s.source.id: s.source for s in scans(stream) if s.source is not None and s.view is None
    }
    return tuple(found.values())


class Hidden:
    """Makes up hidden columns: ``h0``, ``h1``, ..."""

    def __init__(self) -> None:
        self.columns: list[n.Column] = []

    def new(self, name: str, data_type: n.DataTypeJson, nullable: bool) -> n.Column:
        """Makes up one more."""
        column = n.Column(f"h{len(self.columns)}", name, data_type, nullable)
        self.columns.append(column)
        return column

    def optional(self, ref: str) -> n.Column | None:
        """Lets a hidden column be null; None if it is a column of the query."""
        for i, column in enumerate(self.columns):
            if column.ref == ref:
                self.columns[i] = replace(column, nullable=True)
                return self.columns[i]
        return None


def derive(
    root: n.Node,
    sources: Mapping[str, SourceTable],
    hidden: Hidden,
    views: Mapping[str, Stream] | None = None,
) -> Stream:
    """Derives the stream of a view's root, which must have a key.

    Args:
        root: the view's top operator.
        sources: by id.
        hidden: makes up columns.
        views: the views that it may read, by name.
    """
    return _Deriver(sources, hidden, views or {}).stream(root, True)


def remembers(node: n.Evaluate, below: Stream) -> bool:
    """Whether values must be kept, since their rows may be taken back."""
    return node.remembered and below.kind is not Kind.APPEND_ONLY


class _Deriver:
    def __init__(
        self,
        sources: Mapping[str, SourceTable],
        hidden: Hidden,
        views: Mapping[str, Stream],
    ) -> None:
        self.sources = sources
        self.hidden = hidden
        self.views = views

    def stream(self, node: n.Node, keyed: bool) -> Stream:
        match node:
            case n.Placeholder():
                return self._source(node, keyed)
            case n.Project():
                return self._mapped(node, node.exprs, self.stream(node.child, keyed))
            case n.Constant():
                return self._constant(node, keyed)
            case n.Generate():
                return self._generate(node, self.stream(node.child, keyed))
            case n.Expect():
                below = self.stream(node.child, keyed)
                return Stream(node, (below,), node.output + below.hidden, below.key, below.kind)
            case n.Filter() | n.Evaluate():
                below = self.stream(node.child, keyed)
                if isinstance(node, n.Evaluate) and remembers(node, below) and not keyed:
                    below = self.stream(node.child, True)
                key = _read(node, below) if isinstance(node, n.Filter) else below.key
                return Stream(node, (below,), node.output + below.hidden, key, below.kind)
            case n.Join():
                return self._join(node, *(self.stream(child, True) for child in node.children))
            case n.TemporalJoin():
                return self._temporal_join(
                    node, *(self.stream(child, True) for child in node.children)
                )
            case n.Aggregate():
                return self._aggregate(
                    node, self.stream(node.child, node.session is not None), keyed
                )
            case n.Union():
                return self._union(node, [self.stream(c, keyed) for c in node.children], keyed)
            case n.Recursion():
                return self._recursion(node, (self.stream(node.child, False),), node.output)
            case n.Feedback():
                return self._recursion(node, (), node.output[:-1])
            case n.Expand():
                return self._expand(node, self.stream(node.child, keyed))
            case n.Window():
                below = self.stream(node.child, True)
                key = below.key
                if keeps_first_rows(node, below) and node.limit == ("row_number", 1):
                    key = _columns(node.partition) or key
                return Stream(node, (below,), node.output + below.hidden, key, Kind.RETRACT)
            case n.Failures():
                below = self.stream(node.child, True)
                assert below.key is not None
                carried = tuple(c for c in below.columns if c.ref in below.key)
                return Stream(node, (below,), node.output + carried, below.key, below.kind)
            case n.Temporal():
                below = self.stream(node.child, True)
                kind = below.kind if node.begins else Kind.RETRACT
                return Stream(node, (below,), node.output + below.hidden, below.key, kind)
            case n.TopN():
                below = self.stream(node.child, True)
                return Stream(node, (below,), node.output + below.hidden, below.key, Kind.RETRACT)
            case _:
                raise AssertionError(f"capture let {type(node).__name__} through")

    def _source(self, node: n.Placeholder, keyed: bool) -> Stream:
        source = self.sources[node.source]
        if source.mode is Mode.VIEW:
            return self._view(node, source, keyed)
        if source.mode is Mode.APPEND:
            if not keyed:
                return Stream(node, (), node.output, None, Kind.APPEND_ONLY, source)
            row_id = (
                self.hidden.new("_row_epoch", "long", False),
                self.hidden.new("_row_position", "long", False),
            )
            return Stream(
                node,
                (),
                node.output + row_id,
                tuple(c.ref for c in row_id),
                Kind.APPEND_ONLY,
                source,
            )
        if not source.key and keyed:
            raise NotIncremental(
                [
                    (
                        f"changelog source {source.name!r}",
                        "without a key its rows cannot be told apart, so it can only feed "
                        "aggregates; give gs.changelog(df, key=...)",
                    )
                ]
            )
        refs = {c.name: c.ref for c in node.output}
        key = tuple(refs[name] for name in source.key) if source.key else None
        return Stream(node, (), node.output, key, Kind.RETRACT, source)

    def _constant(self, node: n.Constant, keyed: bool) -> Stream:
        number = (
            (self.hidden.new("_row_number", "long", False),) if keyed and not node.single else ()
        )
        key = tuple(c.ref for c in number) if keyed else None
        return Stream(node, (), node.output + number, key, Kind.APPEND_ONLY)

    def _generate(self, node: n.Generate, below: Stream) -> Stream:
        position = (node.position,) if node.position is not None else ()
        key = None if below.key is None else below.key + position
        visible = {c.ref for c in node.output}
        # the optimiser drops columns here that nobody above asks for, be they of the key
        wanted = {c.ref for c in below.hidden}.union(below.key or ()) - visible
        carried = tuple(c for c in below.columns if c.ref in wanted)
        return Stream(node, (below,), node.output + carried, key, below.kind)

    def _view(self, node: n.Placeholder, source: SourceTable, keyed: bool) -> Stream:
        """Its columns by position; what its key has besides them is carried hidden."""
        view = self.views[source.name]
        assert view.key is not None
        pairs = [(c.ref, given.ref) for c, given in zip(node.output, view.node.output, strict=True)]
        if not keyed:
            branch = Branch(None, tuple(pairs))
            return Stream(node, (), node.output, None, view.kind, source, (branch,), view)
        own = {ref: to for to, ref in reversed(pairs)}
        by_ref = {c.ref: c for c in view.columns}
        carried: list[n.Column] = []
        for ref in view.key:
            if ref not in own:
                given = by_ref[ref]
                carried.append(self.hidden.new(given.name, given.type, given.nullable))
                own[ref] = carried[-1].ref
                pairs.append((own[ref], ref))
        return Stream(
            node,
            (),
            node.output + tuple(carried),
            tuple(dict.fromkeys(own[ref] for ref in view.key)),
            view.kind,
            source,
            (Branch(None, tuple(pairs)),),
            view,
        )

    def _mapped(self, node: n.Node, exprs: tuple[n.Expression, ...], below: Stream) -> Stream:
        key, carried = _map_key(below.key, below.columns, exprs, node.output)
        return Stream(node, (below,), node.output + carried, key, below.kind)

    def _join(self, node: n.Join, left: Stream, right: Stream) -> Stream:
        assert left.key is not None
        assert right.key is not None
        hidden = left.hidden
        key = left.key
        match node.kind:
            case n.JoinKind.INNER:
                hidden += right.hidden
                if set(right.key) <= {e.column for e in node.right_keys}:
                    pass
                elif set(left.key) <= {e.column for e in node.left_keys}:
                    key = right.key
                else:
                    key += right.key
                hidden += _dropped(node, key, left, right)
            case n.JoinKind.LEFT_OUTER:
                hidden += self._optional(right)
                if not set(right.key) <= {e.column for e in node.right_keys}:
                    key += right.key
            case n.JoinKind.FULL_OUTER:
                # two rows of which each is all null in its own key stand beside nulls
                side = self.hidden.new("_side", "integer", True)
                hidden = (*self._optional(left), *self._optional(right), side)
                key = (*key, *right.key, side.ref)
        monotonic = node.kind in (n.JoinKind.INNER, n.JoinKind.LEFT_SEMI)
        append = monotonic and left.kind is right.kind is Kind.APPEND_ONLY
        return Stream(
            node,
            (left, right),
            node.output + hidden,
            key,
            Kind.APPEND_ONLY if append else Kind.RETRACT,
        )

    def _temporal_join(self, node: n.TemporalJoin, left: Stream, right: Stream) -> Stream:
        assert left.key is not None
        assert right.key is not None
        outer = node.kind is n.JoinKind.LEFT_OUTER
        hidden = left.hidden + (self._optional(right) if outer else right.hidden)
        single = set(right.key) <= {e.column for e in node.right_keys}
        key = left.key if single else left.key + right.key
        return Stream(node, (left, right), node.output + hidden, key, left.kind)

    def _optional(self, stream: Stream) -> tuple[n.Column, ...]:
        """The hidden columns of a side that may be missing beside a row of the other."""
        return tuple(self.hidden.optional(c.ref) or c for c in stream.hidden)

    def _aggregate(self, node: n.Aggregate, below: Stream, keyed: bool) -> Stream:
        if not keyed:
            return Stream(node, (below,), node.output, None, Kind.RETRACT)
        key, carried = _map_key(node.grouping, below.columns, node.results, node.output)
        return Stream(node, (below,), node.output + carried, key, Kind.RETRACT)

    def _expand(self, node: n.Expand, below: Stream) -> Stream:
        if below.key is None:
            return Stream(node, (below,), node.output, None, below.kind)
        by_ref = {c.ref: c for c in below.columns}
        same = {
            ref
            for i, column in enumerate(node.output)
            if all(p[i].column == column.ref for p in node.projections)
            for ref in (column.ref,)
        }
        carried = tuple(by_ref[ref] for ref in below.key if ref not in same)
        branch = self.hidden.new("_branch", "integer", False)
        columns = (*node.output, *carried, branch)
        return Stream(node, (below,), columns, (*below.key, branch.ref), below.kind)

    def _recursion(
        self,
        node: n.Recursion | n.Feedback,
        inputs: tuple[Stream, ...],
        columns: tuple[n.Column, ...],
    ) -> Stream:
        key, _ = n.by_rank(columns, node.rank)
        hidden: tuple[n.Column, ...] = ()
        if not inputs:
            key += node.output[-1:]
        elif node.bag:
            hidden = (self.hidden.new("_level", "integer", False),)
        if node.bag:
            hidden += (self.hidden.new("_number", "integer", False),)
        refs = tuple(c.ref for c in (*key, *hidden))
        return Stream(node, inputs, node.output + hidden, refs, Kind.RETRACT)

    def _union(self, node: n.Union, inputs: list[Stream], keyed: bool) -> Stream:
        append = all(s.kind is Kind.APPEND_ONLY for s in inputs)
        kind = Kind.APPEND_ONLY if append else Kind.RETRACT
        visible = [
            [(out.ref, c.ref) for out, c in zip(node.output, s.node.output, strict=True)]
            for s in inputs
        ]
        if not keyed:
            branches = tuple(Branch(None, tuple(pairs)) for pairs in visible)
            return Stream(node, tuple(inputs), node.output, None, kind, branches=branches)
        tag = self.hidden.new("_branch", "integer", False)
        slots: list[n.Column] = []
        key: dict[str, None] = {tag.ref: None}
        carried: list[dict[str, str]] = []
        for stream, pairs in zip(inputs, visible, strict=True):
            assert stream.key is not None
            position = {ref: out for out, ref in reversed(pairs)}
            types = {c.ref: c for c in stream.columns}
            taken: dict[str, str] = {}
            for ref in stream.key:
                if ref in position:
                    key[position[ref]] = None
                    continue
                slot = next(
                    (s for s in slots if s.type == types[ref].type and s.ref not in taken), None
                )
                if slot is None:
                    slot = self.hidden.new("_key", types[ref].type, True)
                    slots.append(slot)
                taken[slot.ref] = ref
            carried.append(taken)
        key.update((s.ref, None) for s in slots)
        branches = tuple(
            Branch(i, (*pairs, *((s.ref, taken.get(s.ref)) for s in slots)))
            for i, (pairs, taken) in enumerate(zip(visible, carried, strict=True))
        )
        return Stream(
            node, tuple(inputs), (*node.output, tag, *slots), tuple(key), kind, branches=branches
        )


FIRST_ROWS = 64
"""Up to so many rows a partition are kept as one value of the state."""


def keeps_first_rows(node: n.Window, below: Stream) -> bool:
    """Whether rows that are not among the first of their partition can be forgotten.

    So it is if rows are only ever added, and numbered: a number only grows.
    """
    return (
        below.kind is Kind.APPEND_ONLY
        and node.limit is not None
        and node.limit[0] == "row_number"
        and 0 < node.limit[1] <= FIRST_ROWS
        and [f.sql.partition("(")[0].lower() for f in node.functions] == ["row_number"]
    )


def _read(node: n.Filter, below: Stream) -> tuple[str, ...] | None:
    """The key above a filter. One that reads UNREAD lets only rows through where it is null."""
    null = {c.ref for c in below.columns if c.name == UNREAD and c.ref in node.condition.refs}
    return below.key and tuple(ref for ref in below.key if ref not in null)


def _dropped(node: n.Join, key: tuple[str, ...], *sides: Stream) -> tuple[n.Column, ...]:
    """Key columns that the sides show and the join does not: its order is not the query's."""
    shown = {c.ref for c in node.output}
    return tuple(
        c for side in sides for c in side.node.output if c.ref in key and c.ref not in shown
    )


def _columns(exprs: tuple[n.Expression, ...]) -> tuple[str, ...] | None:
    """What the expressions pass on; None if one computes something."""
    refs = [e.column for e in exprs if e.column is not None]
    return tuple(dict.fromkeys(refs)) if len(refs) == len(exprs) else None


def _map_key(
    key: tuple[str, ...] | None,
    columns: tuple[n.Column, ...],
    exprs: tuple[n.Expression, ...],
    output: tuple[n.Column, ...],
) -> tuple[tuple[str, ...] | None, tuple[n.Column, ...]]:
    """The key behind a projection, and the key columns it must carry hidden."""
    if key is None:
        return None, ()
    renamed: dict[str, str] = {}
    for expr in exprs:
        if expr.column is not None and expr.out is not None:
            renamed.setdefault(expr.column, expr.out)
    visible = {c.ref for c in output}
    carried = {ref for ref in key if ref not in renamed and ref not in visible}
    by_ref = {c.ref: c for c in columns}
    return (
        tuple(dict.fromkeys(renamed.get(ref, ref) for ref in key)),
        tuple(by_ref[ref] for ref in dict.fromkeys(key) if ref in carried),
    )
