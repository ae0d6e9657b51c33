"""Which joins can be delta joins, and how: pure.

A tree of equi-joins, with filters and projections of plain columns between them, is one join of all
its inputs, each a table or view below filters and projections. Inputs of inner joins are *leaves*,
in any order. The right side of an outer, semi, anti or existence join is *attached*: what it gives
is a function of each row of the leaves by itself. So attachments commute with inner joins and
filters on what is to their left, and only an input may be attached, not a join.

The tree is a delta join if from each input all others can be reached by shared indexes
(:mod:`groundswell.optimizer.chains`). A full outer join is one of two inputs; its left one is the
only leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from groundswell.optimizer.chains import Candidate, Relation, chain
from groundswell.optimizer.cost import Estimate, estimate
from groundswell.optimizer.delta import Attachment, DeltaJoin, Leaf, Start, Term, resolve
from groundswell.optimizer.equality import Classes, Keys
from groundswell.optimizer.join_tree import Attached, Input, JoinTree, is_equi_join
from groundswell.plan import nodes as n
from groundswell.plan.explain import describe
from groundswell.plan.indexes import Index, Statistics, scan_columns
from groundswell.plan.required import required_of_inputs, view_columns
from groundswell.plan.stream import Stream


@dataclass(frozen=True)
class Choices:
    """Delta joins or hash joins.

    Attributes:
        deltas: the delta joins, by ``id`` of the stream of their topmost join.
        reasons: why, by the same, also of joins that are not delta joins.
    """

    deltas: dict[int, DeltaJoin]
    reasons: dict[int, str]


def delta_joins(
    root: Stream,
    indexes: Mapping[str, Index],
    statistics: Mapping[str, Statistics],
    *,
    always: bool = False,
    has_state: Callable[[Stream], bool] = lambda _: True,
) -> Choices:
    """Decides about all joins of a view.

    Args:
        root: the view.
        indexes: by name.
        statistics: by name of the index; without those of all that a join uses it is a delta join.
        always: whether to take delta joins wherever they can be.
        has_state: whether a hash join has what it needs: one that was a delta join so far has not.
    """
    found, reasons = dict[int, DeltaJoin](), dict[int, str]()

    def visit(stream: Stream, required: frozenset[str]) -> None:
        if is_equi_join(stream):
            join = delta_join(stream, required, indexes, statistics)
            if join is not None:
                delta, reasons[id(stream)] = _choose(join, stream, statistics, always, has_state)
                if delta:
                    found[id(stream)] = join
                    return
            else:
                reasons[id(stream)] = obstacle(stream, required, indexes)
        for below, refs in zip(stream.inputs, required_of_inputs(stream, required), strict=True):
            visit(below, refs)

    visit(root, view_columns(root))
    return Choices(found, reasons)


def _choose(
    join: DeltaJoin,
    stream: Stream,
    statistics: Mapping[str, Statistics],
    always: bool,
    has_state: Callable[[Stream], bool],
) -> tuple[bool, str]:
    cost = join.cost
    if always:
        return True, "by option joins=delta"
    if cost is None or not all(name in statistics for name in join.indexes):
        return True, "there are indexes, and no statistics of them yet"
    if cost.prefers_delta:
        return True, str(cost)
    if not has_state(stream):
        return True, f"it has been one, so hash joins have no state; otherwise not: {cost}"
    return False, str(cost)


def trees(root: Stream) -> Iterator[tuple[Stream, tuple[Leaf, ...]]]:
    """The topmost joins of a view that could be delta joins, with what they read, as leaves."""

    def visit(
        stream: Stream, required: frozenset[str]
    ) -> Iterator[tuple[Stream, tuple[Leaf, ...]]]:
        tree = JoinTree()
        if is_equi_join(stream) and tree.add(stream, required):
            leaves = _Planner(tree, {}, {}).leaves()
            if leaves is not None:
                yield stream, leaves
                return
        for below, refs in zip(stream.inputs, required_of_inputs(stream, required), strict=True):
            yield from visit(below, refs)

    return visit(root, view_columns(root))


def equi_joins(stream: Stream) -> Iterator[Stream]:
    """All joins on something equal."""
    if is_equi_join(stream):
        yield stream
    for below in stream.inputs:
        yield from equi_joins(below)


def delta_join(
    stream: Stream,
    required: frozenset[str],
    indexes: Mapping[str, Index],
    statistics: Mapping[str, Statistics],
) -> DeltaJoin | None:
    """One tree of joins as a delta join, or None if the indexes do not allow it."""
    tree = JoinTree()
    if not tree.add(stream, required):
        return None
    return _Planner(tree, indexes, statistics).join()


def obstacle(stream: Stream, required: frozenset[str], indexes: Mapping[str, Index]) -> str:
    """Explain why a tree of joins cannot be a delta join, and what would help."""
    tree = JoinTree()
    if not tree.add(stream, required):
        return (
            "delta joins look rows up by columns, and a join key or a column of the optional side "
            "is computed; compute it in a view, and join pipeline.read(view)"
        )
    classes = _Planner(tree, indexes, {}).all_classes()
    lacks = []
    for each in [*tree.inputs, *(attached.input for attached in tree.attached)]:
        leaf = _leaf(each, classes)
        if leaf is None:
            lacks.append(
                f"{describe(each.stream)} is not a table or view below filters and projections; "
                "make it a view, and index pipeline.read(view)"
            )
        elif not any(_candidates(leaf, indexes, {})):
            lacks.append(_lacks(leaf, indexes))
    return "; ".join(dict.fromkeys(lacks)) or (
        "the indexes do not lead from a change of each input to the rows of all others; index "
        "each input by the columns that it shares with its neighbours"
    )


def _lacks(leaf: Leaf, indexes: Mapping[str, Index]) -> str:
    """The index that an input of a join is without."""
    assert leaf.scan.source is not None
    names = {c.ref: c.name for c in leaf.scan.node.output}
    table, by = leaf.scan.source.name, [names[ref] for ref in leaf.classes.values() if ref in names]
    read = {names[ref] for ref in leaf.scanned if ref in names}
    for index in indexes.values():
        if index.scan.source == leaf.scan.source and set(index.columns) <= set(by):
            more = sorted(read - {c.name for c in scan_columns(index.root)})
            return f"index {index.name} of {table} does not have {', '.join(more)}"
    wanted = ", ".join(map(repr, dict.fromkeys(by)))
    return (
        f"{table} has no index on columns of the join; add pipeline.index({table}, {wanted}), "
        f"or CREATE INDEX i ON {table} ({', '.join(dict.fromkeys(by))})"
    )


class _Planner:
    def __init__(
        self, tree: JoinTree, indexes: Mapping[str, Index], statistics: Mapping[str, Statistics]
    ) -> None:
        self.tree = tree
        self.indexes = indexes
        self.statistics = statistics

    def join(self) -> DeltaJoin | None:
        tree = self.tree
        classes = self._classes(())
        leaves = self._leaves(classes, ())
        attachments = [self._attachment(each) for each in tree.attached]
        known = [each for each in attachments if each is not None]
        if leaves is None or len(known) < len(attachments):
            return None
        if not _apart([*leaves, *(each.leaf for each in known)]) or not self._reach(leaves, known):
            return None
        terms: list[Term | None] = []
        for at, leaf in enumerate(leaves):
            found = chain(at, self._relations(leaves))
            if found is not None and not found.steps:
                found = replace(found, source=self._placed(leaf, known[0], classes))
            terms.append(None if found is None else Term(Start.CHANGES, leaf, found, leaves))
        full = next((each for each in known if each.kind is n.JoinKind.FULL_OUTER), None)
        if full is not None:
            terms += self._alone(full) if len(leaves) == 1 else [None]
        terms += [self._touched(each, known) for each in known]
        planned = [term for term in terms if term is not None]
        if len(planned) < len(terms):
            return None
        planned.sort(key=lambda term: term.input.position)
        return DeltaJoin(
            leaves, tuple(known), tuple(planned), tree.aliases, tuple(tree.conditions), self._cost()
        )

    def leaves(self) -> tuple[Leaf, ...] | None:
        """All inputs, each row with a match."""
        return self._leaves(self.all_classes(), self.tree.attached)

    def all_classes(self) -> Classes:
        """Columns that are equal where each row has a match."""
        return self._classes(self.tree.attached)

    def _cost(self) -> Estimate | None:
        """Of a join of all inputs, each row with a match."""
        leaves = self.leaves()
        if leaves is None:
            return None
        return estimate(self._relations(sorted(leaves, key=lambda leaf: leaf.position)))

    def _placed(self, leaf: Leaf, first: Attachment, classes: Classes) -> str | None:
        """The index that has a leaf's changes where what is attached first is looked up."""
        wanted = classes.of(first.left[first.index.place])
        return next((c.name for c in self._candidates(leaf) if c.place == wanted), None)

    def _reach(self, leaves: Iterable[Leaf], attachments: Iterable[Attachment]) -> bool:
        """Whether each key is a column of a leaf, or of what is attached before."""
        shown = {c.ref for leaf in leaves for c in leaf.stream.columns}
        keys = {resolve(self.tree.aliases, ref) for pair in self.tree.equal for ref in pair}
        if not keys <= shown:
            return False
        for each in attachments:
            if not set(each.left) <= shown:
                return False
            if each.kind is n.JoinKind.LEFT_OUTER:
                shown |= {c.ref for c in each.leaf.stream.columns}
        return True

    def _classes(self, matched: Iterable[Attached]) -> Classes:
        """Columns that are equal, where ``matched`` have a match."""
        classes = Classes()
        for left, right in self.tree.equal:
            classes.join(*(resolve(self.tree.aliases, ref) for ref in (left, right)))
        for each in matched:
            for left, right in zip(each.left, each.right, strict=True):
                classes.join(resolve(self.tree.aliases, left), right)
        for each in self.tree.attached:
            for left in each.left:
                classes.add(resolve(self.tree.aliases, left))
        return classes

    def _leaves(self, classes: Classes, matched: Iterable[Attached]) -> tuple[Leaf, ...] | None:
        inputs = [*self.tree.inputs, *(each.input for each in matched)]
        found = [_leaf(each, classes) for each in inputs]
        leaves = tuple(leaf for leaf in found if leaf is not None)
        return leaves if len(leaves) == len(found) else None

    def _relations(self, leaves: Iterable[Leaf]) -> list[Relation]:
        return [Relation(frozenset(leaf.classes), tuple(self._candidates(leaf))) for leaf in leaves]

    def _candidates(self, leaf: Leaf) -> Iterator[Candidate]:
        return _candidates(leaf, self.indexes, self.statistics)

    def _attachment(self, each: Attached) -> Attachment | None:
        leaf = (
            _leaf(each.input, Keys(each.right)) if len(set(each.right)) == len(each.right) else None
        )
        if leaf is None:
            return None
        index = min(
            self._candidates(leaf), key=lambda c: (c.fan_out, -len(c.columns)), default=None
        )
        if index is None or len(leaf.classes) < len(each.right):
            return None
        left = tuple(resolve(self.tree.aliases, ref) for ref in each.left)
        return Attachment(each.kind, leaf, left, each.residual, index, each.added)

    def _touched(self, of: Attachment, attachments: list[Attachment]) -> Term | None:
        """The rows that have the touched keys, by way of the columns that must equal them."""
        by_ref = {
            c.ref: each
            for each in attachments
            if each.kind is n.JoinKind.LEFT_OUTER
            for c in each.leaf.stream.columns
        }
        matched: dict[int, None] = {}
        todo = list(of.left)
        while todo:
            each = by_ref.get(todo.pop())
            if each is not None and each.leaf.position not in matched:
                matched[each.leaf.position] = None
                todo += each.left
        those = [a for a in self.tree.attached if a.input.position in matched]
        classes = self._classes(those)
        leaves = self._leaves(classes, those)
        if leaves is None:
            return None
        keys = [classes.of(ref) for ref in of.left]
        known = tuple(number for number in keys if number is not None)
        if len(known) < len(keys):
            return None
        placed = [
            Candidate(c.name, tuple(known[i] for i in c.columns)) for c in self._candidates(of.leaf)
        ]
        start = Relation(frozenset(known), tuple(placed))
        found = chain(len(leaves), [*self._relations(leaves), start])
        if found is None:
            return None
        return Term(Start.TOUCHED, of.leaf, found, leaves, frozenset(matched), known)

    def _alone(self, full: Attachment) -> list[Term | None]:
        """A full outer join's right rows, as their own changes and the left ones turn them."""
        classes = Keys(full.left)
        mirrored = _leaf(self.tree.inputs[0], classes)
        if mirrored is None or len(mirrored.classes) < len(full.left):
            return [None]
        (back,) = self._relations([mirrored])
        there = Relation(frozenset(full.leaf.classes), tuple(self._candidates(full.leaf)))
        keys = tuple(range(len(full.left)))
        start = Relation(frozenset(keys), back.indexes)
        touched, changed = chain(1, [there, start]), chain(1, [back, there])
        if touched is None or changed is None:
            return [None]
        index = _best(back.indexes)
        return [
            Term(Start.ALONE, mirrored, touched, (full.leaf,), touched=keys, back=index),
            Term(Start.UNMATCHED, full.leaf, changed, (mirrored,)),
        ]


