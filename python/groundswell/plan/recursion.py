"""Recursive queries: what stands for their rows becomes operators over their derivations. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from groundswell.errors import NotIncremental
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.refusals import why_key_type
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Hidden, Stream, derive

ROUNDS = 1_000
"""So many levels a recursion may have by default."""
MOST_ROUNDS = (1 << 20) - 1
"""So many it may have at most: see the versions of its states in RFC 0013."""


@dataclass(frozen=True)
class Loop:
    """A captured recursion.

    Attributes:
        result: what the placeholder of its rows carries.
        feedback: what the placeholder of its rows within its step carries.
        derivations: its rows, each with its level as the last column.
        rank, bag, rounds: see :class:`~groundswell.plan.nodes.Recursion`.
    """

    result: str
    feedback: str
    derivations: n.Node
    rank: n.Rank | None = None
    bag: bool = False
    rounds: int = ROUNDS


def expanded(root: n.Node, loops: tuple[Loop, ...]) -> n.Node:
    """A query with the recursions themselves in the place of what stands for them.

    Raises:
        NotIncremental: a recursion is within the step of another one, and reads its rows.
    """
    results = {loop.result: loop for loop in loops}
    feedbacks = {loop.feedback: loop for loop in loops}

    def visit(node: n.Node, within: tuple[str, ...]) -> n.Node:
        if isinstance(node, n.Placeholder) and node.source in results:
            loop = results[node.source]
            _check_types(node)
            return n.Recursion(
                id=node.id,
                output=node.output,
                children=(visit(loop.derivations, (*within, loop.feedback)),),
                recursion="",
                rank=loop.rank,
                bag=loop.bag,
                rounds=loop.rounds,
            )
        if isinstance(node, n.Placeholder) and node.source in feedbacks:
            loop = feedbacks[node.source]
            if within[-1:] != (loop.feedback,):
                raise NotIncremental(
                    [
                        (
                            "a recursion within the step of another",
                            "it reads rows that the outer one is still making; write both as one, "
                            "with a column that says which of the two a row is of",
                        )
                    ]
                )
            return n.Feedback(
                id=node.id, output=node.output, recursion="", rank=loop.rank, bag=loop.bag
            )
        return replace(node, children=tuple(visit(child, within) for child in node.children))

    return visit(root, ()) if loops else root


def _check_types(node: n.Placeholder) -> None:
    """A ranked column is no key, and yet has to be put in order: the same types cannot."""
    refused = [(f"column {c.name} of a recursion", why_key_type(c.type)) for c in node.output]
    if found := [(what, why) for what, why in refused if why is not None]:
        raise NotIncremental(found)


def is_recursive(node: n.Node) -> bool:
    """Whether a query has a recursion."""
    return isinstance(node, n.Recursion) or any(map(is_recursive, node.children))


def named(node: n.Node, tables: Mapping[str, SourceTable], views: Mapping[str, Stream]) -> n.Node:
    """A query whose recursions have names: of what they compute, innermost first.

    Args:
        node: the query.
        tables: the sources, by id.
        views: the views that it may read, by name.
    """
    if not is_recursive(node):
        return node
    made = replace(node, children=tuple(named(child, tables, views) for child in node.children))
    if not isinstance(made, n.Recursion) or made.recursion:
        return made
    name = digest(derive(made, tables, Hidden(), views))
    called = _mapped(made.child, lambda each: replace(each, recursion=each.recursion or name))
    return replace(made, recursion=name, children=(called,))


def _mapped(node: n.Node, change: Callable[[n.Feedback], n.Node]) -> n.Node:
    if isinstance(node, n.Feedback):
        return change(node)
    return replace(node, children=tuple(_mapped(child, change) for child in node.children))
