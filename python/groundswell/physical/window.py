"""Window functions: ``W(X)`` adds columns that depend on the other rows of a partition.

``d(W(X)) = W(X') - W(X)``, partition by partition that d(X) touches, each read once and computed by
Spark's own code, before and after; of functions that see neighbouring rows only, just the
neighbourhoods of the changes are read. A query that keeps only the first rows of each partition
(``row_number() <= n``, ``rank() <= n``: a top-N a group) reads just those. State: ``rows`` by
(partition, order, stream key): ties are broken by the stream key; and, where neighbours are asked
for, ``back`` with the same keys the other way round.

Of append-only rows that only ``row_number() <= n`` asks for, n small, just the first are kept, in
one value a partition: ``first`` by (partition). What falls behind never comes back. Of those rows
that the query does not show, such as deletes, ``live`` has the partitions by (time, partition): the
watermark ends them.

Partitions that a watermark has passed end with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.contract.dataflow.operators import UnreadRowsSpec
from groundswell.contract.dataflow.order import FirstRowsSpec, RankLimitSpec, WindowSpec
from groundswell.physical import watermark
from groundswell.physical.builder import Builder, Built, sort_columns
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream, keeps_first_rows
from groundswell.plan.watermarks import bounds, partition_bound


def lower(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """Computes partition and order expressions below, then the functions."""
    node = stream.node
    assert isinstance(node, n.Window)
    key = stream.input.key or ()
    below, refs = builder.compute(below, [*node.partition, *(k.expr for k in node.order)])
    partition, by = refs[: len(node.partition)], refs[len(node.partition) :]
    read = {ref for function in node.functions for ref in function.refs}
    below = builder.narrow(below, ((required | read) & set(below.columns)) | {*refs, *key})
    order = sort_columns(by, node.order)
    bound = partition_bound(stream)
    ends = watermark.field(partition[bound[0]], bound[1]) if bound else None
    columns = (*below.columns, *(function.out for function in node.functions if function.out))
    if keeps_first_rows(node, stream.input) and node.limit:
        return builder.add(
            FirstRowsSpec(
                columns=columns,
                inputs=(below.id,),
                partition=partition,
                order=order,
                key=tuple(key),
                limit=node.limit[1],
                watermark=ends,
                unread=_unread(stream, by),
            )
        )
    return builder.add(
        WindowSpec(
            columns=columns,
            inputs=(below.id,),
            partition=partition,
            order=order,
            key=tuple(key),
            functions=tuple(function.id for function in node.functions),
            limit=RankLimitSpec(*node.limit) if node.limit else None,
            watermark=ends,
        )
    )


def _unread(stream: Stream, by: Sequence[str]) -> UnreadRowsSpec | None:
    """What ends the newest rows that no one reads.

    ``by``: refs of the columns that order the rows.
    """
    node = stream.node
    assert isinstance(node, n.Window)
    if not node.shown:
        return None
    bound = bounds(stream.input)[node.order[0].expr.column or ""]
    return UnreadRowsSpec(tuple(part.id for part in node.shown), watermark.field(by[0], bound))
