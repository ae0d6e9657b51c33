"""Constants: ``d(C) = C`` in the first barrier that knows them, nothing ever after.

State: none of rows, only that they were given. What a batch table holds is read in that barrier.
"""

from __future__ import annotations

from groundswell.contract.dataflow.sources import ConstantSpec
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream


def lower(builder: Builder, stream: Stream, required: frozenset[str]) -> Built:
    """The columns that are asked for, and the number of the row where a key is needed."""
    node = stream.node
    assert isinstance(node, n.Constant)
    fields = [c.ref for c in node.output if c.ref in required]
    fields = fields or [c.ref for c in node.output][:1]
    number = [c.ref for c in stream.hidden]
    return builder.add(
        ConstantSpec(
            columns=(*fields, *number), node=node.id, fields=tuple(fields), row_id=tuple(number)
        )
    )
