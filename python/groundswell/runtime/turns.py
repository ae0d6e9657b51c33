"""Whose turn it is: who waits for a barrier, or a change, which stops the query for a moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Changes that follow one another would keep who waits for a barrier waiting.

    Each stops the query before the barrier comes, so a change lets those before it go first.
    """

    def __init__(self) -> None:
        self._waiting: set[object] = set()
        self._left = threading.Condition()

    @contextmanager
    def waits(self) -> Iterator[None]:
        """While the caller waits for a barrier."""
        mine = object()
        with self._left:
            self._waiting.add(mine)
        try:
            yield
        finally:
            with self._left:
                self._waiting.remove(mine)
                self._left.notify_all()

    def give_way(self, seconds: float) -> bool:
        """Waits until all who wait now have their barrier.

        Args:
            seconds: how long at most; a barrier may be long, or not come at all.

        Returns:
            Whether all have it.
        """
        with self._left:
            before = set(self._waiting)
            return self._left.wait_for(lambda: not before & self._waiting, seconds)
