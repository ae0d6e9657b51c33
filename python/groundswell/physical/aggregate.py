"""Group-by, DISTINCT and global aggregates.

For every group g that d(X) touches: ``state'[g] = state[g] + sum of weight * value over d(X)[g]``,
and the output is ``-row(state[g]) + row(state'[g])``; a group whose row count falls to 0 vanishes,
except the one group of a global aggregate. Groups without a change are not read.

State: ``groups`` by grouping: row count and one accumulator per call (sums are exact or carry
their error, NaN and infinities are counted apart). min, max and DISTINCT also keep the multiset
of a group's values, by (grouping, value) with a count, and read one end or one value of it (min and
max of an append-only input need none). Functions that have no accumulator of ours keep the multiset
of their inputs and are recomputed by Spark's own code when a group's inputs change: O(group).

With a watermark on a grouping column, keys begin with its time, and groups that it has passed are
dropped: no row of theirs comes any more. Groups that the query neither shows nor needs, such as
those of deleted keys, end when the watermark has passed a time of theirs: ``live`` has them by
(time, grouping).

``session_window``: a ``window`` operator below finds, for every row, the session it belongs to; a
session that grows, splits or merges takes back its rows and gives them again: O(rows of the keys
that d(X) touches). State: ``rows`` by (other keys, start, stream key).
"""

from __future__ import annotations

from dataclasses import replace

from groundswell.contract.dataflow.groups import AggregateSpec, CallSpec
from groundswell.contract.dataflow.operators import SortColumn, UnreadRowsSpec
from groundswell.contract.dataflow.order import SessionSpec, WindowSpec
from groundswell.contract.dataflow.steps import Results
from groundswell.physical import watermark
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.stream import Kind, Stream
from groundswell.plan.unread import time_of
from groundswell.plan.watermarks import bounds, group_bound


def groups(stream: Stream) -> Stream:
    """The aggregation without the query's projection of its results."""
    node = stream.node
    assert isinstance(node, n.Aggregate)
    if is_plain(stream):
        return stream
    made = node.groups(stream.input.columns)
    return replace(stream, node=made, columns=made.output, key=node.grouping)


def is_plain(stream: Stream) -> bool:
    """Whether there is no projection of its results."""
    node = stream.node
    assert isinstance(node, n.Aggregate)
    return not stream.hidden and node.is_plain


def lower_results(builder: Builder, stream: Stream, below: Built) -> Built:
    """The query's projection of what :func:`groups` gives."""
    carry = [c.ref for c in stream.hidden]
    visible = [c.ref for c in stream.node.output]
    return builder.step(below, Results(stream.node.id, tuple(carry)), [*visible, *carry])


def lower(builder: Builder, stream: Stream, below: Built) -> Built:
    """Computes arguments below, then aggregates; ``stream`` is what :func:`groups` made."""
    node = stream.node
    assert isinstance(node, n.Aggregate)
    args = [arguments(call) for call in node.calls]
    filters = [call.filter for call in node.calls if call.filter]
    exprs = [e for each in args for e in each] + filters
    # the arguments of rows that FILTER drops might throw
    pairs = zip(node.calls, args, strict=True)
    when = {e.id: c.filter for c, each in pairs if c.filter for e in each if e.fails}
    below, refs = builder.compute(below, exprs, when)
    ref_of = dict(zip((e.id for e in exprs), refs, strict=True))
    needed = {*node.grouping, *refs} or set(below.columns[:1])
    if node.session:
        called = node.session in refs
        below, own = _sessions(builder, stream, node.session, below, needed, called)
        if called:
            ref_of = {id_: own if ref == node.session else ref for id_, ref in ref_of.items()}
            needed.add(own)
    below = builder.narrow(below, needed)
    calls = tuple(
        CallSpec(
            call=call.id,
            fn=call.fn,
            args=tuple(ref_of[arg.id] for arg in read),
            filter=ref_of[call.filter.id] if call.filter else None,
            distinct=call.distinct,
            out=call.out,
        )
        for call, read in zip(node.calls, args, strict=True)
    )
    bound = group_bound(stream)
    columns = (*node.grouping, *(call.out for call in node.calls))
    return builder.add(
        AggregateSpec(
            columns=columns,
            inputs=(below.id,),
            grouping=node.grouping,
            calls=calls,
            append_only=stream.input.kind is Kind.APPEND_ONLY and not node.session,
            watermark=watermark.field(*bound) if bound else None,
            unread=_unread(stream),
            results=node.forgotten.results if node.forgotten else (),
        )
    )


def _unread(stream: Stream) -> UnreadRowsSpec | None:
    """What ends the groups that no one reads."""
    node = stream.node
    assert isinstance(node, n.Aggregate)
    if node.forgotten is None:
        return None
    at = next(call for call in node.calls if call.out == node.forgotten.at)
    bound = time_of(at, bounds(stream.input))
    assert bound is not None
    shown = tuple(part.id for part in node.forgotten.shown)
    return UnreadRowsSpec(shown, watermark.field(at.out, bound))


def _sessions(
    builder: Builder, stream: Stream, session: str, below: Built, needed: set[str], called: bool
) -> tuple[Built, str]:
    """Replaces each row's own session by the one that it merges into, within the other keys.

    Gives the ref of the rows' own ones, too; they are among the columns if ``called``: calls read
    these, as Spark's do.
    """
    node = stream.node
    assert isinstance(node, n.Aggregate)
    key = stream.input.key or ()
    bound = bounds(stream.input).get(session)
    column = next(c for c in node.child.output if c.ref == session)
    own = builder.hidden.new("_session", column.type, column.nullable)
    kept = [ref for ref in below.columns if ref in needed | set(key)]
    below = builder.rename(below, {own.ref if ref == session else ref: ref for ref in kept})
    merged = builder.add(
        WindowSpec(
            columns=(
                *(ref for ref in kept if ref != session),
                *([own.ref] if called else []),
                session,
            ),
            inputs=(below.id,),
            partition=tuple(ref for ref in node.grouping if ref != session),
            order=(SortColumn(own.ref, ascending=True, nulls_first=True),),
            key=tuple(own.ref if ref == session else ref for ref in key),
            session=SessionSpec(own=own.ref, merged=session),
            functions=(),
            watermark=watermark.field(own.ref, bound) if bound else None,
        )
    )
    return merged, own.ref


def arguments(call: n.Call) -> tuple[n.Expression, ...]:
    """What a call reads of a row; ``count(*)``, and ``count`` of what is never null, nothing."""
    if call.fn not in ("count", "sum", "avg", "min", "max"):
        return call.inputs
    if call.fn == "count" and not call.distinct and all(not a.nullable for a in call.args):
        return ()
    return call.args
