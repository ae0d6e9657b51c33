"""Which columns event-time watermarks say something about. Pure.

A watermark of a source promises that no row older than it comes any more. :func:`bounds` follows
that promise through a plan: a column has a :class:`Bound` if rows whose value the watermark has
passed never change again. That is what lets state be dropped and a row be given once, for good.

==========================  ===================================================================
source with a watermark     its event time (of upserts, too: rows that it has passed stay)
filter, generator, UDF      its input's
projection                  what it passes on; ``window(ts, ...)``, ``session_window``,
                            ``date_trunc`` and casts to date of a bound time
group-by                    grouping columns
window functions            the columns they are partitioned by
join                        join keys that are bound on both sides; the left side's if the right
                            side never changes; times that the condition keeps together, by so
                            much later
temporal join               the left side's: later changes of the table do not touch it
union                       columns that are bound in all branches
top-N, temporal filters     none
==========================  ===================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from groundswell.errors import NotIncremental
from groundswell.plan import nodes as n
from groundswell.plan.sources import Mode
from groundswell.plan.stream import Kind, Stream, scans

WINDOW_CLOSE = "window_close"
EMITS = ("update", WINDOW_CLOSE)
"""When a view gives its rows: as they change, or once, when the watermark has passed them."""


@dataclass(frozen=True)
class Bound:
    """How a column follows the watermarks of sources.

    Attributes:
        kind: what it holds: ``time``, ``end`` (of a window), ``window`` or ``session``. A time, or
            a session by its end, is passed when it is below the watermark; a window also when it
            ends at it.
        sources: ids of the sources; the smallest of their watermarks counts.
        through: monotone expressions that made the value out of the event time, in order.
        offset: microseconds, 0 or less: so much further back rows still change.
    """

    kind: str
    sources: frozenset[str]
    through: tuple[n.Expression, ...] = ()
    offset: int = 0


Bounds = Mapping[str, Bound]


def bounds(stream: Stream) -> Bounds:
    """The bounds of a stream's columns, by ref."""
    node = stream.node
    match node:
        case n.StandIn():
            return _source(stream)
        case n.Project():
            below = bounds(stream.input)
            return {**_carried(stream, below), **_projected(node.exprs, node.output, below)}
        case n.Filter() | n.Evaluate() | n.Generate():
            return _carried(stream, bounds(stream.input))
        case n.Aggregate():
            below = bounds(stream.input)
            kept = {ref: below[ref] for ref in node.grouping if ref in below}
            return {**_carried(stream, kept), **_projected(node.results, node.output, kept)}
        case n.Window():
            below = bounds(stream.input)
            by = {e.column for e in node.partition}
            return {ref: bound for ref, bound in below.items() if ref in by}
        case n.Expand():
            return _expanded(stream, node)
        case n.Join():
            return _joined(stream, node)
        case n.TemporalJoin():
            return _carried(stream, bounds(stream.inputs[0]))
        case n.Union():
            return _united(stream)
        case _:
            return {}


def join_bound(stream: Stream) -> tuple[int, Bound] | None:
    """Position of a pair of join keys that are bound alike on both sides, and their bound."""
    node = stream.node
    assert isinstance(node, n.Join)
    left, right = map(bounds, stream.inputs)
    for i, (mine, other) in enumerate(zip(node.left_keys, node.right_keys, strict=True)):
        one, two = left.get(mine.column or ""), right.get(other.column or "")
        both = _both(one, two) if one and two else None
        if both is not None:
            return i, both
    return None


@dataclass(frozen=True)
class Spans:
    """What ends the rows of the sides of an interval join.

    Attributes:
        interval: how far apart matches are.
        left: left rows whose time is below this bound, less ``interval.high``, match nothing that
            may still come; None: nothing is known.
        right: right rows whose time is below this bound, plus ``interval.low``.
    """

    interval: n.Interval
    left: Bound | None
    right: Bound | None


def interval_bounds(stream: Stream) -> Spans | None:
    """Of a join whose state is cut by time, because its condition keeps times together."""
    node = stream.node
    assert isinstance(node, n.Join)
    if node.interval is None or join_bound(stream) is not None:
        return None
    left, right = map(bounds, stream.inputs)
    of_left, of_right = left.get(node.interval.left), right.get(node.interval.right)
    ends = [b if b is not None and b.kind == "time" else None for b in (of_right, of_left)]
    return Spans(node.interval, *ends)


def group_bound(stream: Stream) -> tuple[str, Bound] | None:
    """A grouping column that is bound, and its bound."""
    node = stream.node
    assert isinstance(node, n.Aggregate)
    below = bounds(stream.input)
    return next(((ref, below[ref]) for ref in node.grouping if ref in below), None)


def partition_bound(stream: Stream) -> tuple[int, Bound] | None:
    """Position of a partition column of window functions that is bound, and its bound."""
    node = stream.node
    assert isinstance(node, n.Window)
    below = bounds(stream.input)
    columns = [below.get(e.column or "") for e in node.partition]
    return next(((i, bound) for i, bound in enumerate(columns) if bound), None)


