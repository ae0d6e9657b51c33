"""A view is planned with the columns that its table had: its definition stays, to the letter."""

from __future__ import annotations

import pytest

from groundswell.plan import nodes as n
from groundswell.plan.definition import definition
from groundswell.plan.narrowing import as_before, narrowed
from groundswell.plan.required import gone_columns, source_columns
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Stream, derive

DESCRIBED = {"s1": {"Source t (upserts)"}}


def columns(*given: tuple[str, str], first: int = 1) -> tuple[n.Column, ...]:
    return tuple(n.Column(f"a{first + i}", name, type_) for i, (name, type_) in enumerate(given))


def placeholder(*given: tuple[str, str]) -> n.Placeholder:
    return n.Placeholder(id=1, output=columns(*given), children=(), source="s1")


def project(below: n.Node, *names: str) -> n.Project:
    kept = tuple(c for c in below.output if c.name in names)
    exprs = tuple(
        n.Expression("", c.name, c.type, True, (c.ref,), True, c.ref, True, reads=(c.ref,))
        for c in kept
    )
    return n.Project(id=2, output=kept, children=(below,), exprs=exprs)


def view(of: tuple[tuple[str, str], ...], *names: str) -> n.Node:
    """Columns of a table; of all of them there is no projection."""
    below = placeholder(*of)
    return below if len(names) == len(of) else project(below, *names)


def planned(node: n.Node, *now: tuple[str, str]) -> Stream:
    table = SourceTable("s1", "t", Mode.UPSERT, ("k",), whole=True, columns=now)
    return derive(node, {"s1": table}, Hidden())


K, V, C = ("k", "integer"), ("v", "integer"), ("c", "string")
WIDER = ("v", "long")


@pytest.mark.parametrize(
    ("before", "now", "names"),
    [
        ((K, V), (K, V, C), ("k", "v")),
        ((K, V, C), (K, V), ("k", "v")),
        ((K, V, C), (K, C), ("k", "c")),
        ((K, V, C), (K, WIDER, C), ("k", "c")),
        ((K, V), (C, K, WIDER), ("k",)),
        ((K, ("d", "decimal(4,2)"), V), (K, V), ("k", "v")),
    ],
)
def test_a_projection_is_over_the_columns_of_before(
    before: tuple[tuple[str, str], ...],
    now: tuple[tuple[str, str], ...],
    names: tuple[str, ...],
) -> None:
    old = definition(planned(view(before, *names), *before))
    stream = planned(narrowed(view(now, *names), old, DESCRIBED, {"s1"}), *now)
    assert definition(stream) == old
    assert not gone_columns(stream)
    assert set(source_columns([stream])["s1"]) <= {name for name, _ in now}


def test_a_view_of_all_columns_loses_those_that_came_later() -> None:
    old = definition(planned(placeholder(K, V), K, V))
    node = as_before(placeholder(K, C, V), old, DESCRIBED)
    assert definition(planned(node, K, V, C)) == old
    filtered = n.Filter(
        id=3,
        output=placeholder(K, V, C).output,
        children=(placeholder(K, V, C),),
        condition=n.Expression("", "c", "boolean", True, ("a3",), True, None, False),
    )
    assert as_before(filtered, old, DESCRIBED) == filtered, "it computes something of it"


def test_what_a_view_computes_of_a_column_that_is_gone_is_told() -> None:
    table = planned(project(placeholder(K, V, C), "k", "v"), K, WIDER, C)
    assert gone_columns(table) == {("t", "v")}
    assert source_columns([table])["s1"] == ("k", "c")
