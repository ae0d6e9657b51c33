"""Types of columns, each with a few values: the odd ones of the type among them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from pyspark.sql import types as t

INFINITE, NOT_A_NUMBER = float("inf"), float("nan")
COLLATED = "string collate UTF8_LCASE"


@dataclass(frozen=True)
class Kind:
    """A type as DDL says it, and values of it. ``key``: whether they can identify a row."""

    ddl: str
    values: tuple[Any, ...]
    key: bool = True

    def value(self, rng: random.Random) -> Any:
        """One of the values, or None."""
        return None if rng.random() < 0.15 else rng.choice(self.values)


SIMPLE = (
    Kind("boolean", (True, False)),
    Kind("tinyint", (0, 1, -1, 100)),
    Kind("int", (0, 1, 2, -7)),
    Kind("bigint", (0, 1, 2, 3, 2**40)),
    Kind("float", (0.0, -0.0, 1.5, -2.5, NOT_A_NUMBER)),
    Kind("double", (0.0, -0.0, 0.5, 3.0, INFINITE, NOT_A_NUMBER)),
    Kind("decimal(9,2)", (Decimal("0.00"), Decimal("1.50"), Decimal("-3.25"))),
    Kind("decimal(30,4)", (Decimal("0.0000"), Decimal("1.5000"), Decimal(10**12))),
    Kind("string", ("", "a", "A", "ab c", "é#1")),
    Kind(COLLATED, ("", "a", "A", "b", "B"), key=False),
    Kind("binary", (b"", b"\x00", b"\x00\xff", b"a")),
    Kind("date", (date(1969, 12, 31), date(2024, 2, 29), date(2024, 3, 1))),
    Kind(
        "timestamp",
        tuple(
            datetime(*at, tzinfo=UTC)
            for at in [(1969, 12, 31, 23, 59, 59, 1), (2024, 3, 10, 7), (2024, 3, 10, 6, 59)]
        ),
    ),
    Kind("timestamp_ntz", (datetime(1969, 12, 31, 23), datetime(2024, 3, 10, 2, 30, 0, 5))),
)


def kind(rng: random.Random) -> Kind:
    """A type: four of five are simple, the others an array, a struct or a map of simple ones."""
    inner, other = (rng.choice([k for k in SIMPLE if k.ddl != COLLATED]) for _ in range(2))
    match rng.randrange(15):
        case 0:
            rows = ([], [inner.value(rng)], [None, inner.value(rng)], [inner.values[0]] * 2)
            return Kind(f"array<{inner.ddl}>", rows, key=False)
        case 1:
            pairs = tuple({"a": inner.value(rng), "b": other.value(rng)} for _ in range(4))
            return Kind(f"struct<a: {inner.ddl}, b: {other.ddl}>", pairs, key=False)
        case 2:
            maps = ([], [("x", inner.value(rng))], [("y", inner.values[0]), ("x", None)])
            return Kind(f"map<string, {inner.ddl}>", maps, key=False)
        case _:
            return rng.choice(SIMPLE)


def is_comparable(type_: t.DataType) -> bool:
    """Whether it has an equality and an order: maps and variants have none."""
    match type_:
        case t.MapType() | t.VariantType():
            return False
        case t.ArrayType():
            return is_comparable(type_.elementType)
        case t.StructType():
            return all(is_comparable(field.dataType) for field in type_.fields)
        case _:
            return True


def is_collated(type_: t.DataType) -> bool:
    """Whether it is a string of which several different ones are equal."""
    return isinstance(type_, t.StringType) and type_.collation != "UTF8_BINARY"


def holds_collated(type_: t.DataType) -> bool:
    """Whether such a string is in it."""
    return "collate" in type_.simpleString()
