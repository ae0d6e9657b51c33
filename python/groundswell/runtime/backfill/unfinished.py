"""Fills that were cut off and that nobody goes on with: how long they stay.

A fill stays for the time of the option ``fillLease``: from its last part on, or from the first
start after that, if that comes within a day. Its lease says so. Then
:mod:`groundswell.runtime.gc.fills` removes its states, and lets its epoch go.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from groundswell.errors import EpochUnavailable
from groundswell.marks import Mark
from groundswell.physical.builder import SCRATCH
from groundswell.runtime.backfill.journal import JournalSettings, at_work, give_up, other_states
from groundswell.runtime.backfill.rescale import Scale
from groundswell.runtime.ownership.leases import (
    LEASES,
    LONGEST_MILLIS,
    WHOLE,
    Lease,
    is_live,
    release,
    with_id,
)
from groundswell.runtime.record.fills import BackfillLog, Fills, UnderWay, without

_log = logging.getLogger("groundswell")


def is_complete(fill: UnderWay, there: Collection[str]) -> bool:
    """Whether an epoch has what a fill makes, so that it has ended.

    Args:
        fill: as it was noted.
        there: names of the states of the newest epoch.
    """
    return {state for state in fill.key.states if not state.startswith(SCRATCH)} <= {*there}


def futile(fill: UnderWay, scale: Scale, dropped: Collection[str], now: int) -> str | None:
    """Why nobody can go on with a fill, or is to; None: somebody can.

    Args:
        fill: as it was noted.
        scale: how the states of the pipeline stand.
        dropped: names of the views that were given up.
        now: the time, in milliseconds since 1970.
    """
    if not fill.done:
        return "no part was complete"
    if gone := sorted({*fill.key.views} & {*dropped}):
        return f"{', '.join(gone)} was dropped"
    if moved := other_states(fill.key, scale.partitions, scale.generation):
        return moved
    if now > fill.noted_millis + LONGEST_MILLIS:
        return "no process resumed it for a day"
    return None


def settle(
    journal: JournalSettings, there: Collection[str], scale: Scale, dropped: Collection[str]
) -> Fills:
    """What a start makes of the fills that are noted. An older run notes nothing from then on.

    Args:
        journal: this run.
        there: names of the states of the newest epoch.
        scale: how they stand.
        dropped: names of the views that were given up.

    Returns:
        The fills that somebody can go on with, or is at.
    """
    log = BackfillLog(journal.home)
    for fill in log.read():
        if is_complete(fill, there):
            Mark.FILL_HAS_ENDED.hit()
            log.change(journal.token(), partial(without, lease=fill.lease))
            release(journal.home, fill.lease)
        elif fill.lease not in at_work:
            why = futile(fill, scale, dropped, journal.clock()) or _extended(journal, fill)
            if why is not None:
                give_up(journal, log, fill, why)
    return log.change(journal.token(), lambda fills: fills)


def _extended(journal: JournalSettings, fill: UnderWay) -> str | None:
    """Gives a fill more time; why it cannot have it."""
    try:
        lease = Lease(journal.home, fill.epoch, WHOLE, journal.seconds, journal.clock, fill.lease)
    except EpochUnavailable:
        return f"epoch {fill.epoch} is not kept any more"
    release(journal.home, fill.lease, lease)
    _log.warning("%s", _told(fill, lease.until))
    return None


def told(journal: JournalSettings) -> list[dict[str, Any]]:
    """The fills that somebody can go on with, for people.

    Args:
        journal: who looks.

    Returns:
        Of each the ``views``, the ``epoch``, ``partsDone`` of ``parts``, ``percent``, ``until``
        (ISO time) it stays, and all of it in a sentence, ``text``.
    """
    names = journal.home.child(LEASES).names()
    now, found = journal.clock(), []
    for fill in BackfillLog(journal.home).read():
        until = until_of(names, fill, now)
        if until is not None and fill.lease not in at_work:
            found.append(
                {
                    "views": list(fill.key.views),
                    "epoch": fill.epoch,
                    "partsDone": fill.done,
                    "parts": fill.parts,
                    "percent": fill.percent,
                    "until": _iso(until),
                    "text": _told(fill, until),
                }
            )
    return found


def until_of(names: Iterable[str], fill: UnderWay, now: int) -> int | None:
    """Until when a fill stays, in milliseconds since 1970; None: its time is over.

    Args:
        names: of the leases.
        fill: as it was noted.
        now: the time.
    """
    live = [lease.until for lease in with_id(names, fill.lease) if is_live(lease, now)]
    return max(live, default=None)


def _told(fill: UnderWay, until: int) -> str:
    return (
        f"the fill of {fill.names} was cut off after {fill.how_far}, as of epoch {fill.epoch}: "
        f"define it again with the same query until {_iso(until)}, and it goes on there"
    )


def _iso(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="seconds")
