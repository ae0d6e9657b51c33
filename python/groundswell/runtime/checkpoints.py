"""Which barriers are checkpoints, and how a restart finds the last one.

With ``checkpointEvery`` = k > 1 the barriers between two checkpoints live in memory, and Spark's
offset and commit logs run ahead of what is durable. A checkpoint writes all commits that are ahead;
then, in order, it publishes and delivers each epoch; then ``checkpoint.json``, which says that this
was done. So all epochs before the newest published one are delivered, and the document tells
whether that one is, too. A start takes back from Spark's logs what came after it.

With k = 1 there is no such document, and Spark's commit log alone tells what was delivered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groundswell.runtime.location import Folder, read_json, write_json

NAME = "checkpoint.json"
TABLES = "tables"


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


class Checkpoints:
    """Counts barriers. The first one of a run is a checkpoint, and every k-th after a checkpoint.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        every: k.
    """

    def __init__(self, home: Folder, every: int = 1) -> None:
        self._home = home
        self._every = every
        self._since: int | None = None
        self._taken: list[str] = []

    @property
    def due(self) -> bool:
        """Whether the barrier that comes now is one."""
        return self._since is None or self._since + 1 >= self._every

    def delivered(self, epoch: int) -> bool:
        """Whether an epoch that Spark repeats is known to have been delivered."""
        last = load(self._home) if self._every > 1 else None
        return last is not None and last.epoch >= epoch

    def ran(self, taken: Iterable[str]) -> None:
        """Notes a barrier, and the files of tables that it has taken in."""
        self._since = (self._since or 0) + 1
        self._taken += taken

    def done(self, epoch: int) -> None:
        """Notes the end of a checkpoint up to an epoch."""
        self._since = 0
        if self._every > 1:
            last = load(self._home)
            if last is not None and last.epoch < epoch:
                sweep(self._home, last)
            store(self._home, Mark(epoch, tuple(self._taken)))
        self._taken = []


def load(home: Folder) -> Mark | None:
    """The last checkpoint of a run with k > 1, if one is noted."""
    document = read_json(home, NAME)
    return None if document is None else Mark(document["epoch"], tuple(document["taken"]))


def store(home: Folder, mark: Mark) -> None:
    """Notes a checkpoint."""
    write_json(home, NAME, {"epoch": mark.epoch, "taken": list(mark.taken)})


def sweep(home: Folder, mark: Mark) -> None:
    """Deletes the files of tables that a checkpoint has taken in."""
    for path in mark.taken:
        *folders, name = path.split("/")
        folder = home.child(TABLES)
        for each in folders:
            folder = folder.child(each)
        folder.delete(name)


def settle(root: Folder, home: Folder, newest: int | None, every: int) -> None:
    """Before a start: takes back from Spark's logs what was ahead of the newest published epoch.

    Spark runs the next epoch again, from the offsets that it had noted for it, and takes what its
    sources have by then into the one after. If the newest epoch may not have been delivered, Spark
    repeats that batch, which is delivered without being computed.

    Args:
        root: the checkpointLocation.
        home: the pipeline's folder in it.
        newest: the newest published epoch.
        every: ``checkpointEvery`` of the run that starts.
    """
    mark = load(home)
    if mark is None:
        return
    if newest is not None and newest >= mark.epoch:
        recorded = newest if newest == mark.epoch else newest - 1
        # Newest first: what remains after a crash is a log that is ahead, as before.
        _take_back(root.child("commits"), recorded)
        _take_back(root.child("offsets"), recorded + 1)
    if every == 1:
        if root.child("commits").read(str(mark.epoch)) is not None:
            sweep(home, mark)
        home.delete(NAME)


def _take_back(log: Folder, last: int) -> None:
    batches = sorted((int(n) for n in log.names() if n.isdecimal()), reverse=True)
    for batch in batches:
        if batch > last:
            log.delete(str(batch))
            log.delete(f".{batch}.crc")  # of Hadoop's local file system
