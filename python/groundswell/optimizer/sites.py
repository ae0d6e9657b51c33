"""Inner equi-joins of a query in a form that does not depend on how it was written. Pure.

A *site* is such a join whose expressions cannot fail. Its inputs stand in the order of their texts,
its keys too. Projections below it that only leave columns out are not there: what is kept is
decided by :mod:`groundswell.optimizer.sharing`. Filters below it are taken apart, and their parts
ordered; those that only say that a key has a value are left out, since a row without matches
nothing. So queries that are written differently have sites of one text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from groundswell.optimizer.regions import is_free, is_safe, pruned
from groundswell.optimizer.rules import is_on
from groundswell.plan import nodes as n

_HAS_VALUE = re.compile(r"\(([^()]+) IS NOT NULL\)")


@dataclass(eq=False)
class Side:
    """One input of a site.

    Attributes:
        below: what is joined, below filters and projections.
        filters: the parts of the filters above it.
        keys: what of it must equal the other side's, in the order of the site's keys.
        tops: the sites in it; of a join that is a site, itself.
        text: what it is, without its filters.
    """

    below: n.Node
    filters: tuple[n.Expression, ...]
    keys: tuple[n.Expression, ...]
    tops: tuple[Site, ...]
    text: str = ""

    @property
    def site(self) -> Site | None:
        """Itself, if it is a site."""
        return self.tops[0] if self.tops and self.tops[0].join is self.below else None

    @property
    def columns(self) -> tuple[n.Column, ...]:
        """All that it has."""
        return self.below.output if self.site is None else self.site.columns


@dataclass(eq=False)
class Site:
    """A join.

    Attributes:
        join: as the query has it.
        sides: in order.
        residual: the parts of what must hold besides the equalities.
        columns: all that its sides have.
        bare: stands for what is joined, without filters.
        conditions: by text, the parts of filters that decide which rows it keeps.
        size: how many sites it has, itself included.
    """

    join: n.Join
    sides: tuple[Side, Side]
    residual: tuple[n.Expression, ...]
    columns: tuple[n.Column, ...] = ()
    bare: str = ""
    conditions: dict[str, tuple[n.Expression, ...]] = field(default_factory=dict)
    size: int = 1

    @property
    def below(self) -> Iterator[Site]:
        """The sites next below it."""
        for side in self.sides:
            yield from side.tops

    def positions(self, refs: Iterable[str]) -> frozenset[int]:
        """Where its columns of these refs are."""
        wanted = set(refs)
        return frozenset(i for i, c in enumerate(self.columns) if c.ref in wanted)


TextOf = Callable[[n.Node, "tuple[Site, ...]"], str]
"""What an input is that is no site; it may have sites."""


def tops(node: n.Node, text_of: TextOf) -> tuple[Site, ...]:
    """The topmost sites of a query, left to right."""
    found = _site(node, text_of)
    if found is not None:
        return (found,)
    return tuple(site for child in node.children for site in tops(child, text_of))


def all_sites(found: Iterable[Site]) -> Iterator[Site]:
    """With those below them, each before those in it."""
    for site in found:
        yield site
        yield from all_sites(site.below)


def ordered(parts: Iterable[n.Expression], columns: Iterable[n.Column]) -> list[n.Expression]:
    """Parts of a condition, each once, in an order that does not depend on the query."""
    place = {c.ref: i for i, c in enumerate(columns)}
    found = {_meaning(part, place): part for part in parts}
    return [found[text] for text in sorted(found)]


def _site(node: n.Node, text_of: TextOf) -> Site | None:
    if not is_free(node):
        return None
    assert isinstance(node, n.Join)
    residual = _parts(node.residual) if node.residual else ()
    sides = [
        _side(child, keys, text_of)
        for child, keys in zip(node.children, (node.left_keys, node.right_keys), strict=True)
    ]
    refs = [c.ref for side in sides for c in side.columns]
    read = {ref for e in (*residual, *node.left_keys, *node.right_keys) for ref in e.refs}
    known = set(refs)
    if len(known) < len(refs) or not read <= known or not _all_there(node, known):
        return None
    return _canonical(node, sides, residual)


def _all_there(node: n.Join, known: set[str]) -> bool:
    return all(c.ref in known for c in node.output)


def _canonical(node: n.Join, sides: list[Side], residual: tuple[n.Expression, ...]) -> Site:
    pairs: list[list[tuple[str, n.Expression]]] = []
    for side in sides:
        place = {c.ref: i for i, c in enumerate(side.columns)}
        pairs.append([(_meaning(key, place), key) for key in side.keys])
    texts = [
        [side.text, *sorted(text for text, _ in keys)]
        for side, keys in zip(sides, pairs, strict=True)
    ]
    first, second = (1, 0) if texts[1] < texts[0] and is_on("order of inputs") else (0, 1)
    keys = list(zip(pairs[first], pairs[second], strict=True))
    if is_on("order of keys"):
        keys.sort(key=lambda pair: (pair[0][0], pair[1][0]))
    left, right = sides[first], sides[second]
    left.keys = tuple(_may_be_null(key) for (_, key), _ in keys)
    right.keys = tuple(_may_be_null(key) for _, (_, key) in keys)
    columns = (*left.columns, *right.columns)
    place = {c.ref: i for i, c in enumerate(columns)}
    words = [left.text, right.text, *(f"{a[0]} = {b[0]}" for a, b in keys)]
    site = Site(
        node,
        (left, right),
        residual,
        columns,
        hashlib.sha256("\n".join(words).encode()).hexdigest()[:16],
        {},
        1 + sum(below.size for side in sides for below in side.tops),
    )
    for part in _deciding(site):
        text = _meaning(part, place)
        site.conditions[text] = (*site.conditions.get(text, ()), part)
    return site


def _deciding(site: Site) -> Iterator[n.Expression]:
    """The parts of filters, and of conditions of joins, below it."""
    for side in site.sides:
        yield from side.filters
        if side.site is not None:
            yield from side.site.residual
            yield from _deciding(side.site)


def _may_be_null(key: n.Expression) -> n.Expression:
    """A filter that says it is not may stand above it now."""
    return key if key.column is not None else replace(key, nullable=True)


def _side(node: n.Node, keys: tuple[n.Expression, ...], text_of: TextOf) -> Side:
    parts: list[n.Expression] = []
    while True:
        node = pruned(node) if is_on("columns late") else node
        if not isinstance(node, n.Filter) or not _is_divisible(node):
            break
        parts += _parts(node.condition)
        node = node.child
    plain = {key.column for key in keys if key.column is not None and is_on("no null keys")}
    filters = tuple(part for part in parts if _never_null(part) not in plain)
    found = tops(node, text_of)
    side = Side(node, filters, keys, found)
    side.text = side.site.bare if side.site is not None else text_of(node, found)
    return side


def _is_divisible(node: n.Filter) -> bool:
    own = [c for c in node.child.output if c.ref in node.condition.refs]
    return (
        not node.divert
        and all(map(is_safe, _parts(node.condition)))
        # what Groundswell itself adds to a source has a meaning for keys
        and not any(c.name.startswith("_groundswell") for c in own)
    )


def _parts(condition: n.Expression) -> tuple[n.Expression, ...]:
    return condition.parts if condition.parts and is_on("parts of conditions") else (condition,)


def _never_null(part: n.Expression) -> str | None:
    """The column of which it says that it has a value, if it says only that."""
    plain = len(part.refs) == 1 and _HAS_VALUE.fullmatch(part.meaning)
    return part.refs[0] if plain else None


def _meaning(expr: n.Expression, place: Mapping[str, int]) -> str:
    read = " ".join(str(place[ref]) for ref in expr.reads or expr.refs)
    return f"{expr.meaning} [{read}]"
