"""One run of a pipeline: the barriers, and Spark's streaming query that calls them."""

from __future__ import annotations

import logging
import math
import threading
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.contract.commits import Commits
from groundswell.durations import micros_of
from groundswell.runtime.backfill.fill import Fill
from groundswell.runtime.barriers.barrier import BarrierHandler, BarrierRules
from groundswell.runtime.barriers.deliveries import Deliveries, of_frame, together
from groundswell.runtime.barriers.merging import Merged
from groundswell.runtime.barriers.overlap import OverlapRules
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.barriers.runner import JvmRunner
from groundswell.runtime.decision import Decision
from groundswell.runtime.gc.orphans import Leftovers
from groundswell.runtime.gc.retention import Retention
from groundswell.runtime.ownership.leases import RetentionHolds, keep_here
from groundswell.runtime.planning.backlogs import backlogs, is_own
from groundswell.runtime.planning.limits import StateLimits
from groundswell.runtime.planning.loading import Load, Parts, limit_of, parts_of
from groundswell.runtime.planning.sources import Size, followers
from groundswell.runtime.planning.unfilled import may_run_beside
from groundswell.runtime.record.checkpoints import Checkpoints
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER, state_root
from groundswell.runtime.record.manifests import LOADED
from groundswell.runtime.record.merges import MergeLog
from groundswell.runtime.record.pending_epochs import PendingEpochs
from groundswell.runtime.record.told import commits_kept
from groundswell.runtime.request import Request, Started
from groundswell.sinks.changes import Changes, marked

_log = logging.getLogger(__name__)
CLOCK_NAME = "groundswell_clock"
"""What the checkpoint calls the source of barriers without data."""


