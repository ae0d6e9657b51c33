"""Gives the joins of several views one form, so that they share one state. Pure.

Of the sites of one text (:mod:`groundswell.optimizer.sites`), whatever views they are in:

- filters stay above the join, if another view has it without them;
- the join keeps the columns that any of the views needs.

Both is decided once, when a view begins, and noted in the checkpoint's definition. A view that
begins later takes what an older one keeps, if that is enough; else it has a state of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from groundswell.optimizer.rules import is_on
from groundswell.optimizer.sites import Side, Site, all_sites, ordered, tops
from groundswell.plan import nodes as n
from groundswell.plan.definition import definition, digest
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Hidden, Stream, derive, scans


@dataclass(frozen=True)
class Form:
    """What was decided for one site.

    Attributes:
        columns: positions of those that it keeps, ascending.
        lifted: positions, among its conditions in the order of their texts, of those that stay
            above it.
    """

    columns: tuple[int, ...]
    lifted: tuple[int, ...] = ()

    def json(self) -> dict[str, list[int]]:
        """What the definition notes."""
        return {"columns": list(self.columns), "lifted": list(self.lifted)}


Noted = Sequence[Mapping[str, Any]]
"""What a definition notes of a view: for each of its sites, outermost first."""


@dataclass(frozen=True)
class Sharing:
    """How the forms of joins are found.

    Attributes:
        search: whether views that begin get canonical forms.
        begun: what is noted of views that are there: they keep it.
        anew: those that get canonical forms though the others do not.
    """

    search: bool = False
    begun: Mapping[str, Noted] | None = None
    anew: Collection[str] = ()


@dataclass(frozen=True)
class Shaped:
    """A view's query in its form.

    Attributes:
        root: the query.
        forms: of its sites, outermost first.
    """

    root: n.Node
    forms: tuple[Form, ...]


@dataclass(eq=False)
class _Decision:
    """Of one site.

    Attributes:
        noted: what its view began with.
        like: a site of a view that is there, whose form it takes.
        out: ids of the parts of conditions that a site above it lifts.
        needed: refs that are read above it.
        base: texts of the conditions that stay below it.
        lifted: ids of those that it lifts itself.
        columns: positions of what it keeps; None: it is not decided on.
    """

    noted: Form | None = None
    like: Site | None = None
    out: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    base: frozenset[str] = frozenset()
    lifted: frozenset[str] = frozenset()
    columns: frozenset[int] | None = None


@dataclass(frozen=True)
class _View:
    root: n.Node
    tops: tuple[Site, ...]
    keys: Mapping[int, tuple[str, ...] | None]


def shape(
    roots: Mapping[str, n.Node],
    streams: Mapping[str, Stream],
    sources: Mapping[str, SourceTable],
    sharing: Sharing,
) -> dict[str, Shaped]:
    """The queries of views with their inner joins in canonical form.

    Args:
        roots: the queries whose joins may be changed, by name.
        streams: of all views, as they are written.
        sources: by id.
        sharing: how.

    Returns:
        By name, those of ``roots`` that have a form: of views that begin, all with a site.
    """
    begun = sharing.begun or {}
    views = {
        name: _read(root, streams, streams[name], sources)
        for name, root in roots.items()
        if begun.get(name, sharing.search or name in sharing.anew)
    }
    decided: dict[Site, _Decision] = {}
    for name, view in list(views.items()):
        found = list(all_sites(view.tops))
        noted = _noted(begun[name], found) if name in begun else [None] * len(found)
        if not found or noted is None:
            del views[name]
            continue
        for site, form in zip(found, noted, strict=True):
            decided[site] = _Decision(noted=form)
            if id(site.join) in view.keys:
                shown = (c.ref for c in site.join.output)
                key = view.keys[id(site.join)] or ()
                decided[site].needed = frozenset((*shown, *key))
    _decide(decided)
    return {
        name: Shaped(
            _Builder(view.keys, decided).node(view.root, view.tops),
            tuple(_form(site, decided[site]) for site in all_sites(view.tops)),
        )
        for name, view in views.items()
    }


def _read(
    root: n.Node,
    streams: Mapping[str, Stream],
    written: Stream,
    sources: Mapping[str, SourceTable],
) -> _View:
    """The sites of a view, and by ``id`` of a topmost join its key as the query is written."""

    def text_of(node: n.Node, found: tuple[Site, ...]) -> str:
        full = _Builder({}, {}).node(node, found)
        whole = n.Pick(id=-1, output=full.output, children=(full,))
        return _text(derive(whole, sources, Hidden(), streams))

    found = tops(root, text_of)
    known = {id(s.node): s.key for s in _streams(written)}
    keys: dict[int, tuple[str, ...] | None] = {}
    for top in _region_tops(found):
        refs = {c.ref for c in top.columns}
        key = known[id(top.join)]
        keys[id(top.join)] = key if key is not None and refs.issuperset(key) else None
    return _View(root, found, keys)


def _region_tops(found: Iterable[Site]) -> Iterator[Site]:
    """The sites that are no input of a site themselves."""
    for top in found:
        yield top
        for site in _region(top):
            for side in site.sides:
                if side.site is None:
                    yield from _region_tops(side.tops)


def _region(site: Site) -> Iterator[Site]:
    yield site
    for side in site.sides:
        if side.site is not None:
            yield from _region(side.site)


def _streams(stream: Stream) -> Iterator[Stream]:
    yield stream
    for below in stream.inputs:
        yield from _streams(below)


def _text(stream: Stream) -> str:
    views = [digest(s.view) for s in scans(stream) if s.view is not None]
    return "\n".join([*definition(stream), *views])


def _noted(noted: Noted, found: Sequence[Site]) -> list[Form] | None:
    """None if it does not fit: the query is another one."""
    forms = [Form(tuple(each["columns"]), tuple(each["lifted"])) for each in noted]
    if len(forms) != len(found):
        return None
    for form, site in zip(forms, found, strict=True):
        columns, lifted = set(form.columns), set(form.lifted)
        if not columns <= set(range(len(site.columns))):
            return None
        if not lifted <= set(range(len(site.conditions))):
            return None
    return forms


def _decide(decided: Mapping[Site, _Decision]) -> None:
    """Larger sites first: what they need of those below them is known then."""
    levels: dict[tuple[int, str], list[Site]] = defaultdict(list)
    for site in decided:
        levels[-site.size, site.bare].append(site)
    for _, alike in sorted(levels.items(), key=lambda level: level[0]):
        there = [s for s in alike if decided[s].noted is not None]
        new = [s for s in alike if decided[s].noted is None]
        for site in there:
            _take_noted(site, decided[site])
        for site in new:
            _adopt(site, decided[site], there, decided)
        free = [s for s in new if decided[s].columns is None]
        bases = {_left(s, decided[s]) for s in free}
        groups: dict[frozenset[str], set[int]] = defaultdict(set)
        for site in free:
            own = _left(site, decided[site])
            _lift(site, decided[site], _least(own, bases) if is_on("filters late") else own)
            groups[decided[site].base] |= _needs(site, decided[site])
        for site in free:
            decided[site].columns = frozenset(groups[decided[site].base])
        for site in alike:
            _pass_down(site, decided)


def _left(site: Site, decision: _Decision) -> frozenset[str]:
    """Texts of the conditions that nothing above it has lifted."""
    return frozenset(
        text
        for text, parts in site.conditions.items()
        if not all(part.id in decision.out for part in parts)
    )


def _least(own: frozenset[str], others: Iterable[frozenset[str]]) -> frozenset[str]:
    """The fewest conditions that another one keeps, if all of them are its own, too."""
    fitting = [other for other in others if other <= own]
    return min(fitting, key=lambda texts: (len(texts), sorted(texts)), default=own)


def _lift(site: Site, decision: _Decision, base: frozenset[str]) -> None:
    decision.base = base
    decision.lifted = frozenset(
        part.id
        for text, parts in site.conditions.items()
        if text not in base
        for part in parts
        if part.id not in decision.out
    )


def _take_noted(site: Site, decision: _Decision) -> None:
    assert decision.noted is not None
    texts = sorted(site.conditions)
    lifted = {texts[i] for i in decision.noted.lifted}
    _lift(site, decision, _left(site, decision) - lifted)
    # what it needs is there, or the query is another one: then the definitions differ
    decision.columns = frozenset(decision.noted.columns) | _needs(site, decision)


def _adopt(
    site: Site, decision: _Decision, there: Iterable[Site], decided: Mapping[Site, _Decision]
) -> None:
    """Takes the form of a site of a view that is there, if it fits; the least one."""
    fitting: list[tuple[int, Site]] = []
    for other in [decision.like] if decision.like is not None else there:
        base, columns = decided[other].base, decided[other].columns
        assert columns is not None
        _lift(site, decision, base)
        if base <= _left(site, decision) and _needs(site, decision) <= columns:
            fitting.append((len(columns), other))
    if fitting:
        _, other = min(fitting, key=lambda each: each[0])
        decision.like = other
        decision.columns = decided[other].columns
        _lift(site, decision, decided[other].base)
    else:
        decision.like, decision.lifted = None, frozenset()


def _needs(site: Site, decision: _Decision) -> frozenset[int]:
    return site.positions(decision.needed | {r for p in _above(site, decision) for r in p.refs})


def _above(site: Site, decision: _Decision) -> list[n.Expression]:
    """What stands directly above it: what it lifts, and its own condition."""
    parts = [p for each in site.conditions.values() for p in each if p.id in decision.lifted]
    return [*parts, *(part for part in site.residual if part.id not in decision.out)]


def _pass_down(site: Site, decided: Mapping[Site, _Decision]) -> None:
    decision = decided[site]
    assert decision.columns is not None
    kept = {site.columns[i].ref for i in decision.columns}
    for at, side in enumerate(site.sides):
        if side.site is not None:
            below = decided[side.site]
            below.out = decision.out | decision.lifted
            filters = _stay(side, decision)
            read = {ref for e in (*side.keys, *filters) for ref in e.refs}
            below.needed = frozenset(read | (kept & {c.ref for c in side.columns}))
        for i, inner in enumerate(side.tops):
            decided[inner].like = None if decision.like is None else decision.like.sides[at].tops[i]


def _stay(side: Side, decision: _Decision) -> list[n.Expression]:
    """The side's own filters that nothing above lifts."""
    lifted = decision.out | decision.lifted
    return [part for part in side.filters if part.id not in lifted]


