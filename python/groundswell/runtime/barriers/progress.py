"""What a running pipeline tells about itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from groundswell.catalog.suspended import Suspensions
from groundswell.contract.barrier import BarrierProgress, BarrierResult, Retirement, StateUse
from groundswell.contract.dataflow.operators import OperatorSpec, StatefulSpec
from groundswell.contract.dataflow.rows import DivertedSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.runtime.record.epochs import EpochManifest, counters

Progress = dict[str, Any]


class HasStatus(Protocol):
    """What says how far it is."""

    def status(self) -> dict[str, Any]:
        """How far it is."""


def rows_of(manifest: EpochManifest, view: str) -> int:
    """Number of rows of a view after an epoch; 0 for a view that it does not have."""
    return sum(commit.rows for commit in manifest.commits.get(manifest.views.get(view, ""), ()))


class ProgressLog:
    """The last barriers of a run.

    Attributes:
        filling: what is filled beside the barriers; None: nothing is.
        newest: the newest epoch, of this run or before it; None: there is none.
        started: by epoch of this run, when Spark put its batch together first, in milliseconds.
    """

    filling: HasStatus | None = None

    def __init__(
        self,
        operators: Sequence[OperatorSpec],
        aside: Suspensions | None = None,
        sinks: Callable[[], Mapping[str, Any]] = dict,
        keep: int = 100,
        newest: EpochManifest | None = None,
        running: Callable[[], BarrierProgress | None] = lambda: None,
    ) -> None:
        self.newest = newest
        self.started: dict[int, int] = {}
        self._running = running
        self._aside = {
            name: {"epoch": each.epoch, "because": each.because, "reason": each.reason}
            for name, each in (aside or {}).items()
        }
        self._sinks = sinks
        self._operators = {str(op.id): op for op in operators}
        self._keep = keep
        self._recent: deque[Progress] = deque(maxlen=keep)
        self._before: list[Progress] = []

    def barrier(self) -> Progress | None:
        """Of the barrier that runs now its ``epoch``, ``seconds`` and ``percent``; None: none.

        ``percent`` takes all partitions of its exchanges for alike. It is None where Spark
        exchanges rows itself, as on a cluster.
        """
        now = self._running()
        if now is None:
            return None
        return {"epoch": now.epoch, "seconds": round(now.millis / 1000, 1), "percent": now.percent}

    def follows(self, before: ProgressLog) -> None:
        """Keeps what an earlier run has noted, as if it were of this one."""
        self._before = before.recent

    def trigger(self, reported: Mapping[str, Any] | None) -> tuple[int, float] | None:
        """The epoch of a batch that Spark reports, and when it began to ask the sources for it.

        The time is in milliseconds since 1970. A batch that is run again asks nobody: what counts
        is when it was put together first.
        """
        if reported is None:
            return None
        epoch = int(reported["batchId"])
        millis = datetime.fromisoformat(str(reported["timestamp"])).timestamp() * 1000
        return epoch, min(millis, self.started.get(epoch, millis))

    @property
    def epoch(self) -> int | None:
        """The newest epoch; None: there is none."""
        return None if self.newest is None else self.newest.epoch

    @property
    def sinks(self) -> dict[str, Any]:
        """By name, how far each sink is, and why it stopped."""
        return dict(self._sinks())

    @property
    def loading(self) -> float | None:
        """How many per cent of a first load are read; None: there is none, or it is over."""
        newest = self.newest
        return newest.loaded if newest is not None and newest.loads else None

    @property
    def recent(self) -> list[Progress]:
        """Oldest first."""
        return [*self._before, *self._recent][-self._keep :]

    @property
    def last(self) -> Progress | None:
        """The newest, or None before the first barrier."""
        newest = self._recent or self._before
        return newest[-1] if newest else None

    def computed(self, manifest: EpochManifest) -> None:
        """Notes when a batch was put together, before Spark reports it."""
        self.started[manifest.epoch] = manifest.started_millis
        self.started.pop(manifest.epoch - self._keep, None)

    def add(
        self,
        manifest: EpochManifest,
        deliver_millis: int,
        barrier_millis: int,
        computed: bool,
        durable: bool = True,
        ran: BarrierResult | None = None,
        overlap: Mapping[str, int] | None = None,
    ) -> None:
        """Notes a finished barrier.

        ``ran`` is what the last barrier that was computed made, for what its epoch does not say.

        ``computeMillis`` is made of ``millis``: what it took to build the Spark job, and to run it.

        ``freshnessMillis`` is the time from when Spark put the batch together until its results
        were visible to readers; ``barrierMillis`` what the whole barrier took from when Spark
        handed it over, delivery included. ``stateBytes`` is what states take in storage, older
        versions of rows that no merge has dropped yet included. ``computed`` is False if only the
        delivery was repeated; ``durable`` is False of barriers between two checkpoints.
        ``divertedRows`` are the changes of rows that expressions could not digest and that were set
        aside, each operator's. ``aside`` has the views that failed and stand still, by name: their
        last good ``epoch``, the ``reason``, and ``because`` of which view.

        ``sinks`` has by sink the last ``epoch`` of its target, why it ``stopped`` (or None), and
        how many ``rowsAside`` this run has set aside.

        ``filling`` says of what is filled beside the barriers which ``views`` it is, how many
        ``percent`` and ``rows`` it has taken, ``rowsPerSecond``, and ``partsDone`` of ``parts``, of
        which ``resumedAt`` were there before.

        ``loading`` is how many per cent of a first load are read then; None: all is.

        ``refresh`` has, by view that was given a policy, what was chosen and why.

        ``locality`` has how many partitions of states the barrier has ``written``, and how many
        of those had ``moved`` there from another executor.

        ``cache`` has the ``hits`` and ``misses`` of the block caches. An operator whose store did
        something has ``lookups``, ``filterNegatives``, ``filterFalsePositives``, ``compactions``
        and ``compactionBytes``, see docs/metrics.md.

        ``rounds`` is how many rounds its recursions took.

        ``overlap`` is empty unless checkpoints overlap: how many barriers were ``inFlight``,
        computed and not published, when this one was, it included; and for how many milliseconds
        (``waitMillis``) barriers have waited for one of them to be published, since the last entry.

        ``retirement`` tells of the deletes that run beside the barriers, see docs/metrics.md.
        """
        filling = self.filling
        uses = manifest.uses if computed else {}
        self.newest = manifest
        self.computed(manifest)
        self._recent.append(
            {
                "epoch": manifest.epoch,
                "timestamp": datetime.fromtimestamp(
                    manifest.published_millis / 1000, UTC
                ).isoformat(timespec="milliseconds"),
                "computed": computed,
                "durable": durable,
                "sources": dict(manifest.sources),
                "inputRows": sum(manifest.sources.values()),
                "eventTimes": {name: dict(t) for name, t in manifest.event_times.items()},
                "lateRows": sum(t["late"] for t in manifest.event_times.values()),
                "divertedRows": sum(
                    totals.rows_out
                    for op, totals in manifest.operators.items()
                    if isinstance(spec := self._operators.get(op), DivertedSpec)
                    and not spec.constraint
                ),
                "expectations": expectations(self._operators, manifest),
                "aside": dict(self._aside),
                "sinks": self.sinks,
                "loading": self.loading,
                "filling": filling.status() if filling is not None else None,
                "operators": [
                    {
                        "id": int(op),
                        **_said(self._operators.get(op)),
                        **counters(totals),
                        **_used(uses.get(op)),
                    }
                    for op, totals in manifest.operators.items()
                ],
                "refresh": dict(manifest.refresh.get("views", {})),
                "stateReads": sum(c.state_reads for c in manifest.operators.values()),
                "stateRows": sum(c.state_rows for c in manifest.operators.values()),
                "stateBytes": sum(c.state_bytes for c in manifest.operators.values()),
                "computeMillis": manifest.compute_millis,
                "millis": dict(vars(ran.millis)) if ran else {},
                "rounds": ran.rounds if ran and computed else 0,
                "retirement": _deletes(ran.retirement if ran else None),
                "locality": dict(vars(ran.locality)) if ran else {},
                "cache": dict(vars(manifest.cache)) if manifest.cache and computed else {},
                "overlap": dict(overlap or {}),
                "deliverMillis": deliver_millis,
                "freshnessMillis": manifest.published_millis - manifest.started_millis,
                "barrierMillis": barrier_millis,
            }
        )


def expectations(
    operators: Mapping[str, OperatorSpec], manifest: EpochManifest
) -> dict[str, dict[str, dict[str, int]]]:
    """By view and constraint, how many changed rows of an epoch met it, and how many did not."""
    looking: dict[tuple[str, str], list[str]] = {}
    for op in manifest.operators:
        spec = operators.get(op)
        if isinstance(spec, DivertedSpec) and spec.constraint:
            looking.setdefault((spec.owner, spec.constraint), []).append(op)
    found: dict[str, dict[str, dict[str, int]]] = {}
    for (owner, constraint), ops in looking.items():
        passed, failed = manifest.met(ops)
        found.setdefault(owner, {})[constraint] = {"passed": passed, "failed": failed}
    return found


def _deletes(retirement: Retirement | None) -> dict[str, Any]:
    if retirement is None:
        return {}
    shown: dict[str, Any] = {
        "millis": retirement.millis,
        "partitions": retirement.partitions,
        "files": retirement.files,
        "behindEpochs": retirement.behind_epochs,
        "waitMillis": retirement.wait_millis,
    }
    return shown if retirement.failure is None else {**shown, "failure": retirement.failure}


def _used(use: StateUse | None) -> dict[str, int]:
    """What the store behind an operator did; none where it did nothing."""
    if use is None:
        return {}
    return {
        "lookups": use.lookups,
        "filterNegatives": use.filter_negatives,
        "filterFalsePositives": use.filter_false_positives,
        "compactions": use.compactions,
        "compactionBytes": use.compaction_bytes,
    }


def _said(op: OperatorSpec | None) -> dict[str, Any]:
    """What an operator is; None: no run has it now."""
    return {
        "op": op.KIND if op is not None else None,
        **({"state": op.state} if isinstance(op, StatefulSpec) else {}),
        **({"view": op.view} if isinstance(op, MaterializeSpec) else {}),
    }
