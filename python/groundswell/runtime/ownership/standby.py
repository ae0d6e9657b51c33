"""A standby: a process that waits until the run before it no longer tells that it lives.

An owner with the option ``ownerLease`` renews a document in ``leases``. Its name has all that
matters, so that a standby lists and reads nothing::

    alive-<token>-<beat>-<millis>.json    the run of that token lives, and says so again in time

A standby compares no clocks. It notes when it first saw the newest name; if that name has not
changed for ``millis`` of its own time, the run counts as ended. It may live nevertheless, stopped
or cut off: the standby's claim then fences it (:mod:`.takeover`). So a wrong guess
costs a restart, and never a row.
"""

from __future__ import annotations

import logging
import platform
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from groundswell.durations import micros_of
from groundswell.errors import ConfigurationError
from groundswell.format.envelope import seal
from groundswell.marks import Mark
from groundswell.runtime.ownership.leases import LEASES
from groundswell.runtime.ownership.processes import exists
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    OWNERS,
    Folder,
    number_of,
    numbered_name,
    read_document,
)

KIND = "alive"
GRACE_SECONDS = 10.0
"""How long a run that has claimed the location may take to say for the first time that it lives."""

_ALIVE = re.compile(r"alive-(\d{20})-(\d{20})-(\d{20})\.json")
_log = logging.getLogger("groundswell")


@dataclass(frozen=True, order=True)
class Heartbeat:
    """A sign of life, as its name tells it.

    Attributes:
        token: of the run.
        beat: its number, from 0.
        millis: for how long it counts.
    """

    token: int
    beat: int
    millis: int

    @property
    def name(self) -> str:
        """The document's name."""
        return f"{KIND}-{self.token:020d}-{self.beat:020d}-{self.millis:020d}.json"


def heartbeats_of(names: Iterable[str]) -> list[Heartbeat]:
    """The signs of life among the names of a folder, the newest last."""
    found = (_ALIVE.fullmatch(name) for name in names)
    return sorted(Heartbeat(int(m[1]), int(m[2]), int(m[3])) for m in found if m)


class Heartbeats:
    """The owner's side: tells that the run lives, three times in the time that a sign counts.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        token: of the run.
        millis: for how long a sign counts.
    """

    def __init__(self, home: Folder, token: int, millis: int) -> None:
        self._folder = home.child(LEASES)
        self._sign = Heartbeat(token, 0, millis)
        self._ended = threading.Event()
        self._lives: Callable[[], bool] = lambda: True

    def begin(self) -> None:
        """Gives the first sign, and removes those of runs before."""
        before = heartbeats_of(self._folder.names(KIND))
        self._put(self._sign)
        for sign in before:
            if sign.token < self._sign.token:
                removal.lease(self._folder, sign.name)
        threading.Thread(target=self._keep, name="groundswell-alive", daemon=True).start()

    def while_(self, lives: Callable[[], bool]) -> None:
        """From now on signs are given only as long as this is true."""
        self._lives = lives

    def end(self) -> None:
        """Gives no more signs; the last one counts for its time."""
        self._ended.set()

    def _keep(self) -> None:
        while not self._ended.wait(self._sign.millis / 3000):
            try:
                if not self._lives():
                    return
                last = self._sign
                self._put(Heartbeat(last.token, last.beat + 1, last.millis))
                removal.lease(self._folder, last.name)
            except Exception as error:  # noqa: BLE001 - tried again; at worst a standby takes over
                _log.warning(
                    "%s: could not tell that this run lives (%s); a standby takes over if that "
                    "lasts for %s ms",
                    self._folder.location,
                    error,
                    self._sign.millis,
                )

    def _put(self, sign: Heartbeat) -> None:
        self._folder.put(sign.name, seal(KIND, {"token": sign.token, "beat": sign.beat}))
        self._sign = sign


@dataclass
class Watch:
    """The standby's side: whether the location is free, by what was seen and for how long. Pure."""

    _seen: tuple[int, Heartbeat | None] = field(default=(0, None))
    _since: float = 0.0

    def is_free(self, claim: int, sign: Heartbeat | None, now: float) -> bool | None:
        """Looks once.

        Args:
            claim: the greatest token that a run has claimed; 0: none has.
            sign: the newest sign of life.
            now: seconds of a clock that never goes back.

        Returns:
            Whether a standby may start; None: nobody can tell, for the run gives no signs.
        """
        if claim == 0:
            return True
        if sign is not None and sign.token < claim:
            sign = None
        if (claim, sign) != self._seen:
            self._seen, self._since = (claim, sign), now
        lasts = now - self._since
        if sign is None:
            return None if lasts > GRACE_SECONDS else False
        return lasts > sign.millis / 1000


def stand_by(home: Folder, lease: str | None, tell: Callable[[str], None] = _log.info) -> None:
    """Waits, with the lease that a pipeline was given.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        lease: the option ``ownerLease``.
        tell: takes a line when it begins to wait, and one when it ends.

    Raises:
        ConfigurationError: it was given none, or see :func:`wait_until_free`.
    """
    if lease is None:
        raise ConfigurationError(
            "a standby needs the option ownerLease, as '15 seconds': a run after it could not tell "
            "when it ends"
        )
    wait_until_free(home, micros_of(lease) // 1000, tell)


def wait_until_free(
    home: Folder,
    millis: int,
    tell: Callable[[str], None] = _log.info,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Returns when no run of the location has told for the time of its lease that it lives.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        millis: the lease that this process asks for: it looks five times in it, and once a second
            at least.
        tell: takes a line when it begins to wait, and one when it ends.
        clock: seconds; never goes back.
        pause: waits for some seconds.

    Raises:
        ConfigurationError: the last run gives no signs of life, and may live.
    """
    watch, leases, owners = Watch(), home.child(LEASES), home.child(OWNERS)
    told = 0
    while True:
        claim = max((number_of(name) or 0 for name in owners.names()), default=0)
        signs = heartbeats_of(leases.names(KIND))
        free = watch.is_free(claim, signs[-1] if signs else None, clock())
        if free:
            if told:
                tell(f"{_who(owners, told)} gives no sign of life any more: this run takes over")
            return
        if free is None:
            if _has_died_here(owners, claim):
                Mark.OWNER_HAS_DIED_HERE.hit()
                return
            raise ConfigurationError(
                f"{_who(owners, claim)} has {home.location} and gives no signs of life, so no "
                "standby can tell when it ends: start it with the option ownerLease, as "
                "'15 seconds', or end it and start this run without standby"
            )
        if claim != told:
            tell(f"standing by: {_who(owners, claim)} has {home.location}")
            told = claim
        pause(min(millis / 5000, 1.0))


def _who(owners: Folder, token: int) -> str:
    claim = read_document(owners, numbered_name(token), "owner") or {}
    return f"run {token} (process {claim.get('pid', '?')} on {claim.get('host', '?')})"


def _has_died_here(owners: Folder, token: int) -> bool:
    claim = read_document(owners, numbered_name(token), "owner")
    return claim is not None and claim.get("host") == platform.node() and not exists(claim["pid"])
