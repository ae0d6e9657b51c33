"""What a start is asked for, and what it gives."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from groundswell import jvm
from groundswell.errors import ConfigurationError
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.planning.view_spec import BatchFunction
from groundswell.runtime.record.aside import Asides
from groundswell.sinks.registry import SinkSpec

RETAINED = "spark.sql.streaming.minBatchesToRetain"
DYNAMIC = "spark.dynamicAllocation.enabled"
_log = logging.getLogger("groundswell")


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


def check_checkpoints(spark: SparkSession, request: Request) -> None:
    """Refuses a number of barriers between checkpoints that a restart could not go back over.

    Args:
        spark: the session.
        request: what is to run.

    Raises:
        ConfigurationError: with what to set instead.
    """
    every = request.options["checkpointEvery"]
    if every == 1:
        return
    kept = int(spark.conf.get(RETAINED, "100") or 100)
    if every >= kept:
        raise ConfigurationError(
            f"option checkpointEvery is {every}, but Spark keeps the offsets of {kept} "
            f"barriers only: set it below that, or {RETAINED} above"
        )
    if recursive := request.planned.recursive():
        raise ConfigurationError(
            f"option checkpointEvery is {every}, and view {', '.join(recursive)} is recursive: "
            "what its rounds leave has to be durable by itself. Leave the option out"
        )
    if cleaning := request.planned.cleaning():
        raise ConfigurationError(
            f"option checkpointEvery is {every}, and source {', '.join(cleaning)} deletes or "
            "moves files (cleanSource) that a restart from the last checkpoint may still need: "
            "leave one of the two options out"
        )
    if str(spark.conf.get(DYNAMIC, "false")).lower() == "true":
        _log.warning(
            "option checkpointEvery is %d, and %s is true: an executor that Spark takes away takes "
            "commits with it, and the query ends with CheckpointLost; nothing durable is lost. "
            "Set one of the two otherwise",
            every,
            DYNAMIC,
        )


@dataclass(frozen=True)
class Started:
    """A streaming query that keeps the views, and what belongs to it.

    Attributes:
        unfinished: whether there are fills that were cut off and can go on.
    """

    query: StreamingQuery
    callback: jvm.BarrierCallback
    progress: ProgressLog
    finish: Callable[[], None]
    end: Callable[[], None]
    tick: Callable[[], bool]
    ownership: jvm.Ownership
    unfinished: bool = False
