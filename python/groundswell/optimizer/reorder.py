"""Puts the joins of a query in the order that costs least. Pure.

What names a state is the plan below it, so the order is chosen once, when a view begins; it is
written into the checkpoint's definition, and what is there goes on as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from groundswell.optimizer.guesses import tables_of
from groundswell.optimizer.model import Cost, Graph, Table, Tree, inputs, text
from groundswell.optimizer.order import best_tree
from groundswell.optimizer.regions import build, region, regions
from groundswell.optimizer.rules import is_on
from groundswell.plan import nodes as n
from groundswell.plan.sources import SourceTable

WORTHWHILE = 0.8
"""Another order is taken if its cost is at most so much of that of the order as it is written."""

Order = Any
"""A tree as JSON has it, nested lists of two; None: as written."""


@dataclass(frozen=True)
class Choice:
    """What was considered for one region.

    Attributes:
        tables: its inputs, with what is expected of them.
        written: the order of the query.
        best: the one that costs least; None: none could be found or built.
        taken: the one that is used.
    """

    tables: tuple[Table, ...]
    written: Tree
    best: Tree | None
    taken: Tree

    @property
    def order(self) -> Order:
        """What the definition notes."""
        return None if self.taken == self.written else _listed(self.taken)

    def cost(self, tree: Tree) -> Cost:
        """Of one order."""
        return Graph(self.tables).cost(tree)

    def lines(self) -> Iterator[str]:
        """The alternatives, one a line."""
        names = [table.name for table in self.tables]
        sizes = ", ".join(f"{t.name} ~{t.rows:.3g} rows" for t in self.tables)
        yield f"Join order of {sizes}:"
        each = {"as written": self.written, "cheapest": self.best, "as begun": self.taken}
        if self.taken in (self.written, self.best):
            del each["as begun"]
        for what, tree in each.items():
            if tree is not None:
                mark = ", taken" if tree == self.taken else ""
                yield f"  {what}{mark}: {text(tree, names)}  {self.cost(tree)}"


@dataclass(frozen=True)
class Ordering:
    """How the orders of joins are found.

    Attributes:
        search: whether views that begin get the cheapest order; else that of the query.
        sizes: rows of sources and views, by name, where they are known.
        kept: rows of states, by name, where they are known.
        begun: the orders of views that are there: they keep them.
        anew: those of them that get the cheapest order, if it is cheaper than theirs.
        shown: whether the cheapest order is looked for in any case, to be shown.
    """

    search: bool = False
    sizes: Mapping[str, float] | None = None
    begun: Mapping[str, Sequence[Order]] | None = None
    kept: Mapping[str, float] | None = None
    anew: Collection[str] = ()
    shown: bool = False


def reorder(
    view: str, root: n.Node, sources: Mapping[str, SourceTable], ordering: Ordering
) -> tuple[n.Node, tuple[Choice, ...]]:
    """A view's query with its joins in order.

    A view with a watermark below it is left as it is: which side a watermark ends rows of depends
    on the order.

    Args:
        view: its name.
        root: the captured query.
        sources: by id.
        ordering: how.

    Returns:
        The query, and for each of its regions, outermost first, what was chosen.
    """
    begun = (ordering.begun or {}).get(view)
    chosen = view in ordering.anew or (begun is None and ordering.search)
    search = ordering.search or ordering.shown or chosen
    if not search and not any(begun or ()):
        return root, ()
    if any(sources[scan.source].event_time for scan in _scans(root)):
        return root, ()
    given = None if begun is None else iter(begun)
    choices: list[Choice] = []

    def visit(node: n.Node) -> n.Node:
        found = region(node)
        if found is None:
            below = tuple(map(visit, node.children))
            same = all(a is b for a, b in zip(below, node.children, strict=True))
            return node if same else replace(node, children=below)
        tables = tuple(tables_of(found, sources, ordering.sizes or {}))
        best = best_tree(Graph(tables)) if search else None
        choice = Choice(tables, found.written, best, found.written)
        taken = None if given is None else _read(next(given, None), len(tables))
        if chosen and is_on("join order"):
            cheaper = _is_worthwhile(choice, found.written if taken is None else taken)
            taken = best if cheaper else taken
        at = len(choices)
        choices.append(choice)
        children = list(map(visit, found.inputs))
        made = None if taken is None else build(found, taken, children)
        if made is not None and taken is not None:
            choices[at] = replace(choice, taken=taken)
            return made
        return _with_inputs(node, dict(zip(map(id, found.inputs), children, strict=True)))

    return visit(root), tuple(choices)


def _is_worthwhile(choice: Choice, now: Tree) -> bool:
    if choice.best is None:
        return False
    return choice.cost(choice.best).total <= WORTHWHILE * choice.cost(now).total


def expected(
    root: n.Node, sources: Mapping[str, SourceTable], sizes: Mapping[str, float]
) -> dict[int, float]:
    """Rows that each join of a region is expected to keep, by ``id`` of its node."""
    found: dict[int, float] = {}
    for each in regions(root, least=2):
        graph = Graph(tables_of(each, sources, sizes))
        for node, (left, right) in each.joins:
            found[id(node)] = graph.rows(inputs(left)) + graph.rows(inputs(right))
    return found


def _with_inputs(node: n.Node, others: Mapping[int, n.Node]) -> n.Node:
    """The joins as they are written, over other inputs."""
    if id(node) in others:
        return others[id(node)]
    below = tuple(_with_inputs(child, others) for child in node.children)
    same = all(a is b for a, b in zip(below, node.children, strict=True))
    return node if same else replace(node, children=below)


def _scans(node: n.Node) -> Iterator[n.Placeholder]:
    if isinstance(node, n.Placeholder):
        yield node
    for below in node.children:
        yield from _scans(below)


def _listed(tree: Tree) -> Order:
    return tree if isinstance(tree, int) else [_listed(tree[0]), _listed(tree[1])]


def _read(order: Order, count: int) -> Tree | None:
    """None if it is no order of so many inputs: the query is another one."""
    seen: list[int] = []

    def tree(part: Order) -> Tree:
        if isinstance(part, int):
            seen.append(part)
            return part
        left, right = part
        return (tree(left), tree(right))

    if order is None:
        return None
    found = tree(order)
    return found if sorted(seen) == list(range(count)) else None
