"""Brings sinks up to the newest published epoch, and hands them each further one once.

A start opens every sink before anything is written (:meth:`Deliveries.open`). When the query's
newest epoch is known, it brings each sink up to it (:meth:`Deliveries.catch_up`): a new sink gets
the rows that the view has; one that missed epochs gets their changes; if those were not kept, or
the view was rebuilt, it gets the difference between the rows that it has and those of now. A view
that stood still gives its ``foreachBatch`` that difference, too; see :mod:`..record.told`.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from groundswell.catalog.view import BatchFunction
from groundswell.errors import SinkError, SinkFenced, SinkUnavailable
from groundswell.runtime.barriers.delivery import Delivery, History, difference
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.location import Folder
from groundswell.runtime.record.rows_aside import RowsAside
from groundswell.runtime.record.sinks import Known, known_sinks, note
from groundswell.runtime.record.told import ToldViews
from groundswell.sinks.changes import Changes
from groundswell.sinks.registry import SinkSpec
from groundswell.sinks.sink import SinkStart

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

_log = logging.getLogger("groundswell")
IDLE = 10
"""So many epochs without changes, one after the other, are not even numbered in a target."""


@dataclass(frozen=True)
class ViewFacts:
    """What a sink needs to know of its view: columns, key, whether it only grows, its state."""

    schema: StructType
    key: tuple[str, ...]
    append_only: bool
    state: str


class Deliveries:
    """The sinks and functions of one start.

    Attributes:
        told: what was last told of views that stood still; the commits of these rows have to stay.
    """

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
        functions: Mapping[str, BatchFunction] = MappingProxyType({}),
        told: Callable[[ToldViews], ToldViews] = dict,
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
            functions: what users gave to ``foreachBatch``, by view.
            told: makes, of what the record has, what this start has to remember.

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
            self._deliveries[-1].on_stop = self._note_again
            self._deliveries[-1].aside = RowsAside(home, sink_id, spec.name)
        self._functions = functions
        self._has: dict[str, int] = {}
        """By view, the epoch of the difference that its function got."""
        self.told = told(before.told)
        self._before = before
        self._ids = ids
        self._noted = (tuple(before.active), dict(before.states))

    @property
    def names(self) -> Mapping[str, str]:
        """Of all sinks that the record has from now on, each with its id."""
        return self._ids

    @property
    def status(self) -> dict[str, dict[str, Any]]:
        """By sink: the last ``epoch`` of its target, why it ``stopped``, and its ``rowsAside``."""
        return {each.name: each.status for each in self._deliveries}

    @property
    def reached(self) -> dict[str, int]:
        """By sink that goes on, the epoch up to which it got all."""
        return {e.name: e.reached for e in self._deliveries if e.reached is not None}

    def note(self) -> None:
        """Notes the ids of new sinks, before the definition says that they are noted.

        So are the rows that views had when they stopped: it may forget them then.
        """
        if self._ids.keys() - (self._before.ids or {}).keys() or self.told != self._before.told:
            self._note(list(self._before.active), self._before.states)

    def open(self, newest: EpochManifest | None) -> None:
        """Opens all; raises what the first raises that cannot be.

        Args:
            newest: the newest published epoch.
        """
        try:
            for each in self._deliveries:
                each.open(_whole(newest))
        except BaseException:
            self.close()
            raise

    def catch_up(self, newest: EpochManifest | None, history: History) -> None:
        """Notes the sinks at the location, and brings all up to the newest epoch; functions, too.

        The ids are noted before a target has them. That a sink is active is noted after it was
        brought up: only then every epoch to come keeps what changed for it.
        """
        was, names = self._before.active, [each.name for each in self._deliveries]
        states = dict(self._before.states)
        if not was and not names and not self.told:
            return
        self._note([name for name in names if name in was], states)
        noted = self.told
        for each in self._deliveries:
            told, active = self.told.get(each.view), each.name in was
            try:
                each.catch_up(_whole(newest), history, active, states.get(each.name), told)
            except (SinkUnavailable, SinkFenced):
                raise
            except SinkError as e:
                if each.name not in self._before.stopped:
                    raise
                each.stop(str(e))
            if each.stopped is None:
                states[each.name] = self._views[each.view].state
        self.told = self._tell(_whole(newest), history)
        stopped = {e.name: e.stopped for e in self._deliveries if e.stopped is not None}
        if (
            set(names) - set(was)
            or self.told != noted
            or states != self._before.states
            or stopped != self._before.stopped
        ):
            self._note(names, states)

    def _tell(self, newest: EpochManifest | None, history: History) -> ToldViews:
        """Gives functions what changed while their views stood still; what is left to tell."""
        if newest is None:
            return self.told
        left = dict(self.told)
        for view, told in self.told.items():
            if view not in newest.views:
                continue  # it stands still
            function, before = self._functions.get(view), told.manifest(view, newest)
            state = newest.views[view]
            if told.function and function is not None and newest.commits[state] != told.commits:
                old, new = history.rows(told.state, before), history.rows(state, newest)
                if (changes := difference(old, new)) is not None:
                    of_frame(function)(changes, newest.epoch)
                else:
                    _log.warning(_OTHER_COLUMNS, view, old.schema.simpleString())
            self._has[view] = newest.epoch
            left[view] = replace(told, function=False)
            if not any(e.stopped for e in self._deliveries if e.view == view):
                del left[view]
            history.fail_point("after_difference")
        return left

    def _note_again(self) -> None:
        self._note(*self._noted)

    def _note(self, active: Sequence[str], states: Mapping[str, str]) -> None:
        self._noted = (tuple(active), dict(states))
        stopped = {e.name: e.stopped for e in self._deliveries if e.stopped is not None}
        known = Known(self._ids, tuple(active), dict(states), stopped, self.told)
        note(self._home, known, self._token)

    def of(self, view: str) -> list[Callable[[Changes, int], None]]:
        """What takes the changes of a view."""
        function = self._functions.get(view)
        functions = [self._later(view, function)] if function is not None else []
        return [*functions, *(each for each in self._deliveries if each.view == view)]

    def _later(self, view: str, function: BatchFunction) -> Callable[[Changes, int], None]:
        """A function that gets no epoch whose changes were in the difference that it got."""
        deliver, has = of_frame(function), self._has

        def later(changes: Changes, epoch: int) -> None:
            if epoch > has.get(view, -1):
                deliver(changes, epoch)

        return later

    def close(self) -> None:
        """Lets go of all connections."""
        for each in self._deliveries:
            each.close()

    def retry_until(self, stopping: Callable[[], bool]) -> None:
        """Sees that a target that does not answer is a failure once the query is to stop."""
        for each in self._deliveries:
            each.stopping = stopping


_OTHER_COLUMNS = (
    "view %s stood still and has other columns now than it had (%s): its foreachBatch is not told "
    "what changed meanwhile"
)
_LOST = (
    "{location}: the record of sinks (sinks-<number>.json) is missing or lacks {names}, so what "
    "their targets have is not known, and rows could be delivered twice. Nothing was written to a "
    "target. Restore that file from a backup; or drop these sinks, empty their targets, and add "
    "them under other names"
)


def together(
    functions: Sequence[Callable[[Changes, int], None]],
) -> Callable[[Changes, int], None]:
    """Hands an epoch to several, in order."""

    def deliver(changes: Changes, epoch: int) -> None:
        for function in functions:
            function(changes, epoch)

    return deliver


def _whole(newest: EpochManifest | None) -> EpochManifest | None:
    """Sinks get nothing of a first load before it is over."""
    return None if newest is not None and newest.loads else newest


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
