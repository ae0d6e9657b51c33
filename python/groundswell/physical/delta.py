"""Shared indexes and delta joins.

``d(A x B x C)`` is the sum of one term a table: its changes beside the others, those after it as
the barrier leaves them, those before it as it found them, so that each combination of changes is in
one term:

    A x B x d(C)  +  A x d(B) x C'  +  d(A) x B' x C'

What is attached to these inputs by outer, semi, anti and existence joins is one more of them: its
term finds the rows to its left whose keys its changes touch, and asks the index, as it was and as
it is, what each of them gave and gives. See docs/rfcs/0004-shared-indexes.md for why this is right.

An index at T is its state at the base. At T + dT it is that, overlaid with the index's own changes,
which are shuffled to where the lookup is; nobody but the index's operator writes it. The union
gives the last table's term first, as a consumer would need that applies changes one by one; and
then changes are netted by stream key, since rows that moved between partitions have no order, and
since combinations of old and new rows cancel out between terms.

Of an index key with very many rows each task takes a slice, where all its rows are wanted: lookups
of inner joins. What must know whether there is a match reads no further than the first.

State: the indexes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from groundswell.contract.dataflow.indexes import ArrangeSpec, IndexColumn, LookupSpec
from groundswell.contract.dataflow.joins import JoinKind
from groundswell.contract.dataflow.rows import AffectedKeysSpec, ConsolidateSpec, UnionSpec
from groundswell.contract.dataflow.steps import MappedColumn, Project, Select, Where
from groundswell.optimizer.chains import Candidate
from groundswell.optimizer.delta import Attachment, DeltaJoin, Leaf, Start, Term
from groundswell.physical import source, stateless
from groundswell.physical.builder import Builder, Built
from groundswell.physical.join import join_type
from groundswell.plan import nodes as n
from groundswell.plan.indexes import Index
from groundswell.plan.stream import Stream

Build = Callable[[Builder, Stream, frozenset[str]], Built]


def arrange(builder: Builder, index: Index) -> Built:
    """The operator that keeps an index, once."""
    if index.state in builder.arranged:
        return builder.arranged[index.state]
    below = source.lower(builder, index.scan, frozenset(index.refs))
    below = builder.rename(below, {ref: ref for ref in index.refs})
    built = builder.add(
        ArrangeSpec(
            columns=index.refs,
            inputs=(below.id,),
            index=index.by,
            key=index.key,
            name=index.name,
            state=index.state,
        )
    )
    builder.sealed.add(built.id)
    builder.arranged[index.state] = built
    return built


def lower(
    builder: Builder, stream: Stream, join: DeltaJoin, required: frozenset[str], build: Build
) -> Built:
    """All terms of a delta join, their union, netted."""
    for each in join.attachments:
        if each.kind.gives_pairs:
            _optional(builder, each.leaf)
        if each.kind is n.JoinKind.FULL_OUTER:
            _optional(builder, join.leaves[0])
    wanted = required | set(stream.key or ())
    columns = [ref for ref in _order(stream) if ref in wanted]
    found = _walk([_Term(builder, join, term, build) for term in reversed(join.terms)], columns)
    union = builder.add(UnionSpec(columns=tuple(columns), inputs=tuple(r.id for r in found)))
    return builder.add(
        ConsolidateSpec(columns=tuple(columns), inputs=(union.id,), key=tuple(stream.key or ()))
    )


def _order(stream: Stream) -> list[str]:
    """The columns as hash joins give them: states above hold them in one order, whichever it is."""
    node = stream.node
    if isinstance(node, n.Filter):
        return _order(stream.input)
    if not isinstance(node, n.Join):
        return [c.ref for c in stream.columns]
    left, right = map(_order, stream.inputs)
    if node.kind is n.JoinKind.FULL_OUTER:
        left.append(stream.columns[-1].ref)
    if node.exists is not None:
        left.append(node.exists.ref)
    return left + right if node.kind.gives_pairs else left


def _optional(builder: Builder, leaf: Leaf) -> None:
    for column in leaf.stream.columns:
        builder.hidden.optional(column.ref)


def _walk(terms: list[_Term], columns: list[str]) -> list[Built]:
    """Brings all terms to their ends, together from where they have the same way before them.

    Of A, B and C with d(A) -> B' -> C' and d(B) -> A -> C', both look up C' with rows of A and B:
    one exchange and one lookup do for both.
    """
    found: list[Built] = []
    for term in terms:
        term.begin()
    while terms:
        least = min(term.progress for term in terms)
        groups: dict[Hashable, list[_Term]] = {}
        for term in (t for t in terms if t.progress == least):
            groups.setdefault(term.way(), []).append(term)
        terms = [t for t in terms if t.progress > least]
        for first, *others in groups.values():
            first.join_in(others)
            if first.step():
                terms.append(first)
            else:
                found.append(first.end(columns))
    return found


class _Term:
    """The changes of one input, beside all others."""

    def __init__(self, builder: Builder, join: DeltaJoin, term: Term, build: Build) -> None:
        self.builder = builder
        self.join = join
        self.term = term
        self.build = build
        self.conditions = list(join.conditions)
        self.conditions += [
            a.residual
            for a in join.attachments
            if a.residual is not None and a.leaf.position in term.matched
        ]
        self.rows: Built
        self.bound: dict[int, str] = {}
        self.keys: frozenset[str] = frozenset()
        self.done = 0

    @property
    def progress(self) -> int:
        """How many inputs its rows have columns of, but for what is attached."""
        return self.done + (self.term.start is Start.CHANGES)

    def begin(self) -> None:
        """Its first rows."""
        match self.term.start:
            case Start.CHANGES:
                self.rows = self._conditions(self._changes())
                self.bound = dict(self.term.input.outer)
            case Start.TOUCHED:
                self.bound, self.rows = self._touched(self.term.touched)
                self.keys = frozenset(self.bound.values())
            case Start.ALONE | Start.UNMATCHED:
                self.rows = self._alone()
                self.done = len(self.term.chain.steps)

    def way(self) -> Hashable:
        """What is before it: equal for terms that may go on together.

        Rows that need not move to their next lookup stay by themselves.
        """
        steps = self.term.chain.steps[self.done :]
        alone = self.term.start in (Start.ALONE, Start.UNMATCHED)
        if alone or not (steps[0].shuffle if steps else self.join.attachments):
            return id(self)
        at = self.term.input.position
        later = [self.term.leaves[step.relation].position for step in steps]
        attached = [a.leaf.position for a in self.join.attachments]
        return (
            self.term.matched,
            tuple(
                (step.index.name, there, there > at)
                for step, there in zip(steps, later, strict=True)
            ),
            tuple((there > at, there == at) for there in attached),
        )

    def join_in(self, others: list[_Term]) -> None:
        """Takes the rows of terms with the same way before them."""
        if not others:
            return
        all_rows = [term.rows for term in (self, *others)]
        common = set.intersection(*(set(rows.columns) for rows in all_rows))
        columns = [ref for ref in self.rows.columns if ref in common]
        same = {ref: ref for ref in columns}
        renamed = [self.builder.rename(rows, same) for rows in all_rows]
        self.rows = self.builder.add(
            UnionSpec(columns=tuple(columns), inputs=tuple(rows.id for rows in renamed))
        )
        ahead = {step.relation for step in self.term.chain.steps[self.done :]}
        self.bound = {}
        for number, leaf in reversed(list(enumerate(self.term.leaves))):
            if number not in ahead:
                self.bound |= leaf.outer
        self.keys = frozenset()

    def step(self) -> bool:
        """The next lookup of the chain; false if there is none."""
        if self.done == len(self.term.chain.steps):
            return False
        step = self.term.chain.steps[self.done]
        self.done += 1
        other = self.term.leaves[step.relation]
        beside = frozenset(self.rows.columns)
        rows = self._lookup(self.rows, step.index, other, self.bound, "inner")
        self.rows = self._conditions(self._steps(rows, other, beside))
        self.bound = {**other.outer, **self.bound}
        return True

    def end(self, columns: list[str]) -> Built:
        """What is attached, and the columns of the join."""
        rows = self.builder.narrow(self.rows, set(self.rows.columns) - self.keys)
        attached = self.join.attachments
        if self.term.start in (Start.ALONE, Start.UNMATCHED):
            attached = attached[1:]
        for each in attached:
            if each.leaf.position not in self.term.matched:
                rows = self._conditions(self._attach(rows, each))
        return self._give(rows, columns)

    def _changes(self) -> Built:
        """The input's changes, from an index where that has them where they are needed."""
        leaf, source_index = self.term.input, self.term.chain.source
        if source_index is None:
            return self.build(self.builder, leaf.stream, leaf.required)
        index = self.builder.indexes[source_index]
        kept = _kept(index, leaf)
        rows = self.builder.rename(
            arrange(self.builder, index), {ref: index.refs[at] for ref, at in kept.items()}
        )
        return self._steps(rows, leaf, frozenset())

    def _touched(self, classes: tuple[int, ...]) -> tuple[dict[int, str], Built]:
        """The keys that the input's changes have, each once: class -> ref."""
        leaf, builder = self.term.input, self.builder
        types = {c.ref: c.type for c in leaf.stream.columns}
        refs = [leaf.outer[at] for at in range(len(leaf.outer))]
        keys = [builder.hidden.new("_touched", types[ref], True).ref for ref in refs]
        rows = builder.rename(self._changes(), dict(zip(keys, refs, strict=True)))
        order = keys
        if self.term.chain.source is not None:
            first = self._first(self.term.chain.source)
            order = [keys[first], *keys[:first], *keys[first + 1 :]]
        rows = builder.add(
            AffectedKeysSpec(columns=tuple(keys), inputs=(rows.id,), key=tuple(order))
        )
        return dict(zip(classes, keys, strict=True)), rows

    def _first(self, name: str) -> int:
        """The join key that an index of the input is placed by."""
        leaf, index = self.term.input, self.builder.indexes[name]
        names = {c.ref: c.name for c in leaf.scan.node.output}
        numbers = {names[ref]: number for number, ref in leaf.classes.items() if ref in names}
        return numbers[index.columns[0]]

    def _lookup(
        self,
        rows: Built,
        candidate: Candidate,
        leaf: Leaf,
        bound: Mapping[int, str],
        kind: JoinKind,
        where: tuple[str, ...] = (),
        added: tuple[str, ...] = (),
    ) -> Built:
        """One lookup.

        Args:
            rows: those that look up.
            candidate: the index.
            leaf: what the index is of.
            bound: what each class of the index columns must equal.
            kind: of the join.
            where: what else must hold of a match.
            added: a column that tells whether there is one.
        """
        index = self.builder.indexes[candidate.name]
        arranged = arrange(self.builder, index)
        kept = _kept(index, leaf)
        flip = leaf.position == self.term.input.position
        after = flip or leaf.position > self.term.input.position
        numbers = set(candidate.columns)
        rest = [c for c in leaf.classes if c in bound and c not in numbers]
        names = {c.ref: c.name for c in index.scan.columns}
        positions = {names[ref]: at for at, ref in enumerate(index.refs)}
        if kind == "inner":
            row_keys = [leaf.classes[c] for c in candidate.columns]
            given = dict(kept)
            hot = tuple(candidate.hot)
            row_keys = row_keys if set(row_keys) <= kept.keys() else []
            columns = (*rows.columns, *given)
        else:
            hot, row_keys = (), []
            given = kept | {
                ref: kept[below] for ref, below in _names_of(leaf).items() if below in kept
            }
            columns = rows.columns
            if kind == "left_outer":
                columns += tuple(given)
        keeper = self.builder.operators[arranged.id]
        assert isinstance(keeper, ArrangeSpec)
        return self.builder.add(
            LookupSpec(
                columns=(*columns, *added),
                inputs=(rows.id, arranged.id) if after else (rows.id,),
                join_type=kind,
                flip=flip,
                reads=keeper.state,
                keys=tuple(bound[c] for c in candidate.columns),
                delta_keys=index.by if after else (),
                key=tuple(index.refs.index(ref) for ref in index.key),
                row_types=tuple(c.type for c in index.kept),
                index=tuple(positions[name] for name in index.columns),
                row=tuple(IndexColumn(ref, at) for ref, at in given.items()),
                row_keys=tuple(row_keys),
                equal=tuple(IndexColumn(bound[c], kept[leaf.classes[c]]) for c in rest),
                where=where,
                hot=hot,
            )
        )

    def _attach(self, rows: Built, each: Attachment) -> Built:
        """Outer, semi, anti and existence joins of an input; of the changed one: what they turn."""
        full = each.kind is n.JoinKind.FULL_OUTER
        if full:
            assert each.added is not None
            present = [MappedColumn(ref, ref) for ref in rows.columns]
            present.append(MappedColumn(each.added, literal=1))
            rows = self.builder.step(rows, Select(tuple(present)), (*rows.columns, each.added))
        leaf = each.leaf
        kind: JoinKind = "left_outer" if full else join_type(each.kind)
        wanted = set(rows.columns)
        rows = self._with(rows, each.residual, leaf)
        found = self._lookup(
            rows,
            each.index,
            leaf,
            dict(enumerate(each.left)),
            kind,
            where=_filters(leaf, each.residual),
            added=(each.added,) if each.kind is n.JoinKind.EXISTENCE and each.added else (),
        )
        if each.added is not None:
            wanted.add(each.added)
        if each.kind.gives_pairs:
            wanted |= leaf.required | set(leaf.outer.values())
        return self.builder.narrow(found, wanted & set(found.columns))

    def _alone(self) -> Built:
        """Right rows of a full outer join without a match, beside nulls."""
        (full, *_) = self.join.attachments
        (step,) = self.term.chain.steps
        left = self.join.leaves[0]
        if self.term.start is Start.UNMATCHED:
            rows, other, index = self._changes(), self.term.leaves[0], step.index
        else:
            bound, rows = self._touched(self.term.touched)
            rows = self._lookup(rows, step.index, full.leaf, bound, "inner")
            rows = self._steps(rows, full.leaf, frozenset())
            other = self.term.input
            assert self.term.back is not None
            index = self.term.back
        keep = rows.columns
        rows = self._with(rows, full.residual, other)
        found = self._lookup(
            rows,
            index,
            other,
            dict(full.leaf.outer),
            "left_anti",
            where=_filters(other, full.residual),
        )
        nulls = sorted((left.required | set(left.outer.values())) - set(keep))
        items = [MappedColumn(ref, ref) for ref in keep]
        items += [MappedColumn(ref) for ref in (*nulls, str(full.added))]
        columns = (*keep, *nulls, str(full.added))
        return self._conditions(self.builder.step(found, Select(tuple(items)), columns))

    def _with(self, rows: Built, condition: n.Expression | None, beside: Leaf) -> Built:
        """Gives columns the names that the condition has for them."""
        own = set(rows.columns) | {c.ref for c in beside.stream.columns}
        missing = set(condition.refs if condition else ()) - own
        if not missing:
            return rows
        refs = {ref: ref for ref in rows.columns} | {r: self.join.resolve(r) for r in missing}
        return self.builder.rename(rows, refs)

    def _give(self, rows: Built, columns: list[str]) -> Built:
        """The columns of the join, and the conditions that name them as it does."""
        builder, left = self.builder, self.conditions
        if left:
            missing = {ref for c in left for ref in c.refs} - set(rows.columns)
            refs = {ref: ref for ref in rows.columns} | {r: self.join.resolve(r) for r in missing}
            rows = self._conditions(builder.rename(rows, refs))
        assert not left, [c.sql for c in left]
        given = {ref: ref if ref in rows.columns else self.join.resolve(ref) for ref in columns}
        return builder.rename(rows, given)

    def _steps(self, rows: Built, leaf: Leaf, beside: frozenset[str]) -> Built:
        """The input's filters and projections, on rows with other columns ``beside`` them."""
        builder = self.builder
        for stream in leaf.steps:
            if isinstance(stream.node, n.Filter):
                rows = builder.step(rows, stateless.filter_step(stream.node), rows.columns)
                continue
            hidden = {c.ref for c in stream.hidden}
            carry = [ref for ref in rows.columns if ref in beside or ref in hidden]
            given = [c.ref for c in stream.node.output]
            columns = given + [ref for ref in carry if ref not in given]
            rows = builder.step(rows, Project(stream.node.id, tuple(carry)), columns)
        wanted = beside | leaf.required | set(leaf.outer.values())
        return builder.narrow(rows, [ref for ref in rows.columns if ref in wanted])

    def _conditions(self, rows: Built) -> Built:
        """Applies the conditions that can be evaluated by now."""
        for condition in list(self.conditions):
            if set(condition.refs) <= set(rows.columns):
                rows = self.builder.step(rows, Where(condition.id), rows.columns)
                self.conditions.remove(condition)
        return rows


