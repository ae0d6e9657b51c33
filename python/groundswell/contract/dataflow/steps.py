"""What is done to rows one by one, in generated code."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import Int, Tagged
from groundswell.contract.dataflow.operators import OperatorSpec


class Step(Tagged):
    """One step of a stateless operator."""


@dataclass(frozen=True)
class Project(Step, kind="project"):
    """The projection of a node.

    Attributes:
        node: of the captured plan.
        carry: refs of columns that are passed on besides.
    """

    node: Int
    carry: tuple[str, ...] = ()


@dataclass(frozen=True)
class Results(Step, kind="results"):
    """The projection that an aggregate makes of its groups.

    Attributes:
        node: of the captured plan.
        carry: refs of columns that are passed on besides.
    """

    node: Int
    carry: tuple[str, ...] = ()


@dataclass(frozen=True)
class Filter(Step, kind="filter"):
    """The condition of a node.

    Attributes:
        node: of the captured plan.
    """

    node: Int


@dataclass(frozen=True)
class Where(Step, kind="where"):
    """A condition.

    Attributes:
        condition: id of the expression.
    """

    condition: str


@dataclass(frozen=True)
class Present(Step, kind="present"):
    """Rows in which a column is not null.

    Attributes:
        column: its ref.
    """

    column: str


@dataclass(frozen=True)
class AttemptSpec:
    """An expression that may fail, or what rows are kept by, which may be too long for a key.

    Attributes:
        expr: its id; None: it is a key.
        when: id of the condition under which it is evaluated, or kept; None: always.
        text: in SQL's words.
        key: refs of its columns.
        exprs: ids of its expressions.
        most: bytes that they may have together.
        ordered: whether they are written to sort.
    """

    expr: str | None
    when: str | None
    text: str
    key: tuple[str, ...] = ()
    exprs: tuple[str, ...] = ()
    most: int = 0
    ordered: bool = False


@dataclass(frozen=True)
class Digests(Step, kind="digests"):
    """Rows for which no expression fails.

    Attributes:
        attempts: the expressions.
        failed: whether just the other rows are wanted.
    """

    attempts: tuple[AttemptSpec, ...]
    failed: bool


@dataclass(frozen=True)
class Evaluate(Step, kind="evaluate"):
    """Adds the values of a node's Python functions.

    Attributes:
        node: of the captured plan.
    """

    node: Int


@dataclass(frozen=True)
class Expand(Step, kind="expand"):
    """A row for each projection of a node.

    Attributes:
        node: of the captured plan.
        carry: refs of columns that are passed on besides.
        branch: ref of the column that gets the projection's number; None: nobody asks.
    """

    node: Int
    carry: tuple[str, ...] = ()
    branch: str | None = None


@dataclass(frozen=True)
class Generate(Step, kind="generate"):
    """Adds the columns of a node's generator.

    Attributes:
        node: of the captured plan.
    """

    node: Int


@dataclass(frozen=True)
class ComputedColumn:
    """The value of an expression.

    Attributes:
        ref: of the column.
        expr: id of the expression.
        when: id of the condition without which it is null; None: there is none.
    """

    ref: str
    expr: str
    when: str | None = None


@dataclass(frozen=True)
class Compute(Step, kind="compute"):
    """Adds columns.

    Attributes:
        values: the columns.
    """

    values: tuple[ComputedColumn, ...]


@dataclass(frozen=True)
class Bucket(Step, kind="bucket"):
    """Adds a number that equal values of some columns have in common.

    Attributes:
        of: refs of these columns.
        count: how many numbers there are.
        ref: of the column that is added.
    """

    of: tuple[str, ...]
    count: Int
    ref: str


@dataclass(frozen=True)
class MappedColumn:
    """A column under another name, or a value that all rows have.

    Attributes:
        to: ref of the column that is given.
        of: ref of the column whose value it is; None: it is ``literal``.
        literal: the value; None: null.
    """

    to: str
    of: str | None = None
    literal: int | None = None


@dataclass(frozen=True)
class Select(Step, kind="select"):
    """Exactly some columns.

    Attributes:
        columns: these.
    """

    columns: tuple[MappedColumn, ...]


@dataclass(frozen=True, kw_only=True)
class StatelessSpec(OperatorSpec, kind="stateless"):
    """Does steps one after the other.

    Attributes:
        steps: these.
    """

    steps: tuple[Step, ...]
