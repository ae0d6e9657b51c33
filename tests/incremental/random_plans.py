"""Random queries and random changes for them.

Every relation has columns ``k bigint, g bigint, v double``, so that any operator fits on any other.
Values are few and small: groups collide, joins meet, rows repeat, doubles are exact.
"""

import random
from collections.abc import Iterator
from typing import Any

TABLES = {"t": "appended", "u": "upserted", "c": "changed"}
SCHEMA = "id bigint, k bigint, g bigint, v double"


class Queries:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.aliases = 0

    def query(self, depth: int) -> str:
        """A query of up to ``depth`` operators on its longest path."""
        kinds = (
            ["base"]
            if depth == 0
            else [
                "filter",
                "project",
                "union",
                "join",
                "join",
                "group",
                "group",
                "distinct",
                "global",
                "top",
            ]
        )
        make = getattr(self, "_" + self.rng.choice(kinds))
        text: str = make(depth - 1)
        return text

    def _from(self, depth: int) -> tuple[str, str]:
        self.aliases += 1
        name = f"r{self.aliases}"
        return f"({self.query(self.rng.randint(0, max(depth, 0)))}) {name}", name

    def _base(self, _depth: int) -> str:
        return f"select k, g, v from {self.rng.choice(list(TABLES))}"

    def _filter(self, depth: int) -> str:
        source, _ = self._from(depth)
        return f"select * from {source} where {self._condition()}"

    def _condition(self) -> str:
        return self.rng.choice(
            [
                "v > 1",
                "k is not null",
                "k % 2 = 0",
                "g < 2 or v is null",
                "k <> g",
                "v between 0 and 3",
            ]
        )

    def _project(self, depth: int) -> str:
        source, _ = self._from(depth)
        return (
            f"select {self.rng.choice(['g', 'k + 1', 'k % 2', 'coalesce(k, g)'])} as k, "
            f"{self.rng.choice(['k', 'g', 'g * 2', 'cast(null as bigint)'])} as g, "
            f"{self.rng.choice(['v', 'v * 2', 'k + v', 'cast(k as double)'])} as v from {source}"
        )

    def _union(self, depth: int) -> str:
        (a, _), (b, _) = self._from(depth), self._from(depth)
        return f"select * from {a} union all select * from {b}"

    def _join(self, depth: int) -> str:
        (a, left), (b, right) = self._from(depth), self._from(depth)
        more = self.rng.choice(["", "", f" and {left}.v < {right}.v", f" and {left}.g = {right}.g"])
        key = self.rng.choice(["k", "g"])
        return (
            f"select {left}.k, {right}.g, {left}.v + {right}.v as v from {a} join {b} "
            f"on {left}.{key} = {right}.{self.rng.choice(['k', key])}{more}"
        )

    def _value(self) -> str:
        return self.rng.choice(
            [
                "cast(count(*) as double)",
                "cast(count(v) as double)",
                "sum(v)",
                "min(v)",
                "max(v)",
                "avg(v)",
                "cast(count(distinct v) as double)",
                "sum(v) filter (where v > 1)",
                "cast(max(g) as double)",
                "sum(distinct v)",
            ]
        )

    def _group(self, depth: int) -> str:
        source, _ = self._from(depth)
        count = self.rng.choice(["count(*)", "count(distinct g)", "min(g)", "max(g)"])
        having = self.rng.choice(["", "", " having count(*) > 1"])
        return f"select k, {count} as g, {self._value()} as v from {source} group by k{having}"

    def _global(self, depth: int) -> str:
        source, _ = self._from(depth)
        return f"select max(k) as k, count(*) as g, {self._value()} as v from {source}"

    def _distinct(self, depth: int) -> str:
        source, _ = self._from(depth)
        return f"select distinct k, g, v from {source}"

    def _top(self, depth: int) -> str:
        source, _ = self._from(depth)
        first = self.rng.choice(["v desc", "v", "k desc nulls first", "g nulls last"])
        offset = self.rng.choice(["", "", f" offset {self.rng.randint(1, 2)}"])
        # all columns are in the order: rows that tie are the same row
        return (
            f"select k, g, v from {source} order by {first}, k, g, v "
            f"limit {self.rng.randint(1, 5)}{offset}"
        )


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

    def steps(self, count: int) -> Iterator[dict[str, list[dict[str, Any]]]]:
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
        old, new = self.changed.pop(number, None), self.row(number)
        if old is None:
            self.changed[number] = new
            return [{"_change_type": "insert", **new}]
        if self.rng.random() < 0.4:
            return [{"_change_type": "delete", **old}]
        self.changed[number] = new
        return [
            {"_change_type": "update_preimage", **old},
            {"_change_type": "update_postimage", **new},
        ]
