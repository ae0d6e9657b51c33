"""What a start is asked for, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from groundswell import jvm
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.planning.view_spec import BatchFunction
from groundswell.runtime.record.aside import Asides
from groundswell.sinks.registry import SinkSpec


@dataclass(frozen=True)
class Request:
    """What is to run.

    Attributes:
        location: qualified.
        options: all of them, with values.
        dropped: names of views that are given up.
        partitions: of every state, if the location is fresh.
        aside: views that stand still; no part of what is planned.
        specs: the sinks that take changes of views.
        limits: by view, how many bytes its states may take.
        policies: by view, of those that were given one.
        anew: names of views that may have another plan than the location's.
    """

    planned: PlannedViews
    location: str
    sinks: Mapping[str, BatchFunction]
    options: Mapping[str, Any]
    dropped: frozenset[str]
    partitions: int
    aside: Asides = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    specs: Sequence[SinkSpec] = ()
    policies: Mapping[str, str] = field(default_factory=dict)
    anew: frozenset[str] = frozenset()

    @property
    def changelogs(self) -> set[str]:
        """Names of the views whose changes somebody takes."""
        return {*self.sinks, *(spec.view for spec in self.specs)}


@dataclass(frozen=True)
class Started:
    """A streaming query that keeps the views, and what belongs to it."""

    query: StreamingQuery
    callback: jvm.BarrierCallback
    progress: ProgressLog
    finish: Callable[[], None]
    end: Callable[[], None]
    tick: Callable[[], bool]
    ownership: jvm.Ownership
