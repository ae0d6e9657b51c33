"""Pieces of random queries, one small module a family; importing a module registers its pieces.

Every relation has columns ``k bigint, g bigint, v double``, so that any piece fits on any other. A
piece is a function that takes a :class:`~incremental.random_plans.Maker` and gives a SELECT; it
asks the maker for its inputs (``maker.source()``) and for choices (``maker.pick``). To add an
operator, write one more decorated function, in a module that is imported at the end of this file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incremental.random_plans import Maker

Piece = Callable[["Maker"], str]
PIECES: list[Piece] = []


def piece(weight: int = 1) -> Callable[[Piece], Piece]:
    """Registers a function; one of ``weight`` n is chosen n times as often."""

    def register(function: Piece) -> Piece:
        PIECES.extend([function] * weight)
        return function

    return register


from incremental.pieces import (  # noqa: E402
    aggregates,  # noqa: F401
    generators,  # noqa: F401
    joins,  # noqa: F401
    rows,  # noqa: F401
    subqueries,  # noqa: F401
    windows,  # noqa: F401
)
