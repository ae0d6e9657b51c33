"""Python's functions over groups and tables, which are wrapped before a query is captured."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import Int, SparkType


@dataclass(frozen=True)
class FunctionColumn:
    """A column that a function takes.

    Attributes:
        at: its position in the list of rows.
        name: its name; of a keyword ``=`` and the keyword.
    """

    at: Int
    name: str


@dataclass(frozen=True)
class FunctionDescription:
    """A function that is to take lists of rows.

    Attributes:
        call: which call of it.
        name: its name.
        kind: ``PythonEvalType`` of the call.
        command: the function as Spark pickled it, base64.
        returns: the type of a row or value that it gives.
        keys: how many columns the group's key has.
        columns: of each list, the columns that it takes.
    """

    call: int
    name: str
    kind: Int
    command: str
    returns: SparkType
    keys: Int
    columns: tuple[tuple[FunctionColumn, ...], ...]


@dataclass(frozen=True)
class FunctionDescriptions:
    """All that is to be wrapped.

    Attributes:
        functions: in the order in which they stand.
    """

    functions: tuple[FunctionDescription, ...]
