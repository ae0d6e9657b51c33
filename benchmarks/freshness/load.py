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


class Load(threading.Thread):
    """Sends changes ``(account, seq, amount)`` at a steady rate.

    ``sent[lane][seq]`` is when the change was handed over, on ``time.monotonic``.
    """

    def __init__(self, rate: int) -> None:
        super().__init__(daemon=True)
        self.rate = rate
        self.sent = [array("d") for _ in range(LANES)]
        self.stopped = threading.Event()

    def first(self) -> None:
        """One change in each lane, so that the job makes its first batch before the clock runs."""
        self.send(range(LANES))
        self.flush()

    def stop(self) -> None:
        """Ends the sending; returns when the server has all."""
        self.stopped.set()
        if self.ident is not None:
            self.join()
        self.flush()

    def run(self) -> None:
        began, number = time.monotonic(), 0
        while not self.stopped.is_set():
            due = int((time.monotonic() - began) * self.rate)
            if number < due:
                self.send(range(number, due))
                number = due
            self.stopped.wait(STEP)

    def change(self, number: int, seq: int) -> tuple[int, dict[str, int]]:
        """The lane and the row of a change."""
        lane = number % LANES
        account = number * 7919 % ACCOUNTS // LANES * LANES + lane
        return lane, {"account": account, "seq": seq, "amount": number % 100}

    def send(self, numbers: range) -> None:
        raise NotImplementedError

    def flush(self) -> None:
        raise NotImplementedError


class KafkaLoad(Load):
    """JSON messages to a topic; the time is that of the hand-over to the producer."""

    def __init__(self, server: Any, topic: str, rate: int) -> None:
        super().__init__(rate)
        self.topic = Input(server, LANES, topic)

    def send(self, numbers: range) -> None:
        for number in numbers:
            lane, row = self.change(number, len(self.sent[number % LANES]))
            value = json.dumps(row).encode()
            self.sent[lane].append(time.monotonic())
            while True:
                try:
                    self.topic.producer.produce(self.topic.name, value=value, partition=lane)
                    break
                except BufferError:  # the broker is slower than the rate
                    self.topic.producer.poll(0.05)
        self.topic.producer.poll(0)

    def flush(self) -> None:
        assert self.topic.producer.flush(60) == 0


class PostgresLoad(Load):
    """Rows of a table, a transaction every few milliseconds; the time is that of its COMMIT."""

    def __init__(self, server: Any, table: str, rate: int) -> None:
        super().__init__(rate)
        self.table = table
        self.connection = server.connect()
        self.connection.execute(
            f"CREATE TABLE {table} (id bigserial PRIMARY KEY, account bigint, seq bigint, "
            "amount bigint)"
        )

    def send(self, numbers: range) -> None:
        rows: list[tuple[int, dict[str, int]]] = []
        behind = [len(lane) for lane in self.sent]
        for number in numbers:
            lane, row = self.change(number, behind[number % LANES])
            behind[lane] += 1
            rows.append((lane, row))
        self.connection.execute("BEGIN")
        with self.connection.cursor() as cursor:
            copying = f"COPY {self.table} (account, seq, amount) FROM STDIN"
            with cursor.copy(copying) as copy:
                for _, row in rows:
                    copy.write_row((row["account"], row["seq"], row["amount"]))
        now = time.monotonic()
        self.connection.execute("COMMIT")
        for lane, _ in rows:
            self.sent[lane].append(now)

    def flush(self) -> None:
        """Every transaction is there when its COMMIT returns."""
