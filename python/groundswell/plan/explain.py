"""Prints a planned view: operators as a tree, with changelog kind, stream key and state tables."""

from __future__ import annotations

from collections.abc import Collection

from groundswell.expressions import accumulated
from groundswell.plan import nodes as n
from groundswell.plan.attempts import Attempt, KeyAttempt
from groundswell.plan.divert import DROP, STOP
from groundswell.plan.sources import UNREAD, Mode
from groundswell.plan.stream import Kind, Stream, keeps_first_rows, remembers

_EXACT_TIME = "precisetimestampconversion("
"""A function that Spark's time windows are made with, and nobody can write."""

_WINDOW = ("named_struct('start', ", _EXACT_TIME, f"knownnullable({_EXACT_TIME}")


def tree(
    view: str, stream: Stream, notes: tuple[str, ...] = (), stateless: Collection[int] = ()
) -> str:
    """The text of ``explain``.

    Column names are the query's own; hidden columns start with an underscore.

    Args:
        view: its name.
        stream: its plan.
        notes: that follow the tree.
        stateless: ``id`` of each join that looks rows up in indexes, and so has no state.
    """
    lines = [
        f"View {view or '(unnamed)'} ({_names(visible_names(stream))})  "
        f"[{stream.kind.value}, key ({key_text(stream)})]  "
        f"state: rows by ({key_text(stream)})"
    ]
    _append(lines, stream, "", True, stateless)
    lines += [f"Note: {note}" for note in notes]
    return "\n".join(lines)


def words(stream: Stream) -> list[str]:
    """A view in SQL's words: an operator a line, indented by depth, then the columns."""
    lines: list[str] = []

    def visit(below: Stream, depth: int) -> None:
        lines.append("  " * depth + n.without_ids(describe(below)))
        for child in below.inputs:
            visit(child, depth + 1)

    visit(stream, 0)
    columns = (f"{n.without_ids(c.name)} {c.type}" for c in stream.node.output)
    return [*lines, f"Columns {', '.join(columns)}"]


def visible_names(stream: Stream) -> list[str]:
    """Names of the columns that the user sees."""
    return [c.name for c in stream.node.output]


def key_text(stream: Stream) -> str:
    """The stream key by names; ``single row`` for the empty one."""
    if stream.key is None:
        return "not needed"
    names = {c.ref: c.name for c in stream.columns}
    text = ", ".join(names[ref] for ref in stream.key if names[ref] != UNREAD)
    return text.replace("_row_epoch, _row_position", "_row_id") or "single row"


def state_tables(stream: Stream) -> list[str]:
    """What an operator keeps, in words: one entry per table."""
    node = stream.node
    match node:
        case n.Placeholder():
            assert stream.source is not None
            if stream.source.key and stream.view is None:
                key = [name for name in stream.source.key if name != UNREAD]
                return [f"table by ({', '.join(key)})"]
            return []
        case n.Join():
            return [
                f"{side} by ({_sqls(keys)} | {key_text(below)}){counted}"
                for side, keys, below, counted in zip(
                    ("left", "right"),
                    (node.left_keys, node.right_keys),
                    stream.inputs,
                    _counted(node),
                    strict=True,
                )
            ]
        case n.TemporalJoin():
            left, right = stream.inputs
            tables = [f"right by ({_sqls(node.right_keys)} | {key_text(right)})"]
            if left.kind is Kind.RETRACT:
                tables.append(f"given by ({_sqls(node.left_keys)} | {key_text(left)})")
            return tables
        case n.Constant():
            return ["that it was given"]
        case n.Evaluate() if remembers(node, stream.input):
            return [f"rows by ({key_text(stream)})"]
        case n.Aggregate():
            grouping = _grouping(stream)
            tables = [f"groups by ({grouping})" if grouping else "one row"]
            if node.forgotten:
                tables.append(f"groups in time that are not shown by ({grouping})")
            if node.session:
                tables.append(f"rows of sessions by (... | {key_text(stream.input)})")
            retract = node.session is not None or stream.input.kind is Kind.RETRACT
            tables += [
                f"values of {call.sql}"
                for call in node.calls
                if call.distinct or (retract and call.fn in ("min", "max"))
            ]
            tables += [
                f"inputs of {call.sql}"
                for call in node.calls
                if retract and not accumulated(call.fn)
            ]
            return tables
        case n.Window():
            if keeps_first_rows(node, stream.input) and node.limit:
                by = f" by ({_sqls(node.partition)})" if node.partition else ""
                ends = [f"rows in time that are not shown{by}"] if node.shown else []
                return [f"first {node.limit[1]} rows{by}", *ends]
            by = f"{_sqls(node.partition)} | " if node.partition else ""
            order = ", ".join(map(str, node.order)) or "any order"
            return [f"rows by ({by}{order} | {key_text(stream.input)})"]
        case n.Temporal():
            return [f"rows in time by ({node.time.sql} | {key_text(stream)})"]
        case n.Expire():
            return [f"rows by (time of change | {key_text(stream)})", "times of change"]
        case n.WindowClose():
            return [f"pending rows by ({_column(stream, node)} | {key_text(stream)})"]
        case n.Recursion():
            by = _names([c.name for c in n.by_rank(node.output, node.rank)[0]])
            return [f"derivations by ({by} | level)", f"rows by ({by})", "rows by level"]
        case n.TopN():
            order = "".join(f"{key} | " for key in node.order)
            return [f"rows by ({order}{key_text(stream.input)})"]
        case _:
            return []


