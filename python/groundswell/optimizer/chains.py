"""In which order a change looks up the other tables of a delta join. Pure.

Greedy, after the solver of RisingWave's design: at each step the index that needs no shuffle, then
the one with the least expected rows. Tables and columns are numbers here: what must be equal across
tables is one *class* of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """An index that a table can be looked up by.

    Attributes:
        name: of the index.
        columns: classes of the index columns, in their order.
        rows: rows it has.
        keys: distinct index keys it has.
        hot: hashes of the keys that have very many rows.
    """

    name: str
    columns: tuple[int, ...]
    rows: float = 1.0
    keys: float = 1.0
    hot: tuple[int, ...] = ()

    @property
    def place(self) -> int:
        """The class that rows are placed by: the first."""
        return self.columns[0]

    @property
    def fan_out(self) -> float:
        """Rows that one lookup is expected to find."""
        return self.rows / self.keys if self.keys > 0 else 0.0


@dataclass(frozen=True)
class Relation:
    """An input of the join: the classes of its join columns, and its indexes."""

    classes: frozenset[int]
    indexes: tuple[Candidate, ...]


@dataclass(frozen=True)
class Step:
    """One lookup.

    Attributes:
        relation: whose index is looked up.
        rows: expected rows after it, for one change.
        shuffle: whether the rows must move to where the index is.
    """

    relation: int
    index: Candidate
    rows: float
    shuffle: bool


@dataclass(frozen=True)
class Chain:
    """The changes of one table, beside all others.

    Attributes:
        start: whose changes.
        source: index whose changes are already where the first lookup is; None: the input's own.
    """

    start: int
    source: str | None
    steps: tuple[Step, ...]

    @property
    def shuffles(self) -> int:
        """How often the rows move."""
        return sum(step.shuffle for step in self.steps)


def solve(relations: Sequence[Relation]) -> tuple[Chain, ...] | None:
    """A chain for each relation, or None if some relation cannot be looked up from another."""
    chains = [chain(start, relations) for start in range(len(relations))]
    return None if None in chains else tuple(c for c in chains if c is not None)


def chain(start: int, relations: Sequence[Relation]) -> Chain | None:
    """The chain for one relation's changes."""
    bound = set(relations[start].classes)
    left = [i for i in range(len(relations)) if i != start]
    places = {c.place: c.name for c in relations[start].indexes}
    source: str | None = None
    steps: list[Step] = []
    rows = 1.0
    while left:
        options = [
            Step(i, index, rows * index.fan_out, index.place not in places)
            for i in left
            for index in relations[i].indexes
            if bound.issuperset(index.columns)
        ]
        if not options:
            return None
        # of equally good ones the longer key: fewer rows are found only to be dropped
        best = min(options, key=lambda s: (s.shuffle, s.rows, -len(s.index.columns), s.relation))
        if not steps:
            source = places.get(best.index.place)
        steps.append(best)
        rows = best.rows
        places = {best.index.place: best.index.name}
        bound |= relations[best.relation].classes
        left.remove(best.relation)
    return Chain(start, source, tuple(steps))
