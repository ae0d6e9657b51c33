"""Brings one sink up to the newest published epoch, and hands it each further one once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from groundswell.errors import (
    GroundswellError,
    SinkError,
    SinkFenced,
    SinkRowRefused,
    SinkUnavailable,
)
from groundswell.runtime.barriers.refused_rows import Part, Refused, split
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.rows_aside import RowsAside
from groundswell.runtime.record.told import Told
from groundswell.sinks.changes import Changes, marked
from groundswell.sinks.options import mask_text
from groundswell.sinks.registry import SET_ASIDE, STOP_PIPELINE, SinkSpec
from groundswell.sinks.sink import Sink, SinkProgress, SinkStart

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_log = logging.getLogger("groundswell")


class History(Protocol):
    """The published epochs."""

    def find(self, epoch: int) -> EpochManifest | None:
        """The manifest of an epoch, or None if it is not there (any more)."""

    def changes(self, view: str, manifest: EpochManifest) -> Changes:
        """What an epoch changed in a view, if a sink took its changes then."""

    def rows(self, state: str, manifest: EpochManifest) -> DataFrame:
        """The rows of a view's state as it was after an epoch."""

    def fail_point(self, name: str) -> None:
        """Dies here if a test armed this point."""


class Delivery:
    """One sink, and how far it is."""

    def __init__(self, spec: SinkSpec, start: SinkStart, idle: int) -> None:
        self._idle = idle
        self._spec = spec
        self._start = start
        self._sink: Sink | None = None
        self._has: SinkProgress | None = None
        self._history: History | None = None
        self._rebuilt: int | None = None
        """An epoch that is delivered though the target has its number: with other rows."""
        self.reached: int | None = None
        """The epoch up to which the target has all; None: not known, or it stopped."""
        self.stopped: str | None = None
        self.aside: RowsAside | None = None
        self.on_stop: Callable[[], None] = lambda: None
        self.stopping: Callable[[], bool] = lambda: False

    @property
    def name(self) -> str:
        """Of the sink."""
        return self._spec.name

    @property
    def view(self) -> str:
        """Whose changes it takes."""
        return self._spec.view

    @property
    def status(self) -> dict[str, Any]:
        """How far it is, as progress shows it."""
        return {
            "epoch": None if self._has is None else self._has.epoch,
            "stopped": self.stopped,
            "rowsAside": self.aside.count if self.aside is not None else 0,
        }

    def stop(self, reason: str) -> None:
        """Ends this sink alone, until the next start."""
        self.close()
        self.stopped, self.reached = reason, None
        _log.error("%s. The sink has stopped, the pipeline goes on; %s", reason, _AGAIN)
        self.on_stop()

    def open(self, newest: EpochManifest | None) -> None:
        """Connects; the target is not written to."""
        at = newest.epoch if newest is not None and self.view in newest.views else None
        self._start = SinkStart(**{**self._start.__dict__, "epoch": at})
        self._retried("open", self._open, 0)

    def _open(self) -> None:
        self.close()
        self._sink = self._spec.make()
        self._sink.open(self._start)
        self._has = self._sink.recover()
        self._start.check_owner(self._has)

    def catch_up(
        self,
        newest: EpochManifest | None,
        history: History,
        active: bool,
        state: str | None = None,
        told: Told | None = None,
    ) -> None:
        """Brings it to the newest published epoch.

        Args:
            newest: that epoch.
            history: the published epochs.
            active: whether the last start had the sink, too.
            state: what the rows of the target come from, if it is noted.
            told: the rows that the view had when it stopped, if it did, and has begun again.
        """
        self._catch_up(newest, history, active, state, told)
        if newest is not None and self.stopped is None:
            self.reached = newest.epoch

    def _catch_up(
        self,
        newest: EpochManifest | None,
        history: History,
        active: bool,
        state: str | None,
        told: Told | None,
    ) -> None:
        self._history = history
        if newest is None or self.view not in newest.views:
            self._check_not_ahead(-1 if newest is None else newest.epoch)
            return
        self._check_not_ahead(newest.epoch)
        if self._has is None:
            rows = history.rows(newest.views[self.view], newest)
            all_ = self._spec.options["snapshot"] or (active and newest.loaded is not None)
            whole = rows if all_ else rows.limit(0)
            self._deliver(Changes(marked(whole, "insert")), newest.epoch)
            return
        has = self._has.epoch
        if told is not None and has > told.epoch:  # it got that difference before a crash
            state = newest.views[self.view]
        if told is not None and told.has(self.name, has):
            before: EpochManifest | None = told.manifest(self.view, newest)
            state, active = told.state, False
        else:
            before = history.find(has)
        was = state or (before.views.get(self.view) if before is not None else None)
        if was is not None and was != newest.views[self.view]:
            self._rebuild(before, was, newest, history)
        elif has < newest.epoch:
            epochs = range(has + 1, newest.epoch + 1) if active else ()
            missed = [before, *map(history.find, epochs)]
            if active and _continuous(self.view, missed):
                self._deliver_missed([m for m in missed if m is not None], history)
            else:
                self._deliver(self._difference(before, was, newest, history), newest.epoch)

    def _deliver_missed(self, missed: Sequence[EpochManifest], history: History) -> None:
        """Delivers epochs one by one, those behind the first.

        A row that the target refuses may have been corrected in a later one. So where such a row
        would end the sink, all that is left goes at once: the difference has the rows of now.
        """
        newest = missed[-1]
        for before, manifest in pairwise(missed):
            changes = history.changes(self.view, manifest)
            at_once = manifest is not newest and not self._start.append_only
            if not at_once or self._spec.options["on_failure"] == SET_ASIDE:
                self._deliver(changes, manifest.epoch)
                continue
            try:
                self._attempted(changes, manifest.epoch)
            except SinkRowRefused as e:
                was = before.views[self.view]
                if was not in before.commits:
                    self._failed(changes, manifest.epoch, e)
                else:
                    rest = self._difference(before, was, newest, history)
                    self._deliver(rest, newest.epoch)
                return
            except (SinkUnavailable, SinkFenced):
                raise
            except SinkError as e:
                self._failed(changes, manifest.epoch, e)
                return

    def _rebuild(
        self, before: EpochManifest | None, was: str, newest: EpochManifest, history: History
    ) -> None:
        """The view is another query than the one whose rows the target has.

        A view is rebuilt at the newest epoch, so the target may have its number already. If a
        crash lets this be done twice, upserts and deletes by key come to the same.
        """
        if self._start.append_only:
            raise SinkError(
                f"sink {self.name}: view {self.view} was rebuilt, and rows that the target has "
                "may come again: drop the sink, and add it under another name, with another target"
            )
        changes = self._difference(before, was, newest, history)
        self._rebuilt = newest.epoch
        self._deliver(changes, newest.epoch)

    def _check_not_ahead(self, epoch: int) -> None:
        if self._has is not None and self._has.epoch > epoch:
            raise SinkError(
                f"sink {self.name}: the target has epoch {self._has.epoch}, but "
                f"{self._start.location} has epochs up to {epoch}: the location was restored from "
                "an older copy. Restore the target, too, or drop the sink, empty the target, and "
                "add the sink under another name"
            )

    def _difference(
        self,
        before: EpochManifest | None,
        was: str | None,
        newest: EpochManifest,
        history: History,
    ) -> Changes:
        assert self._has is not None
        if before is None or was is None or was not in before.commits:
            raise SinkError(
                f"sink {self.name}: the target has epoch {self._has.epoch}, and epochs up to "
                f"{newest.epoch} are published, but epoch {self._has.epoch} is not kept any more "
                "(option retainEpochs), so what changed since is not known: drop the sink, empty "
                "the target, and add the sink under another name"
            )
        old, new = history.rows(was, before), history.rows(newest.views[self.view], newest)
        changes = difference(old, new)
        if changes is None:
            raise SinkError(
                f"sink {self.name}: view {self.view} was rebuilt with other columns "
                f"({new.schema.simpleString()}) than the target has ({old.schema.simpleString()}): "
                "drop the sink, and add it under another name, with another target"
            )
        return changes

    def __call__(self, changes: Changes, epoch: int) -> None:
        """Delivers an epoch, unless the target has it."""
        self._deliver(changes, epoch)
        if self.stopped is None:
            self.reached = epoch

    def _deliver(self, changes: Changes, epoch: int) -> None:
        if self.stopped is not None:
            return
        try:
            self._attempted(changes, epoch)
        except (SinkUnavailable, SinkFenced):
            raise
        except SinkError as e:
            self._failed(changes, epoch, e)

    def _attempted(self, changes: Changes, epoch: int) -> None:
        seconds = self._spec.options["retry_seconds"]
        self._retried(f"epoch {epoch}", lambda: self._attempt(changes, epoch), seconds)

    def _failed(self, changes: Changes, epoch: int, error: SinkError) -> None:
        """Sets rows aside, or stops, as the option says."""
        policy = self._spec.options["on_failure"]
        if isinstance(error, SinkRowRefused):
            most = None if policy == SET_ASIDE else 1
            rest, refused = split(
                changes, self._start.key, lambda part: self._refuses(part, epoch), most
            )
            if refused and policy == SET_ASIDE:
                self._set_aside(epoch, refused)
                try:
                    self._attempted(rest, epoch)
                    return
                except (SinkUnavailable, SinkFenced):
                    raise
                except SinkError as e:
                    error = e
            elif refused:
                error = SinkRowRefused(refused[0].text)
        if policy == STOP_PIPELINE:
            raise error from None
        self.stop(str(error))

    def _refuses(self, part: Part, epoch: int) -> SinkRowRefused | None:
        """Why the target refuses these rows, which are not committed; None: it takes them."""

        def attempt() -> None:
            self._open()
            assert self._sink is not None
            self._sink.write(epoch, part)

        try:
            self._retried(f"epoch {epoch}", attempt, self._spec.options["retry_seconds"])
        except SinkRowRefused as e:
            return e
        finally:
            self.close()
        return None

    def _set_aside(self, epoch: int, refused: Sequence[Refused]) -> None:
        assert self.aside is not None
        self.aside.put(epoch, refused)
        _log.warning(
            "%s. %s of epoch %d %s set aside (%s)",
            refused[0].text,
            "1 row" if len(refused) == 1 else f"{len(refused)} rows",
            epoch,
            "is" if len(refused) == 1 else "are",
            self.aside.folder,
        )

    def _attempt(self, changes: Changes, epoch: int) -> None:
        if self._sink is None:
            self._open()
        assert self._sink is not None
        if self._has is not None and self._has.epoch >= epoch != self._rebuilt:
            return
        if changes.surely_empty and self._has and epoch - self._has.epoch <= self._idle:
            return
        self._sink.write(epoch, changes)
        self._hit("before_sink_commit")
        self._sink.commit(epoch)
        self._hit("after_sink_commit")
        self._has = SinkProgress(self._start.token, epoch)
        self._rebuilt = None

    def _hit(self, point: str) -> None:
        if self._history is not None:
            self._history.fail_point(point)

    def _retried(self, what: str, attempt: Callable[[], None], seconds: int) -> None:
        """Tries again while the target does not answer; each try begins with opening it."""
        until, pause = time.monotonic() + seconds, 0.1
        while True:
            try:
                attempt()
                return
            except SinkUnavailable as e:
                self.close()
                if self.stopping() or time.monotonic() + pause > until:
                    later = _LATER if seconds else ""
                    raise SinkUnavailable(self._text(what, e) + later) from None
                _log.warning("%s; trying again for %d s", self._text(what, e), seconds)
                time.sleep(pause)
                pause = min(pause * 2, 5.0)
            except GroundswellError as e:
                self.close()
                raise type(e)(self._text(what, e)) from None
            except Exception as e:  # noqa: BLE001 - whatever a library throws is named
                self.close()
                failed = SinkError(self._text(what, e))
                raise failed from (e if not self._spec.options.hides(str(e)) else None)

    def _text(self, what: str, error: Exception) -> str:
        said = (
            str(error)
            if isinstance(error, GroundswellError)
            else f"{type(error).__name__}: {error}"
        )
        if not said.startswith("sink "):
            said = f"sink {self.name} ({self._spec.format}) of view {self.view}, {what}: {said}"
        return self._spec.options.mask(said)

    def close(self) -> None:
        """Lets go of connections; what is not committed is given up."""
        sink, self._sink = self._sink, None
        if sink is not None:
            try:
                sink.close()
            except Exception as e:  # noqa: BLE001 - what it was closed for matters more
                _log.warning("sink %s: closing it failed: %s", self.name, mask_text(str(e)))


_AGAIN = (
    "correct the rows or the target and start the pipeline again, or give the sink option "
    "on_failure = 'set_aside'"
)
_LATER = "; the epoch is delivered again when the pipeline is started again"


def difference(old: DataFrame, new: DataFrame) -> Changes | None:
    """The changes that make some rows others; None: these have other columns."""
    if _types(old) != _types(new):
        return None
    gone = marked(old.exceptAll(new), "delete")
    return Changes(gone.union(marked(new.exceptAll(old), "insert")))


def _continuous(view: str, missed: Sequence[EpochManifest | None]) -> bool:
    states = {m.views.get(view) if m is not None else None for m in missed}
    return len(states) == 1 and None not in states


def _types(rows: DataFrame) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.json()) for field in rows.schema.fields]
