"""Deletes documents of a location, kind by kind: the only door to it beside ``runtime.gc``.

Who writes the next document of its kind removes the one before, by one of these; :mod:`..gc.kinds`
says of each kind who that is. A name that is given is one of the folder: nothing happens if it is
gone. Whole states, and what processes that died have left, are :mod:`..gc`'s.
"""

from __future__ import annotations

from collections.abc import Iterable

from groundswell.runtime.record.location import (
    TABLES,
    Folder,
    numbered_name,
    owned_name,
    owned_names,
)


def owned(folder: Folder, stem: str, token: int) -> None:
    """Removes the documents of a stem of all owners before."""
    for name in owned_names(folder, stem):
        if name < owned_name(stem, token) or name == owned_name(stem, 0):
            folder.delete(name)


def numbered(folder: Folder, numbers: Iterable[int]) -> None:
    """Removes entries of a log of fills, merges or statements."""
    for number in numbers:
        folder.delete(numbered_name(number))


def epoch(folder: Folder, name: str) -> None:
    """Removes an epoch, or what epochs were told against."""
    folder.delete(name)


def lease(folder: Folder, name: str) -> None:
    """Removes a lease, a floor or a sign of life."""
    folder.delete(name)


def request(folder: Folder, *names: str) -> None:
    """Removes a request of another process, what was taken of it, and its answer."""
    for name in names:
        folder.delete(name)


def spark_entry(log: Folder, batch: int) -> None:
    """Removes an entry of a log of Spark's, whose name comes again."""
    log.delete(str(batch))
    checksum(log, str(batch))


def source_entry(log: Folder, name: str) -> None:
    """Removes what a file source has noted of the files that it gave out."""
    log.delete(name)
    checksum(log, name)


def checksum(log: Folder, name: str) -> None:
    """Removes what Hadoop's local file system has beside a file that is another now."""
    log.delete(f".{name}.crc")


def taken_rows(home: Folder, taken: Iterable[str]) -> None:
    """Removes files of tables that a barrier has taken in.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        taken: their paths below the folder of the tables.
    """
    for path in taken:
        *folders, name = path.split("/")
        folder = home.child(TABLES)
        for each in folders:
            folder = folder.child(each)
        folder.delete(name)
