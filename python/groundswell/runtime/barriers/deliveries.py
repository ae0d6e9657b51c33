"""Brings sinks up to the newest published epoch, and hands them each further one once.

A start opens every sink before anything is written (:meth:`Deliveries.open`). When the query's
newest epoch is known, it brings each sink up to it (:meth:`Deliveries.catch_up`): a new sink gets
the rows that the view has; one that missed epochs gets their changes; if those were not kept, or
the view was rebuilt, it gets the difference between the rows that it has and those of now.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from groundswell.errors import SinkError, SinkFenced, SinkUnavailable
from groundswell.runtime.barriers.delivery import Delivery, History
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.location import (
    Folder,
    owned_name,
    read_owned,
    remove_owned,
    write_document,
)
from groundswell.runtime.record.rows_aside import RowsAside
from groundswell.sinks.changes import Changes
from groundswell.sinks.registry import SinkSpec
from groundswell.sinks.sink import SinkStart

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

NAME = "sinks"
KIND = "sinks"
IDLE = 10
"""So many epochs without changes, one after the other, are not even numbered in a target."""


@dataclass(frozen=True)
class Known:
    """What a location remembers of its sinks.

    Attributes:
        ids: by name of the sink.
        active: names of the sinks of the last start: epochs since then keep what changed.
        states: by name of the sink, the state of its view that the target's rows come from.
        stopped: by name of a sink that stopped, why; the others had gone on without it.
    """

    ids: Mapping[str, str] | None = None
    active: Collection[str] = ()
    states: Mapping[str, str] = field(default_factory=dict)
    stopped: Mapping[str, str] = field(default_factory=dict)


def known_sinks(home: Folder) -> Known:
    """What a location remembers of its sinks."""
    document = read_owned(home, NAME, KIND)
    if document is None:
        return Known()
    stopped = document.get("stopped", {})
    return Known(document["ids"], document["active"], document["states"], stopped)


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
            self._deliveries[-1].on_stop = self._note_again
            self._deliveries[-1].aside = RowsAside(home, sink_id, spec.name)
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
                each.open(_whole(newest))
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
            try:
                each.catch_up(_whole(newest), history, each.name in was, states.get(each.name))
            except (SinkUnavailable, SinkFenced):
                raise
            except SinkError as e:
                if each.name not in self._before.stopped:
                    raise
                each.stop(str(e))
            if each.stopped is None:
                states[each.name] = self._views[each.view].state
        stopped = {e.name: e.stopped for e in self._deliveries if e.stopped is not None}
        if (
            set(names) - set(was)
            or states != self._before.states
            or stopped != self._before.stopped
        ):
            self._note(names, states)

    def _note_again(self) -> None:
        self._note(*self._noted)

    def _note(self, active: Sequence[str], states: Mapping[str, str]) -> None:
        self._noted = (tuple(active), dict(states))
        document = {
            "ids": self._ids,
            "active": list(active),
            "states": dict(states),
            "stopped": {e.name: e.stopped for e in self._deliveries if e.stopped is not None},
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
