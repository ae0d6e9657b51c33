"""Rows that an expression cannot digest: ``errors="fail"`` or ``"divert"``. Pure.

With ``divert`` the operators of a view that evaluate expressions row by row leave out the rows for
which one of them throws, and what they leave out is a view of its own: for each such operator, the
rows of its input that fail, with the key of the input. So a row that is taken back is taken back
from where it went, for a deterministic expression fails on it again; and what was set aside is
always what would fail now.

Rows are left out, too, whose key is longer than the state of an operator takes: of a group, of a
join's side, of a partition or an order, of a value that an aggregate keeps for its group.

Such expressions are those of projections and filters, arguments and results of aggregates, keys of
joins, and what partitions and orders windows and top-Ns. What an operator evaluates over several
rows (overflow of a sum, the rest of a join's condition) is none of them.

Expectations are such expressions, too: their conditions fail for a row that does not meet them. One
that drops rows diverts them, whatever ``errors`` is; one that fails is never diverted; and of one
that keeps them the query itself knows nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from groundswell.errors import ConfigurationError, NotIncremental
from groundswell.expressions import of_function
from groundswell.plan import nodes as n
from groundswell.plan.attempts import MOST_KEY, Attempt, KeyAttempt
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden

KEEP, DROP, STOP = "keep", "drop", "fail"
ON_VIOLATION = (KEEP, DROP, STOP)
"""What becomes of a row that does not meet an expectation: it stays, goes, or ends the barrier."""

FAIL, DIVERT = "fail", "divert"
ERRORS = (FAIL, DIVERT)
SUFFIX = "_diverted"
"""Ends the name of the view of the rows that a view sets aside."""
SCHEMA = "expression string, error string, row string"
"""Its columns, as DDL."""

Attempts = tuple[Attempt | KeyAttempt, ...]
"""What of an operator may fail on a row of one of its inputs."""

_BESIDE = 1 << 16
"""Bytes that are left for the row's own key, where a state has it behind what rows are kept by."""
_LONG = ("string", "char", "varchar", "binary")
"""How the names of types begin whose values may be long."""

_KEPT = (Mode.UPSERT, Mode.CHANGELOG)

WHY_PYTHON = (
    'errors="divert" cannot set aside the one row that a Python function fails on: its exception '
    "ends a whole batch of rows; catch it in the function and return null"
)

WHY_RECURSION = (
    'errors="divert" cannot tell which row of a recursion, at which level, is the one to set '
    "aside; have its step give null where a value cannot be computed"
)


def check_errors(errors: str) -> str:
    """Refuses a way to take errors that there is not."""
    if errors not in ERRORS:
        raise ConfigurationError(f"errors must be one of {', '.join(ERRORS)}, got {errors!r}")
    return errors


def evaluated(node: n.Node) -> list[Attempts]:
    """What may fail of an operator's expressions, and of its groups, on single rows, by input."""
    match node:
        case n.Project():
            return [_failing(node.exprs)]
        case n.Filter():
            return [_failing([node.condition])]
        case n.Expect():
            return [(Attempt(node.condition),)]
        case n.Generate():
            return [_failing([node.generator])]
        case n.Expand():
            return [_failing(e for exprs in node.projections for e in exprs)]
        case n.Aggregate():
            calls = (found for call in node.calls for found in _of_call(call))
            return [(*calls, *_long_key(node), *_long_values(node))]
        case n.Join() | n.TemporalJoin():
            return [_of_key("JOIN", node.left_keys), _of_key("JOIN", node.right_keys)]
        case n.Window():
            order = tuple(key.expr for key in node.order)
            return [
                _of_key("PARTITION BY" if node.partition else "ORDER BY", node.partition, order)
            ]
        case n.TopN():
            return [_of_key("ORDER BY", (), tuple(key.expr for key in node.order))]
        case n.Temporal():
            return [_failing([node.time])]
        case _:
            return []


def results(node: n.Node) -> tuple[Attempt, ...]:
    """What may fail of the results of an aggregate, on a group."""
    return _failing(node.results) if isinstance(node, n.Aggregate) and not node.is_plain else ()


def text(expr: n.Expression | n.Call) -> str:
    """SQL that is the same in every run."""
    return expr.canon or expr.sql


