"""What a page shows of a pipeline. Pure: from documents to facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundswell.contract.barrier import OperatorTotals
from groundswell.runtime.planning.graph import Graph, Operator
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.manifests import LOADED
from groundswell.ui import titles
from groundswell.ui.counts import Counts

PHASES = ("wait", "read", "run", "commit", "publish", "deliver")
DIVERTED = "_diverted"
PASSING = ("stateless", "union", "net", "touched", "signs")
"""Operators without state and counters worth a box; what they do is told on the next one."""


@dataclass(frozen=True)
class EpochFacts:
    """One epoch, and where its time went.

    Attributes:
        freshness_millis: from when Spark put the batch together until it was readable.
        phases: milliseconds by name of :data:`PHASES`; what is not known is missing.
        late: rows behind watermarks; ``diverted``: changes of rows that were set aside.
    """

    epoch: int
    published_millis: int
    freshness_millis: int
    rows: int
    phases: Mapping[str, float]
    late: int = 0
    diverted: int = 0


@dataclass(frozen=True)
class ViewFacts:
    """One view.

    Attributes:
        filled: share of its rows that is there, 0 to 1.
        freshness_millis: of the newest epoch; of a view that stands still, the age of its rows.
        watermark_millis: the lowest of the sources that it reads; None: they have none.
        failing: rows that are set aside now; None: its rows that fail end the barrier.
        aside: why it stands still; None: it does not.
        refresh: its ``policy``, the ``choice`` of the newest epoch and the ``reason``; empty if it
            was given no policy.
    """

    name: str
    rows: int
    bytes: int
    filled: float
    freshness_millis: int | None
    watermark_millis: int | None
    failing: int | None
    aside: str | None
    sources: tuple[str, ...]
    sinks: tuple[str, ...]
    refresh: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceFacts:
    """One source: rows a second, and how far behind its events are."""

    name: str
    mode: str
    rows: int
    rate: float
    late: int
    watermark_millis: int | None
    event_lag_millis: int | None


@dataclass(frozen=True)
class Box:
    """A node of the drawn dataflow.

    Attributes:
        kind: ``source``, ``operator``, ``view`` or ``sink``.
        what: what it does beside its title; ``text``: all of that, with steps on the way.
        rate: rows a second that leave it.
        busy: its share of the time that all tasks took, 0 to 1.
    """

    id: str
    kind: str
    title: str
    text: str
    rate: float
    rows: int = 0
    bytes: int = 0
    busy: float = 0.0
    slow: bool = False
    inputs: tuple[str, ...] = ()
    what: str = ""


@dataclass(frozen=True)
class StateFacts:
    """One state of the newest epoch: what it is of, and its size by partition."""

    name: str
    rows: int
    bytes: int
    partitions: int


@dataclass(frozen=True)
class Picture:
    """All that a page shows but the levels of a state.

    Attributes:
        lag_millis: how long the batch that is at work has been so; 0: none is.
        seconds: the time that rates are of.
        exact: whether times of operators are their own, not those of their tasks.
        stopped: whether the last run is known to have ended.
        counts: what operators counted beside rows and time, over the newest epochs.
    """

    location: str
    now_millis: int
    owner: str
    epochs: tuple[EpochFacts, ...]
    views: tuple[ViewFacts, ...]
    sources: tuple[SourceFacts, ...]
    boxes: tuple[Box, ...]
    states: tuple[StateFacts, ...]
    lag_millis: int = 0
    seconds: float = 0.0
    exact: bool = True
    kept: tuple[int, int] | None = None
    failing_rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    hot_keys: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: bool = False
    counts: Counts = field(default_factory=Counts)

    @property
    def last(self) -> EpochFacts | None:
        """The newest epoch."""
        return self.epochs[-1] if self.epochs else None


_IDLE = OperatorTotals()


def epoch_facts(
    manifest: EpochManifest, following: EpochManifest | None, diverting: Iterable[str] = ()
) -> EpochFacts:
    """One epoch; what came after it was published stands in the one that follows it."""
    counters = list(manifest.operators.values())
    read = sum(manifest.times.get("readMicros", {}).values()) / 1000
    own = sum(c.own_micros for c in counters) / 1000
    commit = sum(c.commit_micros for c in counters) / 1000
    phases: dict[str, float] = {}
    if "job" in manifest.times:
        # Tasks run side by side: the job's time is shared out as their time was.
        job, tasks = manifest.times["job"], read + own
        phases["wait"] = manifest.times.get("wait", 0)
        phases["read"] = job * read / tasks if tasks else 0
        phases["commit"] = job * commit / tasks if tasks else 0
        rest = max(manifest.compute_millis - phases["read"] - phases["commit"], 0)
        phases["run"] = rest
    else:
        phases["run"] = manifest.compute_millis
    follows = following is not None and following.epoch == manifest.epoch + 1
    after = following.times.get("before", {}) if following is not None and follows else {}
    if after:
        phases["publish"] = after.get("persist", 0) + after.get("publish", 0)
        phases["deliver"] = after.get("deliver", 0)
    return EpochFacts(
        manifest.epoch,
        manifest.published_millis,
        manifest.published_millis - manifest.started_millis,
        sum(manifest.sources.values()),
        {name: phases[name] for name in PHASES if name in phases},
        sum(t.get("late", 0) for t in manifest.event_times.values()),
        sum(manifest.operators.get(op, _IDLE).rows_out for op in diverting),
    )


def source_facts(
    definition: Definition, manifests: Sequence[EpochManifest], seconds: float
) -> tuple[SourceFacts, ...]:
    """The sources, over the newest epochs."""
    newest = manifests[-1] if manifests else None
    found = []
    for name, about in definition.sources.items():
        times = newest.event_times.get(name, {}) if newest else {}
        rows = sum(m.sources.get(name, 0) for m in manifests)
        event = times.get("newest")
        lag = newest.started_millis - event // 1000 if newest and event is not None else None
        mark = times.get("watermark")
        found.append(
            SourceFacts(
                name,
                str(about.get("mode", "")),
                rows,
                rows / seconds,
                sum(m.event_times.get(name, {}).get("late", 0) for m in manifests),
                mark // 1000 if mark is not None else None,
                max(lag, 0) if lag is not None else None,
            )
        )
    return tuple(found)


def lineage(graph: Graph, view: str) -> set[str]:
    """Names of the sources that a view's rows come from, through other views, too."""
    by_id = {op.id: op for op in graph.operators}
    indexes = {op.state: op.id for op in graph.operators if op.op == "arrange"}
    wanted = [op.id for op in graph.operators if op.view == view]
    seen: set[int] = set()
    names: set[str] = set()
    while wanted:
        op = by_id.get(wanted.pop())
        if op is None or op.id in seen:
            continue
        seen.add(op.id)
        if op.source:
            names.add(op.source)
        wanted += op.inputs
        if op.reads in indexes:
            wanted.append(indexes[op.reads])
    return names


