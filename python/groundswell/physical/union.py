"""UNION ALL: ``d(A + B) = d(A) + d(B)``.

No state. Where a key is needed, a hidden branch number keeps equal keys of two inputs apart, and
hidden key columns hold the key of the input that a row comes from.
"""

from __future__ import annotations

from groundswell.contract.dataflow.rows import UnionSpec
from groundswell.contract.dataflow.steps import MappedColumn, Select
from groundswell.physical.builder import Builder, Built
from groundswell.plan.stream import Stream


def lower(builder: Builder, stream: Stream, inputs: tuple[Built, ...]) -> Built:
    """Brings every input to the union's columns, then concatenates."""
    columns = [c.ref for c in stream.columns]
    visible = len(stream.node.output)
    mapped: list[int] = []
    for branch, below in zip(stream.branches, inputs, strict=True):
        own = [MappedColumn(to, ref) for to, ref in branch.columns]
        if branch.tag is not None:
            own.insert(visible, MappedColumn(columns[visible], literal=branch.tag))
        mapped.append(builder.step(below, Select(tuple(own)), columns).id)
    return builder.add(UnionSpec(columns=tuple(columns), inputs=tuple(mapped)))
