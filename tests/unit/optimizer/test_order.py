"""The cheapest tree of joins: as good as the best of all trees, whatever the graph."""

import random
from functools import cache

import pytest

from groundswell.optimizer.model import Graph, Table, Tree, inputs, text
from groundswell.optimizer.order import MOST, best_tree, pairs


def random_graph(seed: int) -> Graph:
    """Up to six inputs; a class is shared by two or three of them, so cycles and stars occur."""
    rng = random.Random(seed)
    count = rng.randint(2, 6)
    keys: list[dict[int, float]] = [{} for _ in range(count)]
    for number in range(rng.randint(1, 2 * count)):
        for at in rng.sample(range(count), min(count, rng.choice([2, 2, 3]))):
            keys[at][number] = 10 ** rng.uniform(0, 6)
    return Graph(
        [
            Table(
                10 ** rng.uniform(0, 6),
                own,
                width=rng.choice([8, 100, 1000]),
                changes=rng.choice([None, 0.0, 10 ** rng.uniform(0, 6)]),
            )
            for own in keys
        ]
    )


def connected(graph: Graph, nodes: int) -> bool:
    seen = rest = nodes & -nodes
    while rest:
        node = rest & -rest
        rest ^= node
        new = graph.neighbours[node.bit_length() - 1] & nodes & ~seen
        seen |= new
        rest |= new
    return seen == nodes


def splits(graph: Graph, nodes: int) -> list[tuple[int, int]]:
    """All ways to make a connected set of two connected ones, from the definition."""
    return [
        (left, nodes ^ left)
        for left in range(1, nodes)
        if left & nodes == left
        and left < nodes ^ left
        and connected(graph, left)
        and connected(graph, nodes ^ left)
    ]


def trees(graph: Graph, nodes: int) -> list[Tree]:
    @cache
    def of(part: int) -> tuple[Tree, ...]:
        if part & (part - 1) == 0:
            return (part.bit_length() - 1,)
        return tuple(
            (a, b) for left, right in splits(graph, part) for a in of(left) for b in of(right)
        )

    return list(of(nodes))


@pytest.mark.parametrize("seed", range(60))
def test_no_tree_costs_less(seed: int) -> None:
    graph = random_graph(seed)
    every = (1 << len(graph.tables)) - 1
    found = best_tree(graph)
    if not connected(graph, every):
        assert found is None
        return
    assert found is not None
    assert inputs(found) == every
    least = min(graph.cost(tree).total for tree in trees(graph, every))
    assert graph.cost(found).total == pytest.approx(least)


@pytest.mark.parametrize("seed", range(30))
def test_each_pair_of_connected_sets_is_looked_at_once(seed: int) -> None:
    graph = random_graph(seed)
    seen = [frozenset(pair) for pair in pairs(graph.neighbours)]
    wanted = {
        frozenset(pair)
        for nodes in range(1, 1 << len(graph.tables))
        if connected(graph, nodes)
        for pair in splits(graph, nodes)
    }
    assert len(seen) == len(set(seen))
    assert set(seen) == wanted


@pytest.mark.parametrize("seed", range(10))
def test_the_rows_of_a_set_do_not_depend_on_how_it_was_joined(seed: int) -> None:
    """What makes the search exact: costs are asked in another order, and are the same."""
    graph, again = random_graph(seed), random_graph(seed)
    sets = list(range(1, 1 << len(graph.tables)))
    assert [graph.rows(s) for s in sets] == [again.rows(s) for s in reversed(sets)][::-1]


def test_an_input_that_changes_often_comes_last() -> None:
    """Of a chain: what its changes meet is kept joined, and they pass one join, not two."""

    def chain_with(changes: tuple[float, float, float]) -> str:
        names = ("a", "b", "c")
        keys = ({0: 1000.0}, {0: 1000.0, 1: 1000.0}, {1: 1000.0})
        tables = [Table(1000, k, changes=c) for k, c in zip(keys, changes, strict=True)]
        found = best_tree(Graph(tables))
        assert found is not None
        return text(found, names)

    assert chain_with((1000, 1, 1)) == "(a ⋈ (b ⋈ c))"
    assert chain_with((1, 1, 1000)) == "((a ⋈ b) ⋈ c)"


def test_more_inputs_than_can_be_searched_are_left_as_they_are() -> None:
    tables = [Table(10, {0: 10.0})] * (MOST + 1)
    assert best_tree(Graph(tables)) is None
    assert best_tree(Graph(tables[:4])) is not None
