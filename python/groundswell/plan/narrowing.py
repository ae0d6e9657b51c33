"""Plans a view as it was planned when its sources had fewer columns.

A source may get columns that a view does not read. Spark's optimizer then drops them by a
projection above the source. The view computes the same from the same columns, but its plan has one
operator more, and states are named after plans. So the columns are left out of the source instead.

A view of all columns (``SELECT *``) has those that there were when it was made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

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
    return _narrowed(node, _choices(definition, sources))


def as_before(
    node: n.Node, definition: Sequence[str], sources: Mapping[str, Collection[str]]
) -> n.Node:
    """The plan without the columns that sources have got since, also where it passes them on.

    Args:
        node: the plan.
        definition: see :func:`narrowed`.
        sources: see :func:`narrowed`.

    Returns:
        The plan, as it is if something is computed of such a column.
    """
    known = _choices(definition, sources)
    gone: set[str] = set()
    for leaf in _leaves(node):
        for columns in known.get(leaf.source, ()):
            if kept := {c.ref for c in _named(leaf.output, columns)}:
                gone |= {c.ref for c in leaf.output} - kept
                break
    try:
        return _rid(node, gone) if gone else node
    except _UsedError:
        return node


class _UsedError(Exception):
    """Something is computed of a column that is to go."""


def _leaves(node: n.Node) -> list[n.StandIn]:
    own = [node] if isinstance(node, n.StandIn) else []
    return own + [leaf for child in node.children for leaf in _leaves(child)]


def _rid(node: n.Node, gone: Collection[str]) -> n.Node:
    changes: dict[str, Any] = {
        "output": tuple(c for c in node.output if c.ref not in gone),
        "children": tuple(_rid(child, gone) for child in node.children),
    }
    if isinstance(node, n.Project):
        pairs = zip(node.output, node.exprs, strict=True)
        changes["exprs"] = tuple(
            e for c, e in pairs if not (c.ref in gone and set(e.refs) == {c.ref})
        )
    made = replace(node, **changes)
    if any(_reads(getattr(made, f.name), gone) for f in fields(made) if f.name not in changes):
        raise _UsedError
    if isinstance(made, n.Project) and any(_reads(e, gone) for e in made.exprs):
        raise _UsedError
    return made


def _reads(value: Any, gone: Collection[str]) -> bool:
    """Whether a field of a node names a column."""
    if isinstance(value, str):
        return value in gone
    if isinstance(value, tuple | list | frozenset | set):
        return any(_reads(each, gone) for each in value)
    if isinstance(value, Mapping):
        return any(_reads(key, gone) or _reads(each, gone) for key, each in value.items())
    return is_dataclass(value) and any(_reads(getattr(value, f.name), gone) for f in fields(value))


def _choices(definition: Sequence[str], sources: Mapping[str, Collection[str]]) -> Choices:
    lines = [line.strip().rpartition(" -> ") for line in definition]
    return {
        source: dict.fromkeys(
            _NUMBER.sub("", columns) for described, _, columns in lines if described in texts
        )
        for source, texts in sources.items()
    }


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
