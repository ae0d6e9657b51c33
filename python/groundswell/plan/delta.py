"""Which inner joins can be delta joins, and how: pure.

A tree of inner equi-joins, with filters and projections of plain columns between them, is one join
of all its inputs. It is a delta join if each input is a table or view below filters and
projections, and from each of them all others can be reached by shared indexes
(:mod:`groundswell.plan.chains`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from groundswell.plan import nodes as n
from groundswell.plan.chains import Candidate, Chain, Relation, solve
from groundswell.plan.indexes import Index, Statistics, scan_columns
from groundswell.plan.required import required_of_inputs, view_columns
from groundswell.plan.stream import Stream


@dataclass(frozen=True)
class Leaf:
    """An input of a delta join.

    Attributes:
        stream: the input.
        required: refs that it must deliver.
        scan: the table or view below it.
        scanned: refs that the scan must deliver.
        steps: filters and projections between the two, from the scan up.
        classes: equality class -> ref of the scan.
    """

    stream: Stream
    required: frozenset[str]
    scan: Stream
    scanned: frozenset[str]
    steps: tuple[Stream, ...]
    classes: Mapping[int, str]
    outer: Mapping[int, str]

    @property
    def table(self) -> str:
        """Name of the table or view."""
        assert self.scan.source is not None
        return self.scan.source.name


@dataclass(frozen=True)
class DeltaJoin:
    """How a tree of joins is computed.

    Attributes:
        leaves: the inputs, left to right.
        chains: one a leaf.
        aliases: refs that projections between the joins gave columns: new -> old.
        conditions: residual conditions and filters, innermost first.
    """

    leaves: tuple[Leaf, ...]
    chains: tuple[Chain, ...]
    aliases: Mapping[str, str]
    conditions: tuple[n.Expression, ...]

    @property
    def indexes(self) -> tuple[str, ...]:
        """Names of the indexes that are looked up."""
        return tuple(dict.fromkeys(s.index.name for c in self.chains for s in c.steps))

    def resolve(self, ref: str) -> str:
        """The column of an input behind a column of the join."""
        return _resolve(self.aliases, ref)

    def text(self) -> list[str]:
        """One line a chain."""
        lines = []
        for chain in reversed(self.chains):
            parts = [f"changes of {self.leaves[chain.start].table}"]
            if chain.source is not None:
                parts[0] += f" (by {chain.source})"
            for step in chain.steps:
                when = "new" if step.relation > chain.start else "old"
                move = "shuffled to " if step.shuffle else ""
                parts.append(f"{move}{step.index.name} ({when}, ~{step.rows:.3g} rows a change)")
            lines.append(" -> ".join(parts))
        return lines


def delta_joins(
    root: Stream, indexes: Mapping[str, Index], statistics: Mapping[str, Statistics]
) -> dict[int, DeltaJoin]:
    """The delta joins of a view: by ``id`` of the stream of their topmost join."""
    found: dict[int, DeltaJoin] = {}

    def visit(stream: Stream, required: frozenset[str]) -> None:
        if _is_inner(stream):
            join = delta_join(stream, required, indexes, statistics)
            if join is not None:
                found[id(stream)] = join
                return
        for below, refs in zip(stream.inputs, required_of_inputs(stream, required), strict=True):
            visit(below, refs)

    visit(root, view_columns(root))
    return found


def inner_joins(stream: Stream) -> Iterator[Stream]:
    """All inner equi-joins."""
    if _is_inner(stream):
        yield stream
    for below in stream.inputs:
        yield from inner_joins(below)


def delta_join(
    stream: Stream,
    required: frozenset[str],
    indexes: Mapping[str, Index],
    statistics: Mapping[str, Statistics],
) -> DeltaJoin | None:
    """One tree of joins as a delta join, or None if the indexes do not allow it."""
    tree = _Tree()
    if not tree.add(stream, required):
        return None
    aliases = tree.aliases
    classes = _Classes()
    for left, right in tree.equal:
        classes.join(_resolve(aliases, left), _resolve(aliases, right))
    leaves = [_leaf(below, refs, classes) for below, refs in tree.inputs]
    known = [leaf for leaf in leaves if leaf is not None]
    if len(known) < len(leaves) or not _apart(known):
        return None
    given = {ref for leaf in known for ref in leaf.outer.values()}
    if not {_resolve(aliases, ref) for pair in tree.equal for ref in pair} <= given:
        return None
    relations = [
        Relation(frozenset(leaf.classes), tuple(_candidates(leaf, indexes, statistics)))
        for leaf in known
    ]
    chains = solve(relations)
    if chains is None:
        return None
    return DeltaJoin(tuple(known), chains, aliases, tuple(tree.conditions))


def _is_inner(stream: Stream) -> bool:
    node = stream.node
    return isinstance(node, n.Join) and node.kind is n.JoinKind.INNER and bool(node.left_keys)


@dataclass
class _Tree:
    inputs: list[tuple[Stream, frozenset[str]]] = field(default_factory=list)
    equal: list[tuple[str, str]] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    conditions: list[n.Expression] = field(default_factory=list)

    def add(self, stream: Stream, required: frozenset[str]) -> bool:
        """False if the tree cannot be a delta join."""
        node = stream.node
        needs = required_of_inputs(stream, required)
        if isinstance(node, n.Join) and _is_inner(stream):
            for left, right in zip(node.left_keys, node.right_keys, strict=True):
                if left.column is None or right.column is None:
                    return False
                self.equal.append((left.column, right.column))
            if not all(self.add(s, refs) for s, refs in zip(stream.inputs, needs, strict=True)):
                return False
            self.conditions += [node.residual] if node.residual else []
            return True
        if not _over_join(stream):
            self.inputs.append((stream, required))
            return True
        if isinstance(node, n.Project):
            for expr in node.exprs:
                if expr.out is not None and expr.out != expr.column:
                    self.aliases[expr.out] = str(expr.column)
        if not self.add(stream.input, needs[0]):
            return False
        if isinstance(node, n.Filter):
            self.conditions.append(node.condition)
        return True


def _over_join(stream: Stream) -> bool:
    """Whether only filters and plain projections are between it and an inner join."""
    node = stream.node
    if isinstance(node, n.Project) and not all(e.column is not None for e in node.exprs):
        return False
    if isinstance(node, n.Project | n.Filter):
        return _is_inner(stream.input) or _over_join(stream.input)
    return False


def _leaf(stream: Stream, required: frozenset[str], classes: _Classes) -> Leaf | None:
    steps: list[Stream] = []
    below, refs = stream, required
    while isinstance(below.node, n.Project | n.Filter):
        steps.append(below)
        (refs,) = required_of_inputs(below, refs)
        below = below.input
    if below.source is None or below.key is None:
        return None
    if isinstance(below.node, n.StandIn) and below.node.use is not None:
        return None
    inner: dict[int, str] = {}
    outer: dict[int, str] = {}
    columns = {c.ref for c in below.columns}
    types = {c.ref: c.type for c in below.columns}
    for ref in (c.ref for c in stream.columns):
        number = classes.of(ref)
        if number is None:
            continue
        scan_ref = _down(steps, ref)
        if scan_ref is None or scan_ref not in columns or number in inner:
            return None
        if not isinstance(types[scan_ref], str):
            return None
        inner[number], outer[number] = scan_ref, ref
    return Leaf(stream, required, below, refs, tuple(reversed(steps)), inner, outer)


def _down(steps: Iterable[Stream], ref: str) -> str | None:
    """The column below plain projections, from the top down."""
    for step in steps:
        if isinstance(step.node, n.Project):
            given = {e.out: e.column for e in step.node.exprs if e.out is not None}
            if ref in given:
                if given[ref] is None:
                    return None
                ref = str(given[ref])
    return ref


def _apart(leaves: Iterable[Leaf]) -> bool:
    """Whether no two inputs use one ref: their columns stand side by side in a chain."""
    seen: set[str] = set()
    for leaf in leaves:
        own = {c.ref for s in (leaf.scan, *leaf.steps) for c in s.columns}
        if seen & own:
            return False
        seen |= own
    return True


def _candidates(
    leaf: Leaf, indexes: Mapping[str, Index], statistics: Mapping[str, Statistics]
) -> Iterator[Candidate]:
    names = {c.ref: c.name for c in leaf.scan.node.output}
    by_name = {names[ref]: number for number, ref in leaf.classes.items() if ref in names}
    needed = {names[ref] for ref in leaf.scanned if ref in names}
    for index in indexes.values():
        if index.scan.source != leaf.scan.source:
            continue
        shown = {c.name for c in scan_columns(index.root)}
        key = {names[ref] for ref in leaf.scan.key or () if ref in names}
        if not set(index.columns) <= by_name.keys() or not needed <= shown | key:
            continue
        unique = key and key <= set(index.columns)
        known = statistics.get(index.name, Statistics(1000.0, 1000.0 if unique else 100.0))
        yield Candidate(
            index.name,
            tuple(by_name[name] for name in index.columns),
            max(1.0, known.rows),
            max(1.0, known.keys),
        )


class _Classes:
    """Columns that are equal in every row of the join."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def join(self, left: str, right: str) -> None:
        left, right = self._top(left), self._top(right)
        if left != right:
            self._above[right] = left

    def of(self, ref: str) -> int | None:
        """The number of its class; None if it is equal to nothing."""
        if ref not in self._above:
            return None
        return self._numbers.setdefault(self._top(ref), len(self._numbers))

    def _top(self, ref: str) -> str:
        self._above.setdefault(ref, ref)
        while self._above[ref] != ref:
            ref = self._above[ref]
        return ref


def _resolve(aliases: Mapping[str, str], ref: str) -> str:
    while ref in aliases:
        ref = aliases[ref]
    return ref
