"""The JVM's description of an optimised Catalyst plan -> nodes, refusals and notes.

The description is docs/rfcs/0002-dataflow.md, "Captured plan". Nothing is refused half way: all
reasons are collected, outermost operator first, so that one run names everything to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from groundswell.contract.capture.grouped import (
    AggregateNode,
    LimitNode,
    LocalLimitNode,
    OffsetNode,
    SortNode,
    WindowGroupLimitNode,
    WindowNode,
)
from groundswell.contract.capture.nodes import (
    ConstantNode,
    EvaluateNode,
    ExpandNode,
    ExpectNode,
    FilterNode,
    GenerateNode,
    JoinNode,
    NodeDescription,
    OtherNode,
    PlaceholderNode,
    ProjectNode,
    UnionNode,
)
from groundswell.contract.capture.plan import PlanDescription
from groundswell.plan import described as d
from groundswell.plan import nodes as n
from groundswell.plan.lookups import TEMPORAL, as_of_now, misplaced
from groundswell.plan.refusals import (
    WHERE_CLOCK,
    WHY_CLOCK,
    WHY_CONSTANT_CLOCK,
    WHY_NOW,
    WHY_PYTHON_WINDOW,
    WHY_SESSION,
    WHY_SUBQUERY,
    why_call,
    why_join,
    why_key_type,
    why_operator,
)

_Limits = LimitNode | LocalLimitNode | OffsetNode
_NO_MORE_ROWS = _Limits | SortNode | WindowNode | ProjectNode | EvaluateNode | FilterNode
_Codes = Mapping[int, tuple[str, ...]]
_NONE: _Codes = MappingProxyType({})
_UNLIMITED = 2**31 - 1
_JOINS = {
    "inner": (n.JoinKind.INNER, False),
    "cross": (n.JoinKind.INNER, False),
    "left outer": (n.JoinKind.LEFT_OUTER, False),
    "right outer": (n.JoinKind.LEFT_OUTER, True),
    "full outer": (n.JoinKind.FULL_OUTER, False),
    "left semi": (n.JoinKind.LEFT_SEMI, False),
    "left anti": (n.JoinKind.LEFT_ANTI, False),
    "existence": (n.JoinKind.EXISTENCE, False),
}
"""Catalyst's join types: what they give, and whether their sides are exchanged for it."""


@dataclass(frozen=True)
class Captured:
    """A query as the planner sees it.

    Attributes:
        root: its top node, or None when parts of it were refused.
        refusals: ``(what, why)`` of every part that cannot be incremental.
        notes: things that were left out on purpose, for explain.
        pinned: session settings that the query's expressions were analysed under.
    """

    root: n.Node | None
    output: tuple[n.Column, ...]
    refusals: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    pinned: Mapping[str, Any]


def read(
    description: PlanDescription, codes: _Codes = MappingProxyType({})
) -> tuple[Captured, ...]:
    """Reads the captured queries, in the order in which they were captured.

    Args:
        description: all of them.
        codes: by the number of a node that calls Python functions, what tells these apart.
    """
    return tuple(_query(description, codes, i) for i in range(len(description.roots)))


def _query(description: PlanDescription, codes: _Codes, query: int) -> Captured:
    reader = _Reader(description, codes)
    root = description.roots[query]
    node = reader.node(root)
    refusals = [(r.what, r.why) for r in description.refusals if r.query == query]
    refusals += reader.refusals
    if misplaced(node):
        refusals.append(("gs.as_of_now(...)", WHY_NOW))
    return Captured(
        root=None if refusals else node,
        output=d.columns(reader.raw[root]),
        refusals=tuple({what: (what, why) for what, why in reversed(refusals)}.values())[::-1],
        notes=tuple(reader.notes),
        pinned=dict(description.pinned),
    )


