"""How many rows an input has, and how many distinct values a column of it. Pure.

From the rows that states of the newest epoch have, where there are any; else from defaults, after
Selinger et al., "Access Path Selection in a Relational Database Management System", 1979.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from groundswell.optimizer.model import Table
from groundswell.optimizer.regions import Region
from groundswell.plan import nodes as n
from groundswell.plan.sources import Mode, SourceTable

KEYED_ROWS = 1_000.0
"""Rows of a table of which nothing is known."""

APPENDED_ROWS = 10_000.0
"""Rows of an append-only source of which nothing is known: it only grows."""

VALUES = 0.1
"""Distinct values for each row, of a column that is no key."""

GROUPS = 0.1
"""Groups for each row of an aggregate's input."""

_SELECTED = (
    (re.compile(r"isnotnull\(", re.IGNORECASE), 1.0),
    (re.compile(r"\bOR\b"), 0.4),
    (re.compile(r"\bIN\b|\bINSET\b", re.IGNORECASE), 0.2),
    (re.compile(r"\bLIKE\b|Contains\(|StartsWith\(|EndsWith\(", re.IGNORECASE), 0.25),
    (re.compile(r"<=|>=|<(?!=>)|(?<!<=)>"), 0.3),
    (re.compile(r"="), 0.1),
)
"""What is in a condition, and the share of rows for which it is true: the first that is there."""


def tables_of(
    region: Region, sources: Mapping[str, SourceTable], sizes: Mapping[str, float]
) -> list[Table]:
    """The inputs of a region as the model takes them.

    Args:
        region: the joins.
        sources: by id.
        sizes: rows that are there, by name of the source or view.
    """
    rows = [max(1.0, rows_of(below, sources, sizes)) for below in region.inputs]
    keys: list[dict[int, float]] = [{} for _ in region.inputs]
    for number, same in enumerate(region.classes):
        found = {m.input: _values(region.inputs[m.input], m.key, sources, sizes) for m in same}
        unique = [values for values, is_key in found.values() if is_key]
        for at, (values, is_key) in found.items():
            # what refers to a key has no other values than it
            keys[at][number] = values if is_key else min([values, *unique])
    return [
        Table(size, own, _width(below), name=_name(below, sources))
        for size, own, below in zip(rows, keys, region.inputs, strict=True)
    ]


def rows_of(node: n.Node, sources: Mapping[str, SourceTable], sizes: Mapping[str, float]) -> float:
    """Expected rows of a part of a query."""
    match node:
        case n.Placeholder():
            table = sources[node.source]
            known = sizes.get(table.name)
            appended = table.mode is Mode.APPEND
            return known if known else APPENDED_ROWS if appended else KEYED_ROWS
        case n.Filter():
            return rows_of(node.child, sources, sizes) * selected(node.condition.sql)
        case n.Aggregate():
            return rows_of(node.child, sources, sizes) * GROUPS if node.grouping else 1.0
        case n.TopN():
            return min(float(node.limit), rows_of(node.child, sources, sizes))
        case n.Union():
            return sum(rows_of(below, sources, sizes) for below in node.children)
        case n.Join(kind=n.JoinKind.LEFT_SEMI | n.JoinKind.LEFT_ANTI):
            return rows_of(node.children[0], sources, sizes) / 2
        case _:
            return max((rows_of(below, sources, sizes) for below in node.children), default=1.0)


def selected(condition: str) -> float:
    """The share of rows for which a condition, in SQL, is taken to be true."""
    share = 1.0
    for part in re.split(r"\bAND\b", condition):
        share *= next((rate for pattern, rate in _SELECTED if pattern.search(part)), 1.0)
    return share


def _values(
    node: n.Node,
    key: n.Expression,
    sources: Mapping[str, SourceTable],
    sizes: Mapping[str, float],
) -> tuple[float, bool]:
    """Distinct values of a key, those included that filters drop, and whether it is unique."""
    ref = key.column
    while isinstance(node, n.Filter | n.Project) and ref is not None:
        if isinstance(node, n.Project):
            ref = next((e.column for e in node.exprs if (e.out or e.column) == ref), None)
        node = node.child
    rows = max(1.0, rows_of(node, sources, sizes))
    if isinstance(node, n.Placeholder) and ref is not None:
        name = next((c.name for c in node.output if c.ref == ref), "")
        own = sources[node.source].key
        if name in own:
            return max(1.0, rows ** (1 / len(own))), len(own) == 1
    if isinstance(node, n.Aggregate) and node.grouping == (ref,):
        return rows, True
    return max(1.0, rows * VALUES), False


def _width(node: n.Node) -> float:
    """Bytes a row, by the types of what the query takes of it."""
    return sum(20.0 if c.type == "string" else 8.0 for c in node.output) or 8.0


def _name(node: n.Node, sources: Mapping[str, SourceTable]) -> str:
    if isinstance(node, n.Placeholder):
        return sources[node.source].name
    return "+".join(_name(below, sources) for below in node.children) or type(node).__name__
