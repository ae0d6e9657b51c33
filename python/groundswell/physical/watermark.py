"""Says to the JVM which column of an operator follows which watermarks."""

from __future__ import annotations

from typing import Any

from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream
from groundswell.plan.watermarks import Bound, bounds


def field(column: str | None, bound: Bound, shift: int = 0) -> dict[str, Any]:
    """The field ``watermark`` of an operator.

    ``shift``: microseconds to add to what the bound says.
    """
    return {
        "column": column,
        "kind": bound.kind,
        "sources": sorted(bound.sources),
        "through": [[expr.id for expr in step] for step in bound.through],
        **({"offset": bound.offset} if bound.offset else {}),
        **({"shift": shift} if shift else {}),
    }


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
        "window_close",
        below.columns,
        input=below.id,
        key=list(key),
        watermark=field(node.column, bounds(stream.input)[node.column]),
        state=True,
    )
