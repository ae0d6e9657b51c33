"""The dataflow of every recorded query, checked against the contract the JVM relies on."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from groundswell.errors import NotIncremental
from groundswell.optimizer.delta_planner import delta_joins
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan.indexes import plan_index
from groundswell.plan.nodes import StandIn
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, derive, scans
from unit.plan.planned import CAPTURED, dataflow, planned


def accepted() -> list[str]:
    names = []
    for name in CAPTURED:
        try:
            planned(name)
        except NotIncremental:
            continue
        names.append(name)
    return names


def ops(flow: Dataflow, op: str) -> list[Mapping[str, Any]]:
    return [o for o in flow.operators if o["op"] == op]


def inputs(op: Mapping[str, Any]) -> list[int]:
    fields = [op.get(name) for name in ("input", "left", "right")] + list(op.get("inputs", ()))
    return [i for i in fields if i is not None]


@pytest.mark.parametrize("name", accepted())
def test_operators_are_in_order_and_refer_to_columns_that_are_there(name: str) -> None:
    flow = dataflow(name)
    assert [op["id"] for op in flow.operators] == list(range(len(flow.operators)))
    for op in flow.operators:
        assert all(i < op["id"] for i in inputs(op))
        assert len(set(op["columns"])) == len(op["columns"])
        below = {ref for i in inputs(op) for ref in flow.operators[i]["columns"]}
        named = [
            *op.get("key", ()),
            *op.get("grouping", ()),
            *op.get("partition", ()),
            *op.get("leftKeys", ()),
            *op.get("rightKeys", ()),
            *op.get("leftKey", ()),
            *op.get("rightKey", ()),
            *(o["ref"] for o in op.get("order", ())),
            *(f["ref"] for f in op.get("fields", ()) if op["op"] == "materialize"),
            *(a for c in op.get("calls", ()) for a in c["args"]),
            *(c["filter"] for c in op.get("calls", ()) if c["filter"]),
        ]
        if inputs(op):
            assert set(named) <= below
        if op["op"] == "join":
            sides = [flow.operators[op[side]]["columns"] for side in ("left", "right")]
            pairs = op["joinType"] in ("inner", "left_outer", "full_outer")
            flags = 1 if op["joinType"] == "existence" else 0
            given = [*sides[0], *(sides[1] if pairs else [])]
            assert op["columns"][: len(given)] == given
            assert len(op["columns"]) == len(given) + flags
        if op["op"] == "union":
            assert all(flow.operators[i]["columns"] == op["columns"] for i in op["inputs"])
    assert [op["op"] for op in flow.operators].count("materialize") == 1
    states = [op["state"] for op in flow.operators if "state" in op]
    assert len(set(states)) == len(states)


def test_only_needed_columns_are_read() -> None:
    flow = dataflow("aggregate")
    assert list(flow.sources.values()) == [("story", "user", "w")]
    (source,) = ops(flow, "source")
    assert source["rowId"] is None


def test_count_star_reads_one_column_and_no_argument() -> None:
    flow = dataflow("having")
    (call,) = ops(flow, "aggregate")[0]["calls"]
    assert call["args"] == []


def test_upserts_are_normalised_once_however_often_they_appear() -> None:
    flow = dataflow("join_many")
    assert len(ops(flow, "source")) == 1
    (table,) = ops(flow, "normalize")
    assert table["mode"] == "upsert"
    assert table["delete"] not in table["columns"]
    assert table["state"] == "source-stories"
    (source,) = flow.sources.values()
    assert source == ("id", "title", "owner", "_groundswell_delete")


def test_first_rows_of_a_group_are_all_that_is_kept_of_append_only_rows() -> None:
    flow = dataflow("top_of_group")
    (first,) = ops(flow, "first_rows")
    assert first["limit"] == 3
    assert not ops(flow, "window")


def test_rows_behind_the_first_of_a_group_are_kept_if_rows_are_taken_back() -> None:
    flow = dataflow("top_of_group", votes=Mode.UPSERT)
    (window,) = ops(flow, "window")
    assert window["limit"] == {"fn": "row_number", "limit": 3}
    assert not ops(flow, "first_rows")


def test_sides_of_a_join_and_views_say_whether_rows_are_only_added() -> None:
    def said(votes: Mode) -> list[bool]:
        flow = dataflow("self_join", votes=votes)
        (join,), (view,) = ops(flow, "join"), ops(flow, "materialize")
        return [join["leftAppendOnly"], join["rightAppendOnly"], view["appendOnly"]]

    assert said(Mode.APPEND) == [True, True, True]
    assert said(Mode.UPSERT) == [False, False, False]


def test_rows_of_a_view_stay_where_they_are_made_if_nobody_can_ask_for_one() -> None:
    def stay(case: str, votes: Mode = Mode.APPEND) -> bool:
        (view,) = ops(dataflow(case, votes=votes), "materialize")
        return bool(view["anywhere"])

    assert stay("self_join")
    assert stay("top_of_group")
    assert not stay("self_join", Mode.UPSERT)
    assert not stay("top_of_group", Mode.UPSERT)


def test_rows_of_a_view_on_another_are_kept_where_they_are_filled_in() -> None:
    hidden = Hidden()
    below = planned("top_of_group", hidden)
    output = tuple(replace(c, ref=f"a90{i}") for i, c in enumerate(below.node.output))
    tables = {"v1": SourceTable("v1", "below", Mode.VIEW)}
    view = derive(StandIn(id=900, output=output, source="v1"), tables, hidden, {"below": below})
    kept = lower({"below": below, "view": view}, hidden, [])
    filled = lower({"view": view}, hidden, [], snapshots={"v1": kept.views["below"]})
    assert [v["anywhere"] for v in ops(kept, "materialize")] == [True, False]
    assert [v["anywhere"] for v in ops(filled, "materialize")] == [False]


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
    (join,), (net,) = ops(hashed, "join"), ops(flow, "net")
    assert net["columns"] == [ref for ref in join["columns"] if ref in net["columns"]]


def test_a_residual_condition_is_a_filter_on_the_join() -> None:
    flow = dataflow("self_join")
    (join,) = ops(flow, "join")
    after = flow.operators[join["id"] + 1]
    assert list(after["steps"][0]) == ["where"]


def test_a_residual_condition_of_an_outer_join_is_the_joins_own() -> None:
    flow = dataflow("left_join_residual")
    (join,) = ops(flow, "join")
    assert join["joinType"] == "left_outer"
    assert join["residual"].startswith("e")


def test_columns_made_up_for_the_missing_side_of_an_outer_join_may_be_null() -> None:
    flow = dataflow("full_join")
    (join,) = ops(flow, "join")
    assert all(flow.hidden[ref].nullable for ref in join["columns"] if ref in flow.hidden)


def test_key_expressions_are_computed_before_the_join_and_their_inputs_dropped() -> None:
    flow = dataflow("join_expression")
    (join,) = ops(flow, "join")
    for side in ("left", "right"):
        steps = flow.operators[join[side]]["steps"]
        assert any("compute" in step for step in steps)
    assert len(join["columns"]) == 6  # id, key, row id (2) | id, key


def test_views_share_sources() -> None:
    from groundswell.plan import capture
    from groundswell.plan.stream import derive
    from unit.plan.planned import tables

    hidden = Hidden()
    (query,) = capture.read(CAPTURED["aggregate"])
    assert query.root is not None
    stream = derive(query.root, tables("aggregate"), hidden)
    flow = lower({"a": stream, "b": stream}, hidden, ["b"])
    assert len(ops(flow, "source")) == 1
    assert [op["changelog"] for op in ops(flow, "materialize")] == [False, True]


def test_message_for_the_jvm() -> None:
    flow = dataflow("filter_project")
    message = flow.json("/somewhere", 4)
    assert (message["root"], message["partitions"]) == ("/somewhere", 4)
    assert {"name": "_row_epoch", "type": "long", "nullable": False} in message["refs"].values()
