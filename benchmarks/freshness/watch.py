"""When changes became visible in the target, seen by a reader that asks every few milliseconds."""

from __future__ import annotations

import bisect
import json
import threading
import time
from array import array
from collections.abc import Sequence
from typing import Any

from freshness.load import LANES

EVERY = 0.005
"""Seconds between two questions: so fine are the figures."""


class Watch:
    """Asks a target for the highest number of each lane, from a thread of its own."""

    def __init__(self) -> None:
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
        self.close()
        if self.error is not None:
            raise self.error

    def highest(self, lane: int) -> int:
        return self.seen[lane][-1] if self.seen[lane] else -1

    def _run(self) -> None:
        try:
            while not self.stopped.is_set():
                rows = self.ask()
                now = time.monotonic()
                for lane in range(LANES):
                    self.seen[lane].append(rows.get(lane, -1))
                self.times.append(now)
                self.stopped.wait(EVERY)
        except Exception as e:  # noqa: BLE001 - told to who stops it
            self.error = e

    def ask(self) -> dict[int, int]:
        """The highest number by lane."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class PostgresWatch(Watch):
    """A table."""

    def __init__(self, server: Any, table: str) -> None:
        super().__init__()
        self.connection = server.connect()
        self.query = f"SELECT account % {LANES}, max(seq) FROM {table} GROUP BY 1"

    def ask(self) -> dict[int, int]:
        return dict(self.connection.execute(self.query).fetchall())

    def close(self) -> None:
        self.connection.close()


class TopicWatch(Watch):
    """A topic of one partition; what a transaction has not committed is not seen."""

    def __init__(self, server: Any, topic: str) -> None:
        from confluent_kafka import Consumer, TopicPartition

        super().__init__()
        options = {"bootstrap.servers": server.servers, "group.id": f"watch-{topic}"}
        options |= {"isolation.level": "read_committed", "fetch.wait.max.ms": "5"}
        self.consumer = Consumer(options | {"log_level": "0", "enable.auto.commit": "false"})
        self.consumer.assign([TopicPartition(topic, 0, 0)])
        self.highest_of: dict[int, int] = {}

    def ask(self) -> dict[int, int]:
        for message in self.consumer.consume(10_000, EVERY):
            if message.error() is None and message.value() is not None:
                row = json.loads(message.value())
                lane = row["account"] % LANES
                self.highest_of[lane] = max(row["seq"], self.highest_of.get(lane, -1))
        return self.highest_of

    def close(self) -> None:
        self.consumer.close()


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
