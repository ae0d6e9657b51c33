"""Leases: how readers elsewhere keep an epoch, for a time, from being retired.

A lease is one document in ``leases``. Its name has all that matters, so retention lists the folder
and reads nothing::

    read-<epoch>-<until>-<id>.json     keeps views and indexes readable from that epoch on
    whole-<epoch>-<until>-<id>.json    keeps operators' own state, too: for a copy of the pipeline
    floor-<epoch>-<whole>-<token>.json the owner: older epochs may be gone (``whole``: for a copy)

``until`` is in milliseconds since 1970. No lease outlives it, or counts for more than a day ahead:
a reader that died, or whose clock is wrong, cannot keep an epoch for ever.

Why no lease is overlooked: a reader creates its lease and then looks for floors; the owner creates
a floor and then looks for leases. Whoever comes second sees the other. So a reader that sees no
floor above its epoch knows that the owner sees its lease before it deletes anything.

Why no reader of a leased epoch is refused: the owner first looks for leases and proposes no floor
above them. A lease that comes between this look and the proposal is seen by the second look, which
settles the floor. A floor says whether it is settled. A reader below a proposed floor keeps its
lease and waits: the owner either sees the lease and lowers the floor, or settles it above.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, TypeVar

from groundswell.errors import EpochUnavailable, StorageFailed
from groundswell.format.envelope import seal
from groundswell.marks import Mark
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import Folder, read_document

LEASES = "leases"
KIND = "lease"
FLOOR = "floor"
READ, WHOLE = "read", "whole"
SECONDS = 60.0
"""How long a lease lasts that nobody renews."""

LONGEST_MILLIS = 24 * 60 * 60 * 1000
SETTLED = "settled"
TRIES = 3
SETTLES_SECONDS = 10.0
"""How long a reader waits for a proposed floor; an owner that died leaves its last one so."""
SLACK_MILLIS = 10_000
"""By how much the clocks of readers and owner may differ."""

_LEASE = re.compile(r"(read|whole)-(\d{20})-(\d{20})-([0-9a-f]{32})\.json")
_FLOOR = re.compile(r"floor-(\d{20})-(\d{20})-(\d{20})\.json")
_log = logging.getLogger("groundswell")

Clock = Callable[[], int]
"""Tells the time in milliseconds since 1970."""


def now_millis() -> int:
    """The time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class LeaseName:
    """A lease as its name tells it."""

    kind: str
    epoch: int
    until: int
    name: str


@dataclass(frozen=True)
class LowWaterMark:
    """What an owner no longer promises.

    Attributes:
        epoch: older epochs may be gone.
        whole: of older epochs, operators' own state may be gone.
        token: of the owner.
    """

    epoch: int
    whole: int
    token: int

    @property
    def name(self) -> str:
        """The document's name."""
        return f"{FLOOR}-{self.epoch:020d}-{self.whole:020d}-{self.token:020d}.json"


def leases_of(names: Iterable[str]) -> list[LeaseName]:
    """The leases among the names of a folder."""
    found = (_LEASE.fullmatch(name) for name in names)
    return [LeaseName(m[1], int(m[2]), int(m[3]), m[0]) for m in found if m]


def low_water_marks_of(names: Iterable[str]) -> list[LowWaterMark]:
    """The floors among the names of a folder."""
    found = (_FLOOR.fullmatch(name) for name in names)
    return [LowWaterMark(int(m[1]), int(m[2]), int(m[3])) for m in found if m]


def is_live(lease: LeaseName, now: int) -> bool:
    """Whether a lease counts; one that ends too far ahead never did."""
    return now - SLACK_MILLIS < lease.until <= now + LONGEST_MILLIS + SLACK_MILLIS


def lowered(wanted: LowWaterMark, held: Iterable[LeaseName], oldest: int) -> LowWaterMark:
    """The floor that live leases leave.

    Args:
        wanted: the floor without leases.
        held: the live leases.
        oldest: the oldest epoch that is there; leases below it keep nothing.
    """
    epoch, whole = wanted.epoch, wanted.whole
    for lease in held:
        if lease.epoch >= oldest:
            epoch = min(epoch, lease.epoch)
            if lease.kind == WHOLE:
                whole = min(whole, lease.epoch)
    return LowWaterMark(epoch, whole, wanted.token)


def with_id(names: Iterable[str], id: str) -> list[LeaseName]:  # noqa: A002
    """The leases of an id among the names of a folder."""
    return [lease for lease in leases_of(names) if lease.name.endswith(f"-{id}.json")]


