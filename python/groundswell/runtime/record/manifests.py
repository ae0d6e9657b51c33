"""What documents of epochs say. Pure; docs/format.md has the format.

A small location has all of an epoch in one document, as releases before had. In a large one an
epoch's document says what differs from a *base*: a document beside it with the commits of all
partitions as they were at some epoch before. Where most partitions change it says all, packed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from groundswell.contract.barrier import CacheUse, OperatorTotals, StateUse
from groundswell.contract.commits import CommitRef, Commits
from groundswell.runtime.record.slots import Slot
from groundswell.runtime.record.watermarks import Times

LOADED = 100.0
"""Per cent of a first load that is over."""


@dataclass(frozen=True)
class EpochManifest:
    """One published epoch.

    Attributes:
        commits: of every state, the commit that each partition stands at.
        offsets: fingerprint of Spark's offset log entry for this batch.
        operators: counters by operator id.
        sources: rows taken from each source, by name.
        started_millis: when Spark put the batch together.
        published_millis: when this manifest was written.
        compute_millis: how long the dataflow ran.
        views: the state that holds each view.
        clock_micros: the time that temporal filters were compared with.
        event_times: where watermarks stand, see :mod:`groundswell.runtime.record.watermarks`.
        token: of the owner who published it; set by the log.
        times: where the barrier's time went, for people: milliseconds by phase; see
            docs/format.md.
        generation: of the states: 0, and another one after each rescale.
        partitions: of every state; 0: of the first generation, the definition says it.
        refresh: what the views' policies came to, and the figures behind it; see docs/format.md.
        uses: what the stores behind operators did, by operator id, of those that did something.
        cache: what the block caches did; None: nothing.
        loaded: of an epoch of a first load in parts, how many per cent were read. 100: it is the
            whole, and the first that readers see. None: of all later ones.
    """

    epoch: int
    commits: Commits
    offsets: str
    operators: Mapping[str, OperatorTotals]
    sources: Mapping[str, int]
    started_millis: int
    published_millis: int
    compute_millis: int
    views: Mapping[str, str] = field(default_factory=dict)
    event_times: Times = field(default_factory=dict)
    clock_micros: int = 0
    token: int = 0
    times: Mapping[str, Any] = field(default_factory=dict)
    generation: int = 0
    partitions: int = 0
    refresh: Mapping[str, Any] = field(default_factory=dict)
    loaded: float | None = None
    uses: Mapping[str, StateUse] = field(default_factory=dict)
    cache: CacheUse | None = None

    @property
    def loads(self) -> bool:
        """Whether it has a part of a first load only, which nobody is to read."""
        return self.loaded is not None and self.loaded < LOADED

    def met(self, operators: Iterable[str]) -> tuple[int, int]:
        """How many changed rows met an expectation, and how many did not.

        Args:
            operators: ids of those that look at them. Each view that reads a source looks at all of
                the source's rows, so these count once.
        """
        there = (self.operators[op] for op in operators if op in self.operators)
        most = max(there, key=lambda totals: totals.rows_in, default=OperatorTotals())
        return most.rows_in - most.rows_out, most.rows_out


@dataclass(frozen=True)
class Base:
    """What epochs are told against.

    Attributes:
        slot: the epoch and the owner that it was written for.
        commits: of every state.
        operators: counters, of which only the size of the state is noted.
        views: the state that holds each view.
    """

    slot: Slot
    commits: Commits
    operators: Mapping[str, OperatorTotals]
    views: Mapping[str, str]


def base_of(manifest: EpochManifest, slot: Slot) -> Base:
    """A base that has an epoch as it is."""
    return Base(slot, manifest.commits, manifest.operators, manifest.views)


def partitions(commits: Commits) -> int:
    """How many commits there are."""
    return sum(map(len, commits.values()))


def changed(commits: Commits, before: Commits) -> int:
    """How many partitions are not as they were."""
    return sum(
        len(now) if len(now) != len(was) else sum(a != b for a, b in zip(now, was, strict=True))
        for state, now in commits.items()
        if now is not (was := before.get(state, ()))
    )


def whole(manifest: EpochManifest) -> dict[str, Any]:
    """All of an epoch, as releases before wrote and read it."""
    return {
        **_head(manifest),
        "commits": {s: noted(commits) for s, commits in manifest.commits.items()},
        "operators": {op: counters(totals) for op, totals in manifest.operators.items()},
        "views": dict(manifest.views),
    }


def packed(manifest: EpochManifest) -> dict[str, Any]:
    """All of an epoch in fewer bytes."""
    return {
        **_head(manifest),
        "packed": {s: list(map(_packed, commits)) for s, commits in manifest.commits.items()},
        "operators": {op: _counts(totals) for op, totals in manifest.operators.items()},
        "views": dict(manifest.views),
    }


def base_content(base: Base) -> dict[str, Any]:
    """A base as it stands in its document."""
    return {
        "epoch": base.slot[0],
        "token": base.slot[1],
        "packed": {s: list(map(_packed, commits)) for s, commits in base.commits.items()},
        "operators": {op: _counts(_idle(totals)) for op, totals in base.operators.items()},
        "views": dict(base.views),
    }


def base_in(content: Mapping[str, Any]) -> Base:
    """What :func:`base_content` gave."""
    return Base(
        (content["epoch"], content["token"]),
        {s: _unpacked(commits) for s, commits in content["packed"].items()},
        {op: _totals_in(counts) for op, counts in content["operators"].items()},
        content["views"],
    )


def against(manifest: EpochManifest, base: Base) -> dict[str, Any]:
    """What of an epoch is not as in a base."""
    content = {
        **_head(manifest),
        "base": list(base.slot),
        "changed": {
            state: _differing(now, was)
            for state, now in manifest.commits.items()
            if now is not (was := base.commits.get(state)) and now != was
        },
        "operators": {
            op: _counts(totals)
            for op, totals in manifest.operators.items()
            if op not in base.operators or totals != _idle(base.operators[op])
        },
        "gone": [state for state in base.commits if state not in manifest.commits],
        "operatorsGone": [op for op in base.operators if op not in manifest.operators],
    }
    return content if manifest.views == base.views else {**content, "views": dict(manifest.views)}


def base_named(content: Mapping[str, Any]) -> Slot | None:
    """The base that an epoch is told against; None: it says all itself."""
    named = content.get("base")
    return None if named is None else (named[0], named[1])


def manifest_in(content: Mapping[str, Any], base: Base | None, token: int) -> EpochManifest:
    """The epoch that a document has.

    Args:
        content: of the document.
        base: the one that it names.
        token: of the owner who published it.

    Raises:
        KeyError: if it lacks something.
    """
    if base is not None:
        commits = _over(base.commits, content["changed"], content["gone"])
        operators = {op: _idle(totals) for op, totals in base.operators.items()}
        operators |= {op: _totals_in(counts) for op, counts in content["operators"].items()}
        for op in content["operatorsGone"]:
            del operators[op]
        views = content.get("views", base.views)
    elif "packed" in content:
        commits = {s: _unpacked(commits) for s, commits in content["packed"].items()}
        operators = {op: _totals_in(counts) for op, counts in content["operators"].items()}
        views = content["views"]
    else:
        commits = {s: commits_of(noted) for s, noted in content["commits"].items()}
        operators = {op: _totals(noted) for op, noted in content["operators"].items()}
        views = content["views"]
    return EpochManifest(
        epoch=content["epoch"],
        commits=commits,
        offsets=content["offsets"],
        operators=operators,
        sources=content["sources"],
        started_millis=content["startedMillis"],
        published_millis=content["publishedMillis"],
        compute_millis=content["computeMillis"],
        views=views,
        event_times=content.get("eventTimes", {}),
        clock_micros=content.get("clockMicros", 0),
        token=token,
        times=content.get("times", {}),
        generation=content.get("generation", 0),
        partitions=content.get("partitions", 0),
        refresh=content.get("refresh", {}),
        loaded=content.get("loaded"),
        uses={op: _use_in(noted) for op, noted in content.get("uses", {}).items()},
        cache=CacheUse(*content["cache"]) if "cache" in content else None,
    )


def _head(manifest: EpochManifest) -> dict[str, Any]:
    uses, cache = manifest.uses, manifest.cache
    rescaled = {"generation": manifest.generation, "partitions": manifest.partitions}
    return {
        **(rescaled if manifest.generation else {}),
        "epoch": manifest.epoch,
        "offsets": manifest.offsets,
        "sources": dict(manifest.sources),
        "startedMillis": manifest.started_millis,
        "publishedMillis": manifest.published_millis,
        "computeMillis": manifest.compute_millis,
        "clockMicros": manifest.clock_micros,
        "eventTimes": {name: dict(t) for name, t in manifest.event_times.items()},
        "times": dict(manifest.times),
        **({"refresh": dict(manifest.refresh)} if manifest.refresh else {}),
        **({"loaded": manifest.loaded} if manifest.loaded is not None else {}),
        **({"uses": {op: list(vars(u).values()) for op, u in uses.items()}} if uses else {}),
        **({"cache": [cache.hits, cache.misses]} if cache and (cache.hits or cache.misses) else {}),
    }


_USES = len(fields(StateUse))
_COUNTERS = len(fields(OperatorTotals))


def _use_in(counts: list[int]) -> StateUse:
    return StateUse(*counts[:_USES])


def _packed(commit: CommitRef) -> list[Any]:
    return [commit.version, commit.id, commit.rows, commit.bytes]


def _unpacked(commits: Iterable[list[Any]]) -> tuple[CommitRef, ...]:
    return tuple([CommitRef(*commit) for commit in commits])


def _differing(now: tuple[CommitRef, ...], was: tuple[CommitRef, ...] | None) -> Any:
    """The partitions that differ, by number; of a state with other partitions all, as a list."""
    if was is None or len(now) != len(was):
        return list(map(_packed, now))
    return {str(p): _packed(now[p]) for p in range(len(now)) if now[p] != was[p]}


def _over(base: Commits, changes: Mapping[str, Any], gone: Iterable[str]) -> Commits:
    commits = dict(base)
    for state, told in changes.items():
        if isinstance(told, list):
            commits[state] = _unpacked(told)
        else:
            known = list(base[state])
            for partition, commit in told.items():
                known[int(partition)] = CommitRef(*commit)
            commits[state] = tuple(known)
    for state in gone:
        del commits[state]
    return commits


def _idle(totals: OperatorTotals) -> OperatorTotals:
    return OperatorTotals(state_rows=totals.state_rows, state_bytes=totals.state_bytes)


def _counts(totals: OperatorTotals) -> list[int]:
    """Its counters in order; if it had nothing to do, the two of its state alone."""
    *done, rows, size = vars(totals).values()
    return [*done, rows, size] if any(done) else [rows, size]


def _totals_in(counts: list[int]) -> OperatorTotals:
    return OperatorTotals(*[0] * (_COUNTERS - len(counts)), *counts)


def noted(commits: Iterable[CommitRef]) -> list[dict[str, Any]]:
    """Commits as they stand in documents of a location."""
    return [vars(commit) for commit in commits]


def commits_of(documents: Iterable[Mapping[str, Any]]) -> tuple[CommitRef, ...]:
    """What :func:`noted` gave; older releases noted neither rows nor bytes."""
    return tuple(
        CommitRef(each["version"], each["id"], each.get("rows", 0), each.get("bytes", 0))
        for each in documents
    )


_TOTALS = {
    "rows_in": "rowsIn",
    "rows_out": "rowsOut",
    "state_reads": "stateReads",
    "state_writes": "stateWrites",
    "millis": "millis",
    "own_micros": "ownMicros",
    "commit_micros": "commitMicros",
    "contradictions": "contradictions",
    "state_rows": "stateRows",
    "state_bytes": "stateBytes",
}
"""What counters are called in documents of a location, and in progress."""


_SELDOM = {"own_micros", "commit_micros", "contradictions"}
"""Idle operators are most, and an epoch's document has them all."""


def counters(totals: OperatorTotals) -> dict[str, int]:
    """The counters of an operator as people see them, some only where there is something."""
    return {
        name: count
        for field, name in _TOTALS.items()
        if (count := getattr(totals, field)) or field not in _SELDOM
    }


def _totals(document: Mapping[str, int]) -> OperatorTotals:
    return OperatorTotals(**{field: document.get(name, 0) for field, name in _TOTALS.items()})
