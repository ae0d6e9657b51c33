"""Top-N: rows ``offset .. offset + limit`` of an order, ties broken by the stream key.

``d(T) = T(X') - T(X)``: of the sorted state only the window's edge moves, so a barrier with m
changes reads O(m + limit + offset) rows, whatever the table's size. State: ``rows`` by
(order, key), in one partition: the order is global. With a stage below it in each partition
(:mod:`groundswell.optimizer.stages`) it has those rows alone that are among the first of theirs.
"""

from __future__ import annotations

from groundswell.contract.dataflow.order import TopNLocalSpec, TopNSpec
from groundswell.contract.dataflow.steps import Bucket
from groundswell.optimizer.stages import BUCKETS
from groundswell.physical.builder import Builder, Built, sort_columns
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream


def lower(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """Computes order expressions below, then keeps the window."""
    node = stream.node
    assert isinstance(node, n.TopN)
    key = stream.input.key or ()
    below, refs = builder.compute(below, [k.expr for k in node.order])
    below = builder.narrow(below, (required & set(below.columns)) | set(refs) | set(key))
    order = sort_columns(refs, node.order)
    if builder.digest in builder.two_stages:
        columns = below.columns
        bucket = builder.hidden.new("_bucket", "integer", False).ref
        step = Bucket(of=tuple(key), count=BUCKETS, ref=bucket)
        below = builder.add(
            TopNLocalSpec(
                columns=columns,
                inputs=(builder.step(below, step, (*columns, bucket)).id,),
                bucket=bucket,
                order=order,
                limit=node.offset + node.limit,
                key=tuple(key),
            )
        )
    return builder.add(
        TopNSpec(
            columns=below.columns,
            inputs=(below.id,),
            order=order,
            limit=node.limit,
            offset=node.offset,
            key=tuple(key),
        )
    )
