"""Hash joins or a delta join, by the rows of state that a change touches. Pure.

A row of any input is taken to be as likely to change as any other. How many rows a key has, and how
many keys find some, is estimated as in every textbook: a lookup of an index with ``rows`` and
``keys``, from rows that have ``n`` distinct keys, finds ``rows / max(keys, n)``.

A delta join reads the others one after another. A hash join reads the rows of the other side, which
may be a join itself, kept; and writes what it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundswell.optimizer.chains import Candidate, Relation, Step, chain

WORTH = 4.0
"""Rows that a delta join may touch for each that hash joins touch: for the state that it saves."""


@dataclass(frozen=True)
class Estimate:
    """Rows of state read, written and moved for one changed row, on average."""

    delta: float
    hashed: float

    @property
    def prefers_delta(self) -> bool:
        """Whether the indexes are the better plan."""
        return self.delta <= WORTH * self.hashed

    def __str__(self) -> str:
        return (
            f"~{self.delta:.3g} rows of state a change by the indexes, which are kept anyway, "
            f"~{self.hashed:.3g} by hash joins, which keep their inputs (worth {WORTH:g} times)"
        )


def estimate(relations: Sequence[Relation]) -> Estimate | None:
    """Compares the plans of a join of all inputs, left to right; None: they cannot be compared."""
    sizes = [max((c.rows for c in r.indexes), default=1.0) for r in relations]
    delta = hashed = 0.0
    for start, size in enumerate(sizes):
        found = chain(start, relations)
        forward = _hash(start, relations)
        if found is None or forward is None:
            return None
        share = size / sum(sizes)
        delta += share * _delta(start, found.steps, relations)
        hashed += share * forward
    return Estimate(delta, hashed)


def _delta(start: int, steps: Iterable[Step], relations: Sequence[Relation]) -> float:
    rows, cost = 1.0, 0.0
    known = _Keys(relations[start])
    for step in steps:
        found = rows * known.found(step.index)
        cost += rows + found + (rows if step.shuffle else 0.0)
        rows = found
        known.bind(relations[step.relation])
    return cost


def _hash(start: int, relations: Sequence[Relation]) -> float | None:
    """One write and one probe a join, and what is found; the result goes into the next join."""
    rows, cost = 1.0, 0.0
    known = _Keys(relations[start])
    if start > 0:
        back = chain(start, relations[: start + 1])
        if back is None:
            return None
        for step in back.steps:
            rows *= known.found(step.index)
            known.bind(relations[step.relation])
        cost += 2.0 + rows
    for at in range(start + 1, len(relations)):
        usable = [c for c in relations[at].indexes if known.classes.issuperset(c.columns)]
        if not usable:
            return None
        found = rows * min(known.found(c) for c in usable)
        cost += 2.0 * rows + found
        rows = found
        known.bind(relations[at])
    return cost


class _Keys:
    """How many distinct values the bound columns have."""

    def __init__(self, start: Relation) -> None:
        self.classes: set[int] = set()
        self._keys: dict[int, float] = {}
        self.bind(start)

    def bind(self, relation: Relation) -> None:
        self.classes |= relation.classes
        for index in relation.indexes:
            if len(index.columns) == 1:
                (number,) = index.columns
                self._keys[number] = min(index.keys, self._keys.get(number, index.keys))

    def found(self, index: Candidate) -> float:
        """Rows that one lookup finds."""
        asked = [self._keys[c] for c in index.columns if c in self._keys]
        return index.rows / max([index.keys, *asked])