def diverting(root: n.Node, everything: bool, retracting: Collection[int] = ()) -> n.Node:
    """The same query, whose operators leave out the rows that they cannot digest.

    Args:
        root: of the view.
        everything: whether all operators do (``errors="divert"``), not only expectations that drop
            the rows that do not meet them.
        retracting: ids of the aggregations of whose input rows are taken back.

    Raises:
        NotIncremental: if a part of it cannot.
    """
    if everything:
        _check_divertible(root)

    def marked(node: n.Node) -> n.Node:
        children = tuple(map(marked, node.children))
        if isinstance(node, n.Expect):
            return replace(node, children=children, divert=node.action == DROP)
        if isinstance(node, n.Aggregate):
            node = replace(node, retracts=node.id in retracting)
        diverts = everything and (any(evaluated(node)) or bool(results(node)))
        return replace(node, children=children, divert=diverts)

    return marked(root)


def _check_divertible(root: n.Node) -> None:
    refused = [
        (udf.sql, WHY_PYTHON) for node in _nodes(root) if isinstance(node, n.Evaluate)
        for udf in node.udfs
    ]  # fmt: skip
    if any(isinstance(node, n.Recursion) for node in _nodes(root)):
        refused.append(("a recursion", WHY_RECURSION))
    if refused:
        raise NotIncremental(refused)


def enforced(node: n.Node) -> n.Node:
    """The same query without the expectations that keep all rows."""
    children = tuple(map(enforced, node.children))
    if isinstance(node, n.Expect) and node.action == KEEP:
        return children[0]
    return replace(node, children=children)


def failures(
    root: n.Node, hidden: Hidden, tables: Mapping[str, SourceTable], everything: bool
) -> n.Node | None:
    """The query of the rows that ``root``, made by :func:`diverting`, leaves out; None: never any.

    Rows that an expectation counts, and keeps, are among them.

    Its columns: the SQL text of the ``expression`` that fails, the ``error``, and the ``row`` it
    fails on, as JSON: its key and the operator's input; of a keyed source only what the query reads
    of it, lest more be kept.
    """
    found: list[n.Node] = []
    for node in _nodes(root):
        if isinstance(node, n.Expect):
            found += [] if node.action == STOP else [_violations(node, hidden)]
            continue
        if not everything:
            continue
        for child, attempts in zip(node.children, evaluated(node), strict=False):
            if attempts:
                found.append(_failures(node.id, *_seen(child, attempts, tables), attempts, hidden))
        if isinstance(node, n.Aggregate) and (attempts := results(node)):
            groups = node.groups(node.child.output)
            names = {c.ref: c.name for c in node.child.output}
            texts = [names[ref] for ref in node.grouping] + [text(call) for call in node.calls]
            labels = tuple(zip((c.ref for c in groups.output), texts, strict=True))
            found.append(_failures(node.id, groups, labels, attempts, hidden))
    if len(found) < 2:
        return found[0] if found else None
    return n.Union(id=root.id, output=_columns(hidden), children=tuple(found))


def expects(root: n.Node) -> bool:
    """Whether a query of failing rows has such that do not meet an expectation."""
    return any(isinstance(node, n.Failures) and node.constraint for node in _nodes(root))


def _violations(node: n.Expect, hidden: Hidden) -> n.Failures:
    """The rows that do not meet an expectation, those that others of its owner drop included."""
    child = node.child
    while (below := _without_projections(child)) and isinstance(below, n.Expect):
        if below.owner != node.owner:
            break  # the rows that a source drops are none of the view's
        child = below.child
    labels = tuple((c.ref, c.name) for c in child.output)
    child = _without_projections(child)
    made = _failures(node.id, child, labels, (Attempt(node.condition),), hidden)
    return replace(made, constraint=node.constraint, owner=node.owner)


def _failures(
    node_id: int,
    child: n.Node,
    labels: tuple[tuple[str, str], ...],
    attempts: Attempts,
    hidden: Hidden,
) -> n.Failures:
    return n.Failures(
        id=node_id, output=_columns(hidden), children=(child,), attempts=attempts, labels=labels
    )


def _seen(
    child: n.Node, attempts: Attempts, tables: Mapping[str, SourceTable]
) -> tuple[n.Node, tuple[tuple[str, str], ...]]:
    """The operator's input, with columns that were only left out, and what is shown of it."""
    read = {ref for attempt in attempts for ref in attempt.refs}
    while _leaves_out(child):
        read |= {c.ref for c in child.output}
        child = child.child
    below = child
    while isinstance(below, n.Filter | n.Temporal):
        below = below.child
    kept = isinstance(below, n.Placeholder) and tables[below.source].mode in _KEPT
    return child, tuple((c.ref, c.name) for c in child.output if c.ref in read or not kept)


