"""Says to the JVM which column of an operator follows which watermarks."""

from __future__ import annotations

from groundswell.contract.dataflow.clock import WindowCloseSpec
from groundswell.contract.dataflow.groups import AggregateSpec
from groundswell.contract.dataflow.joins import JoinSpec
from groundswell.contract.dataflow.operators import BoundedSpec, OperatorSpec, WatermarkSpec
from groundswell.contract.dataflow.order import FirstRowsSpec
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream
from groundswell.plan.watermarks import Bound, bounds


def field(column: str, bound: Bound, shift: int = 0) -> WatermarkSpec:
    """The field ``watermark`` of an operator.

    ``shift``: microseconds to add to what the bound says.
    """
    return WatermarkSpec(
        column=column,
        kind=bound.kind,
        sources=tuple(sorted(bound.sources)),
        through=tuple(tuple(expr.id for expr in step) for step in bound.through),
        offset=bound.offset,
        shift=shift,
    )


def is_bounded(op: OperatorSpec) -> bool:
    """Whether watermarks end rows of an operator's state."""
    if isinstance(op, JoinSpec) and op.interval is not None:
        return op.interval.left_bound is not None or op.interval.right_bound is not None
    if isinstance(op, FirstRowsSpec | AggregateSpec) and op.unread is not None:
        return True
    return isinstance(op, BoundedSpec | WindowCloseSpec) and op.watermark is not None


def lower(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """Window close: ``d(out)`` = the rows of ``pending + d(X)`` that the watermark has passed.

    State: ``pending`` by (time, stream key); a barrier reads and gives what is passed, once, and
    its table's watermark ends those rows without a write.
    """
    node = stream.node
    assert isinstance(node, n.WindowClose)
    key = stream.key or ()
    below = builder.narrow(below, (required & set(below.columns)) | {node.column, *key})
    return builder.add(
        WindowCloseSpec(
            columns=below.columns,
            inputs=(below.id,),
            key=tuple(key),
            watermark=field(node.column, bounds(stream.input)[node.column]),
        )
    )