def _is_one_row(node: n.Node) -> bool:
    """Whether the node has one row at most, whatever its input."""
    match node:
        case n.Aggregate():
            return not node.grouping
        case n.Project() | n.Filter() | n.Evaluate():
            return _is_one_row(node.child)
        case n.Constant():
            return node.single
        case n.Join():
            return all(map(_is_one_row, node.children))
        case _:
            return False


class _Reader:
    def __init__(self, description: PlanDescription, codes: _Codes) -> None:
        self.raw = {node.id: node for node in description.nodes}
        self.codes = codes
        self.refusals: list[tuple[str, str]] = []
        self.notes: list[str] = []

    def node(self, node_id: int) -> n.Node:
        raw = self.raw[node_id]
        match raw:
            case LimitNode() | LocalLimitNode() | OffsetNode():
                return self._limit(raw)
            case SortNode():
                self.notes.append(
                    f"ORDER BY {', '.join(map(str, d.order(raw.order)))} without LIMIT is ignored: "
                    "a view is a table, order it when you read it"
                )
                return self.node(raw.children[0])
            case WindowGroupLimitNode():  # what it drops, a filter above the window drops, too
                return self.node(raw.children[0])
            case PlaceholderNode():
                return n.Placeholder(
                    id=raw.id, output=d.columns(raw), source=raw.source, use=raw.use
                )
            case ProjectNode() | EvaluateNode():
                return self._row_by_row(raw, self._children(raw))
            case FilterNode():
                return self._filter(raw)
            case ExpectNode():
                return n.Expect(
                    id=raw.id,
                    output=d.columns(raw),
                    children=self._children(raw),
                    condition=d.expression(raw.condition),
                    owner=raw.owner,
                    constraint=raw.constraint,
                    action=raw.action,
                )
            case ConstantNode():
                return self._constant(raw)
            case GenerateNode():
                return self._generate(raw)
            case JoinNode():
                return self._join(raw)
            case AggregateNode():
                return self._aggregate(raw)
            case UnionNode():
                return n.Union(id=raw.id, output=d.columns(raw), children=self._children(raw))
            case ExpandNode():
                return self._expand(raw)
            case WindowNode():
                return self._window(raw)
            case OtherNode():
                return self._refused(raw, raw.name, why_operator(raw.name))
            case _:
                raise AssertionError(raw.KIND)

    def _refused(self, raw: NodeDescription, what: str, why: str) -> n.Node:
        self.refusals.append((what, why))
        return n.Node(id=raw.id, output=d.columns(raw), children=self._children(raw))

    def _children(self, raw: NodeDescription) -> tuple[n.Node, ...]:
        return tuple(self.node(child) for child in raw.children)

    def _row_by_row(
        self, raw: ProjectNode | EvaluateNode, children: tuple[n.Node, ...]
    ) -> n.Project | n.Evaluate:
        if isinstance(raw, ProjectNode):
            exprs = d.expressions(raw.exprs)
            self._check(exprs)
            return n.Project(id=raw.id, output=d.columns(raw), children=children, exprs=exprs)
        return n.Evaluate(
            id=raw.id,
            output=d.columns(raw),
            children=children,
            udfs=d.expressions(udf.expr for udf in raw.udfs),
            codes=self.codes.get(raw.id, ()),
            remembered=not all(udf.expr.deterministic for udf in raw.udfs),
        )

    def _filter(self, raw: FilterNode) -> n.Node:
        children = self._children(raw)
        if raw.condition is not None:
            condition = d.condition(raw.condition)
            self._check((condition,))
            output = children[0].output if raw.temporal else d.columns(raw)
            node = n.Filter(
                id=raw.id,
                output=output,
                children=children,
                condition=condition,
                partial=bool(raw.temporal),
            )
            children = (node,)
        for part in raw.temporal:
            time = d.expression(part.time)
            self._check((time,))
            children = (
                n.Temporal(
                    id=raw.id,
                    output=d.columns(raw),
                    children=children,
                    time=time,
                    offset_micros=part.offset,
                    inclusive=part.inclusive,
                    made=d.expression(part.made) if part.made else None,
                    begins=part.begins,
                ),
            )
        return children[0]

    def _join(self, raw: JoinNode) -> n.Node:
        name = raw.join_type.lower()
        kind, swap = _JOINS.get(name, (None, False))
        if kind is None:
            return self._refused(raw, f"{name} join", why_join(name))
        left, right = d.expressions(raw.left_keys), d.expressions(raw.right_keys)
        residual = d.condition(raw.residual) if raw.residual else None
        children = self._children(raw)
        if not left and not any(map(_is_one_row, children)):
            self.notes.append(
                f"the {name} join{f' on {residual.sql}' if residual else ''} has no equality: in "
                "one partition, every changed row is compared with all rows of the other side"
            )
        self._check(left + right + ((residual,) if residual else ()))
        self._keys("Join", left)
        interval = n.Interval(**vars(raw.interval)) if raw.interval else None
        if as_of_now(children[0]) and kind is n.JoinKind.INNER:
            swap = True
        if swap:
            children, left, right = children[::-1], right, left
            interval = interval and interval.exchanged()
        if as_of_now(children[1]) and kind in TEMPORAL:
            return n.TemporalJoin(
                id=raw.id,
                output=d.columns(raw),
                children=children,
                kind=kind,
                left_keys=left,
                right_keys=right,
                residual=residual,
            )
        return n.Join(
            id=raw.id,
            output=d.columns(raw),
            children=children,
            kind=kind,
            left_keys=left,
            right_keys=right,
            residual=residual,
            exists=next((c for c in d.columns(raw) if c.ref == raw.exists), None),
            interval=interval,
        )

    def _constant(self, raw: ConstantNode) -> n.Node:
        text = n.without_ids(raw.text)
        if raw.clock:
            return self._refused(raw, f"now() in a filter of {text}", WHY_CONSTANT_CLOCK)
        if raw.tables:
            self.notes.append(
                f"{text} is read once, in the first barrier: later changes are not seen"
            )
        return n.Constant(id=raw.id, output=d.columns(raw), text=text, single=raw.single)

    def _generate(self, raw: GenerateNode) -> n.Node:
        generator = d.expression(raw.generator)
        if raw.position is None and not raw.single:
            return self._refused(raw, generator.sql, why_operator("Generate"))
        self._check((generator,))
        return n.Generate(
            id=raw.id,
            output=d.columns(raw),
            children=self._children(raw),
            generator=generator,
            generated=raw.generated,
            position=raw.position,
            outer=raw.outer,
        )

    def _aggregate(self, raw: AggregateNode) -> n.Node:
        grouping = d.expressions(raw.grouping)
        calls = tuple(map(d.call, raw.calls))
        results = d.expressions(raw.results)
        self._check(results)
        self._keys("Aggregate", grouping)
        for call in calls:
            if reason := why_call(call.fn):
                self.refusals.append((call.sql, reason))
            if call.distinct:
                self._keys(call.sql, call.inputs)
            elif call.fn != "count":
                self._keys(call.sql, tuple(e for e in call.inputs if e.type == "interval"))
            self._check(call.inputs + ((call.filter,) if call.filter else ()))
        session = raw.session
        if session and any(call.distinct for call in calls):
            for call in calls:
                if any(session in each.refs for each in (*call.inputs, *call.args)):
                    self.refusals.append((call.sql, WHY_SESSION))
        refs = tuple(dict.fromkeys(g.column or g.out or g.id for g in grouping))
        return n.Aggregate(
            id=raw.id,
            output=d.columns(raw),
            children=self._children(raw),
            grouping=refs,
            calls=calls,
            results=results,
            session=session,
        )

    def _expand(self, raw: ExpandNode) -> n.Node:
        projections = tuple(d.expressions(p) for p in raw.projections)
        for exprs in projections:
            self._check(exprs)
        return n.Expand(
            id=raw.id,
            output=d.columns(raw),
            children=self._children(raw),
            projections=projections,
        )

    def _window(self, raw: WindowNode) -> n.Node:
        if raw.python:
            return self._refused(raw, "Python function over a window", WHY_PYTHON_WINDOW)
        below = self.raw[raw.children[0]]
        limited = isinstance(below, WindowGroupLimitNode)
        functions, partition = d.expressions(raw.functions), d.expressions(raw.partition)
        order = d.order(raw.order)
        self._check(functions + partition + tuple(key.expr for key in order))
        self._keys("PARTITION BY", partition)
        return n.Window(
            id=raw.id,
            output=d.columns(raw),
            children=self._children(below if limited else raw),
            functions=functions,
            partition=partition,
            order=order,
            limit=(below.fn, below.limit) if isinstance(below, WindowGroupLimitNode) else None,
        )

    def _limit(self, top: _Limits) -> n.Node:
        """Limits and offsets, with projections between them, over a Sort: TopN.

        Without a Sort the rows are taken in the order of their stream key, but over a window
        of one partition in its order: the optimiser makes a limit of ``row_number() <= n``
        there. A projection keeps rows and their order, so the TopN may sink below it. A
        LocalLimit is only a hint of the batch optimiser.
        """
        raw: NodeDescription = top
        above: list[ProjectNode | EvaluateNode] = []
        steps: list[_Limits] = []
        while isinstance(raw, _Limits | ProjectNode | EvaluateNode):
            if isinstance(raw, ProjectNode | EvaluateNode):
                above.append(raw)
            else:
                steps.append(raw)
            raw = self.raw[raw.children[0]]
        offset, limit = 0, _UNLIMITED
        for step in reversed(steps):
            if isinstance(step, LimitNode):
                limit = min(limit, step.limit)
            elif isinstance(step, OffsetNode):
                offset += step.offset
                limit = limit if limit == _UNLIMITED else max(0, limit - step.offset)
        if limit == _UNLIMITED:
            limit = self._most_rows(raw)  # the optimizer drops a LIMIT of no fewer
        if limit == _UNLIMITED:
            return self._refused(
                top,
                "Offset",
                "OFFSET without LIMIT keeps almost the whole table in order; add limit(n)",
            )
        ordered = isinstance(raw, SortNode) and raw.whole
        windowed = isinstance(raw, WindowNode) and not raw.partition
        order = d.order(raw.order) if isinstance(raw, SortNode | WindowNode) else ()
        order = order if ordered or windowed else ()
        self._check(tuple(key.expr for key in order))
        node: n.Node = n.TopN(
            id=raw.id,
            output=d.columns(raw),
            children=self._children(raw) if ordered else (self.node(raw.id),),
            order=order,
            limit=limit,
            offset=offset,
        )
        for each in reversed(above):
            node = self._row_by_row(each, (node,))
        return node

    def _most_rows(self, raw: NodeDescription) -> int:
        """How many rows a node can have by its limits; _UNLIMITED if they do not say."""
        if isinstance(raw, AggregateNode) and not raw.grouping:
            return 1
        if not isinstance(raw, _NO_MORE_ROWS):
            return _UNLIMITED
        most = self._most_rows(self.raw[raw.children[0]])
        return min(most, raw.limit) if isinstance(raw, LimitNode) else most

    def _check(self, exprs: tuple[n.Expression, ...]) -> None:
        for expr in exprs:
            if expr.clock:
                self.refusals.append((f"now() in {WHERE_CLOCK}", WHY_CLOCK))
            if expr.subquery:
                self.refusals.append((f"subquery in {expr.sql}", WHY_SUBQUERY))
            if not expr.deterministic:
                self.refusals.append(
                    (
                        expr.sql,
                        "a non-deterministic expression gives another "
                        "value when its row is taken back; store its value in the "
                        "source instead",
                    )
                )

    def _keys(self, what: str, exprs: tuple[n.Expression, ...]) -> None:
        for expr in exprs:
            if reason := why_key_type(expr.type):
                self.refusals.append((f"{what} on {expr.sql}", reason))