def _form(site: Site, decision: _Decision) -> Form:
    assert decision.columns is not None
    texts = sorted(site.conditions)
    lifted = [
        i
        for i, text in enumerate(texts)
        if any(part.id in decision.lifted for part in site.conditions[text])
    ]
    return Form(tuple(sorted(decision.columns)), tuple(lifted))


class _Builder:
    """Makes nodes; a site without a decision keeps all columns, and lifts nothing."""

    def __init__(
        self,
        keys: Mapping[int, tuple[str, ...] | None],
        decided: Mapping[Site, _Decision],
    ) -> None:
        self._keys = keys
        self._decided = decided

    def node(self, node: n.Node, found: Sequence[Site]) -> n.Node:
        """A part of a query with the sites that are in it."""
        sites = {id(top.join): top for top in found}

        def visit(node: n.Node) -> n.Node:
            if id(node) in sites:
                return self._top(sites[id(node)])
            children = tuple(map(visit, node.children))
            same = all(a is b for a, b in zip(children, node.children, strict=True))
            return node if same else replace(node, children=children)

        return visit(node)

    def _top(self, site: Site) -> n.Node:
        """With the columns of the query, as it has them."""
        return n.Pick(
            id=site.join.id,
            output=site.join.output,
            children=(self._site(site),),
            key=self._keys.get(id(site.join)),
        )

    def _site(self, site: Site) -> n.Node:
        decision = self._decided.get(site) or _Decision(
            columns=frozenset(range(len(site.columns))), base=frozenset(site.conditions)
        )
        assert decision.columns is not None
        left, right = site.sides
        output = tuple(site.columns[i] for i in sorted(decision.columns))
        join = n.Join(
            id=site.join.id,
            output=output,
            children=(self._side(left, decision), self._side(right, decision)),
            left_keys=left.keys,
            right_keys=right.keys,
            residual=None,
        )
        whole = n.Pick(id=site.join.id, output=output, children=(join,))
        return _filtered(whole, _above(site, decision), site.join.id)

    def _side(self, side: Side, decision: _Decision) -> n.Node:
        below = self._site(side.site) if side.site else self.node(side.below, side.tops)
        return _filtered(below, _stay(side, decision), side.below.id)


def _filtered(node: n.Node, parts: Iterable[n.Expression], own: int) -> n.Node:
    for part in ordered(parts, node.output):
        node = n.Filter(id=own, output=node.output, children=(node,), condition=part, partial=True)
    return node
