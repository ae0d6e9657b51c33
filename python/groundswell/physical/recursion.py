"""Recursions: the least fixed point of what their rows are derived from.

``fixpoint`` takes derivations and keeps them by key, level and rank. It settles a level a round:
``given(k, l) = best(candidates(k, l))`` if that is better than all of lower levels, else nothing.
``feedback`` gives what a round changed of these rows, to the step; ``result`` gives what the whole
barrier changed of the rows by key, to what reads the recursion. Both read the state of ``fixpoint``
between two commits, so the circle is no circle of operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from groundswell.physical.builder import SCRATCH, Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.explain import describe
from groundswell.plan.stream import Stream

FEED = "feed"
KINDS = ("fixpoint", "feedback", "result")

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
    return _reads(builder, "feedback", stream, kept, ranked, placed, number, table=FEED)


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
        "fixpoint",
        given.columns,
        input=given.id,
        key=[c.ref for c in key],
        level=level.ref,
        rank=[{"ref": c.ref, "ascending": ascending, "nullsFirst": False} for c in ranked],
        bag=node.bag,
        limit=node.rounds,
        state=_state(node.recursion),
    )
    own, own_ranked = n.by_rank(node.output, node.rank)
    kept = [c.ref for c in (*own, *stream.hidden)]
    placed = [c.ref for c in own]
    result = _reads(builder, "result", stream, kept, own_ranked, placed, input=fixpoint.id)
    return [c.ref for c in stream.columns], result


def _reads(
    builder: Builder,
    op: str,
    stream: Stream,
    kept: Sequence[str],
    ranked: Sequence[n.Column],
    placed: Sequence[str],
    more: Sequence[str] = (),
    **fields: Any,
) -> Built:
    """Reads a recursion's state, whose keys are ``kept`` and columns of the types ``more``.

    Its values are the ranked column. Its rows are in the partitions that ``placed`` say.
    """
    node = stream.node
    assert isinstance(node, n.Recursion | n.Feedback)
    state = _state(node.recursion)
    types = {c.ref: c.type for c in stream.columns}
    refs = [c.ref for c in stream.columns]
    values = [c.ref for c in ranked]
    return builder.add(
        op,
        refs,
        **{"from": f"{SCRATCH}{state}" if state in builder.taken else state},
        parts=[["row", 0] if ref in values else ["key", kept.index(ref)] for ref in refs],
        keyTypes=[*(types[ref] for ref in kept), *more],
        rowTypes=[c.type for c in ranked] or ["integer"],
        key=placed,
        texts=[describe(stream)],
        **fields,
    )


def _state(recursion: str) -> str:
    return f"fixpoint-{recursion}"
