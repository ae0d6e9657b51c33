"""The cheapest tree of joins, by dynamic programming over connected subgraphs. Pure.

DPccp, after Moerkotte and Neumann, "Analysis of Two Existing and One New Dynamic Programming
Algorithm for the Generation of Optimal Bushy Join Trees without Cross Products", VLDB 2006: each
pair of connected sets with an edge between them is looked at once, subsets before their supersets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundswell.optimizer.model import Graph, Tree

MOST = 10
"""Inputs up to which the order is searched: a clique of so many has some 28,000 pairs."""


def best_tree(graph: Graph) -> Tree | None:
    """The tree without cross products that costs least.

    Returns:
        The tree; None if not all inputs are connected, or they are more than :data:`MOST`. Of trees
        of equal cost the first one found; the left side of a join has its first input.
    """
    count = len(graph.tables)
    if not 0 < count <= MOST:
        return None
    found: dict[int, tuple[float, Tree]] = {1 << i: (0.0, i) for i in range(count)}
    for left, right in pairs(graph.neighbours):
        work, state = graph.join(left, right)
        a_cost, a_tree = found[left]
        b_cost, b_tree = found[right]
        total = a_cost + b_cost + work + graph.price * state
        known = found.get(left | right)
        if known is None or total < known[0]:
            found[left | right] = (total, (a_tree, b_tree))
    whole = found.get((1 << count) - 1)
    return None if whole is None else whole[1]


def pairs(neighbours: Sequence[int]) -> Iterator[tuple[int, int]]:
    """All pairs of connected, disjoint sets with an edge between them, each once.

    Args:
        neighbours: by node, the set of its neighbours, as bits.
    """
    for start in range(len(neighbours) - 1, -1, -1):
        below = (2 << start) - 1
        for left in _connected(neighbours, 1 << start, below):
            yield from ((left, right) for right in _complements(neighbours, left))


def _connected(neighbours: Sequence[int], seed: int, without: int) -> Iterator[int]:
    """A set, and all connected ones that it grows into without nodes of another, smaller first."""
    yield seed
    around = _around(neighbours, seed) & ~without
    if around:
        for more in _subsets(around):
            yield from _connected(neighbours, seed | more, without | around)


def _complements(neighbours: Sequence[int], left: int) -> Iterator[int]:
    lowest = left & -left
    without = (2 * lowest - 1) | left
    around = _around(neighbours, left) & ~without
    rest = around
    while rest:
        start = 1 << (rest.bit_length() - 1)
        rest ^= start
        below = (2 * start - 1) & around
        yield from _connected(neighbours, start, without | below)


def _around(neighbours: Sequence[int], nodes: int) -> int:
    found = 0
    rest = nodes
    while rest:
        node = rest & -rest
        rest ^= node
        found |= neighbours[node.bit_length() - 1]
    return found & ~nodes


def _subsets(of: int) -> Iterator[int]:
    """All but the empty one, smaller numbers first."""
    subset = of & -of
    while subset:
        yield subset
        subset = (subset - of) & of
