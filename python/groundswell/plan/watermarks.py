"""Which columns event-time watermarks say something about. Pure.

A watermark of a source promises that no row older than it comes any more. :func:`bounds` follows
that promise through a plan: a column has a :class:`Bound` if rows whose value the watermark has
passed never change again. That is what lets state be dropped and a row be given once, for good.

==========================  ===================================================================
source with a watermark     its event time (of upserts, too: rows that it has passed stay)
filter, generator, UDF      its input's
projection                  what it passes on; ``window(ts, ...)``, its start or its end alone,
                            ``session_window``, ``date_trunc`` and casts to date of a bound time
group-by                    grouping columns
window functions            the columns they are partitioned by; the time that they are ordered by,
                            if they look ahead by so much time at most
join                        join keys that are bound on both sides; the left side's if the right
                            side never changes; times that the condition keeps together, by so
                            much later
temporal join               the left side's: later changes of the table do not touch it
union                       columns that are bound in all branches; rows of constants never change
top-N                       the time that it is ordered by, oldest first
temporal filters, window    none: of what they give, rows come and go as time passes
close, expiry
==========================  ===================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from groundswell.contract.dataflow.operators import TimeKind
from groundswell.errors import NotIncremental
from groundswell.plan import nodes as n
from groundswell.plan.explain import describe
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
        through: monotone expressions that made the value out of the event time, step by step; a
            value may have been made by any of those of a step.
        offset: microseconds, 0 or less: so much further back rows still change.
        starts: of a window, what makes its start, in any of these ways.
    """

    kind: TimeKind
    sources: frozenset[str]
    through: tuple[tuple[n.Expression, ...], ...] = ()
    offset: int = 0
    starts: tuple[n.Expression, ...] = ()


Bounds = Mapping[str, Bound]


def bounds(stream: Stream) -> Bounds:
    """The bounds of a stream's columns, by ref."""
    node = stream.node
    match node:
        case n.Placeholder():
            return _source(stream)
        case n.Project():
            below = bounds(stream.input)
            return {**_carried(stream, below), **_projected(node.exprs, node.output, below)}
        case n.Filter() | n.Expect() | n.Evaluate() | n.Generate() | n.Present():
            return _carried(stream, bounds(stream.input))
        case n.Aggregate():
            below = bounds(stream.input)
            kept = {ref: below[ref] for ref in node.grouping if ref in below}
            return {**_carried(stream, kept), **_projected(node.results, node.output, kept)}
        case n.Window():
            below = bounds(stream.input)
            by = {e.column for e in node.partition}
            found = {ref: bound for ref, bound in below.items() if ref in by}
            return {**_looking_back(stream.input, node, below), **found}
        case n.TopN():
            return _ordered(stream.input, node.order, bounds(stream.input))
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
    root = _finished(root)
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


def _finished(root: Stream) -> Stream:
    """The same view, changed as little as makes some of its columns bound; if nothing does, it."""
    tries = (root, _carrying(root), _carrying(_in_time(root)))
    return next((stream for stream in tries if bounds(stream)), root)


def _carrying(stream: Stream) -> Stream:
    """With a bound column, hidden, where a projection drops all of them."""
    if bounds(stream) or not isinstance(
        stream.node, n.Project | n.Filter | n.Evaluate | n.Generate | n.Present
    ):
        return stream
    below = _carrying(stream.input)
    found = bounds(below)
    column = next((c for c in below.columns if c.ref in found), None)
    if column is None:
        return stream
    return replace(stream, inputs=(below,), columns=(*stream.columns, column))


def _in_time(stream: Stream) -> Stream:
    """Without rows that have no time where these would stand before all others.

    A row without a time is never late, so it could come first at any time and change what is final.
    """
    inputs = tuple(map(_in_time, stream.inputs))
    stream = replace(stream, inputs=inputs)
    if isinstance(stream.node, n.Window | n.TopN) and stream.node.order:
        (below,) = inputs
        ref = stream.node.order[0].expr.column
        if (
            ref is not None
            and ref in bounds(below)
            and _may_come_first(below, stream.node.order[0])
        ):
            node = n.Present(
                id=below.node.id, output=below.node.output, children=(below.node,), column=ref
            )
            there = Stream(node, (below,), below.columns, below.key, below.kind)
            return replace(stream, inputs=(there,))
    return stream


def _may_come_first(below: Stream, key: n.SortKey) -> bool:
    """Whether rows without a value may stand before all others."""
    present = isinstance(below.node, n.Present) and below.node.column == key.expr.column
    return key.nulls_first and key.expr.nullable and not present


def _why_not(root: Stream) -> str:
    marked, closing = _marked(root)
    if not marked:
        reads = "".join(
            f"; view {view} gives its rows when the watermark has passed them, so no watermark "
            "holds for them"
            for view in closing
        )
        return (
            f"no source has a watermark, so no row is ever final{reads}; call "
            "withWatermark(column, delay) on the stream (and gs.appends on what it gives)"
        )
    names = {c.ref: c.name for c in root.columns}
    key = ", ".join(names[ref] for ref in root.key or ()) or "nothing: it is a single row"
    lost = " and ".join(dict.fromkeys(_lost(root)))
    return (
        f"the watermark of {', '.join(marked)} does not reach the stream key ({key}), so no row is "
        f"ever final; it is lost at: {lost}. Group, partition or join by window(...) of the event "
        "time, or by the event time itself, or order window functions by it that look back only"
    )


