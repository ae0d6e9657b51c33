"""Which top-N have a stage in each partition below the one that is over all rows.

``top(T) = top(top(T1) + top(T2) + ...)`` for any way to cut T into parts: so each part passes on
only its own first rows, and the last stage sees few rows. The parts are buckets of the stream key,
always as many: what they pass on may not depend on the number of partitions, which may change. It
costs the states and the tasks of both stages, so it is not for few partitions, nor where each part
would pass on much of what it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.explain import describe
from groundswell.plan.stream import Stream

BUCKETS = 64
"""More partitions than that are not used. Written down in states: never another number."""
LEAST_PARTITIONS = 8
"""With fewer, that one of them has all rows costs less than the tasks of a further stage."""
MOST_ROWS = 1000
"""Of a part's first rows, which are read again when one of them changes."""
WHOLE = "top_n"
LOCAL = "top_n_local"


def top_ns(stream: Stream) -> Iterator[Stream]:
    """All top-N of a plan."""
    if isinstance(stream.node, n.TopN):
        yield stream
    for below in stream.inputs:
        yield from top_ns(below)


def why_one(stream: Stream, states: Collection[str], partitions: int) -> str:
    """Why a top-N has one stage; empty if it has two.

    Args:
        stream: the top-N.
        states: names of those that the location has: a state that was begun goes on as it is.
        partitions: of every state.
    """
    node = stream.node
    assert isinstance(node, n.TopN)
    end = node.offset + node.limit
    if not stream.input.key:
        return "its input has one row"
    if not 0 < end <= MOST_ROWS:
        return f"it reaches {end:,} rows, and {MOST_ROWS:,} are the most that a part passes on"
    name = digest(stream)
    if _has(states, f"{LOCAL}-{name}"):
        return ""
    if _has(states, f"{WHOLE}-{name}"):
        return "it was begun with one"
    few = f"there are {partitions} partitions, and from {LEAST_PARTITIONS} on a second one pays"
    return few if partitions < LEAST_PARTITIONS else ""


def two_stages(roots: Iterable[Stream], states: Collection[str], partitions: int) -> frozenset[str]:
    """Digests of the top-N that have two stages."""
    found = [top for root in roots for top in top_ns(root)]
    return frozenset(digest(top) for top in found if not why_one(top, states, partitions))


def told(stream: Stream, states: Collection[str], partitions: int) -> Iterator[str]:
    """A line for each top-N of a view: how many stages it has, and why."""
    for top in top_ns(stream):
        assert isinstance(top.node, n.TopN)
        why = why_one(top, states, partitions)
        yield f"{describe(top)}: " + (
            f"one stage, in one partition: {why}"
            if why
            else f"two stages: each of {BUCKETS} parts of the rows passes on "
            f"its first {top.node.offset + top.node.limit:,}"
        )


def _has(states: Collection[str], name: str) -> bool:
    return any(f"{state}-".startswith(f"{name}-") for state in states)
