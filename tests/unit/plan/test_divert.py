"""Which rows a diverting view sets aside, and that its states are those of a view that fails."""

import pytest

from groundswell.contract.dataflow.operators import StatefulSpec
from groundswell.contract.dataflow.rows import DivertedSpec
from groundswell.contract.dataflow.steps import Digests, Filter, StatelessSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.errors import NotIncremental
from groundswell.physical.lower import lower
from groundswell.plan import capture
from groundswell.plan.definition import digest
from groundswell.plan.divert import SUFFIX, diverting, evaluated, failures
from groundswell.plan.nodes import Node
from groundswell.plan.stream import Hidden, derive
from unit.plan.planned import described, planned, tables
from unit.plan.test_dataflow import accepted, ops


def root(name: str) -> Node:
    (query,) = capture.read(described(name))
    assert query.root is not None
    return diverting(query.root, True)


REFUSED = ("python_udf", "pandas_value", "pandas_window", "signed_totals")


@pytest.mark.parametrize("name", [n for n in accepted() if n not in REFUSED])
def test_what_diverts_is_kept_under_the_same_names(name: str) -> None:
    """So that a pipeline that failed on a row may go on by setting it aside."""
    hidden = Hidden()
    known = tables(name)
    main = derive(root(name), known, hidden)
    assert digest(main) == digest(planned(name))
    aside = failures(root(name), hidden, known, True)
    views = {name: main}
    if aside is not None:
        views[name + SUFFIX] = derive(aside, known, hidden)
    flow = lower(views, hidden, ())
    alone = lower({name: planned(name, other := Hidden())}, other, ())
    states = {op.state for op in ops(alone, MaterializeSpec)}
    assert states <= {op.state for op in ops(flow, MaterializeSpec)}
    stateful = {op.state for op in ops(alone, StatefulSpec)}
    assert stateful <= {op.state for op in ops(flow, StatefulSpec)}
    for op in ops(flow, DivertedSpec):
        below = {ref for i in op.inputs for ref in flow.operators[i].columns}
        assert {shown.ref for shown in op.row} <= below
        assert set(op.columns[3:]) <= below


def test_a_filter_looks_before_it_evaluates() -> None:
    hidden = Hidden()
    main = derive(root("failing_filter"), tables("failing_filter"), hidden)
    flow = lower({"v": main}, hidden, ())
    chains = [[type(s) for s in op.steps] for op in ops(flow, StatelessSpec)]
    (kinds,) = [kinds for kinds in chains if Filter in kinds]
    assert kinds.index(Digests) < kinds.index(Filter)


def test_nothing_is_left_out_of_what_a_failing_view_computes_as_well() -> None:
    name, hidden = "filter_project", Hidden()
    strict, lenient = (
        derive(node, tables(name), hidden)
        for node in (capture.read(described(name))[0].root, root(name))
        if node is not None
    )
    flow = lower({"strict": strict, "lenient": lenient}, hidden, ())
    steps = [step for op in ops(flow, StatelessSpec) for step in op.steps]
    assert not any(isinstance(step, Digests) for step in steps)


def test_arguments_are_tried_only_where_filter_holds() -> None:
    (aggregate,) = [n for n in _nodes(root("failing_calls")) if type(n).__name__ == "Aggregate"]
    (where, argument) = (a for found in evaluated(aggregate) for a in found)
    assert (where.when, argument.when) == (None, where.expr)


def test_python_functions_are_refused() -> None:
    with pytest.raises(NotIncremental, match="Python function"):
        root("python_udf")


def _nodes(node: Node) -> list[Node]:
    return [node, *(found for child in node.children for found in _nodes(child))]
