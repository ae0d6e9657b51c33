"""When changes became visible in the target, seen by a reader that asks every few milliseconds."""

from __future__ import annotations

import bisect
import threading
import time
from array import array
from collections.abc import Sequence
from typing import Any

from freshness.load import LANES

EVERY = 0.005
"""Seconds between two questions: so fine are the figures."""


class Watch:
    """Asks Postgres for the highest number of each lane, from a thread of its own."""

    def __init__(self, server: Any, table: str) -> None:
        self.connection = server.connect()
        self.query = f"SELECT account % {LANES}, max(seq) FROM {table} GROUP BY 1"
        self.times, self.seen = array("d"), [array("q") for _ in range(LANES)]
        self.error: BaseException | None = None
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.stopped.set()
        if self.thread.ident is not None:
            self.thread.join()
        self.connection.close()
        if self.error is not None:
            raise self.error

    def highest(self, lane: int) -> int:
        return self.seen[lane][-1] if self.seen[lane] else -1

    def _run(self) -> None:
        try:
            while not self.stopped.is_set():
                rows = dict(self.connection.execute(self.query).fetchall())
                now = time.monotonic()
                for lane in range(LANES):
                    self.seen[lane].append(rows.get(lane, -1))
                self.times.append(now)
                self.stopped.wait(EVERY)
        except Exception as e:  # noqa: BLE001 - told to who stops it
            self.error = e


def ages(
    sent: Sequence[float], times: Sequence[float], seen: Sequence[int], begin: float, end: float
) -> list[float]:
    """Milliseconds from the send of each change to when it was first seen, of one lane.

    Args:
        sent: when the change of each number was sent.
        times: when the target was asked; it grows.
        seen: the highest number each answer had; it never falls.
        begin: changes sent before are left out.
        end: and those sent at or after it.

    Raises:
        ValueError: a change of the interval was never seen.
    """
    first, last = bisect.bisect_left(sent, begin), bisect.bisect_left(sent, end)
    found = []
    for number in range(first, last):
        at = bisect.bisect_left(seen, number)
        if at == len(seen):
            raise ValueError(f"change {number} was sent, but never seen in the target")
        found.append((times[at] - sent[number]) * 1000)
    return found
