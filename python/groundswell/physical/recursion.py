"""Recursions: the least fixed point of what their rows are derived from.

``fixpoint`` takes derivations and keeps them by key, level and rank. It settles a level a round:
``given(k, l) = best(candidates(k, l))`` if that is better than all of lower levels, else nothing.
``feedback`` gives what a round changed of these rows, to the step; ``result`` gives what the whole
barrier changed of the rows by key, to what reads the recursion. Both read the state of ``fixpoint``
between two commits, so the circle is no circle of operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from groundswell.contract.dataflow.operators import SortColumn, StoredColumn
from groundswell.contract.dataflow.recursion import FixpointSpec, RecursiveReferenceSpec, ResultSpec
from groundswell.physical.builder import SCRATCH, Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.explain import describe
from groundswell.plan.stream import Stream

FEED = "feed"

Reads = TypeVar("Reads", RecursiveReferenceSpec, ResultSpec)
Build = Callable[[Builder, Stream, frozenset[str]], Built]


def lower(builder: Builder, stream: Stream, build: Build) -> Built:
    """One occurrence of a recursion; it is computed once."""
    node = stream.node
    assert isinstance(node, n.Recursion)
    if node.recursion not in builder.recursions:
        builder.recursions[node.recursion] = _made(builder, stream, build)
    refs, built = builder.recursions[node.recursion]
    own = [c.ref for c in stream.columns]
    return builder.rename(built, dict(zip(own, refs, strict=True)))


def lower_feedback(builder: Builder, stream: Stream) -> Built:
    """The rows of a recursion within its step."""
    node = stream.node
    assert isinstance(node, n.Feedback)
    *columns, level = node.output
    key, ranked = n.by_rank(columns, node.rank)
    kept = [c.ref for c in (*key, level, *stream.hidden)]
    placed = [c.ref for c in key]
    # the state tells equal rows of a bag apart by number; of others it is always 0
    number = [] if stream.hidden else ["integer"]
    spec = _reads(RecursiveReferenceSpec, builder, stream, kept, ranked, placed)
    return builder.add(replace(spec, table=FEED, key_types=(*spec.key_types, *number)))


def _made(builder: Builder, stream: Stream, build: Build) -> tuple[list[str], Built]:
    node = stream.node
    assert isinstance(node, n.Recursion)
    below = stream.input
    *columns, level = below.node.output
    given = build(builder, below, frozenset(c.ref for c in below.node.output))
    given = builder.narrow(given, (c.ref for c in below.node.output))
    key, ranked = n.by_rank(columns, node.rank)
    builder.text = describe(stream)
    ascending = node.rank is not None and node.rank[1]
    fixpoint = builder.add(
        FixpointSpec(
            columns=given.columns,
            inputs=(given.id,),
            key=tuple(c.ref for c in key),
            level=level.ref,
            rank=tuple(SortColumn(c.ref, ascending, nulls_first=False) for c in ranked),
            bag=node.bag,
            limit=node.rounds,
            state=_state(node.recursion),
        )
    )
    own, own_ranked = n.by_rank(node.output, node.rank)
    kept = [c.ref for c in (*own, *stream.hidden)]
    placed = [c.ref for c in own]
    spec = _reads(ResultSpec, builder, stream, kept, own_ranked, placed)
    result = builder.add(replace(spec, inputs=(fixpoint.id,)))
    return [c.ref for c in stream.columns], result


def _reads(
    kind: type[Reads],
    builder: Builder,
    stream: Stream,
    kept: Sequence[str],
    ranked: Sequence[n.Column],
    placed: Sequence[str],
) -> Reads:
    """Reads a recursion's state, whose keys are ``kept``.

    Its values are the ranked column. Its rows are in the partitions that ``placed`` say.
    """
    node = stream.node
    assert isinstance(node, n.Recursion | n.Feedback)
    state = _state(node.recursion)
    types = {c.ref: c.type for c in stream.columns}
    refs = [c.ref for c in stream.columns]
    values = [c.ref for c in ranked]
    return kind(
        columns=tuple(refs),
        reads=f"{SCRATCH}{state}" if state in builder.taken else state,
        parts=tuple(
            StoredColumn(in_key=False, at=0)
            if ref in values
            else StoredColumn(in_key=True, at=kept.index(ref))
            for ref in refs
        ),
        key_types=tuple(types[ref] for ref in kept),
        row_types=tuple(c.type for c in ranked) or ("integer",),
        key=tuple(placed),
        texts=(describe(stream),),
    )


def _state(recursion: str) -> str:
    return f"fixpoint-{recursion}"