def view_facts(
    definition: Definition,
    graph: Graph | None,
    newest: EpochManifest | None,
    now_millis: int,
    sources: Sequence[SourceFacts],
) -> tuple[ViewFacts, ...]:
    """The views that the location has, those that stand still and those being filled included."""
    sinks = (graph.sinks if graph else None) or {}
    marks = {s.name: s.watermark_millis for s in sources}
    present = newest.views if newest else {}
    loading = newest.loaded if newest and newest.loads and newest.loaded is not None else None
    there = 1.0 if loading is None else loading / LOADED
    found = []
    for name in dict.fromkeys([*definition.views, *definition.aside]):
        aside = definition.aside.get(name)
        state = aside.state if aside else present.get(name)
        commits = (
            aside.commits if aside else (newest.commits.get(state or "", ()) if newest else ())
        )
        below = lineage(graph, name) if graph else set()
        known = [m for s in below if (m := marks.get(s)) is not None]
        failing = present.get(name + DIVERTED)
        fresh = newest.published_millis - newest.started_millis if newest else None
        if aside:
            fresh = now_millis - aside.since_millis
        found.append(
            ViewFacts(
                name,
                sum(c.rows for c in commits),
                sum(c.bytes for c in commits),
                there if state else 0.0,
                fresh if state and loading is None else None,
                min(known) if known else None,
                sum(c.rows for c in newest.commits.get(failing, ()))
                if newest and failing
                else None,
                aside.text(name) if aside else None,
                tuple(sorted(below)),
                tuple(
                    f"{sink} ({at.get('format', '')})"
                    for sink, at in sinks.items()
                    if at.get("view") == name
                ),
                newest.refresh.get("views", {}).get(name, {}) if newest else {},
            )
        )
    return tuple(found)


