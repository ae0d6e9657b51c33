"""Inner equi-join.

``d(L x R) = d(L) x R  +  L' x d(R)``: one side's changes meet the other's old state, the other's
changes meet the new one, so a pair that changes on both sides is counted once. Netted per result
row, a consumer never depends on the order of the two terms.

State: ``left`` by (left join key, left stream key), ``right`` likewise; each change reads the rows
of its join key on the other side only. Rows with a null in the join key match nothing. What the
equality does not cover of the condition is a filter on the result.
"""

from __future__ import annotations

from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream


def lower(
    builder: Builder, stream: Stream, inputs: tuple[Built, ...], required: frozenset[str]
) -> Built:
    """Computes key expressions, drops what only they read, joins, filters by the residual."""
    node = stream.node
    assert isinstance(node, n.Join)
    later = required | set(node.residual.refs if node.residual else ())
    sides: list[tuple[Built, tuple[str, ...]]] = []
    for side, below, keys in zip(
        stream.inputs, inputs, (node.left_keys, node.right_keys), strict=True
    ):
        below, key_refs = builder.compute(below, keys)
        kept = (later & set(below.columns)) | set(side.key or ()) | set(key_refs)
        sides.append((builder.narrow(below, kept), key_refs))
    (left, left_keys), (right, right_keys) = sides
    joined = builder.add(
        "join",
        left.columns + right.columns,
        left=left.id,
        right=right.id,
        leftKeys=list(left_keys),
        rightKeys=list(right_keys),
        leftKey=list(stream.inputs[0].key or ()),
        rightKey=list(stream.inputs[1].key or ()),
        state=True,
    )
    if node.residual is None:
        return joined
    return builder.step(joined, {"where": node.residual.id}, joined.columns)
