"""Fills new views on a thread of its own, beside the barriers of the views that are there.

It takes the rows of one epoch, then what later epochs changed, until it is close behind. A lease
keeps the epoch that it is at from being retired. The rest is for the moment in which no barrier
runs: see :meth:`Fill.complete`. Where it is cut off, what it has stays for a while, and the same
fill goes on there: see :mod:`journal`.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from pyspark.sql import SparkSession

from groundswell.errors import EpochUnavailable, IllegalState
from groundswell.runtime.backfill.fill import BackfillPlan, Fill
from groundswell.runtime.backfill.journal import BackfillJournal, JournalSettings, is_hopeless
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS

POOL = "groundswell_fill"
"""Spark's scheduler pool of the jobs that fill; counts where ``spark.scheduler.mode`` is FAIR."""
NEAR = 1
"""So many epochs behind, the rest is left for the switch."""
ROUNDS = 20
"""So often it follows at most: where barriers are faster than it, it comes no nearer."""

TRIES = 20
"""So often it asks for a lease on the newest epoch."""

_log = logging.getLogger("groundswell")


class OnlineBackfill:
    """A fill that runs beside a query."""

    def __init__(self, spark: SparkSession, plan: BackfillPlan, journal: JournalSettings) -> None:
        """Begins nothing yet.

        Args:
            spark: the session.
            plan: what is to be filled.
            journal: the run that it fills for.
        """
        self._journal = BackfillJournal(plan, journal)
        self.fill = Fill(spark, plan, self._check, self._journal.note)
        self._spark = spark
        self._log = EpochLog(journal.home.child(EPOCHS))
        self._group = f"groundswell-fill-{id(self)}"
        self._tasks = max(1, spark.sparkContext.defaultParallelism // 2)
        self._cancelled: str | None = None
        self._unwanted = False
        self._failure: BaseException | None = None

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

    def cancel(self, why: str, unwanted: bool = False) -> None:
        """Ends it soon; :meth:`run` raises.

        Args:
            why: for the message.
            unwanted: whether nobody is to go on with it.
        """
        self._unwanted |= unwanted
        self._cancelled = why
        self._spark.sparkContext.cancelJobGroup(self._group)

    def close(self) -> None:
        """Lets go of what it holds, but for what a later fill can go on with."""
        self.fill.close()
        self._journal.close(self._unwanted or is_hopeless(self._failure, self.fill))

    def broken_off(self, why: str) -> IllegalState:
        """What is raised where it does not come to its end."""
        goes_on = ""
        if not self._unwanted and self._journal.noted and self.fill.done:
            goes_on = f", and it goes on at {self.status()['percent']} %"
        return IllegalState(
            f"{self.names} was being filled, and {why}: nothing was added; add it again if you "
            f"want it{goes_on}"
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
            self._journal.note(self.fill, newest)
            self._journal.take(newest)
            epoch, behind = newest, gap
        self.fill.make_ready()
        _log.info("%s: filled as of epoch %s", self.names, epoch.epoch)

    def _first(self) -> EpochManifest:
        """The epoch to take, leased; where barriers are short, the next one may let it go first."""
        if (noted := self._journal.resume(self.fill)) is not None:
            return noted
        for left in reversed(range(TRIES)):
            self._check()
            try:
                return self._journal.newest()
            except EpochUnavailable:
                if not left:
                    raise
        raise AssertionError(TRIES)
