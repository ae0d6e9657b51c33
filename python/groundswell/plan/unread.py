"""Which newest rows of a key no one reads, so that a watermark may end them. Pure.

``SELECT ... WHERE row_number = 1 AND shown`` over rows that are only added keeps the newest row of
each key, also where that row is not shown: a delete, say. A row that comes later must not take its
place if it is older. Once the watermark of the time that orders the rows has passed such a row, no
older one comes any more: it would be late. So the state need not keep the row. ``Window.shown`` are
the conditions of such a query: rows that do not meet them end.

Groups of an aggregation end in the same way, if the query promises that it does not need them. A
result called :data:`ENDS_AT`, ``max(CASE WHEN gone THEN at END)`` over the time ``at``, is that
promise: once the watermark has passed it, a group that the filter above does not show gives, with
the rows that may still come, what these rows alone give. All calls are then extremes, and the rows
are only added, so ``Aggregate.forgotten`` is all that there is to end.
"""

from __future__ import annotations

from dataclasses import replace

from groundswell.plan import nodes as n
from groundswell.plan.stream import Kind, Stream, keeps_first_rows
from groundswell.plan.watermarks import Bound, Bounds, bounds, group_bound, partition_bound

ENDS_AT = "_groundswell_ends_at"
"""Name of the result of an aggregation that says when a group may end that is not shown."""


def with_shown(stream: Stream) -> Stream:
    """The same stream; window functions know which rows a filter above them leaves out."""
    inputs = tuple(map(with_shown, stream.inputs))
    if any(new is not old for new, old in zip(inputs, stream.inputs, strict=True)):
        stream = replace(stream, inputs=inputs)
    if not isinstance(stream.node, n.Filter):
        return stream
    window, node = stream.input, stream.input.node
    if isinstance(node, n.Aggregate):
        forgotten = _forgotten(stream.node.condition, window)
        if forgotten is None:
            return stream
        return replace(stream, inputs=(replace(window, node=replace(node, forgotten=forgotten)),))
    if not isinstance(node, n.Window) or not _ends(window, node):
        return stream
    shown = _shown(stream.node.condition, window)
    return replace(stream, inputs=(replace(window, node=replace(node, shown=shown)),))


def _shown(condition: n.Expression, window: Stream) -> tuple[n.Expression, ...]:
    """The parts of a condition that say of a row, whatever its number, whether it is read."""
    return _parts(condition, {c.ref for c in window.input.columns})


def _parts(condition: n.Expression, below: set[str]) -> tuple[n.Expression, ...]:
    """The parts of a condition that read these columns alone, and give the same at any time."""
    return tuple(
        part
        for part in condition.parts or (condition,)
        if part.refs
        and below.issuperset(part.refs)
        and part.deterministic
        and not (part.fails or part.subquery or part.clock)
    )


def _forgotten(condition: n.Expression, groups: Stream) -> n.Forgotten | None:
    """The groups that end; None: none do, or the query does not promise to need them no more."""
    node = groups.node
    assert isinstance(node, n.Aggregate)
    names = {c.ref: c.name for c in node.output}
    called = {e.column: e.out for e in node.results if e.column and e.out}
    columns = (*node.grouping, *(call.out for call in node.calls))
    at = next((call for call in node.calls if names.get(called.get(call.out, "")) == ENDS_AT), None)
    if at is None or groups.input.kind is not Kind.APPEND_ONLY or node.divert:
        return None
    if node.session or not node.grouping or group_bound(groups) is not None:
        return None
    if any(call.fn != "max" or call.distinct for call in node.calls):
        return None
    results = tuple(called.get(ref, ref) for ref in columns)
    shown = _parts(condition, set(results))
    if not shown or time_of(at, bounds(groups.input)) is None:
        return None
    return n.Forgotten(shown, results, at.out)


def time_of(call: n.Call, known: Bounds) -> Bound | None:
    """How the time follows watermarks that a call gives the latest of; None: it does not."""
    found = [known[ref] for arg in call.args for ref in arg.refs if ref in known]
    return found[0] if len(found) == 1 and found[0].kind == "time" else None


def _ends(window: Stream, node: n.Window) -> bool:
    """Whether a watermark says that no row comes any more that is older than some row kept."""
    if not (keeps_first_rows(node, window.input) and node.limit == ("row_number", 1)):
        return False
    if not node.order or partition_bound(window) is not None:
        return False
    newest = node.order[0]
    bound = bounds(window.input).get(newest.expr.column or "")
    without_time_last = newest.expr.nullable and not newest.nulls_first
    return (
        not newest.ascending
        and bound is not None
        and bound.kind == "time"
        and not without_time_last  # such a row is never late
    )
