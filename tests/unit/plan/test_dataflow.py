"""The dataflow of every recorded query, checked against the contract the JVM relies on."""

from dataclasses import replace
from typing import TypeVar

import pytest

from groundswell.contract.codec import decode, encode
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.contract.dataflow.groups import AggregateSpec
from groundswell.contract.dataflow.joins import JoinSpec, TwoSidedSpec
from groundswell.contract.dataflow.operators import (
    HiddenColumn,
    KeyedSpec,
    OperatorSpec,
    StatefulSpec,
)
from groundswell.contract.dataflow.order import (
    FirstOfOrderSpec,
    FirstRowsSpec,
    RankLimitSpec,
    WindowSpec,
)
from groundswell.contract.dataflow.rows import ConsolidateSpec, UnionSpec
from groundswell.contract.dataflow.sources import NormalizeSpec, SourceSpec
from groundswell.contract.dataflow.steps import Compute, StatelessSpec, Where
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.errors import NotIncremental
from groundswell.optimizer.delta_planner import delta_joins
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan.indexes import plan_index
from groundswell.plan.nodes import Placeholder
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, derive, scans
from unit.plan.planned import CAPTURED, dataflow, described, planned


def accepted() -> list[str]:
    names = []
    for name in CAPTURED:
        try:
            planned(name)
        except NotIncremental:
            continue
        names.append(name)
    return names


Spec = TypeVar("Spec", bound=OperatorSpec)


def ops(flow: Dataflow, kind: type[Spec]) -> list[Spec]:
    return [o for o in flow.operators if isinstance(o, kind)]


def named(op: OperatorSpec) -> list[str]:
    """Refs of its inputs' columns that an operator names."""
    refs = [*op.key] if isinstance(op, KeyedSpec) else []
    if isinstance(op, AggregateSpec):
        refs += op.grouping
        refs += [arg for call in op.calls for arg in call.args]
        refs += [call.filter for call in op.calls if call.filter]
    if isinstance(op, TwoSidedSpec):
        refs += [*op.left_keys, *op.right_keys, *op.left_key, *op.right_key]
    if isinstance(op, WindowSpec | FirstRowsSpec):
        refs += op.partition
    if isinstance(op, WindowSpec | FirstRowsSpec | FirstOfOrderSpec):
        refs += [column.ref for column in op.order]
    if isinstance(op, MaterializeSpec):
        refs += op.fields
    return refs


@pytest.mark.parametrize("name", accepted())
def test_operators_are_in_order_and_refer_to_columns_that_are_there(name: str) -> None:
    flow = dataflow(name)
    assert [op.id for op in flow.operators] == list(range(len(flow.operators)))
    for op in flow.operators:
        assert all(i < op.id for i in op.inputs)
        assert len(set(op.columns)) == len(op.columns)
        below = {ref for i in op.inputs for ref in flow.operators[i].columns}
        if op.inputs:
            assert set(named(op)) <= below
        if isinstance(op, JoinSpec):
            sides = [flow.operators[i].columns for i in op.inputs]
            pairs = op.join_type in ("inner", "left_outer", "full_outer")
            flags = 1 if op.join_type == "existence" else 0
            given = (*sides[0], *(sides[1] if pairs else ()))
            assert op.columns[: len(given)] == given
            assert len(op.columns) == len(given) + flags
        if isinstance(op, UnionSpec):
            assert all(flow.operators[i].columns == op.columns for i in op.inputs)
    assert len(ops(flow, MaterializeSpec)) == 1
    states = [op.state for op in ops(flow, StatefulSpec)]
    assert len(set(states)) == len(states)


def test_only_needed_columns_are_read() -> None:
    flow = dataflow("aggregate")
    assert list(flow.sources.values()) == [("story", "user", "w")]
    (source,) = ops(flow, SourceSpec)
    assert source.row_id == ()


def test_count_star_reads_one_column_and_no_argument() -> None:
    flow = dataflow("having")
    (call,) = ops(flow, AggregateSpec)[0].calls
    assert call.args == ()


def test_upserts_are_normalised_once_however_often_they_appear() -> None:
    flow = dataflow("join_many")
    assert len(ops(flow, SourceSpec)) == 1
    (table,) = ops(flow, NormalizeSpec)
    assert table.mode == "upsert"
    assert table.delete not in table.columns
    assert table.state == "source-stories"
    (source,) = flow.sources.values()
    assert source == ("id", "title", "owner", "_groundswell_delete")


def test_first_rows_of_a_group_are_all_that_is_kept_of_append_only_rows() -> None:
    flow = dataflow("top_of_group")
    (first,) = ops(flow, FirstRowsSpec)
    assert first.limit == 3
    assert not ops(flow, WindowSpec)


def test_rows_behind_the_first_of_a_group_are_kept_if_rows_are_taken_back() -> None:
    flow = dataflow("top_of_group", votes=Mode.UPSERT)
    (window,) = ops(flow, WindowSpec)
    assert window.limit == RankLimitSpec("row_number", 3)
    assert not ops(flow, FirstRowsSpec)


