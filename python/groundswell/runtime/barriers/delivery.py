"""Brings sinks up to the newest published epoch, and hands them each further one once.

A start opens every sink before anything is written (:meth:`Deliveries.open`). When the query's
newest epoch is known, it brings each sink up to it (:meth:`Deliveries.catch_up`): a new sink gets
the rows that the view has; one that missed epochs gets their changes; if those were not kept, or
the view was built anew, it gets the difference between the rows that it has and those of now.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from groundswell.errors import GroundswellError, SinkError, SinkUnavailable
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.location import (
    Folder,
    owned_name,
    read_owned,
    remove_owned,
    write_document,
)
from groundswell.sinks.changes import CHANGE_TYPE, Changes
from groundswell.sinks.options import mask_text
from groundswell.sinks.registry import SinkSpec
from groundswell.sinks.sink import Sink, SinkProgress, SinkStart

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

NAME = "sinks"
KIND = "sinks"
IDLE = 10
"""So many epochs without changes, one after the other, are not even numbered in a target."""
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


@dataclass(frozen=True)
class Known:
    """What a location remembers of its sinks.

    Attributes:
        ids: by name of the sink.
        active: names of the sinks of the last start: epochs since then keep what changed.
        states: by name of the sink, the state of its view that the target's rows come from.
    """

    ids: Mapping[str, str] | None = None
    active: Collection[str] = ()
    states: Mapping[str, str] = field(default_factory=dict)


def known_sinks(home: Folder) -> Known:
    """What a location remembers of its sinks."""
    document = read_owned(home, NAME, KIND)
    if document is None:
        return Known()
    return Known(document["ids"], document["active"], document["states"])


@dataclass(frozen=True)
class ViewFacts:
    """What a sink needs to know of its view: columns, key, whether it only grows, its state."""

    schema: StructType
    key: tuple[str, ...]
    append_only: bool
    state: str


class Deliveries:
    """The sinks of one start."""

    def __init__(
        self,
        spark: SparkSession,
        location: str,
        home: Folder,
        specs: Sequence[SinkSpec],
        views: Mapping[str, ViewFacts],
        token: int,
        retained: int = 100,
        expected: Collection[str] = (),
    ) -> None:
        """Decides ids; reads what the location remembers, and does nothing else.

        Args:
            spark: the session.
            location: the checkpointLocation.
            home: the pipeline's folder in it.
            specs: the sinks.
            views: by name, what they need to know of their views.
            token: of this run's claim on the location.
            retained: how many epochs are kept.
            expected: names that the record of sinks must have, as the definition says.

        Raises:
            SinkError: the record lacks one of them that is to be started.
        """
        before = known_sinks(home)
        ids = dict(before.ids or {})
        if lost := [spec.name for spec in specs if spec.name in expected and spec.name not in ids]:
            raise SinkError(_LOST.format(location=home.location, names=", ".join(lost)))
        self._home = home
        self._views = views
        self._token = token
        self._deliveries = []
        for spec in specs:
            sink_id = ids.setdefault(spec.name, uuid.uuid4().hex)
            facts = views[spec.view]
            start = SinkStart(
                name=spec.name,
                id=sink_id,
                view=spec.view,
                schema=facts.schema,
                key=_key(spec, facts),
                append_only=facts.append_only,
                token=self._token,
                epoch=None,
                spark=spark,
                location=location,
            )
            self._deliveries.append(Delivery(spec, start, min(IDLE, retained // 2)))
        self._before = before
        self._ids = ids

    @property
    def names(self) -> Mapping[str, str]:
        """Of all sinks that the record has from now on, each with its id."""
        return self._ids

    def note(self) -> None:
        """Notes the ids of new sinks, before the definition says that they are noted."""
        if self._ids.keys() - (self._before.ids or {}).keys():
            self._note(list(self._before.active), self._before.states)

    def open(self, newest: EpochManifest | None) -> None:
        """Opens all; raises what the first raises that cannot be.

        Args:
            newest: the newest published epoch.
        """
        try:
            for each in self._deliveries:
                each.open(newest)
        except BaseException:
            self.close()
            raise

    def catch_up(self, newest: EpochManifest | None, history: History) -> None:
        """Notes the sinks at the location, and brings all up to the newest epoch.

        The ids are noted before a target has them. That a sink is active is noted after it was
        brought up: only then every epoch to come keeps what changed for it.
        """
        was, names = self._before.active, [each.name for each in self._deliveries]
        states = dict(self._before.states)
        if not was and not names:
            return
        self._note([name for name in names if name in was], states)
        for each in self._deliveries:
            each.catch_up(newest, history, each.name in was, states.get(each.name))
            states[each.name] = self._views[each.view].state
        if set(names) - set(was) or states != self._before.states:
            self._note(names, states)

    def _note(self, active: Sequence[str], states: Mapping[str, str]) -> None:
        document = {
            "ids": self._ids,
            "active": list(active),
            "states": dict(states),
        }
        write_document(self._home, owned_name(NAME, self._token), KIND, document)
        remove_owned(self._home, NAME, self._token)

    def of(self, view: str) -> list[Callable[[Changes, int], None]]:
        """What takes the changes of a view."""
        return [each for each in self._deliveries if each.view == view]

    def close(self) -> None:
        """Lets go of all connections."""
        for each in self._deliveries:
            each.close()

    def retry_until(self, stopping: Callable[[], bool]) -> None:
        """Sees that a target that does not answer is a failure once the query is to stop."""
        for each in self._deliveries:
            each.stopping = stopping


class Delivery:
    """One sink, and how far it is."""

    def __init__(self, spec: SinkSpec, start: SinkStart, idle: int) -> None:
        self._idle = idle
        self._spec = spec
        self._start = start
        self._sink: Sink | None = None
        self._has: SinkProgress | None = None
        self._history: History | None = None
        self.stopping: Callable[[], bool] = lambda: False

    @property
    def name(self) -> str:
        """Of the sink."""
        return self._spec.name

    @property
    def view(self) -> str:
        """Whose changes it takes."""
        return self._spec.view

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
    ) -> None:
        """Brings it to the newest published epoch.

        Args:
            newest: that epoch.
            history: the published epochs.
            active: whether the last start had the sink, too.
            state: what the rows of the target come from, if it is noted.
        """
        self._history = history
        if newest is None or self.view not in newest.views:
            self._check_not_ahead(-1 if newest is None else newest.epoch)
            return
        self._check_not_ahead(newest.epoch)
        if self._has is None:
            rows = history.rows(newest.views[self.view], newest)
            whole = rows if self._spec.options["snapshot"] else rows.limit(0)
            self._deliver(Changes(_marked(whole, "insert")), newest.epoch)
            return
        has = self._has.epoch
        before = history.find(has)
        was = state or (before.views.get(self.view) if before is not None else None)
        if was is not None and was != newest.views[self.view]:
            self._rebuild(before, was, newest, history)
        elif has < newest.epoch:
            missed = [before, *map(history.find, range(has + 1, newest.epoch + 1))]
            if active and _continuous(self.view, missed):
                for manifest in missed[1:]:
                    assert manifest is not None
                    self._deliver(history.changes(self.view, manifest), manifest.epoch)
            else:
                self._deliver(self._difference(before, was, newest, history), newest.epoch)

    def _rebuild(
        self, before: EpochManifest | None, was: str, newest: EpochManifest, history: History
    ) -> None:
        """The view is another query than the one whose rows the target has.

        A view is built anew at the newest epoch, so the target may have its number already. If a
        crash lets this be done twice, upserts and deletes by key come to the same.
        """
        if self._start.append_only:
            raise SinkError(
                f"sink {self.name}: view {self.view} was built anew, and rows that the target has "
                "may come again: drop the sink, and add it under another name, with another target"
            )
        changes = self._difference(before, was, newest, history)
        self._has = SinkProgress(self._start.token, newest.epoch - 1)
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
        if _types(old) != _types(new):
            raise SinkError(
                f"sink {self.name}: view {self.view} was built anew with other columns "
                f"({new.schema.simpleString()}) than the target has ({old.schema.simpleString()}): "
                "drop the sink, and add it under another name, with another target"
            )
        gone = _marked(old.exceptAll(new), "delete")
        return Changes(gone.union(_marked(new.exceptAll(old), "insert")))

    def __call__(self, changes: Changes, epoch: int) -> None:
        """Delivers an epoch, unless the target has it."""
        self._deliver(changes, epoch)

    def _deliver(self, changes: Changes, epoch: int) -> None:
        seconds = self._spec.options["retry_seconds"]
        self._retried(f"epoch {epoch}", lambda: self._attempt(changes, epoch), seconds)

    def _attempt(self, changes: Changes, epoch: int) -> None:
        if self._sink is None:
            self._open()
        assert self._sink is not None
        if self._has is not None and self._has.epoch >= epoch:
            return
        if changes.surely_empty and self._has and epoch - self._has.epoch <= self._idle:
            return
        self._sink.write(epoch, changes)
        self._hit("before_sink_commit")
        self._sink.commit(epoch)
        self._hit("after_sink_commit")
        self._has = SinkProgress(self._start.token, epoch)

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


_LOST = (
    "{location}: the record of sinks (sinks-<number>.json) is missing or lacks {names}, so what "
    "their targets have is not known, and rows could be delivered twice. Nothing was written to a "
    "target. Restore that file from a backup; or drop these sinks, empty their targets, and add "
    "them under other names"
)
_LATER = "; the epoch is delivered again when the pipeline is started again"


def together(
    functions: Sequence[Callable[[Changes, int], None]],
) -> Callable[[Changes, int], None]:
    """Hands an epoch to several, in order."""

    def deliver(changes: Changes, epoch: int) -> None:
        for function in functions:
            function(changes, epoch)

    return deliver


def of_frame(function: Callable[[Any, int], None]) -> Callable[[Changes, int], None]:
    """What a user gave to ``foreachBatch``, as a sink."""
    return lambda changes, epoch: function(changes.frame, epoch)


def _key(spec: SinkSpec, facts: ViewFacts) -> tuple[str, ...]:
    asked: tuple[str, ...] = spec.options["key"]
    missing = [name for name in asked if name not in facts.schema.names]
    if missing:
        raise SinkError(
            f"sink {spec.name}: option key names {', '.join(missing)}, which view {spec.view} does "
            f"not have; its columns are {', '.join(facts.schema.names)}"
        )
    return asked or facts.key


def _continuous(view: str, missed: Sequence[EpochManifest | None]) -> bool:
    states = {m.views.get(view) if m is not None else None for m in missed}
    return len(states) == 1 and None not in states


def _types(rows: DataFrame) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.json()) for field in rows.schema.fields]


def _marked(rows: DataFrame, change: str) -> DataFrame:
    from pyspark.sql import functions as F

    return rows.withColumn(CHANGE_TYPE, F.lit(change))
