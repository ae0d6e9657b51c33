"""Python table functions, as functions that give the rows of one call as an array.

Spark makes one object of the class for all rows of a partition; a view makes one for each row, so
that a row's result is its own and can be taken back. Runs in Python's workers, where this package
may be missing: so it is pickled by value, and needs nothing of this package but :mod:`commands`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql.types import ArrayType, DataType, StructType

from groundswell.jvm.commands import load

KINDS = (300, 301)
"""What Spark calls these kinds of functions (``PythonEvalType``)."""


class TableFunction:
    """One table function of the user.

    Args:
        command: its class, as Spark pickled it.
        returns: the columns of its rows.
        names: of its arguments; "=" stands before the name of one that is given by name.
    """

    def __init__(self, command: bytes, returns: StructType, names: Sequence[str]) -> None:
        self.command = command
        self.returns = returns
        self.names = list(names)

    @property
    def result(self) -> DataType:
        """Of a call."""
        return ArrayType(self.returns, False)

    def __call__(self, *values: Any) -> list[Any]:
        """The rows of one call."""
        given = list(zip(self.names, values, strict=True))
        named = {name[1:]: value for name, value in given if name.startswith("=")}
        table = load(self.command)()
        rows = table.eval(*[v for name, v in given if not name.startswith("=")], **named)
        return list(self._checked(rows))

    def _checked(self, rows: Any) -> Iterator[tuple[Any, ...]]:
        for row in rows or ():
            if len(row) != len(self.returns):
                raise ValueError(
                    f"a table function gave {row!r}; it was declared with the columns "
                    f"{self.returns.fieldNames()}"
                )
            yield tuple(row)
