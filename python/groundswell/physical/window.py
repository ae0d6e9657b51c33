"""Window functions: ``W(X)`` adds columns that depend on the other rows of a partition.

``d(W(X)) = W(X') - W(X)``, partition by partition that d(X) touches, each read once and computed by
Spark's own code, before and after; of functions that see neighbouring rows only, just the
neighbourhoods of the changes are read. A query that keeps only the first rows of each partition
(``row_number() <= n``, ``rank() <= n``: a top-N a group) reads just those. State: ``rows`` by
(partition, order, stream key): ties are broken by the stream key; and, where neighbours are asked
for, ``back`` with the same keys the other way round.

Of append-only rows that only ``row_number() <= n`` asks for, n small, just the first are kept, in
one value a partition: ``first`` by (partition). What falls behind never comes back.

Partitions that a watermark has passed end with it.
"""

from __future__ import annotations

from groundswell.physical import watermark
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream, keeps_first_rows
from groundswell.plan.watermarks import partition_bound


def lower(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """Computes partition and order expressions below, then the functions."""
    node = stream.node
    assert isinstance(node, n.Window)
    key = stream.input.key or ()
    below, refs = builder.compute(below, [*node.partition, *(k.expr for k in node.order)])
    partition, by = refs[: len(node.partition)], refs[len(node.partition) :]
    read = {ref for function in node.functions for ref in function.refs}
    below = builder.narrow(below, ((required | read) & set(below.columns)) | {*refs, *key})
    order = [
        {"ref": ref, "ascending": k.ascending, "nullsFirst": k.nulls_first}
        for ref, k in zip(by, node.order, strict=True)
    ]
    bound = partition_bound(stream)
    ends = {"watermark": watermark.field(partition[bound[0]], bound[1])} if bound else {}
    columns = (*below.columns, *(function.out for function in node.functions if function.out))
    if keeps_first_rows(node, stream.input) and node.limit:
        return builder.add(
            "first_rows",
            columns,
            input=below.id,
            partition=list(partition),
            order=order,
            key=list(key),
            limit=node.limit[1],
            **ends,
            state=True,
        )
    return builder.add(
        "window",
        columns,
        input=below.id,
        partition=list(partition),
        order=order,
        key=list(key),
        functions=[function.id for function in node.functions],
        limit={"fn": node.limit[0], "limit": node.limit[1]} if node.limit else None,
        **ends,
        state=True,
    )
