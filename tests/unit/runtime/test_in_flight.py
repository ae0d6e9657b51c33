"""Barriers in flight: their order, how many, and when the next one had better begin."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from groundswell.runtime.barriers.in_flight import InFlight

NEVER: Callable[[], bool] = lambda: False  # noqa: E731


class Work:
    """What completing barriers does; each write waits until it is let go."""

    def __init__(self, most: int) -> None:
        self.may_write = [threading.Event() for _ in range(8)]
        self.completed: list[int] = []
        self.failures: list[BaseException] = []
        self.complete: Callable[[int], None] = self.completed.append
        self.flight: InFlight[int] = InFlight(
            most, self._write, lambda n: self.complete(n), self.failures.append
        )

    def _write(self, number: int) -> None:
        assert self.may_write[number].wait(30)


def beside(function: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(function()), daemon=True)
    thread.start()
    return thread, found


def test_barriers_complete_in_order_though_their_writes_do_not() -> None:
    work = Work(3)
    for number in range(3):
        work.flight.add(number)
    for number in (2, 1, 0):
        assert work.completed == []
        work.may_write[number].set()
    work.flight.drain()
    assert work.completed == [0, 1, 2]
    work.flight.close()


def test_so_many_are_unfinished_at_most_when_the_next_begins() -> None:
    work = Work(1)
    work.flight.add(0)
    assert work.flight.wait(NEVER) < 30, "one may be unfinished, and nothing is known of times"
    work.flight.add(1)
    thread, waited = beside(lambda: work.flight.wait(NEVER))
    time.sleep(0.3)
    assert not waited
    work.may_write[0].set()
    thread.join(30)
    assert waited
    assert work.completed == [0]
    work.may_write[1].set()
    work.flight.drain()
    work.flight.close()


def test_nobody_waits_for_a_query_that_is_to_stop() -> None:
    work = Work(1)
    work.flight.add(0)
    work.flight.add(1)
    assert work.flight.wait(lambda: True) < 30
    for event in work.may_write:
        event.set()
    work.flight.drain()
    work.flight.close()


def test_a_failure_is_told_once_and_ends_all() -> None:
    work = Work(1)

    def fails(number: int) -> None:
        work.completed.append(number)
        raise OSError("disk full")

    work.complete = fails
    work.flight.add(0)
    work.flight.add(1)
    for event in work.may_write:
        event.set()
    with pytest.raises(OSError, match="disk full"):
        work.flight.drain()
    with pytest.raises(OSError, match="disk full"):
        work.flight.wait(NEVER)
    with pytest.raises(OSError, match="disk full"):
        work.flight.add(2)
    work.flight.close()
    assert work.completed == [0], "nothing is published after an epoch that was not"
    assert [str(each) for each in work.failures] == ["disk full"]


def test_a_barrier_that_would_only_wait_in_line_begins_later() -> None:
    """What was planned at once would be published at the same time, with older rows."""
    work = Work(8)
    work.complete = lambda number: (time.sleep(0.2), work.completed.append(number))[1]
    for event in work.may_write:
        event.set()
    work.flight.add(0)
    work.flight.drain()
    waited = []
    for number in range(1, 6):
        work.flight.add(number)
        waited.append(work.flight.wait(NEVER))
    assert sum(waited) > 0, "the publisher is busy for longer than a barrier takes"
    work.flight.drain()
    assert work.completed == list(range(6))
    work.flight.close()
