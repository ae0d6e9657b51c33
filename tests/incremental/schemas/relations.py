"""Makes queries over tables of any schema."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructType

from groundswell.columns import quoted

T = TypeVar("T")
NAMES = ("a", "B", "group by", "x.y", "ü", "back`tick", "A_1", "to#1")
"""Names for columns that a query makes; some need quotes."""


@dataclass(frozen=True)
class Column:
    """``sql`` names it where the relation is in scope."""

    sql: str
    type: DataType


@dataclass(frozen=True)
class Relation:
    """A part of a FROM clause, and its columns."""

    sql: str
    columns: tuple[Column, ...]

    def having(self, fits: Callable[[DataType], bool]) -> list[Column]:
        """The columns of types that fit."""
        return [column for column in self.columns if fits(column.type)]


class Unsuitable(Exception):  # noqa: N818 (no error)
    """A piece finds no column that it could work on."""


class Maker:
    """Makes queries of up to ``depth`` pieces on their longest path."""

    def __init__(self, session: SparkSession, rng: random.Random) -> None:
        self.session, self.rng = session, rng
        self.names: Sequence[str] = ()
        self.aliases = 0
        self.made: Counter[str] = Counter()
        self.refused: dict[str, str] = {}

    def pick(self, choices: Sequence[T]) -> T:
        """One of them; without any, the piece is given up."""
        if not choices:
            raise Unsuitable
        return self.rng.choice(choices)

    def some(self, choices: Sequence[T], most: int) -> list[T]:
        """One to ``most`` different ones, in any order."""
        if not choices:
            raise Unsuitable
        return self.rng.sample(choices, self.rng.randint(1, min(most, len(choices))))

    def query(self, names: Sequence[str], depth: int) -> str:
        """A SELECT that Spark takes, over tables or views of these names."""
        self.names = names
        return self._analysed(depth)[0]

    def relation(self, depth: int) -> Relation:
        """A relation made of up to so many pieces, under an alias of its own."""
        text, schema = self._analysed(self.rng.randint(0, max(0, depth)))
        self.aliases += 1
        alias = f"r{self.aliases}"
        spelt = self.pick([str, str, str, str.swapcase])  # Spark does not mind
        columns = (Column(f"{alias}.{quoted(spelt(f.name))}", f.dataType) for f in schema.fields)
        return Relation(f"({text}) {alias}", tuple(columns))

    def select(self, values: Sequence[str]) -> str:
        """A select list that gives each value a name."""
        names = self.rng.sample(NAMES, min(len(values), len(NAMES)))
        return ", ".join(f"{v} as {quoted(n)}" for v, n in zip(values, names, strict=False))

    def _analysed(self, depth: int) -> tuple[str, StructType]:
        from incremental.schemas.pieces import PIECES

        while True:
            if depth <= 0:
                text = f"select * from {self.pick(self.names)}"
                return text, self.session.sql(text).schema
            piece = self.pick(PIECES)
            try:
                text = piece(self, depth - 1)
                schema = self.session.sql(text).schema
            except Unsuitable:
                continue
            except AnalysisException as e:
                self.refused[piece.__name__] = f"{e.getCondition()}: {text}"
                continue
            self.made[piece.__name__] += 1
            return text, schema
