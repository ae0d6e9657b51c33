"""Starts a pipeline's streaming query: checks, fills what is new, claims the location, starts.

The order of writes keeps a crash harmless: the claim (:mod:`takeover`); the columns of new views,
so that readers can decode them; the last epoch again, as this owner's, with the states of the views
that were filled; then the definition. Only states that no published epoch names are written before.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.durations import micros_of
from groundswell.errors import ConfigurationError
from groundswell.physical.lower import Dataflow
from groundswell.plan.required import source_columns
from groundswell.plan.stream import Kind
from groundswell.runtime.barriers.barrier import BarrierHandler, BarrierRules, Retention
from groundswell.runtime.barriers.delivery import Deliveries, ViewFacts, of_frame, together
from groundswell.runtime.barriers.merging import Merged
from groundswell.runtime.barriers.progress import ProgressLog
from groundswell.runtime.barriers.refreshing import check_policies, check_strict
from groundswell.runtime.barriers.runner import JvmRunner
from groundswell.runtime.filling import generations
from groundswell.runtime.filling.fill import Fill, FillPlan, begun_states
from groundswell.runtime.filling.journal import Keeper, fill_now, keeper_of
from groundswell.runtime.filling.rescale import (
    Scale,
    check_partitions,
    check_rescale,
    rescale,
    scale_of,
    scale_to,
)
from groundswell.runtime.filling.unfinished import expire, settle
from groundswell.runtime.leftovers import Leftovers
from groundswell.runtime.ownership.leases import Pins, keep_here
from groundswell.runtime.ownership.standby import Beats
from groundswell.runtime.ownership.takeover import take_over
from groundswell.runtime.planning import changes, diverted, graph
from groundswell.runtime.planning.limits import StateLimits
from groundswell.runtime.planning.sources import followers
from groundswell.runtime.planning.unfilled import (
    INDEX,
    Filling,
    check_history,
    check_shared_streams,
    plan_filling,
    shared_history,
    shown,
    unfilled,
    usable,
)
from groundswell.runtime.reading.views import schema_json
from groundswell.runtime.record import checkpoints, definition, doubtful
from groundswell.runtime.record.ahead import AheadLog
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.fills import FILLS
from groundswell.runtime.record.location import (
    DEFINITION,
    EPOCHS,
    FOLDER,
    Folder,
    remove_owned,
    state_root,
)
from groundswell.runtime.record.merges import MergeLog
from groundswell.runtime.record.seen import Held, Seen
from groundswell.runtime.record.spark_logs import check_logs
from groundswell.runtime.request import Request, Started, check_checkpoints

CLOCK_NAME = "groundswell_clock"
"""What the checkpoint calls the source of barriers without data."""


class Launch:
    """One start: :meth:`check` writes nothing, :meth:`start` does."""

    def __init__(self, spark: SparkSession, request: Request, seen: Seen | None = None) -> None:
        self._spark = spark
        self._request = request
        self._root = jvm.JvmFolder.open(spark, request.location)
        self._folder = self._root.child(FOLDER)
        self._log = EpochLog(self._folder.child(EPOCHS))
        self._seen = seen or Seen(self._root)
        self._sound: set[tuple[str, int]] = set()

    def check(self) -> FillPlan | None:
        """Raises what start would refuse; gives what may be filled beside the running barriers."""
        made = self._decide(self._seen)
        if made.fill is None or made.last is None:
            return None
        plan = self._fill_plan(made, made.fill)
        return plan if plan.may_follow(made.last) else None

    def _fill_plan(self, made: _Decision, flow: Dataflow) -> FillPlan:
        return FillPlan(
            self._request.planned,
            made.filling.views,
            frozenset(made.filling.snapshots.values()),
            flow,
            made.dataflow,
            made.wanted.partitions,
            self._folder.location,
            made.scale.generation,
        )

    def _decide(self, root: Folder) -> _Decision:
        planned = self._request.planned
        check_checkpoints(self._spark, self._request)
        folder = root.child(FOLDER)
        log = self._log.through(folder.child(EPOCHS))
        check_logs(root, vars(doubtful.load(folder)), self._sound)
        owner = definition.load(folder)
        begun = bool(root.child("offsets").names())
        if begun and owner is None:
            raise ConfigurationError(
                f"{self._root.location} is the checkpoint of another streaming query, without any "
                "views; give the views a folder of their own"
            )
        if not begun:  # a definition under which no batch was ever planned does not bind
            owner = None
        epochs = log.epochs() if owner is not None else []
        last = log.get(epochs[-1]) if epochs else None
        asked = self._request.options["partitions"] or self._request.partitions
        scale = Scale(0, asked) if owner is None else scale_of(owner, last)
        if owner is not None:
            asked = self._request.options["partitions"] or scale.partitions
        check_partitions(asked)
        known = {} if owner is None else {s: v["columns"] for s, v in owner.sources.items()}
        dataflow = planned.dataflow(self._request.changelogs, known)
        check_policies(dataflow.operators, self._request.policies)
        wanted = planned.definition(asked, dataflow.views, known)
        fill = None
        filling = Filling((), {})
        if owner is not None:
            rebuild = self._request.options["onChange"] == "rebuild"
            changes.check_change(
                self._root.location,
                owner,
                wanted,
                self._request.dropped | self._request.aside.keys(),
                rebuild,
                self._request.anew,
            )
            shared = followers(jvm.jvm_id(self._spark), dataflow.sources)
            check_shared_streams(owner.sources, wanted.sources, shared)
            wanted = replace(definition.after(owner, wanted), aside=dict(self._request.aside))
        if owner is not None and last is not None:
            empty = diverted.without_rows(planned, dataflow, last)
            incomplete = diverted.incomplete(planned, owner, wanted, last)
            there = usable(dataflow.operators, last.commits.keys(), incomplete)
            filling = plan_filling(
                unfilled(dataflow.operators, there, empty),
                {
                    name: planned.inputs(name)
                    for name in [*planned.streams, *(INDEX + name for name in planned.indexes)]
                },
                {v: s for v, s in dataflow.views.items() if v in empty or s in there},
                known,
                {
                    planned.tables[source].name: names
                    for source, names in source_columns(planned.roots).items()
                },
                owner.past,
            )
            check_strict(filling.views, owner.views, self._request.policies)
            if filling.views:
                fill = planned.filling(filling.views, known, filling.snapshots, there)
                if shared_history(fill.operators, dataflow.operators):
                    # what only views had that are gone is begun again
                    there = usable(dataflow.operators, there, {*incomplete, *filling.views})
                    fill = planned.filling(filling.views, known, filling.snapshots, there)
                check_history(filling.views, shared_history(fill.operators, dataflow.operators))
        made = _Decision(owner, wanted, dataflow, last, filling, fill, scale)
        if made.rescales:
            still = self._request.aside
            check_rescale(self._root.location, scale.partitions, asked, filling.views, still)
        return made

    def start(
        self, name: str | None, trigger: Mapping[str, Any], fill: Fill | None = None
    ) -> Started:
        """Starts the streaming query; raises before anything is written if it cannot be.

        Args:
            name: of the query.
            trigger: as in Spark.
            fill: what was filled beside a run before this one; it was decided on then.
        """
        if fill is None:
            self._decide(self._seen)
        slots = self._log.through(self._seen.child(FOLDER).child(EPOCHS)).slots()
        above = max((token for _, token in slots), default=0)
        ownership = jvm.Ownership(self._spark, self._request.location, name or "a pipeline", above)
        beats = self._beats(ownership)
        try:
            root = Held(self._root)  # from here on only this run counts
            take_over(root.child(FOLDER), ownership, self._log)
            # Again: another run may have published until now.
            made = self._decide(root)
            deliveries = self._deliveries(root.child(FOLDER), made, ownership)
            deliveries.open(made.last)
            try:
                started = self._begin(root, made, deliveries, ownership, name, trigger, fill)
            except BaseException:
                deliveries.close()
                raise
        except BaseException:
            ownership.release()
            beats.end()
            raise
        beats.while_(lambda: bool(started.query.isActive))
        return started

    def _beats(self, ownership: jvm.Ownership) -> Beats:
        """Signs of life from the claim on: a fill before the first barrier may take long."""
        lease = self._request.options["ownerLease"]
        beats = Beats(self._folder, ownership.token, micros_of(lease or "") // 1000)
        if lease:
            beats.begin()
        return beats

    def _begin(
        self,
        held: Held,
        made: _Decision,
        deliveries: Deliveries,
        ownership: jvm.Ownership,
        name: str | None,
        trigger: Mapping[str, Any],
        fill: Fill | None,
    ) -> Started:
        newest = made.last.epoch if made.last else None
        every = self._request.options["checkpointEvery"]
        root, home, scale = self._folder.location, held.child(FOLDER), made.scale
        folders = jvm.folders(self._spark, root)
        begun = begun_states(self._spark, state_root(root, scale.generation))
        flow: jvm.Dataflow | None = None
        keeper = keeper_of(self._folder, lambda: ownership.token, self._request.options)
        hit = jvm.fail_points(self._spark)
        start = checkpoints.settle(held, home, newest, every, ownership)
        if made.owner is not None and made.last is not None:
            first = made.last
            if made.rescales:
                scale, begun = scale_to(self._spark, root, scale, made.wanted.partitions), []
                states = state_root(root, scale.generation)
                spec = made.dataflow.spec(root, scale.partitions, states=states)
                done = rescale(self._request.planned, spec, root, first, scale)
                first, flow = done.epoch, done.flow
                hit("rescale.before-publish")
            if made.fill is not None or shown(first.views, made.dataflow.views, first.commits):
                told = replace(made.owner, layouts=made.wanted.layouts)
                definition.store(home, told, ownership.token)
            if made.fill is not None:
                first = self._filled(made, made.fill, first, fill, keeper)
            new = shown(first.views, made.dataflow.views, first.commits)
            first = replace(first, views={**first.views, **new})
            EpochLog(home.child(EPOCHS), ownership).publish(first)
            if made.rescales:
                hit("rescale.after-publish")
            made = replace(made, last=first, scale=scale)
        definition.store(home, made.wanted, ownership.token)
        remove_owned(home, DEFINITION, ownership.token)
        since = 0 if made.last is None else made.last.epoch + 1
        sinks = {view: {"view": view, "format": "foreachBatch"} for view in self._request.sinks}
        sinks |= {s.name: {"view": s.view, "format": s.format} for s in self._request.specs}
        graph.store(
            home,
            graph.graph_of(made.dataflow.operators, since, sinks),
            ownership.token,
        )
        still = {a.state: a.commits for a in self._request.aside.values() if a.state}
        there = made.last.commits if made.last is not None else {}
        filled = FILLS in folders or made.fill is not None
        unfinished = settle(keeper, there, scale, self._request.dropped) if filled else ()
        unused = set(begun) - set(made.dataflow.states) - still.keys()
        unused -= {state for each in unfinished for state in each.key.states}
        log = self._log.through(home.child(EPOCHS))
        generations.sweep(
            self._spark, root, folders, log, scale.generation, unused, still, ownership.check
        )
        marks = checkpoints.Checkpoints(self._folder, every, ownership.token, start)
        clean = partial(expire, self._spark, keeper, ownership.check)
        started = self._stream(
            made, begun, deliveries, name, trigger, ownership, marks, fill, flow, clean
        )
        return replace(started, unfinished=bool(unfinished))

    def _filled(
        self,
        made: _Decision,
        flow: Dataflow,
        last: EpochManifest,
        ready: Fill | None,
        keeper: Keeper,
    ) -> EpochManifest:
        """The last epoch, with the states that it did not have."""
        plan = self._fill_plan(made, flow)
        tasks = self._spark.sparkContext.defaultParallelism
        if ready is not None and ready.plan.is_like(plan):
            try:
                new = ready.complete(last, tasks)
            finally:
                ready.close()
        else:
            new = fill_now(self._spark, plan, last, tasks, keeper)
        return replace(last, commits={**last.commits, **new})

    def _deliveries(self, home: Folder, made: _Decision, ownership: jvm.Ownership) -> Deliveries:
        planned = self._request.planned
        facts = {
            view: ViewFacts(
                StructType.fromJson(json.loads(schema_json(made.wanted.layouts[state]))),
                planned.visible_key(view),
                planned.streams[view].kind is Kind.APPEND_ONLY,
                state,
            )
            for view, state in made.dataflow.views.items()
        }
        return Deliveries(
            self._spark,
            self._root.location,
            home,
            self._request.specs,
            facts,
            ownership.token,
            self._request.options["retainEpochs"],
        )

    def _merges(self, generation: int, ownership: jvm.Ownership) -> Merged | None:
        """What another process merges; None: the executors do it all."""
        if self._request.options["compaction"] == "own":
            return None
        log = MergeLog(self._folder)
        log.open(ownership.token)
        return Merged(log, generation)

    def _stream(
        self,
        made: _Decision,
        begun: Collection[str],
        deliveries: Deliveries,
        name: str | None,
        trigger: Mapping[str, Any],
        ownership: jvm.Ownership,
        marks: checkpoints.Checkpoints,
        fill: Fill | None,
        compiled: jvm.Dataflow | None,
        clean: Callable[[], None],
    ) -> Started:
        planned, options = self._request.planned, self._request.options
        progress = ProgressLog(made.dataflow.operators, self._request.aside)
        limits = StateLimits(self._request.limits, made.dataflow.operators)
        layouts = made.wanted.layouts
        root = self._folder.location
        states = state_root(root, made.scale.generation)
        flow = made.dataflow.spec(root, made.wanted.partitions, begun, states=states)
        ready = fill.ready(flow) if fill is not None else compiled
        runner = JvmRunner(
            self._spark,
            planned,
            flow,
            root,
            layouts,
            self._log,
            ownership,
            self._request.aside,
            ready,
            made.scale.generation,
            self._request.policies,
            made.last.refresh if made.last is not None else {},
            self._merges(made.scale.generation, ownership),
        )
        sinks = {
            view: together(
                [
                    *([of_frame(self._request.sinks[view])] if view in self._request.sinks else []),
                    *deliveries.of(view),
                ]
            )
            for view in made.dataflow.views
            if view in self._request.changelogs
        }
        handler = BarrierHandler(
            runner,
            AheadLog(self._folder.child(EPOCHS), jvm.jvm_id(self._spark), ownership),
            self._root.log("offsets"),
            BarrierRules(
                sources={source: table.name for source, table in planned.tables.items()},
                sinks=sinks,
                views=made.dataflow.views,
                retention=Retention(
                    options["retainEpochs"],
                    options["retireEvery"],
                    micros_of(options["retain"] or "") // 1000,
                ),
                watermarks=planned.watermarks(options["idleTimeout"]),
                clock=options["clock"],
                pins=Pins(self._folder, ownership.token),
                followers=followers(jvm.jvm_id(self._spark), made.dataflow.sources),
                generation=made.scale.generation,
                partitions=made.scale.partitions if made.scale.generation else 0,
                chosen=runner.chosen,
            ),
            progress,
            marks,
        )

        leftovers = Leftovers(self._spark, self._request.location, also=clean)
        leftovers()

        def barrier(epoch: int, batch: Any) -> None:
            handler(epoch, batch)
            leftovers()
            limits.check(progress.recent[-1]["operators"])

        callback = jvm.BarrierCallback(barrier)
        deliveries.retry_until(lambda: callback.stopping)
        pipeline = uuid.uuid4().hex
        frames = [
            planned.capture.source(source).select(*map(by_name, columns))
            for source, columns in made.dataflow.sources.items()
        ]
        names = [planned.tables[source].name for source in made.dataflow.sources]
        begins = made.last is None and made.dataflow.has_constants
        if options["tickInterval"] or begins or not frames:
            seconds = options["tickInterval"] or math.inf
            frames.append(jvm.clock_source(self._spark, pipeline, seconds))
            names.append(CLOCK_NAME)
        if begins:  # rows that no source brings come by themselves
            jvm.ask_for_barrier(self._spark, pipeline)
        union = jvm.source_union(frames, names)
        jvm.register_pipeline(self._spark, pipeline, callback)

        here = jvm.jvm_id(self._spark), self._folder.location
        keep_here(*here)

        def end() -> None:
            keep_here(*here, here=False)
            jvm.unregister_pipeline(self._spark, pipeline)
            handler.close()
            runner.close()
            deliveries.close()
            ownership.release()

        try:
            deliveries.catch_up(made.last, runner)
            writer = (
                union.writeStream.format(jvm.SINK)
                .outputMode("append")
                .option("pipeline", pipeline)
                .option("checkpointLocation", self._request.location)
            )
            if name:
                writer = writer.queryName(name)
            if trigger:
                writer = writer.trigger(**trigger)
            ask = partial(jvm.ask_for_barrier, self._spark, pipeline)
            tick = ask if options["tickInterval"] else _no_clock
            return Started(writer.start(), callback, progress, handler.finish, end, tick, ownership)
        except BaseException:
            end()
            raise


def _no_clock() -> bool:
    return False


@dataclass(frozen=True)
class _Decision:
    owner: Definition | None
    wanted: Definition
    dataflow: Dataflow
    last: EpochManifest | None
    filling: Filling
    fill: Dataflow | None
    scale: Scale

    @property
    def rescales(self) -> bool:
        """Whether the states of the last epoch have another number of partitions than wanted."""
        return self.last is not None and self.scale.partitions != self.wanted.partitions
