"""Which barriers are checkpoints, and how a restart finds the last one.

With ``checkpointEvery`` = k > 1 the barriers between two checkpoints live in memory, and Spark's
offset and commit logs run ahead of what is durable. A checkpoint writes all commits that are ahead;
then, in order, it publishes and delivers each epoch; then ``checkpoint-<token>.json``, which says
that this was done. So all epochs before the newest published one are delivered, and the document
tells whether that one is, too. A start takes back from Spark's logs what came after it; which
names an older run may still write to then, :mod:`stale_entries` keeps.

With k = 1 there is no such document, and Spark's commit log alone tells what was delivered. Where
checkpoints overlap (:mod:`groundswell.runtime.barriers.in_flight`) only the offset log runs ahead:
an entry of the commit log is written when its epoch was delivered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groundswell.errors import EpochUnavailable
from groundswell.runtime.record import removal, stale_entries
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import (
    EPOCHS,
    Folder,
    Owner,
    owned_name,
    read_owned,
    write_document,
)
from groundswell.runtime.record.spark_logs import batches

NAME = "checkpoint"
KIND = "checkpoint"


@dataclass(frozen=True)
class Mark:
    """The last checkpoint that came to its end.

    Attributes:
        epoch: the newest of its epochs.
        taken: files of tables that its epochs have taken in, by path below the tables' folder.
            Nobody needs them once Spark has recorded the epoch.
    """

    epoch: int
    taken: tuple[str, ...] = ()


@dataclass(frozen=True)
class Start:
    """What a start has found.

    Attributes:
        mark: the last one, as the run's own; None if there is none, or the run makes none.
        first: the epoch that Spark has to begin with; None if nothing speaks against another.
    """

    mark: Mark | None = None
    first: int | None = None


class Checkpoints:
    """Counts barriers. The first one of a run is a checkpoint, and every k-th after a checkpoint.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        every: k.
        token: of the owner; what another one notes is not looked at.
        start: what this run goes on from.
    """

    def __init__(
        self, home: Folder, every: int = 1, token: int = 0, start: Start | None = None
    ) -> None:
        self._home = home
        self._every = every
        self._token = token
        self._last = start.mark if start else None
        self.first = start.first if start else None
        """The epoch that Spark has to begin with; None if nothing speaks against another."""
        self._since: int | None = None
        self._taken: list[str] = []

    @property
    def due(self) -> bool:
        """Whether the barrier that comes now is one."""
        return self._since is None or self._since + 1 >= self._every

    def delivered(self, epoch: int) -> bool:
        """Whether an epoch that Spark repeats is known to have been delivered."""
        return self._every > 1 and self._last is not None and self._last.epoch >= epoch

    def ran(self, taken: Iterable[str]) -> None:
        """Notes a barrier, and the files of tables that it has taken in."""
        self._since = (self._since or 0) + 1
        self._taken += taken

    def recorded(self, taken: Iterable[str]) -> None:
        """Deletes the files of tables that a batch has taken in: Spark's log says it is done."""
        removal.taken_rows(self._home, taken)

    def done(self, epoch: int) -> None:
        """Notes the end of a checkpoint up to an epoch."""
        self._since = 0
        if self._every > 1:
            if self._last is not None and self._last.epoch < epoch:
                removal.taken_rows(self._home, self._last.taken)
            self._last = Mark(epoch, tuple(self._taken))
            store(self._home, self._last, self._token)
        self._taken = []


def load(home: Folder) -> Mark | None:
    """The last checkpoint of a run with k > 1, if one is noted."""
    document = read_owned(home, NAME, KIND)
    return None if document is None else Mark(document["epoch"], tuple(document["taken"]))


def reached(root: Folder, home: Folder) -> int | None:
    """The newest epoch that is known to have been published, without a look at the epochs.

    Args:
        root: the checkpointLocation.
        home: the pipeline's folder in it.

    Returns:
        None: nothing tells. The epochs may go further.
    """
    mark = load(home)  # first: with one, Spark's log runs ahead
    return mark.epoch if mark is not None else max(batches(root.child("commits")), default=None)


def check_newest(root: Folder, home: Folder) -> None:
    """Refuses a location whose newest epoch is lost: the one before would be shown as the newest.

    Args:
        root: the checkpointLocation.
        home: the pipeline's folder in it.

    Raises:
        EpochUnavailable: an epoch was published and is not there.
    """
    log = EpochLog(home.child(EPOCHS))
    for _ in range(2):  # another run may have begun between the two questions of the first look
        known = reached(root, home)
        found = max(log.epochs(), default=None)
        if known is None or found is None or known <= found:
            return
    raise EpochUnavailable(
        f"epoch {known} was published, and {home.child(EPOCHS).location}/{known:020d}-*.json is "
        f"not there; the newest epoch that is there is {found}. Restore the file, or read that "
        f"epoch with epoch={found}"
    )


def store(home: Folder, mark: Mark, token: int) -> None:
    """Notes a checkpoint, as an owner."""
    content = {"epoch": mark.epoch, "taken": list(mark.taken)}
    write_document(home, owned_name(NAME, token), KIND, content)


def settle(root: Folder, home: Folder, newest: int | None, every: int, owner: Owner) -> Start:
    """Before a start: takes back from Spark's logs what was ahead of the newest published epoch.

    Spark runs the next epoch again, from the offsets that it had noted for it, and takes what its
    sources have by then into the one after. If the newest epoch may not have been delivered, Spark
    repeats that batch, which is delivered without being computed.

    Args:
        root: the checkpointLocation.
        home: the pipeline's folder in it.
        newest: the newest published epoch.
        every: ``checkpointEvery`` of the run that starts.
        owner: that run.

    Returns:
        What the run goes on from.
    """
    mark, first = load(home), None
    last = -1 if newest is None else newest
    noted = stale_entries.load(home).after(last)
    planned, done = (stale_entries.last_entry(root.child(log)) for log in stale_entries.LOGS)
    runs_ahead = mark is not None and newest is not None and last >= mark.epoch
    delivered = last if mark is not None and last == mark.epoch else last - 1
    overlapped = False
    if not runs_ahead and done <= last:  # a commit says that its epoch was delivered
        told = last if done == last else last - 1
        overlapped = planned > told + 1
        if overlapped:
            runs_ahead, delivered = True, told
    if runs_ahead or noted != stale_entries.StaleEntries():
        stale_entries.note(home, noted.with_next(planned, done, last, overlapped), owner.token)
        # Newest first: what remains after a crash is a log that is ahead, as before.
        known = delivered if runs_ahead else last
        _take_back(root.child("commits"), known, owner)
        _take_back(root.child("offsets"), known + 1, owner)
    else:
        stale_entries.note(home, noted, owner.token)
    if noted != stale_entries.StaleEntries():
        first = stale_entries.settle(root, noted, last, delivered, owner)
    if mark is None:
        return Start(None, first)
    if every > 1:
        store(home, mark, owner.token)
    elif root.child("commits").read(str(mark.epoch)) is not None:
        removal.taken_rows(home, mark.taken)
    removal.owned(home, NAME, owner.token)
    return Start(mark if every > 1 else None, first)


def _take_back(log: Folder, last: int, owner: Owner) -> None:
    for batch in reversed(batches(log)):
        if batch > last:
            stale_entries.take_back(log, batch, owner)
