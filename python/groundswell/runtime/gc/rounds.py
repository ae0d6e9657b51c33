"""Retires what nobody needs beside the barriers, one round at a time.

A round with many states takes as long as several barriers: their commits are read from the oldest
epoch that stays, and told to the JVM. What it may delete no later barrier builds on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait

from groundswell.contract.commits import Commits
from groundswell.runtime.gc.retention import Retention, oldest_wanted, retired
from groundswell.runtime.ownership.leases import RetentionHolds, now_millis
from groundswell.runtime.record.epochs import EpochLog, EpochManifest

Delete = Callable[[int, Commits, EpochManifest, int, Commits], None]
"""Deletes files of states, see ``Runner.retire``."""


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
        self,
        log: EpochLog,
        rules: Retention,
        pins: RetentionHolds | None,
        delete: Delete,
        beside: bool,
    ) -> None:
        self._log = log
        self._rules = rules
        self._pins = pins
        self._delete = delete
        self._beside = beside
        self._published: dict[int, int] = {}
        self._round: Future[list[int]] | None = None  # what it has retired

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
        self._round = made = Future[list[int]]()

        def run(kept: Sequence[int]) -> None:
            try:
                made.set_result(self._retire(kept, newest, durable))
            except Exception as e:  # noqa: BLE001 - who asks what is gone gets it
                made.set_exception(e)

        if self._beside:
            threading.Thread(
                target=run, args=(tuple(kept),), name="groundswell-retiring", daemon=True
            ).start()
        else:
            run(kept)

    def gone(self, until_over: bool = False) -> list[int]:
        """The epochs that the last round has retired, told once; none while it is at work.

        Args:
            until_over: waits for it.

        Raises:
            Exception: what the round has failed with; it is told once, too.
        """
        ended = self._round
        if ended is None or not (until_over or ended.done()):
            return []
        self._round = None
        return ended.result()

    def end(self) -> None:
        """Returns when no round is at work."""
        if self._round is not None:
            wait([self._round])

    def _retire(self, kept: Sequence[int], newest: int, durable: Commits) -> list[int]:
        """Manifests go before the files that they name."""
        rules = self._rules
        since = now_millis() - rules.millis if rules.millis else None
        first = oldest_wanted(kept, newest, rules.epochs, since, self._time)
        whole = newest
        if self._pins is not None:
            floor = self._pins.floor(first, newest, kept[0])
            first, whole = floor.epoch, floor.whole
        whole = min(whole, newest)
        base = durable if whole == newest else self._log.get(whole).commits
        gone = retired(kept, first)
        oldest = self._log.retire(gone, kept[len(gone)])
        for old in gone:
            self._published.pop(old, None)
        self._delete(newest, durable, oldest, whole, base)
        return gone

    def _time(self, epoch: int) -> int:
        """When an epoch was published; read once of those that another run published."""
        if epoch not in self._published:
            self._published[epoch] = self._log.get(epoch).published_millis
        return self._published[epoch]
