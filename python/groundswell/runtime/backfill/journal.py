"""Where a fill goes on, what it notes, and the lease on the epoch that it is at.

A fill of several parts is noted before the first part and after each. Its lease lasts longer than
the process then, so a later run finds the epoch, and takes the parts that are left. A fill of one
part is not noted: it begins again.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import SparkSession

from groundswell.contract.commits import Commits
from groundswell.durations import micros_of
from groundswell.errors import EpochUnavailable, Fenced, RowFailed, ViewError
from groundswell.marks import Mark
from groundswell.runtime.backfill.fill import BackfillPlan, Fill, fingerprint
from groundswell.runtime.ownership.leases import (
    SECONDS,
    WHOLE,
    Clock,
    Lease,
    leased,
    now_millis,
    release,
)
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.fills import (
    BackfillKey,
    BackfillLog,
    Fills,
    UnderWay,
    with_fill,
    without,
)
from groundswell.runtime.record.location import EPOCHS, Folder

at_work: dict[str, frozenset[str]] = {}
"""By the id of its lease, of each noted fill that this process is at: the states that it writes."""
_log = logging.getLogger("groundswell")


@dataclass(frozen=True)
class JournalSettings:
    """Who writes the journal of backfills, and how long one that was cut off can be resumed.

    Attributes:
        home: the pipeline's folder in the checkpointLocation.
        token: tells the number of the run that has the location.
        seconds: how long a fill that was cut off keeps its epoch.
        clock: tells the time.
    """

    home: Folder
    token: Callable[[], int]
    seconds: float
    clock: Clock = now_millis


def journal_settings(
    home: Folder, token: Callable[[], int], options: Mapping[str, Any]
) -> JournalSettings:
    """The settings that a pipeline's options give."""
    return JournalSettings(home, token, micros_of(options["fillLease"]) / 1_000_000)


def hindrance(noted: BackfillKey, wanted: BackfillKey) -> str | None:
    """Why a fill cannot go on where another one was cut off; None: it can.

    Args:
        noted: what was computed.
        wanted: what is to be computed.
    """
    if noted.views != wanted.views:
        before, now = ", ".join(noted.views), ", ".join(wanted.views)
        return f"{before} was filled in one change, and now that is {now}"
    if moved := other_states(noted, wanted.partitions, wanted.generation):
        return moved
    if (noted.states, noted.snapshots) != (wanted.states, wanted.snapshots):
        return "its query is another one now, or what it reads"
    if noted.pinned != wanted.pinned:
        return f"it was computed with the settings {noted.pinned}, and they are {wanted.pinned} now"
    return None


def is_hopeless(failure: BaseException | None, fill: Fill) -> bool:
    """Whether nobody is to go on with a fill that ended early: nothing is there, or it fails again.

    A row that failed in a part is a row of that epoch for ever. Where another operator failed, a
    part may come to its end the next time, but for the first one after what is there: that may be
    damaged. What came later than the epoch may go again.

    Args:
        failure: what ended it; None: it did not fail.
        fill: how far it is.
    """
    if fill.at is not None:
        return False
    if not fill.done:
        return True
    return isinstance(failure, RowFailed) or (isinstance(failure, ViewError) and not fill.made)


def other_states(noted: BackfillKey, partitions: int, generation: int) -> str | None:
    """Why a fill's states cannot be states of a pipeline any more; None: they can.

    Args:
        noted: what the fill computes.
        partitions: of every state of the pipeline.
        generation: of its states.
    """
    if noted.partitions != partitions:
        return f"states have {partitions} partitions now, and had {noted.partitions}"
    if noted.generation != generation:
        return "its states were given other partitions since"
    return None


