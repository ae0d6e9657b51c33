"""Expressions and columns as captures describe them, for the planner. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from groundswell.contract.capture.expressions import (
    CallDescription,
    ConditionDescription,
    ExpressionDescription,
    SortDescription,
)
from groundswell.contract.capture.nodes import NodeDescription
from groundswell.plan import nodes as n


def columns(raw: NodeDescription) -> tuple[n.Column, ...]:
    """The columns of a node."""
    return tuple(n.Column(c.ref, c.name, c.type, c.nullable, c.window) for c in raw.output)


def expression(raw: ExpressionDescription) -> n.Expression:
    """An expression."""
    return n.Expression(
        id=raw.id,
        sql=raw.sql,
        type=raw.type,
        nullable=raw.nullable,
        refs=raw.refs,
        deterministic=raw.deterministic,
        out=raw.out,
        plain=raw.plain,
        subquery=raw.subquery,
        reads=raw.reads,
        canon=raw.canon,
        hidden=raw.hidden,
        time=raw.time,
        clock=raw.clock,
        fails=raw.fails,
        start=expression(raw.start) if raw.start else None,
        ahead=raw.ahead,
    )


def condition(raw: ConditionDescription) -> n.Expression:
    """A condition, with the parts that must hold."""
    return replace(expression(raw.whole), parts=expressions(raw.parts))


def expressions(raw: Iterable[ExpressionDescription]) -> tuple[n.Expression, ...]:
    """Expressions, in order."""
    return tuple(expression(e) for e in raw)


def call(raw: CallDescription) -> n.Call:
    """An aggregate call."""
    return n.Call(
        id=raw.id,
        fn=raw.fn,
        sql=raw.sql,
        distinct=raw.distinct,
        filter=expression(raw.filter) if raw.filter else None,
        args=expressions(raw.args),
        inputs=expressions(raw.inputs),
        out=raw.out,
        type=raw.type,
        canon=raw.canon,
        hidden=raw.hidden,
    )


def order(raw: Iterable[SortDescription]) -> tuple[n.SortKey, ...]:
    """The keys of an order."""
    return tuple(n.SortKey(expression(o.expr), o.ascending, o.nulls_first) for o in raw)
