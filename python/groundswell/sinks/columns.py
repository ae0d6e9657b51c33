"""What a sink says of a column that its target lacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from groundswell.errors import SinkError
from groundswell.likeness import meant

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 300
"""Letters of a row that an error shows at most."""


def shown_row(rows: pa.Table, at: int, key: Sequence[str]) -> str:
    """A row by its key, or as a whole, for messages."""
    row = rows.slice(at, 1).select([n for n in key if n in rows.column_names] or rows.column_names)
    cells = [f"{n} = {c[0]}" for n, c in zip(row.column_names, row.columns, strict=True)]
    shown = ", ".join(cells)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def missing(target: str, name: str, there: Iterable[str], choice: str = "") -> SinkError:
    """The error for a column of the view that the target does not have.

    Args:
        target: kind and name, as ``Delta table /data/orders``.
        name: the column.
        there: names of the target's columns.
        choice: what else one can do than rename the column, as ``, or choose with ...``.
    """
    names = list(there)
    return SinkError(
        f"{target} has no column {name!r}; {meant(name, names)}Its columns are "
        f"{', '.join(names)}. Rename the column in the query{choice}"
    )
