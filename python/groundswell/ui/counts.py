"""What operators counted over the newest epochs, beside rows and time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundswell.contract.barrier import StateUse
from groundswell.runtime.planning.graph import Graph
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.ui import titles


@dataclass(frozen=True)
class ExpectationFacts:
    """How many changed rows met an expectation, and how many did not.

    Attributes:
        owner: the view, source or table that it is of.
    """

    owner: str
    constraint: str
    passed: int
    failed: int


@dataclass(frozen=True)
class StoreFacts:
    """What the store behind an operator did: its reads, filters and compactions."""

    operator: str
    title: str
    use: StateUse


@dataclass(frozen=True)
class Counts:
    """What operators counted.

    Attributes:
        stores: of the operators whose stores did something.
        cache: blocks that were found in the block caches, and blocks read from storage.
        seconds: the time in which they did: that of the epochs by the ids of the dataflow.
    """

    expectations: tuple[ExpectationFacts, ...] = ()
    stores: tuple[StoreFacts, ...] = ()
    cache: tuple[int, int] = (0, 0)
    seconds: float = 1.0


def seconds_of(manifests: Sequence[EpochManifest]) -> float:
    """The time that these epochs stand for, for rates: at least one second."""
    if not manifests:
        return 1.0
    return max((manifests[-1].published_millis - manifests[0].started_millis) / 1000, 1.0)


def counts(graph: Graph | None, manifests: Sequence[EpochManifest]) -> Counts:
    """Sums of the epochs that are by the ids of a dataflow."""
    ours = [m for m in manifests if graph is not None and m.epoch >= graph.since]
    caches = [m.cache for m in ours if m.cache is not None]
    operators = graph.operators if graph is not None else ()
    by_constraint: dict[tuple[str, str], list[str]] = {}
    stores = []
    for op in operators:
        if op.constraint:
            by_constraint.setdefault((op.owner, op.constraint), []).append(str(op.id))
        uses = [use for m in ours if (use := m.uses.get(str(op.id))) is not None]
        if uses:
            title = op.view or op.source or titles.of(op.op, op.text)[0]
            stores.append(StoreFacts(str(op.id), title, _sum(uses)))
    return Counts(
        tuple(_met(*of, ids, ours) for of, ids in by_constraint.items()),
        tuple(stores),
        (sum(c.hits for c in caches), sum(c.misses for c in caches)),
        seconds_of(ours),
    )


def _met(
    owner: str, constraint: str, ids: Sequence[str], ours: Sequence[EpochManifest]
) -> ExpectationFacts:
    """The changed rows of an expectation."""
    met = [manifest.met(ids) for manifest in ours]
    return ExpectationFacts(
        owner, constraint, sum(passed for passed, _ in met), sum(failed for _, failed in met)
    )


def _sum(uses: Sequence[StateUse]) -> StateUse:
    return StateUse(*(sum(each) for each in zip(*(vars(u).values() for u in uses), strict=True)))
