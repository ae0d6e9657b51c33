"""Which columns watermarks reach, on plans made by hand."""

from dataclasses import replace

import pytest

from groundswell.errors import NotIncremental
from groundswell.plan import nodes as n
from groundswell.plan.lookups import misplaced
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Stream, derive
from groundswell.plan.watermarks import Bound, bounds, interval_bounds, window_close

SOURCES = {
    "s1": SourceTable("s1", "events", Mode.APPEND, event_time="ts"),
    "s2": SourceTable("s2", "others", Mode.APPEND, event_time="ts"),
    "s3": SourceTable("s3", "plain", Mode.APPEND),
}


def column(ref: str, name: str = "", window: str | None = None) -> n.Column:
    return n.Column(ref, name or ref, "timestamp", True, window)


def expression(out: str, *refs: str, plain: bool = False, time: str | None = None) -> n.Expression:
    return n.Expression(
        f"e{out}", f"f({refs})", "timestamp", True, refs, True, out, plain, time=time
    )


def scan(source: str, ref: str) -> n.Node:
    return n.Placeholder(id=0, output=(column(ref, "ts"), column(ref + "0", "k")), source=source)


def windows(source: str, ref: str, out: str) -> n.Node:
    """``SELECT window(ts, ...) out, k``."""
    made = expression(out, ref, time="window")
    exprs = (made, expression(ref + "0", ref + "0", plain=True))
    output = (column(out, "window", "time"), column(ref + "0", "k"))
    return n.Project(id=1, output=output, children=(scan(source, ref),), exprs=exprs)


def grouped(child: n.Node, *refs: str) -> n.Node:
    output = tuple(c for c in child.output if c.ref in refs)
    results = tuple(expression(ref, ref, plain=True) for ref in refs)
    return n.Aggregate(
        id=2, output=output, children=(child,), grouping=refs, calls=(), results=results
    )


def joined(left: n.Node, right: n.Node, on: tuple[str, str], kind: n.JoinKind) -> n.Node:
    keys = [(expression(ref, ref, plain=True),) for ref in on]
    return n.Join(
        id=3,
        output=left.output + right.output,
        children=(left, right),
        kind=kind,
        left_keys=keys[0],
        right_keys=keys[1],
        residual=None,
    )


def stream(node: n.Node) -> Stream:
    return derive(node, SOURCES, Hidden())


def test_a_window_of_the_event_time_is_bound_up_to_the_group_key() -> None:
    root = stream(grouped(windows("s1", "a1", "a2"), "a2", "a10"))
    assert bounds(root) == {"a2": Bound("window", frozenset({"s1"}))}
    closed = window_close(root)
    assert closed.kind.value == "append-only"
    assert isinstance(closed.node, n.WindowClose)
    assert closed.node.column == "a2"


def test_monotone_functions_are_followed_and_others_are_not() -> None:
    day = expression("a5", "a1", time="monotone")
    for expr, found in ((day, True), (expression("a5", "a1"), False)):
        node = n.Project(id=1, output=(column("a5"),), children=(scan("s1", "a1"),), exprs=(expr,))
        assert ("a5" in bounds(stream(node))) is found
    assert bounds(
        stream(n.Project(id=1, output=(column("a5"),), children=(scan("s1", "a1"),), exprs=(day,)))
    )["a5"].through == ((day,),)


def numbered(ahead: int | None, *, ascending: bool = True, nulls_first: bool = False) -> n.Node:
    """A window function over the event time, not partitioned by it."""
    child = scan("s1", "a1")
    call = replace(expression("a9", "a10"), ahead=ahead)
    return n.Window(
        id=4,
        output=(*child.output, column("a9")),
        children=(child,),
        functions=(call,),
        partition=(expression("a10", "a10", plain=True),),
        order=(n.SortKey(expression("a1", "a1", plain=True), ascending, nulls_first),),
        limit=None,
    )


def test_what_looks_back_is_bound_by_the_time_it_is_ordered_by() -> None:
    time = Bound("time", frozenset({"s1"}))
    assert bounds(stream(numbered(0))) == {"a1": time}
    assert bounds(stream(numbered(5))) == {"a1": replace(time, offset=-5)}
    assert bounds(stream(numbered(None))) == {}
    assert bounds(stream(numbered(0, ascending=False))) == {}
    assert bounds(stream(numbered(0, nulls_first=True))) == {}, "such rows could always come"


def test_rows_that_may_come_first_at_any_time_are_left_out_of_what_closes() -> None:
    def below(nulls_first: bool) -> n.Node:
        return window_close(stream(numbered(0, nulls_first=nulls_first))).input.input.node

    assert isinstance(below(True), n.Present)
    assert isinstance(below(False), n.Placeholder)


