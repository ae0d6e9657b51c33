"""Equi-joins of all kinds.

Pairs: ``d(L x R) = d(L) x R  +  L' x d(R)``: one side's changes meet the other's old state, the
other's changes meet the new one, so a pair that changes on both sides is counted once. Netted by
result row, a consumer never depends on the order of the two terms.

Matches: a left row l of an outer, semi, anti or existence join also stands for itself, as a
function of ``m(l)``, the number of its matches: ``d = -f(l, m(l)) + f(l', m'(l'))``, which is
nothing unless l changes or m(l) leaves or reaches 0; a full outer join does the same for the right
rows.

State: ``left`` by (left join key, left stream key), ``right`` likewise; each change reads the rows
of its join key on the other side only. Rows with a null in the join key match nothing and are not
kept. What the equality does not cover of the condition is a filter on the result of an inner
join; any other join evaluates it pair by pair, and keeps m(l) with every row. Without such a rest
m(l) is the number of rows of the key on the other side, of which only "none" or "some" matters: a
look at one row tells.

With watermarks of both sides on a join key, keys begin with its time, and rows that both have
passed are dropped.

A join whose condition keeps two times together (``a.ts between b.ts - x and b.ts + y``) cuts both
sides into pieces of time, half as long as the times may be apart: a change meets the rows of the
pieces around it, and watermarks end the pieces that nothing can match any more. Of each side it is
the other's watermark that does.

The rows of an append-only side of an inner join are new, each: they are written without a look at
what is there.

A join without an equality has one empty key, so one partition.

A temporal join looks each left row up in ``right``, once: ``dL x R'``. If left rows may be taken
back, ``given`` has what each of them met.
"""

from __future__ import annotations

from typing import cast

from groundswell.contract.dataflow.joins import IntervalSpec, JoinKind, JoinSpec, TemporalJoinSpec
from groundswell.contract.dataflow.steps import MappedColumn, Select, Where
from groundswell.physical import watermark
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Kind, Stream
from groundswell.plan.watermarks import interval_bounds, join_bound

SHORTEST_PIECE = 1_000_000
"""Microseconds."""


def lower(
    builder: Builder, stream: Stream, inputs: tuple[Built, ...], required: frozenset[str]
) -> Built:
    """Computes key expressions, drops what only they read, joins."""
    node = stream.node
    assert isinstance(node, n.Join)
    (left, left_keys), (right, right_keys) = _sides(builder, stream, inputs, required)
    columns = left.columns
    if node.kind.gives_pairs:
        columns += right.columns
    elif node.exists is not None:
        columns += (node.exists.ref,)
    inner = node.kind is n.JoinKind.INNER
    bound = join_bound(stream)
    joined = builder.add(
        JoinSpec(
            columns=columns,
            inputs=(left.id, right.id),
            join_type=join_type(node.kind),
            left_keys=left_keys,
            right_keys=right_keys,
            left_key=tuple(stream.inputs[0].key or ()),
            right_key=tuple(stream.inputs[1].key or ()),
            left_append_only=stream.inputs[0].kind is Kind.APPEND_ONLY,
            right_append_only=stream.inputs[1].kind is Kind.APPEND_ONLY,
            residual=node.residual.id if node.residual and not inner else None,
            watermark=watermark.field(left_keys[bound[0]], bound[1]) if bound else None,
            interval=_interval(stream),
        )
    )
    if node.residual is None or not inner:
        return joined
    return builder.step(joined, Where(node.residual.id), joined.columns)


def join_type(kind: n.JoinKind) -> JoinKind:
    """What the JVM calls a kind of join."""
    return cast("JoinKind", kind.name.lower())


Side = tuple[Built, tuple[str, ...]]


def _sides(
    builder: Builder, stream: Stream, inputs: tuple[Built, ...], required: frozenset[str]
) -> tuple[Side, Side]:
    """Each input with its key expressions computed, and without what only they read."""
    node = stream.node
    assert isinstance(node, n.Join | n.TemporalJoin)
    later = required | set(node.residual.refs if node.residual else ())
    sides: list[Side] = []
    for side, below, keys in zip(
        stream.inputs, inputs, (node.left_keys, node.right_keys), strict=True
    ):
        below, key_refs = builder.compute(below, keys)
        kept = (later & set(below.columns)) | set(side.key or ()) | set(key_refs)
        below = builder.narrow(below, kept)
        if node.kind is n.JoinKind.FULL_OUTER and not sides:
            below = _present(builder, below, stream.columns[-1])
        if _may_be_missing(node.kind, left=not sides):
            for ref in below.columns:
                builder.hidden.optional(ref)
        sides.append((below, key_refs))
    left, right = sides
    return left, right


def _interval(stream: Stream) -> IntervalSpec | None:
    spans = interval_bounds(stream)
    if spans is None:
        return None
    apart = spans.interval
    return IntervalSpec(
        left=apart.left,
        right=apart.right,
        low=apart.low,
        high=apart.high,
        piece=max(SHORTEST_PIECE, (apart.high - apart.low) // 2),
        left_bound=watermark.field(apart.left, spans.left, -apart.high) if spans.left else None,
        right_bound=watermark.field(apart.right, spans.right, apart.low) if spans.right else None,
    )


def lower_temporal(
    builder: Builder, stream: Stream, inputs: tuple[Built, ...], required: frozenset[str]
) -> Built:
    """The same for a temporal join."""
    node = stream.node
    assert isinstance(node, n.TemporalJoin)
    (left, left_keys), (right, right_keys) = _sides(builder, stream, inputs, required)
    return builder.add(
        TemporalJoinSpec(
            columns=left.columns + right.columns,
            inputs=(left.id, right.id),
            join_type=join_type(node.kind),
            left_keys=left_keys,
            right_keys=right_keys,
            left_key=tuple(stream.inputs[0].key or ()),
            right_key=tuple(stream.inputs[1].key or ()),
            residual=node.residual.id if node.residual else None,
            append_only=stream.inputs[0].kind is Kind.APPEND_ONLY,
        )
    )


def _may_be_missing(kind: n.JoinKind, *, left: bool) -> bool:
    return kind is n.JoinKind.FULL_OUTER or (kind is n.JoinKind.LEFT_OUTER and not left)


def _present(builder: Builder, below: Built, side: n.Column) -> Built:
    """Adds a column that is 1 in every left row, so null beside unmatched right ones."""
    same = (MappedColumn(ref, ref) for ref in below.columns)
    columns = (*below.columns, side.ref)
    return builder.step(below, Select((*same, MappedColumn(side.ref, literal=1))), columns)
