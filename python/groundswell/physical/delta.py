"""Shared indexes and delta joins.

``d(A x B x C)`` is the sum of one term a table: its changes beside the others, those after it as
the barrier leaves them, those before it as it found them, so that each combination of changes is in
one term:

    A x B x d(C)  +  A x d(B) x C'  +  d(A) x B' x C'

An index at T is its state at the base. At T + dT it is that, overlaid with the index's own changes,
which are shuffled to where the lookup is; nobody but the index's operator writes it. The union
gives the last table's term first, as a consumer would need that applies changes one by one; and
then changes are netted by stream key, since rows that moved between partitions have no order, and
since combinations of old and new rows cancel out between terms.

State: the indexes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundswell.physical import source
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.chains import Chain, Step
from groundswell.plan.delta import DeltaJoin, Leaf
from groundswell.plan.indexes import Index
from groundswell.plan.stream import Stream

Build = Callable[[Builder, Stream, frozenset[str]], Built]


def arrange(builder: Builder, index: Index) -> Built:
    """The operator that keeps an index, once."""
    if index.state in builder.arranged:
        return builder.arranged[index.state]
    below = source.lower(builder, index.scan, frozenset(index.refs))
    below = builder.rename(below, {ref: ref for ref in index.refs})
    built = builder.add(
        "arrange",
        index.refs,
        input=below.id,
        index=list(index.by),
        key=list(index.key),
        name=index.name,
        state=index.state,
    )
    builder.sealed.add(built.id)
    builder.arranged[index.state] = built
    return built


def lower(
    builder: Builder, stream: Stream, join: DeltaJoin, required: frozenset[str], build: Build
) -> Built:
    """All chains of a delta join, their union, netted."""
    wanted = required | set(stream.key or ())
    columns = [c.ref for c in stream.columns if c.ref in wanted]
    terms = [_chain(builder, join, chain, columns, build) for chain in reversed(join.chains)]
    union = builder.add("union", columns, inputs=[term.id for term in terms])
    return builder.add("net", columns, input=union.id, key=list(stream.key or ()))


def _chain(
    builder: Builder, join: DeltaJoin, chain: Chain, columns: list[str], build: Build
) -> Built:
    leaf = join.leaves[chain.start]
    if chain.source is None:
        rows = build(builder, leaf.stream, leaf.required)
    else:
        index = builder.indexes[chain.source]
        kept = _kept(index, leaf)
        rows = builder.rename(
            arrange(builder, index), {ref: index.refs[at] for ref, at in kept.items()}
        )
        rows = _steps(builder, rows, leaf, frozenset())
    bound = dict(leaf.outer)
    left = list(join.conditions)
    rows = _conditions(builder, rows, left)
    for step in chain.steps:
        other = join.leaves[step.relation]
        rows = _lookup(builder, rows, step, other, bound, step.relation > chain.start)
        bound = {**other.outer, **bound}
        rows = _conditions(builder, rows, left)
    if left:
        missing = {ref for c in left for ref in c.refs} - set(rows.columns)
        refs = {ref: ref for ref in rows.columns} | {ref: join.resolve(ref) for ref in missing}
        rows = _conditions(builder, builder.rename(rows, refs), left)
    assert not left, [c.sql for c in left]
    if rows.columns == tuple(columns):
        return rows
    return builder.step(
        rows,
        {
            "map": [
                {"to": ref, "from": ref if ref in rows.columns else join.resolve(ref)}
                for ref in columns
            ]
        },
        columns,
    )


def _lookup(
    builder: Builder, rows: Built, step: Step, leaf: Leaf, bound: dict[int, str], new: bool
) -> Built:
    index = builder.indexes[step.index.name]
    arranged = arrange(builder, index)
    kept = _kept(index, leaf)
    numbers = set(step.index.columns)
    rest = [c for c in leaf.classes if c in bound and c not in numbers]
    names = {c.ref: c.name for c in index.scan.columns}
    positions = {names[ref]: at for at, ref in enumerate(index.refs)}
    fields: dict[str, Any] = {"inputs": [rows.id, *([arranged.id] if new else [])]}
    if new:
        fields |= {"deltaKeys": list(index.by), "deltaKey": list(index.key)}
    row_keys = [leaf.classes[c] for c in step.index.columns]
    found = builder.add(
        "lookup",
        (*rows.columns, *kept),
        **fields,
        reads=builder.operators[arranged.id]["state"],
        keys=[bound[c] for c in step.index.columns],
        keyWidth=len(index.key),
        rowTypes=[c.type for c in index.kept],
        index=[{"at": positions[name]} for name in index.columns],
        row=[{"ref": ref, "at": at} for ref, at in kept.items()],
        rowKeys=row_keys if set(row_keys) <= kept.keys() else None,
        equal=[{"ref": bound[c], "at": kept[leaf.classes[c]]} for c in rest],
    )
    return _steps(builder, found, leaf, frozenset(rows.columns))


def _kept(index: Index, leaf: Leaf) -> dict[str, int]:
    """What a leaf needs of the index: its own ref -> position in the index's rows."""
    names = {c.ref: c.name for c in leaf.scan.node.output}
    own = {c.name: c.ref for c in index.scan.node.output}
    carried = dict(
        zip((c.ref for c in leaf.scan.hidden), (c.ref for c in index.scan.hidden), strict=True)
    )
    wanted = leaf.scanned | set(leaf.classes.values())
    refs = [c.ref for c in leaf.scan.columns if c.ref in wanted]
    return {
        ref: index.refs.index(own[names[ref]] if ref in names else carried[ref]) for ref in refs
    }


def _steps(builder: Builder, rows: Built, leaf: Leaf, beside: frozenset[str]) -> Built:
    """The leaf's filters and projections, on rows that have other columns ``beside`` them."""
    for stream in leaf.steps:
        if isinstance(stream.node, n.Filter):
            rows = builder.step(rows, {"filter": {"node": stream.node.id}}, rows.columns)
            continue
        hidden = {c.ref for c in stream.hidden}
        carry = [ref for ref in rows.columns if ref in beside or ref in hidden]
        given = [c.ref for c in stream.node.output]
        columns = given + [ref for ref in carry if ref not in given]
        rows = builder.step(rows, {"project": {"node": stream.node.id, "carry": carry}}, columns)
    wanted = beside | leaf.required | set(leaf.outer.values())
    return builder.narrow(rows, [ref for ref in rows.columns if ref in wanted])


def _conditions(builder: Builder, rows: Built, left: list[n.Expression]) -> Built:
    """Applies the conditions that can be evaluated by now."""
    for condition in list(left):
        if set(condition.refs) <= set(rows.columns):
            rows = builder.step(rows, {"where": condition.id}, rows.columns)
            left.remove(condition)
    return rows
