"""Merges that another process does for a pipeline: who does them, and what was done.

The folder ``merges`` has::

    open-<token>.json   the run with that token takes merges in
    <number>.json       one after the other, without gaps, of all such processes

A process that merges creates the next number, or learns that another one has: then it ends. It
creates one without merges first, so that an older process learns of it. The run reads numbers in
order and removes those of which all merges are settled, but for the last one, which tells the next
number. What is written of a merge is not needed by any version before a commit takes it in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groundswell.errors import Fenced
from groundswell.format.envelope import seal
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    number_of,
    numbered_name,
    owned_name,
    owned_names,
    read_document,
    tokens,
    write_document,
)

MERGES = "merges"
KIND = "merges"
OPEN = "open"


@dataclass(frozen=True)
class Merge:
    """A merge of one partition's files.

    Attributes:
        state: its name.
        partition: of it.
        version: of the partition that was merged.
        record: what was merged, and into what, for the engine; base64.
    """

    state: str
    partition: int
    version: int
    record: str


@dataclass(frozen=True)
class Entry:
    """One document of the log.

    Attributes:
        number: its own.
        process: who wrote it.
        generation: of the states.
        merges: none: the process only says that it is there.
    """

    number: int
    process: str
    generation: int
    merges: tuple[Merge, ...] = ()


class MergeLog:
    """The folder ``merges`` of a pipeline.

    Args:
        home: the pipeline's folder in the checkpointLocation.
    """

    def __init__(self, home: Folder) -> None:
        self._home = home
        self._folder = home.child(MERGES)

    def open(self, token: int) -> None:
        """Says that the run with that token takes merges in."""
        write_document(self._folder, owned_name(OPEN, token), KIND, {"token": token})
        removal.owned(self._folder, OPEN, token)

    def is_open(self) -> bool:
        """Whether the last run takes merges in."""
        names = owned_names(self._folder, OPEN)
        return bool(names) and names[-1] == owned_name(OPEN, max(tokens(self._home), default=0))

    def numbers(self) -> list[int]:
        """Of the entries that are there, ascending."""
        found = map(number_of, self._folder.names())
        return sorted(number for number in found if number is not None)

    def read(self, number: int) -> Entry | None:
        """An entry; None if there is none."""
        found = read_document(self._folder, numbered_name(number), KIND)
        return None if found is None else _entry(number, found)

    def add(self, entry: Entry) -> None:
        """Publishes an entry.

        Raises:
            Fenced: another process has published one of that number.
        """
        if self._folder.put_new(numbered_name(entry.number), seal(KIND, _content(entry))):
            return
        self.check(self.read(entry.number), entry.process)

    def check(self, newest: Entry | None, process: str) -> None:
        """Looks whether a process is still the one that merges.

        Args:
            newest: the newest entry; None: it was there, and is not any more.
            process: who asks.

        Raises:
            Fenced: another process wrote the entry, or it is gone.
        """
        if newest is None or newest.process != process:
            raise Fenced(
                f"another process merges for {self._home.location} now"
                f"{'' if newest is None else f': {newest.process}'}; this one ends"
            )

    def remove(self, numbers: Iterable[int]) -> None:
        """Removes entries."""
        removal.numbered(self._folder, numbers)


def _content(entry: Entry) -> dict[str, Any]:
    return {
        "process": entry.process,
        "generation": entry.generation,
        "merges": [vars(merge) for merge in entry.merges],
    }


def _entry(number: int, found: Mapping[str, Any]) -> Entry:
    merges = tuple(
        Merge(m["state"], m["partition"], m["version"], m["record"]) for m in found["merges"]
    )
    return Entry(number, found["process"], found["generation"], merges)