def window_close(root: Stream) -> Stream:
    """The view whose rows leave once, when the watermark has passed them.

    Raises:
        NotIncremental: if no row is ever known to be final.
    """
    found = bounds(root)
    own = [ref for ref in root.key or () if ref in found]
    also = [c.ref for c in root.columns if c.ref in found]
    if not (own or also):
        raise NotIncremental([(f'emit="{WINDOW_CLOSE}"', _why_not(root))])
    column = (own or also)[0]
    node = n.WindowClose(
        id=root.node.id,
        output=root.node.output,
        children=(root.node,),
        column=column,
        kind=found[column].kind,
    )
    return Stream(node, (root,), root.columns, root.key, Kind.APPEND_ONLY)


def _why_not(root: Stream) -> str:
    marked = [s.source.name for s in scans(root) if s.source and s.source.event_time]
    if not marked:
        return (
            "no source has a watermark, so no row is ever final; call withWatermark(column, delay) "
            "on the stream (and gs.appends on what it gives)"
        )
    names = {c.ref: c.name for c in root.columns}
    key = ", ".join(names[ref] for ref in root.key or ()) or "nothing: it is a single row"
    return (
        f"the watermark of {', '.join(marked)} does not reach the stream key ({key}), so no row is "
        "ever final; group, partition or join by window(...) of the event time, or by the event "
        "time itself"
    )


def _source(stream: Stream) -> Bounds:
    source = stream.source
    assert source is not None
    if stream.view is not None:
        (branch,) = stream.branches
        below = bounds(stream.view)
        return {to: below[ref] for to, ref in branch.columns if ref and ref in below}
    late = isinstance(stream.node, n.StandIn) and stream.node.use == "late"
    if source.event_time is None or source.mode is Mode.CHANGELOG or late:
        return {}
    return {
        c.ref: Bound("time", frozenset({source.id}))
        for c in stream.node.output
        if c.name == source.event_time
    }


def _carried(stream: Stream, below: Bounds) -> Bounds:
    refs = {c.ref for c in stream.columns}
    return {ref: bound for ref, bound in below.items() if ref in refs}


def _projected(
    exprs: tuple[n.Expression, ...], output: tuple[n.Column, ...], below: Bounds
) -> dict[str, Bound]:
    columns = {c.ref: c for c in output}
    found: dict[str, Bound] = {}
    for expr in exprs:
        column = columns.get(expr.out or "")
        bound = column and _made(expr, column, below)
        if column and bound:
            found[column.ref] = bound
    return found


def _made(expr: n.Expression, column: n.Column, below: Bounds) -> Bound | None:
    """The bound of what an expression makes of one bound column."""
    if len(expr.refs) != 1 or expr.refs[0] not in below:
        return None
    bound = below[expr.refs[0]]
    if expr.column is not None:
        return bound
    if bound.kind == "window":
        return replace(bound, kind="end") if expr.time == "end" else None
    if bound.kind != "time":
        return None
    if column.window == "session":
        return replace(bound, kind="session")
    if column.window == "time" or expr.time == "window":
        return replace(bound, kind="window")
    if expr.time == "monotone":
        return replace(bound, through=(*bound.through, expr))
    return None


def _expanded(stream: Stream, node: n.Expand) -> Bounds:
    below = bounds(stream.input)
    found = dict(_carried(stream, below))
    for i, column in enumerate(node.output):
        made = {_made(projection[i], column, below) for projection in node.projections}
        found.pop(column.ref, None)
        (bound,) = made if len(made) == 1 else (None,)
        if bound is not None:
            found[column.ref] = bound
    return found


def _joined(stream: Stream, node: n.Join) -> Bounds:
    left, right = stream.inputs
    if not any(True for _ in scans(right)) and node.kind is not n.JoinKind.FULL_OUTER:
        return _carried(stream, bounds(left))
    pair = join_bound(stream)
    if node.kind is n.JoinKind.FULL_OUTER:
        return {}
    if pair is None:
        return _carried(stream, _kept_together(stream, node))
    position, bound = pair
    refs = [node.left_keys[position].column]
    if node.kind is n.JoinKind.INNER:
        refs.append(node.right_keys[position].column)
    return _carried(stream, {ref: bound for ref in refs if ref is not None})


def _kept_together(stream: Stream, node: n.Join) -> Bounds:
    """The times of an interval join: a change of one side reaches so far back on the other."""
    spans = interval_bounds(stream)
    if spans is None or spans.left is None or spans.right is None:
        return {}
    of_left, of_right = spans.right, spans.left
    if of_left.through or of_right.through:
        return {}
    both = Bound("time", of_left.sources | of_right.sources)
    apart = spans.interval
    found = {apart.left: replace(both, offset=min(of_left.offset, of_right.offset - apart.high, 0))}
    if node.kind is n.JoinKind.INNER:
        offset = min(of_right.offset, of_left.offset + apart.low, 0)
        found[apart.right] = replace(both, offset=offset)
    return found


def _united(stream: Stream) -> Bounds:
    found: dict[str, Bound] = {}
    inputs = [bounds(below) for below in stream.inputs]
    for column in stream.columns:
        given = [
            below.get(dict(branch.columns).get(column.ref) or "")
            for branch, below in zip(stream.branches, inputs, strict=True)
        ]
        both = given[0]
        for other in given[1:]:
            both = _both(both, other) if both and other else None
        if both is not None:
            found[column.ref] = both
    return found


def _both(one: Bound, other: Bound) -> Bound | None:
    same = [e.meaning for e in one.through] == [e.meaning for e in other.through]
    if one.kind != other.kind or not same:
        return None
    return replace(one, sources=one.sources | other.sources, offset=min(one.offset, other.offset))
