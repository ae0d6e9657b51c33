"""One barrier: compute, publish, deliver, and ask for what nobody needs to be retired.

A barrier that is no checkpoint is computed and announced to readers of this process; the next
checkpoint does the rest for it, see :mod:`checkpoints`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from groundswell.catalog.view import BatchFunction
from groundswell.contract.barrier import BarrierRequest, BarrierResult
from groundswell.contract.commits import Commits, PendingCommits
from groundswell.errors import (
    CheckpointLost,
    EpochUnavailable,
    OffsetsRewound,
    VersionUnavailable,
)
from groundswell.marks import Mark
from groundswell.runtime.barriers.overlap import Computed, Overlap, OverlapRules
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.barriers.publishing import Publishing, millis_since
from groundswell.runtime.gc.retention import Retention
from groundswell.runtime.ownership.leases import RetentionHolds, now_millis
from groundswell.runtime.planning.loading import Load
from groundswell.runtime.record.checkpoints import Checkpoints
from groundswell.runtime.record.epochs import EpochManifest, offsets_entry
from groundswell.runtime.record.location import Folder
from groundswell.runtime.record.pending_epochs import PendingEpochs, made_by
from groundswell.runtime.record.watermarks import WatermarkRules, message

Clock = Callable[[], "float | datetime"]
"""Tells the time: seconds since 1970, or a datetime (without a zone: local time)."""
"""Takes (changes, epoch): of a view's ``foreachBatch``, the changes are a DataFrame."""


class Runner(Protocol):
    """What a barrier needs of the JVM."""

    def run(self, request: BarrierRequest, batch: Any) -> BarrierResult:
        """Computes and, if so wanted, makes durable; commits, counters and rows by source id."""

    def persist(self, commits: PendingCommits) -> None:
        """Makes commits durable that are not."""

    def forget(self, commits: PendingCommits) -> None:
        """Gives up commits that are not durable."""

    def write(self, waiting: Sequence[int]) -> None:
        """Makes durable what barriers have left in memory, under these numbers."""

    def give_up(self, waiting: Sequence[int]) -> None:
        """Gives up what barriers have left in memory."""

    def changelog(self, view: str, manifest: EpochManifest) -> Any:
        """The changes of a view in one epoch, as its sinks take them."""

    def retire(
        self, epoch: int, newest: Commits, oldest: EpochManifest, whole: int, base: Commits
    ) -> None:
        """Begins to delete state files that no reader may name and no barrier builds on.

        Args:
            epoch: the newest epoch that is durable.
            newest: its commits.
            oldest: the oldest epoch that is kept.
            whole: the epoch of which operators' own state is kept; the newest, or one that is
                being copied.
            base: the commits of that epoch.
        """

    def fail_point(self, name: str) -> None:
        """Dies here if a test armed this point."""


