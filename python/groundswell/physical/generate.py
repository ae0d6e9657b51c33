"""Generators: ``d(f(X)) = f(d(X))``, several rows for one, weights kept; no state.

The same row gives the same rows in the same order whenever it is given, so the input's key and the
position tell the results apart.
"""

from __future__ import annotations

from groundswell.contract.dataflow.steps import Generate
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream


def lower(builder: Builder, stream: Stream, below: Built, required: frozenset[str]) -> Built:
    """The input and generator columns that are asked for."""
    node = stream.node
    assert isinstance(node, n.Generate)
    wanted = required | set(stream.key or ())
    columns = [ref for ref in (*below.columns, *node.generated) if ref in wanted]
    columns = columns or list(node.generated)
    return builder.step(below, Generate(node.id), columns)
