"""Checks, claims the location and starts: several views under one barrier."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell import config, jvm
from groundswell.errors import ConfigurationError
from groundswell.physical.lower import Dataflow
from groundswell.runtime import definition
from groundswell.runtime.barrier import BarrierHandler, Retention, Sink
from groundswell.runtime.epochs import EpochLog, EpochManifest
from groundswell.runtime.location import EPOCHS, STATE
from groundswell.runtime.planning import PlannedViews, plan_views
from groundswell.runtime.progress import ProgressLog
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.sources import check_name
from groundswell.runtime.views import FOLDER, schema_json, view_state

_running: dict[str, IncrementalQuery] = {}
_lock = threading.Lock()


class Pipeline:
    """Views that are kept together: they share sources, and agree with each other at every epoch.

    Args:
        spark: the session that runs it.
        location: its checkpointLocation.
        options: see :data:`groundswell.config.OPTIONS`.
    """

    def __init__(self, spark: SparkSession, location: str, **options: Any) -> None:
        self._spark = spark
        self._options = config.check({**options, "checkpointLocation": location})
        self._frames: dict[str, DataFrame] = {}
        self._sinks: dict[str, Sink] = {}

    def view(self, name: str, frame: Any, foreachBatch: Sink | None = None) -> Pipeline:
        """Adds a view.

        Args:
            name: what readers call it; letters, digits and underscores.
            frame: a DataFrame, or what ``incremental()`` made of one.
            foreachBatch: takes (changelog DataFrame, epoch) after every epoch.

        Raises:
            NotIncremental: with every operator of the query that cannot be kept.
        """
        check_name("view", name)
        if name in self._frames:
            raise ConfigurationError(f"two views are named {name!r}")
        frame = getattr(frame, "frame", frame)
        if not isinstance(frame, DataFrame):
            raise ConfigurationError(f"view {name!r} must be a DataFrame, got {type(frame)}")
        if foreachBatch is not None and not callable(foreachBatch):
            raise ConfigurationError("foreachBatch takes a function of (DataFrame, epoch)")
        plan_views({name: frame})
        self._frames[name] = frame
        if foreachBatch is not None:
            self._sinks[name] = foreachBatch
        return self

    def explain(self) -> None:
        """Prints the plans of all views."""
        print(self._planned().explain())  # noqa: T201

    def start(self, *, queryName: str | None = None, **trigger: Any) -> IncrementalQuery:
        """Starts the pipeline.

        Args:
            queryName: as in Spark.
            trigger: ``processingTime="1 second"`` (the barrier interval; default: as soon as
                there is data), ``availableNow=True`` or ``once=True``.

        Raises:
            ConfigurationError, SourceError, DefinitionChanged: before anything is written.
        """
        planned = self._planned()
        unknown = trigger.keys() - {"processingTime", "availableNow", "once"}
        if unknown or len(trigger) > 1:
            raise ConfigurationError(
                f"trigger {trigger} is not supported; use one of processingTime, availableNow, once"
            )
        location = jvm.qualify(self._spark, self._options["checkpointLocation"])
        with _lock:
            running = _running.get(location)
            if running is not None and running.isActive:
                raise ConfigurationError(f"{location} is in use by {running!r}; stop it first")
            query = self._start(planned, location, queryName, trigger)
            _running[location] = query
        return query

    def _planned(self) -> PlannedViews:
        if not self._frames:
            raise ConfigurationError("the pipeline has no view; add one with view(name, df)")
        return plan_views(self._frames)

    def _start(
        self, planned: PlannedViews, location: str, name: str | None, trigger: Mapping[str, Any]
    ) -> IncrementalQuery:
        root = jvm.JvmFolder.open(self._spark, location)
        folder = root.child(FOLDER)
        owner = _claim(root, folder, planned, self._partitions())
        dataflow = planned.dataflow(self._sinks)
        progress = ProgressLog(dataflow.operators)
        runner = _JvmRunner(self._spark, planned, dataflow, folder.location, owner)
        handler = BarrierHandler(
            runner,
            EpochLog(folder.child(EPOCHS)),
            root.child("offsets"),
            {source: table.name for source, table in planned.tables.items()},
            self._sinks,
            Retention(self._options["retainEpochs"], self._options["retireEvery"]),
            progress,
        )
        callback = jvm.BarrierCallback(handler)
        pipeline = uuid.uuid4().hex
        union = jvm.source_union(
            [
                planned.capture.source(source).select(*(f"`{c}`" for c in columns))
                for source, columns in dataflow.sources.items()
            ],
            [planned.tables[source].name for source in dataflow.sources],
        )
        jvm.register_pipeline(self._spark, pipeline, callback)

        def end() -> None:
            jvm.unregister_pipeline(self._spark, pipeline)
            runner.close()

        try:
            writer = (
                union.writeStream.format(jvm.SINK)
                .outputMode("append")
                .option("pipeline", pipeline)
                .option("checkpointLocation", location)
            )
            if name:
                writer = writer.queryName(name)
            if trigger:
                writer = writer.trigger(**trigger)
            return IncrementalQuery(
                self._spark,
                location,
                tuple(planned.streams),
                writer.start(),
                callback,
                progress,
                planned.explain(),
                end,
            )
        except BaseException:
            end()
            raise

    def _partitions(self) -> int:
        given = self._options["partitions"]
        # Spark's own default, 200, is meant for large batch shuffles: a task each at every barrier.
        cores = str(self._spark.sparkContext.defaultParallelism)
        return int(given or self._spark.conf.get("spark.sql.shuffle.partitions", cores) or cores)


def _claim(
    root: jvm.JvmFolder, folder: jvm.JvmFolder, planned: PlannedViews, partitions: int
) -> definition.Definition:
    """The definition in force at a location: the stored one, which must be equal, or ours.

    A definition under which no batch was ever planned does not bind: its start had failed.
    """
    wanted = planned.definition(partitions)
    owner = definition.load(folder)
    begun = bool(root.child("offsets").names())
    if owner is not None and begun:
        definition.check_unchanged(root.location, owner, wanted)
        return owner
    if begun:
        raise ConfigurationError(
            f"{root.location} is the checkpoint of another streaming query, without any views; "
            "give the views a folder of their own"
        )
    definition.store(folder, wanted)
    return wanted


class _JvmRunner:
    """The JVM's side of a pipeline, as the barrier handler wants it."""

    def __init__(
        self,
        spark: SparkSession,
        planned: PlannedViews,
        dataflow: Dataflow,
        root: str,
        owner: definition.Definition,
    ) -> None:
        self._spark = spark
        self._root = root
        self._layouts = owner.layouts
        self._flow = jvm.Dataflow(planned.capture, dataflow.json(root, owner.partitions))

    def run(self, epoch: int, batch: Any, base: Any) -> Mapping[str, Any]:
        return self._flow.run(epoch, batch, base)

    def changelog(self, view: str, manifest: EpochManifest) -> DataFrame:
        state = view_state(view)
        return jvm.view_changes(
            self._spark,
            f"{self._root}/{STATE}/{state}",
            manifest.commits[state],
            schema_json(self._layouts[view]),
            manifest.epoch,
        )

    def retire(self, oldest: EpochManifest) -> None:
        self._flow.retire(oldest.commits)

    def fail_point(self, name: str) -> None:
        jvm.fail_point(self._spark, name)

    def close(self) -> None:
        self._flow.close()