def _without_projections(node: n.Node) -> n.Node:
    """What is below projections that only leave columns out."""
    while _leaves_out(node):
        node = node.child
    return node


def _leaves_out(node: n.Node) -> bool:
    """Whether it is a projection that only leaves columns out, such as keys."""
    return isinstance(node, n.Project) and all(e.column == e.out for e in node.exprs)


def _columns(hidden: Hidden) -> tuple[n.Column, ...]:
    fields = (field.split() for field in SCHEMA.split(", "))
    return tuple(hidden.new(name, data_type, False) for name, data_type in fields)


def _failing(
    exprs: Iterable[n.Expression], when: n.Expression | None = None
) -> tuple[Attempt, ...]:
    found = {e.id: e for e in exprs if e.fails and e.column is None}
    return tuple(Attempt(e, when) for e in found.values())


def _of_call(call: n.Call) -> tuple[Attempt, ...]:
    """The arguments of rows that FILTER drops are not evaluated."""
    where = () if call.filter is None else _failing([call.filter])
    return where + _failing(call.inputs, call.filter)


def _long_key(node: n.Aggregate) -> Attempts:
    """The columns of GROUP BY or DISTINCT, if a value of them may be as long as one likes."""
    columns = [c for c in node.child.output if c.ref in node.grouping]
    if all(_is_short(c.type) for c in columns):
        return ()
    names = {c.ref: c.name for c in columns}
    said = ", ".join(names[ref] for ref in node.grouping)
    return (KeyAttempt(node.grouping, f"GROUP BY {said}"),)


def _long_values(node: n.Aggregate) -> Attempts:
    """The arguments that calls keep with the key of their group, if they may be so long."""
    columns = tuple(c for c in node.child.output if c.ref in node.grouping)
    found = []
    for call in node.calls:
        kinds = [*(c.type for c in columns), *(e.type for e in call.inputs)]
        if not _keeps_values(call, node.retracts) or all(map(_is_short, kinds)):
            continue
        args = tuple(e.column for e in call.inputs if e.column is not None)
        exprs = tuple(e for e in call.inputs if e.column is None)
        most = MOST_KEY - _BESIDE
        if not all(_is_short(e.type) or isinstance(e.type, str) for e in call.inputs):
            most //= 2  # the value's own bytes may stand behind those that it is sorted by
        said = n.without_ids(text(call))
        key = KeyAttempt((*node.grouping, *args), said, exprs, most, ordered=True, when=call.filter)
        found.append(key)
    return tuple(found)


def _keeps_values(call: n.Call, retracts: bool) -> bool:
    """Whether the state has each value of a call's arguments: DISTINCT, or to take them back."""
    if call.fn in ("min", "max"):
        return retracts
    facts = of_function(call.fn)
    how = "values" if facts is None else facts.retractable
    return call.distinct or how == "values" or (how == "buffer" and retracts)


def _of_key(
    word: str, keys: tuple[n.Expression, ...], order: tuple[n.Expression, ...] = ()
) -> Attempts:
    """What may fail of the expressions that rows are kept by, and whether they are too long.

    Args:
        word: how a query begins to say them.
        keys: that rows are found by.
        order: that they are sorted by.
    """
    every = (*keys, *order)
    failing = _failing(every)
    if all(_is_short(e.type) for e in every):
        return failing
    columns = tuple(e.column for e in every if e.column is not None)
    exprs = tuple(e for e in every if e.column is None)
    said = f"{word} {', '.join(n.without_ids(text(e)) for e in every)}"
    return (*failing, KeyAttempt(columns, said, exprs, MOST_KEY - _BESIDE, bool(order)))


def _is_short(kind: n.DataTypeJson) -> bool:
    """Whether no value of a type takes more than a few bytes."""
    if isinstance(kind, str):
        return not kind.startswith(_LONG)
    return kind["type"] == "struct" and all(_is_short(f["type"]) for f in kind["fields"])


def _nodes(root: n.Node) -> Iterator[n.Node]:
    yield root
    for child in root.children:
        yield from _nodes(child)