def release(home: Folder, id: str, but: Lease | None = None) -> None:  # noqa: A002
    """Ends the leases of an id, whichever process has created them.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        id: of the leases.
        but: the one that stays.
    """
    folder = home.child(LEASES)
    for lease in with_id(folder.names(), id):
        if but is None or lease.name != but.name:
            removal.lease(folder, lease.name)


class RetentionHolds:
    """The owner's side: which epochs leases keep. One listing each time that retention runs.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        token: of the owner.
        clock: tells the time.
    """

    def __init__(self, home: Folder, token: int = 0, clock: Clock = now_millis) -> None:
        self._folder = home.child(LEASES)
        self._token = token
        self._clock = clock

    def floor(self, epoch: int, whole: int, oldest: int) -> LowWaterMark:
        """What may go now: all below the floor. Sweeps leases that have ended.

        Args:
            epoch: the oldest epoch that stays without leases.
            whole: the oldest epoch of which operators' own state stays without leases.
            oldest: the oldest epoch that is there.
        """
        wanted = LowWaterMark(max(epoch, oldest), whole, self._token)
        proposed = lowered(wanted, self._live(self._folder.names()), oldest)
        self._put(proposed, settled=False)
        names = self._folder.names()
        # Of what was proposed, not of what was wanted: where a lease has ended meanwhile, a new
        # reader may already rely on the lower proposal.
        found = lowered(proposed, self._live(names), oldest)
        Mark.LEASE_CAME_BETWEEN_LOOKS.hit_if(found != proposed)
        self._put(found, settled=True)
        for floor in (*low_water_marks_of(names), proposed):
            # Of an older owner, who may still be at work, only what says no more than this one.
            own = floor.token == self._token
            less = floor.epoch <= found.epoch and floor.whole <= found.whole
            if floor != found and (own or (floor.token < self._token and less)):
                removal.lease(self._folder, floor.name)
        return found

    def _live(self, names: Iterable[str]) -> list[LeaseName]:
        """The live leases among the names of the folder; the others are removed."""
        now, live = self._clock(), []
        for lease in leases_of(names):
            if is_live(lease, now):
                live.append(lease)
            else:
                Mark.LEASE_IS_OVER.hit()
                removal.lease(self._folder, lease.name)
        return live

    def _put(self, floor: LowWaterMark, settled: bool) -> None:
        content = {
            "epoch": floor.epoch,
            "whole": floor.whole,
            "token": floor.token,
            SETTLED: settled,
        }
        self._folder.put(floor.name, seal(FLOOR, content))


