"""UNION ALL: ``d(A + B) = d(A) + d(B)``.

No state. Where a key is needed, a hidden branch number keeps equal keys of two inputs apart, and
hidden key columns hold the key of the input that a row comes from.
"""

from __future__ import annotations

from typing import Any

from groundswell.physical.builder import Builder, Built
from groundswell.plan.stream import Stream


def lower(builder: Builder, stream: Stream, inputs: tuple[Built, ...]) -> Built:
    """Brings every input to the union's columns, then concatenates."""
    columns = [c.ref for c in stream.columns]
    visible = len(stream.node.output)
    mapped: list[int] = []
    for branch, below in zip(stream.branches, inputs, strict=True):
        step: list[dict[str, Any]] = [
            {"to": to, "from": ref} if ref is not None else {"to": to, "null": True}
            for to, ref in branch.columns
        ]
        if branch.tag is not None:
            step.insert(visible, {"to": columns[visible], "literal": branch.tag})
        mapped.append(builder.step(below, {"map": step}, columns).id)
    return builder.add("union", columns, inputs=mapped)