def _marked(root: Stream) -> tuple[list[str], list[str]]:
    """Names of the sources below that have watermarks, and of the views that close windows."""
    marked: dict[str, None] = {}
    closing: dict[str, None] = {}
    for scan in scans(root):
        if scan.view is not None and scan.source is not None:
            if isinstance(scan.view.node, n.WindowClose):
                closing[scan.source.name] = None
                continue
            more, closed = _marked(scan.view)
            marked |= dict.fromkeys(more)
            closing |= dict.fromkeys(closed)
        elif scan.source is not None and scan.source.event_time:
            marked[scan.source.name] = None
    return list(marked), list(closing)


def _lost(stream: Stream) -> Iterator[str]:
    """The operators that a watermark reaches and does not pass."""
    for below in stream.inputs:
        if bounds(_carrying(below)):
            yield describe(stream)
        else:
            yield from _lost(below)
    if stream.view is not None and stream.source is not None:
        within = " and ".join(_lost(stream.view)) or describe(stream)
        yield f"view {stream.source.name}, {within}"


def _source(stream: Stream) -> Bounds:
    source = stream.source
    assert source is not None
    if stream.view is not None:
        (branch,) = stream.branches
        below = bounds(stream.view)
        return {to: below[ref] for to, ref in branch.columns if ref and ref in below}
    late = isinstance(stream.node, n.Placeholder) and stream.node.use == "late"
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
        if expr.time == "start" and bound.starts:
            return replace(bound, kind="time", through=(*bound.through, bound.starts), starts=())
        return replace(bound, kind="end", starts=()) if expr.time == "end" else None
    if bound.kind != "time":
        return None
    if column.window == "session" and expr.time == "session":
        return replace(bound, kind="session")
    if expr.time == "window":
        return replace(bound, kind="window", starts=(expr.start,) if expr.start else ())
    if expr.time == "monotone":
        return replace(bound, through=(*bound.through, (expr,)))
    return None


def _expanded(stream: Stream, node: n.Expand) -> Bounds:
    below = bounds(stream.input)
    found = dict(_carried(stream, below))
    for i, column in enumerate(node.output):
        made = [_made(projection[i], column, below) for projection in node.projections]
        found.pop(column.ref, None)
        bound = reduce(_either, made)
        if bound is not None:
            found[column.ref] = bound
    return found


def _either(one: Bound | None, other: Bound | None) -> Bound | None:
    """Of a column whose values are made in one way or the other."""
    if one is None or other is None or one == other:
        return one if one == other else None
    if len(one.through) == len(other.through) > 0 and one.starts == other.starts == ():
        last = tuple(dict.fromkeys((*one.through[-1], *other.through[-1])))
        merged = replace(one, through=(*one.through[:-1], last))
        return merged if replace(other, through=merged.through) == merged else None
    starts = tuple(dict.fromkeys((*one.starts, *other.starts))) if one.starts else ()
    merged = replace(one, starts=starts)
    return merged if other.starts and replace(other, starts=starts) == merged else None


def _looking_back(below: Stream, node: n.Window, known: Bounds) -> dict[str, Bound]:
    """The time that window functions are ordered by, if no value depends on much later rows."""
    reach = [function.ahead for function in node.functions]
    ahead = max((a for a in reach if a is not None), default=0)
    found = _ordered(below, node.order, known)
    if None in reach:
        return {}
    if not ahead:
        return found
    return {
        ref: replace(bound, offset=bound.offset - ahead)
        for ref, bound in found.items()
        if bound.kind == "time" and not bound.through
    }


def _ordered(below: Stream, order: tuple[n.SortKey, ...], known: Bounds) -> dict[str, Bound]:
    """The column that rows are ordered by first, if what comes yet stands behind what it passed."""
    if not order or not order[0].ascending or _may_come_first(below, order[0]):
        return {}
    ref = order[0].expr.column
    bound = known.get(ref or "")
    return {ref: bound} if ref and bound and bound.kind in ("time", "end") else {}


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
    changing = [
        (dict(branch.columns), bounds(below))
        for branch, below in zip(stream.branches, stream.inputs, strict=True)
        if any(True for _ in scans(below))
    ]
    for column in stream.columns if changing else ():
        given = [below.get(columns.get(column.ref) or "") for columns, below in changing]
        both = given[0]
        for other in given[1:]:
            both = _both(both, other) if both and other else None
        if both is not None:
            found[column.ref] = both
    return found


def _both(one: Bound, other: Bound) -> Bound | None:
    if one.kind != other.kind or _meanings(one.through) != _meanings(other.through):
        return None
    alike = _meanings((one.starts,)) == _meanings((other.starts,))
    return replace(
        one,
        sources=one.sources | other.sources,
        offset=min(one.offset, other.offset),
        starts=one.starts if alike else (),
    )


def _meanings(steps: tuple[tuple[n.Expression, ...], ...]) -> list[list[str]]:
    return [[way.meaning for way in step] for step in steps]
