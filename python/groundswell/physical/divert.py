"""Rows that expressions cannot digest: ``X = good(X) + bad(X)``, weights kept; no state.

Both parts are linear. ``good`` is a filter in generated code, before the operator that evaluates
the expressions; ``bad``, of which there is little, is told in words by an operator of its own.

Where another view that fails on such rows evaluates the same over the same rows, nothing is left
out for this one either: the barrier ends anyway, and what the two share they go on sharing.
"""

from __future__ import annotations

from groundswell.contract.dataflow.rows import DivertedSpec, LabelledColumn
from groundswell.contract.dataflow.steps import AttemptSpec, Digests
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.attempts import Attempt, KeyAttempt
from groundswell.plan.definition import digest
from groundswell.plan.divert import Attempts, evaluated, results, text
from groundswell.plan.stream import Stream


def good(builder: Builder, stream: Stream, inputs: tuple[Built, ...]) -> tuple[Built, ...]:
    """The inputs without the rows that the operator's expressions fail on."""
    if not _diverts(builder, stream):
        return inputs
    kept = [_kept(builder, b, e) for b, e in zip(inputs, evaluated(stream.node), strict=False)]
    return (*kept, *inputs[len(kept) :])


def good_groups(builder: Builder, stream: Stream, below: Built) -> Built:
    """The groups without those that the results of an aggregate fail on."""
    return _kept(builder, below, results(stream.node)) if _diverts(builder, stream) else below


def lower(builder: Builder, stream: Stream, below: Built) -> Built:
    """``diverted``: the rows that fail, told in words."""
    node = stream.node
    assert isinstance(node, n.Failures)
    if not node.constraint:  # else the operator counts all rows, and finds those that fail
        below = builder.step(below, _step(node.attempts, failed=True), below.columns)
    names = dict(node.labels)
    key = {c.ref: c.name for c in stream.input.node.output if c.ref in (stream.input.key or ())}
    shown = {ref: names.get(ref, name) for ref, name in key.items()} | names
    return builder.add(
        DivertedSpec(
            columns=tuple(c.ref for c in stream.columns),
            inputs=(below.id,),
            attempts=tuple(map(_attempt, node.attempts)),
            row=tuple(LabelledColumn(ref, label) for ref, label in shown.items()),
            constraint=node.constraint,
            owner=node.owner,
        )
    )


def _diverts(builder: Builder, stream: Stream) -> bool:
    return stream.node.divert and digest(stream) not in builder.strict


def _kept(builder: Builder, below: Built, attempts: Attempts) -> Built:
    if not attempts:
        return below
    return builder.step(below, _step(attempts, failed=False), below.columns)


def _step(attempts: Attempts, *, failed: bool) -> Digests:
    return Digests(tuple(map(_attempt, attempts)), failed)


def _attempt(attempt: Attempt | KeyAttempt) -> AttemptSpec:
    when = attempt.when.id if attempt.when else None
    if isinstance(attempt, KeyAttempt):
        ids = tuple(expr.id for expr in attempt.exprs)
        return AttemptSpec(
            None, when, attempt.sql, attempt.columns, ids, attempt.most, attempt.ordered
        )
    return AttemptSpec(attempt.expr.id, when, text(attempt.expr))