def test_a_projection_that_drops_the_time_carries_it_hidden() -> None:
    only = (expression("a10", "a10", plain=True),)
    root = n.Project(id=5, output=(column("a10", "k"),), children=(scan("s1", "a1"),), exprs=only)
    closed = window_close(stream(root))
    assert isinstance(closed.node, n.WindowClose)
    assert closed.node.column == "a1"
    assert [c.ref for c in closed.node.output] == ["a10"]


def test_what_is_made_in_several_ways_is_bound_by_the_least() -> None:
    ways = [expression("a5", "a1", time="monotone"), expression("a5", "a1", time="monotone")]
    ways[1] = replace(ways[1], id="other")
    node = n.Expand(
        id=6,
        output=(column("a5"),),
        children=(scan("s1", "a1"),),
        projections=tuple((way,) for way in ways),
    )
    assert bounds(stream(node))["a5"].through == (tuple(ways),)


def test_a_join_needs_the_watermarks_of_both_sides_on_one_key() -> None:
    left, right = windows("s1", "a1", "a2"), windows("s2", "a3", "a4")
    both = Bound("window", frozenset({"s1", "s2"}))
    assert bounds(stream(joined(left, right, ("a2", "a4"), n.JoinKind.INNER))) == {
        "a2": both,
        "a4": both,
    }
    assert bounds(stream(joined(left, right, ("a2", "a4"), n.JoinKind.LEFT_OUTER))) == {"a2": both}
    assert bounds(stream(joined(left, right, ("a10", "a30"), n.JoinKind.INNER))) == {}
    assert bounds(stream(joined(left, right, ("a2", "a4"), n.JoinKind.FULL_OUTER))) == {}
    plain = windows("s3", "a3", "a4")
    assert bounds(stream(joined(left, plain, ("a2", "a4"), n.JoinKind.INNER))) == {}


def test_times_that_a_join_keeps_together_are_bound_by_the_slower_side() -> None:
    def near(kind: n.JoinKind, left: str = "s1", right: str = "s2") -> Stream:
        node = joined(scan(left, "a1"), scan(right, "a3"), ("a10", "a30"), kind)
        assert isinstance(node, n.Join)
        return stream(replace(node, interval=n.Interval("a1", "a3", -5, 20)))

    both = Bound("time", frozenset({"s1", "s2"}))
    inner = near(n.JoinKind.INNER)
    assert bounds(inner) == {"a1": replace(both, offset=-20), "a3": replace(both, offset=-5)}
    assert bounds(near(n.JoinKind.LEFT_OUTER)) == {"a1": replace(both, offset=-20)}
    assert bounds(near(n.JoinKind.FULL_OUTER)) == {}
    assert bounds(near(n.JoinKind.INNER, right="s3")) == {}
    spans = interval_bounds(near(n.JoinKind.INNER, right="s3"))
    assert spans is not None
    assert (spans.left, spans.right) == (None, Bound("time", frozenset({"s1"})))
    assert isinstance(window_close(near(n.JoinKind.LEFT_OUTER)).node, n.WindowClose)


def test_a_temporal_join_keeps_the_bounds_of_its_stream() -> None:
    table = n.Placeholder(id=0, output=scan("s3", "a3").output, source="s3", use="now")
    node = joined(scan("s1", "a1"), table, ("a10", "a30"), n.JoinKind.INNER)
    assert isinstance(node, n.Join)
    temporal = n.TemporalJoin(
        id=3,
        output=node.output,
        children=node.children,
        kind=node.kind,
        left_keys=node.left_keys,
        right_keys=node.right_keys,
        residual=None,
    )
    assert bounds(stream(temporal)) == {"a1": Bound("time", frozenset({"s1"}))}
    assert not misplaced(temporal)
    assert misplaced(node)


def test_late_rows_have_no_watermark() -> None:
    assert (
        bounds(stream(n.Placeholder(id=0, output=(column("a1", "ts"),), source="s1", use="late")))
        == {}
    )


def test_without_a_bound_in_the_key_no_row_is_final() -> None:
    with pytest.raises(NotIncremental, match="does not reach the stream key"):
        window_close(stream(grouped(windows("s1", "a1", "a2"), "a10")))
    with pytest.raises(NotIncremental, match="no source has a watermark"):
        window_close(stream(grouped(windows("s3", "a1", "a2"), "a2")))


def test_rows_of_an_append_only_stream_leave_by_any_bound_column() -> None:
    assert isinstance(window_close(stream(scan("s1", "a1"))).node, n.WindowClose)
