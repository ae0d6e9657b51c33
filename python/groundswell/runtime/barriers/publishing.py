"""What follows a barrier that is durable: its epoch is published and delivered, old ones go."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from groundswell.catalog.view import BatchFunction
from groundswell.contract.commits import Commits
from groundswell.runtime.gc.retention import Retention, is_due
from groundswell.runtime.gc.rounds import Delete, Retiring
from groundswell.runtime.ownership.leases import RetentionHolds
from groundswell.runtime.record.checkpoints import Checkpoints
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import Folder
from groundswell.runtime.record.spark_logs import stream_offsets


class Publisher(Protocol):
    """What publishing needs of the JVM."""

    def changelog(self, view: str, manifest: EpochManifest) -> Any:
        """The changes of a view in one epoch, as its sinks take them."""

    @property
    def retire(self) -> Delete:
        """Begins to delete state files that nobody needs any more."""

    def fail_point(self, name: str) -> None:
        """Dies here if a test armed this point."""


class Publishing:
    """The epochs of a run that are durable. For one thread at a time.

    Attributes:
        kept: the epochs that there are, ascending; None before the first barrier.
        durable: the commits of the newest.
    """

    def __init__(
        self,
        runner: Publisher,
        log: EpochLog,
        offsets: Folder,
        sinks: Mapping[str, BatchFunction],
        followers: Mapping[str, Callable[[str], None]],
        retention: Retention,
        pins: RetentionHolds | None,
        checkpoints: Checkpoints,
        beside: bool,
    ) -> None:
        self.kept: list[int] | None = None
        self.durable: Commits = {}
        self._runner = runner
        self._log = log
        self._offsets = offsets
        self._sinks = sinks
        self._followers = followers
        self._every = retention.every
        self._checkpoints = checkpoints
        self._beside = beside
        self._retiring = Retiring(log, retention, pins, runner.retire, beside)

    def begin(self) -> Sequence[int]:
        """Looks which epochs there are, once."""
        if self.kept is None:
            self.kept = self._log.epochs()
        return self.kept

    def publish(self, manifest: EpochManifest) -> None:
        """Makes the epoch after the newest visible."""
        self._runner.fail_point("before_publish")
        self._log.publish(manifest)
        assert self.kept is not None
        self.kept.append(manifest.epoch)
        self.durable = manifest.commits
        self._retiring.published(manifest)
        self._runner.fail_point("after_publish")

    def deliver(self, manifest: EpochManifest) -> int:
        """Hands a published epoch to the sinks.

        Returns:
            How long it took, in milliseconds.
        """
        begun = time.monotonic()
        for view, sink in self._sinks.items():
            sink(self._runner.changelog(view, manifest), manifest.epoch)
        self._runner.fail_point("after_delivery")
        return millis_since(begun)

    def done(self, epoch: int) -> None:
        """Notes that all epochs up to one are delivered, and tells sources how far they are."""
        self._checkpoints.done(epoch)
        if self._followers:  # a restart reads from there
            reached = stream_offsets(self._offsets, epoch)
            for stream, follower in self._followers.items():
                if stream in reached:
                    follower(reached[stream])

    def retire(self, published: Sequence[int]) -> None:
        """Begins a round if one is due; the one before is waited for then, not sooner."""
        assert self.kept is not None
        due = any(is_due(epoch, self._every) for epoch in published)
        self._drop(until_over=due)
        if due:
            self._retiring.begin(self.kept, published[-1], self.durable)
            if not self._beside:
                self._drop(until_over=True)

    def finish(self) -> None:
        """Waits for the round at work; no epoch comes any more."""
        self._drop(until_over=True)

    def close(self) -> None:
        """Returns when no round is at work."""
        self._retiring.end()

    def _drop(self, until_over: bool) -> None:
        for old in self._retiring.gone(until_over):
            assert self.kept is not None
            self.kept.remove(old)


def millis_since(begun: float) -> int:
    """Milliseconds since a time of :func:`time.monotonic`."""
    return round((time.monotonic() - begun) * 1000)
