"""Random queries and random changes for them: see :mod:`incremental.pieces`.

Values are few and small: groups collide, joins meet, rows repeat, doubles are exact.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

TABLES = ("t", "u", "c")
"""Appended to, upserted into, changed."""
SCHEMA = "id bigint, k bigint, g bigint, v double"
T = TypeVar("T")


class Maker:
    """Makes queries of up to ``depth`` pieces on their longest path, over tables or views."""

    def __init__(self, rng: random.Random, depth: int, names: Sequence[str] = TABLES) -> None:
        self.rng = rng
        self.depth = depth
        self.names = names
        self.aliases = 0

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return self.rng.choice(choices)

    def query(self) -> str:
        """A SELECT of k, g, v."""
        from incremental.pieces import PIECES

        if self.depth == 0:
            return f"select k, g, v from {self.pick(self.names)}"
        depth = self.depth
        self.depth -= 1
        text = self.pick(PIECES)(self)
        self.depth = depth
        return text

    def source(self) -> tuple[str, str]:
        """A relation for a FROM clause, and its alias."""
        self.aliases += 1
        name = f"r{self.aliases}"
        depth = self.depth
        self.depth = self.rng.randint(0, depth)
        text = self.query()
        self.depth = depth
        return f"({text}) {name}", name

    def condition(self) -> str:
        """A condition on the columns."""
        return self.pick(
            [
                "v > 1",
                "k is not null",
                "k % 2 = 0",
                "g < 2 or v is null",
                "k <> g",
                "v between 0 and 3",
            ]
        )


Step = dict[str, list[dict[str, Any]]]


class Changes:
    """What happens to the three tables, step by step."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.next_id = 0
        self.changed: dict[int, dict[str, Any]] = {}

    def row(self, number: int) -> dict[str, Any]:
        pick = self.rng.choice
        return {
            "id": number,
            "k": pick([None, 0, 1, 2, 3]),
            "g": pick([None, 0, 1, 2]),
            "v": pick([None, 0.0, 0.5, 1.0, 2.0, 3.5, -1.0]),
        }

    def steps(self, count: int) -> Iterator[Step]:
        for _ in range(count):
            size = self.rng.choice([0, 1, 3, 8])
            yield {
                "t": [self.row(self._new()) for _ in range(size)],
                "u": [self._upsert() for _ in range(self.rng.choice([0, 2, 6]))],
                "c": [c for _ in range(self.rng.choice([0, 2, 5])) for c in self._change()],
            }

    def _new(self) -> int:
        self.next_id += 1
        return self.next_id

    def _upsert(self) -> dict[str, Any]:
        row = self.row(self.rng.randint(0, 8))
        return {**row, "gone": True} if self.rng.random() < 0.25 else row

    def _change(self) -> list[dict[str, Any]]:
        number = self.rng.randint(0, 6)
        return change(self.rng, self.changed, number, self.row(number))


def change(
    rng: random.Random, there: dict[int, dict[str, Any]], number: int, new: dict[str, Any]
) -> list[dict[str, Any]]:
    """A row that is not there comes; another is deleted, or updated to the new one."""
    old = there.pop(number, None)
    if old is None:
        there[number] = new
        return [{"_change_type": "insert", **new}]
    if rng.random() < 0.4:
        return [{"_change_type": "delete", **old}]
    there[number] = new
    return [
        {"_change_type": "update_preimage", **old},
        {"_change_type": "update_postimage", **new},
    ]