def describe(stream: Stream) -> str:
    """One operator without what was derived for it."""
    node = stream.node
    match node:
        case n.Placeholder():
            source = stream.source
            assert source is not None
            now = ", as of now" if node.use == "now" else ""
            if source.mode is Mode.VIEW:
                return f"View {source.name}{now}"
            mode = {Mode.APPEND: "rows", Mode.UPSERT: "upserts", Mode.CHANGELOG: "changelog"}
            watermark = f", watermark {source.event_time}" if source.event_time else ""
            if node.use == "late":
                return f"Late rows of source {source.name}{watermark}"
            life = source.life_micros
            kept = f", each kept {life / 1_000_000:g} s after its last write" if life else ""
            return f"Source {source.name} ({mode[source.mode]}{kept}{watermark}{now})"
        case n.Feedback():
            return f"Rows of the recursion ({_names([c.name for c in node.output[:-1]])})"
        case n.Recursion():
            key, ranked = n.by_rank(node.output, node.rank)
            kind = "least" if node.rank and node.rank[1] else "greatest"
            what = "".join(f", {kind} {c.name}" for c in ranked)
            bag = ", equal rows count" if node.bag else ""
            return f"Recursion by ({_names([c.name for c in key])}{what}{bag})"
        case n.Project():
            return f"Project ({', '.join(_short(e, stream) for e in node.exprs)})"
        case n.Filter():
            return f"Filter {node.condition.sql}"
        case n.Expect():
            rest = {DROP: ", drop other rows", STOP: ", fail for other rows"}.get(node.action, "")
            return f"Expect {node.constraint}: {node.condition.sql}{rest}"
        case n.Present():
            names = {c.ref: c.name for c in stream.input.columns}
            return f"With a value ({names[node.column]})"
        case n.Failures() if node.constraint:
            return f"Rows that do not meet {node.constraint}"
        case n.Failures():
            return f"Rows that fail in ({', '.join(map(_attempted, node.attempts))})"
        case n.Evaluate():
            return f"Evaluate ({_sqls(node.udfs)})"
        case n.Constant():
            return f"Constant {node.text}"
        case n.Generate():
            return f"Generate {'outer ' if node.outer else ''}{node.generator.sql}"
        case n.Join():
            pairs = [
                f"{left.sql} = {right.sql}"
                for left, right in zip(node.left_keys, node.right_keys, strict=True)
            ]
            parts = [f" on {' and '.join(pairs)}"] if pairs else []
            if node.residual:
                inner = node.kind is n.JoinKind.INNER
                parts.append(f"{', filter' if inner else ' where'} {node.residual.sql}")
            return f"Join {node.kind.value}{''.join(parts)}{_apart(node)}"
        case n.TemporalJoin():
            pairs = [
                f"{left.sql} = {right.sql}"
                for left, right in zip(node.left_keys, node.right_keys, strict=True)
            ]
            where = f" where {node.residual.sql}" if node.residual else ""
            return f"Temporal join {node.kind.value} on {' and '.join(pairs)}{where}"
        case n.Aggregate():
            grouping = f"by ({_grouping(stream)})" if node.grouping else "global"
            calls = ", ".join(
                call.sql
                + (
                    f" filter ({call.filter.sql})"
                    if call.filter and "FILTER" not in call.sql.upper()
                    else ""
                )
                for call in node.calls
            )
            ended = node.forgotten and _sqls(node.forgotten.shown)
            ends = f", until the watermark unless {ended}" if ended else ""
            return f"Aggregate {grouping}{ends} ({calls})" if calls else f"Distinct {grouping}"
        case n.Union():
            return "Union all"
        case n.Window():
            by = f" by ({_sqls(node.partition)})" if node.partition else ""
            limit = f", {node.limit[0]} <= {node.limit[1]}" if node.limit else ""
            order = f" order ({', '.join(map(str, node.order))})" if node.order else ""
            shown = f", until the watermark unless {_sqls(node.shown)}" if node.shown else ""
            return f"Window{by}{order}{limit}{shown} ({_sqls(node.functions)})"
        case n.Expand():
            return f"Expand {len(node.projections)} rows for one"
        case n.Temporal():
            compared = ("<" if node.begins else ">") + ("=" if node.inclusive else "")
            clock = node.made.sql.replace("`", "") if node.made else "now()"
            return f"Temporal filter {node.time.sql} {compared} {clock} {_interval(node)}"
        case n.Expire():
            return f"Expire {node.life_micros / 1_000_000:g} s after the last change"
        case n.WindowClose():
            return f"Window close on {_column(stream, node)}"
        case n.TopN():
            offset = f" offset {node.offset}" if node.offset else ""
            if not node.order:
                return f"First rows by stream key, limit {node.limit}{offset}"
            return f"TopN ({', '.join(map(str, node.order))}) limit {node.limit}{offset}"
        case _:
            raise AssertionError(type(node).__name__)


