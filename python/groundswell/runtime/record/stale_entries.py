"""Entries of Spark's logs that an older run may still create, under names that come again.

A run looks for its successor before it creates an entry, and may be stopped between the two. So it
can create one more entry after it was followed: if its last batch has a commit the next offsets,
else that commit. Entries have no room for a token, so nobody sees who made one. After the entries
that the older run knew that does no harm. A start that takes entries back changes what stands
before: so it notes that name first, as *doubtful*, and a later start does not go by it:

- all that is ahead of the newest epoch is taken back, as after a run that ran ahead;
- ``commits``: the entry of that epoch is removed, unless it is known to be delivered, or the next
  batch is planned, which Spark does after the commit. So Spark has it delivered again.
- ``offsets``: of the batch after a commit, the entry is replaced by one that ends where the batch
  before ended. So the name is taken, the batch is empty, and the next one brings what sources have.
  Else it is removed. It may come before Spark reads the log; then the run's first barrier is not
  the one that it has to be, and fails (``Start.first``).

A name is doubtful until its epoch is published: no start goes back behind that. What sources such
as files note in logs of their own is theirs, and is read again by the batch that is planned again.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.marks import Mark
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    Owner,
    owned_name,
    owned_names,
    read_owned,
    write_document,
)
from groundswell.runtime.record.spark_logs import batches

NAME = "doubtful"
KIND = "doubtful"
LOGS = ("offsets", "commits")


@dataclass(frozen=True)
class StaleEntries:
    """Numbers of entries, ascending.

    Attributes:
        offsets: of the offset log.
        commits: of the commit log.
    """

    offsets: tuple[int, ...] = ()
    commits: tuple[int, ...] = ()

    def after(self, newest: int) -> StaleEntries:
        """What is left when epochs up to ``newest`` are published."""
        return StaleEntries(
            tuple(n for n in self.offsets if n > newest),
            tuple(n for n in self.commits if n >= newest),
        )

    def with_next(
        self, planned: int, done: int, newest: int, overlapped: bool = False
    ) -> StaleEntries:
        """Before entries are taken back to epoch ``newest``.

        Args:
            planned: the last entry of the offset log.
            done: the last entry of the commit log.
            newest: the newest published epoch.
            overlapped: whether the older run wrote both logs beside its batches. It may have been
                about to create an entry of each, and its commits are of published epochs alone.
        """
        if planned <= newest:
            return self
        offsets = {*self.offsets, *([planned + 1] if planned == done or overlapped else [])}
        commits = {*self.commits, *([done + 1] if planned != done and not overlapped else [])}
        return StaleEntries(tuple(sorted(offsets)), tuple(sorted(commits)))


def load(home: Folder) -> StaleEntries:
    """What earlier runs have noted."""
    document = read_owned(home, NAME, KIND)
    if document is None:
        return StaleEntries()
    return StaleEntries(tuple(document["offsets"]), tuple(document["commits"]))


def note(home: Folder, doubtful: StaleEntries, token: int) -> None:
    """Notes it as an owner, in the place of what earlier ones have noted."""
    if doubtful != StaleEntries():
        content = {"offsets": list(doubtful.offsets), "commits": list(doubtful.commits)}
        write_document(home, owned_name(NAME, token), KIND, content)
    elif not owned_names(home, NAME):
        return
    removal.owned(home, NAME, token)


def last_entry(log: Folder) -> int:
    """The greatest number in a log of Spark's; -1 if it is empty."""
    return max(batches(log), default=-1)


def settle(root: Folder, doubtful: StaleEntries, newest: int, delivered: int, owner: Owner) -> int:
    """Sees to it that Spark goes by no entry that an older run may have made.

    Entries that are ahead of the newest epoch, and of the batch after it, were taken back.

    Args:
        root: the checkpointLocation.
        doubtful: what earlier runs have noted.
        newest: the newest published epoch; -1: there is none.
        delivered: the last epoch of which it is known that it was delivered.
        owner: the run that starts.

    Returns:
        The epoch that Spark has to begin with.
    """
    commits, offsets = root.child("commits"), root.child("offsets")
    done = newest < 0 or commits.read(str(newest)) is not None
    planned = offsets.read(str(newest + 1)) is not None
    if done and newest in doubtful.commits and newest > delivered and not planned:
        Mark.DELIVERY_MAY_BE_ANOTHER_RUNS.hit()
        take_back(commits, newest, owner)
        done = False
    if newest + 1 in doubtful.offsets:
        if done:
            _close(offsets, newest + 1, owner)
        elif planned:
            take_back(offsets, newest + 1, owner)
    return newest + 1 if done else newest


def _close(offsets: Folder, batch: int, owner: Owner) -> None:
    """Plans a batch that is empty."""
    empty = offsets.read(str(batch - 1))
    there = offsets.read(str(batch))
    while there != empty:
        if there is not None:
            take_back(offsets, batch, owner)
        Mark.EMPTY_BATCH_IS_PLANNED.hit()
        if empty is None or offsets.put_new(str(batch), empty):
            return
        there = offsets.read(str(batch))


def take_back(log: Folder, batch: int, owner: Owner) -> None:
    """Removes an entry, whose name comes again.

    Spark's log is wrong, and says so, if a later owner comes between the check and the deletion,
    and has run the batch before that one.
    """
    owner.check()
    removal.spark_entry(log, batch)
