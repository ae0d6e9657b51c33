"""Parts of a query in which the order of joins is free. Pure.

A *region* is a tree of inner equi-joins, with projections between them that only leave columns out.
All else is a barrier, and an input of the region: outer, semi, anti, existence and temporal joins,
joins without an equality, joins that cut time into pieces, and joins with an expression that may
fail, since in another order it would see other rows. Below a barrier further regions may begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from groundswell.optimizer.model import Tree, inputs
from groundswell.plan import nodes as n


@dataclass(frozen=True)
class Member:
    """A key expression of one input."""

    input: int
    key: n.Expression


@dataclass
class Region:
    """Joins that may be done in any order.

    Attributes:
        top: the topmost join, as the query has it.
        inputs: from left to right.
        written: the order that the query has them in.
        joins: those of the query, topmost first, with the orders of their two sides.
        conditions: what else must hold, each with the set of inputs that it reads.
        classes: key expressions that are equal in every row.
    """

    top: n.Join
    inputs: list[n.Node] = field(default_factory=list)
    written: Tree = 0
    joins: list[tuple[n.Join, tuple[Tree, Tree]]] = field(default_factory=list)
    conditions: list[tuple[n.Expression, int]] = field(default_factory=list)
    classes: list[list[Member]] = field(default_factory=list)


def regions(node: n.Node, least: int = 3) -> Iterator[Region]:
    """All regions of so many inputs or more, outermost first."""
    found = region(node, least)
    if found is not None:
        yield found
    for below in found.inputs if found is not None else node.children:
        yield from regions(below, least)


def region(node: n.Node, least: int = 3) -> Region | None:
    """The region that begins with a join; None: its order is not free, or it has fewer inputs."""
    if not is_free(node):
        return None
    assert isinstance(node, n.Join)
    found = Region(node)
    pairs: list[tuple[n.Expression, n.Expression]] = []
    conditions: list[n.Expression] = []

    def add(below: n.Node) -> Tree:
        joined = pruned(below)
        if not is_free(joined):
            found.inputs.append(below)
            return len(found.inputs) - 1
        assert isinstance(joined, n.Join)
        at = len(found.joins)
        found.joins.append((joined, (0, 0)))
        pairs.extend(zip(joined.left_keys, joined.right_keys, strict=True))
        conditions.extend([joined.residual] if joined.residual else [])
        left, right = joined.children
        sides = add(left), add(right)
        found.joins[at] = (joined, sides)
        return sides

    found.written = add(node)
    refs = [c.ref for below in found.inputs for c in below.output]
    if len(found.inputs) < least or len(set(refs)) < len(refs):
        return None
    return found if _classify(found, pairs) and _place(found, conditions) else None


def build(region: Region, tree: Tree, children: Sequence[n.Node]) -> n.Node | None:
    """The region in another order.

    Args:
        region: the joins.
        tree: the order.
        children: in place of its inputs.

    Returns:
        The joins, the topmost one with the columns that the query has there; None if a join would
        have several conditions, or no equality.
    """
    ids = iter([node.id for node, _ in region.joins])

    def joined(part: Tree) -> n.Node | None:
        if isinstance(part, int):
            return children[part]
        own = next(ids)
        left, right = joined(part[0]), joined(part[1])
        if left is None or right is None:
            return None
        a, b = inputs(part[0]), inputs(part[1])
        keys = [
            (next(m.key for m in same if 1 << m.input & a), right_key.key)
            for same in region.classes
            if any(1 << m.input & a for m in same)
            for right_key in [next((m for m in same if 1 << m.input & b), None)]
            if right_key is not None
        ]
        rest = [
            condition
            for condition, reads in region.conditions
            if reads & ~(a | b) == 0 and reads & ~a and reads & ~b
        ]
        if not keys or len(rest) > 1:
            return None
        return n.Join(
            id=own,
            output=left.output + right.output,
            children=(left, right),
            left_keys=tuple(key for key, _ in keys),
            right_keys=tuple(key for _, key in keys),
            residual=rest[0] if rest else None,
        )

    found = joined(tree)
    return None if found is None else replace(found, output=region.top.output)


def is_free(node: n.Node) -> bool:
    """Whether it is an inner equi-join that may be done before or after others."""
    return (
        isinstance(node, n.Join)
        and node.kind is n.JoinKind.INNER
        and bool(node.left_keys)
        and node.interval is None
        and not node.divert
        and all(map(is_safe, (*node.left_keys, *node.right_keys)))
        and (node.residual is None or is_safe(node.residual))
    )


def is_safe(expr: n.Expression) -> bool:
    """Whether it may be evaluated for more rows or fewer."""
    plain = expr.column is not None
    return plain or not (expr.fails or expr.subquery or expr.clock or not expr.deterministic)


def pruned(node: n.Node) -> n.Node:
    """What is below projections that only leave columns out."""
    while isinstance(node, n.Project) and not node.divert:
        given = {c.ref for c in node.child.output}
        if not all(e.column is not None and e.out in (None, e.column) for e in node.exprs):
            break
        if not all(c.ref in given for c in node.output):
            break
        node = node.child
    return node


def _classify(found: Region, pairs: Sequence[tuple[n.Expression, n.Expression]]) -> bool:
    """False if a key reads several inputs, or a class has two columns of one, or two types."""
    classes: list[dict[tuple[int, str], Member]] = []
    for pair in pairs:
        members: dict[tuple[int, str], Member] = {}
        for key in pair:
            reads = _reads(found, key)
            if reads.bit_count() != 1:
                return False
            member = Member(reads.bit_length() - 1, key)
            members[member.input, " ".join((key.meaning, *(key.reads or key.refs)))] = member
        for same in [each for each in classes if not each.keys().isdisjoint(members)]:
            classes.remove(same)
            members = {**same, **members}
        classes.append(members)
    for same in classes:
        if len({m.input for m in same.values()}) < len(same):
            return False
        if len({str(m.key.type) for m in same.values()}) > 1:
            return False
        found.classes.append(sorted(same.values(), key=lambda m: m.input))
    return True


def _place(found: Region, conditions: Sequence[n.Expression]) -> bool:
    for condition in conditions:
        reads = _reads(found, condition)
        if reads.bit_count() < 2:
            return False
        found.conditions.append((condition, reads))
    return True


def _reads(found: Region, expr: n.Expression) -> int:
    """The inputs that an expression reads; 0 if it reads what none of them has."""
    reads = 0
    for ref in expr.refs:
        at = [i for i, below in enumerate(found.inputs) if any(c.ref == ref for c in below.output)]
        if not at:
            return 0
        reads |= 1 << at[0]
    return reads
