"""Changes at a steady rate, each with a number that grows within its lane."""

from __future__ import annotations

import json
import threading
import time
from array import array
from typing import Any

from systems.topics import Input

LANES = 2
"""Partitions of the topic: within one, changes become visible in the order of their numbers."""
ACCOUNTS = 1000
STEP = 0.005
"""Seconds between two bursts of the sender."""


class KafkaLoad:
    """Sends JSON messages ``{account, seq, amount}`` to a topic, from a thread of its own.

    ``sent[lane][seq]`` is when the change was handed to the producer, on ``time.monotonic``.
    """

    def __init__(self, server: Any, topic: str, rate: int) -> None:
        self.topic, self.rate = Input(server, LANES, topic), rate
        self.sent = [array("d") for _ in range(LANES)]
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def first(self) -> None:
        """One change in each lane, so that the job makes its first batch before the clock runs."""
        for number in range(LANES):
            self._send(number)
        assert self.topic.producer.flush(60) == 0

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        """Ends the sending; returns when the broker has all."""
        self.stopped.set()
        if self.thread.ident is not None:
            self.thread.join()
        assert self.topic.producer.flush(60) == 0

    def _run(self) -> None:
        began, number = time.monotonic(), 0
        while not self.stopped.is_set():
            due = int((time.monotonic() - began) * self.rate)
            while number < due:
                self._send(number)
                number += 1
            self.topic.producer.poll(0)
            self.stopped.wait(STEP)

    def _send(self, number: int) -> None:
        lane = number % LANES
        account = number * 7919 % ACCOUNTS // LANES * LANES + lane
        row = {"account": account, "seq": len(self.sent[lane]), "amount": number % 100}
        value = json.dumps(row).encode()
        self.sent[lane].append(time.monotonic())
        while True:
            try:
                self.topic.producer.produce(self.topic.name, value=value, partition=lane)
                return
            except BufferError:  # the broker is slower than the rate
                self.topic.producer.poll(0.05)