def boxes(
    graph: Graph | None, manifests: Sequence[EpochManifest], seconds: float
) -> tuple[tuple[Box, ...], bool]:
    """The dataflow to draw, over the epochs that are by its ids; and whether times are exact."""
    if graph is None:
        return (), True
    ours = [m for m in manifests if m.epoch >= graph.since]
    newest = ours[-1] if ours else None
    exact = any(c.own_micros for m in ours for c in m.operators.values())
    by_id = {op.id: op for op in graph.operators}
    indexes = {op.state: op.id for op in graph.operators if op.op == "arrange"}
    took = {
        op.id: _total(ours, op.id, "own_micros" if exact else "millis") for op in by_id.values()
    }
    whole = sum(took.values())
    slowest = max(took, key=lambda i: took[i]) if whole else None
    found = []
    for op in graph.operators:
        if op.op in PASSING:
            continue
        last = newest.operators.get(str(op.id), _IDLE) if newest else _IDLE
        inputs, passed = _drawn_inputs(op, by_id)
        if op.reads in indexes:
            inputs = (*inputs, str(indexes[op.reads]))
        rows = (
            sum(m.sources.get(op.source, 0) for m in ours)
            if op.source
            else _total(ours, op.id, "rows_out")
        )
        title, what = titles.of(op.op, op.text)
        found.append(
            Box(
                str(op.id),
                "source" if op.source else "view" if op.view else "operator",
                op.source or op.view or title,
                "; ".join(filter(None, [op.text, *passed])),
                rows / seconds,
                last.state_rows,
                last.state_bytes,
                took[op.id] / whole if whole else 0.0,
                op.id == slowest,
                tuple(dict.fromkeys(inputs)),
                "" if op.source or op.view else what,
            )
        )
    holds = {op.view: str(op.id) for op in graph.operators if op.view}
    for name, at in (graph.sinks or {}).items():
        if at.get("view") in holds:
            above = next(b for b in found if b.id == holds[at["view"]])
            found.append(
                Box(
                    f"sink {name}",
                    "sink",
                    name,
                    at.get("format", ""),
                    above.rate,
                    inputs=(above.id,),
                )
            )
    return tuple(found), exact


def _total(manifests: Sequence[EpochManifest], op: int, counter: str) -> int:
    return sum(getattr(m.operators.get(str(op), _IDLE), counter) for m in manifests)


def _drawn_inputs(op: Operator, by_id: Mapping[int, Operator]) -> tuple[tuple[str, ...], list[str]]:
    """The boxes that it takes rows from, and what is done to them on the way."""
    inputs: list[str] = []
    texts: list[str] = []
    wanted = list(reversed(op.inputs))
    while wanted:
        below = by_id.get(wanted.pop())
        if below is None:
            continue
        if below.op in PASSING:
            texts += [below.text] if below.text and below.op == "stateless" else []
            wanted += reversed(below.inputs)
        else:
            inputs.append(str(below.id))
    return tuple(inputs), texts


def state_facts(newest: EpochManifest | None) -> tuple[StateFacts, ...]:
    """The states of the newest epoch, the largest first."""
    found = [
        StateFacts(
            name,
            sum(c.rows for c in commits),
            sum(c.bytes for c in commits),
            len(commits),
        )
        for name, commits in (newest.commits.items() if newest else ())
    ]
    return tuple(sorted(found, key=lambda s: -s.bytes))
