"""Filter, Project, Expand and Python functions: ``d(f(X)) = f(d(X))``, row by row, weights kept.

Linear, so they need no state, unless a function gives another value at every call. They run as
ordinary Catalyst plans in Spark's generated code; consecutive ones are one operator. A projection
carries key columns that the query drops.
"""

from __future__ import annotations

from groundswell.contract.dataflow.rows import StoredResultsSpec
from groundswell.contract.dataflow.steps import (
    Evaluate,
    Expand,
    Filter,
    Present,
    Project,
    Step,
    Where,
)
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.divert import STOP
from groundswell.plan.stream import Stream, remembers


def lower_project(builder: Builder, stream: Stream, below: Built) -> Built:
    """Its own columns, and those that keys need."""
    carry = [c.ref for c in stream.hidden if c.ref in below.columns]
    columns = [c.ref for c in stream.node.output] + carry
    return builder.step(below, Project(stream.node.id, tuple(carry)), columns)


def lower_filter(builder: Builder, stream: Stream, below: Built) -> Built:
    """Keeps all columns."""
    node = stream.node
    assert isinstance(node, n.Filter)
    return builder.step(below, filter_step(node), below.columns)


def lower_expect(builder: Builder, stream: Stream, below: Built) -> Built:
    """Fails for a row that does not meet it; where such rows are diverted, none is left."""
    node = stream.node
    assert isinstance(node, n.Expect)
    return (
        builder.step(below, Where(node.condition.id), below.columns)
        if node.action == STOP
        else below
    )


def filter_step(node: n.Filter) -> Step:
    """The step alone; a part of a condition is no node of the JVM's."""
    return Where(node.condition.id) if node.partial else Filter(node.id)


def lower_present(builder: Builder, stream: Stream, below: Built) -> Built:
    """Rows in which the column is not null."""
    node = stream.node
    assert isinstance(node, n.Present)
    return builder.step(below, Present(node.column), below.columns)


def lower_expand(builder: Builder, stream: Stream, below: Built) -> Built:
    """One row for each projection of the node."""
    hidden = [c.ref for c in stream.hidden]
    carry, branch = hidden[:-1], hidden[-1] if hidden else None
    columns = [c.ref for c in stream.columns]
    return builder.step(below, Expand(stream.node.id, tuple(carry), branch), columns)


def lower_evaluate(builder: Builder, stream: Stream, below: Built) -> Built:
    """The input's columns, then the functions' values.

    Values that are another at every call are kept for as long as their rows: ``remember``, by
    stream key.
    """
    node = stream.node
    assert isinstance(node, n.Evaluate)
    given = list(below.columns)
    added = [c.ref for c in node.output if c.ref not in given]
    made = builder.step(below, Evaluate(node.id), [*given, *added])
    if not remembers(node, stream.input):
        return made
    key = tuple(stream.key or ())
    return builder.add(
        StoredResultsSpec(columns=made.columns, inputs=(made.id,), key=key, given=tuple(given))
    )
