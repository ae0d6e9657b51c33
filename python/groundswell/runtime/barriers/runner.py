"""The JVM's side of a pipeline, as the barriers and the sinks of a pipeline want it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.contract.barrier import BarrierProgress, BarrierRequest, BarrierResult
from groundswell.contract.commits import Commits, PendingCommits, RetireRequest, StateCommits
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.runtime.backfill.generations import first_of
from groundswell.runtime.barriers.merging import Merged
from groundswell.runtime.barriers.refreshing import Refreshing
from groundswell.runtime.gc.retention import needed
from groundswell.runtime.gc.states import Sweeper
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.reading.views import schema_json
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import STATE, state_root
from groundswell.sinks.changes import Changes


class JvmRunner:
    """Runs barriers, and reads what they left."""

    def __init__(
        self,
        spark: SparkSession,
        planned: PlannedViews,
        dataflow: DataflowSpec,
        root: str,
        layouts: Mapping[str, Any],
        log: EpochLog,
        ownership: jvm.Ownership,
        still: Callable[[], Commits],
        compiled: jvm.Dataflow | None = None,
        generation: int = 0,
        policies: Mapping[str, str] = MappingProxyType({}),
        record: Mapping[str, Any] = MappingProxyType({}),
        merged: Merged | None = None,
    ) -> None:
        self._merged = merged
        self._generation = generation
        self._first: EpochManifest | None = None  # of this generation, if an older one is kept
        self._sweeper = Sweeper(spark, root, ownership) if generation else None
        self._still = still
        self._log = log
        self._ownership = ownership
        self._views = {
            op.state: str(op.id) for op in dataflow.operators if isinstance(op, MaterializeSpec)
        }
        self._spark = spark
        self._root = root
        self._layouts = layouts
        self._hit = jvm.fail_points(spark)
        self._flow = Refreshing(
            planned.capture, dataflow, policies, planned.source_types, record, compiled, self._hit
        )

    def run(self, request: BarrierRequest, batch: Any) -> BarrierResult:
        """Computes a barrier; see :class:`~groundswell.runtime.barriers.barrier.Runner`."""
        if self._merged is None:
            return self._flow.run(request, batch)
        told = replace(request, merged=self._merged.due(), merged_elsewhere=True)
        result = self._flow.run(told, batch)
        self._merged.ran(request.base, result.commits)
        return result

    def progress(self) -> BarrierProgress | None:
        """How far the barrier is that another thread runs; None: none runs."""
        return self._flow.main.progress()

    def chosen(self) -> Mapping[str, Any]:
        """Of the last barrier: what its epoch's record says of policies."""
        return self._flow.chosen

    def persist(self, commits: PendingCommits) -> None:
        """Makes commits durable."""
        self._flow.main.persist(commits)

    def forget(self, commits: PendingCommits) -> None:
        """Gives up commits that are not durable."""
        self._flow.main.forget(commits)

    def write(self, waiting: Sequence[int]) -> None:
        """Makes durable what barriers have left in memory."""
        self._flow.main.write(waiting)

    def give_up(self, waiting: Sequence[int]) -> None:
        """Gives up what barriers have left in memory."""
        self._flow.main.give_up(waiting)

    def changelog(self, view: str, manifest: EpochManifest) -> Changes:
        """What the newest epoch changed; free if it changed nothing."""
        totals = manifest.operators.get(self._views[manifest.views[view]])
        return Changes(self._changes(view, manifest), totals.rows_out if totals else None)

    def find(self, epoch: int) -> EpochManifest | None:
        """The manifest of an epoch, or None."""
        return self._log.find(epoch)

    def changes(self, view: str, manifest: EpochManifest) -> Changes:
        """What an epoch changed in a view."""
        return Changes(self._changes(view, manifest))

    def _changes(self, view: str, manifest: EpochManifest) -> DataFrame:
        return jvm.view_changes(*self._place(manifest.views[view], manifest), manifest.epoch)

    def rows(self, state: str, manifest: EpochManifest) -> DataFrame:
        """The rows of a view's state as it was after an epoch."""
        return jvm.view_rows(*self._place(state, manifest))

    def _place(self, state: str, manifest: EpochManifest) -> tuple[SparkSession, StateCommits, str]:
        return (
            self._spark,
            StateCommits(
                f"{state_root(self._root, manifest.generation)}/{STATE}/{state}",
                manifest.commits[state],
            ),
            schema_json(self._layouts[state]),
        )

    def retire(
        self, epoch: int, newest: Commits, oldest: EpochManifest, whole: int, base: Commits
    ) -> None:
        """Begins to delete state files that nobody needs, while this run has the location.

        Of states before a rescale nothing is deleted while an epoch that stands on them is kept,
        and then all of it. Of a view that stood still the rows of then stay as long as they have to
        be told: under the name of its state others may be by now.
        """
        still = self._still()
        before = {state: each for state, each in still.items() if state in newest}
        kept: Commits = {**still, **newest}
        if oldest.generation != self._generation:
            if self._first is None:
                self._first = first_of(self._log, self._generation, self._log.epochs())
            oldest = self._first
            if whole < oldest.epoch:
                whole, base = oldest.epoch, oldest.commits
        elif self._sweeper is not None:
            self._sweeper.begin(oldest, replace(oldest, commits={**kept, **before}))
        if self._merged is not None:
            self._merged.retained(oldest.commits)
        first: Commits = {**oldest.commits, **before}
        required = needed(first, base, self._layouts)
        request = RetireRequest(epoch, first, required, kept, oldest.epoch, whole)
        self._flow.main.retire(request, self._ownership)

    def fail_point(self, name: str) -> None:
        """Dies here if a test armed this point."""
        self._hit(name)

    def close(self) -> None:
        """Lets go of the dataflow."""
        if self._sweeper is not None:
            self._sweeper.finish()
        self._flow.close()
