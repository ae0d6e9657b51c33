"""Computes the states of new views from what epochs hold, part by part, then change by change.

A part takes some rows of each state that is read, by the hash of their keys, and is a barrier of
the new states alone. So memory is bounded by the part, and it is known how far it is. What changed
in later epochs follows as one more barrier: all of it is told by the commits of what is read. No
epoch names the new states before they are complete. What a process that died has left of them goes
on at the next part, if that was noted (:mod:`journal`), and else is begun again.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.contract.barrier import BarrierRequest, SnapshotPart, Watermarks
from groundswell.contract.commits import Commits
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.errors import IllegalState
from groundswell.format.packs import FOLDER as PACKS
from groundswell.physical.builder import SCRATCH
from groundswell.physical.lower import Dataflow
from groundswell.physical.watermark import is_bounded
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.planning.unfilled import may_run_beside, parts_of
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.fills import BackfillKey, UnderWay, as_json
from groundswell.runtime.record.location import STATE, state_root
from groundswell.runtime.record.watermarks import message


@dataclass(frozen=True)
class BackfillPlan:
    """What is to be filled.

    Attributes:
        planned: the views, the new ones included.
        views: names of those to fill; an index has :data:`~.unfilled.INDEX` before its name, a
            table that is written again :data:`~.reshaping.TABLE`.
        snapshots: the states that are read.
        flow: what computes the new states.
        then: what runs when they are there.
        partitions: of every state.
        root: the pipeline's folder.
        generation: of the states.
        capture: the queries behind ``flow``; None: those that were planned.
    """

    planned: PlannedViews
    views: tuple[str, ...]
    snapshots: frozenset[str]
    flow: Dataflow
    then: Dataflow
    partitions: int
    root: str
    generation: int = 0
    capture: jvm.Capture | None = None

    @property
    def states(self) -> str:
        """What the folder of all states is in."""
        return state_root(self.root, self.generation)

    @property
    def new(self) -> frozenset[str]:
        """The states that are made."""
        return frozenset(s for s in self.flow.states if not s.startswith(SCRATCH))

    @property
    def key(self) -> BackfillKey:
        """What it computes, to know it again in another process."""
        return BackfillKey(
            tuple(sorted(self.views)),
            tuple(sorted(self.flow.states)),
            tuple(sorted(self.snapshots)),
            as_json(self.planned.pinned),
            self.partitions,
            self.generation,
        )

    def read(self, epoch: EpochManifest) -> Commits:
        """Of an epoch, the commits of what is read."""
        return {s: c for s, c in epoch.commits.items() if s in self.snapshots}

    def may_follow(self, epoch: EpochManifest) -> bool:
        """Whether it may take the rows of an epoch, and then what changed in later ones.

        Not so what depends on when rows came, or writes a state that the epoch has.
        """
        if not self.snapshots or self.new & epoch.commits.keys():
            return False
        return may_run_beside(self.flow.operators)

    def rows(self, epoch: EpochManifest) -> int:
        """How many rows of an epoch are read."""
        return sum(ref.rows for commits in self.read(epoch).values() for ref in commits)

    def is_like(self, other: BackfillPlan) -> bool:
        """Whether both make the same states of the same rows: states are named after plans."""
        return (
            self.new == other.new
            and self.snapshots == other.snapshots
            and self.partitions == other.partitions
            and self.generation == other.generation
        )


class Fill:
    """New states on their way.

    Attributes:
        plan: what is filled.
        at: the epoch that the new states are as of; None: not all rows are taken.
        done: how many parts are in the new states.
    """

    def __init__(
        self,
        spark: SparkSession,
        plan: BackfillPlan,
        check: Callable[[], None] = lambda: None,
        note: Callable[[Fill, EpochManifest], None] | None = None,
    ) -> None:
        """Begins nothing yet.

        Args:
            spark: the session.
            plan: what is to be filled.
            check: is called between the parts, and raises if the fill is to end.
            note: is called with the epoch whose rows are taken, before the first part and after
                each; None: nothing is noted.
        """
        self.plan = plan
        self.at: EpochManifest | None = None
        self._spark = spark
        self._check = check
        self._note = note
        self._commits: Commits = {}
        self.done = self._rows = self._parts = self._resumed = 0
        self._begun: float | None = None
        self._runner: jvm.Dataflow | None = None
        self._ready: tuple[DataflowSpec, jvm.Dataflow] | None = None

    def status(self) -> dict[str, Any]:
        """How far it is: ``percent`` of the rows, ``rows``, ``rowsPerSecond``.

        ``partsDone`` of ``parts`` are in the states; ``resumedAt`` of them were when this process
        went on.
        """
        share = self.done / self._parts if self._parts else 0.0
        seconds = time.monotonic() - self._begun if self._begun is not None else 0.0
        rows = round(share * self._rows)
        here = round(self.made / max(1, self._parts) * self._rows)
        return {
            "views": list(self.plan.views),
            "epoch": self.at.epoch if self.at is not None else None,
            "percent": round(100 * share),
            "rows": rows,
            "rowsPerSecond": round(here / seconds) if seconds else 0,
            "partsDone": self.done,
            "parts": self._parts,
            "resumedAt": self._resumed,
        }

    @property
    def made(self) -> int:
        """How many parts this process has made."""
        return self.done - self._resumed

    def resume(self, noted: UnderWay) -> None:
        """Has the parts that another process has made, so that :meth:`take` takes the rest.

        Args:
            noted: how far that was; of the same key, and its epoch is the one to take.
        """
        self._commits = dict(noted.commits)
        self._rows, self._parts = noted.rows, noted.parts
        self.done = self._resumed = noted.done

    def under_way(self, epoch: EpochManifest, lease: str, now: int) -> UnderWay:
        """How far it is, for a later process.

        Args:
            epoch: the one that it is at.
            lease: the id of the lease on that.
            now: the time, in milliseconds since 1970.
        """
        return UnderWay(
            self.plan.key,
            epoch.epoch,
            fingerprint(self.plan.read(epoch)),
            self.done,
            self._parts,
            self._rows,
            self._commits,
            lease,
            now,
        )

    def take(self, epoch: EpochManifest, tasks: int) -> None:
        """Takes all rows of an epoch, but for those of parts that are there.

        Args:
            epoch: whose; nobody may retire it meanwhile.
            tasks: how many a stage may have.
        """
        self._begun = time.monotonic()
        self._open(tasks)
        read = self.plan.read(epoch)
        if not self._parts:
            self._rows = self.plan.rows(epoch)
            self._parts = parts_of(self._rows)
        self._noted(epoch)
        for number in range(self.done, self._parts):
            self._check()
            self._run(epoch, read, SnapshotPart(number, self._parts))
            self.done = number + 1
            self._noted(epoch)
        self.at = epoch

    def follow(self, epoch: EpochManifest) -> None:
        """Takes what changed until a later epoch; nobody may have retired the one it is at."""
        assert self.at is not None
        before, now = self.plan.read(self.at), self.plan.read(epoch)
        if gone := before.keys() - now.keys():
            raise IllegalState(
                f"{', '.join(self.plan.views)} cannot be filled: epoch {epoch.epoch} has no "
                f"{', '.join(sorted(gone))} any more, which it reads; add it again"
            )
        if before != now:
            self._run(epoch, now, SnapshotPart(since=before))
        self.at = epoch

    def complete(self, last: EpochManifest, tasks: int) -> Commits:
        """The commits of the new states as of an epoch."""
        if self.at is None:
            self.take(last, tasks)
        elif self.at.epoch != last.epoch:
            self.follow(last)
        self._pass_watermarks(last)
        return {state: self._commits[state] for state in self._commits if state in self.plan.new}

    def _pass_watermarks(self, epoch: EpochManifest) -> None:
        """Gives away, and ends, what the watermarks of an epoch have passed, once all rows are in.

        A barrier does so only when a watermark moves, and that may never happen again.
        """
        times = epoch.event_times
        marks = {name: t["watermark"] for name, t in times.items() if "watermark" in t}
        if not marks or not any(map(is_bounded, self.plan.flow.operators)):
            return
        names = {source: table.name for source, table in self.plan.planned.tables.items()}
        read = self.plan.read(epoch)
        passed = message({}, marks, names, epoch.clock_micros)
        self._run(epoch, read, SnapshotPart(since=read), passed)

    def make_ready(self) -> None:
        """Compiles what runs when the new states are there, so that the switch need not wait."""
        plan = self.plan
        spec = plan.then.spec(plan.root, plan.partitions, self._folders(), states=plan.states)
        self._ready = spec, jvm.Dataflow(self.plan.planned.capture, spec)

    def ready(self, spec: DataflowSpec) -> jvm.Dataflow | None:
        """What was compiled of this very message; None: it was another one, or nothing."""
        made, self._ready = self._ready, None
        return made[1] if made is not None and made[0] == spec else None

    def close(self) -> None:
        """Lets go of what it holds; the states stay."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _noted(self, epoch: EpochManifest) -> None:
        if self._note is not None:
            self._note(self, epoch)

    def _open(self, tasks: int) -> None:
        plan = self.plan
        spec = plan.flow.spec(plan.root, plan.partitions, self._folders(), tasks, plan.states)
        self._runner = jvm.Dataflow(plan.capture or plan.planned.capture, spec)

    def _folders(self) -> list[str]:
        return begun_states(self._spark, self.plan.states)

    def _run(
        self,
        epoch: EpochManifest,
        read: Commits,
        part: SnapshotPart,
        marks: Watermarks | None = None,
    ) -> None:
        assert self._runner is not None
        marks = Watermarks(clock=epoch.clock_micros) if marks is None else marks
        base: Mapping[str, Any] = {**self._commits, **read}
        result = self._runner.run(BarrierRequest(epoch.epoch, base, marks, part=part), None)
        self._commits = {s: c for s, c in result.commits.items() if s not in self.plan.snapshots}


def fingerprint(commits: Commits) -> str:
    """Stands for commits: other ones have another."""
    told = {s: [(ref.version, ref.id) for ref in refs] for s, refs in commits.items()}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]


def begun_states(spark: SparkSession, root: str) -> list[str]:
    """The states that have a folder.

    Args:
        spark: any session.
        root: what the folder of all states is in.
    """
    return [name for name in jvm.folders(spark, f"{root}/{STATE}") if name != PACKS]
