"""How far fills have come, so that a later run can go on where one was cut off.

The folder ``fills`` has documents of the name ``<number>.json``. The greatest number counts, and
says all of it: the token of the run that wrote it, and each fill that has begun and not ended. A
run creates the next number on condition, when it begins or goes on with a fill, and after each
part. Then it removes the older ones. So of two runs one writes each number. A run that finds the
number of a later run ends.

An older run may create a number again that was removed. It is below the greatest one, so it does
not count, and that run looks for the greatest one after each write.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from groundswell.contract.commits import Commits
from groundswell.errors import Corruption, Fenced
from groundswell.format.envelope import seal
from groundswell.marks import Mark
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import Folder, number_of, numbered_name, read_document
from groundswell.runtime.record.manifests import commits_of, noted

FILLS = "fills"
KIND = "fills"
PROCESS = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
"""This process. A run that begins again has another token, and its fill goes on meanwhile."""


@dataclass(frozen=True)
class BackfillKey:
    """What a fill computes. Two fills with equal keys make the same states of the same rows.

    Attributes:
        views: names of those that are filled, in order.
        states: names of those that are written, in order; they are named after plans.
        snapshots: names of the states that are read, in order.
        pinned: session settings that expressions depend on, as JSON.
        partitions: of every state.
        generation: of the states.
    """

    views: tuple[str, ...]
    states: tuple[str, ...]
    snapshots: tuple[str, ...]
    pinned: str
    partitions: int
    generation: int


@dataclass(frozen=True)
class UnderWay:
    """A fill that has begun and not ended.

    Attributes:
        key: what it computes.
        epoch: whose rows it takes; once all parts are done, the epoch that it is as of.
        read: fingerprint of the commits that it reads of that epoch.
        done: how many parts are in the states.
        parts: how many there are.
        rows: of all parts.
        commits: of the states that it writes.
        lease: the id of its lease.
        noted_millis: when this was written, in milliseconds since 1970.
    """

    key: BackfillKey
    epoch: int
    read: str
    done: int
    parts: int
    rows: int
    commits: Commits
    lease: str
    noted_millis: int

    @property
    def names(self) -> str:
        """What is filled, for messages."""
        return ", ".join(self.key.views)

    @property
    def percent(self) -> int:
        """How much of the rows is there."""
        return round(100 * self.done / self.parts)

    @property
    def how_far(self) -> str:
        """How far it is, for messages."""
        return f"part {self.done} of {self.parts}, {self.percent} %"


Fills = tuple[UnderWay, ...]


@dataclass(frozen=True)
class _Entry:
    number: int
    token: int
    process: str
    fills: Fills


class BackfillLog:
    """The folder ``fills`` of a pipeline.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        process: who writes.
    """

    def __init__(self, home: Folder, process: str = PROCESS) -> None:
        self._home = home
        self._folder = home.child(FILLS)
        self._process = process
        # What this object has written last: a write that follows needs no look before it, for it
        # does not count if it is not the next one.
        self._own: _Entry | None = None

    def read(self) -> Fills:
        """The fills that have begun and not ended."""
        return self._newest().fills

    def change(self, token: int, edit: Callable[[Fills], Fills]) -> Fills:
        """Writes what becomes of the fills; nothing where nothing becomes of them.

        Args:
            token: of the run that writes.
            edit: (the fills as they are) -> as they are to be; may be called several times.

        Returns:
            The fills as they are then.

        Raises:
            Fenced: a later run of another process has written since.
        """
        while True:
            own, self._own = self._own, None
            last = own or self._newest()
            if last.token > token and last.process != self._process:
                Mark.FILLS_OF_A_LATER_RUN.hit()
                raise Fenced(
                    f"the run {last.token} of {last.process} has the fills of "
                    f"{self._home.location} now, and this is run {token}: it ends"
                )
            fills = edit(last.fills)
            if fills == last.fills and (token <= last.token or not fills):
                if own is None:
                    return fills
                continue  # it may have changed since
            now = _Entry(last.number + 1, max(token, last.token), self._process, fills)
            if self._put(now):
                self._own = now
                return fills

    def _put(self, entry: _Entry) -> bool:
        content = {
            "token": entry.token,
            "process": entry.process,
            "fills": [_content(fill) for fill in entry.fills],
        }
        if not self._folder.put_new(numbered_name(entry.number), seal(KIND, content)):
            Mark.FILLS_WRITTEN_MEANWHILE.hit()
            return False
        numbers = self._numbers()
        if numbers[-1:] != [entry.number]:
            Mark.FILLS_NUMBER_CAME_AGAIN.hit()
            return False
        removal.numbered(self._folder, numbers[:-1])
        return True

    def _numbers(self) -> list[int]:
        found = map(number_of, self._folder.names())
        return sorted(number for number in found if number is not None)

    def _newest(self) -> _Entry:
        while numbers := self._numbers():
            name = numbered_name(numbers[-1])
            found = read_document(self._folder, name, KIND)
            if found is None:
                continue  # a later one was written since
            try:
                fills = tuple(_under_way(each) for each in found["fills"])
                return _Entry(numbers[-1], found["token"], found["process"], fills)
            except (KeyError, TypeError) as e:
                raise Corruption(
                    f"{self._folder.location}/{name} lacks {e}; restore the file, or remove it: "
                    "then fills that were cut off begin again"
                ) from e
        return _Entry(0, 0, self._process, ())


def with_fill(fills: Fills, fill: UnderWay) -> Fills:
    """The fills with one as it is now, in the place of the same one before."""
    return (*without(fills, fill.lease), fill)


def without(fills: Fills, lease: str) -> Fills:
    """The fills but for the one with that lease."""
    return tuple(each for each in fills if each.lease != lease)


def as_json(settings: Mapping[str, Any]) -> str:
    """Settings as a text that is the same in every process."""
    return json.dumps(dict(settings), sort_keys=True, default=str)


def _content(fill: UnderWay) -> dict[str, Any]:
    return {
        **asdict(fill.key),
        "epoch": fill.epoch,
        "read": fill.read,
        "done": fill.done,
        "parts": fill.parts,
        "rows": fill.rows,
        "commits": {state: noted(commits) for state, commits in fill.commits.items()},
        "lease": fill.lease,
        "notedMillis": fill.noted_millis,
    }


def _under_way(found: Mapping[str, Any]) -> UnderWay:
    key = BackfillKey(
        tuple(found["views"]),
        tuple(found["states"]),
        tuple(found["snapshots"]),
        found["pinned"],
        found["partitions"],
        found["generation"],
    )
    return UnderWay(
        key,
        found["epoch"],
        found["read"],
        found["done"],
        found["parts"],
        found["rows"],
        {state: commits_of(commits) for state, commits in found["commits"].items()},
        found["lease"],
        found["notedMillis"],
    )
