"""Aggregates over lists of values; pickled by value, for workers may have Spark only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class OfLists:
    """A function of lists as one of Arrow's arrays.

    Attributes:
        function: takes a list for each argument, with None for null.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *columns: Any) -> Any:
        """Calls it with lists."""
        return self.function(*(column.to_pylist() for column in columns))
