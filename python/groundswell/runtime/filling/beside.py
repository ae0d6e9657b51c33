"""Fills new views on a thread of its own, beside the barriers of the views that are there.

It takes the rows of one epoch, then what later epochs changed, until it is close behind. A lease
keeps the epoch that it is at from being retired. The rest is for the moment in which no barrier
runs: see :meth:`Fill.complete`.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.errors import EpochUnavailable, IllegalState
from groundswell.runtime.filling.fill import Fill, FillPlan
from groundswell.runtime.ownership.leases import WHOLE, Lease, leased
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, FOLDER

POOL = "groundswell_fill"
"""Spark's scheduler pool of the jobs that fill; counts where ``spark.scheduler.mode`` is FAIR."""
NEAR = 1
"""So many epochs behind, the rest is left for the switch."""
ROUNDS = 20
"""So often it follows at most: where barriers are faster than it, it comes no nearer."""

TRIES = 20
"""So often it asks for a lease on the newest epoch."""

_log = logging.getLogger("groundswell")


class BesideFill:
    """A fill that runs beside a query."""

    def __init__(self, spark: SparkSession, location: str, plan: FillPlan) -> None:
        """Begins nothing yet.

        Args:
            spark: the session.
            location: the pipeline's checkpointLocation.
            plan: what is to be filled.
        """
        self.fill = Fill(spark, plan, self._check)
        self._spark = spark
        self._home = jvm.JvmFolder.open(spark, location).child(FOLDER)
        self._log = EpochLog(self._home.child(EPOCHS))
        self._group = f"groundswell-fill-{id(self)}"
        self._tasks = max(1, spark.sparkContext.defaultParallelism // 2)
        self._cancelled: str | None = None
        self._failure: BaseException | None = None
        self._lease: Lease | None = None

    @property
    def names(self) -> str:
        """What is filled, for messages."""
        return ", ".join(self.fill.plan.views)

    def fills(self, view: str) -> bool:
        """Whether it fills a view."""
        return view in self.fill.plan.views

    def status(self) -> dict[str, Any]:
        """How far it is, see :meth:`Fill.status`."""
        return self.fill.status()

    def run(self) -> None:
        """Returns when it is close behind the newest epoch.

        Raises:
            RowFailed, OperatorFailed: a view cannot be computed.
            IllegalState: it was cancelled.
        """
        thread = threading.Thread(target=self._work, name="groundswell-fill", daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self.cancel("the call was interrupted")
            raise
        if self._cancelled is not None:
            raise self.broken_off(self._cancelled) from self._failure
        if self._failure is not None:
            raise self._failure

    def cancel(self, why: str) -> None:
        """Ends it soon; :meth:`run` raises."""
        self._cancelled = why
        self._spark.sparkContext.cancelJobGroup(self._group)

    def close(self) -> None:
        """Lets go of what it holds."""
        self.fill.close()
        self._hold(None)

    def broken_off(self, why: str) -> IllegalState:
        """What is raised where it does not come to its end."""
        return IllegalState(
            f"{self.names} was being filled, and {why}: nothing was added; add it again if you "
            "want it"
        )

    def _check(self) -> None:
        if self._cancelled is not None:
            raise self.broken_off(self._cancelled)

    def __str__(self) -> str:
        told = self.status()
        return f"filling {self.names}: {told['percent']} %, {told['rowsPerSecond']:,} rows/s"

    def _work(self) -> None:
        context = self._spark.sparkContext
        try:  # these hold for the jobs of this thread
            context.setLocalProperty("spark.scheduler.pool", POOL)
            context.setJobGroup(self._group, f"filling {self.names}")
            self._run()
        except BaseException as e:  # noqa: BLE001 - raised where it is waited for
            self._failure = e

    def _run(self) -> None:
        epoch = self._first()
        self.fill.take(epoch, self._tasks)
        behind = None
        for _ in range(ROUNDS):
            self._check()
            newest = self._log.newest()
            gap = newest.epoch - epoch.epoch
            if gap <= NEAR or (behind is not None and gap >= behind):
                break
            self.fill.follow(newest)
            self._hold(self._leased(self._home, newest.epoch))
            epoch, behind = newest, gap
        self.fill.make_ready()
        _log.info("%s: filled as of epoch %s", self.names, epoch.epoch)

    def _first(self) -> EpochManifest:
        """The newest epoch, leased; where barriers are short, the next one may let it go first."""
        for left in reversed(range(TRIES)):
            self._check()
            try:
                epoch, lease = leased(self._epoch, self._home, None, self._leased)
            except EpochUnavailable:
                if not left:
                    raise
            else:
                self._hold(lease)
                return epoch
        raise AssertionError(TRIES)

    def _epoch(self, epoch: int | None) -> EpochManifest:
        return self._log.newest() if epoch is None else self._log.get(epoch)

    def _leased(self, home: Any, epoch: int) -> Lease:
        return Lease(home, epoch, WHOLE).__enter__()

    def _hold(self, lease: Lease | None) -> None:
        before, self._lease = self._lease, lease
        if before is not None:
            before.end()
