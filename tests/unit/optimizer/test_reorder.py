"""Which joins may be put in another order, and which order a view gets."""

from dataclasses import replace

import pytest

from groundswell.optimizer.guesses import selected
from groundswell.optimizer.regions import region
from groundswell.optimizer.reorder import Ordering, reorder
from groundswell.plan import nodes as n
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Stream, derive

SOURCES = {
    name: SourceTable(name, name, Mode.UPSERT, ("id",)) for name in ("big", "mid", "small", "more")
}
SIZES = {"big": 100_000.0, "mid": 10_000.0, "small": 10.0, "more": 10.0}
CHEAP = Ordering(search=True, sizes=SIZES)


def column(table: str, name: str) -> n.Column:
    numbers = {"big": 0, "mid": 10, "small": 20, "more": 30}
    return n.Column(f"a{numbers[table] + ('id', 'k', 'v').index(name)}", name, "long")


def scan(table: str) -> n.Placeholder:
    output = tuple(column(table, name) for name in ("id", "k", "v"))
    return n.Placeholder(id=1, output=output, source=table)


def expr(sql: str, *columns: n.Column, plain: bool = False, fails: bool = False) -> n.Expression:
    refs = tuple(c.ref for c in columns)
    return n.Expression(sql, sql, "long", True, refs, True, None, plain, fails=fails)


def key(table: str, name: str) -> n.Expression:
    return expr(f"{table}.{name}", column(table, name), plain=True)


def join(left: n.Node, right: n.Node, a: n.Expression, b: n.Expression, **more: object) -> n.Join:
    made = n.Join(
        id=2,
        output=left.output + right.output,
        children=(left, right),
        left_keys=(a,),
        right_keys=(b,),
        residual=None,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def first(**more: object) -> n.Join:
    """Big to mid by mid's key: as many rows as big has."""
    return join(scan("big"), scan("mid"), key("big", "k"), key("mid", "id"), **more)


def query(**more: object) -> n.Join:
    """... and mid to small, of which few rows have a match."""
    below = first(**more)
    return join(below, scan("small"), key("mid", "k"), key("small", "id"))


def inputs(stream: Stream) -> list[str]:
    if stream.source is not None:
        return [stream.source.name]
    return [name for below in stream.inputs for name in inputs(below)]


def test_what_is_small_is_joined_first_and_the_columns_stay_in_order() -> None:
    root, (choice,) = reorder("v", query(), SOURCES, CHEAP)
    assert choice.order == [0, [1, 2]]
    assert root.output == query().output
    assert choice.cost(choice.taken).total < choice.cost(choice.written).total
    stream = derive(root, SOURCES, Hidden())
    assert stream.key == (column("big", "id").ref,)  # big refers to mid's key, mid to small's


def test_a_condition_is_where_all_that_it_reads_is_there() -> None:
    both = expr("big.v < mid.v", column("big", "v"), column("mid", "v"))
    root, (choice,) = reorder("v", query(residual=both), SOURCES, CHEAP)
    assert choice.order == [0, [1, 2]]
    assert isinstance(root, n.Join)
    assert root.residual == both


def test_a_key_column_that_the_query_drops_is_carried_hidden() -> None:
    """In the order as written a projection below carries it; there is none in another order."""
    shown = (column("mid", "v"), column("mid", "k"))
    pruned = n.Project(
        id=3,
        output=shown,
        children=(first(),),
        exprs=(key("mid", "v"), key("mid", "k")),
    )
    root, (choice,) = reorder(
        "v", join(pruned, scan("small"), key("mid", "k"), key("small", "id")), SOURCES, CHEAP
    )
    assert choice.order is not None
    stream = derive(root, SOURCES, Hidden())
    assert set(stream.key or ()) <= {c.ref for c in stream.columns}
    assert [c.ref for c in stream.hidden] == [column("big", "id").ref]


@pytest.mark.parametrize(
    "barrier",
    [
        {"kind": n.JoinKind.LEFT_OUTER},
        {"kind": n.JoinKind.LEFT_SEMI, "output": scan("big").output},
        {"residual": expr("1 / big.v < mid.v", column("big", "v"), column("mid", "v"), fails=True)},
        {"interval": n.Interval(column("big", "v").ref, column("mid", "v").ref, 0, 1)},
        {"divert": True},
        {"left_keys": (), "right_keys": ()},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_depends_on_the_order_keeps_it(barrier: dict[str, object]) -> None:
    written = query(**barrier)
    root, choices = reorder("v", written, SOURCES, CHEAP)
    assert root is written
    assert choices == ()


def test_two_columns_of_one_input_that_must_be_equal_keep_the_order() -> None:
    """No join would check it: it follows from the joins of both with a third."""
    written = replace(
        query(),
        left_keys=(key("mid", "k"), key("big", "v")),
        right_keys=(key("small", "id"), key("small", "id")),
    )
    assert region(written) is not None
    again = replace(
        written,
        left_keys=(key("mid", "k"), key("mid", "v")),
        right_keys=(key("small", "id"), key("small", "id")),
    )
    assert region(again) is None


def test_a_watermark_keeps_the_order() -> None:
    timed = {**SOURCES, "mid": replace(SOURCES["mid"], event_time="v")}
    assert reorder("v", query(), timed, CHEAP)[1] == ()


def test_a_view_that_is_there_keeps_what_it_began_with() -> None:
    written = query()
    going = replace(CHEAP, begun={"v": ()})
    root, (choice,) = reorder("v", written, SOURCES, going)
    assert root is written
    assert choice.order is None
    assert "as written, taken" in "\n".join(choice.lines())
    root, (choice,) = reorder("v", written, SOURCES, Ordering(begun={"v": [[0, [1, 2]]]}))
    assert choice.order == [0, [1, 2]]
    assert root == reorder("v", written, SOURCES, CHEAP)[0]
    assert reorder("new", written, SOURCES, Ordering(begun={"v": ()})) == (written, ())


@pytest.mark.parametrize("order", [[0, 1], [0, [1, 1]], [[0, 1], [2, 3]]])
def test_an_order_of_another_query_is_not_used(order: object) -> None:
    written = query()
    root, (choice,) = reorder("v", written, SOURCES, Ordering(begun={"v": [order]}))
    assert root is written
    assert choice.order is None


def test_a_small_gain_is_no_reason() -> None:
    same = Ordering(search=True, sizes=dict.fromkeys(SIZES, 1000.0))
    assert reorder("v", query(), SOURCES, same)[1][0].order is None


def test_the_share_of_rows_that_a_condition_selects() -> None:
    assert selected("isnotnull(a) AND (a = 'x')") == pytest.approx(0.1)
    assert selected("(a >= 1) AND (a < 2)") == pytest.approx(0.09)
    assert selected("a IN (1, 2)") == pytest.approx(0.2)
