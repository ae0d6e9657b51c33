"""What of an operator may fail on a single row: an expression, or a key that is too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundswell.plan.nodes import Expression

MOST_KEY = 1 << 20
"""Bytes of a key that a state takes (``InternalKey.MAX_USER_KEY``)."""


@dataclass(frozen=True)
class Attempt:
    """An expression that is evaluated for every row, or for those for which ``when`` is true."""

    expr: Expression
    when: Expression | None = None

    @property
    def refs(self) -> tuple[str, ...]:
        """The columns it reads."""
        return self.expr.refs + (self.when.refs if self.when else ())


@dataclass(frozen=True)
class KeyAttempt:
    """What rows are kept by in a state, and whose values may be too long for that.

    Attributes:
        columns: refs of columns.
        sql: as a query says it, ``GROUP BY`` them.
        exprs: expressions that are evaluated for it, beside the columns.
        most: how many bytes they may have together, as a row.
        ordered: whether they are written to sort, in which some values take more bytes.
        when: a condition of the rows that are kept; None: all are.
    """

    columns: tuple[str, ...]
    sql: str
    exprs: tuple[Expression, ...] = ()
    most: int = MOST_KEY
    ordered: bool = False
    when: Expression | None = None

    @property
    def refs(self) -> tuple[str, ...]:
        """The columns it reads."""
        exprs = self.exprs if self.when is None else (*self.exprs, self.when)
        return (*self.columns, *(ref for expr in exprs for ref in expr.refs))