def _append(
    lines: list[str], stream: Stream, indent: str, last: bool, stateless: Collection[int]
) -> None:
    tables = ["none, it reads indexes"] if id(stream) in stateless else state_tables(stream)
    key = f", key ({key_text(stream)})" if stream.key is not None else ""
    state = f"  state: {'; '.join(tables)}" if tables else ""
    lines.append(
        f"{indent}{'└─ ' if last else '├─ '}{describe(stream)}  [{stream.kind.value}{key}]{state}"
    )
    below = indent + ("   " if last else "│  ")
    for i, child in enumerate(stream.inputs):
        _append(lines, child, below, i == len(stream.inputs) - 1, stateless)


def _counted(node: n.Join) -> tuple[str, str]:
    """By side: whether the number of a row's matches is kept with it."""
    matches = " with matches"
    if node.residual is None or node.kind is n.JoinKind.INNER:
        return ("", "")
    return (matches, matches if node.kind is n.JoinKind.FULL_OUTER else "")


def _apart(node: n.Join) -> str:
    """What its condition says of time."""
    if node.interval is None:
        return ""
    low, high = (f"{micros / 1_000_000:g}" for micros in (node.interval.low, node.interval.high))
    return f", times {low} to {high} s apart"


def _interval(node: n.Temporal) -> str:
    sign = "-" if node.offset_micros < 0 else "+"
    return f"{sign} {abs(node.offset_micros) / 1_000_000:g} s"


def _column(stream: Stream, node: n.WindowClose) -> str:
    return next(c.name for c in stream.columns if c.ref == node.column)


def _grouping(stream: Stream) -> str:
    node = stream.node
    assert isinstance(node, n.Aggregate)
    names = {c.ref: c.name for c in stream.input.columns}
    return ", ".join(names.get(ref, ref) for ref in node.grouping)


def _attempted(attempt: Attempt | KeyAttempt) -> str:
    return attempt.expr.sql if isinstance(attempt, Attempt) else attempt.sql


def _short(expr: n.Expression, project: Stream) -> str:
    """An expression in SQL; what Spark makes of ``window(...)`` is ``window`` of its columns."""
    if not expr.sql.startswith(_WINDOW) or _EXACT_TIME not in expr.sql:
        return expr.sql
    names = {c.ref: c.name for c in (*project.input.columns, *project.columns)}
    word = "session_window" if names.get(str(expr.out)) == "session_window" else "window"
    end = f".{expr.time}" if expr.time in ("start", "end") else ""
    return f"{word}({', '.join(names.get(ref, ref) for ref in expr.refs)}){end}"


def _sqls(exprs: tuple[n.Expression, ...]) -> str:
    return ", ".join(e.sql for e in exprs)


def _names(names: list[str]) -> str:
    return ", ".join(names)
