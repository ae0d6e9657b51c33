"""How long a server may be away before a pipeline ends."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from groundswell.errors import SourceError

T = TypeVar("T")

_log = logging.getLogger(__name__)
_LONGEST = 1.0
"""Seconds between two tries, at most; from then on the log says that the server is away."""


class Patience:
    """Waits between tries, up to a time after the last success.

    Args:
        seconds: that the server may be away.
        server: its name, for messages.
        passes: whether an error is worth to try again.
        refused: the error of ours for one that is not.
        text: what an error says, without passwords.
    """

    def __init__(
        self,
        seconds: float,
        server: str,
        passes: Callable[[Any], bool],
        refused: Callable[[Any], SourceError],
        text: Callable[[Any], str],
    ) -> None:
        self._seconds = seconds
        self._server = server
        self._passes, self._refused, self._text = passes, refused, text
        self.reset()

    def reset(self) -> None:
        """Something went well."""
        self._until = time.monotonic() + self._seconds
        self._wait = 0.01

    def wait(self, error: Any) -> None:
        """Sleeps, or raises what cannot be waited for."""
        if not self._passes(error):
            raise self._refused(error) from None
        if time.monotonic() > self._until:
            raise SourceError(
                f"{self._server} was away for {self._seconds:g} s: {self._text(error)}. Nothing is "
                "lost: start the pipeline again when the server is back"
            ) from None
        time.sleep(self._wait)
        if self._wait < _LONGEST <= 2 * self._wait:
            left = max(0.0, self._until - time.monotonic())
            text = "%s is away: %s; trying again for %.0f s"
            _log.warning(text, self._server, self._text(error), left)
        self._wait = min(self._wait * 2, _LONGEST)


class Connection:
    """A connection to a server, made when it is needed, and again when the server was away.

    Args:
        connect: makes one; it has ``close()``.
        patience: how long the server may be away; it begins anew with each question.
        errors: what ``connect`` and questions raise while it is.
    """

    def __init__(
        self,
        connect: Callable[[], Any],
        patience: Patience,
        errors: tuple[type[Exception], ...],
    ) -> None:
        self._connect, self._patience, self._errors = connect, patience, errors
        self._open: Any = None
        self._stopped = False

    def ask(self, question: Callable[[Any], T]) -> T:
        """What a question to the open connection gives; it is asked until the server answers.

        Raises:
            SourceError: the server refuses, was away for too long, or this was stopped.
        """
        self._patience.reset()
        while not self._stopped:
            try:
                if self._open is None:
                    self._open = self._connect()
                return question(self._open)
            except self._errors as e:
                self._close()
                if not self._stopped:
                    self._patience.wait(e)
        self._close()
        raise SourceError("the pipeline was stopped while its source was read")

    def stop(self) -> None:
        """Closes the connection, and asks nothing more; another thread may be asking."""
        self._stopped = True
        self._close()

    def _close(self) -> None:
        connection, self._open = self._open, None
        if connection is not None:
            with suppress(Exception):
                connection.close()
