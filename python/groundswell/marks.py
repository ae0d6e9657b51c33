"""Branches that are seldom taken, of what a pipeline does when it starts, recovers or meets others.

Each mark stands at one place, and a test says that it ``reaches`` it: if it no longer does, it
fails. ``io.groundswell.storage.Mark`` is the same for the JVM. docs/internals/testing.md has how to
add one.
"""

from __future__ import annotations

import threading
from collections import Counter
from enum import Enum


class Mark(Enum):
    """A branch; its value says when it is taken."""

    OLDER_SLOT_IGNORED = "A slot of an older owner lies above the first one of a later owner."
    EPOCHS_BELOW_A_GAP = "Closed slots lie below the epochs that are kept."
    NEWEST_SLOT_IS_CLOSED = "The newest slot, or the oldest, was closed: no epoch is in it."
    EPOCH_RETIRED_WHILE_READ = "An epoch is retired before what it is computed against is read."
    SLOT_WAS_CLOSED_BY_A_LATER_RUN = "A run publishes where a later one has closed the slot."
    OLDER_RUN_PUBLISHED_IN_TIME = "An older run publishes just before its slot is closed."
    DELIVERY_MAY_BE_ANOTHER_RUNS = "A delivery may be an older run's: Spark repeats the batch."
    EMPTY_BATCH_IS_PLANNED = "A batch is planned empty, so that no older run can plan it."
    LEASE_CAME_BETWEEN_LOOKS = "A lease comes between the two looks of the owner: the floor sinks."
    LEASE_IS_OVER = "A lease has ended, or ends too far ahead: it goes."
    FLOOR_IS_PROPOSED = "A reader waits for a floor above its epoch that is not settled."
    NEWEST_IS_RETIRED_MEANWHILE = "The newest epoch is retired before a reader has a lease on it."
    OWNER_HAS_DIED_HERE = "A run without signs of life was a process of this machine."
    FILLS_WRITTEN_MEANWHILE = "Another run writes the fills at the same time: this one looks again."
    FILLS_NUMBER_CAME_AGAIN = "A number of the fills is created again that a later run has removed."
    FILLS_OF_A_LATER_RUN = "A run finds that a later one has the fills."
    FILL_OF_A_GONE_EPOCH = "A fill that was cut off cannot go on: its epoch is gone."
    FILL_GOES_ON = "A fill goes on where it was cut off."
    FILL_WENT_ON_MEANWHILE = "A fill that is to be given up has gone on meanwhile."
    FILL_HAS_ENDED = "A fill is noted that has come to its end: the run before could not say so."
    LOGS_NAME_ANOTHER_PLACE = "A location was moved: its logs name files where they were."
    BATCH_IS_DELIVERED_AGAIN = "Spark repeats a batch that is published: it is only delivered."
    COMMIT_AHEAD_IS_LOST = "A process dies that held commits between two checkpoints."
    MERGE_IS_TOO_OLD = "A merge of another process is so old that retention may have deleted it."

    def hit(self) -> None:
        """Notes that the branch is taken."""
        with _GUARD:
            _HITS[self] += 1

    def hit_if(self, taken: bool) -> None:
        """Notes it if this holds."""
        if taken:
            self.hit()

    @property
    def hits(self) -> int:
        """How often the branch was taken in this process."""
        return _HITS[self]


_HITS: Counter[Mark] = Counter()
_GUARD = threading.Lock()
