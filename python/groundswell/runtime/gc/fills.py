"""Removes what is left of fills that were cut off, when nobody goes on with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.contract.commits import Commits
from groundswell.runtime.backfill.journal import JournalSettings, at_work, give_up
from groundswell.runtime.backfill.unfinished import until_of
from groundswell.runtime.gc.trees import remove
from groundswell.runtime.ownership.leases import LEASES
from groundswell.runtime.record import definition
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.fills import BackfillLog, UnderWay, without
from groundswell.runtime.record.location import EPOCHS, STATE, Folder, state_root
from groundswell.runtime.record.sinks import known_sinks
from groundswell.runtime.record.told import commits_kept


def expire(spark: SparkSession, journal: JournalSettings, check: Callable[[], None]) -> None:
    """Removes the fills whose time is over.

    Args:
        spark: any session.
        journal: this run.
        check: raises if another run has the location.
    """
    log = BackfillLog(journal.home)
    fills = [fill for fill in log.read() if fill.lease not in at_work]
    names = journal.home.child(LEASES).names() if fills else []
    for fill in fills:
        if until_of(names, fill, journal.clock()) is None:
            _remove(spark, journal, log, fill, "no process resumed it in time", check)


def forget(
    spark: SparkSession, journal: JournalSettings, view: str, check: Callable[[], None]
) -> bool:
    """Removes what was filled of a view that is dropped before it is there.

    Args:
        spark: any session.
        journal: this run.
        view: its name.
        check: raises if another run has the location.

    Returns:
        Whether there was something.
    """
    log = BackfillLog(journal.home)
    found = [f for f in log.read() if view in f.key.views and f.lease not in at_work]
    gone = [_remove(spark, journal, log, f, f"{view} was dropped", check) for f in found]
    return any(gone)


def removable(fill: UnderWay, there: Collection[str], others: Iterable[UnderWay]) -> list[str]:
    """The states of a fill that nobody else has.

    Args:
        fill: that is given up.
        there: names of the states of the newest epoch, and of those that stay without one.
        others: the fills that stay.
    """
    used = {*there}.union(*(other.key.states for other in others), *at_work.values())
    return [state for state in fill.key.states if state not in used]


def _still(home: Folder) -> Commits:
    """What stays of views that stand still, or did: they are filled under the same names."""
    owner = definition.load(home)
    return commits_kept(owner.aside if owner is not None else {}, known_sinks(home).told)


def _remove(
    spark: SparkSession,
    journal: JournalSettings,
    log: BackfillLog,
    fill: UnderWay,
    why: str,
    check: Callable[[], None],
) -> bool:
    root = f"{state_root(journal.home.location, fill.key.generation)}/{STATE}"
    there = {*EpochLog(journal.home.child(EPOCHS)).newest().commits, *_still(journal.home)}
    states = removable(fill, there, without(log.read(), fill.lease))
    trees = [jvm.FileTree(spark, f"{root}/{state}") for state in states]

    def given_up() -> bool:
        if not give_up(journal, log, fill, why):
            return False
        check()
        return True

    return remove(trees, given_up)
