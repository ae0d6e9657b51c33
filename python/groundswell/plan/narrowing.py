"""Plans a view as it was planned when its sources had fewer columns.

A source may get columns that a view does not read. Spark's optimizer then drops them by a
projection above the source. The view computes the same from the same columns, but its plan has one
operator more, and states are named after plans. So the columns are left out of the source instead.

A view of all columns (``SELECT *``) has those that there were when it was made.

A table may have lost columns, or have others in their place of a wider type, none of which the view
reads. Its plan still names them: they are put into it, and nobody asks for their values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import count
from typing import Any

from groundswell.plan import nodes as n

_NUMBER = re.compile(r" c\d+(?=, |$)")


Choices = Mapping[str, Collection[str]]
"""By id of a source, the lists of columns that a definition names for it, as text."""


@dataclass(frozen=True)
class Known:
    """What a definition says of sources.

    Attributes:
        choices: by id of a source, the lists of columns that it names for it, as text.
        tables: ids of those that may have lost columns.
    """

    choices: Choices
    tables: Collection[str]

    def outputs(self, leaf: n.Placeholder) -> Iterator[tuple[n.Column, ...]]:
        """The columns that a source may have had."""
        for columns in self.choices.get(leaf.source, ()):
            found = _named(leaf.output, columns)
            if not found and leaf.source in self.tables:
                found = _with_lost(leaf.output, columns)
            if found:
                yield found


def narrowed(
    node: n.Node,
    definition: Sequence[str],
    sources: Mapping[str, Collection[str]],
    tables: Collection[str] = (),
) -> n.Node:
    """The plan over the source columns that a definition names, where it needs no others.

    Args:
        node: the plan.
        definition: the text of the view's definition, see :mod:`groundswell.plan.definition`.
        sources: by id of a source, how a definition describes it. Views that are read are not
            sources.
        tables: ids of the sources that may have lost columns.

    Returns:
        The plan without unread columns of sources and the projections that dropped them. A source
        whose columns the definition does not name stays as it is.
    """
    return _narrowed(node, Known(_choices(definition, sources), tables))


def as_before(
    node: n.Node,
    definition: Sequence[str],
    sources: Mapping[str, Collection[str]],
    tables: Collection[str] = (),
) -> n.Node:
    """The plan without the columns that sources have got since, also where it passes them on.

    Args:
        node: the plan.
        definition: see :func:`narrowed`.
        sources: see :func:`narrowed`.
        tables: see :func:`narrowed`.

    Returns:
        The plan, as it is if something is computed of such a column.
    """
    known = Known(_choices(definition, sources), tables)
    gone: set[str] = set()
    outputs: dict[int, tuple[n.Column, ...]] = {}
    for leaf in _leaves(node):
        for output in known.outputs(leaf):
            outputs[leaf.id] = output
            gone |= {c.ref for c in leaf.output} - {c.ref for c in output}
            break
    try:
        return _rid(node, gone, outputs) if outputs else node
    except _UsedError:
        return node


class _UsedError(Exception):
    """Something is computed of a column that is to go."""


def _leaves(node: n.Node) -> list[n.Placeholder]:
    own = [node] if isinstance(node, n.Placeholder) else []
    return own + [leaf for child in node.children for leaf in _leaves(child)]


def _rid(
    node: n.Node, gone: Collection[str], outputs: Mapping[int, tuple[n.Column, ...]]
) -> n.Node:
    if isinstance(node, n.Placeholder):
        return replace(node, output=outputs.get(node.id, node.output))
    changes: dict[str, Any] = {
        "output": tuple(c for c in node.output if c.ref not in gone),
        "children": tuple(_rid(child, gone, outputs) for child in node.children),
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


def _narrowed(node: n.Node, known: Known) -> n.Node:
    if isinstance(node, n.Project) and _only_drops(node):
        below = _without(node.child, {c.ref for c in node.output}, known)
        if below is not None:
            return below if below.output == node.output else replace(node, children=(below,))
    if isinstance(node, n.Placeholder) and node.source in known.tables:
        return _dropping(node, known)
    return replace(node, children=tuple(_narrowed(child, known) for child in node.children))


def _dropping(node: n.Placeholder, known: Known) -> n.Node:
    """A table that has lost the columns that a projection above it has dropped; or as it is."""
    for output in known.outputs(node):
        if {c.ref for c in output} > {c.ref for c in node.output}:
            exprs = tuple(
                n.Expression(
                    "", c.name, c.type, c.nullable, (c.ref,), True, c.ref, True, reads=(c.ref,)
                )
                for c in node.output
            )
            below = replace(node, output=output)
            return n.Project(id=node.id, output=node.output, children=(below,), exprs=exprs)
    return node


def _only_drops(node: n.Project) -> bool:
    """Whether a projection gives columns of its input, unchanged and in their order."""
    given = {c.ref for c in node.output}
    return (
        tuple(c for c in node.child.output if c.ref in given) == node.output
        and len(node.exprs) == len(node.output)
        and all(e.refs == (c.ref,) for e, c in zip(node.exprs, node.output, strict=True))
    )


def _without(node: n.Node, needed: set[str], known: Known) -> n.Node | None:
    """A source below filters with the columns that are known; None: with none of its choices."""
    match node:
        case n.Placeholder():
            for output in known.outputs(node):
                if needed <= {c.ref for c in output}:
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


def _with_lost(output: tuple[n.Column, ...], columns: str) -> tuple[n.Column, ...]:
    """The columns of a table that a text names, with those that it has no more; or none.

    Which of them these are is told by names and types. A type that has others within is not read.
    """
    texts = {f"{n.without_ids(c.name)}: {c.type}": c for c in output}
    found: list[n.Column] = []
    while columns:
        part = _PART.match(columns)
        if part is None:
            return ()
        name, type_ = part.groups()
        lost = n.Column(f"a{next(_LOST)}", name, type_, True)
        found.append(texts.get(part.group(0), lost))
        columns = columns[part.end() + 2 :]
    return tuple(found)


_PART = re.compile(r"(\S+): ([\w(),]+)(?=, \S+: |$)")
_LOST = count(10**9)
"""Numbers refs of columns that there are no more: those of a session count from 1."""