def _best(candidates: Iterable[Candidate]) -> Candidate | None:
    return min(candidates, key=lambda c: (c.fan_out, -len(c.columns)), default=None)


def _leaf(given: Input, classes: Classes | Keys) -> Leaf | None:
    steps: list[Stream] = []
    below, refs = given.stream, given.required
    while isinstance(below.node, n.Project | n.Filter):
        steps.append(below)
        (refs,) = required_of_inputs(below, refs)
        below = below.input
    if below.source is None or below.key is None:
        return None
    if isinstance(below.node, n.Placeholder) and below.node.use is not None:
        return None
    inner: dict[int, str] = {}
    outer: dict[int, str] = {}
    columns = {c.ref for c in below.columns}
    types = {c.ref: c.type for c in below.columns}
    for ref in (c.ref for c in given.stream.columns):
        number = classes.of(ref)
        if number is None:
            continue
        scan_ref = _down(steps, ref)
        if scan_ref is None or scan_ref not in columns or number in inner:
            return None
        if not isinstance(types[scan_ref], str):
            return None
        inner[number], outer[number] = scan_ref, ref
    return Leaf(
        given.position,
        given.stream,
        given.required,
        below,
        refs,
        tuple(reversed(steps)),
        inner,
        outer,
    )


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
            known.hot,
        )
