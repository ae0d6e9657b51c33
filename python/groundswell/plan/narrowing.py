"""Plans a view as it was planned when its sources had fewer columns.

A source may get columns that a view does not read. Spark's optimizer then drops them by a
projection above the source. The view computes the same from the same columns, but its plan has one
operator more, and states are named after plans. So the columns are left out of the source instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from groundswell.plan import nodes as n

_NUMBER = re.compile(r" c\d+(?=, |$)")


Choices = Mapping[str, Collection[str]]
"""By id of a source, the lists of columns that a definition names for it, as text."""


def narrowed(
    node: n.Node, definition: Sequence[str], sources: Mapping[str, Collection[str]]
) -> n.Node:
    """The plan over the source columns that a definition names, where it needs no others.

    Args:
        node: the plan.
        definition: the text of the view's definition, see :mod:`groundswell.plan.definition`.
        sources: by id of a source, how a definition describes it. Views that are read are not
            sources.

    Returns:
        The plan without unread columns of sources and the projections that dropped them. A source
        whose columns the definition does not name stays as it is.
    """
    lines = [line.strip().rpartition(" -> ") for line in definition]
    known = {
        source: dict.fromkeys(
            _NUMBER.sub("", columns) for described, _, columns in lines if described in texts
        )
        for source, texts in sources.items()
    }
    return _narrowed(node, known)


def _narrowed(node: n.Node, known: Choices) -> n.Node:
    if isinstance(node, n.Project) and _only_drops(node):
        below = _without(node.child, {c.ref for c in node.output}, known)
        if below is not None:
            return below if below.output == node.output else replace(node, children=(below,))
    return replace(node, children=tuple(_narrowed(child, known) for child in node.children))


def _only_drops(node: n.Project) -> bool:
    """Whether a projection gives columns of its input, unchanged and in their order."""
    given = {c.ref for c in node.output}
    return (
        tuple(c for c in node.child.output if c.ref in given) == node.output
        and len(node.exprs) == len(node.output)
        and all(e.refs == (c.ref,) for e, c in zip(node.exprs, node.output, strict=True))
    )


def _without(node: n.Node, needed: set[str], known: Choices) -> n.Node | None:
    """A source below filters with the columns that are known; None: with none of its choices."""
    match node:
        case n.StandIn():
            for columns in known.get(node.source, ()):
                output = _named(node.output, columns)
                if output and needed <= {c.ref for c in output}:
                    return replace(node, output=output)
        case n.Filter():
            below = _without(node.child, needed | set(node.condition.refs), known)
            if below is not None and node.output == node.child.output:
                return replace(node, output=below.output, children=(below,))
    return None


def _named(output: tuple[n.Column, ...], columns: str) -> tuple[n.Column, ...]:
    """The columns of a source that a text names, all of it and in this order; else none."""
    found = []
    for column in output:
        text = f"{n.without_ids(column.name)}: {column.type}"
        if columns == text or columns.startswith(f"{text}, "):
            found.append(column)
            columns = columns[len(text) + 2 :]
    return () if columns else tuple(found)