class Lease:
    """A reader's hold on an epoch. As a context manager it is renewed until the block ends.

    Attributes:
        epoch: the epoch.
        until: when it ends if nobody renews it, in milliseconds since 1970.
    """

    def __init__(
        self,
        home: Folder,
        epoch: int,
        kind: str = READ,
        seconds: float = SECONDS,
        clock: Clock = now_millis,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """Creates it.

        Args:
            home: the pipeline's folder in the checkpointLocation.
            epoch: the epoch to keep.
            kind: ``read``, or ``whole``: with operators' own state.
            seconds: how long it lasts unless it is renewed; a day at most.
            clock: tells the time.
            id: 32 hex digits by which another process can find it; default: any.

        Raises:
            EpochUnavailable: the owner has retired the epoch, or is about to.
        """
        self.epoch = epoch
        self._id = id
        self._folder = home.child(LEASES)
        self._kind = kind
        self._millis = min(round(seconds * 1000), LONGEST_MILLIS)
        self._clock = clock
        self._name: str | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.until = self._create()
        try:
            floor = self._settled_floor()
        except BaseException:
            self.end()
            raise
        if floor > epoch:
            self.end()
            raise EpochUnavailable(
                f"epoch {epoch} of {home.location} cannot be "
                f"{'copied' if kind == WHOLE else 'read'} any more: the pipeline keeps "
                f"{'what a copy needs' if kind == WHOLE else 'epochs'} from {floor} on"
            )

    @property
    def name(self) -> str | None:
        """Of its document; None: it was ended."""
        return self._name

    def _settled_floor(self) -> int:
        """The highest floor, once none above the epoch is only proposed any more."""
        end = time.monotonic() + SETTLES_SECONDS
        while True:
            floors = low_water_marks_of(self._folder.names(FLOOR))
            above = [f for f in floors if self._of_kind(f) > self.epoch]
            if all(map(self._is_settled, above)) or time.monotonic() > end:
                return max(map(self._of_kind, above), default=0)
            Mark.FLOOR_IS_PROPOSED.hit()
            time.sleep(SETTLES_SECONDS / 1000)

    def _of_kind(self, floor: LowWaterMark) -> int:
        return floor.whole if self._kind == WHOLE else floor.epoch

    def _is_settled(self, floor: LowWaterMark) -> bool:
        """Whether a floor stays; False as well if it has gone since it was listed."""
        content = read_document(self._folder, floor.name, FLOOR)
        # Owners of releases that do not say so propose no other.
        return content is not None and bool(content.get(SETTLED, True))

    def _create(self) -> int:
        until = self._clock() + self._millis
        name = f"{self._kind}-{self.epoch:020d}-{until:020d}-{self._id or uuid.uuid4().hex}.json"
        content = {
            "epoch": self.epoch,
            "untilMillis": until,
            "host": socket.gethostname(),
            "pid": os.getpid(),
        }
        self._folder.put_new(name, seal(KIND, content))
        self._name = name
        return until

    def renew(self) -> None:
        """Makes it last as long again, from now on; nothing if it was ended."""
        with self._lock:
            before = self._name
            if before is not None:
                self.until = self._create()
                if before != self._name:
                    removal.lease(self._folder, before)

    def end(self) -> None:
        """Gives it up."""
        self._ended.set()
        with self._lock:
            if self._name is not None:
                removal.lease(self._folder, self._name)
                self._name = None

    def leave(self) -> None:
        """Renews it no more, so that it ends when its time is over."""
        self._ended.set()

    def left(self) -> float:
        """Seconds until it ends; negative if it has ended."""
        return (self.until - self._clock()) / 1000

    def __enter__(self) -> Lease:
        threading.Thread(target=self._keep, name="groundswell-lease", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def _keep(self) -> None:
        while not self._ended.wait(self._millis / 3000):
            try:
                self.renew()
            except Exception as error:  # noqa: BLE001 - tried again; a reader notices what is gone
                _log.warning("the lease on epoch %s could not be renewed: %s", self.epoch, error)


_short: dict[str, Lease] = {}
_kept_here: set[tuple[str, str]] = set()


def keep_here(process: str, location: str, here: bool = True) -> None:
    """Notes that a process runs the pipeline of a folder itself, or no longer does."""
    (_kept_here.add if here else _kept_here.discard)((process, location))


def is_kept_here(process: str, location: str) -> bool:
    """Whether a process runs the pipeline of a folder itself."""
    return (process, location) in _kept_here


def hold(home: Folder, epoch: int, seconds: float = SECONDS) -> Lease | None:
    """A lease for a read whose end nobody tells: it ends by itself.

    Reads of one epoch share a lease as long as half of its time is left.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        epoch: the epoch that is read.
        seconds: how long it lasts.

    Returns:
        The lease; None if this process may not write there: then nothing keeps the epoch.

    Raises:
        EpochUnavailable: the owner has retired the epoch, or is about to.
    """
    last = _short.get(home.location)
    if last is not None and last.epoch == epoch and last.left() > seconds / 2:
        return last
    found = lease_if_allowed(home, epoch, seconds)
    if found is not None:
        _short[home.location] = found
    return found


def lease_if_allowed(
    home: Folder, epoch: int, seconds: float = SECONDS, kind: str = READ
) -> Lease | None:
    """A lease of its own, or None if this process may not write to the location."""
    try:
        return Lease(home, epoch, kind, seconds)
    except (StorageFailed, OSError) as error:
        if home.location not in _refused:
            _refused.add(home.location)
            _log.warning(
                "%s: no lease can be written (%s), so retention may remove epoch %s while it is "
                "read; allow writes to %s/%s",
                home.location,
                error,
                epoch,
                home.location,
                LEASES,
            )
        return None


Found = TypeVar("Found", bound="OfEpoch")
Given = TypeVar("Given")


class OfEpoch(Protocol):
    """What was read of one epoch."""

    @property
    def epoch(self) -> int:
        """Which."""


def leased(
    find: Callable[[int | None], Found],
    home: Folder,
    epoch: int | None,
    lease: Callable[[Folder, int], Given],
) -> tuple[Found, Given]:
    """An epoch with a lease on it.

    Args:
        find: reads an epoch; None: the newest.
        home: the pipeline's folder in the checkpointLocation.
        epoch: which; None: the newest. If that one is retired meanwhile, the next newest.
        lease: takes a lease.

    Raises:
        EpochUnavailable: the epoch is not published (yet), or retired.
    """
    for _ in range(TRIES - 1):
        found = find(epoch)
        try:
            return found, lease(home, found.epoch)
        except EpochUnavailable:
            if epoch is not None:
                raise
            Mark.NEWEST_IS_RETIRED_MEANWHILE.hit()
    found = find(epoch)
    return found, lease(home, found.epoch)


_refused: set[str] = set()
