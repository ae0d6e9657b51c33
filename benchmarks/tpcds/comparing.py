"""Whether a view has the rows of batch Spark, ties under a LIMIT left to each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

Rows = list[tuple[Any, ...]]
_LIMITED = re.compile(r"\bORDER\s+BY\b((?:(?!\bORDER\s+BY\b).)*?)\bLIMIT\s+\d+\s*$", re.I | re.S)
_DIRECTION = re.compile(r"\s+(?:ASC|DESC|NULLS\s+(?:FIRST|LAST))\b", re.I)


def plain(value: Any) -> Any:
    """Doubles by twelve digits, since sums of doubles depend on the order; decimals are exact."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.12g}") + 0.0
    return value.normalize() if isinstance(value, Decimal) else value


def bag(rows: Rows) -> Counter[str]:
    return Counter(repr(tuple(map(plain, row))) for row in rows)


def difference(
    text: str, columns: Sequence[str], view: Rows, batch: Rows, all_rows: Callable[[str], Rows]
) -> str | None:
    """None if the rows are the same.

    Of a query with a LIMIT the rows are the same, too, if they have the same values of the columns
    in its ORDER BY, and all are rows of the query without the LIMIT.

    Args:
        all_rows: computes a query.
    """
    found, wanted = bag(view), bag(batch)
    if found == wanted:
        return None
    limited = _LIMITED.search(text)
    if limited:
        at = _keys(limited[1], [c.lower() for c in columns])
        ordered = [
            Counter(repr([plain(row[i]) for i in at]) for row in rows) for rows in (view, batch)
        ]
        whole = bag(all_rows(text[: limited.start()]))
        if at and ordered[0] == ordered[1] and not found - whole:
            return None
    return f"only in the view {_few(found - wanted)}; only in batch {_few(wanted - found)}"


def _few(rows: Counter[str]) -> str:
    return f"{sum(rows.values())} rows, as {list(rows)[:3]}"


def _keys(order: str, columns: list[str]) -> list[int]:
    """Positions of the columns that a query is ordered by, up to the first that is not there."""
    depth, part, parts = 0, "", []
    for sign in order + ",":
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            parts.append(_DIRECTION.sub("", part).strip().strip('"').lower())
            part = ""
        else:
            part += sign
    found = []
    for name in parts:
        if name.isdigit():
            found.append(int(name) - 1)
        elif name in columns:
            found.append(columns.index(name))
        elif name.rpartition(".")[2] in columns:
            found.append(columns.index(name.rpartition(".")[2]))
        else:
            break
    return found
