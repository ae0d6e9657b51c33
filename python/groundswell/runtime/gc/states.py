"""Removes states, and generations of them, that no epoch has.

A generation stays as long as an epoch is kept that stands on it, and each of its files as long as a
later generation refers to it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.contract.commits import Commits, StateCommits
from groundswell.errors import Fenced, GroundswellError
from groundswell.runtime.backfill.generations import numbers
from groundswell.runtime.gc.trees import remove
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import STATE, Owner, state_path, state_root

_log = logging.getLogger("groundswell")


def unneeded(folders: Iterable[str], kept: Collection[int]) -> list[str]:
    """Names of the folders of generations that no epoch stands on.

    Args:
        folders: names of the folders in the pipeline's own.
        kept: the generations that some epoch stands on, and the one that runs.
    """
    wanted = {state_path(generation)[0] for generation in kept}
    return [n for n in folders if (n == STATE or any(numbers([n]))) and n not in wanted]


def referenced(spark: SparkSession, home: str, epochs: Iterable[EpochManifest]) -> set[int]:
    """The generations that have files of some epochs' states, beside those that they stand on.

    A version's files of other generations are some of those that the version before had. So what
    the oldest and the newest epoch of a generation refer to is all.

    Args:
        spark: any session.
        home: location of the pipeline's folder.
        epochs: of each generation the oldest that is kept, and the newest.
    """
    folders: set[str] = set()
    for epoch in epochs:
        root = f"{state_root(home, epoch.generation)}/{STATE}"
        for state, commits in epoch.commits.items() if epoch.generation else ():
            folders.update(jvm.generations(spark, StateCommits(f"{root}/{state}", commits)))
    return {0, *numbers(folders)} if STATE in folders else set(numbers(folders))


class Sweeper:
    """Deletes generations that nobody needs on a thread of its own, while this run is the owner.

    Args:
        spark: any session.
        home: location of the pipeline's folder.
        owner: this run.
    """

    def __init__(self, spark: SparkSession, home: str, owner: Owner) -> None:
        self._spark = spark
        self._home = home
        self._owner = owner
        self._thread: threading.Thread | None = None
        self._done = False

    def begin(self, oldest: EpochManifest, newest: EpochManifest) -> None:
        """Begins to delete what neither of two epochs needs, unless it is at work, or all is gone.

        Args:
            oldest: the oldest epoch that is kept; it stands on the generation that runs.
            newest: the newest one.
        """
        if self._done or (self._thread is not None and self._thread.is_alive()):
            return
        self._thread = threading.Thread(
            target=self._sweep, args=(oldest, newest), name="groundswell-generations", daemon=True
        )
        self._thread.start()

    def finish(self) -> None:
        """Returns when it is done with what it began."""
        if self._thread is not None:
            self._thread.join()

    def _sweep(self, oldest: EpochManifest, newest: EpochManifest) -> None:
        now = newest.generation
        try:
            if unneeded(jvm.folders(self._spark, self._home), {now}):
                needed = {now, *referenced(self._spark, self._home, (oldest, newest))}
                delete(self._spark, self._home, needed, self._owner.check)
            self._done = not unneeded(jvm.folders(self._spark, self._home), {now})
        except Fenced:
            self._done = True  # they are the other run's
        except (GroundswellError, OSError) as e:
            _log.warning("states before a rescale were not deleted, and will be later: %s", e)


def delete(
    spark: SparkSession, home: str, kept: Collection[int], check: Callable[[], None]
) -> None:
    """Deletes the generations that are not kept.

    Args:
        spark: any session.
        home: location of the pipeline's folder.
        kept: the generations that some epoch stands on, and the one that runs.
        check: raises if another run has the location: what is listed before it is none of its.
    """
    names = unneeded(jvm.folders(spark, home), kept)
    folders = [f"{home}/{name}" for name in names]
    _remove(spark, folders, check)
    for folder in folders:
        jvm.states_deleted(spark, folder)


def sweep(
    spark: SparkSession,
    home: str,
    folders: Collection[str],
    log: EpochLog,
    now: int,
    unused: Collection[str],
    still: Commits,
    check: Callable[[], None],
) -> None:
    """Removes states, and generations of them, that no retained epoch has.

    A later owner may need one of these names again, but none of the files that are listed here
    before the check of the claim.

    Args:
        spark: any session.
        home: location of the pipeline's folder.
        folders: names of those in it.
        log: the epochs.
        now: the generation that the pipeline has.
        unused: states of it that are there and that the pipeline does not need.
        still: commits of states that no epoch names any more but that stay.
        check: raises if another run has the location.
    """
    published = log.epochs()
    if published and unneeded(folders, {now}):
        ends: dict[int, list[EpochManifest]] = {}
        for kept in map(log.get, published):
            ends[kept.generation] = [*ends.get(kept.generation, [])[:1], kept]
        aside = replace(log.newest(), commits=still, generation=now)
        epochs = [aside, *(each for both in ends.values() for each in both)]
        needed = referenced(spark, home, epochs)
        delete(spark, home, {now, *ends, *needed}, check)
    left = set(unused)
    for epoch in published if left else ():
        left -= log.get(epoch).commits.keys()
    states = f"{state_root(home, now)}/{STATE}"
    _remove(spark, [f"{states}/{state}" for state in left], check)


def _remove(spark: SparkSession, folders: Iterable[str], check: Callable[[], None]) -> None:
    def may() -> bool:
        check()
        return True

    if trees := [jvm.FileTree(spark, folder) for folder in folders]:
        remove(trees, may)
