"""Barriers whose checkpoints are written while later ones are computed.

What a barrier leaves in memory is written on threads of its own, that of several barriers at once.
Another thread publishes and delivers the epochs, one after the other. So nobody sees an epoch
before it is durable, and none before the one below it.

A barrier that begins too early would only wait to be published, with rows that are older than need
be. So the next one begins when, by what the last took, it will be written by the time that those
before it are published.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from statistics import median
from typing import Generic, TypeVar

_T = TypeVar("_T")
_POLL_SECONDS = 0.1
_REMEMBERED = 5


class Lately:
    """What something took the last times, in seconds.

    Attributes:
        usual: the median; 0 at first.
    """

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_REMEMBERED)
        self.usual = 0.0

    def note(self, seconds: float) -> None:
        """Notes another time."""
        self._last.append(seconds)
        self.usual = median(self._last)


class InFlight(Generic[_T]):
    """Completes barriers in their order, beside those that come.

    Args:
        most: so many may be in flight when the next one begins.
        write: makes durable what a barrier has left in memory.
        complete: publishes and delivers it.
        failed: is told of the first failure; after that nothing is completed any more.
    """

    def __init__(
        self,
        most: int,
        write: Callable[[_T], None],
        complete: Callable[[_T], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._most = most
        self._write = write
        self._complete = complete
        self._failed = failed
        self._writers = ThreadPoolExecutor(most + 1, "groundswell-write")
        self._publisher = ThreadPoolExecutor(1, "groundswell-publish")
        self._changed = threading.Condition()
        self._added: deque[float] = deque()  # when each that is in flight came
        self._completing: float | None = None  # since when
        self._released: float | None = None  # when the last wait ended
        self._writes, self._completions, self._computations = Lately(), Lately(), Lately()
        self._failure: BaseException | None = None

    @property
    def count(self) -> int:
        """How many barriers are in flight."""
        return len(self._added)

    @property
    def has_failed(self) -> bool:
        """Whether completing one has failed: none is completed any more."""
        return self._failure is not None

    def add(self, barrier: _T) -> None:
        """Takes a computed barrier."""
        self.check()
        with self._changed:
            self._added.append(time.monotonic())
        written = self._writers.submit(self._timed_write, barrier)
        self._publisher.submit(self._run, barrier, written)

    def check(self) -> None:
        """Raises what completing a barrier has failed with."""
        if self._failure is not None:
            raise self._failure

    def wait(self, stopping: Callable[[], bool]) -> float:
        """Waits until the next barrier had better begin, or the query is to stop.

        Args:
            stopping: whether the query is to stop.

        Returns:
            For how many seconds it waited.

        Raises:
            Exception: what completing a barrier has failed with.
        """
        begun = now = time.monotonic()
        if self._released is not None:
            self._computations.note(begun - self._released)
        ahead = self._computations.usual + self._writes.usual
        with self._changed:
            while self._added and self._failure is None and not stopping():
                early = self._published() - now - ahead
                if len(self._added) <= self._most and early <= 0:
                    break
                self._changed.wait(min(early, _POLL_SECONDS) if early > 0 else _POLL_SECONDS)
                now = time.monotonic()
        self.check()
        self._released = now
        return now - begun

    def _published(self) -> float:
        """When all in flight should be published, as :func:`time.monotonic` tells."""
        write, each = self._writes.usual, self._completions.usual
        done = -math.inf
        for added in self._added:
            if done == -math.inf and self._completing is not None:
                done = self._completing + each
            else:
                done = max(done, added + write) + each
        return done

    def drain(self) -> None:
        """Waits until no barrier is in flight.

        Raises:
            Exception: what completing one has failed with.
        """
        with self._changed:
            while self._added:
                self._changed.wait()
        self.check()

    def close(self) -> None:
        """Ends its threads; what they are at is waited for, the rest is not begun."""
        self._publisher.shutdown(cancel_futures=True)
        self._writers.shutdown(cancel_futures=True)

    def _timed_write(self, barrier: _T) -> None:
        begun = time.monotonic()
        self._write(barrier)
        self._writes.note(time.monotonic() - begun)

    def _run(self, barrier: _T, written: Future[None]) -> None:
        try:
            if self._failure is None:
                written.result()
                self._completing = begun = time.monotonic()
                self._complete(barrier)
                self._completions.note(time.monotonic() - begun)
        except BaseException as e:  # noqa: BLE001 - whoever waits gets it
            self._failure = e
            self._failed(e)  # before anybody who waits for this barrier goes on
        finally:
            with self._changed:
                self._added.popleft()
                self._completing = None
                self._changed.notify_all()
