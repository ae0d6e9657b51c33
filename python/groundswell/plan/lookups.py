"""Tables that a query means as they are now: where in a plan they may stand. Pure.

A placeholder with the use ``now`` is what a temporal join looks up. It may only be the right side
of one, below nothing but filters and projections; anywhere else its rows would have to follow the
table's changes.
"""

from __future__ import annotations

from groundswell.plan import nodes as n

TEMPORAL = (n.JoinKind.INNER, n.JoinKind.LEFT_OUTER)
"""The kinds of temporal joins."""


def as_of_now(node: n.Node) -> bool:
    """Whether this is a table as it is now, filtered or projected or as a whole."""
    match node:
        case n.Placeholder():
            return node.use == "now"
        case n.Project() | n.Filter():
            return as_of_now(node.child)
        case _:
            return False


def misplaced(node: n.Node) -> bool:
    """Whether a table as it is now stands where nothing looks it up."""
    match node:
        case n.Placeholder():
            return node.use == "now"
        case n.TemporalJoin():
            return misplaced(node.children[0])
        case _:
            return any(map(misplaced, node.children))
