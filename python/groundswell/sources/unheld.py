"""Values of servers that Spark's types do not hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Unheld:
    """A value that Spark's type does not hold.

    Attributes:
        value: as the server has it.
        why: what the type holds.
    """

    value: str
    why: str


@dataclass(frozen=True)
class Values:
    """The values of one column.

    Attributes:
        array: of Arrow, null where a value is not held.
        unheld: those values, by their places.
    """

    array: pa.Array
    unheld: Mapping[int, Unheld] = field(default_factory=dict)


def values_of(
    values: Sequence[ValueT | None],
    made: Callable[[Sequence[ValueT | None]], pa.Array],
    why: Callable[[ValueT, Exception], str],
) -> Values:
    """A column's values, each that is not held by itself.

    Args:
        values: as the server has them.
        made: makes Arrow's of them, or raises.
        why: what to say of one that it raises for.
    """
    import pyarrow as pa

    failures = (pa.ArrowException, ValueError, ArithmeticError, LookupError, TypeError)
    try:
        return Values(made(values))
    except failures:
        pass
    held = list(values)
    unheld = {}
    for at, value in enumerate(values):
        if value is None:
            continue
        try:
            made([value])
        except failures as e:
            held[at] = None
            unheld[at] = Unheld(str(value), why(value, e))
    return Values(made(held), unheld)