def test_sides_of_a_join_and_views_say_whether_rows_are_only_added() -> None:
    def said(votes: Mode) -> list[bool]:
        flow = dataflow("self_join", votes=votes)
        (join,), (view,) = ops(flow, JoinSpec), ops(flow, MaterializeSpec)
        return [join.left_append_only, join.right_append_only, view.append_only]

    assert said(Mode.APPEND) == [True, True, True]
    assert said(Mode.UPSERT) == [False, False, False]


def test_rows_of_a_view_stay_where_they_are_made_if_nobody_can_ask_for_one() -> None:
    def stay(case: str, votes: Mode = Mode.APPEND) -> bool:
        (view,) = ops(dataflow(case, votes=votes), MaterializeSpec)
        return view.anywhere

    assert stay("self_join")
    assert stay("top_of_group")
    assert not stay("self_join", Mode.UPSERT)
    assert not stay("top_of_group", Mode.UPSERT)


def test_rows_of_a_view_on_another_are_kept_where_they_are_filled_in() -> None:
    hidden = Hidden()
    below = planned("top_of_group", hidden)
    output = tuple(replace(c, ref=f"a90{i}") for i, c in enumerate(below.node.output))
    tables = {"v1": SourceTable("v1", "below", Mode.VIEW)}
    view = derive(Placeholder(id=900, output=output, source="v1"), tables, hidden, {"below": below})
    kept = lower({"below": below, "view": view}, hidden, [])
    filled = lower({"view": view}, hidden, [], snapshots={"v1": kept.views["below"]})
    assert [v.anywhere for v in ops(kept, MaterializeSpec)] == [True, False]
    assert [v.anywhere for v in ops(filled, MaterializeSpec)] == [False]


@pytest.mark.parametrize(
    "name", ["join_by_key", "join_many", "left_join", "right_join", "full_join", "semi_join"]
)
def test_delta_joins_give_their_columns_in_the_order_of_hash_joins(name: str) -> None:
    hidden = Hidden()
    view = planned(name, hidden)
    found = {
        f"{s.source.name}_{c.name}": plan_index(f"{s.source.name}_{c.name}", s, (c.name,))
        for s in scans(view)
        for c in s.node.output
        if s.source is not None
    }
    deltas = delta_joins(view, found, {}, always=True).deltas
    hashed = lower({name: view}, hidden, [])
    flow = lower({name: view}, hidden, [], indexes=found, deltas=deltas)
    (join,), (net,) = ops(hashed, JoinSpec), ops(flow, ConsolidateSpec)
    assert list(net.columns) == [ref for ref in join.columns if ref in net.columns]


def test_a_residual_condition_is_a_filter_on_the_join() -> None:
    flow = dataflow("self_join")
    (join,) = ops(flow, JoinSpec)
    after = flow.operators[join.id + 1]
    assert isinstance(after, StatelessSpec)
    assert isinstance(after.steps[0], Where)


def test_a_residual_condition_of_an_outer_join_is_the_joins_own() -> None:
    flow = dataflow("left_join_residual")
    (join,) = ops(flow, JoinSpec)
    assert join.join_type == "left_outer"
    assert join.residual is not None
    assert join.residual.startswith("e")


def test_columns_made_up_for_the_missing_side_of_an_outer_join_may_be_null() -> None:
    flow = dataflow("full_join")
    (join,) = ops(flow, JoinSpec)
    assert all(flow.hidden[ref].nullable for ref in join.columns if ref in flow.hidden)


def test_key_expressions_are_computed_before_the_join_and_their_inputs_dropped() -> None:
    flow = dataflow("join_expression")
    (join,) = ops(flow, JoinSpec)
    for side in join.inputs:
        chain = flow.operators[side]
        assert isinstance(chain, StatelessSpec)
        assert any(isinstance(step, Compute) for step in chain.steps)
    assert len(join.columns) == 6  # id, key, row id (2) | id, key


def test_views_share_sources() -> None:
    from groundswell.plan import capture
    from groundswell.plan.stream import derive
    from unit.plan.planned import tables

    hidden = Hidden()
    (query,) = capture.read(described("aggregate"))
    assert query.root is not None
    stream = derive(query.root, tables("aggregate"), hidden)
    flow = lower({"a": stream, "b": stream}, hidden, ["b"])
    assert len(ops(flow, SourceSpec)) == 1
    assert [op.changelog for op in ops(flow, MaterializeSpec)] == [False, True]


def test_message_for_the_jvm() -> None:
    flow = dataflow("filter_project")
    message = flow.spec("/somewhere", 4)
    assert (message.root, message.states, message.partitions) == ("/somewhere", "/somewhere", 4)
    assert HiddenColumn("_row_epoch", "long", nullable=False) in message.refs.values()
    assert decode(DataflowSpec, encode(message)) == message
