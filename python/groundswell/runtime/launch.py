"""Starts a pipeline, in stages whose order keeps a crash harmless.

======================  ======================================================================
stage                   what is written on the way to it
======================  ======================================================================
a decision              nothing
:class:`Claimed`        the claim, and what it ends of the run before (:mod:`takeover`)
:class:`Settled`        Spark's logs, where they ran ahead, or name a folder of before
:class:`Filled`         columns of new views, for readers; states that no epoch names
:class:`Published`      the last epoch again, as this owner's, with these states; the definition
a run                   Spark's query begins
======================  ======================================================================

Each stage is made of the one before it. A process that dies at any of them leaves the pipeline
that was there, or the new one, once the epoch is published.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.durations import micros_of
from groundswell.plan.stream import Kind
from groundswell.runtime.backfill.fill import BackfillPlan, Fill, begun_states
from groundswell.runtime.backfill.journal import JournalSettings, fill_now, journal_settings
from groundswell.runtime.backfill.rescale import rescale, scale_to
from groundswell.runtime.backfill.unfinished import settle
from groundswell.runtime.barriers.deliveries import Deliveries, ViewFacts
from groundswell.runtime.decision import Decider, Decision
from groundswell.runtime.gc.fills import expire
from groundswell.runtime.gc.states import sweep
from groundswell.runtime.ownership.standby import Heartbeats
from groundswell.runtime.ownership.takeover import take_over
from groundswell.runtime.planning import graph
from groundswell.runtime.planning.unfilled import shown
from groundswell.runtime.reading.views import schema_json
from groundswell.runtime.record import checkpoints, definition, removal, table
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.fills import FILLS, Fills
from groundswell.runtime.record.location import (
    DEFINITION,
    EPOCHS,
    FOLDER,
    TABLES,
    Folder,
    state_root,
)
from groundswell.runtime.record.manifests import LOADED
from groundswell.runtime.record.relocation import SOURCES, relocate
from groundswell.runtime.record.replanned import replan
from groundswell.runtime.record.seen import Held, Seen
from groundswell.runtime.record.told import ToldViews, commits_kept, still_told
from groundswell.runtime.request import Request, Started
from groundswell.runtime.run import Run
from groundswell.runtime.transition import Transition, transition

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Claimed:
    """The location is this run's.

    Attributes:
        ownership: the claim.
        held: the location, as this run sees it.
        made: what was decided under the claim.
        deliveries: to the sinks; they are open.
    """

    ownership: jvm.Ownership
    held: Held
    made: Decision
    deliveries: Deliveries

    @property
    def home(self) -> Folder:
        """The pipeline's folder."""
        return self.held.child(FOLDER)


@dataclass(frozen=True)
class Settled(Claimed):
    """Spark's logs say what the run goes on from.

    Attributes:
        start: the last checkpoint.
    """

    start: checkpoints.Start


@dataclass(frozen=True)
class Filled(Settled):
    """The last epoch in ``made`` has all states that it needs; it is not published.

    Attributes:
        begun: names of the states that had files before.
        flow: the dataflow, if a rescale has compiled it.
        journal: of fills.
    """

    begun: Sequence[str]
    flow: jvm.Dataflow | None
    journal: JournalSettings


