"""One barrier: compute, publish, deliver, retire."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from groundswell.errors import EpochUnavailable, OffsetsRewound
from groundswell.runtime.epochs import Commits, EpochLog, EpochManifest, offsets_entry
from groundswell.runtime.location import Folder
from groundswell.runtime.progress import ProgressLog
from groundswell.runtime.retention import retire
from groundswell.runtime.watermarks import WatermarkRules, message

Clock = Callable[[], "float | datetime"]
"""Tells the time: seconds since 1970, or a datetime (without a zone: local time)."""
Sink = Callable[[Any, int], None]
"""Takes (changelog DataFrame, epoch)."""


class Runner(Protocol):
    """What a barrier needs of the JVM."""

    def run(
        self, epoch: int, batch: Any, base: Commits, watermarks: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Computes and makes durable; commits, counters and rows by source id."""

    def changelog(self, view: str, manifest: EpochManifest) -> Any:
        """The changes of a view in one epoch, as a DataFrame."""

    def retire(self, oldest: EpochManifest) -> None:
        """Deletes state files that no epoch from there on needs."""

    def fail_point(self, name: str) -> None:
        """Dies here if a test armed this point."""


@dataclass(frozen=True)
class Retention:
    """How many epochs readers may name, and how often state files are looked for."""

    epochs: int = 100
    every: int = 10


class BarrierHandler:
    """Turns micro-batches into epochs. Used by one thread, the stream's."""

    def __init__(
        self,
        runner: Runner,
        log: EpochLog,
        offsets: Folder,
        source_names: Mapping[str, str],
        sinks: Mapping[str, Sink],
        retention: Retention,
        progress: ProgressLog,
        views: Mapping[str, str] | None = None,
        watermarks: WatermarkRules | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._runner = runner
        self._log = log
        self._offsets = offsets
        self._source_names = source_names
        self._sinks = sinks
        self._retention = retention
        self._progress = progress
        self._views = views or {}
        self._watermarks = watermarks or WatermarkRules()
        self._clock = clock
        self._kept: list[int] | None = None
        self._last: EpochManifest | None = None
        self._millis: Mapping[str, int] = {}

    def __call__(self, epoch: int, batch: Any) -> None:
        """Returns when everything that the batch stands for is durable, visible and delivered."""
        called = time.monotonic()
        if self._kept is None:
            self._kept = self._log.epochs()
        manifest = self._log.find(epoch) if epoch in self._kept else None
        computed = manifest is None
        if manifest is None:
            manifest = self._compute(epoch, batch)
            self._runner.fail_point("before_publish")
            self._log.publish(manifest)
            self._kept.append(epoch)
            self._runner.fail_point("after_publish")
        else:
            self._check_offsets(manifest)
        self._last = manifest
        begun = time.monotonic()
        for view, sink in self._sinks.items():
            sink(self._runner.changelog(view, manifest), epoch)
        self._runner.fail_point("after_delivery")
        self._progress.add(
            manifest, _millis_since(begun), _millis_since(called), computed, self._millis
        )
        self._retire(self._kept, epoch)

    def _compute(self, epoch: int, batch: Any) -> EpochManifest:
        before = self._before(epoch)
        times = before.event_times if before else {}
        entry = offsets_entry(self._offsets, epoch)
        begun, started = time.monotonic(), _now()
        millis = entry.started_millis if entry and entry.started_millis else started
        marks = self._watermarks.in_force(times, millis)
        clock = max(self._now(millis), before.clock_micros if before else 0)
        result = self._runner.run(
            epoch,
            batch,
            before.commits if before else {},
            {**message(times, marks, self._source_names), "clock": clock},
        )
        self._millis = result.get("millis", {})
        sources = self._by_name(result["sources"])
        found = self._by_name(result.get("eventTimes", {}))
        return EpochManifest(
            epoch=epoch,
            commits=result["commits"],
            offsets=entry.fingerprint if entry else "",
            operators=result["operators"],
            sources=sources,
            started_millis=millis,
            published_millis=_now(),
            compute_millis=_millis_since(begun),
            views=self._views,
            clock_micros=clock,
            event_times=self._watermarks.after(times, marks, sources, found, millis),
        )

    def _now(self, batch_millis: int) -> int:
        """The barrier's clock in microseconds: when Spark put the batch together, or as told."""
        if self._clock is None:
            return batch_millis * 1000
        told = self._clock()
        return round((told.timestamp() if isinstance(told, datetime) else told) * 1_000_000)

    def _by_name(self, by_id: Mapping[str, Any]) -> dict[str, Any]:
        return {self._source_names.get(key, key): value for key, value in by_id.items()}

    def _before(self, epoch: int) -> EpochManifest | None:
        """The epoch to build on: the one before."""
        if self._kept and epoch < self._kept[-1]:
            raise OffsetsRewound(
                f"Spark starts again at epoch {epoch}, but {self._log.location} has epochs up to "
                f"{self._kept[-1]}: the offset log was rewound or deleted while the state was not. "
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
                f"{self._log.location}: the state it would build on is lost. Were epochs or "
                "offsets deleted? Restore the location, or start with another checkpointLocation"
            )
        self._check_offsets(before)
        return before

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

    def _retire(self, kept: list[int], epoch: int) -> None:
        decision = retire(kept, epoch, self._retention.epochs, self._retention.every)
        for old in decision.manifests:
            self._log.delete(old)
            kept.remove(old)
        if decision.oldest is not None:
            self._runner.retire(self._log.get(decision.oldest))


def _now() -> int:
    return time.time_ns() // 1_000_000


def _millis_since(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
