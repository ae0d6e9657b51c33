"""Starts a pipeline: decides, claims the location, fills what is new, and lets it run.

The order of writes keeps a crash harmless: the claim (:mod:`takeover`); the columns of new views,
so that readers can decode them; the last epoch again, as this owner's, with the states of the views
that were filled; then the definition. Only states that no published epoch names are written before.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.durations import micros_of
from groundswell.plan.stream import Kind
from groundswell.runtime.barriers.deliveries import Deliveries, ViewFacts
from groundswell.runtime.decision import Decider, Decision
from groundswell.runtime.filling.fill import Fill, FillPlan, begun_states
from groundswell.runtime.filling.journal import Keeper, fill_now, keeper_of
from groundswell.runtime.filling.rescale import rescale, scale_to
from groundswell.runtime.filling.unfinished import settle
from groundswell.runtime.gc.fills import expire
from groundswell.runtime.gc.states import sweep
from groundswell.runtime.ownership.standby import Beats
from groundswell.runtime.ownership.takeover import take_over
from groundswell.runtime.planning import graph
from groundswell.runtime.planning.unfilled import shown
from groundswell.runtime.reading.views import schema_json
from groundswell.runtime.record import checkpoints, definition, table
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
from groundswell.runtime.record.manifests import LOADED
from groundswell.runtime.record.relocation import SOURCES, relocate
from groundswell.runtime.record.seen import Held, Seen
from groundswell.runtime.request import Request, Started
from groundswell.runtime.run import Run
from groundswell.runtime.transition import Transition, transition

_log = logging.getLogger(__name__)


class Launch:
    """One start: :meth:`check` writes nothing, :meth:`start` does."""

    def __init__(self, spark: SparkSession, request: Request, seen: Seen | None = None) -> None:
        self._spark = spark
        self._request = request
        self._root = jvm.JvmFolder.open(spark, request.location)
        self._folder = self._root.child(FOLDER)
        self._log = EpochLog(self._folder.child(EPOCHS))
        self._seen = seen or Seen(self._root)
        self._decider = Decider(spark, request, self._root.location, self._log)

    def check(self) -> FillPlan | None:
        """Raises what start would refuse; gives what may be filled beside the running barriers."""
        made = self._decider.decide(self._seen)
        return self._beside(made, self._plans(made))

    def transition(self) -> Transition:
        """What start would make of the states that are there, and of those that are to be."""
        made = self._decider.decide(self._seen)
        plans = self._plans(made)
        beside = self._beside(made, plans) is not None and len(plans) == 1
        before = graph.load(self._seen.child(FOLDER))
        return transition(self._root.location, made, plans, beside, before)

    def _plans(self, made: Decision) -> list[FillPlan]:
        """What is written before the first barrier, in order."""
        if made.last is None:
            return []
        home, plans = self._folder.location, list[FillPlan]()
        if made.shapes.reshapes:
            plans.append(self._decider.reshape_plan(made, home))
        if made.fill is not None:
            plans.append(self._decider.fill_plan(made, made.fill, home))
        return plans

    def _beside(self, made: Decision, plans: Sequence[FillPlan]) -> FillPlan | None:
        """Views that are to be filled from a table that is written again wait for the switch."""
        first = plans[0] if plans else None
        return first if first and made.last and first.may_follow(made.last) else None

    def start(
        self,
        name: str | None,
        trigger: Mapping[str, Any],
        fill: Fill | None = None,
        loaded: int | None = None,
    ) -> Started:
        """Starts the streaming query; raises before anything is written if it cannot be.

        Args:
            name: of the query.
            trigger: as in Spark.
            fill: what was filled beside a run before this one; it was decided on then.
            loaded: the epoch that has all of a first load; None: none has, as far as is known.
        """
        if fill is None:
            self._decider.decide(self._seen)
        slots = self._log.through(self._seen.child(FOLDER).child(EPOCHS)).slots()
        above = max((token for _, token in slots), default=0)
        ownership = jvm.Ownership(self._spark, self._request.location, name or "a pipeline", above)
        beats = self._beats(ownership)
        try:
            root = Held(self._root)  # from here on only this run counts
            take_over(root.child(FOLDER), ownership, self._log)
            # Again: another run may have published until now.
            made = self._decider.decide(root)
            deliveries = self._deliveries(root.child(FOLDER), made, ownership)
            deliveries.open(made.last)
            try:
                started = self._begin(
                    root, made, deliveries, ownership, name, trigger, fill, loaded
                )
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
        made: Decision,
        deliveries: Deliveries,
        ownership: jvm.Ownership,
        name: str | None,
        trigger: Mapping[str, Any],
        fill: Fill | None,
        loaded: int | None,
    ) -> Started:
        newest = made.last.epoch if made.last else None
        every = self._request.options["checkpointEvery"]
        root, home, scale = self._folder.location, held.child(FOLDER), made.scale
        folders = jvm.folders(self._spark, root)
        begun = begun_states(self._spark, state_root(root, scale.generation))
        flow: jvm.Dataflow | None = None
        keeper = keeper_of(self._folder, lambda: ownership.token, self._request.options)
        hit = jvm.fail_points(self._spark)
        self._relocate(held)
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
            reshaped = bool(made.shapes.reshapes)
            shows = shown(first.views, made.dataflow.views, first.commits)
            if made.fill is not None or reshaped or shows:
                told = replace(made.owner, layouts=made.wanted.layouts)
                definition.store(home, told, ownership.token)
            if reshaped:
                plan = self._decider.reshape_plan(made, root)
                first = self._filled(plan, first, fill, keeper)
                hit("reshape.before-publish")
            if made.fill is not None:
                plan = self._decider.fill_plan(made, made.fill, root)
                first = self._filled(plan, first, fill, keeper)
            if first.loads and first.epoch == loaded:
                first = replace(first, loaded=LOADED)
            new = shown(first.views, made.dataflow.views, first.commits)
            first = replace(first, views={**first.views, **new})
            EpochLog(home.child(EPOCHS), ownership).publish(first)
            if made.rescales:
                hit("rescale.after-publish")
            if reshaped:
                hit("reshape.after-publish")
            made = replace(made, last=first, scale=scale)
        deliveries.note()
        revision = self._request.catalog.revision
        sinks = {*made.wanted.sinks, *deliveries.names}
        wanted = replace(made.wanted, sinks=sinks, revision=revision)
        definition.store(home, wanted, ownership.token)
        remove_owned(home, DEFINITION, ownership.token)
        for name, each in self._request.catalog.tables.items():
            if each.spec is not None and not each.noted:
                table.store(home.child(table.TABLES).child(name), each.spec)
        self._draw(home, made, ownership.token)
        still = {a.state: a.commits for a in self._request.catalog.suspended.values() if a.state}
        there = made.last.commits if made.last is not None else {}
        filled = FILLS in folders or made.fill is not None or bool(made.shapes.reshapes)
        unfinished = settle(keeper, there, scale, self._request.catalog.dropped) if filled else ()
        unused = set(begun) - set(made.dataflow.states) - still.keys()
        unused -= {state for each in unfinished for state in each.key.states}
        log = self._log.through(home.child(EPOCHS))
        sweep(self._spark, root, folders, log, scale.generation, unused, still, ownership.check)
        marks = checkpoints.Checkpoints(self._folder, every, ownership.token, start)
        clean = partial(expire, self._spark, keeper, ownership.check)
        run = Run(
            self._spark,
            self._request,
            self._root,
            self._log,
            made,
            ownership,
            deliveries,
            marks,
            begun,
            clean,
            fill,
            flow,
        )
        return replace(run.start(name, trigger), unfinished=bool(unfinished))

    def _relocate(self, held: Folder) -> None:
        """A location that was moved or copied names its tables' files where they were before."""
        location = self._request.location
        if location.startswith("file:"):
            tree = jvm.JvmTree(self._spark, location)
            sources = tree.child(SOURCES).folders()
            if sources and (moved := relocate(held, sources, tree.uri())):
                _log.warning("%s was moved: the logs of %s follow", location, ", ".join(moved))

    def _draw(self, home: Folder, made: Decision, token: int) -> None:
        """Says for people what the operators are, and where changes go."""
        since = 0 if made.last is None else made.last.epoch + 1
        sinks = {view: {"view": view, "format": "foreachBatch"} for view in self._request.functions}
        sinks |= {s.name: {"view": s.view, "format": s.format} for s in self._request.sinks}
        graph.store(home, graph.graph_of(made.dataflow.operators, since, sinks), token)

    def _filled(
        self,
        plan: FillPlan,
        last: EpochManifest,
        ready: Fill | None,
        keeper: Keeper,
    ) -> EpochManifest:
        """The last epoch, with the states that it did not have."""
        tasks = self._spark.sparkContext.defaultParallelism
        if ready is not None and ready.plan.is_like(plan):
            try:
                new = ready.complete(last, tasks)
            finally:
                ready.close()
        else:
            new = fill_now(self._spark, plan, last, tasks, keeper)
        return replace(last, commits={**last.commits, **new})

    def _deliveries(self, home: Folder, made: Decision, ownership: jvm.Ownership) -> Deliveries:
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
            self._request.sinks,
            facts,
            ownership.token,
            self._request.options["retainEpochs"],
            made.owner.sinks if made.owner is not None else (),
        )
