"""Which columns of its inputs an operator needs, so that everything else is dropped early."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream


def required_of_inputs(stream: Stream, required: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Refs that each input must deliver so that ``stream`` can deliver ``required``."""
    wanted = frozenset(required)
    node = stream.node
    match node:
        case n.Placeholder() | n.Constant() | n.Feedback():
            return ()
        case n.Generate():
            own = set(node.generated)
            return ((wanted - own) | set(node.generator.refs) | set(stream.input.key or ()),)
        case n.Project():
            carried = wanted & {c.ref for c in stream.hidden}
            return (_refs(node.exprs) | carried,)
        case n.Failures():
            read = frozenset(ref for attempt in node.attempts for ref in attempt.refs)
            return (read | {ref for ref, _ in node.labels} | set(stream.key or ()),)
        case n.Filter() | n.Expect():
            return (wanted | set(node.condition.refs),)
        case n.Evaluate():
            # which columns its functions read is known to the JVM only: it keeps its whole input
            return (frozenset(c.ref for c in stream.input.columns),)
        case n.Join() | n.TemporalJoin():
            wanted |= set(node.residual.refs) if node.residual else set()
            return tuple(
                (wanted & {c.ref for c in side.columns}) | _refs(keys) | set(side.key or ())
                for side, keys in zip(stream.inputs, (node.left_keys, node.right_keys), strict=True)
            )
        case n.Aggregate():
            needed = set(node.grouping) | set(stream.input.key or () if node.session else ())
            for call in node.calls:
                needed |= _refs(call.inputs or call.args) | (
                    set(call.filter.refs) if call.filter else set()
                )
            return (frozenset(needed),)
        case n.Union():
            return tuple(
                frozenset(ref for _, ref in branch.columns if ref is not None)
                for branch in stream.branches
            )
        case n.Expand():
            refs = frozenset().union(*(_refs(exprs) for exprs in node.projections))
            return (refs | set(stream.input.key or ()),)
        case n.Window():
            assert stream.input.key is not None
            below = {c.ref for c in stream.input.columns}
            read = _refs(node.functions + node.partition) | _refs(key.expr for key in node.order)
            return ((wanted & below) | read | set(stream.input.key),)
        case n.Recursion():
            return (frozenset(c.ref for c in stream.input.node.output),)
        case n.Present():
            return (wanted | {node.column},)
        case n.Temporal():
            return (wanted | set(node.time.refs) | set(stream.key or ()),)
        case n.WindowClose():
            return (wanted | {node.column} | set(stream.key or ()),)
        case n.Expire():
            return (wanted | set(stream.key or ()),)
        case n.TopN():
            assert stream.input.key is not None
            return (wanted | _refs(key.expr for key in node.order) | set(stream.input.key),)
        case _:
            raise AssertionError(type(node).__name__)


def view_columns(root: Stream) -> frozenset[str]:
    """What a view needs of its root: what the user sees, and the key."""
    return frozenset(c.ref for c in root.node.output) | set(root.key or ())


def source_columns(
    roots: Iterable[Stream], also: Mapping[str, Iterable[str]] | None = None
) -> dict[str, tuple[str, ...]]:
    """For every source, by id, the names of the columns that any view needs, in its order.

    Args:
        roots: the views.
        also: columns to read whether needed or not, by source name. They come first, in their own
            order: rows that are kept are read by position.
    """
    also = also or {}
    needed: dict[str, set[str]] = {}
    there: dict[str, dict[str, None]] = {}
    names_of: dict[str, str] = {}

    def visit(stream: Stream, required: frozenset[str]) -> None:
        if stream.source is not None and stream.view is None:
            kept = also.get(stream.source.name, ())
            names_of[stream.source.id] = stream.source.name
            has = stream.source.has
            own = dict.fromkeys(c.name for c in stream.node.output if has(c.name, c.type))
            there.setdefault(stream.source.id, {}).update(own)
            names = needed.setdefault(stream.source.id, set(stream.source.key))
            names |= {
                c.name
                for c in stream.node.output
                if c.ref in required
                or c.name in kept
                or c.name in (*stream.source.version, stream.source.event_time)
                or (stream.source.whole and c.name not in stream.source.hidden)
            }
        for below, refs in zip(stream.inputs, required_of_inputs(stream, required), strict=True):
            visit(below, refs)

    for root in roots:
        visit(root, view_columns(root))
    found: dict[str, tuple[str, ...]] = {}
    for source, names in needed.items():
        order = {**dict.fromkeys(also.get(names_of[source], ())), **there[source]}
        ordered = [name for name in order if name in there[source]]
        found[source] = tuple(name for name in ordered if name in names) or (ordered[0],)
    return found


def gone_columns(root: Stream) -> set[tuple[str, str]]:
    """The sources with the columns that a view needs of them, and they have no more."""
    found: set[tuple[str, str]] = set()

    def visit(stream: Stream, required: frozenset[str]) -> None:
        if (source := stream.source) is not None and stream.view is None:
            gone = (
                c.name
                for c in stream.node.output
                if c.ref in required
                and c.name not in source.hidden
                and not source.has(c.name, c.type)
            )
            found.update((source.name, name) for name in gone)
        for below, refs in zip(stream.inputs, required_of_inputs(stream, required), strict=True):
            visit(below, refs)

    visit(root, view_columns(root))
    return found


def _refs(exprs: Iterable[n.Expression]) -> frozenset[str]:
    return frozenset(ref for expr in exprs for ref in expr.refs)