@dataclass(frozen=True)
class BarrierRules:
    """What the pipeline says of its barriers.

    Attributes:
        sources: name by id of the source.
        sinks: by view, what its changes are given to.
        views: by view, the state that holds it.
        retention: how many epochs stay.
        watermarks: how event time moves.
        clock: tells the time of a barrier; None: when Spark put the batch together.
        pins: which epochs readers elsewhere keep; None: there are none.
        followers: by stream of Spark's checkpoint, what is told how far it is durable.
        generation: of the states.
        partitions: of every state, after a rescale; else 0.
        chosen: tells what the last barrier chose by the views' policies, for its epoch's record.
        overlap: how checkpoints overlap; None: each barrier waits for its own.
        beside: whether epochs are retired while later barriers run. Not where another process
            merges: a barrier must know what is about to go before it takes a merge in.
        load: the first load that its barriers are parts of; None: they are not.
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    sinks: Mapping[str, BatchFunction] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    retention: Retention = field(default_factory=Retention)
    watermarks: WatermarkRules = field(default_factory=WatermarkRules)
    clock: Clock | None = None
    pins: RetentionHolds | None = None
    followers: Mapping[str, Callable[[str], None]] = field(default_factory=dict)
    generation: int = 0
    partitions: int = 0
    chosen: Callable[[], Mapping[str, Any]] = dict
    overlap: OverlapRules | None = None
    beside: bool = True
    load: Load | None = None


class BarrierHandler:
    """Turns micro-batches into epochs, on the stream's thread; whoever ends it may be another."""

    def __init__(
        self,
        runner: Runner,
        log: PendingEpochs,
        offsets: Folder,
        rules: BarrierRules,
        progress: ProgressLog,
        checkpoints: Checkpoints,
    ) -> None:
        self._runner = runner
        self._log = log
        self._offsets = offsets
        self._rules = rules
        self._progress = progress
        self._checkpoints = checkpoints
        self._last: EpochManifest | None = None
        self._ran: BarrierResult | None = None
        self._after: dict[str, int] = {}
        self._pending: list[EpochManifest] = []
        self._publishing = Publishing(
            runner,
            log,
            offsets,
            rules.sinks,
            rules.followers,
            rules.retention,
            rules.pins,
            checkpoints,
            rules.beside,
        )
        self._overlap = (
            Overlap(rules.overlap, runner, self._publishing, progress, checkpoints)
            if rules.overlap is not None
            else None
        )
        self._broken = False
        self._lock = threading.Lock()
        self.stopping: Callable[[], bool] = lambda: False
        """Whether the query is to stop: a barrier waits for no other one then."""
        log.forget()

    def open(self) -> None:
        """To be called last before the query starts; from then on it has to be closed."""
        if self._overlap is not None:
            self._overlap.open()

    def __call__(self, epoch: int, batch: Any) -> None:
        """Returns when the result is visible and, at a checkpoint, durable and delivered.

        Where checkpoints overlap: when the next barrier may begin.
        """
        with self._lock:
            self._barrier(epoch, batch)

    def _barrier(self, epoch: int, batch: Any) -> None:
        called = time.monotonic()
        if self._overlap is not None:
            self._overlap.begin()
        if self._publishing.kept is None:
            self._check_first(epoch)
        kept = self._publishing.begin()
        manifest = self._log.find(epoch) if self._last is None and epoch in kept else None
        if manifest is None and self._overlap is not None:
            self._last = manifest = self._compute(epoch, batch, True)
            assert self._ran is not None
            self._progress.computed(manifest)
            self._runner.fail_point("between_checkpoints")
            self._overlap.add(Computed(manifest, self._ran, called), self.stopping)
            return
        computed, due = manifest is None, True
        published, deliver_millis = [epoch], 0
        if manifest is None:
            due = self._checkpoints.due
            manifest = self._compute(epoch, batch, due)
            self._pending.append(manifest)
            if due:
                published = [each.epoch for each in self._pending]
                deliver_millis = self._checkpoint(self._pending[:-1])
            else:
                self._log.announce(manifest)
                self._runner.fail_point("between_checkpoints")
        else:
            self._check_offsets(manifest)
            self._publishing.durable = manifest.commits
            if not self._checkpoints.delivered(epoch):
                Mark.BATCH_IS_DELIVERED_AGAIN.hit()
                deliver_millis = self._publishing.deliver(manifest)
                self._publishing.done(epoch)
            if self._overlap is not None:
                self._overlap.delivered(epoch)
        self._last = manifest
        self._progress.add(
            manifest,
            deliver_millis,
            millis_since(called),
            computed,
            due,
            self._ran,
        )
        if due:
            self._publishing.retire(published)

    def drain(self) -> None:
        """Returns when all that was computed is published, unless checkpoints are rare.

        Raises:
            Exception: what publishing it has failed with.
        """
        if self._overlap is not None:
            self._overlap.drain()

    def finish(self) -> None:
        """Makes a last checkpoint, if a barrier ran since the last one; the query has ended.

        Nothing happens if a checkpoint failed: the next start repeats what came after it.
        """
        with self._lock:
            if self._overlap is not None:
                self._overlap.finish()
            if self._pending and not self._broken:
                published = [each.epoch for each in self._pending]
                self._checkpoint(self._pending)
                self._publishing.retire(published)
            self._publishing.finish()

    def close(self) -> None:
        """Gives up what is not durable; no barrier comes any more."""
        with self._lock:
            if self._overlap is not None:
                self._overlap.close()
            if self._pending:
                self._runner.forget(made_by(self._publishing.durable, self._pending))
            self._pending = []
            self._publishing.close()
            self._log.forget()

    def _checkpoint(self, ahead: Sequence[EpochManifest]) -> int:
        """Makes durable what is ahead, publishes and delivers all that is pending, in order."""
        self._broken = True
        begun = time.monotonic()
        if ahead:
            self._runner.persist(made_by(self._publishing.durable, ahead))
            self._runner.fail_point("after_persist")
        persisted = millis_since(begun)
        millis = published = 0
        for manifest in self._pending:
            begun = time.monotonic()
            self._publishing.publish(manifest)
            published += millis_since(begun)
            millis += self._publishing.deliver(manifest)
        newest = self._pending[-1].epoch
        self._pending = []
        self._publishing.done(newest)
        self._broken = False
        self._after = {"persist": persisted, "publish": published, "deliver": millis}
        return millis

    def _compute(self, epoch: int, batch: Any, durable: bool) -> EpochManifest:
        before = self._before(epoch)
        times = before.event_times if before else {}
        entry = offsets_entry(self._offsets, epoch)
        begun, started = time.monotonic(), now_millis()
        millis = entry.started_millis if entry and entry.started_millis else started
        marks = self._rules.watermarks.in_force(times, millis)
        clock = max(self._now(millis), before.clock_micros if before else 0)
        base: Commits = before.commits if before else {}
        overlaps = self._overlap is not None
        if not self._pending and not overlaps:
            self._publishing.durable = base
        told = message(times, marks, self._rules.sources, clock)
        request = BarrierRequest(epoch, base, told, durable, overlaps=overlaps)
        try:
            result = self._runner.run(request, batch)
        except VersionUnavailable as e:
            if not self._pending:
                raise
            Mark.COMMIT_AHEAD_IS_LOST.hit()
            raise CheckpointLost(
                f"epoch {epoch} builds on epoch {epoch - 1}, which was not durable yet, and the "
                "process that held a part of it is gone: start the query again, it goes on from "
                f"its last checkpoint ({e})"
            ) from e
        self._checkpoints.ran(result.taken)
        self._ran = result
        sources = self._by_name(result.sources)
        found = self._by_name(result.event_times)
        return EpochManifest(
            epoch=epoch,
            commits=result.commits,
            offsets=entry.fingerprint if entry else "",
            operators=result.operators,
            sources=sources,
            started_millis=millis,
            published_millis=now_millis(),
            compute_millis=millis_since(begun),
            views=self._rules.views,
            clock_micros=clock,
            event_times=self._rules.watermarks.after(times, marks, sources, found, millis),
            times=self._times(max(started - millis, 0), self._by_name(result.read_micros)),
            generation=self._rules.generation,
            partitions=self._rules.partitions,
            refresh=self._rules.chosen(),
            loaded=self._rules.load.after(before) if self._rules.load is not None else None,
            uses=result.uses,
            cache=result.cache,
        )

    def _times(self, wait: int, read_micros: Mapping[str, int]) -> dict[str, Any]:
        """What an epoch says of times: its own, and what came after the one before was computed."""
        after, self._after = self._after, {}
        if self._overlap is not None:
            after, self._overlap.times = self._overlap.times, {}
        return {
            "wait": wait,
            **(vars(self._ran.millis) if self._ran else {}),
            **({"readMicros": dict(read_micros)} if read_micros else {}),
            **({"before": after} if after else {}),
        }

    def _now(self, batch_millis: int) -> int:
        """The barrier's clock in microseconds: when Spark put the batch together, or as told."""
        if self._rules.clock is None:
            return batch_millis * 1000
        told = self._rules.clock()
        return round((told.timestamp() if isinstance(told, datetime) else told) * 1_000_000)

    def _by_name(self, by_id: Mapping[str, Any]) -> dict[str, Any]:
        return {self._rules.sources.get(key, key): value for key, value in by_id.items()}

    def _before(self, epoch: int) -> EpochManifest | None:
        """The epoch to build on: the one before."""
        kept = self._publishing.kept
        if kept and epoch < kept[-1]:
            raise OffsetsRewound(
                f"Spark starts again at epoch {epoch}, but {self._log.location} has epochs up to "
                f"{kept[-1]}: the offset log was rewound or deleted while the state was not. "
                "Restore both from one point in time, or start with another checkpointLocation"
            )
        if epoch == 0:
            return None
        if self._last is not None and self._last.epoch == epoch - 1:
            return self._last
        before = self._log.find(epoch - 1)
        if before is None:
            raise EpochUnavailable(
                f"Spark asks for epoch {epoch}, but epoch {epoch - 1} is not in "
                f"{self._log.location}/{epoch - 1:020d}-*.json: the state it would build on is "
                "lost. Were epochs or offsets deleted? Restore the location, or start with another "
                "checkpointLocation"
            )
        self._check_offsets(before)
        return before

    def _check_first(self, epoch: int) -> None:
        first = self._checkpoints.first
        if first is not None and epoch > first:
            raise OffsetsRewound(
                f"Spark begins with epoch {epoch}, but has to begin with {first}: a run that was "
                f"followed has written to {self._offsets.location} or the commits beside it while "
                "this one started. Nothing was computed; start again"
            )

    def _check_offsets(self, manifest: EpochManifest) -> None:
        entry = offsets_entry(self._offsets, manifest.epoch)
        if entry is not None and manifest.offsets not in ("", entry.fingerprint):
            raise OffsetsRewound(
                f"{self._offsets.location}/{manifest.epoch} is not the entry that epoch "
                f"{manifest.epoch} was computed from (fingerprint {entry.fingerprint}, expected "
                f"{manifest.offsets}): the offset log was rewound or replaced while the state was "
                "not. Restore both from one point in time, or start with another "
                "checkpointLocation"
            )
