"""Goes on after a failure that the pipeline, and not its user, can do something about."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundswell import jvm
from groundswell.catalog.change import Change
from groundswell.errors import GroundswellError, OutOfMemory, ViewError
from groundswell.runtime.program import Program

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

    from groundswell.runtime.starting import Prepared, Starter

_log = logging.getLogger("groundswell")
_OVERTAKEN = "CONCURRENT_STREAM_LOG_UPDATE"
"""Spark's name for an entry of a log that is there before it was written."""


class Recovering:
    """A query that starts itself again."""

    _program: Program
    _starter: Starter
    _location: str
    _query: StreamingQuery
    _callback: jvm.BarrierCallback
    _overtakings: int
    _bounded: bool

    @abstractmethod
    def _advance(
        self,
        changes: Sequence[Change],
        ready: Prepared | None = None,
        loaded: int | None = None,
        less: bool = False,
    ) -> None:
        """Starts again with another catalog; if that fails, with the one before."""

    def _goes_on_after(self, failure: GroundswellError) -> bool:
        """Whether it could start again."""
        return self._begin_again() or self._take_less(failure) or self._set_aside(failure)

    def _begin_again(self) -> bool:
        """Starts again if an older run has written the next entry of a log of Spark's before this.

        It can do that once at most, for it finds out about this run then; what it has written is a
        batch that this one runs.
        """
        error = self._query.exception() or self._callback.failure
        if not self._overtakings or _OVERTAKEN not in str(error):
            return False
        self._overtakings -= 1
        _log.warning("an older run has written to a log of %s: starting again", self._location)
        self._advance(())
        return True

    def _take_less(self, failure: GroundswellError) -> bool:
        """Takes a barrier that needs more memory than there is again, in smaller ones."""
        if not isinstance(failure, OutOfMemory):
            return False
        if not self._bounded or not self._starter.may_take_less:
            return False
        _log.warning("%s. It is taken again, in barriers of a quarter of its limit", failure)
        try:
            self._advance((), less=True)
        except Exception:  # noqa: BLE001 - the failure before it is what the user is told
            _log.exception("smaller barriers cannot be started")
            return False
        return True

    def _set_aside(self, failure: GroundswellError) -> bool:
        """Goes on without the views that failed, if that is what they are to do."""
        views = failure.views if isinstance(failure, ViewError) else ()
        if not self._program.catalog.outlives(views):
            return False
        try:
            self._advance((self._program.suspend(views, str(failure)),))
        except Exception:  # noqa: BLE001 - the failure before it is what the user is told
            _log.exception("views %s failed and cannot be set aside", ", ".join(views))
            return False
        _log.warning("views %s are set aside: %s", ", ".join(views), failure)
        return True