class Ending:
    """Ends the query for a failure beside its barriers, though no other barrier may come."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._failure: BaseException | None = None
        self._query: StreamingQuery | None = None
        self._callback: jvm.BarrierCallback | None = None

    def of(self, callback: jvm.BarrierCallback, query: StreamingQuery) -> None:
        """Says which query it is."""
        with self._guard:
            self._callback, self._query = callback, query
            failure = self._failure
        if failure is not None:
            self.fail(failure)

    def fail(self, failure: BaseException) -> None:
        """Ends it."""
        with self._guard:
            self._failure = failure
            callback, query = self._callback, self._query
        if callback is None or query is None or callback.stopping:
            return
        callback.failure = callback.failure or failure
        try:
            query.stop()
        except Exception:  # noqa: BLE001 - the JVM is gone, or the query ends by itself
            _log.exception("a query that failed beside its barriers could not be stopped")


@dataclass(frozen=True)
class Run:
    """A run that has the location, and whose new views are filled.

    Attributes:
        spark: the session.
        request: what is to run.
        root: the checkpointLocation.
        log: of the epochs.
        made: what was decided; its last epoch has the states of all views.
        ownership: the claim.
        deliveries: to the sinks.
        marks: of checkpoints.
        begun: names of the states that have files.
        clean: removes what fills have left, from time to time.
        fill: what was filled beside the run before, if anything was.
        compiled: the dataflow, if it was needed before.
        share: of what a barrier may take, see :func:`limit_of`.
    """

    spark: SparkSession
    request: Request
    root: jvm.JvmFolder
    log: EpochLog
    made: Decision
    ownership: jvm.Ownership
    deliveries: Deliveries
    marks: Checkpoints
    begun: Collection[str]
    clean: Callable[[], None]
    fill: Fill | None
    compiled: jvm.Dataflow | None
    share: int = 1

    def start(self, name: str | None, trigger: Mapping[str, Any]) -> Started:
        """Starts Spark's query.

        Args:
            name: of the query.
            trigger: as in Spark.
        """
        folder = self.root.child(FOLDER)
        made, suspended = self.made, self.request.catalog.suspended
        runner = self._runner(folder)
        parts = self._parts(trigger)
        if parts.load is not None:
            trigger = {"availableNow": True}
        progress = ProgressLog(
            made.dataflow.operators,
            suspended,
            lambda: self.deliveries.status,
            newest=made.last,
            running=runner.progress,
        )
        ending = Ending()
        handler = self._handler(folder, runner, progress, ending, parts.load)
        callback = jvm.BarrierCallback(self._barrier(handler, progress))
        handler.stopping = lambda: callback.stopping
        self.deliveries.retry_until(lambda: callback.stopping)
        pipeline = uuid.uuid4().hex
        union = self._sources(pipeline, parts.limits)
        jvm.register_pipeline(self.spark, pipeline, callback)
        here = jvm.jvm_id(self.spark), folder.location
        keep_here(*here)

        def end() -> None:
            keep_here(*here, here=False)
            jvm.unregister_pipeline(self.spark, pipeline)
            handler.close()
            runner.close()
            self.deliveries.close()
            self.ownership.release()

        try:
            self.deliveries.catch_up(self.made.last, runner)
            self._deliver_loaded(runner)
            writer = (
                union.writeStream.format(jvm.SINK)
                .outputMode("append")
                .option("pipeline", pipeline)
                .option("checkpointLocation", self.request.location)
            )
            if name:
                writer = writer.queryName(name)
            if trigger:
                writer = writer.trigger(**trigger)
            ask = partial(jvm.ask_for_barrier, self.spark, pipeline)
            tick = ask if self.request.options["tickInterval"] else _no_clock
            handler.open()
            query = writer.start()
            ending.of(callback, query)
            return Started(
                query,
                callback,
                progress,
                handler.drain,
                handler.finish,
                end,
                tick,
                self.ownership,
                lambda: self.deliveries.reached,
                loads=parts.load is not None,
                bounded=parts.bounded and not trigger.get("once"),
            )
        except BaseException:
            end()
            raise

    def _runner(self, folder: jvm.JvmFolder) -> JvmRunner:
        made, home = self.made, folder.location
        states = state_root(home, made.scale.generation)
        flow = made.dataflow.spec(home, made.wanted.partitions, self.begun, states=states)
        return JvmRunner(
            self.spark,
            self.request.planned,
            flow,
            home,
            made.wanted.layouts,
            self.log,
            self.ownership,
            self._still,
            self.fill.ready(flow) if self.fill is not None else self.compiled,
            made.scale.generation,
            self.request.catalog.policies,
            made.last.refresh if made.last is not None else {},
            self._merges(folder),
        )

    def _still(self) -> Commits:
        return commits_kept(self.request.catalog.suspended, self.deliveries.told)

    def _merges(self, folder: jvm.JvmFolder) -> Merged | None:
        """What another process merges; None: the executors do it all."""
        if self.request.options["compaction"] == "own":
            return None
        log = MergeLog(folder)
        log.open(self.ownership.token)
        return Merged(log, self.made.scale.generation)

    def _handler(
        self,
        folder: jvm.JvmFolder,
        runner: JvmRunner,
        progress: ProgressLog,
        ending: Ending,
        load: Load | None,
    ) -> BarrierHandler:
        made, planned, options = self.made, self.request.planned, self.request.options
        here = jvm.jvm_id(self.spark)
        sinks = {
            view: together(self.deliveries.of(view))
            for view in made.dataflow.views
            if view in self.request.changelogs
        }
        return BarrierHandler(
            runner,
            PendingEpochs(folder.child(EPOCHS), here, self.ownership),
            self.root.log("offsets"),
            BarrierRules(
                sources={source: table.name for source, table in planned.tables.items()},
                sinks=sinks if load is None else {},
                views=made.dataflow.views,
                retention=Retention(
                    options["retainEpochs"],
                    options["retireEvery"],
                    micros_of(options["retain"] or "") // 1000,
                )
                if load is None
                else Retention(1, options["retireEvery"]),
                watermarks=planned.watermarks(options["idleTimeout"]),
                clock=options["clock"],
                pins=RetentionHolds(folder, self.ownership.token),
                followers=followers(here, made.dataflow.sources),
                generation=made.scale.generation,
                partitions=made.scale.partitions if made.scale.generation else 0,
                chosen=runner.chosen,
                overlap=self._overlap(ending),
                beside=options["compaction"] == "own",
                load=load,
            ),
            progress,
            self.marks,
        )

    def _overlap(self, ending: Ending) -> OverlapRules | None:
        """How checkpoints overlap; None: they do not."""
        most = self.request.options["checkpointOverlap"]
        if not most:
            return None
        logs = jvm.PendingLogs(self.spark, self.request.location)
        return OverlapRules(most, logs, ending.fail)

    def _barrier(
        self, handler: BarrierHandler, progress: ProgressLog
    ) -> Callable[[int, Any], None]:
        """What Spark calls with each micro-batch."""
        limits = StateLimits(self.request.views, self.made.dataflow.operators)
        leftovers = Leftovers(self.spark, self.request.location, fills=self.clean)
        leftovers()

        def barrier(epoch: int, batch: Any) -> None:
            handler(epoch, batch)
            leftovers()
            if progress.last is not None:  # where checkpoints overlap, of an earlier barrier
                limits.check(progress.last["operators"])

        return barrier

    def _parts(self, trigger: Mapping[str, Any]) -> Parts:
        """How much of each source a barrier takes, by the source's id."""
        planned, made, options = self.request.planned, self.made, self.request.options
        here, fresh = jvm.jvm_id(self.spark), made.last is None or made.last.loads
        known = () if fresh or made.owner is None else made.owner.sources
        sources = {s: planned.capture.source(s) for s in made.dataflow.sources}
        new = {source for source in sources if planned.tables[source].name not in known}
        streams, sizes = backlogs(sources, new)
        heap = jvm.heap_bytes(self.spark)
        limit = limit_of(options["maxBarrierRows"], options["maxBarrierBytes"], heap, self.share)
        loads = fresh and not trigger.get("once") and may_run_beside(made.dataflow.operators)
        parts = parts_of(sizes, limit, {streams[s] for s in new & streams.keys()}, loads)
        if parts.load is None and made.last is not None and made.last.loads:
            parts = replace(parts, load=Load(LOADED))
        # A reader in Python is loaded again for a limit, so one that nobody asked for is left out.
        given = options["maxBarrierRows"] or options["maxBarrierBytes"]
        asks = parts.load or given or self.share > 1
        limited = {s: at for s, at in streams.items() if asks or not is_own(here, s)}
        return replace(parts, limits={s: parts.limits[at] for s, at in limited.items()})

    def _deliver_loaded(self, runner: JvmRunner) -> None:
        """Gives functions all rows of a first load that is over, as its epoch.

        They get them again at a start before the next epoch, under the same number.
        """
        last = self.made.last
        if last is None or last.loaded != LOADED:
            return
        for view, function in self.request.functions.items():
            if view in last.views:
                whole = marked(runner.rows(last.views[view], last), "insert")
                of_frame(function)(Changes(whole), last.epoch)
        runner.fail_point("after_load")

    def _sources(self, pipeline: str, limits: Mapping[str, Size]) -> DataFrame:
        """All sources as one stream, with a clock where barriers come without data."""
        planned, made = self.request.planned, self.made
        frames = [
            planned.capture.source(source).select(*map(by_name, columns))
            for source, columns in made.dataflow.sources.items()
        ]
        most = [limits.get(source, Size()) for source in made.dataflow.sources]
        names = [planned.tables[source].name for source in made.dataflow.sources]
        begins = made.last is None and made.dataflow.has_constants
        if self.request.options["tickInterval"] or begins or not frames:
            seconds = self.request.options["tickInterval"] or math.inf
            frames.append(jvm.clock_source(self.spark, pipeline, seconds))
            names.append(CLOCK_NAME)
            most.append(Size())
        if begins:  # rows that no source brings come by themselves
            jvm.ask_for_barrier(self.spark, pipeline)
        union = jvm.source_union(frames, names, [(size.rows, size.bytes) for size in most])
        return jvm.tables_within(union, pipeline, self.root.child(FOLDER).location, self.ownership)


def _no_clock() -> bool:
    return False
