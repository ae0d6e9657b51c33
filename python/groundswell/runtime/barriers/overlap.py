"""Checkpoints that overlap: a barrier is made durable while the next ones are computed.

A barrier returns when it is computed. What it has left in memory is written beside those that
come; then its epoch is published and delivered. Spark goes on at once: the entries of its logs are
in memory, too, and are written in an order that leaves storage as if nothing overlapped, but for
offsets, which may be ahead. An epoch is published when its offsets are there, and the commit log
says that a batch is done when its epoch was delivered.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from groundswell.contract.barrier import BarrierResult
from groundswell.runtime.barriers.in_flight import InFlight
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.barriers.publishing import Publishing, millis_since
from groundswell.runtime.ownership.leases import now_millis
from groundswell.runtime.record.checkpoints import Checkpoints
from groundswell.runtime.record.epochs import EpochManifest


class Logs(Protocol):
    """Spark's logs of the checkpoint, whose entries are written beside the barriers."""

    def open(self) -> None:
        """Has entries written beside the barriers from now on, until it is closed."""

    def await_planned(self, batch: int) -> None:
        """Returns when storage has the offsets of a batch, and what they refer to."""

    def release(self, batch: int) -> None:
        """Lets the commit log say that batches up to that one are done."""

    def await_recorded(self, batch: int) -> None:
        """Returns when the commit log in storage says that a batch is done, if it was released."""

    def await_all(self) -> None:
        """Returns when storage has all entries that may be written."""

    def close(self) -> None:
        """Writes entries at once from now on."""


class Writer(Protocol):
    """What makes durable what barriers have left in memory."""

    def write(self, waiting: Sequence[int]) -> None:
        """Makes durable what barriers have left in memory, under these numbers."""

    def give_up(self, waiting: Sequence[int]) -> None:
        """Gives up what barriers have left in memory."""

    def fail_point(self, name: str) -> None:
        """Dies here if a test armed this point."""


@dataclass(frozen=True)
class Computed:
    """A barrier that was computed.

    Attributes:
        manifest: of its epoch.
        result: what it made.
        begun: when Spark handed it over, as :func:`time.monotonic` tells.
    """

    manifest: EpochManifest
    result: BarrierResult
    begun: float


@dataclass(frozen=True)
class OverlapRules:
    """How checkpoints overlap.

    Attributes:
        most: so many barriers may be in flight when the next one begins.
        logs: Spark's, of the checkpoint.
        failed: is told when one could not be completed; the next barrier fails with it, too.
        flight: makes what completes the barriers.
    """

    most: int
    logs: Logs
    failed: Callable[[BaseException], None]
    flight: Callable[..., InFlight[Computed]] = InFlight


class Overlap:
    """The barriers of a run that are computed and not published."""

    def __init__(
        self,
        rules: OverlapRules,
        writer: Writer,
        publishing: Publishing,
        progress: ProgressLog,
        checkpoints: Checkpoints,
    ) -> None:
        self._logs = rules.logs
        self._writer = writer
        self._publishing = publishing
        self._progress = progress
        self._checkpoints = checkpoints
        self._flight = rules.flight(rules.most, self._write, self._complete, rules.failed)
        self._guard = threading.Lock()
        self._waiting: set[int] = set()
        self._taken: tuple[int, Sequence[str]] | None = None  # by the epoch delivered last
        self._waited = 0.0
        self.times: dict[str, int] = {}
        """What completing a barrier took last, in milliseconds."""

    def open(self) -> None:
        """Has Spark's logs written beside the barriers; the query is about to start."""
        self._logs.open()

    def begin(self) -> None:
        """Raises what completing a barrier has failed with."""
        self._flight.check()

    def add(self, barrier: Computed, stopping: Callable[[], bool]) -> None:
        """Takes a barrier; returns when the next one may begin."""
        with self._guard:
            self._waiting.update(barrier.result.waiting)
        self._flight.add(barrier)
        self._waited += self._flight.wait(stopping)

    def delivered(self, epoch: int) -> None:
        """Notes that an epoch of an earlier run was delivered."""
        self._logs.release(epoch)
        self._taken = epoch, ()

    def drain(self) -> None:
        """Waits until all is published and delivered; raises what that has failed with."""
        self._flight.drain()

    def finish(self) -> None:
        """The same, and Spark's logs say so; no barrier comes any more.

        Nothing happens if completing one had failed before: the query has ended with it.
        """
        if self._flight.has_failed:
            return
        self._flight.drain()
        self._logs.await_all()
        self._sweep()

    def close(self) -> None:
        """Gives up what is not durable."""
        self._flight.close()
        self._writer.give_up(sorted(self._waiting))
        self._logs.close()

    def _write(self, barrier: Computed) -> None:
        self._writer.write(barrier.result.waiting)
        with self._guard:
            self._waiting.difference_update(barrier.result.waiting)
        self._writer.fail_point("after_write")

    def _complete(self, barrier: Computed) -> None:
        epoch = barrier.manifest.epoch
        begun = time.monotonic()
        self._logs.await_planned(epoch)
        manifest = replace(barrier.manifest, published_millis=now_millis())
        self._publishing.publish(manifest)
        published = millis_since(begun)
        millis = self._publishing.deliver(manifest)
        self._publishing.done(epoch)
        self._logs.release(epoch)
        self.times = {"publish": published, "deliver": millis}
        self._progress.add(
            manifest,
            millis,
            millis_since(barrier.begun),
            computed=True,
            ran=barrier.result,
            overlap=self._told(),
        )
        self._publishing.retire([epoch])
        if self._taken is not None:
            self._logs.await_recorded(self._taken[0])
            self._sweep()
        self._taken = epoch, barrier.result.taken

    def _told(self) -> dict[str, Any]:
        waited, self._waited = self._waited, 0.0
        return {"inFlight": self._flight.count, "waitMillis": round(waited * 1000)}

    def _sweep(self) -> None:
        """Deletes the files of tables that a batch has taken in which is done."""
        if self._taken is not None:
            self._checkpoints.recorded(self._taken[1])
            self._taken = None
