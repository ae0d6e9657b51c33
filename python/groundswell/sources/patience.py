"""How long a server may be away before a pipeline ends."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from groundswell.errors import SourceError

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
