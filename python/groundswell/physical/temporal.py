"""Temporal filters: ``time > clock + offset`` at each barrier's clock.

``d(F(X))`` = what of d(X) is in time, less the rows of X that are too old now. A barrier takes back
:data:`LIMIT` rows a partition at most, the oldest first, and the rest at the next ones: a burst of
rows that grow old together is spread. State: ``live`` by (time, stream key); what is taken back is
read in one range and ends without a write.

``time < clock + offset`` is the same the other way round: ``live`` has the rows that are to come,
and ``d(F(X))`` is what of d(X) is old enough, and the rows that the clock has reached.
"""

from __future__ import annotations

from groundswell.contract.dataflow.clock import ExpireSpec, TemporalFilterSpec
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream

LIMIT = 100_000


def lower_expire(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """Rows with a longest life: as a temporal filter on the time of their last change."""
    node = stream.node
    assert isinstance(node, n.Expire)
    key = stream.key or ()
    below = builder.narrow(below, (required & set(below.columns)) | set(key))
    return builder.add(
        ExpireSpec(columns=below.columns, inputs=(below.id,), key=tuple(key), life=node.life_micros)
    )


def lower(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """Computes the time below, then keeps the rows that are in time."""
    node = stream.node
    assert isinstance(node, n.Temporal)
    key = stream.key or ()
    below, (time,) = builder.compute(below, [node.time])
    below = builder.narrow(below, (required & set(below.columns)) | {time, *key})
    return builder.add(
        TemporalFilterSpec(
            columns=below.columns,
            inputs=(below.id,),
            key=tuple(key),
            time=time,
            offset=node.offset_micros,
            inclusive=node.inclusive,
            limit=LIMIT,
            made=node.made.id if node.made else None,
            begins=node.begins,
        )
    )
