"""Hash joins or a delta join, by one cost: the work behind a change, and the state kept. Pure.

A row of any input is taken to be as likely to change as any other. How many rows a key has, and how
many keys find some, is estimated as in every textbook: a lookup of an index with ``rows`` and
``keys``, from rows that have ``n`` distinct keys, finds ``rows / max(keys, n)``.

A delta join reads the others one after another, in indexes that are there anyway: it keeps nothing.
What hash joins cost is said in :mod:`groundswell.optimizer.model`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundswell.optimizer.chains import Relation, Step, chain
from groundswell.optimizer.model import Cost, Graph, Table, Tree, inputs


@dataclass(frozen=True)
class Estimate:
    """What each plan costs for one changed row, on average."""

    delta: Cost
    hashed: Cost

    @property
    def prefers_delta(self) -> bool:
        """Whether the indexes are the better plan."""
        return self.delta.total <= self.hashed.total

    def __str__(self) -> str:
        return (
            f"~{self.delta.work:.3g} rows of state a change by the indexes, which are kept anyway, "
            f"~{self.hashed.work:.3g} by hash joins, which keep {self.hashed.state:.3g} times the "
            f"inputs (worth {self.hashed.price:.3g} rows a change each time)"
        )


def estimate(relations: Sequence[Relation]) -> Estimate | None:
    """Compares the plans of a join of all inputs, left to right; None: they cannot be compared."""
    sizes = [max((c.rows for c in r.indexes), default=1.0) for r in relations]
    graph = Graph([_table(r, size) for r, size in zip(relations, sizes, strict=True)])
    tree = _left_to_right(graph)
    if tree is None:
        return None
    delta = 0.0
    for start, size in enumerate(sizes):
        found = chain(start, relations)
        if found is None:
            return None
        delta += size / sum(sizes) * _delta(start, found.steps, relations)
    return Estimate(Cost(delta, 0.0, graph.price), graph.cost(tree))


def _table(relation: Relation, rows: float) -> Table:
    """An index of several columns says of each that it has as many values as the others."""
    keys = dict.fromkeys(relation.classes, rows)
    for index in sorted(relation.indexes, key=lambda index: -len(index.columns)):
        each = index.keys ** (1 / len(index.columns))
        keys.update(dict.fromkeys(index.columns, each))
    return Table(rows, keys)


def _left_to_right(graph: Graph) -> Tree | None:
    """None if some input has nothing in common with those before it."""
    tree: Tree = 0
    for at in range(1, len(graph.tables)):
        if not graph.neighbours[at] & inputs(tree):
            return None
        tree = (tree, at)
    return tree


def _delta(start: int, steps: Iterable[Step], relations: Sequence[Relation]) -> float:
    rows, cost = 1.0, 0.0
    known = _Keys(relations[start])
    for step in steps:
        found = rows * known.found(step)
        cost += rows + found + (rows if step.shuffle else 0.0)
        rows = found
        known.bind(relations[step.relation])
    return cost


class _Keys:
    """How many distinct values the bound columns have."""

    def __init__(self, start: Relation) -> None:
        self._keys: dict[int, float] = {}
        self.bind(start)

    def bind(self, relation: Relation) -> None:
        for index in relation.indexes:
            if len(index.columns) == 1:
                (number,) = index.columns
                self._keys[number] = min(index.keys, self._keys.get(number, index.keys))

    def found(self, step: Step) -> float:
        """Rows that one lookup finds."""
        index = step.index
        asked = [self._keys[c] for c in index.columns if c in self._keys]
        return index.rows / max([index.keys, *asked])
