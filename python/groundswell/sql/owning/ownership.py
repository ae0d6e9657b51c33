"""A pipeline's owner, as each process sees it: being it, serving the others, and asking it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from groundswell.runtime.record.location import Folder
from groundswell.sql.history import log as logs
from groundswell.sql.owning import owner, requests
from groundswell.sql.owning.serving import Serving


class Ownership:
    """Whose a pipeline is.

    A process has the pipeline while it defines something, and as long as it runs it. While it runs
    it, a thread carries out what other processes ask for.

    Args:
        home: the pipeline's folder.
        pipeline: its name, for messages.
        carry_out: runs a statement of another process, and gives the rows that it shows.
        runs: whether this process runs the pipeline.
        lives: whether its session is still there.
    """

    def __init__(
        self,
        home: Folder,
        pipeline: str,
        carry_out: Callable[[requests.Request], requests.Rows],
        runs: Callable[[], bool],
        lives: Callable[[], bool],
    ) -> None:
        self._home = home
        self._pipeline = pipeline
        self._carry_out = carry_out
        self._runs = runs
        self._lives = lives
        self._requests = home.child(logs.FOLDER).child(requests.FOLDER)
        self._guard = threading.RLock()
        self._depth = 0
        self._mine: owner.Owner | None = None
        self._serving: Serving | None = None

    def hand_over(
        self, text: str, catalog: str, namespace: tuple[str, ...]
    ) -> requests.Rows | None:
        """Has the process that owns the pipeline carry a statement out.

        Returns:
            The rows that it shows; None: no other process owns it, so it is this one's to do.

        Raises:
            GroundswellError: what the owner raised, or that it does not answer.
        """
        while (other := owner.another(owner.load(self._home))) is not None:
            token = other.token

            def gone(token: int = token) -> bool:
                now = owner.load(self._home)
                return now is None or now.token != token or owner.another(now) is None

            made = requests.request(text, catalog, namespace, logs.here())
            who = f"pipeline {self._pipeline}: {other.by}"
            advice = owner.advice(self._pipeline)
            rows = requests.ask(self._requests, made, who, gone, advice)
            if rows is not None:
                return rows
        return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """For what only the owner may do.

        Raises:
            OwnedElsewhereError: another process has it.
        """
        with self._guard:
            self._mine = owner.claim(self._home, self._pipeline)
            self._depth += 1
        try:
            yield
        finally:
            with self._guard:
                self._depth -= 1
                self._settle()

    def _settle(self) -> None:
        if self._depth > 0 or self._mine is None:
            return
        if self._serving is None and self._runs():
            mine = self._mine
            self._serving = Serving(
                self._requests,
                self._carry_out,
                self._lives,
                lambda: owner.is_newest(self._home, mine),
                self._goes_on,
            )
        elif self._serving is None:
            self._end()

    def _goes_on(self) -> bool:
        """Asked by the serving thread, between statements: whether it is still to serve."""
        with self._guard:
            if self._depth > 0 or self._runs():
                return True
            self._serving = None
            self._end()
            return False

    def _end(self) -> None:
        if self._mine is not None:
            owner.end(self._home, self._mine)
            self._mine = None

    def release(self) -> None:
        """Gives the pipeline up; a statement of another process that is at hand is waited for."""
        serving = self._serving
        if serving is not None:
            serving.stop()  # not under the guard, which its last statement needs
        with self._guard:
            if self._serving is serving:
                self._serving = None
            self._end()

    def take_over(self) -> None:
        """Makes the pipeline nobody's: a process that ran it is gone."""
        owner.end(self._home, owner.claim(self._home, self._pipeline, force=True))