class BackfillJournal:
    """What is noted of one fill.

    Args:
        plan: what it fills.
        journal: who notes it.

    Attributes:
        noted: whether it was noted, so that a later run can go on with it.
    """

    def __init__(self, plan: BackfillPlan, journal: JournalSettings) -> None:
        self._plan = plan
        self._journal = journal
        self._log = BackfillLog(journal.home)
        self._epochs = EpochLog(journal.home.child(EPOCHS))
        self._id = uuid.uuid4().hex
        self._lease: Lease | None = None
        self.noted = False

    def resume(self, fill: Fill) -> EpochManifest | None:
        """Has a fill go on where one of the same key was cut off.

        What was begun of its views and cannot go on is given up, with a line in the log.

        Returns:
            The epoch that it is at, with a lease on it; None: it begins anew.

        Raises:
            Fenced: a later run has the location.
        """
        key, found = self._plan.key, None
        for noted in self._log.read():
            if not {*noted.key.views} & {*key.views}:
                continue
            try:
                why = hindrance(noted.key, key)
                if why is None and found is None:
                    found = self._adopted(noted, fill)
                    continue
            except EpochUnavailable:
                Mark.FILL_OF_A_GONE_EPOCH.hit()
                why = f"epoch {noted.epoch} is not kept any more"
            give_up(self._journal, self._log, noted, why or "it was begun twice")
        return found

    def _adopted(self, noted: UnderWay, fill: Fill) -> EpochManifest:
        take = self._leased(noted.lease)
        epoch, lease = leased(self._epoch, self._journal.home, noted.epoch, take)
        now = replace(noted, noted_millis=self._journal.clock())

        def taken(fills: Fills) -> Fills:
            return with_fill(fills, now) if noted in fills else fills

        try:
            if fingerprint(self._plan.read(epoch)) != noted.read:
                raise EpochUnavailable(f"epoch {noted.epoch} is another one than it was")
            if now not in self._log.change(self._journal.token(), taken):
                raise EpochUnavailable(f"what was filled of {noted.names} is being removed")
        except BaseException:
            lease.end()
            raise
        self._id, self.noted = noted.lease, True
        at_work[self._id] = frozenset(noted.key.states)
        self._hold(lease)
        Mark.FILL_GOES_ON.hit()
        fill.resume(noted)
        _log.warning(
            "the fill of %s goes on after %s, as of epoch %s",
            noted.names,
            noted.how_far,
            noted.epoch,
        )
        return epoch

    def newest(self) -> EpochManifest:
        """The newest epoch, with a lease on it.

        Raises:
            EpochUnavailable: it was retired meanwhile, or there is none.
        """
        epoch, lease = leased(self._epoch, self._journal.home, None, self._leased(self._id))
        self._hold(lease)
        return epoch

    def take(self, epoch: EpochManifest) -> None:
        """Takes a lease on an epoch, in the place of the one before.

        Raises:
            EpochUnavailable: the owner has retired the epoch, or is about to.
        """
        self._hold(self._leased(self._id)(self._journal.home, epoch.epoch))

    def note(self, fill: Fill, epoch: EpochManifest) -> None:
        """Notes how far a fill of several parts is.

        Args:
            fill: the fill.
            epoch: that it takes, or that it has followed to.

        Raises:
            Fenced: a later run has the location.
        """
        now = fill.under_way(epoch, self._id, self._journal.clock())
        if now.parts == 1 and not self.noted:
            return
        self._log.change(self._journal.token(), lambda fills: with_fill(fills, now))
        if not self.noted:
            self.noted = True
            at_work[self._id] = frozenset(now.key.states)
            self.take(epoch)  # for longer than this process

    def close(self, give_up: bool) -> None:
        """Lets go of the epoch, unless a later run can go on with the fill.

        Args:
            give_up: whether nobody is to go on with it.
        """
        at_work.pop(self._id, None)
        lease, self._lease = self._lease, None
        if give_up and self.noted:
            with suppress(Fenced):  # then it is the later run's
                self._log.change(self._journal.token(), lambda fills: without(fills, self._id))
        if lease is None:
            return
        if self.noted and any(each.lease == self._id for each in self._log.read()):
            lease.leave()
            return
        lease.end()
        if self.noted:
            release(self._journal.home, self._id)

    def _hold(self, lease: Lease) -> None:
        before, self._lease = self._lease, lease
        if before is not None:
            before.end()
        if self.noted:
            release(self._journal.home, self._id, lease)

    def _epoch(self, epoch: int | None) -> EpochManifest:
        return self._epochs.newest() if epoch is None else self._epochs.get(epoch)

    def _leased(self, id: str) -> Callable[[Folder, int], Lease]:  # noqa: A002
        seconds = self._journal.seconds if self.noted or id != self._id else SECONDS
        clock = self._journal.clock
        return lambda home, epoch: Lease(home, epoch, WHOLE, seconds, clock, id).__enter__()


def give_up(journal: JournalSettings, log: BackfillLog, fill: UnderWay, why: str) -> bool:
    """Forgets what was filled, and lets its epoch go; the states are not deleted.

    Args:
        journal: who says so.
        log: where it is noted.
        fill: as it was read.
        why: for the line in the log.

    Returns:
        False: it went on meanwhile, and nothing was given up.

    Raises:
        Fenced: a later run has the location.
    """
    gone = False

    def edit(fills: Fills) -> Fills:
        nonlocal gone
        gone = fill in fills
        return without(fills, fill.lease) if gone else fills

    log.change(journal.token(), edit)
    Mark.FILL_WENT_ON_MEANWHILE.hit_if(not gone)
    if gone:
        release(journal.home, fill.lease)
        _log.warning("what was filled of %s, %s, is given up: %s", fill.names, fill.how_far, why)
    return gone


def fill_now(
    spark: SparkSession,
    plan: BackfillPlan,
    last: EpochManifest,
    tasks: int,
    settings: JournalSettings,
) -> Commits:
    """Fills while no barrier runs; where it was cut off, the next start goes on.

    Args:
        spark: the session.
        plan: what is to be filled.
        last: the last epoch.
        tasks: how many a stage may have.
        settings: of this run's journal.

    Returns:
        The commits of the new states as of the last epoch.
    """
    if not plan.may_follow(last):
        fill = Fill(spark, plan)
        try:
            return fill.complete(last, tasks)
        finally:
            fill.close()
    journal = BackfillJournal(plan, settings)
    fill, hopeless = Fill(spark, plan, note=journal.note), False
    try:
        fill.take(journal.resume(fill) or last, tasks)
        return fill.complete(last, tasks)
    except BaseException as e:
        hopeless = is_hopeless(e, fill)
        raise
    finally:
        fill.close()
        journal.close(hopeless)
