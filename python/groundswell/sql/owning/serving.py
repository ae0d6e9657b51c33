"""The owner's thread that carries out the statements of other processes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from groundswell import jvm
from groundswell.runtime.record.location import Folder
from groundswell.sql.history.log import here
from groundswell.sql.owning.requests import Inbox, Request, Rows

_PAUSE = 0.25
_REMOTE_PAUSE = 1.0
_AFTER_FAILURE = 4.0
_log = logging.getLogger(__name__)


class Serving:
    """Looks for requests until it is stopped, or another process is the owner.

    Args:
        folder: of requests.
        run: carries one out.
        lives: whether the session is still there.
        may: whether this process is still the owner.
        goes_on: asked after each look; False: there is nothing left to serve.
    """

    def __init__(
        self,
        folder: Folder,
        run: Callable[[Request], Rows],
        lives: Callable[[], bool],
        may: Callable[[], bool],
        goes_on: Callable[[], bool],
    ) -> None:
        self._folder = folder
        self._run = run
        self._lives = lives
        self._may = may
        self._goes_on = goes_on
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sql requests", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends it, after the statement at hand."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _loop(self) -> None:
        location = self._folder.location
        local = location.startswith(("file:", "/"))
        pause = _PAUSE if local else _REMOTE_PAUSE
        inbox: Inbox | None = None
        while not self._stopped.is_set() and self._lives():
            wait = pause
            try:
                inbox = inbox or Inbox(self._folder, here())
                inbox.serve(self._run, self._is_owner)
                if not self._goes_on():
                    return
            except Exception as e:  # noqa: BLE001 - the next look may do
                if jvm.is_gone(e):
                    return
                if self._lives():
                    _log.warning("requests in %s: %s", location, e)
                wait = _AFTER_FAILURE
            self._stopped.wait(wait)

    def _is_owner(self) -> bool:
        if self._stopped.is_set():
            return False
        if not self._may():
            self._stopped.set()
            return False
        return True