def _kept(index: Index, leaf: Leaf) -> dict[str, int]:
    """What a leaf needs of the index: its own ref -> position in the index's rows."""
    names = {c.ref: c.name for c in leaf.scan.node.output}
    own = {c.name: c.ref for c in index.scan.node.output}
    carried = dict(
        zip((c.ref for c in leaf.scan.hidden), (c.ref for c in index.scan.hidden), strict=True)
    )
    wanted = leaf.scanned | set(leaf.classes.values())
    refs = [c.ref for c in leaf.scan.columns if c.ref in wanted]
    return {
        ref: index.refs.index(own[names[ref]] if ref in names else carried[ref]) for ref in refs
    }


def _names_of(leaf: Leaf) -> dict[str, str]:
    """What plain projections call the columns of a scan: ref -> ref of the scan."""
    refs = {c.ref: c.ref for c in leaf.scan.columns}
    for stream in leaf.steps:
        if isinstance(stream.node, n.Project):
            refs |= {
                str(e.out): refs[e.column]
                for e in stream.node.exprs
                if e.column in refs and e.out is not None
            }
    return refs


def _filters(leaf: Leaf, residual: n.Expression | None) -> tuple[str, ...]:
    """What must hold of a match besides its keys."""
    nodes = [stream.node for stream in leaf.steps]
    found = [node.condition.id for node in nodes if isinstance(node, n.Filter)]
    return (*found, residual.id) if residual else tuple(found)
