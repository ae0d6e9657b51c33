"""Merges of another process on their way into the commits of a run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

from groundswell.contract.barrier import MergedPart
from groundswell.contract.commits import CommitRef, Commits
from groundswell.marks import Mark
from groundswell.runtime.record.merges import Merge, MergeLog

SECONDS = 1.0
"""How often the log is looked at: each look is a request."""


class Merged:
    """What was merged elsewhere and is not settled yet.

    A merge is settled when its partition has been committed to with it at hand (the engine has
    taken it in, or it did not fit any more), or when it is so old that retention may delete it.

    Args:
        log: of the merges.
        generation: of the run's states; merges of others are of no use.
        clock: tells seconds.
    """

    def __init__(
        self, log: MergeLog, generation: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._generation = generation
        self._clock = clock
        self._next: int | None = None
        self._looked = 0.0
        self._waiting: list[tuple[int, Merge]] = []
        self._entries: set[int] = set()
        self._oldest: Commits | None = None

    def retained(self, oldest: Commits) -> None:
        """Learns what retention is about to keep: no merge of an older version is used then.

        Before it is told for the first time, none is: an earlier run may be deleting still.
        """
        self._oldest = oldest

    def due(self) -> Mapping[str, tuple[MergedPart, ...]]:
        """What the next barrier's commits may take in, by state."""
        if self._oldest is None:
            return {}
        if self._next is None or self._clock() - self._looked >= SECONDS:
            self._look()
        self._settle(lambda merge: not self._is_safe(merge))
        found: dict[str, list[MergedPart]] = {}
        for _, merge in self._waiting:
            found.setdefault(merge.state, []).append(MergedPart(merge.partition, merge.record))
        return {state: tuple(parts) for state, parts in found.items()}

    def ran(self, before: Commits, after: Commits) -> None:
        """Learns what a barrier has committed that was given all that is due.

        Args:
            before: commits that it has built on.
            after: of the states that it has changed.
        """
        self._settle(lambda merge: merge.state in after and _at(after, merge) != _at(before, merge))

    def _is_safe(self, merge: Merge) -> bool:
        # Files of a merge have the next version's number; retention spares them from the oldest on.
        oldest = _at(self._oldest or {}, merge)
        safe = oldest is None or merge.version + 1 >= oldest.version
        Mark.MERGE_IS_TOO_OLD.hit_if(not safe)
        return safe

    def _look(self) -> None:
        self._looked = self._clock()
        if self._next is None:
            numbers = self._log.numbers()
            self._next = numbers[0] if numbers else 0
        while (entry := self._log.read(self._next)) is not None:
            self._next += 1
            self._entries.add(entry.number)
            if entry.generation == self._generation:
                self._waiting += [(entry.number, merge) for merge in entry.merges]

    def _settle(self, done: Callable[[Merge], bool]) -> None:
        self._waiting = [each for each in self._waiting if not done(each[1])]
        open_ = Counter(number for number, _ in self._waiting)
        newest = max(self._entries, default=0)
        settled = {n for n in self._entries if n < newest and not open_[n]}
        if settled:
            self._log.remove(sorted(settled))
            self._entries -= settled


def _at(commits: Commits, merge: Merge) -> CommitRef | None:
    of_state = commits.get(merge.state, ())
    return of_state[merge.partition] if merge.partition < len(of_state) else None