@dataclass(frozen=True)
class Published(Filled):
    """Readers see the pipeline as it is to be.

    Attributes:
        unfinished: whether there are fills that were cut off, and can go on.
    """

    unfinished: bool


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

    def check(self) -> BackfillPlan | None:
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

    def _plans(self, made: Decision) -> list[BackfillPlan]:
        """What is written before the first barrier, in order."""
        if made.last is None:
            return []
        home, plans = self._folder.location, list[BackfillPlan]()
        if made.shapes.reshapes:
            plans.append(self._decider.reshape_plan(made, home))
        if made.fill is not None:
            plans.append(self._decider.fill_plan(made, made.fill, home))
        return plans

    def _beside(self, made: Decision, plans: Sequence[BackfillPlan]) -> BackfillPlan | None:
        """Views that are to be filled from a table that is written again wait for the switch."""
        first = plans[0] if plans else None
        return first if first and made.last and first.may_follow(made.last) else None

    def start(
        self,
        name: str | None,
        trigger: Mapping[str, Any],
        fill: Fill | None = None,
        loaded: int | None = None,
        share: int = 1,
        anew: bool = False,
    ) -> Started:
        """Starts the streaming query; raises before anything is written if it cannot be.

        Args:
            name: of the query.
            trigger: as in Spark.
            fill: what was filled beside a run before this one; it was decided on then.
            loaded: the epoch that has all of a first load; None: none has, as far as is known.
            share: of what a barrier may take, see :func:`limit_of`.
            anew: whether the batch that was planned is taken back, and planned anew.
        """
        if fill is None:
            self._decider.decide(self._seen)
        ownership, beats = self._own(name)
        try:
            claimed = self._claim(ownership)
            try:
                settled = self._settle(claimed, anew)
                published = self._publish(self._fill(settled, fill, loaded))
                started = self._run(published, name, trigger, fill, share)
            except BaseException:
                claimed.deliveries.close()
                raise
        except BaseException:
            ownership.release()
            beats.end()
            raise
        beats.while_(lambda: bool(started.query.isActive))
        return started

    def _own(self, name: str | None) -> tuple[jvm.Ownership, Heartbeats]:
        """The claim, with signs of life from then on: a fill may take long."""
        slots = self._log.through(self._seen.child(FOLDER).child(EPOCHS)).slots()
        above = max((token for _, token in slots), default=0)
        ownership = jvm.Ownership(self._spark, self._request.location, name or "a pipeline", above)
        lease = self._request.options["ownerLease"]
        beats = Heartbeats(self._folder, ownership.token, micros_of(lease or "") // 1000)
        if lease:
            beats.begin()
        return ownership, beats

    def _claim(self, ownership: jvm.Ownership) -> Claimed:
        """Ends the run before, and decides again: that one may have published until now."""
        held = Held(self._root)  # from here on only this run counts
        take_over(held.child(FOLDER), ownership, self._log)
        made = self._decider.decide(held)
        deliveries = self._deliveries(held.child(FOLDER), made, ownership)
        deliveries.open(made.last)
        return Claimed(ownership, held, made, deliveries)

    def _settle(self, claimed: Claimed, anew: bool) -> Settled:
        """Has Spark's logs tell what this run goes on from."""
        held, last = claimed.held, claimed.made.last
        self._relocate(held)
        every = self._request.options["checkpointEvery"]
        newest = last.epoch if last else None
        start = checkpoints.settle(held, claimed.home, newest, every, claimed.ownership)
        if anew and not replan(held, -1 if newest is None else newest, claimed.ownership):
            _log.warning("%s: a source of files cannot give fewer of them", self._request.location)
        return Settled(**vars(claimed), start=start)

    def _fill(self, settled: Settled, ready: Fill | None, loaded: int | None) -> Filled:
        """Writes the states that the last epoch lacks; no epoch names them yet."""
        made, root, hit = settled.made, self._folder.location, jvm.fail_points(self._spark)
        begun = begun_states(self._spark, state_root(root, made.scale.generation))
        journal = journal_settings(
            self._folder, lambda: settled.ownership.token, self._request.options
        )
        first, scale, flow = made.last, made.scale, None
        if first is None:
            return Filled(**vars(settled), begun=begun, flow=None, journal=journal)
        if made.rescales:
            scale, begun = scale_to(self._spark, root, scale, made.wanted.partitions), []
            states = state_root(root, scale.generation)
            spec = made.dataflow.spec(root, scale.partitions, states=states)
            done = rescale(self._request.planned, spec, root, first, scale)
            first, flow = done.epoch, done.flow
            hit("rescale.before-publish")
        plans, shows = self._plans(made), shown(first.views, made.dataflow.views, first.commits)
        if made.owner is not None and (plans or shows):  # so that readers can decode new states
            told = replace(made.owner, layouts=made.wanted.layouts)
            definition.store(settled.home, told, settled.ownership.token)
        for plan in plans:
            first = self._filled(plan, first, ready, journal)
        if made.shapes.reshapes:
            hit("reshape.before-publish")
        if first.loads and first.epoch == loaded:
            first = replace(first, loaded=LOADED)
        new = shown(first.views, made.dataflow.views, first.commits)
        first = replace(first, views={**first.views, **new})
        given = {**vars(settled), "made": replace(made, last=first, scale=scale)}
        return Filled(**given, begun=begun, flow=flow, journal=journal)

    def _publish(self, filled: Filled) -> Published:
        """Makes the last epoch this run's, with the states that it got; then the definition."""
        made, home, token = filled.made, filled.home, filled.ownership.token
        hit = jvm.fail_points(self._spark)
        if made.last is not None:
            EpochLog(home.child(EPOCHS), filled.ownership).publish(made.last)
        if filled.flow is not None:
            hit("rescale.after-publish")
        if made.shapes.reshapes:
            hit("reshape.after-publish")
        filled.deliveries.note()
        sinks = {*made.wanted.sinks, *filled.deliveries.names}
        revision = self._request.catalog.revision
        definition.store(home, replace(made.wanted, sinks=sinks, revision=revision), token)
        removal.owned(home, DEFINITION, token)
        for name, each in self._request.catalog.tables.items():
            if each.spec is not None and not each.noted:
                table.store(home.child(TABLES).child(name), each.spec)
        self._draw(home, made, token)
        return Published(**vars(filled), unfinished=self._clean(filled))

    def _clean(self, filled: Filled) -> bool:
        """Removes states that no epoch has; whether there are fills that can go on."""
        made, home, root = filled.made, filled.home, self._folder.location
        folders, check = jvm.folders(self._spark, root), filled.ownership.check
        still = commits_kept(self._request.catalog.suspended, filled.deliveries.told)
        there = made.last.commits if made.last is not None else {}
        unfinished: Fills = ()
        if FILLS in folders or made.fill is not None or made.shapes.reshapes:
            unfinished = settle(filled.journal, there, made.scale, self._request.catalog.dropped)
        unused = {*filled.begun} - {*made.dataflow.states} - still.keys()
        unused -= {state for each in unfinished for state in each.key.states}
        log, now = self._log.through(home.child(EPOCHS)), made.scale.generation
        sweep(self._spark, root, folders, log, now, unused, still, check)
        return bool(unfinished)

    def _run(
        self,
        published: Published,
        name: str | None,
        trigger: Mapping[str, Any],
        fill: Fill | None,
        share: int,
    ) -> Started:
        token, ownership = published.ownership.token, published.ownership
        every = self._request.options["checkpointEvery"]
        run = Run(
            self._spark,
            self._request,
            self._root,
            self._log,
            published.made,
            ownership,
            published.deliveries,
            checkpoints.Checkpoints(self._folder, every, token, published.start),
            published.begun,
            partial(expire, self._spark, published.journal, ownership.check),
            fill,
            published.flow,
            share,
        )
        return replace(run.start(name, trigger), unfinished=published.unfinished)

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
        drawn = graph.graph_of(made.dataflow.operators, since, sinks)
        before = graph.load(home)
        if before is not None and before.operators == drawn.operators:
            drawn = replace(drawn, since=before.since)  # the counters go on, over restarts
        graph.store(home, drawn, token)

    def _filled(
        self,
        plan: BackfillPlan,
        last: EpochManifest,
        ready: Fill | None,
        journal: JournalSettings,
    ) -> EpochManifest:
        """The last epoch, with the states that it did not have."""
        tasks = self._spark.sparkContext.defaultParallelism
        if ready is not None and ready.plan.is_like(plan):
            try:
                new = ready.complete(last, tasks)
            finally:
                ready.close()
        else:
            new = fill_now(self._spark, plan, last, tasks, journal)
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
            self._request.functions,
            partial(self._told, made),
        )

    def _told(self, made: Decision, known: ToldViews) -> ToldViews:
        """What sinks and functions were last told of views that stood still, or begin to."""
        catalog, owner = self._request.catalog, made.owner
        stood = {} if owner is None else catalog.located(owner.aside).suspended
        return still_told(
            known, stood, catalog.suspended, self._request.changelogs, catalog.sinks_of.keys()
        )
