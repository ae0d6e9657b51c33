"""Spark's logs of what file sources have read, cut at an offset.

``sources/<name>/<n>`` has the files of the source's n-th log entry, a JSON document a line after
the version; every so many entries ``<n>.compact`` has all files so far, and Spark may delete the
entries that a later compact file holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from groundswell.errors import EpochUnavailable
from groundswell.runtime.record.file_logs import COMPACT
from groundswell.runtime.record.location import Folder

INTERVAL = 10
"""Spark's own, if the names do not tell (spark.sql.streaming.fileSource.log.compactInterval)."""


def the_cut(folder: Folder, last: int | None) -> Iterator[tuple[str, bytes]]:
    """Names and contents of a source's files, for a query that has read up to an entry.

    Args:
        folder: of the source, in ``sources``.
        last: the entry; None: it is no file source, and all of it is taken.

    Raises:
        EpochUnavailable: Spark has deleted what was needed.
    """
    names = [name for name in folder.names() if not name.startswith(".")]
    if last is None:
        yield from ((name, folder.read(name) or b"") for name in names)
        return
    begin = _begin(names, last)
    wanted = [f"{begin}{COMPACT}"] if begin >= 0 else []
    wanted += [str(n) for n in range(begin + 1, last + 1)]
    if set(wanted) <= set(names):
        yield from ((name, folder.read(name) or b"") for name in wanted)
        return
    later = sorted(n for n in _compacts(names) if n > last)
    data = folder.read(f"{later[0]}{COMPACT}") if later else None
    if data is None:
        raise EpochUnavailable(
            f"{folder.location} lacks {', '.join(sorted(set(wanted) - set(names))[:3])}, which "
            f"entry {last} needs: copy a later epoch"
        )
    version, *lines = data.decode().splitlines()
    by_entry: dict[int, list[str]] = {}
    for line in lines:
        by_entry.setdefault(json.loads(line)["batchId"], []).append(line)
    if begin >= 0:
        before = [line for n in sorted(by_entry) if n <= begin for line in by_entry[n]]
        yield f"{begin}{COMPACT}", _text(version, before)
    for n in range(begin + 1, last + 1):
        yield str(n), _text(version, by_entry.get(n, []))


def logged(folder: Folder) -> set[str]:
    """Names of the files in a log, without their folders."""
    found: set[str] = set()
    for name in folder.names():
        if name[:1].isdecimal():
            for line in (folder.read(name) or b"").splitlines()[1:]:
                found.add(json.loads(line)["path"].rsplit("/", 1)[1])
    return found


def _begin(names: Iterable[str], last: int) -> int:
    """The last entry up to ``last`` that is compact by rule; -1: none is."""
    compacts = _compacts(names)
    interval = compacts[1] - compacts[0] if len(compacts) > 1 else INTERVAL
    if len(compacts) == 1 and (compacts[0] + 1) % INTERVAL:
        interval = compacts[0] + 1
    return (last + 1) // interval * interval - 1


def _compacts(names: Iterable[str]) -> list[int]:
    return sorted(int(n.removesuffix(COMPACT)) for n in names if n.endswith(COMPACT))


def _text(version: str, lines: Iterable[str]) -> bytes:
    return "\n".join([version, *lines]).encode()
