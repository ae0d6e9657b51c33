"""What a start is asked for, and what it gives."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from groundswell import jvm
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.view import BatchFunction, View
from groundswell.confs import FILE_MANAGER, FILE_MANAGER_KEY
from groundswell.errors import ConfigurationError
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.sinks.registry import SinkSpec

RETAINED = "spark.sql.streaming.minBatchesToRetain"
DYNAMIC = "spark.dynamicAllocation.enabled"
DELEGATE_KEY = "spark.groundswell.checkpointFileManager"
_log = logging.getLogger("groundswell")


@dataclass(frozen=True)
class Request:
    """What is to run.

    Attributes:
        planned: the plan of all views that are not suspended.
        location: qualified.
        catalog: what was planned.
        partitions: of every state, if the location is fresh.
    """

    planned: PlannedViews
    location: str
    catalog: Catalog
    partitions: int

    @property
    def options(self) -> Mapping[str, Any]:
        """All options of the pipeline, with values."""
        return self.catalog.options

    @property
    def views(self) -> Mapping[str, View]:
        """The views that run."""
        return self.catalog.going

    @property
    def functions(self) -> dict[str, BatchFunction]:
        """By view, what takes its changes (``foreachBatch``)."""
        return {n: view.on_batch for n, view in self.views.items() if view.on_batch is not None}

    @property
    def sinks(self) -> list[SinkSpec]:
        """The sinks of views that run."""
        return [s for s in self.catalog.sinks.values() if s.view in self.planned.streams]

    @property
    def changelogs(self) -> set[str]:
        """Names of the views whose changes somebody takes."""
        return {*self.functions, *(sink.view for sink in self.sinks)}


def check_checkpoints(spark: SparkSession, request: Request) -> None:
    """Refuses what a restart could not go back over.

    Args:
        spark: the session.
        request: what is to run.

    Raises:
        ConfigurationError: with what to set instead.
    """
    every, overlap = (request.options[key] for key in ("checkpointEvery", "checkpointOverlap"))
    if every == 1 and not overlap:
        return
    if every > 1 and overlap:
        raise ConfigurationError(
            f"option checkpointEvery is {every} and option checkpointOverlap is {overlap}: a "
            "pipeline can have one of the two. Leave one out"
        )
    key, ahead = ("checkpointOverlap", overlap) if overlap else ("checkpointEvery", every)
    kept = int(spark.conf.get(RETAINED, "100") or 100)
    if ahead >= kept:
        raise ConfigurationError(
            f"option {key} is {ahead}, but Spark keeps the offsets of {kept} "
            f"barriers only: set it below that, or {RETAINED} above"
        )
    if cleaning := request.planned.cleaning():
        raise ConfigurationError(
            f"option {key} is {ahead}, and source {', '.join(cleaning)} deletes or "
            "moves files (cleanSource) that a restart from the last checkpoint may still need: "
            "leave one of the two options out"
        )
    if overlap:
        _check_overlap(spark, request, overlap)
        return
    if recursive := request.planned.recursive():
        raise ConfigurationError(
            f"option checkpointEvery is {every}, and view {', '.join(recursive)} is recursive: "
            "what its rounds leave has to be durable by itself. Leave the option out"
        )
    if str(spark.conf.get(DYNAMIC, "false")).lower() == "true":
        _log.warning(
            "option checkpointEvery is %d, and %s is true: an executor that Spark takes away takes "
            "commits with it, and the query ends with CheckpointLost; nothing durable is lost. "
            "Set one of the two otherwise",
            every,
            DYNAMIC,
        )


def _check_overlap(spark: SparkSession, request: Request, overlap: int) -> None:
    if request.options["compaction"] != "own":
        raise ConfigurationError(
            f"option checkpointOverlap is {overlap}, and option compaction is "
            f"{request.options['compaction']}: another process merges what is durable only. Leave "
            "one of the two options out"
        )
    manager = spark.conf.get(FILE_MANAGER_KEY, FILE_MANAGER)
    if manager != FILE_MANAGER:
        raise ConfigurationError(
            f"option checkpointOverlap is {overlap}, and {FILE_MANAGER_KEY} is {manager}: Spark's "
            f"logs would run ahead of what is durable. Set it to {FILE_MANAGER}, and name your "
            f"class in {DELEGATE_KEY}; or leave the option out"
        )


@dataclass(frozen=True)
class Started:
    """A streaming query that keeps the views, and what belongs to it.

    Attributes:
        unfinished: whether there are fills that were cut off and can go on.
        views: names of the views that it keeps.
        explanation: their plans, for people.
        loads: whether it only reads a first load, and ends with it.
        bounded: whether its barriers would be smaller with a smaller limit.
        reached: tells by sink the epoch up to which it got all; not of those that stopped.
        drain: returns when all that was computed is published.
    """

    query: StreamingQuery
    callback: jvm.BarrierCallback
    progress: ProgressLog
    drain: Callable[[], None]
    finish: Callable[[], None]
    end: Callable[[], None]
    tick: Callable[[], bool]
    ownership: jvm.Ownership
    reached: Callable[[], Mapping[str, int]]
    unfinished: bool = False
    views: tuple[str, ...] = ()
    explanation: str = ""
    loads: bool = False
    bounded: bool = False
