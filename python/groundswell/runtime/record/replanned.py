"""Takes back the batch that was planned and not run: Spark plans it anew, with other limits.

Spark notes how far a batch goes before it runs it, and runs just that again after a failure. One
that needs more memory than there is would never come to an end. Nothing of it was kept: its epoch
is not published, and no sink has seen it. So its entry is removed, and sources are asked again.
A file source notes in a log of its own which files it has given out. Those of the batch go, too;
else it would give out all of them again.
"""

from __future__ import annotations

from groundswell.runtime.record import removal
from groundswell.runtime.record.file_logs import entries, gaps, log_offsets
from groundswell.runtime.record.location import Folder, Owner


def replan(root: Folder, newest: int, owner: Owner) -> bool:
    """Takes back what Spark has planned after an epoch.

    Args:
        root: the checkpointLocation.
        newest: the newest published epoch; -1: there is none.
        owner: the run that starts.

    Returns:
        False: a file source cannot go back, for its log was made compact meanwhile, and what it had
        before is gone. Nothing was removed.
    """
    offsets = root.child("offsets")
    entry = offsets.read(str(newest + 1))
    if entry is None:
        return True
    last = offsets.read(str(newest))
    before = {} if last is None else log_offsets(last)
    given = {}
    for name in log_offsets(entry):
        later = _later(root.child("sources").child(name), before.get(name, -1))
        if later is None:
            return False
        given[name] = later
    owner.check()
    removal.spark_entry(offsets, newest + 1)
    for name, later in given.items():  # newest first: what a crash leaves is a log without gaps
        for file in later:
            removal.source_entry(root.child("sources").child(name), file)
    return True


def _later(log: Folder, last: int) -> list[str] | None:
    """The entries of a file source's log after one, newest first; None: those before are gone."""
    there = entries(log)
    if gaps({number: name for number, name in there.items() if number <= last}, last):
        return None
    return [there[number] for number in sorted(there, reverse=True) if number > last]
