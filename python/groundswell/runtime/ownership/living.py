"""Whether the run that has a location lives, asked before a start claims it.

A claim fences the run before it, so nothing is lost by a start too many; but who has started a
second process by mistake has ended the first. So a start looks first. A run that has ended says so
in its claim. One of a process of this machine lives as long as that process. One elsewhere lives if
its signs of life (``ownerLease``, see :mod:`standby`) go on; without them nobody can tell, and the
start takes the location over, as after a crash. A process may always take over from itself.
"""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from groundswell.errors import ConfigurationError, Corruption
from groundswell.runtime.ownership.leases import LEASES
from groundswell.runtime.ownership.processes import GONE, exists, seen
from groundswell.runtime.ownership.standby import KIND, heartbeats_of
from groundswell.runtime.record.location import OWNERS, Folder, numbered_name, read_document, tokens

CONF = "spark.groundswell.takeover"
"""The conf that has every start of a session take over."""

ENDS_SECONDS = 5.0
"""How long a process of this machine may take to end: only then a start is refused."""

_log = logging.getLogger("groundswell")
_SLACK_MILLIS = 2000
"""By how much the start of a process may seem later than what it did."""


@dataclass(frozen=True)
class Claim:
    """Who has claimed a location.

    Attributes:
        token: the claim's number.
        run: what it calls itself.
        host: its machine.
        pid: its process.
        since_millis: when it claimed the location, in milliseconds since 1970.
        ended: whether it has stopped since.
    """

    token: int
    run: str
    host: str
    pid: int
    since_millis: int
    ended: bool = False

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since_millis / 1000, UTC).isoformat(timespec="seconds")
        return f"{self.run} (process {self.pid} on {self.host}, since {since})"


def last_claim(home: Folder) -> Claim | None:
    """The last claim of a location; None: there is none that can be read.

    Args:
        home: the pipeline's folder in the checkpointLocation.
    """
    newest = max(tokens(home), default=0)
    try:
        found = read_document(home.child(OWNERS), numbered_name(newest), "owner")
    except Corruption:  # the start goes on without it: it only fences by its name
        found = None
    if found is None:
        return None
    return Claim(
        newest,
        found["run"],
        found["host"],
        found["pid"],
        found["sinceMillis"],
        found.get("ended", False),
    )


def has_ended(last: Claim) -> bool:
    """Whether a run is known to have ended: it says so, or its process here is gone."""
    return last.ended or (
        last.host == platform.node() and not process_lives(last.pid, last.since_millis)
    )


def living(
    home: Folder,
    here: tuple[str, int],
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Claim | None:
    """The run that has a location, if it lives and is not of this process.

    A process of this machine has a moment to end. Where only signs of life can tell, this waits for
    the next one, at most for as long as one counts.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        here: machine and process that ask, as claims have them.
        clock: seconds; never goes back.
        pause: waits for some seconds.
    """
    last = last_claim(home)
    if last is None or last.ended or (last.host, last.pid) == here:
        return None
    if last.host == here[0]:
        return last if _stays(home, last, clock, pause) else None
    return last if _gives_signs(home, last.token, clock, pause) else None


def _stays(
    home: Folder, last: Claim, clock: Callable[[], float], pause: Callable[[float], None]
) -> bool:
    """A JVM whose Python process was killed ends by itself, a moment later."""
    until = clock() + ENDS_SECONDS
    while process_lives(last.pid, last.since_millis):
        if clock() >= until:
            return True
        pause(0.2)
        now = last_claim(home)
        if now is None or now.ended:
            return False
    return False


def process_lives(pid: int, since_millis: int) -> bool:
    """Whether a process of this machine that lived then lives now: numbers are given again."""
    if not exists(pid):
        return False
    state, start = seen(pid)
    try:
        booted = next(
            int(line.split()[1])
            for line in Path("/proc/stat").read_text("utf-8").splitlines()
            if line.startswith("btime ")
        )
    except (OSError, StopIteration):  # no Linux
        return True
    if not start:
        return True
    started = 1000 * (booted + int(start) / os.sysconf("SC_CLK_TCK"))
    return state not in GONE and started <= since_millis + _SLACK_MILLIS


def _gives_signs(
    home: Folder, token: int, clock: Callable[[], float], pause: Callable[[float], None]
) -> bool:
    folder = home.child(LEASES)
    first = [sign for sign in heartbeats_of(folder.names(KIND)) if sign.token == token]
    if not first:
        return False
    seconds = first[-1].millis / 1000
    until = clock() + seconds
    while clock() < until:
        pause(min(seconds / 5, 1.0))
        now = heartbeats_of(folder.names(KIND))
        if now and now[-1] > first[-1]:
            return True
    return False


def check_free(home: Folder, location: str, here: tuple[str, int], takeover: bool) -> None:
    """Refuses a start where another run lives, unless it is to be taken over.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        location: that, for messages.
        here: machine and process that ask, as claims have them.
        takeover: whether it is; what lives is told in the log then.

    Raises:
        ConfigurationError: it is not.
    """
    other = living(home, here)
    if other is None:
        return
    if not takeover:
        raise ConfigurationError(
            f"{location} is run by {other}, which lives. Nothing was started. Stop it there; or "
            "end it from here with start(takeover=True), --takeover on the command line, CREATE "
            "PIPELINE ... WITH (takeover = 'true') in SQL, or the conf "
            f"{CONF}=true; or wait for its end with ownerLease and start(standby=True)"
        )
    _log.warning(
        "%s is taken over from %s, which ends with Fenced at its next barrier; nothing is lost",
        location,
        other,
    )
