"""How a run takes a location over from all runs before it, whether they live or not.

A check before an act can be overtaken: a run that was stopped may go on at any time. So each of
its acts must do no harm even then:

- What it publishes goes to slots that carry its token (:mod:`~groundswell.runtime.record.slots`).
  A later owner closes the next slot of each older owner; whoever creates the slot first has decided
  whether that epoch is published. What the older one publishes in time is what the later one
  builds on, and after that it can publish nothing.
- Documents that are rewritten carry the token in their name, and the last owner's counts.
- What it deletes was listed before a check of its claim, or is not needed by an epoch that it has
  published itself. No later owner goes back behind that epoch.

So two runs cannot do harm to each other; the older one ends with Fenced when it publishes next, or
when Spark writes to a log of the query next.
"""

from __future__ import annotations

from groundswell.marks import Mark
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import (
    EPOCHS,
    Folder,
    Owner,
    tokens,
)


def take_over(home: Folder, owner: Owner, known: EpochLog | None = None) -> EpochManifest | None:
    """Ends what older owners may publish.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        owner: who has claimed it.
        known: the log of its epochs, as far as this run has read it.

    Returns:
        The last epoch that is published; None if none was. It stays the last one until ``owner``
        publishes another.
    """
    folder = home.child(EPOCHS)
    log = EpochLog(folder, owner) if known is None else known.through(folder)
    epochs = log.epochs()
    last = log.get(epochs[-1]) if epochs else None
    newest = last.token if last else 0
    older = {t for t in tokens(home) if newest <= t < owner.token}
    if 0 < newest < owner.token:
        older.add(newest)
    for token in sorted(older):
        # Its first slot is the epoch that it found, the next ones are above.
        mine = last is not None and last.token == token
        epoch = last.epoch + mine if last else 0
        while not log.close((epoch, token), owner.token):
            Mark.OLDER_RUN_PUBLISHED_IN_TIME.hit()
            last = log.read((epoch, token))
            epoch += 1
    return last
