"""Retires what nobody needs beside the barriers, one round at a time.

A round with many states takes as long as several barriers: their commits are read from the oldest
epoch that stays, and told to the JVM. What it may delete no later barrier builds on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groundswell.contract.commits import Commits
from groundswell.runtime.barriers.retention import Retention, oldest_wanted, retired
from groundswell.runtime.ownership.leases import Pins
from groundswell.runtime.record.epochs import EpochLog, EpochManifest

Delete = Callable[[int, Commits, EpochManifest, int, Commits], None]
"""Deletes files of states, see ``Runner.retire``."""


@dataclass
class _Round:
    """One round, and what has become of it."""

    kept: list[int]
    newest: int
    durable: Commits
    gone: list[int]
    failure: Exception | None = None


class Retiring:
    """Retires epochs and the files that they needed.

    Args:
        log: the epochs.
        rules: which of them stay.
        pins: which epochs readers elsewhere keep; None: there are none.
        delete: deletes files of states.
        beside: on a thread of its own, while barriers go on; else a round is over when it began.
    """

    def __init__(
        self, log: EpochLog, rules: Retention, pins: Pins | None, delete: Delete, beside: bool
    ) -> None:
        self._log = log
        self._rules = rules
        self._pins = pins
        self._delete = delete
        self._beside = beside
        self._published: dict[int, int] = {}
        self._running: _Round | None = None
        self._thread: threading.Thread | None = None

    def published(self, manifest: EpochManifest) -> None:
        """Notes when an epoch was published, if that matters."""
        if self._rules.millis:
            self._published[manifest.epoch] = manifest.published_millis

    def begin(self, kept: Sequence[int], newest: int, durable: Commits) -> None:
        """Begins a round; the one before must be over, see :meth:`gone`.

        Args:
            kept: the epochs that there are, ascending.
            newest: the newest epoch that is durable.
            durable: its commits.
        """
        self._running = _Round(list(kept), newest, durable, [])
        if not self._beside:
            self._run(self._running)
            return
        self._thread = threading.Thread(
            target=self._run, args=(self._running,), name="groundswell-retiring", daemon=True
        )
        self._thread.start()

    def gone(self, wait: bool = False) -> list[int]:
        """The epochs that the last round has retired, told once; none while it is at work.

        Args:
            wait: until it is over.

        Raises:
            Exception: what the round has failed with; it is told once, too.
        """
        if self._thread is not None:
            if self._thread.is_alive() and not wait:
                return []
            self.end()
        ended, self._running = self._running, None
        if ended is None:
            return []
        if ended.failure is not None:
            raise ended.failure
        return ended.gone

    def end(self) -> None:
        """Returns when no round is at work."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, this: _Round) -> None:
        try:
            this.gone = self._retire(this)
        except Exception as e:  # noqa: BLE001 - the next barrier raises it
            this.failure = e

    def _retire(self, this: _Round) -> list[int]:
        """Manifests go before the files that they name."""
        rules, newest, kept = self._rules, this.newest, this.kept
        since = time.time_ns() // 1_000_000 - rules.millis if rules.millis else None
        first = oldest_wanted(kept, newest, rules.epochs, since, self._time)
        whole = newest
        if self._pins is not None:
            floor = self._pins.floor(first, newest, kept[0])
            first, whole = floor.epoch, floor.whole
        whole = min(whole, newest)
        base = this.durable if whole == newest else self._log.get(whole).commits
        gone = retired(kept, first)
        oldest = self._log.retire(gone, kept[len(gone)])
        for old in gone:
            self._published.pop(old, None)
        self._delete(newest, this.durable, oldest, whole, base)
        return gone

    def _time(self, epoch: int) -> int:
        """When an epoch was published; read once of those that another run published."""
        if epoch not in self._published:
            self._published[epoch] = self._log.get(epoch).published_millis
        return self._published[epoch]
