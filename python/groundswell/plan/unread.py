"""Which newest rows of a key no one reads, so that a watermark may end them. Pure.

``SELECT ... WHERE row_number = 1 AND shown`` over rows that are only added keeps the newest row of
each key, also where that row is not shown: a delete, say. A row that comes later must not take its
place if it is older. Once the watermark of the time that orders the rows has passed such a row, no
older one comes any more: it would be late. So the state need not keep the row. ``Window.shown`` are
the conditions of such a query: rows that do not meet them end.
"""

from __future__ import annotations

from dataclasses import replace

from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream, keeps_first_rows
from groundswell.plan.watermarks import bounds, partition_bound


def with_shown(stream: Stream) -> Stream:
    """The same stream; window functions know which rows a filter above them leaves out."""
    inputs = tuple(map(with_shown, stream.inputs))
    if any(new is not old for new, old in zip(inputs, stream.inputs, strict=True)):
        stream = replace(stream, inputs=inputs)
    if not isinstance(stream.node, n.Filter):
        return stream
    window, node = stream.input, stream.input.node
    if not isinstance(node, n.Window) or not _ends(window, node):
        return stream
    shown = _shown(stream.node.condition, window)
    return replace(stream, inputs=(replace(window, node=replace(node, shown=shown)),))


def _shown(condition: n.Expression, window: Stream) -> tuple[n.Expression, ...]:
    """The parts of a condition that say of a row, whatever its number, whether it is read."""
    below = {c.ref for c in window.input.columns}
    return tuple(
        part
        for part in condition.parts or (condition,)
        if part.refs
        and below.issuperset(part.refs)
        and part.deterministic
        and not (part.fails or part.subquery or part.clock)
    )


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
