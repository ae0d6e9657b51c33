"""What a sink says of a column that its target lacks."""

from __future__ import annotations

from collections.abc import Iterable

from groundswell.errors import SinkError
from groundswell.likeness import meant


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
